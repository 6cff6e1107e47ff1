// SPDX-License-Identifier: GPL-2.0
/*
 * Figures of what is chosen, by the keys of columns: sums over its slices; gaps between them, lives
 * and samples where the page has these one by one; and what is made of other figures.
 */

import { Between, Known } from "./between";
import { samplesOf, unheldSamples } from "./selection";
import { Cut } from "./cut";
import { Step } from "./decode";
import { ColumnSpec } from "./figures";
import * as format from "./format";
import { SUMS } from "./gaps";
import { heldFor, Durations, Part, quantile, What } from "./durations";
import { Profile } from "./profile";
import { roleOf } from "./ratios";
import { BAND_STATES, LOST } from "./stacks";
import { Combine, combined, COUNTED, hasValue, named } from "./standings";
import { Grouping, Mode } from "./store";

export const COMMAND = "The command beside \"time\", when one is chosen, makes a page of this time";
const SOME_UNCOUNTED = `Not known of what is chosen: of some of its slices the page has no count of their own. ${COMMAND}.`;
const OF_GAPS = "Between two slices in it.";

/** A figure of a window. */
export interface Figure {
	of(row: number): number;
	near?(row: number, mode: Mode): boolean;
	/** How far it can be relied on, whatever the whole recording is sure of. */
	standing?(row: number): number;
	/** Why there is none in this row. */
	missing?(row: number): string | undefined;
	show: (value: number) => string;
	full: (value: number) => string;
	adds: boolean;
	/** Others that are missing may be more. */
	most?: boolean;
	/** What a mean of it is over, if not slices. */
	over?(row: number): number;
	/** How much of it is known, whatever the whole recording is sure of. */
	known?(row: number): Known;
	/** It is one counter by another: as sure as the whole recording is of that. */
	ratio?: boolean;
	/** It is of lengths, of which some are cut: the longest is longer, others are estimates. */
	cut?(row: number): boolean;
	/** What it is of. */
	note?: string | ((row: number) => string | undefined);
}

function timeFigure(cut: Cut, state: number): Figure {
	return { of: (row) => cut.time(row, state), show: format.time, full: format.fullTime, adds: true,
		near: (row, mode) => cut.isNear(row, state) || mode === "slice" && (!!cut.parted[row] || cut.cut[row] > 0) };
}

function lengthFigure(cut: Cut, share: number): Figure {
	return { of: (row) => cut.quantile(row, share), show: format.time, full: format.fullTime, adds: false, most: share === 1,
		cut: (row) => cut.cut[row] > 0, missing: (row) => cut.merged[row] ? SUMS : undefined };
}

/** Of what lies between slices. */
function betweenFigures(between: Between): Record<string, Figure> {
	const { coroutines, gaps, unseen } = between;
	const missing = (row: number) => between.missing(row);
	const count = { show: format.count, full: format.full, adds: false, most: true };
	const sum = (name: "suspended" | "awaiting" | "ready"): [string, Figure] => [name, {
		of: (row) => between.known(name, row) === "none" ? NaN : between[name][row], show: format.time, full: format.fullTime, adds: true,
		over: (row) => gaps[row], known: (row) => between.known(name, row), missing, note: OF_GAPS,
	}];

	return {
		coroutines: { ...count, of: (row) => coroutines[row], missing: (row) => between.uncounted(row), note: "Those of which a slice is in it, or a part of one." },
		gaps: { ...count, of: (row) => gaps[row], missing, note: OF_GAPS },
		unseen_gaps: { ...count, of: (row) => unseen[row], missing, note: OF_GAPS },
		...Object.fromEntries([sum("suspended"), sum("awaiting"), sum("ready")]),
		...between.by === "coroutine" ? {
			threads: { ...count, of: (row) => between.threads(row).size },
			migrations: { ...count, of: (row) => between.migrations(row) },
		} : {},
	};
}

/** Of a label: how long things took that no slice says alone. */
function durationFigures({ labels }: Profile, durations: Durations): Record<string, Figure> {
	const share = (what: What, of: number): Figure => ({
		of: (row) => quantile(durations.lengths(what, row), of), missing: (row) => durations.missing(what, row), show: format.time, full: format.fullTime, adds: false,
	});
	const held = (least: number): Figure => ({
		of: (row) => durations.lengths("held", row).filter((length) => length >= least).length, missing: (row) => least >= durations.known("held") ? undefined : durations.missing("held", row),
		show: format.count, full: format.full, adds: false, most: true,
	});

	return {
		ready_p99: share("ready", 0.99), lifetime_p50: share("lifetime", 0.5), lifetime_p99: share("lifetime", 0.99),
		...Object.fromEntries(labels.table.columns.flatMap(({ is: { name } }) => heldFor(name) ? [[name, held(heldFor(name)!)]] : [])),
	};
}

/** One counter by another: the keys of columns are the reader's. */
function ratioFigures(profile: Profile, cut: Cut): Record<string, Figure> {
	const { values } = profile.timeline;
	const [cycles, instructions] = ["cycles", "instructions"].map((role) => values.findIndex(({ column }) => roleOf(profile, column.is.counter!) === role));
	const ratio = (counter: number, by: number, factor: number): Figure => ({
		of: (row) => factor * cut.counts[counter][row] / (cut.counts[by][row] || NaN), show: format.ratio, full: format.ratio, adds: false, ratio: true, near: (row) => cut.cut[row] > 0,
		missing: (row) => cut.uncounted[counter][row] || cut.uncounted[by][row] ? SOME_UNCOUNTED : undefined,
	});

	return {
		...cycles >= 0 && instructions >= 0 ? { ipc: ratio(instructions, cycles, 1) } : {},
		...instructions >= 0 ? Object.fromEntries(values.map(({ column }, counter) => [`${column.is.name}_per_1000_instructions`, ratio(counter, instructions, 1000)])) : {},
	};
}

/** What a formula gives: NaN if one of its columns has none. */
export function valueOf(formula: Step[], operand: (column: string) => number): number {
	const stack: number[] = [];

	for (const step of formula) {
		if (typeof step === "object") {
			stack.push(operand(step.column));
		} else if (typeof step === "number") {
			stack.push(step);
		} else {
			const [b, a] = [stack.pop()!, stack.pop()!];

			stack.push(step === "+" ? a + b : step === "-" ? a - b : step === "*" ? a * b : a / b);
		}
	}
	return Number.isFinite(stack[0]) ? stack[0] : NaN;
}

const HOW: Record<string, Combine> = { "+": "sum", "-": "difference", "*": "product", "/": "quotient" };

/** And how far that can be relied on: as the reader's metric_cell() has it. */
export function standingOf(formula: Step[], operand: (column: string) => [number, number]): number {
	const stack: [number, number][] = [];

	for (const step of formula) {
		if (typeof step !== "string") {
			const one: [number, number] = typeof step === "number" ? [step, COUNTED] : operand(step.column);

			if (!hasValue(one[1]))
				return one[1];
			stack.push(one);
			continue;
		}
		const [[b, other], [a, one]] = [stack.pop()!, stack.pop()!];
		const turns = "*/".includes(step) && (a < 0 && other !== COUNTED || b < 0 && one !== COUNTED);

		stack.push([valueOf([a, b, step], () => NaN), turns ? named("n/a") : combined(HOW[step], one, other)]);
	}
	return stack[0][1];
}

/** A column of one's own: @operands are those that its formula is made of, and it is as sure as they are. */
export function formulaFigure(formula: Step[], operands: Map<string, ColumnSpec>): Figure {
	const each = [...operands.values()];

	return {
		of: (row) => valueOf(formula, (name) => operands.get(name)!.figure(row, "total")),
		missing: (row) => each.find((column) => Number.isNaN(column.figure(row, "total")))?.tip(row).note,
		standing: (row) => standingOf(formula, (name) => [operands.get(name)!.figure(row, "total"), named(operands.get(name)!.standing!(row, "total"))]),
		show: format.ratio, full: format.ratio, adds: false,
	};
}

/** Of slices. */
function sliceFigures(profile: Profile, cut: Cut): Record<string, Figure> {
	const { slices, someSlices } = cut;
	const lengths = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, p99_9: 0.999, longest: 1 };
	const counts = profile.timeline.values.map(({ column }, counter): [string, Figure] => [column.is.name, {
		of: (row) => cut.counts[counter][row], show: format.events, full: format.full, adds: true, near: (row) => cut.cut[row] > 0,
		missing: (row) => cut.uncounted[counter][row] ? SOME_UNCOUNTED : undefined,
	}]);

	return {
		slices: { of: (row) => slices[row], near: (row) => !!someSlices[row], show: format.count, full: format.full, adds: true,
			note: (row) => cut.cut[row] ? `${format.full(cut.cut[row])} of them cut at the edges of the time.` : undefined },
		...Object.fromEntries(BAND_STATES.slice(0, LOST).map((name, state) => [name, timeFigure(cut, state)])),
		...Object.fromEntries(Object.entries(lengths).map(([name, share]) => [name, lengthFigure(cut, share)])),
		shortest: { ...lengthFigure(cut, 0), of: (row) => cut.lengths[row][0] ?? NaN },
		running_mean: { ...lengthFigure(cut, 0), of: (row) => cut.lengths[row].reduce((sum, length) => sum + length, 0) / cut.lengths[row].length },
		...ratioFigures(profile, cut),
		...Object.fromEntries(counts),
	};
}

function sampleFigure(profile: Profile, by: Grouping, n: number, part: Part): Figure {
	let samples: Float64Array | null | undefined;
	const counts = () => samples === undefined ? samples = samplesOf(profile, by, n, part) : samples;

	return { of: (row) => counts()?.[row] ?? NaN, missing: () => counts() ? undefined : `Not known of what is chosen: ${unheldSamples(profile)}.`,
		show: format.count, full: format.full, adds: true };
}

/** Of the rows of a table; @between: of threads there is nothing between slices. */
export function figuresOf(profile: Profile, by: Grouping, cut: Cut, part: Part, between: Between | null): Record<string, Figure> {
	return {
		...sliceFigures(profile, cut), ...between ? betweenFigures(between) : {}, ...between && by === "label" ? durationFigures(profile, between.durations) : {},
		samples: sampleFigure(profile, by, cut.slices.length, part),
	};
}
