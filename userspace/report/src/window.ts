// SPDX-License-Identifier: GPL-2.0
/* Tables of the time in view, and of what is selected. What the page can't know of that is n/a, and says why. */

import { Between } from "./between";
import { Selection } from "./selection";
import { lengthsColumn, Rows } from "./columns";
import { Cut } from "./cut";
import { COMMAND, Figure, figuresOf, formulaFigure } from "./cut-figures";
import { Column } from "./decode";
import { ColumnSpec, shareColumn } from "./figures";
import * as format from "./format";
import { FOLDED, gapsOf } from "./gaps";
import { durationsOf, Part } from "./durations";
import { keepsOf } from "./scope";
import { isToolRow, NONE, Profile, Timed } from "./profile";
import { Scale } from "./sparkline";
import { BAND_STATES, LOST } from "./stacks";
import { combined, COUNTED, lacking, ratioOf, shared, summed, typical } from "./standings";
import { Grouping, Mode, State, Store } from "./store";

/** Room for it, and for that of what is at least so long. */
const MARK = 12;
const LEAST = 20;
const WHOLE_ONLY = `Of the whole recording only: the page has of what is chosen its slices, and sums of them. ${COMMAND}, which has it of the time alone.`;
const NO_COROUTINE = "Not known: of some slices the page has sums only, which do not name the coroutine.";
const ESTIMATE = "An estimate: what reaches beyond the time in view is cut there, and shared by time.";

/** A figure of all rows: n/a if one of them has none, as the others are no share of what is left. */
function allOf({ of, missing }: Figure, rows: number[], standing: (row: number) => number): { sum: number; standing: number } {
	return { sum: rows.reduce((sum, row) => sum + (missing?.(row) ? NaN : of(row)), 0), standing: summed(rows.map(standing)) };
}

/** What the whole recording is not sure of, its parts are not. */
function wholeStanding(whole: Timed, is: Column, figure: Figure, row: number): number {
	if (figure.ratio)
		return ratioOf(is.standing(row));
	if (figure.adds)
		return is.standing(row);
	const of = lacking(whole.table.column("slices").standing(row), !!figure.cut?.(row));

	return figure.most ? of : typical(of);
}

function noteOf(figure: Figure | undefined, row: number): string | undefined {
	return typeof figure?.note === "function" ? figure.note(row) : figure?.note;
}

function lazy<T>(make: () => T): () => T {
	let made: T | undefined;

	return () => made ??= make();
}

/** Of a coroutine: what it is, whatever is chosen. */
const FACTS = ["born", "first", "last", "lifetime"];

/** A column of the window for one of the whole recording; bars and names stay. */
function cutColumn(column: ColumnSpec, figure: Figure | undefined, cut: Cut, whole: Timed, rows: number[]): ColumnSpec {
	const slices = (row: number) => shared(whole.table.find("slices")?.standing(row) ?? COUNTED, !!cut.someSlices[row]);
	const is = whole.table.columns.find(({ is }) => is.name === column.key);
	const total = (row: number, mode: Mode): number => {
		const of = figure!.standing ? figure!.standing(row) : figure!.known ? lacking(COUNTED, figure!.known(row) !== "all")
			: is?.has(row) ? wholeStanding(whole, is, figure!, row) : COUNTED;

		return shared(of, !!figure!.near?.(row, mode));
	};
	const all = lazy(() => allOf(figure!, rows, (row) => total(row, "share")));
	const why = (row: number) => figure ? figure.missing?.(row) : WHOLE_ONLY;
	const isNone = (row: number) => !!is && format.standing(is.standing(row)).name === "none";
	const at = (row: number, mode: Mode) => {
		const value = figure && !why(row) && !isNone(row) ? figure.of(row) : NaN;

		return !figure?.adds || mode === "total" ? value : mode === "slice" ? value / ((figure.over?.(row) ?? cut.slices[row]) || NaN) : value / (all().sum || NaN);
	};
	const standing = (row: number, mode: Mode): number => {
		const own = total(row, mode);

		if (!figure!.adds || mode === "total")
			return own;
		return mode === "share" ? combined("quotient", own, all().standing) : figure!.over ? typical(own) : combined("quotient", own, slices(row));
	};
	/* What there is none of in the whole recording there is none of here, for the same reason. */
	const absent = (row: number) => is && !is.has(row) ? format.standing(is.standing(row)).mark : format.na();
	const said = (row: number, mode: Mode, show: (value: number) => string) => {
		const value = at(row, mode);

		return Number.isNaN(value) ? absent(row) : format.marked(standing(row, mode), value, show);
	};

	return {
		...column, width: column.width + (figure?.most ? LEAST : figure?.near ? MARK : 0),
		figure: at,
		show: (row, mode) => said(row, mode, figure?.adds && mode === "share" ? format.share : figure?.show ?? String),
		plain: (row, mode) => Number.isNaN(at(row, mode)) ? format.na() : String(at(row, mode)),
		standing: (row, mode) => Number.isNaN(at(row, mode)) ? "n/a" : format.standing(standing(row, mode)).name,
		tip: (row) => ({
			head: `${column.title}, of what is chosen`, rows: [["", said(row, "total", figure?.full ?? String)]],
			note: why(row) ?? (figure?.near?.(row, "total") || figure?.cut?.(row) ? ESTIMATE : noteOf(figure, row) ?? column.says),
		}),
	};
}

/** Time between slices, as stateTimes() has it: of what is not reported which part it was, awaiting, ready; null: not known. */
function timesBetween(between: Between | null, row: number): number[] | null {
	if (!between || between.missing(row))
		return null;
	const { suspended, awaiting, ready } = between;

	return [suspended[row] - awaiting[row] - ready[row], awaiting[row], ready[row]];
}

/** Where gaps are not known the bar is of slices alone. */
function cutBar(column: ColumnSpec, cut: Cut, figures: Record<string, Figure>, between: Between | null): ColumnSpec {
	const running = (row: number) => cut.time(row, 0);
	const gap = (row: number, name: string): [string, string] => {
		const { of, full, known } = figures[name];

		return [name, format.marked(lacking(COUNTED, known!(row) !== "all"), of(row), full)];
	};

	return {
		...column, figure: running, plain: (row) => String(running(row)),
		tip: (row) => ({
			head: `${column.title}, of what is chosen`, note: timesBetween(between, row) ? undefined : between?.missing(row) ?? column.says,
			rows: [
				...BAND_STATES.slice(0, LOST).map((name, state): [string, string] => [name, format.marked(shared(COUNTED, cut.isNear(row, state)), cut.time(row, state), format.fullTime)]),
				...timesBetween(between, row) ? ["suspended", "awaiting", "ready"].map((name) => gap(row, name)) : [],
			],
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
function untold(profile: Profile, by: Grouping, choice: Selection, { selected }: State): string {
	if (by === "coroutine")
		return profile.recording.folded_coroutines ? FOLDED : gapsOf(profile).hasEvery ? "" : NO_COROUTINE;
	return choice === "coroutine" && !gapsOf(profile).hasAll(selected!.index) ? NO_COROUTINE : "";
}

/** What a table is cut by, and why not by all that is chosen: rows are of one process anyway. Coroutines of a label alone are of it with all that they have. */
export function cutsOf(profile: Profile, by: Grouping, state: State): { cuts: Selection[]; why: string } {
	const { from, to, within, only } = state;
	const selected = cutting(by, state);
	const time: Selection[] = from > profile.since || to < profile.until ? ["time"] : [];
	const asked = [...time, ...selected && (time.length || by !== "coroutine" || selected.kind !== "label" || selected.index !== within) ? [selected.kind] : [],
		...only?.kind === "thread" ? ["only" as const] : []];
	const whys = asked.map((choice) => untold(profile, by, choice, state));

	return { cuts: asked.filter((_, at) => !whys[at]), why: whys.find(Boolean) ?? "" };
}

/** What a table is of, where that is a part of the recording. */
function partOf(profile: Profile, by: Grouping, state: State): Part | null {
	const { since, until } = profile;
	const { cuts } = cutsOf(profile, by, state);
	const [from, to] = cuts.includes("time") ? [state.from, state.to] : [since, until];

	return cuts.length ? {
		from, to, selected: state.selected && cuts.includes(state.selected.kind) ? state.selected : null,
		only: cuts.includes("only") ? state.only : null,
	} : null;
}

/** Half of what such a table needs, made before it: together they would keep the page from drawing for too long. */
export function prepareRows({ profile }: Pick<Store, "profile">, by: Grouping, state: State): void {
	const part = by === "thread" ? null : partOf(profile, by, state);

	if (part)
		durationsOf(profile, part);
}

/** A table of what is chosen; null where it is of the whole recording. */
export function windowRows({ profile }: Pick<Store, "profile">, whole: Rows, state: State): Rows | null {
	const { timeline } = profile;
	const part = partOf(profile, whole.by, state);

	if (!part)
		return null;
	const { from, to, selected, only } = part;
	const keeps = keepsOf(profile, only);
	const of = timeline[whole.by];
	const chosen = selected && timeline[selected.kind];
	const cut = new Cut(profile, whole.n, from, to, (slice) => keeps.thread(timeline.thread[slice]) && !(chosen && chosen[slice] !== selected.index) ? of[slice] : NONE);
	const between = whole.by === "thread" ? null : new Between(profile, durationsOf(profile, part), whole.by, whole.n);
	const figures = figuresOf(profile, whole.by, cut, part, between);
	const table = { label: profile.labels, coroutine: profile.coroutines, thread: profile.threads }[whole.by];
	const summed = [...cut.slices.keys()].filter((row) => !isToolRow(profile, whole.by, row));
	const bare = (column: ColumnSpec, key: string) => cutColumn({ ...column, key }, figures[key], cut, table, summed);
	const figureOf = (column: ColumnSpec) => {
		const formula = table.table.find(column.key)?.is.formula;
		const names = formula?.flatMap((step) => typeof step === "object" ? [step.column] : []);

		return formula ? formulaFigure(formula, new Map(names!.map((name) => [name, bare(column, name)]))) : figures[column.key];
	};
	const cutOne = (column: ColumnSpec) => cutColumn(column, figureOf(column), cut, table, summed);
	const columns = whole.columns.map((column) => column.part ? shareColumn(cutOne(whole.columns.find(({ key }) => key === column.part!.of)!), column.part.is)
		: column.kind === "number" && !column.tells && !FACTS.includes(column.key) ? cutOne(column)
		: column.key === "states" ? cutBar(column, cut, figures, between) : column);
	const scale = lazy(() => new Scale(profile));
	const drawn = (row: number) => cut.merged[row] || !cut.lengths[row].length ? null : scale().countsOf(cut.lengths[row]);

	return {
		...whole,
		columns: columns.map((column) => column.key === "lengths" ? lengthsColumn(columns, drawn) : column),
		times: (row) => [0, 1, 2, 3].map((state) => cut.time(row, state)).concat(timesBetween(between, row) ?? [0, 0, 0]),
	};
}
