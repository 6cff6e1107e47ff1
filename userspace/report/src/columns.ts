// SPDX-License-Identifier: GPL-2.0
/* The columns of the tables of labels, coroutines and threads. */

import {
	ColumnSpec, countColumn, counterColumn, counterSays, Gap, gapColumn, gapKnown, ratioColumns, Sheet,
	stateTimes, sumColumn, textColumn, timeColumn,
} from "./figures";
import { Integer } from "./contract";
import * as format from "./format";
import { modeText, modeTip } from "./modes";
import { isOutside, isThreadSlot, Known, NONE, Profile, Table } from "./profile";
import { Grouping } from "./store";

export interface Rows extends Sheet {
	by: Grouping;
	table: Table;
}

const BAR: Pick<ColumnSpec, "key" | "title" | "says" | "kind" | "width"> = {
	key: "states", title: "states", kind: "bar", width: 96,
	says: "running, preempted, blocked and suspended, as shares of their sum; suspended as awaiting and ready where that is known",
};

type StateKey = "running" | "preempted" | "blocked" | Gap;

const IN_SLICES: StateKey[] = ["running", "preempted", "blocked"];
const BETWEEN: StateKey[] = ["suspended", "awaiting", "ready"];

function barColumn(table: Table, applies: (row: number) => boolean): ColumnSpec {
	const busy = (row: number) => {
		const times = stateTimes(table, row);
		const sum = times.reduce((a, b) => a + b, 0);

		return sum ? times[0] / sum : NaN;
	};

	return {
		...BAR,
		figure: busy,
		show: () => "",
		plain: (row) => Number.isNaN(busy(row)) ? format.NA : busy(row).toFixed(4),
		tip(row) {
			const times = stateTimes(table, row);
			const sum = times.reduce((a, b) => a + b, 0);
			const states = applies(row) ? [...IN_SLICES, ...BETWEEN] : IN_SLICES;

			return {
				head: "states",
				rows: states.map((state) => [state, Number.isNaN(table[state][row]) ? format.NA
					: `${format.time(table[state][row])}  ${format.share(table[state][row] / sum)}`]),
				note: times[3] ? "Hatched: suspended, not known whether awaiting or ready." : undefined,
			};
		},
	};
}

function timeColumns(profile: Profile, table: Table): ColumnSpec[] {
	const { total } = profile;
	const inSlices = (key: "running" | "preempted" | "blocked", says: string) =>
		sumColumn(table, { key, title: key, says, kind: "time", data: table[key], whole: total[key][0] });

	return [
		sumColumn(table, {
			key: "slices", title: "slices", kind: "count",
			says: "stays on a thread, from switch-in to switch-out",
			data: table.slices, whole: total.slices[0],
		}),
		inSlices("running", "on a CPU"),
		inSlices("preempted", "off the CPU inside slices although it could run"),
		inSlices("blocked", "off the CPU inside slices, its thread asleep in the kernel"),
	];
}

/** Times between slices, and counters. What the runtime never told comes last. */
function restColumns(profile: Profile, table: Table, applies: (row: number) => boolean): ColumnSpec[] {
	const { total } = profile;
	const gap = (key: Gap) => gapColumn(table, total, key, applies);
	const parts = [gap("awaiting"), gap("ready")];
	const told = gapKnown(total, "awaiting", 0) !== Known.NA || gapKnown(total, "ready", 0) !== Known.NA;
	const figures = figureColumns(profile, table);

	return [gap("suspended"), ...told ? [...parts, ...figures] : [...figures, ...parts]];
}

function figureColumns(profile: Profile, table: Table): ColumnSpec[] {
	const ratios = ratioColumns(profile, table);

	return [
		...ratios.filter(({ key }) => key === "ipc"),
		...profile.counters.map((counter, at) => counterColumn(counter, {
			key: "c" + at, title: counter.name, says: counterSays(counter), values: table.values[at],
			slices: table.slices, running: table.running, whole: profile.total.values[at].best[0],
		})),
		...ratios.filter(({ key }) => key !== "ipc"),
	];
}

/** Only of use when there is more than one. */
function processColumn(profile: Profile, text: (row: number) => string): ColumnSpec[] {
	return profile.processes.length > 1
		? [textColumn("process", "process", "name and pid", 120, text)] : [];
}

/** Only when the recording was to take some. */
function samplesColumn(samples: Float64Array | null): ColumnSpec[] {
	return samples ? [countColumn("samples", "samples", "samples taken in it", samples, 76)] : [];
}

export function processName(profile: Profile, process: number): string {
	const found = profile.processes[process];

	return found ? `${found.comm || "?"} ${found.pid || "?"}` : "all";
}

export function threadName(profile: Profile, thread: number): string {
	const { comm, tid } = profile.threads;

	return `${comm[thread] || "?"} ${tid[thread]}`;
}

export function labelName(profile: Profile, label: number): string {
	return label === NONE ? "(not known)" : profile.labels.name[label];
}

/** What tells it from others: the coroutine's number; of a thread's own slot, the thread's id. */
function coroutineNumber({ coroutines, threads }: Profile, coroutine: number): Integer {
	const thread = coroutines.thread[coroutine];

	return thread === NONE ? coroutines.id[coroutine] : threads.tid[thread];
}

export function coroutineMark(profile: Profile, coroutine: number): string {
	return (profile.coroutines.thread[coroutine] === NONE ? "#" : "thread ") + coroutineNumber(profile, coroutine);
}

export function coroutineName(profile: Profile, coroutine: number): string {
	return `${labelName(profile, profile.coroutines.label[coroutine])} ${coroutineMark(profile, coroutine)}`;
}

const MISSED = "slices in which switches were not told: they may be other coroutines' in part";

function labelRows(profile: Profile): Rows {
	const { labels } = profile;
	const name = (row: number) => labels.name[row];
	const process = (row: number) => processName(profile, labels.process[row]);
	const applies = (row: number) => !isOutside(profile, row);

	return {
		by: "label", table: labels, n: labels.n, name,
		label: (row) => row, times: (row) => stateTimes(labels, row),
		columns: [
			textColumn("name", "label", "", 240, name),
			...processColumn(profile, process),
			barColumn(labels, applies),
			countColumn("coroutines", "coroutines", "coroutines with this label at the end", labels.coroutines, 92),
			...timeColumns(profile, labels),
			...restColumns(profile, labels, applies),
			timeColumn("p50", "p50", "running time that half of the slices do not exceed, at most 25 % off", labels.p50, 76),
			timeColumn("p99", "p99", "running time that 99 % of the slices do not exceed, at most 25 % off", labels.p99, 76),
			timeColumn("max", "longest", "running time of the longest slice", labels.max, 76),
			...samplesColumn(labels.samples),
			...Number(profile.recording.missed) ? [countColumn("missed", "missed", MISSED, labels.missed, 72)] : [],
		],
		haystack: (row) => `${name(row)} ${process(row)} ${labels.object[row] ?? ""}`.toLowerCase(),
	};
}

function coroutineRows(profile: Profile): Rows {
	const { coroutines, labels } = profile;
	const process = (row: number) => processName(profile, coroutines.process[row]);
	const name = (row: number) => labelName(profile, coroutines.label[row]);
	const applies = (row: number) => !isThreadSlot(profile, row);
	const id = countColumn("id", "id", "number of the coroutine, unique in its process; of a thread outside coroutines, the thread's id",
		Float64Array.from(coroutines.id, (_, row) => Number(coroutineNumber(profile, row))), 76);

	id.show = id.plain = (row) => String(coroutineNumber(profile, row));
	return {
		by: "coroutine", table: coroutines, n: coroutines.n, name: (row) => coroutineName(profile, row),
		label: (row) => coroutines.label[row], times: (row) => stateTimes(coroutines, row),
		columns: [
			textColumn("name", "label", "", 240, name),
			id,
			...processColumn(profile, process),
			barColumn(coroutines, applies),
			...timeColumns(profile, coroutines),
			...restColumns(profile, coroutines, applies),
			countColumn("threads", "threads", "threads it ran on", coroutines.threads, 76),
			countColumn("migrations", "moves", "slices on another thread than the one before", coroutines.migrations, 72),
			timeColumn("max", "longest", "running time of the longest slice", coroutines.max, 76),
			timeColumn("first", "first", "when its first slice seen began", coroutines.first, 84),
			...samplesColumn(coroutines.samples),
		],
		haystack: (row) => `${labels.name[coroutines.label[row]] ?? ""} ${coroutineMark(profile, row)} ${process(row)}`.toLowerCase(),
	};
}

const CHECK_TEXT = ["not checked", "holds", "broken"];

function modeColumn(profile: Profile): ColumnSpec {
	const text = (row: number) => modeText(profile, row) ?? format.NA;

	return {
		...textColumn("mode", "switches", "how it tells of switches", 84, text),
		tip: (row) => modeText(profile, row) ? modeTip(profile.modes[profile.threads.mode[row]]) : { head: text(row) },
	};
}

function threadRows(profile: Profile): Rows {
	const { threads } = profile;
	const name = (row: number) => threadName(profile, row);
	const process = (row: number) => processName(profile, threads.process[row]);
	const sums = textColumn("check", "sums", "", 96, (row) => CHECK_TEXT[threads.check[row]]);

	sums.tip = (row) => ({
		head: "Do the slices sum to the thread's own figures?",
		rows: [["", CHECK_TEXT[threads.check[row]]]],
		note: threads.checkText[row] ?? undefined,
	});
	return {
		by: "thread", table: threads, n: threads.n, name, times: (row) => stateTimes(threads, row),
		columns: [
			textColumn("name", "thread", "name and id", 240, name),
			...processColumn(profile, process),
			barColumn(threads, () => false),
			...timeColumns(profile, threads),
			timeColumn("outside", "outside", "running outside any coroutine", threads.outside, 84),
			countColumn("lost", "lost", "slices that found the ring full; they are in no sum", threads.lost, 72),
			sums,
			modeColumn(profile),
			...figureColumns(profile, threads),
			...samplesColumn(threads.samples),
		],
		haystack: (row) => `${name(row)} ${process(row)}`.toLowerCase(),
	};
}

export function makeRows(profile: Profile): Record<Grouping, Rows> {
	return {
		label: labelRows(profile),
		coroutine: coroutineRows(profile),
		thread: threadRows(profile),
	};
}
