// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of the time in view, and of what is selected: what the slices of the timeline tell
 * of it. Times are those from the begin of the window to its end; slices, and what they
 * counted, are those that ended in it, as with --from and --to. What a slice, or a cell of several,
 * that reaches beyond the window has of it is exact where it ran all along, and else
 * divided as its time is: an estimate, and marked. What the timeline does not tell is
 * n/a, and says why.
 */

import { Choice } from "./choice";
import { lengthsColumn, Rows } from "./columns";
import { Column } from "./decode";
import { ColumnSpec, ratioMark } from "./figures";
import * as format from "./format";
import { FOLDED, gapsOf, SUMS } from "./gaps";
import { Lane, Lanes } from "./lanes";
import { quantile } from "./lasted";
import { NONE, Profile, Timed } from "./profile";
import { Scale } from "./sparkline";
import { areSlices, BAND_STATES, cellBegin, LOST, timesOf, upTo } from "./stacks";
import { Grouping, Mode, State, Store } from "./store";
import { Piece, pieces } from "./views/paint";

const NR = BAND_STATES.length;
/** Room for it. */
const MARK = 12;
const COMMAND = "The command beside \"time\", when one is chosen, makes a page of this time";
const WHOLE_ONLY = `Of the whole recording only: the page has of what is chosen its slices, and sums of them. ${COMMAND}, which has it of the time alone.`;
const SOME_UNCOUNTED = `Not known of what is chosen: of some of its slices the page has no count of their own. ${COMMAND}.`;
const NO_COROUTINE = "Not known: of some slices the page has sums only, which do not tell the coroutine.";
const ESTIMATE = "An estimate: what reaches beyond the time in view is divided as its time is.";

/** Sums of one table's rows in a window. */
export class Cut {
	readonly times: Float64Array;
	readonly slices: Float64Array;
	/** By counter of the timeline. */
	readonly counts: Float64Array[];
	/** Of each row: a part of its time in a state, of its slices, is an estimate; slices are not there one by one. */
	readonly near: Uint8Array;
	readonly someSlices: Uint8Array;
	readonly merged: Uint8Array;
	/** Of a slice it has the time, or a part of it, but not the slice, or the other way round. */
	readonly parted: Uint8Array;
	readonly uncounted: Uint8Array[];
	/** Running times of slices, in order. */
	readonly lengths: number[][];
	private one = new Float64Array(NR);

	constructor(private profile: Profile, n: number, private from: number, private to: number, private rowOf: (slice: number) => number) {
		const each = () => profile.timeline.values;

		this.times = new Float64Array(n * NR);
		this.slices = new Float64Array(n);
		this.near = new Uint8Array(n * NR);
		this.someSlices = new Uint8Array(n);
		this.merged = new Uint8Array(n);
		this.parted = new Uint8Array(n);
		this.counts = each().map(() => new Float64Array(n));
		this.uncounted = each().map(() => new Uint8Array(n));
		this.lengths = Array.from({ length: n }, () => []);
		this.addAll();
		for (const lengths of this.lengths)
			lengths.sort((a, b) => a - b);
	}

	private addAll(): void {
		const { profile, from, to } = this;
		const lanes = new Lanes(profile).threadLanes;

		for (const lane of lanes.lanes) {
			let held: Piece | null = null;
			let any = false;

			/* With those that end at its begin, which are slices of it without time in it. */
			for (const piece of pieces(profile, lanes, lane, from - 1)) {
				if (held)
					this.addPiece(held, piece.begin);
				else
					this.addBefore(lane, piece.lo, piece.begin);
				any = true;
				held = piece.begin >= to && to < profile.duration ? null : piece;
				if (!held)
					break;
			}
			if (held)
				this.addPiece(held, Infinity);
			else if (!any)
				this.addBefore(lane, lane.hi, Infinity);
		}
	}

	private addPiece(piece: Piece, next: number): void {
		for (let at = piece.lo; at < piece.hi; at++)
			this.add(at, piece.begin, piece.end, piece.slice, piece.slice ? piece.end : this.reach(piece.begin, piece.end, next));
	}

	/**
	 * When the last slice of a cell had ended, which is not when its sums are drawn to end: a slice of it
	 * begins in the cell, and is shorter than that, and before @next comes on its thread.
	 */
	private reach(begin: number, end: number, next: number): number {
		const { timeline: { resolution }, duration } = this.profile;

		return Math.max(end, Math.min(next, begin + 2 * (resolution || 0), duration));
	}

	/** What is drawn before the window may have slices in it. */
	private addBefore(lane: Lane, row: number, next: number): void {
		const { profile, profile: { timeline: { begin, end, slices } } } = this;
		const cell = row > lane.lo ? cellBegin(profile, row - 1) : row;

		if (cell === row || areSlices(profile, cell, row) || this.reach(begin[cell], end[row - 1], next) <= this.from)
			return;
		for (let at = cell; at < row; at++) {
			const of = slices[at] ? this.rowOf(at) : NONE;

			if (of === NONE)
				continue;
			timesOf(profile, at, this.one);
			for (let state = 0; state < LOST; state++)
				this.near[of * NR + state] |= +(this.one[state] > 0);
			this.someSlices[of] = this.merged[of] = this.parted[of] = 1;
			profile.timeline.values.forEach((_, counter) => { this.uncounted[counter][of] = 1; });
		}
	}

	/** A slice, or what a cell has of a label, whose last slice had ended at @reach. */
	private add(slice: number, begin: number, end: number, single: boolean, reach: number): void {
		const { from, to, one, profile } = this;
		const row = this.rowOf(slice);
		const cut = begin < from || end > to;
		const open = cut || reach > to;

		if (row === NONE || !profile.timeline.slices[slice] || end < from)
			return;
		timesOf(profile, slice, one);
		const split = open && end > from && (!single || one.slice(1, LOST).some((time) => time > 0));

		for (let state = 0; state < LOST; state++) {
			this.times[row * NR + state] += cut ? upTo(one[state], begin, end, to) - upTo(one[state], begin, end, from) : one[state];
			this.near[row * NR + state] |= +(split && one[state] > 0);
		}
		/* The last of several that end with the window is one of the next. */
		const parted = open || !this.ends(end);

		this.parted[row] |= +parted;
		if (single)
			this.addSlice(row, slice, end, one[0]);
		else
			this.addMerged(row, slice, begin, end, parted);
	}

	private ends(end: number): boolean {
		return end >= this.from && (end < this.to || this.to >= this.profile.duration);
	}

	private addSlice(row: number, slice: number, end: number, running: number): void {
		if (!this.ends(end))
			return;
		this.slices[row]++;
		this.lengths[row].push(running);
		this.profile.timeline.values.forEach(({ column, best }, counter) => {
			if (column.has(slice))
				this.counts[counter][row] += best[slice];
			else
				this.uncounted[counter][row] = 1;
		});
	}

	private addMerged(row: number, slice: number, begin: number, end: number, parted: boolean): void {
		const { from, to, profile: { timeline: { slices, values } } } = this;

		this.slices[row] += parted ? upTo(slices[slice], begin, end, to) - upTo(slices[slice], begin, end, from) : slices[slice];
		this.someSlices[row] |= +parted;
		this.merged[row] = 1;
		values.forEach((_, counter) => { this.uncounted[counter][row] = 1; });
	}

	time(row: number, state: number): number {
		return this.times[row * NR + state];
	}

	isNear(row: number, state: number): boolean {
		return !!this.near[row * NR + state];
	}

	/** Of the running times of the slices that ended in it: the least that so many do not exceed. */
	quantile(row: number, share: number): number {
		return quantile(this.lengths[row], share);
	}
}

/** A figure of a window. */
interface Figure {
	of(row: number): number;
	near?(row: number, mode: Mode): boolean;
	/** Why there is none in this row. */
	missing?(row: number): string | undefined;
	show: (value: number) => string;
	full: (value: number) => string;
	adds: boolean;
	/** Others that are missing may be more. */
	most?: boolean;
}

function timeFigure(cut: Cut, state: number): Figure {
	return { of: (row) => cut.time(row, state), show: format.time, full: format.fullTime, adds: true,
		near: (row, mode) => cut.isNear(row, state) || mode === "slice" && !!cut.parted[row] };
}

function lengthFigure(cut: Cut, share: number): Figure {
	return { of: (row) => cut.quantile(row, share), show: format.time, full: format.fullTime, adds: false, most: share === 1,
		missing: (row) => cut.merged[row] ? SUMS : undefined };
}

/** By the keys of columns. */
function figuresOf(profile: Profile, cut: Cut): Record<string, Figure> {
	const { slices, someSlices } = cut;
	const lengths = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, p99_9: 0.999, longest: 1 };
	const counts = profile.timeline.values.map(({ column }, counter): [string, Figure] => [column.is.name, {
		of: (row) => cut.counts[counter][row], show: format.events, full: format.full, adds: true,
		missing: (row) => cut.uncounted[counter][row] ? SOME_UNCOUNTED : undefined,
	}]);

	return {
		slices: { of: (row) => slices[row], near: (row) => !!someSlices[row], show: format.count, full: format.full, adds: true },
		...Object.fromEntries(BAND_STATES.slice(0, LOST).map((name, state) => [name, timeFigure(cut, state)])),
		...Object.fromEntries(Object.entries(lengths).map(([name, share]) => [name, lengthFigure(cut, share)])),
		...Object.fromEntries(counts),
	};
}

/** A figure of all rows: n/a if one of them has none, as the others are no share of what is left. */
function allOf({ of, near, missing }: Figure, { slices }: Cut, is: Column | undefined): { sum: number; near: boolean; unsure: boolean } {
	const rows = [...slices.keys()];

	return {
		sum: rows.reduce((sum, row) => sum + (missing?.(row) ? NaN : of(row)), 0),
		near: rows.some((row) => near?.(row, "share")),
		unsure: rows.some((row) => is?.has(row) && is.standing(row) > 0),
	};
}

/** What the whole recording is not sure of, its parts are not; a share lacks what others lack. @unsure: any row is. */
function wholeMark(whole: Timed, is: Column, figure: Figure, row: number, mode: Mode, unsure: () => boolean): string {
	if (!figure.adds)
		return whole.table.column("slices").standing(row) ? figure.most ? format.atLeast() : format.NEAR : "";
	if (mode === "total")
		return format.standing(is.standing(row)).mark;
	return ratioMark(is, row) || (mode === "share" && unsure() ? format.NEAR : "");
}

function lazy<T>(make: () => T): () => T {
	let made: T | undefined;

	return () => made ??= make();
}

/** A column of the window for one of the whole recording; bars and names stay. */
function cutColumn(column: ColumnSpec, figure: Figure | undefined, cut: Cut, whole: Timed): ColumnSpec {
	const is = whole.table.columns.find(({ is }) => is.name === column.key);
	const all = lazy(() => allOf(figure!, cut, is));
	const why = (row: number) => figure ? figure.missing?.(row) : WHOLE_ONLY;
	const at = (row: number, mode: Mode) => {
		const value = figure && !why(row) ? figure.of(row) : NaN;

		return !figure?.adds || mode === "total" ? value : mode === "slice" ? (cut.slices[row] ? value / cut.slices[row] : NaN) : value / (all().sum || NaN);
	};
	const isNear = (row: number, mode: Mode) => !!figure?.near && (figure.near(row, mode) || mode === "share" && all().near);
	const mark = (row: number, mode: Mode) => {
		const first = figure && is?.has(row) ? wholeMark(whole, is, figure, row, mode, () => all().unsure) : "";

		return first + (isNear(row, mode) && first !== format.NEAR ? format.NEAR : "");
	};
	const said = (row: number, mode: Mode, show: (value: number) => string) => {
		const value = at(row, mode);

		return Number.isNaN(value) ? format.na() : mark(row, mode) + show(value);
	};

	return {
		...column, width: column.width + (figure?.near ? MARK : 0),
		figure: at,
		show: (row, mode) => said(row, mode, figure?.adds && mode === "share" ? format.share : figure?.show ?? String),
		plain: (row, mode) => Number.isNaN(at(row, mode)) ? format.na() : String(at(row, mode)),
		standing: (row, mode) => Number.isNaN(at(row, mode)) ? "n/a" : mark(row, mode) ? "estimate" : "counted",
		tip: (row) => ({
			head: `${column.title}, of what is chosen`, rows: [["", said(row, "total", figure?.full ?? String)]],
			note: why(row) ?? (figure?.near?.(row, "total") ? ESTIMATE : column.says),
		}),
	};
}

/** Of gaps nothing is known: the bar is of slices alone. */
function cutBar(column: ColumnSpec, cut: Cut): ColumnSpec {
	const running = (row: number) => cut.time(row, 0);

	return {
		...column, figure: running, plain: (row) => String(running(row)),
		tip: (row) => ({
			head: `${column.title}, of what is chosen`, note: "Time between slices is known of the whole recording only.",
			rows: BAND_STATES.slice(0, LOST).map((name, state): [string, string] => [name, (cut.isNear(row, state) ? format.NEAR : "") + format.fullTime(cut.time(row, state))]),
		}),
	};
}

/** What a table's rows are cut by, beside a time: of what its rows are, selecting one would leave the others nothing. */
const CUT_BY: Record<Grouping, Grouping[]> = { label: ["thread"], coroutine: ["label", "thread"], thread: ["label", "coroutine"] };

/** What is selected, if a table of @by is to be cut by it. */
export function cutting(by: Grouping, { selected }: Pick<State, "selected">): State["selected"] {
	return selected && CUT_BY[by].includes(selected.kind) ? selected : null;
}

/** Why the page can't cut a table by what is chosen; "": it can. */
function untold(profile: Profile, by: Grouping, choice: Choice, { selected }: State): string {
	if (by === "coroutine")
		return profile.recording.folded_coroutines ? FOLDED : gapsOf(profile).hasEvery ? "" : NO_COROUTINE;
	return choice === "coroutine" && !gapsOf(profile).hasAll(selected!.index) ? NO_COROUTINE : "";
}

/** What a table is cut by, and why not by all that is chosen. Coroutines of a label alone are of it with all that they have. */
export function cutsOf(profile: Profile, by: Grouping, state: State): { cuts: Choice[]; why: string } {
	const { from, to, within } = state;
	const selected = cutting(by, state);
	const time: Choice[] = from > 0 || to < profile.duration ? ["time"] : [];
	const asked = [...time, ...selected && (time.length || by !== "coroutine" || selected.kind !== "label" || selected.index !== within) ? [selected.kind] : []];
	const whys = asked.map((choice) => untold(profile, by, choice, state));

	return { cuts: asked.filter((_, at) => !whys[at]), why: whys.find(Boolean) ?? "" };
}

/** A table of what is chosen; null where it is of the whole recording. */
export function windowRows({ profile }: Pick<Store, "profile">, whole: Rows, state: State): Rows | null {
	const { timeline, duration } = profile;
	const { cuts } = cutsOf(profile, whole.by, state);

	if (!cuts.length)
		return null;
	const [from, to] = cuts.includes("time") ? [state.from, state.to] : [0, duration];
	const selected = state.selected && cuts.includes(state.selected.kind) ? state.selected : null;
	const of = timeline[whole.by];
	const chosen = selected && timeline[selected.kind];
	const cut = new Cut(profile, whole.n, from, to, (slice) => chosen && chosen[slice] !== selected.index ? NONE : of[slice]);
	const figures = figuresOf(profile, cut);
	const table = { label: profile.labels, coroutine: profile.coroutines, thread: profile.threads }[whole.by];
	const columns = whole.columns.map((column) => column.kind === "number" && !column.tells ? cutColumn(column, figures[column.key], cut, table)
		: column.key === "states" ? cutBar(column, cut) : column);
	const scale = lazy(() => new Scale(profile));
	const drawn = (row: number) => cut.merged[row] || !cut.lengths[row].length ? null : scale().countsOf(cut.lengths[row]);

	return {
		...whole,
		columns: columns.map((column) => column.key === "lengths" ? lengthsColumn(columns, drawn) : column),
		times: (row) => [0, 1, 2, 3].map((state) => cut.time(row, state)).concat(0, 0, 0),
	};
}
