// SPDX-License-Identifier: GPL-2.0
/*
 * How long things took: by label and span, and the longest of them one by one. Both
 * show what the reader says of one kind at a time: slices, waits, lifetimes.
 */

import { labelName } from "../columns";
import { Column } from "../decode";
import { foreign, h, replace } from "../dom";
import { columnOf, ColumnSpec, figureColumn, NONE_CHOSEN, Sheet, textColumn } from "../figures";
import * as format from "../format";
import { heldFor, isPart, Durations, Part, What } from "../durations";
import { Among, amongWorst, Longest, longestOf } from "../longest";
import { percentilesOf } from "../percentiles";
import { NONE, Profile } from "../profile";
import { sought, Spell } from "../spell";
import { spread } from "../spread";
import { State, Store } from "../store";
import { menu } from "../widgets";
import { ROW_HEIGHT } from "./grid";
import { Content, ListView } from "./list";
import { filterRows } from "./table";

/* ------------------------------------------------------------------------
 * by label and span
 */

/** What the description says of one word: "running, held: ...; blocked: ...". */
function saidOf({ is }: Column, word: string): string {
	return is.says.split("; ").find((part) => part.split(":")[0].split(", ").includes(word)) ?? "";
}

/** The name of a label or a span. */
function nameOf(profile: Profile): (row: number, spell?: Spell) => string {
	const { latency: { label, span } } = profile;
	const spans = profile.tables.table("spans");

	return (row, spell) => label[row] === NONE ? spans.title(span[row], spell) : labelName(profile, label[row], spell);
}

/** Of half, 90 %, 99 %, and the longest; null where they are not known. */
function spreadColumn({ latency: { p50, longest } }: Profile, of: (row: number) => number[] | null): ColumnSpec {
	/* One scale for all: shorter bars are shorter times. */
	const least = p50.reduce((a, b) => Math.min(a, b), Infinity);
	const most = longest.reduce((a, b) => Math.max(a, b), 1);
	const tail = (row: number) => {
		const [half, , most99] = of(row) ?? [NaN, NaN, NaN];

		return most99 / half;
	};

	return {
		key: "spread", title: "spread", kind: "bar", width: 150,
		says: "From left to right, on a scale of powers of ten that all rows have: half, 90 % (line) and 99 % of them are below, and the longest (end of the thin line)",
		figure: tail, show: () => "",
		plain: (row) => Number.isNaN(tail(row)) ? format.na() : tail(row).toFixed(2),
		draw: (row) => of(row) && spread(of(row)!, least, most),
		tip: (row) => ({ head: "spread", rows: ["50 % below", "90 % below", "99 % below", "longest"].map((name, at): [string, string] =>
			[name, format.time(of(row)?.[at] ?? NaN)]) }),
	};
}

function latencySheet(profile: Profile): Sheet {
	const { latency } = profile;
	const name = nameOf(profile);
	const instead = ["what", "label", "span"];

	return {
		n: latency.n, name, table: latency.table, label: (row) => latency.label[row],
		haystack: (row) => sought((spell) => name(row, spell)),
		columns: [textColumn("name", "label or span", "", 260, name),
			spreadColumn(profile, (row) => [latency.p50, latency.p90, latency.p99, latency.longest].map((figures) => figures[row])),
			...latency.table.columns.filter(({ is }) => is.shown && !instead.includes(is.name))
				.map((column) => columnOf(profile, column, null))],
	};
}

export class LatencyView extends ListView {
	constructor(store: Store) {
		const { latency } = store.profile;

		super(store, latency.table.column("what"), latencySheet(store.profile), "latency", "Latency", "p99");
		store.watch((state, changed) => this.update(state, changed));
	}

	/** Labels are rows; spans are of any. */
	protected part({ from, to, selected, only }: State): Part | null {
		const ofSpans = this.kind() === "span";
		const part = { from, to, selected: selected?.kind === "label" && !ofSpans ? null : selected, only };

		return ofSpans && selected || isPart(this.store.profile, part) ? part : null;
	}

	protected contentOf(durations: Durations | null): Content {
		const { store: { profile }, what, whole } = this;
		const kind = this.kind();
		const is = (row: number) => what.words(row) === kind;

		if (!durations)
			return { sheet: whole, there: is };
		const part = percentilesOf(profile, whole, durations);
		const columns = part.columns.map((column) => column.key === "spread" ? spreadColumn(profile, part.quantiles) : column);

		return { sheet: { ...part, columns }, there: (row) => is(row) && part.there(row) };
	}

	protected pick(row: number): void {
		const { store, store: { profile, profile: { latency: { label } } } } = this;

		if (label[row] === NONE)
			store.set({ find: nameOf(profile)(row) });
		else
			store.select("label", label[row]);
	}

	protected draw(): void {
		super.draw();
		this.note.textContent = saidOf(this.what, this.kind());
	}
}

/* ------------------------------------------------------------------------
 * one by one
 */

/** @kind: a length of this kind is called so. */
function longestSheet(profile: Profile, kind: string): Sheet {
	const { worst, coroutines } = profile;
	const instead = ["what", "label", "id", "coroutine", "took"];
	const name = (row: number, spell?: Spell) => worst.coroutine[row] === NONE ? `${labelName(profile, worst.label[row], spell)} #${worst.id[row]}`
		: coroutines.table.title(worst.coroutine[row], spell);

	return {
		n: worst.n, name, table: worst.table, label: (row) => worst.label[row],
		mark: (row) => `#${worst.id[row]}`,
		haystack: (row) => sought((spell) => `${name(row, spell)} ${labelName(profile, worst.label[row], spell)}`),
		columns: [textColumn("name", "coroutine", "", 260, name), figureColumn(worst.table.column("took"), kind),
			...worst.table.columns.filter(({ is }) => is.shown && !instead.includes(is.name))
				.map((column) => columnOf(profile, column, null))],
	};
}

/** Of what is chosen, when not all of it is known. */
const NONE_LISTED = "There is none that the page has one by one.";
const NONE_OF_THESE = "None of these is of what is chosen.";

export class LongestView extends ListView {
	private longest: Longest | null = null;
	/** What is listed instead, of the reader's. */
	private among: Among | null = null;
	private sheets = new Map<string, Sheet>();

	constructor(store: Store) {
		const { worst } = store.profile;

		super(store, worst.table.column("what"), longestSheet(store.profile, "length"), "longest", "Longest", "took");
		store.watch((state, changed) => this.update(state, changed));
	}

	protected part({ listed, from, to, selected, only }: State): Part | null {
		const part = listed ?? { from, to, selected, only };

		return part.selected || isPart(this.store.profile, part) ? part : null;
	}

	private sheetOf(kind: string): Sheet {
		const sheet = this.sheets.get(kind) ?? longestSheet(this.store.profile, kind);

		this.sheets.set(kind, sheet);
		return sheet;
	}

	protected contentOf(durations: Durations | null): Content {
		const { store: { profile }, what } = this;
		const kind = this.kind();
		const whole = this.sheetOf(kind);

		/* Its rows are others. */
		this.chosen = NONE;
		this.among = durations && this.amongOf(durations, kind as What);
		this.longest = durations && !this.among ? longestOf(profile, whole, durations, kind as What) : null;
		if (this.among)
			return { sheet: { ...whole, nothing: this.among.least ? NONE_OF_THESE : NONE_CHOSEN }, there: this.among.there };
		return this.longest ? { sheet: { ...this.longest, nothing: durations!.lacks(kind as What) ? NONE_LISTED : NONE_CHOSEN }, there: () => true }
			: { sheet: whole, there: (row) => what.words(row) === kind };
	}

	/** The reader's, where they go further down than what the page has one by one. */
	private amongOf(durations: Durations, what: What): Among | null {
		const among = durations.lacks(what) ? amongWorst(this.store.profile, durations.part, what) : null;

		return among && among.least < durations.known(what) ? among : null;
	}

	/** Goes there; the list stays what it is of. */
	protected pick(row: number): void {
		const { store, longest, store: { profile: { worst }, state: { from, to, selected, only, listed } } } = this;
		const coroutine = longest ? longest.coroutine(row) : worst.coroutine[row];
		const label = longest ? longest.label(row) : worst.label[row];
		const [begin, end] = longest ? longest.stay(row) : [worst.begin[row], worst.end[row]];

		store.goTo(coroutine === NONE ? { kind: "label", index: label } : { kind: "coroutine", index: coroutine }, begin, end,
			listed ?? { from, to, selected, only });
	}

	protected draw(): void {
		super.draw();
		/* As the table has it: see there. */
		document.documentElement.style.setProperty("--listed", `${this.unfiltered * ROW_HEIGHT}px`);
		const held = this.kind() === "held";
		const lacking = this.lacking();
		const { listed } = this.store.state;

		this.note.hidden = !held && !lacking && !listed;
		replace(this.note, ...held ? this.counted() : [], lacking && h("span", { class: "soft" }, lacking), listed && this.follow());
	}

	/** Why some are not among them. */
	private lacking(): string {
		const { durations, among } = this;
		const what = this.kind() as What;
		const why = durations?.lacks(what);
		const known = why ? durations!.known(what) : 0;

		if (among)
			return among.least ? `Listed are those that are among the 100 longest of the whole recording: of ${format.time(among.least)} or longer. ` : "";
		return !why ? "" : known < Infinity ? `Of those shorter than ${format.time(known)} the page has sums only: they are not listed. ` : `Not listed. ${why} `;
	}

	private follow(): HTMLElement {
		return h("span", { class: "soft" }, "A click led on from this list: ", h("button", { class: "link", attrs: { type: "button" },
			on: { click: () => this.store.set({ listed: null }) } }, "list those of what is in view"));
	}

	/** That of the address, if there is one. */
	private threshold(): string {
		const { store: { profile: { labels }, state: { held } } } = this;

		return heldFor(held) && labels.table.find(held) ? held : "held_1ms";
	}

	/** How many of each label did so for the threshold; null: some may be among those of which the page has sums only. What all of a label did, its table says. */
	private heldOf(): Float64Array | null {
		const { store: { profile, profile: { labels, worst } }, durations, among } = this;
		const threshold = this.threshold();
		const least = heldFor(threshold)!;
		const figures = new Float64Array(labels.n);
		const all = labels.table.column(threshold).figures;
		const { selected } = durations?.part ?? {};

		if (!durations)
			return all;
		if (selected?.kind === "label" && !isPart(profile, durations.part))
			figures[selected.index] = all[selected.index];
		else if (least >= durations.known("held"))
			durations.rows.held.forEach((row, at) => { figures[durations.labelOf("held")[row]] += +(durations.ns.held[at] >= least); });
		else if (among && least > among.least)
			filterRows(this.whole, among.there).forEach((row) => { figures[worst.label[row]] += +(worst.took[row] >= least); });
		else
			return null;
		return figures;
	}

	/** "Slices that held their thread for 1 ms or longer: 37, of 8 labels": how many there are, of which. */
	private counted(): Node[] {
		const { labels } = this.store.profile;
		const columns = labels.table.columns.filter(({ is }) => heldFor(is.name));
		const known = this.heldOf();
		const figures = known ?? new Float64Array();
		const those = [...figures.keys()].filter((label) => figures[label] > 0).sort((a, b) => figures[b] - figures[a]);
		const all = those.reduce((sum, label) => sum + figures[label], 0);
		const at = menu("Threshold", columns.map(({ is }) => [is.name, is.title.replace("held ", "")]), (held) => this.store.set({ held }));

		at.value = this.threshold();
		return [document.createTextNode("Slices that held their thread for "), at,
			document.createTextNode(` or longer: ${known ? format.full(all) : format.na()}${all ? `, of ${format.plural(those.length, "label")}: ` : ". "}`),
			...those.slice(0, 8).flatMap((label, at, { length }) => [h("button", {
				class: "link", attrs: { type: "button" }, on: { click: () => this.store.select("label", label) },
			}, foreign(labelName(this.store.profile, label))),
			document.createTextNode(` ${format.full(figures[label])}${at + 1 < length ? ", " : those.length > length ? ", ... " : ". "}`)])];
	}
}

/** Totals have neither. */
export const hasLatency = ({ worst, latency }: Profile): boolean => worst.n > 0 && latency.n > 0;
