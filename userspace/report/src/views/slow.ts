// SPDX-License-Identifier: GPL-2.0
/*
 * Slow slices, or lives, of a label against the rest: what is slow, the time of one of
 * either side, figures and call trees of both. A page that was not made for it offers
 * the command that makes one.
 */

import { Column } from "../decode";
import { foreign, h, put, replace } from "../dom";
import { cellText, marked, markedRatio } from "../figures";
import * as format from "../format";
import { slowCommand } from "../offer";
import { Profile } from "../profile";
import { printable, visible } from "../spell";
import { Store } from "../store";
import { copier, menu, section } from "../widgets";
import { Figures, Flame, Sides } from "./differences";

const STATES = ["running", "preempted", "blocked", "suspended"];
const SIDE = ["rest", "slow"];

export function hasSlow(profile: Profile): boolean {
	return profile.tables.table("slow_of").n > 0;
}

function sidesOf(of: string): Sides {
	const lives = of === "lives";

	return {
		names: ["rest", "slow"],
		each: lives ? "life" : "slice",
		told: ["more", "less", "mixed", "slow only", "rest only"],
		none: "Nothing differs beyond noise.",
		more: "coroprof-read --slow … --format csv",
		graph: `as wide as in the slow ones; red: more of it in a ${lives ? "life" : "slice"} than in the rest, blue: less; a click zooms`,
	};
}

/** The row of a figure of the label itself. */
function rowOf(columns: Record<string, Column>, figure: string): number {
	return columns.figure.text.findIndex((text, row) => text === figure && columns.of.words(row) === "label");
}

function columnsOf(profile: Profile, table: string): Record<string, Column> {
	return Object.fromEntries(profile.tables.table(table).columns.map((column) => [column.is.name, column]));
}

/** "297 us" or "1.50 M": in the unit that it has. */
function thresholdText(of: Record<string, Column>): string {
	return (of.unit.words(0) === "ns" ? format.time : format.events)(of.above.figures[0]);
}

function summary(profile: Profile): HTMLElement {
	const of = columnsOf(profile, "slow_of");
	const what = of.of.words(0);
	const [slow, rest, out] = ["slow", "rest", "left_out"].map((name) => marked(of[name], 0, of[name].figures[0], format.full));
	const share = cellText(of.slow_share, 0);
	/* Of what slices are missing, any number may be. */
	const none = of.left_out.figures[0] === 0 && of.left_out.standing(0) === 0;

	return h("p", { class: "slow-of" }, "Of ", foreign(visible(of.label.text[0] ?? "")), `: ${slow} ${what} (${share}) with more than `,
		`${thresholdText(of)} ${of.by.text[0]} (${of.asked.text[0]}) against ${rest} others`,
		none ? "." : `; ${out} of which it is not known are on neither side.`);
}

/** The time of one, on average, as a bar of its states; both in one scale. */
function bars(profile: Profile): HTMLElement | null {
	const columns = columnsOf(profile, "slow");
	const row = ["wall/slice", "wall/coroutine"].map((figure) => rowOf(columns, figure)).find((row) => row >= 0);

	if (row === undefined)
		return null;
	const walls = SIDE.map((side) => columns[side].figures[row]);
	const most = Math.max(...walls);

	return h("div", { class: "slow-bars" }, ...SIDE.map((side, at) => {
		const bar = h("span", { class: "stack", attrs: { "aria-hidden": true } });
		const shares = STATES.map((state) => ({ state, row: rowOf(columns, `${state}/wall`) })).filter(({ row }) => row >= 0)
			.map(({ state, row }) => ({ state, row, share: columns[side].figures[row] }));

		for (const { state, share } of shares) {
			const part = h("i", { class: state });

			part.style.width = `${100 * share * walls[at] / most}%`;
			bar.append(part);
		}
		return h("div", { class: "slow-bar", tip: () => ({
			head: side, rows: shares.map(({ state, share, row: of }): [string, string] => [state,
				[markedRatio(columns[side], of, share * walls[at], format.time), markedRatio(columns[side], of, share, format.share)].join(", ")]),
		}) }, h("span", {}, side), bar, h("span", { class: "number" }, marked(columns[side], row, walls[at], format.time)));
	}));
}

export class SlowView {
	readonly element: HTMLElement;

	constructor({ profile }: Store) {
		const what = profile.tables.table("slow_of").column("of").words(0);
		const [figures, tree] = ["slow", "slow_tree"].map((name) => profile.tables.table(name));
		const sides = sidesOf(what);

		this.element = h("section", { class: "view changes-view slow-view", attrs: { "aria-label": "Slow against the rest" } });
		put(this.element, summary(profile), bars(profile), new Figures(figures, sides, what === "lives" ? "beyond" : "all").element);
		if (tree.n)
			put(this.element, new Flame(tree, sides).element);
	}
}

const ABOVE = ["p50", "p75", "p90", "p95", "p99", "p99.9"];
const BY = ["wall", "running", "preempted", "blocked", "suspended", "awaiting", "ready"];

/** How to compare the slow ones of a label with the rest: a command, by what is chosen here. */
export function slowOffer(profile: Profile, label: string): HTMLElement | null {
	const chosen = { of: "slices", by: "wall", above: "p95" };
	const command = () => slowCommand(profile, label, chosen) ?? "";
	const shown = h("code", { class: "slow-command" });
	const say = () => replace(shown, printable(command()));
	const choose = (key: keyof typeof chosen, title: string, values: string[]) => {
		const element = menu(title, values.map((value): [string, string] => [value, value]), (value) => {
			chosen[key] = value;
			say();
		});

		element.value = chosen[key];
		return element;
	};

	if (!command())
		return null;
	say();
	return section("Slow against the rest", h("p", { class: "slow-offer" },
		choose("of", "What is divided", ["slices", "lives"]), " by ",
		choose("by", "By what", [...BY, ...profile.counters.map(({ name }) => name)]), " above ", choose("above", "Threshold", ABOVE)),
	h("p", { class: "soft" }, "What the slow ones do differently shows the page that this makes: "),
	h("p", {}, shown, " ", copier(command)));
}
