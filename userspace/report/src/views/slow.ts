// SPDX-License-Identifier: GPL-2.0
/*
 * Slow slices, or lives, of a label against the rest: what is slow, the time of one of
 * either side, figures and call trees of both. They are those of the reader in a page made
 * by --slow; else the page makes them of the slices that it has one by one, by what is
 * chosen here, or dragged over elsewhere. What it can't make it offers a command for.
 */

import { labelName } from "../columns";
import { Column, Table } from "../decode";
import { foreign, framed, h, put, replace } from "../dom";
import { cellText, marked } from "../figures";
import * as format from "../format";
import { histogram } from "../histogram";
import { slowCommand } from "../merged-slices";
import { onPalette } from "../palette";
import { NONE, Profile } from "../profile";
import { Divided, divide, isAsWritten, isThreshold, isTime, measures, REST, SLOW, thresholdAt, TIMES, undivided } from "../slow";
import { SlowTables, slowTables } from "../slow-figures";
import { printable, visible } from "../spell";
import { combined } from "../standings";
import { SlowOf, State, Store, wholeOf } from "../store";
import { copier, menu, menuOptions, section } from "../widgets";
import { Figures, Flame, Sides } from "./differences";
import { coloured } from "./labels";
import { bucketed } from "./lengths";

const STATES = ["running", "preempted", "blocked", "suspended"];
const SIDE = ["rest", "slow"];

export function hasSlow({ tables }: Profile): boolean {
	return tables.table("slow_of").n > 0;
}

/** A page made by --slow has a tab for it already, the first one. */
export function dividesSlices(profile: Profile): boolean {
	return !hasSlow(profile) && profile.timeline.n > 0 && coloured(profile).length > 0;
}

function sidesOf(of: string): Sides {
	const lives = of === "lives";

	return {
		names: ["rest", "slow"],
		each: lives ? "life" : "slice",
		reported: ["more", "less", "mixed", "slow only", "rest only"],
		none: "Nothing differs beyond noise.",
		more: "coroprof-read --slow … --format csv",
		graph: `as wide as in the slow ones; red: more of it in a ${lives ? "life" : "slice"} than in the rest, blue: less; a click zooms`,
	};
}

/** The row of a figure of the label itself. */
function rowOf(columns: Record<string, Column>, figure: string): number {
	return columns.figure.text.findIndex((text, row) => text === figure && columns.of.words(row) === "label");
}

function columnsOf(table: Table): Record<string, Column> {
	return Object.fromEntries(table.columns.map((column) => [column.is.name, column]));
}

/** "297 us" or "1.50 M": in the unit that it has. */
function thresholdText(of: Record<string, Column>): string {
	return (of.unit.words(0) === "ns" ? format.time : format.events)(of.above.figures[0]);
}

function summary(table: Table): HTMLElement {
	const of = columnsOf(table);
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
function bars(table: Table): HTMLElement | null {
	const columns = columnsOf(table);
	const whole = ["held/slice", "lifetime/coroutine"].find((figure) => rowOf(columns, figure) >= 0);

	if (whole === undefined)
		return null;
	const row = rowOf(columns, whole);
	const lengths = SIDE.map((side) => columns[side].figures[row]);
	const most = Math.max(...lengths);

	return h("div", { class: "slow-bars" }, ...SIDE.map((side, at) => {
		const bar = h("span", { class: "stack", attrs: { "aria-hidden": true } });
		const shares = STATES.map((state) => ({ state, row: rowOf(columns, `${state}/${whole.split("/")[0]}`) })).filter(({ row }) => row >= 0)
			.map(({ state, row }) => ({ state, row, share: columns[side].figures[row] }));

		for (const { state, share } of shares) {
			const part = h("i", { class: state });

			part.style.width = `${100 * share * lengths[at] / most}%`;
			bar.append(part);
		}
		return h("div", { class: "slow-bar", tip: () => ({
			head: side, rows: shares.map(({ state, share, row: of }): [string, string] => [state,
				[format.marked(combined("product", columns[side].standing(of), columns[side].standing(row)), share * lengths[at], format.time),
					marked(columns[side], of, share, format.share)].join(", ")]),
		}) }, h("span", {}, side), bar, h("span", { class: "number" }, marked(columns[side], row, lengths[at], format.time)));
	}));
}

const ABOVE = ["p50", "p75", "p90", "p95", "p99", "p99.9"];
const DEFAULT = "p95";

/** Of the reader: of slices, or of lives. */
function written({ tables }: Profile): Omit<SlowTables, "lacks"> {
	const [of, figures, tree] = ["slow_of", "slow", "slow_tree"].map((name) => tables.table(name));

	return { of, figures, tree };
}

export class SlowView {
	readonly element: HTMLElement;
	private content = h("div", {});
	private distribution = h("div", { class: "slow-distribution" });
	private head = h("div", { class: "slow-head" });
	private menus: Record<"label" | "of" | "by", HTMLSelectElement>;
	private slider: HTMLInputElement;
	private output = h("output", {});
	private asked: HTMLElement;
	private ask = framed(() => this.draw());

	constructor(private store: Store) {
		const { profile } = store;

		this.menus = {
			label: menu("Label", coloured(profile).map((label) => [String(label), labelName(profile, label)]), (label) => store.select("label", Number(label))),
			of: menu("What is divided", [["slices", "slices"], ["lives", "lives"]], (slowOf) => this.choose({ slowOf: slowOf as SlowOf })),
			by: menu("By what", [], (slowBy) => this.choose({ slowBy, above: isThreshold(this.above(), isTime(profile, slowBy)) ? this.above() : DEFAULT })),
		};
		replace(this.menus.by, ...menuOptions([...TIMES, ...profile.counters.map(({ name }) => name)].map((name) => [name, name])));
		this.slider = h("input", { attrs: { type: "range", min: 0, max: ABOVE.length - 1, step: 1, "aria-label": "Threshold" },
			on: { input: () => this.choose({ above: ABOVE[Number(this.slider.value)] }) } });
		this.asked = h("div", { class: "toolbar slow-asked" }, "Of ", this.menus.label, " the ", this.menus.of, " with more ", this.menus.by, " than ", this.slider, this.output);
		this.element = h("section", { class: "view changes-view slow-view", attrs: { "aria-label": "Slow against the rest" } });
		put(this.element, coloured(profile).length ? this.asked : null, h("div", { class: "slow-top" }, this.distribution, this.head), this.content);
		store.watch((state, changed) => this.update(state, changed));
		onPalette(() => this.ask());
	}

	private choose(change: Partial<State>): void {
		this.store.set({ above: this.above(), ...change });
	}

	private above(): string {
		const { above, slowBy } = this.store.state;

		return isThreshold(above, isTime(this.store.profile, slowBy)) ? above : DEFAULT;
	}

	/** That which is selected, or which ran for longest. */
	private label(): number {
		const { profile } = this.store;
		const selected = this.store.selectedLabel();

		return selected !== NONE && profile.labels.rank[selected] !== NONE ? selected : coloured(profile)[0] ?? NONE;
	}

	private update({ slowOf, slowBy }: State, changed: Set<keyof State>): void {
		this.menus.label.value = String(this.label());
		this.menus.of.value = slowOf;
		this.menus.by.value = slowBy;
		if (["view", "selected", "from", "to", "slowOf", "slowBy", "above"].some((key) => changed.has(key as keyof State)))
			this.ask();
	}

	private draw(): void {
		const { profile, state } = this.store;

		if (this.element.hidden)
			return;
		replace(this.distribution);
		replace(this.head);
		this.output.textContent = this.above();
		if (isAsWritten(profile, state)) {
			this.show(written(profile));
			return;
		}
		const { slowOf, slowBy: by, from, to } = state;
		const part = { from: Math.floor(from), to: Math.ceil(to), selected: null, only: null };
		const why = slowOf === "lives" ? "whether lives differ beyond noise the reader tests"
			: undivided(profile, this.label(), by, part);

		Object.assign(this.element, { made: null });
		if (why)
			replace(this.content, h("p", {}, `Not shown here: ${why}.`), this.command());
		else
			this.tell(divide(profile, this.label(), { by, above: this.above() }, part));
	}

	private tell(divided: Divided): void {
		const { values, above, time, nr } = divided;
		const show = time ? format.time : format.events;
		const tables = slowTables(divided);

		/* What is shown, for tests. */
		Object.assign(this.element, { made: tables });
		this.follow(divided, show);
		if (values.length)
			replace(this.distribution, histogram({ bars: bucketed(values), marks: [{ name: "slow", at: above }] }, {
				title: divided.asked.by, name: divided.asked.by, show, above, pick: (value) => this.choose({ above: `${value}${time ? "ns" : ""}` }),
			}));
		if (nr[REST] && nr[SLOW])
			this.show(tables);
		else
			replace(this.content, h("p", { class: "slow-of" }, this.oneSided(divided, show)));
		put(this.content, tables.lacks.length ? h("p", { class: "soft" }, `Not shown here: ${tables.lacks.join("; ")}.`) : null, this.command());
	}

	private show({ of, figures, tree }: Omit<SlowTables, "lacks">): void {
		const what = of.column("of").words(0);
		const sides = sidesOf(what);

		replace(this.head, summary(of), bars(figures));
		replace(this.content, new Figures(figures, sides, what === "lives" ? "beyond" : "all").element, tree.n ? new Flame(tree, sides).element : null);
	}

	/** The slider stands at the quantile that the threshold has reached. */
	private follow({ values, above, asked }: Divided, show: (value: number) => string): void {
		const reached = ABOVE.filter((quantile) => thresholdAt(values, Number(quantile.slice(1)) / 100) <= above).length - 1;

		this.slider.value = String(ABOVE.includes(asked.above) ? ABOVE.indexOf(asked.above) : Math.max(0, reached));
		this.slider.setAttribute("aria-valuetext", `${asked.above}: ${show(above)}`);
		this.output.textContent = ABOVE.includes(asked.above) && values.length ? `${asked.above}: ${show(above)}` : show(above);
	}

	/** As the reader says it. */
	private oneSided({ nr, above, asked }: Divided, show: (value: number) => string): string {
		const [rest, slow, unknown] = nr;

		return `${format.plural(slow, "slice")} ${slow === 1 ? "has" : "have"} more than ${show(above)} of ${asked.by}, ${format.full(rest)} ${rest === 1 ? "has" : "have"} not, ` +
			`and of ${format.full(unknown)} it is not known: there is nothing to compare. Choose another threshold.`;
	}

	/** What makes a page of the same, with all that the reader knows of it. */
	private command(): HTMLElement | null {
		const { profile, state: { slowOf: of, slowBy: by, from, to } } = this.store;
		const whole = wholeOf(profile);
		const time = from > whole.from || to < whole.to ? { from: Math.floor(from), to: Math.ceil(to) } : null;
		const command = slowCommand(profile, profile.labels.name[this.label()], { of, by, above: this.above() }, time);

		return command === null ? null : h("p", { class: "soft" }, "The reader shows it for the whole recording, with all that it knows: ",
			h("code", { class: "slow-command" }, printable(command)), " ", copier(() => command));
	}
}

/** How to compare the slow ones of a label with the rest: here, or by a command, by what is chosen here. */
export function slowOffer(store: Store, label: number): HTMLElement | null {
	const { profile } = store;
	const chosen = { of: "slices", by: "held", above: DEFAULT };
	const command = () => slowCommand(profile, profile.labels.name[label], chosen) ?? "";
	const shown = h("code", { class: "slow-command" });
	const here = h("button", { class: "link", attrs: { type: "button" }, on: {
		click: () => store.set({ view: "slow", slowOf: "slices", slowBy: chosen.by, above: chosen.above, selected: { kind: "label", index: label } }),
	} }, "Show it here");
	const say = () => {
		replace(shown, printable(command()));
		here.hidden = chosen.of === "lives" || !measures(profile).includes(chosen.by) || !profile.timeline.n;
	};
	const choose = (key: keyof typeof chosen, title: string, values: string[]) => {
		const element = menu(title, values.map((value): [string, string] => [value, value]), (value) => {
			chosen[key] = value;
			say();
		});

		element.value = chosen[key];
		return element;
	};

	say();
	if (!command() && here.hidden)
		return null;
	return section("Slow against the rest", h("p", { class: "slow-offer" },
		choose("of", "What is divided", ["slices", "lives"]), " by ",
		choose("by", "By what", [...TIMES, ...profile.counters.map(({ name }) => name)]), " above ", choose("above", "Threshold", ABOVE)),
	h("p", {}, here),
	...command() ? [h("p", { class: "soft" }, "What the slow ones do differently shows the page that this makes: "), h("p", {}, shown, " ", copier(command))] : []);
}
