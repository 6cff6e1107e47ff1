// SPDX-License-Identifier: GPL-2.0
/* The panel beside the views: all that is known about what is selected. */

import { Calls, chosenCalls } from "../calls";
import { coroutineName, labelName, processName, threadName } from "../columns";
import { Column } from "../decode";
import { foreign, h, replace } from "../dom";
import { cellText, counterTip, formatOf, fullText, markedRatio, markedShare, unreportedText, stateShare, stateTimes } from "../figures";
import * as format from "../format";
import { Lanes } from "../lanes";
import { costRows, modeRows, modeText } from "../modes";
import { onPalette, rankColour, STATES, STATES_IN_SLICES } from "../palette";
import { keepsOf } from "../scope";
import { isOutside, isThreadSlot, isTool, NONE, Profile, Timed, valuesOf } from "../profile";
import { summed } from "../standings";
import { Scope, State, Store } from "../store";
import { Fact, facts, section, stateBar, swatch, wholeSection } from "../widgets";
import { Family, familySection } from "./family";
import { findingsList } from "./findings";
import { functionDetails } from "./function";
import { InView, inView } from "./in-view";
import { coroutineLengths, labelLengths } from "./lengths";
import { sliceSection } from "./slice";
import { slowOffer } from "./slow";
import { wakeSections } from "./wakes";

/** What is reported of the time in view is reported when that has stayed for so long, in ms. */
const STAYS = 120;
/** Figures of the table of latency; there is room for some beside each other. */
const QUANTILES = ["p50", "p90", "p99", "p99_9", "longest"];
const inBrief = ({ is: { name } }: Column): boolean => ["p50", "p99", "longest"].includes(name);

/** What the recorder reports itself and its machine that is of use to everybody. */
const ABOUT: [string, string][] = [
	["tool", "recorded by"], ["host", "host"], ["kernel", "kernel"], ["arch", "machine"],
	["cpus", "CPUs"], ["pmu", "PMUs"],
];

function elements(...all: (Node | Node[] | null)[]): Node[] {
	return all.flat().filter((node): node is Node => node !== null);
}

/** A process, and who reports its coroutines. */
function reportedBy(profile: Profile, process: number): string {
	const by = profile.processes.reported_by[process];

	return `${processName(profile, process)}${by ? `: ${by}` : ""}`;
}

export class Details {
	readonly element: HTMLElement;
	/** What scrolls in it: of a narrow window in columns. */
	private body = h("div", { class: "details-body" });
	private lanes: Lanes;
	private family: Family;
	/** What is reported of the time in view. */
	private part = h("div", { class: "in-view" });
	/** What of the whole recording is reported of the time in view instead, where that is known. */
	private lengths: HTMLElement | null = null;
	private woken: HTMLElement[] = [];
	private kin: HTMLElement | null = null;
	/** The slice that is looked at: before all else, as it was asked for last. */
	private slice: HTMLElement | null = null;
	private waiting = 0;

	constructor(private store: Store) {
		this.lanes = new Lanes(store.profile);
		this.family = new Family(store.profile);
		this.element = h("aside", { class: "details", attrs: { "aria-label": "Details" } }, this.body);
		store.watch((_, changed) => {
			if (["selected", "at", "of"].some((key) => changed.has(key as keyof State)) || store.state.of && ["view", "weight"].some((key) => changed.has(key as keyof State)) ||
				["from", "to", "only", "filter", "by"].some((key) => changed.has(key as keyof State)) && this.looksAt())
				this.draw();
			else if (["from", "to", "only"].some((key) => changed.has(key as keyof State)))
				this.reportPart();
		});
		onPalette(() => this.draw());
	}

	private get profile(): Profile {
		return this.store.profile;
	}

	private draw(): void {
		const { selected } = this.store.state;

		this.element.scrollTop = 0;
		this.lengths = null;
		this.woken = [];
		this.kin = null;
		this.slice = null;
		/* It was of something else. */
		replace(this.part);
		if (this.looksAt())
			replace(this.body, ...this.function());
		else if (selected?.kind === "label")
			replace(this.body, ...this.label(selected.index));
		else if (selected?.kind === "coroutine")
			replace(this.body, ...this.coroutine(selected.index));
		else if (selected?.kind === "thread")
			replace(this.body, ...this.thread(selected.index));
		else
			replace(this.body, ...this.everything());
		if (!this.looksAt())
			(this.slice ?? this.body.firstElementChild!).after(this.part);
		this.reportPart();
	}

	/** Not at each step of a zoom. */
	private reportPart(): void {
		const { from, to, only } = this.store.state;
		const cut = !this.looksAt() && (!!only || from > this.profile.since || to < this.profile.until);

		clearTimeout(this.waiting);
		this.element.classList.toggle("cut", cut);
		if (cut)
			this.waiting = window.setTimeout(() => this.putPart(inView(this.store, this.family)), STAYS);
		else
			this.putPart(null);
	}

	private putPart(reported: InView | null): void {
		replace(this.part, ...reported ? [reported.figures, reported.lengths, ...reported.wakes ?? [], reported.family, section("In the whole recording")] : []);
		if (this.lengths)
			this.lengths.hidden = !!reported?.lengths;
		for (const section of this.woken)
			section.hidden = !!reported?.wakes;
		if (this.kin)
			this.kin.hidden = !!reported?.family;
	}

	/* -------------------------------------------------------------------- */

	/** The function, or span, of the view that is looked at. */
	private looksAt(): { calls: Calls; of: number } | null {
		const { view, of } = this.store.state;
		const calls = chosenCalls(this.store, view);
		const found = calls?.names.row(of);

		return calls && found !== undefined ? { calls, of: found } : null;
	}

	private function(): Node[] {
		const { calls, of } = this.looksAt()!;

		return elements(this.heading(calls.noun, calls.nameOf(of), null, { of: "" }), functionDetails(this.store, calls, of).filter((node) => node !== null));
	}

	/** @without lets go of it. */
	private heading(kind: string, name: string, colour: string | null, without: Partial<State> = { selected: null }): HTMLElement {
		return h("header", {}, h("p", { class: "kind" }, kind,
			this.store.state.selected || "of" in without ? h("button", {
				class: "quiet", attrs: { type: "button", "aria-label": "Select nothing" },
				on: { click: () => this.store.set(without) },
			}, "✕") : null),
			h("h2", {}, colour ? swatch(colour) : null, foreign(name)));
	}

	private link(kind: "label" | "coroutine" | "thread", index: number, text: string): HTMLElement {
		return h("button", {
			class: "link", attrs: { type: "button" },
			on: { click: () => this.store.select(kind, index) },
		}, foreign(text));
	}

	/**
	 * Time by state. @between says what the times between slices are: parts of
	 * the whole, beside it ("apart": threads' and coroutines' times are no one
	 * sum), or none. @process is whose they are.
	 */
	private states(rows: Timed, row: number, between: "parts" | "apart" | "none", process: number): HTMLElement {
		const times = stateTimes(rows, row).slice(0, between === "parts" ? undefined : STATES_IN_SLICES);
		const sum = times.reduce((a, b) => a + b, 0);
		const summed = STATES.slice(0, between === "parts" ? undefined : STATES_IN_SLICES).map(({ name }) => name);
		const often: Record<string, Float64Array> = { preempted: rows.nr_preempted, blocked: rows.nr_blocked };
		const shown = STATES.slice(0, between === "none" ? STATES_IN_SLICES : undefined);

		return section("Time",
			sum ? stateBar(times, sum) : null,
			h("table", { class: "figures states" }, h("tbody", {}, ...shown.map((state, i) => {
				const { name } = state;
				const column = rows.table.column(name);
				const share = i >= STATES_IN_SLICES && between === "apart" ? "" : stateShare(rows, row, name, sum, summed);

				return h("tr", { title: column.is.says, class: i > STATES_IN_SLICES ? "part" : "", attrs: { hidden: name === "idle" && !rows.idle[row] } },
					h("th", { attrs: { scope: "row" } }, h("i", { class: `swatch ${name}` }), name),
					h("td", { title: format.fullTime(rows[name][row]) }, cellText(column, row)),
					h("td", {}, share),
					h("td", { class: "soft" }, often[name]?.[row] ? `${cellText(rows.table.column(`nr_${name}`), row)}×` : ""));
			}))),
			between === "none" ? null : this.split(rows, row),
			this.unseen(rows, row, process));
	}

	/** Why suspended time has no parts. */
	private split({ suspended, awaiting, ready }: Timed, row: number): HTMLElement | null {
		return suspended[row] && Number.isNaN(awaiting[row]) && Number.isNaN(ready[row])
			? h("p", { class: "soft" },
				"Suspended is awaiting and ready together: the runtime did not report when coroutines were made ready.") : null;
	}

	/** Why gaps were not measured: as the reader's text says it. */
	private unseen({ unseen_gaps: gaps, cut_gaps: cut, table }: Timed, row: number, process: number): HTMLElement | null {
		const { lacks } = this.profile.processes;
		const why = process === NONE ? [...new Set(lacks.filter(Boolean))].join(", ") : lacks[process];
		const missing = gaps[row] - cut[row];

		return gaps[row] ? h("p", { class: "soft" },
			`${format.standing(table.column("unseen_gaps").standing(row)).mark}${format.plural(gaps[row], "gap")} between slices not measured: ${[
				cut[row] && `in ${format.full(cut[row])} of them a thread was not recorded, as its recording began or ended there`,
				missing && `in ${format.full(missing)} of them slices may be missing: ${why}`].filter(Boolean).join("; ")}.`) : null;
	}

	private counters(rows: Timed, row: number): HTMLElement | null {
		const { counters, total } = this.profile;
		const ipc = rows.table.column("ipc");

		if (!counters.length)
			return null;
		return section("Counters", h("table", { class: "figures" },
			h("thead", {}, h("tr", {}, ...["", "total", "per slice", "share"].map((text) =>
				h("th", { attrs: { scope: "col" } }, text)))),
			h("tbody", {}, ...valuesOf(rows.table).map((values) => {
				const { column, estimate } = values;
				const there = column.has(row);
				const mean = rows.slices[row] ? estimate[row] / rows.slices[row] : NaN;
				const tip = () => counterTip(counters[column.is.counter!], values, row, rows.running);

				return h("tr", {},
					h("th", { attrs: { scope: "row" } }, foreign(column.is.name)),
					h("td", { tip, class: there ? "" : "missing", attrs: there ? {} : { colspan: 3 } }, cellText(column, row)),
					there && h("td", { tip }, markedRatio(column, row, rows.table.column("slices").standing(row), mean, formatOf(column))),
					there && h("td", { tip }, this.shareOf(column, row, total.table.column(column.is.name))));
			}), ipc.has(row) ? h("tr", {},
				h("th", { attrs: { scope: "row" } }, ipc.is.title), h("td", {}, cellText(ipc, row)),
				h("td", {}), h("td", {})) : null)));
	}

	private shareOf(column: Column, row: number, whole: Column): string {
		return markedShare(column, row, column.figures[row] / whole.figures[0], whole);
	}

	/* -------------------------------------------------------------------- */

	private everything(): Node[] {
		const { total, processes, threads, labels } = this.profile;

		return elements(
			this.heading("Recording", "Everything", null),
			h("p", { class: "summary" }, this.profile.tables.summary),
			facts(
				["coroutines", fullText(total.table.column("coroutines"), 0)],
				["slices", fullText(total.table.column("slices"), 0)],
				["labels", format.full(labels.kind.filter((_, label) => !isTool(this.profile, label)).length)],
				["threads", format.full(threads.n)],
				...processes.pid.map((_, process): Fact => ["process",
					h("span", {}, foreign(reportedBy(this.profile, process)), " ", processes.n > 1 ? this.keepTo("process", process) : "")])),
			this.findings(),
			this.states(total, 0, "apart", NONE),
			this.outside(),
			this.counters(total, 0),
			this.about(),
		);
	}

	/** From then on all is of it alone, beside what is selected. */
	private keepTo(kind: Scope["kind"], index: number): HTMLElement {
		return h("button", { class: "link", title: `Keep all that is shown to this ${kind}, whatever label or coroutine is selected then`,
			attrs: { type: "button" }, on: { click: () => this.store.set({ only: { kind, index }, selected: null }) } }, `only this ${kind}`);
	}

	/** Those about what is selected. */
	private findings(): HTMLElement | null {
		const { profile: { findings }, store: { state: { selected, only } } } = this;
		const { text, label, thread } = findings;
		const keeps = keepsOf(this.profile, only);
		const about = [...text.keys()].filter((row) => (!selected || findings[selected.kind][row] === selected.index) &&
			keeps.label(label[row]) && (thread[row] === NONE || keeps.thread(thread[row])));
		const list = findingsList(this.store, about);

		return list && wholeSection("Findings", list);
	}

	/** How long things of a label took, by what they are. */
	private latency(label: number): HTMLElement | null {
		const { latency } = this.profile;
		const columns = QUANTILES.map((name) => latency.table.column(name));
		const what = latency.table.column("what");
		const rows = [...latency.label.keys()].filter((row) => latency.label[row] === label);

		return rows.length ? section("Latency", h("table", { class: "figures latency" },
			h("thead", {}, h("tr", {}, h("th", { attrs: { scope: "col" } }),
				...columns.filter(inBrief).map(({ is }) => h("th", { attrs: { scope: "col" } }, is.title)))),
			h("tbody", {}, ...rows.map((row) => h("tr", { tip: () => ({
				head: what.words(row), rows: columns.map((column): [string, string] => [column.is.title, cellText(column, row)]),
			}) }, h("th", { attrs: { scope: "row" } }, what.words(row)),
				...columns.filter(inBrief).map((column) => h("td", {}, cellText(column, row)))))))) : null;
	}

	/** What the recorder wrote down; what only a developer asks for is folded. */
	private about(): HTMLElement {
		const { info, recording: { host } } = this.profile;
		const said = (key: string) => info.find(([name]) => name === key)?.[1];
		const plain = ABOUT.map(([key, title]): Fact => [title,
			key === "host" ? host : key === "pmu" ? said(key)?.replace(/,/g, ", ") : said(key)]);
		const rest = info.filter(([key]) => !ABOUT.some(([name]) => name === key) &&
			key !== "command" && key !== "note");

		return h("section", { class: "about" }, h("h3", {}, "About this recording"),
			facts(...plain), section("Switches", facts(...modeRows(this.profile), ...costRows(this.profile))),
			rest.length ? h("details", {}, h("summary", {}, "As recorded"), facts(...rest)) : null);
	}

	/** What of the recording's time no coroutine had. */
	private outside(): HTMLElement | null {
		const { labels } = this.profile;
		const rows = [...labels.kind.keys()].filter((label) => isOutside(this.profile, label) && !isTool(this.profile, label));
		const sum = (name: "running" | "idle") => format.marked(summed(rows.map((row) => labels.table.column(name).standing(row))),
			rows.reduce((all, row) => all + labels[name][row], 0), format.time);

		return rows.length ? h("p", { class: "soft" },
			`Of this, threads outside any coroutine: ${sum("running")} running, ${sum("idle")} idle: asleep, as a thread that waits for work is.`) : null;
	}

	private label(label: number): Node[] {
		const { labels } = this.profile;

		return elements(
			this.heading("Label", labelName(this.profile, label), rankColour(labels.rank[label])),
			facts(
				["process", processName(this.profile, labels.process[label])],
				["object", labels.object[label]],
				["address", labels.object[label] ? "0x" + BigInt(labels.address[label]).toString(16) : null],
				["no name", labels.unresolved[label]],
				["coroutines", h("button", { class: "link", attrs: { type: "button" },
					on: { click: () => this.store.set({ by: "coroutine", within: label, filter: "" }) } },
					fullText(labels.table.column("coroutines"), label))],
				["left it", labels.renamed[label] ? `${fullText(labels.table.column("renamed"), label)} ${labels.renamed[label] === 1 ? "coroutine" : "coroutines"}` : null],
				["slices", fullText(labels.table.column("slices"), label)],
				["unreported", labels.unreported[label] ? format.standing(labels.table.column("unreported").standing(label)).mark + unreportedText(labels.unreported[label], labels.unreported_running[label]) : null]),
			this.findings(),
			this.latency(label),
			this.states(labels, label, isOutside(this.profile, label) ? "none" : "parts", labels.process[label]),
			this.counters(labels, label),
			this.lengths = labelLengths(this.store, label),
			this.woken = this.wakes(label),
			labels.rank[label] === NONE ? null : slowOffer(this.store, label),
		);
	}

	private coroutine(coroutine: number): Node[] {
		const { coroutines, labels } = this.profile;
		const label = coroutines.label[coroutine];
		const { born, ended, overlap } = this.profile.words.coroutine;
		const flags = coroutines.flags[coroutine];
		const said = (name: string) => cellText(coroutines.table.column(name), coroutine);

		this.slice = sliceSection(this.store, this.lanes, coroutine);
		return elements(
			this.heading(isThreadSlot(this.profile, coroutine) ? "Thread outside coroutines" : "Coroutine",
				coroutineName(this.profile, coroutine), rankColour(label === NONE ? NONE : labels.rank[label])),
			this.slice, this.slice && h("h3", { class: "of-all" }, "All of its slices"),
			facts(
				["label", label === NONE ? null : this.link("label", label, labelName(this.profile, label))],
				["process", processName(this.profile, coroutines.process[coroutine])],
				["parent", this.parent(coroutine)],
				["tag", flags & born ? String(coroutines.tag[coroutine]) : null],
				["born", flags & born ? said("born") : "before the recording"],
				["ended", flags & ended ? said("last") : "not in the recording"],
				["threads", `${said("threads")}, ${said("migrations")} ${coroutines.migrations[coroutine] === 1 ? "move" : "moves"}`],
				["slices", fullText(coroutines.table.column("slices"), coroutine)],
				["longest", said("longest")]),
			this.findings(),
			flags & overlap ? h("p", { class: "warn" },
				"Two of its slices overlap: the program reports switches late.") : null,
			this.states(coroutines, coroutine, isThreadSlot(this.profile, coroutine) ? "none" : "parts", coroutines.process[coroutine]),
			this.counters(coroutines, coroutine),
			this.kin = isThreadSlot(this.profile, coroutine) ? null : familySection(this.store, this.family, coroutine),
			this.lengths = coroutineLengths(this.profile, this.lanes, coroutine),
		);
	}

	private thread(thread: number): Node[] {
		const { threads, modes } = this.profile;
		const mode = threads.switches[thread];
		const said = (name: string) => cellText(threads.table.column(name), thread);

		return elements(
			this.heading("Thread", threadName(this.profile, thread), null),
			facts(
				["process", h("span", {}, foreign(processName(this.profile, threads.process[thread])), " ",
					this.profile.processes.n > 1 ? this.keepTo("process", threads.process[thread]) : "")],
				["keep to", this.keepTo("thread", thread)],
				["recorded", `${said("begin")} to ${said("end")}`],
				["not recorded", threads.error[thread]],
				["slices", fullText(threads.table.column("slices"), thread)],
				["switches", modeText(this.profile, thread)],
				["because", modes.why[mode]],
				["found", modes.found[mode]],
				["to mend it", modes.fix[mode]],
				["samples", this.profile.samples && said("samples")],
				["lost samples", threads.lost_samples[thread] ? said("lost_samples") : null],
				[threads.sample_clock[thread] ? "sampled by cpu-clock" : "no samples", threads.sample_error[thread]],
				["lost", fullText(threads.table.column("lost"), thread)],
				["damaged", threads.damaged[thread] ? "a part of its ring could not be read" : null],
				["outside", said("outside")],
				["sums", threads.table.column("sums").words(thread)],
				["", threads.sums_why[thread]]),
			this.findings(),
			this.states(threads, thread, "none", threads.process[thread]),
			this.counters(threads, thread),
		);
	}

	private parent(coroutine: number): Node | string {
		const { coroutines } = this.profile;
		const parent = coroutines.table.column("parent");
		const id = parent.id[coroutine];

		if (!parent.has(coroutine))
			return format.standing(parent.standing(coroutine)).says;
		const found = this.family.parent(coroutine);

		if (found === NONE && BigInt(id) >> 63n)
			return "a thread, not seen";
		return found === NONE ? `#${id}, not seen`
			: this.link("coroutine", found, coroutineName(this.profile, found));
	}

	/* -------------------------------------------------------------------- */

	private wakes(label: number): HTMLElement[] {
		const { wakes: { n, waker, woken, count, ready, timed, table }, recording: { dropped_wakes: dropped } } = this.profile;
		const all = Array.from({ length: n }, (_, row) => ({
			waker: waker[row], woken: woken[row], count: count[row], ready: ready[row], timed: timed[row], part: table.column("count").standing(row) > 0,
		}));

		return [...wakeSections(this.store, all, label, wholeSection),
			...dropped ? [h("p", { class: "soft" },
				`${format.plural(dropped, "wake")} of other labels are in no such list: there was no room for all pairs.`)] : []];
	}
}
