// SPDX-License-Identifier: GPL-2.0
/*
 * What the person looking at the page has chosen. All views read it from here
 * and change it here only; the address of the page carries it.
 */

import { Names } from "./names";
import { sameScope } from "./scope";
import { NONE, Profile } from "./profile";

export type Grouping = "label" | "coroutine" | "thread";
export type Mode = "total" | "slice" | "share";
/** How calls are drawn: as they were, by label; put together; from what was at work to its callers; around one function. */
export type Shape = "calls" | "merged" | "inverted" | "inverted-labels" | "sandwich";
export type Plot = "heat" | "scatter";
/** What points are: slices, the waits before them, or lives of coroutines. */
export type Points = "slices" | "waits" | "lives";
export type Lanes = "threads" | "coroutines";
export type SlowOf = "slices" | "lives";

export interface Selection {
	kind: Grouping;
	index: number;
}

/** What all is kept to, beside what is selected. */
export interface Scope {
	kind: "thread" | "process";
	index: number;
}

/** A part of the recording's time. */
export interface Time {
	from: number;
	to: number;
}

export interface Absent {
	kind: Grouping | Scope["kind"];
	name: string;
}

export interface State {
	view: string;
	by: Grouping;
	mode: Mode;
	sort: string;
	descending: boolean;
	filter: string;
	/** How columns of tables are laid out: see layout.ts. */
	order: string;
	columns: string;
	/** The label whose coroutines alone are in the table, or NONE. */
	within: number;
	selected: Selection | null;
	/** The label that is shown beside that which is selected, or NONE. */
	beside: number;
	/** The time that is shown beside that in view; null: none. */
	other: Time | null;
	only: Scope | null;
	/** What the address is about and this recording has not. */
	absent: Absent | null;
	/** When the slice of the selected coroutine is that is looked at; negative: none is. */
	at: number;
	lanes: Lanes;
	/** What it is that took long: a word of the table of latency. */
	what: string;
	/** By which column lists of that are sorted, with "-" the largest first; "": by their first. */
	ranked: string;
	/** The column of labels that counts slices which held their thread for so long. */
	held: string;
	/** What is looked for among calls, and how those of spans are weighed. */
	find: string;
	weight: string;
	shape: Shape;
	/** The function, or span, that is looked at, by name; "": none. */
	of: string;
	/** What is drawn as points, how, and by what: "time", or a figure of theirs. */
	points: Points;
	plot: Plot;
	x: string;
	y: string;
	/** What is distinguished as slow, by what, above which threshold: as --slow of the reader has it. "": as the page was made. */
	slowOf: SlowOf;
	slowBy: string;
	above: string;
	/** What of the timeline is in view. */
	from: number;
	to: number;
	/** What the longest are listed of, once a click on one of them went there; null: of what is chosen. */
	listed: Listed | null;
}

export type Listed = Pick<State, "from" | "to" | "selected" | "only">;

/** What Back leads back to: not each step of a zoom, nor each letter of a filter. */
const STEPS: (keyof State)[] = ["view", "by", "within", "selected", "beside", "only", "what", "shape", "points", "plot", "slowOf", "slowBy"];

type Listener = (state: State, changed: Set<keyof State>) => void;

/** What is shorter is shown with at least so much around it, in ns. */
const MOMENT = 100;

const ONLY: Scope["kind"][] = ["thread", "process"];
const GROUPINGS: Grouping[] = ["label", "coroutine", "thread"];
const SHAPES: Shape[] = ["calls", "merged", "inverted", "inverted-labels", "sandwich"];
const MODES: Mode[] = ["total", "slice", "share"];

/** Who compares recordings wants to see what has changed, and so on. */
function viewOf({ tables }: Profile): string {
	return tables.table("compared").n ? "changes" : tables.table("slow_of").n ? "slow" : "overview";
}

/** The time that all is of. */
export function wholeOf({ since, until }: Profile): Time {
	return { from: since, to: Math.max(until, since + 1) };
}

export function lengthOf(profile: Profile): number {
	const { from, to } = wholeOf(profile);

	return to - from;
}

function defaults(profile: Profile): State {
	return {
		view: viewOf(profile), by: "label", mode: "total", sort: "running",
		descending: true, filter: "", order: "", columns: "", within: NONE, selected: null, beside: NONE, other: null, only: null, absent: null, at: -1,
		lanes: "threads", what: "held", ranked: "", held: "held_1ms", find: "", weight: "running", shape: "calls", of: "", points: "slices", plot: "heat", x: "time", y: "held",
		slowOf: "slices", slowBy: "held", above: "", ...wholeOf(profile),
		listed: null,
	};
}

function timeText({ from, to }: Time): string {
	return `${Math.floor(from)}-${Math.ceil(to)}`;
}

function sameSelection(a: Selection | null, b: Selection | null): boolean {
	return a === b || (!!a && !!b && a.kind === b.kind && a.index === b.index);
}

export class Store {
	state: State;
	private listeners: Listener[] = [];
	private writing = 0;
	/** What Back leads back from has changed since the address was written. */
	private step = false;
	private names: Names;
	/** The view before this one; "": none. */
	cameFrom = "";

	constructor(readonly profile: Profile) {
		this.names = new Names(profile);
		this.state = { ...defaults(profile), ...this.read() };
		addEventListener("hashchange", () => this.set({ ...defaults(profile), ...this.read() }));
	}

	/** Calls @listener now and at every change. */
	watch(listener: Listener): void {
		this.listeners.push(listener);
		listener(this.state, new Set(Object.keys(this.state) as (keyof State)[]));
	}

	set(change: Partial<State>): void {
		const changed = new Set<keyof State>();

		if ((change.selected || change.only) && !("absent" in change))
			change = { ...change, absent: null };
		for (const key of Object.keys(change) as (keyof State)[]) {
			const same = key === "selected"
				? sameSelection(this.state.selected, change.selected ?? null)
				: key === "only" ? sameScope(this.state.only, change.only ?? null)
				: this.state[key] === change[key];

			if (!same)
				changed.add(key);
		}
		if (!changed.size)
			return;
		if (changed.has("view"))
			this.cameFrom = this.state.view;
		this.state = { ...this.state, ...change };
		if (this.state.listed && !this.state.selected && !this.state.only && this.state.from <= this.profile.since && this.state.to >= this.profile.until) {
			this.state.listed = null;
			changed.add("listed");
		}
		this.step ||= STEPS.some((key) => changed.has(key)) || this.state.shape === "sandwich" && changed.has("of");
		for (const listener of this.listeners)
			listener(this.state, changed);
		this.write();
	}

	/** A coroutine that the table would not show makes it show all. With @at, its slice at that time is looked at. */
	select(kind: Grouping, index: number, at = -1): void {
		const { within } = this.state;
		const hidden = kind === "coroutine" && this.profile.coroutines.label[index] !== within;

		this.set({ selected: { kind, index }, at, within: hidden ? NONE : within });
	}

	/** Selects what was in the timeline from @begin to @end, and has that in view with as much before and behind; a list that led there stays. */
	goTo(selected: Selection, begin: number, end: number, listed: Listed | null = null): void {
		const room = Math.max(end - begin, MOMENT);
		const within = (time: number) => Math.max(this.profile.since, Math.min(this.profile.until, time));

		this.select(selected.kind, selected.index, selected.kind === "coroutine" ? begin : -1);
		this.set({ from: within(begin - room), to: within(end + room), listed });
	}

	/** The label that is selected, or that of the selected coroutine. */
	selectedLabel(): number {
		const { selected } = this.state;

		if (selected?.kind === "label")
			return selected.index;
		if (selected?.kind === "coroutine")
			return this.profile.coroutines.label[selected.index];
		return NONE;
	}

	selectedCoroutine(): number {
		const { selected } = this.state;

		return selected?.kind === "coroutine" ? selected.index : NONE;
	}

	/** The time between two moments, as far as it is in the recording. */
	timeBetween(a: number, b: number): Time {
		const { from: since, to: until } = wholeOf(this.profile);
		const from = Math.max(since, Math.min(until - 1, a, b));

		return { from, to: Math.max(from + 1, Math.min(until, Math.max(a, b))) };
	}

	private read(): Partial<State> {
		const found = new URLSearchParams(location.hash.slice(1));
		const state: Partial<State> = {};
		const oneOf = <T extends string>(name: string, values: T[]): T | undefined =>
			values.find((value) => value === found.get(name));
		const named = (key: string, kind: Grouping): number | undefined =>
			found.has(key) ? this.names.row(kind, found.get(key)!) : undefined;
		const keep = <K extends keyof State>(key: K, value: State[K] | undefined) => {
			if (value !== undefined)
				state[key] = value;
		};

		keep("view", found.get("view") ?? undefined);
		keep("by", oneOf("by", GROUPINGS));
		keep("mode", oneOf("mode", MODES));
		keep("lanes", oneOf("lanes", ["threads", "coroutines"]));
		keep("shape", oneOf("shape", SHAPES));
		keep("points", oneOf("points", ["slices", "waits", "lives"]));
		keep("plot", oneOf("plot", ["heat", "scatter"]));
		keep("slowOf", oneOf("slowOf", ["slices", "lives"]));
		for (const key of ["filter", "order", "columns", "what", "ranked", "held", "find", "weight", "of", "x", "y", "slowBy", "above"] as const)
			keep(key, found.get(key) ?? undefined);
		keep("within", named("within", "label"));
		keep("beside", named("beside", "label"));
		keep("other", this.timeIn(found.get("other")));
		if (found.has("sort")) {
			const sort = found.get("sort")!;

			state.sort = sort.replace(/^-/, "");
			state.descending = sort.startsWith("-");
		}
		const at = Number(found.get("at") ?? -1);

		keep("at", at >= 0 && at <= this.profile.until ? at : undefined);
		if (found.has("listed")) {
			const { absent, ...listed } = this.chosenIn(new URLSearchParams(found.get("listed")!));

			/* Of what this recording has not, there is no list. */
			keep("listed", absent ? undefined : { ...wholeOf(this.profile), selected: null, only: null, ...listed });
		}
		return { ...state, ...this.chosenIn(found) };
	}

	/** The time and the row that an address, or a part of it, is about. */
	private chosenIn(found: URLSearchParams): Partial<Listed & Pick<State, "absent">> {
		const chosen: Partial<Listed & Pick<State, "absent">> = {};
		const time = this.timeIn(found.get("time"));

		for (const kind of GROUPINGS.filter((kind) => found.has(kind))) {
			const name = found.get(kind)!;
			const index = this.names.row(kind, name);

			if (index === undefined)
				chosen.absent = { kind, name };
			else
				chosen.selected = { kind, index };
		}
		for (const kind of ONLY.filter((kind) => found.has(`only-${kind}`))) {
			const name = found.get(`only-${kind}`)!;
			const index = this.names.row(kind, name);

			if (index === undefined)
				chosen.absent = { kind, name };
			else
				chosen.only = { kind, index };
		}
		return { ...chosen, ...time };
	}

	/** "12-34", if that is in the recording. */
	private timeIn(text: string | null): Time | undefined {
		const [from, to] = (text ?? "").split("-").map(Number);

		return from >= this.profile.since && to > from && to <= this.profile.until ? { from, to } : undefined;
	}

	/** Likewise, into an address. */
	private putChosen(out: URLSearchParams, { selected, only, from, to }: Listed): void {
		if (selected)
			out.set(selected.kind, this.names.name(selected.kind, selected.index));
		if (only)
			out.set(`only-${only.kind}`, this.names.name(only.kind, only.index));
		if (from > this.profile.since || to < this.profile.until)
			out.set("time", timeText({ from, to }));
	}

	/** What is behind the # of the page's address. */
	address(): string {
		const { state } = this;
		const base = defaults(this.profile);
		const out = new URLSearchParams();

		for (const key of ["view", "by", "mode", "lanes", "filter", "order", "columns", "what", "ranked", "held", "find", "weight", "shape", "of", "points", "plot", "x", "y", "slowOf", "slowBy", "above"] as const)
			if (state[key] !== base[key])
				out.set(key, state[key]);
		if (state.within !== NONE)
			out.set("within", this.names.name("label", state.within));
		if (state.beside !== NONE)
			out.set("beside", this.names.name("label", state.beside));
		if (state.other)
			out.set("other", timeText(state.other));
		if (state.sort !== base.sort || state.descending !== base.descending)
			out.set("sort", (state.descending ? "-" : "") + state.sort);
		this.putChosen(out, state);
		if (state.selected?.kind === "coroutine" && state.at >= 0)
			out.set("at", String(Math.floor(state.at)));
		if (state.listed) {
			const listed = new URLSearchParams();

			this.putChosen(listed, state.listed);
			out.set("listed", listed.toString());
		}
		return out.toString();
	}

	/* Browsers limit how often a page may change its address. */
	private write(): void {
		const { hash: before } = location;

		clearTimeout(this.writing);
		this.writing = window.setTimeout(() => {
			const hash = "#" + this.address();

			/* It is that after Back; and another one than before where the page is about to hear of Back or Forward. */
			if (hash !== (location.hash || "#") && location.hash === before)
				history[this.step ? "pushState" : "replaceState"](null, "", hash);
			this.step = false;
		}, 300);
	}
}
