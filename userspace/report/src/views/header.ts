// SPDX-License-Identifier: GPL-2.0
/* What was recorded, and how far it can be trusted: what does not hold is in the open, the rest behind a mark. */

import { pace } from "../calls";
import { labelName } from "../columns";
import { foreign, h, put, Tip } from "../dom";
import { cellText, counterNote, counterTip, fullText, unreportedText } from "../figures";
import * as format from "../format";
import { costRows, isMeasured, modeRows, modeWord, namesCost } from "../modes";
import { Profile, valuesOf } from "../profile";
import { printable } from "../spell";
import { COUNTED, lacking } from "../standings";
import { Store } from "../store";
import { verdict } from "./findings";
import { Fact, inTheOpen, marked, rankOf, SAID_ELSEWHERE } from "./holds";

type Tone = "good" | "fair" | "bad" | "none";

const STANDING_TONE: Record<string, Tone> = { counted: "good", scaled: "fair", "at least": "fair", "not scheduled": "fair" };

function notice(tone: "alert" | "caution" | "remark", title: string, text: string): HTMLElement {
	return h("p", { class: `notice ${tone}`, attrs: { role: tone === "alert" ? "alert" : "note" } },
		h("strong", {}, printable(title)), " ", foreign(text));
}

function badge(tone: Tone, text: string): HTMLElement {
	return h("span", { class: `badge ${tone}` }, text);
}

/** @holds: nothing of it is lost, estimated or not known. */
function item(name: string, figure: string, mark: HTMLElement | null, tip: Tip, holds = false): Fact {
	return {
		name, holds, rank: rankOf(mark), element: h("li", { tip: () => tip, attrs: { tabindex: 0 } },
			h("span", { class: "item-name" }, foreign(name)),
			figure ? h("b", {}, figure) : null, mark),
	};
}

/** Whether all of the recording was read: of what was not, nothing is known. */
const isWhole = ({ recording: { ended, torn, damaged, unread_bytes, unread_records } }: Profile): boolean =>
	!!ended && torn === null && !damaged && !unread_bytes && !unread_records;

/* ------------------------------------------------------------------------ */

function counterItems({ total, counters, recording: { simulated } }: Profile): Fact[] {
	return valuesOf(total.table).map((values) => {
		const { column } = values;
		const counter = counters[column.is.counter!];
		const standing = format.standing(column.standing(0)).name;
		const tip = counterTip(counter, values, 0, total.running);

		if (counter.failed)
			tip.rows!.push(["unsupported on", `${format.full(counter.failed)} of ${format.plural(counter.threads, "thread")}`]);
		if (counter.error && column.has(0))
			tip.rows!.push(["there", counter.error]);
		tip.rows!.push(["counts", counter.kernel ? "user and kernel mode" : "user mode"]);
		tip.note = counterNote(counter, column, 0) ?? "Counted for all of the time: exact.";
		const some = standing === "counted" && counter.failed > 0;
		const mark = some ? badge("fair", `not in ${format.full(counter.failed)} of ${format.plural(counter.threads, "thread")}`)
			: simulated !== null && column.has(0) ? badge("fair", `${standing}, simulated`)
			: badge(STANDING_TONE[standing] ?? "none", standing);

		const fact = item(counter.name, column.has(0) ? cellText(column, 0) : "", mark, tip, standing === "counted" && !some && simulated === null);

		/* Of all of them a notice says that they are simulated; figures of one that is not there are n/a. */
		return !some && (simulated !== null || !column.has(0)) ? { ...fact, rank: SAID_ELSEWHERE } : fact;
	});
}

/** A loss that hardly any figure shows is reported, and no alarm. */
function isSmall(lost: number, kept: number): boolean {
	return lost < (lost + kept) / 1000;
}

/** Of losses, what could not be read may have reported of more. */
const lostText = ({ total: { table } }: Profile, name: string): string => fullText(table.column(name), 0);

function lostItem(profile: Profile): Fact {
	const { recording: { lost }, total } = profile;
	const missing = total.table.column("slices").standing(0) > 0;
	const { mark: bound } = format.standing(total.table.column("lost").standing(0));
	const mark = lost ? badge(isSmall(lost, total.slices[0]) ? "fair" : "bad", "incomplete")
		: missing ? badge("fair", "and what is not recorded") : null;

	return item("lost", bound + format.plural(lost, "slice"), mark, {
		head: "Lost slices",
		rows: [["lost", lostText(profile, "lost")], ["recorded", format.full(total.slices[0])],
			["gaps not measured", fullText(total.table.column("unseen_gaps"), 0)]],
		note: [lost ? "Lost slices found the ring full. They are in no sum of this page." : "",
			missing ? "Slices are missing that nothing counted, or more than these: figures of their processes read >=, at least." : ""]
			.filter(Boolean).join(" ") || undefined,
	}, !mark && !bound && isWhole(profile));
}

function overheadItem(profile: Profile): Fact {
	const share = profile.total.table.column("overhead_share");
	const { name } = format.standing(share.standing(0));

	return item("overhead", cellText(share, 0), null, {
		head: "What recording cost",
		rows: [["share of time on a CPU", cellText(share, 0)], ...costRows(profile)],
		note: [isMeasured(profile) ? "Measured when the recording began; it is not subtracted from any figure." : "The recorder did not measure it.",
			namesCost(profile) ? "What it took to find names for coroutines, and threads to enter user mode, is shown as (coroprof), too." : "",
			name === "at least" ? "What some of it cost is not known, and not in it." : "",
			profile.samples ? "Samples are not in it." : ""].filter(Boolean).join(" "),
	});
}

/** What threads without coroutines did is in no figure of the page. */
function unrecordedItem({ recording, total: { table } }: Profile): Fact | null {
	return recording.not_recorded === null ? null : item("not recorded", cellText(table.column("unrecorded"), 0), null, {
		head: "CPU time in no slice",
		rows: [],
		note: `Not recorded: ${recording.not_recorded}.`,
	});
}

/** How threads report switches; null when none was recorded. */
function switchItem(profile: Profile): Fact | null {
	const { modes: { n, mode, threads: count }, threads } = profile;
	const user = mode.reduce((sum, of, row) => sum + (of ? count[row] : 0), 0);
	const figure = !user || n === 1 ? modeWord(profile, mode[0]) : `${format.full(user)} of ${format.full(threads.n)} ${modeWord(profile, 1)}`;

	return n ? item("switches", figure, null, {
		head: "How threads report switches",
		rows: modeRows(profile),
		note: "In user mode a switch takes no system call.",
	}, mode.every(Boolean)) : null;
}

function samplesItem(profile: Profile): Fact | null {
	const { samples, threads, recording, total } = profile;

	if (!samples)
		return null;
	const { samples: kept, lost_samples: lost, throttled, unsampled, sample_note: note } = recording;
	const mark = lost ? badge(isSmall(lost, kept) ? "fair" : "bad", "incomplete") : throttled ? badge("fair", "throttled")
		: unsampled ? badge(unsampled === threads.n ? "bad" : "fair", `${format.full(unsampled)} of ${format.plural(threads.n, "thread")} without`) : null;
	const errors = (clock: number): string[] => [...new Set(threads.sample_error.filter((error, thread): error is string =>
		!!error && threads.sample_clock[thread] === clock))];

	const holds = !mark && note === null && isWhole(profile) && !threads.sample_error.some(Boolean) &&
		["lost_samples", "throttled"].every((name) => !total.table.column(name).standing(0));

	return item("samples", format.events(kept), holds ? badge("good", "none lost") : mark, {
		head: "Samples",
		rows: [
			["of", pace(recording)], ["recorded", format.full(kept)], ["lost", lostText(profile, "lost_samples")],
			["throttled", `${lostText(profile, "throttled")}×`], ["callers recorded", `up to ${recording.sample_stack_max}`],
			...errors(0).map((error): [string, string] => ["threads without", error]),
			...errors(1).map((error): [string, string] => ["threads by cpu-clock", error]),
		],
		note: [note ? `${note}.` : "",
			lost ? "Lost samples found the ring full. They are in no figure of this page." : "",
			throttled ? "The kernel stopped sampling for a while, as it came too fast: a part of the time has none." : ""]
			.filter(Boolean).join(" ") || undefined,
	}, holds);
}

function spansItem(profile: Profile): Fact | null {
	const { spans, recording } = profile;

	if (!spans)
		return null;
	const { spans: calls, lost_spans: lost, dropped_spans: dropped, impossible_spans: impossible } = recording;
	const { n, table } = spans.spans;
	const missing = [...Array(n).keys()].some((row) => table.column("calls").standing(row));
	const mark = lost || dropped ? badge(isSmall(lost + dropped, calls) ? "fair" : "bad", "incomplete")
		: missing ? badge("fair", "and what is not recorded") : null;

	const holds = !mark && !impossible && isWhole(profile) && !profile.total.table.column("lost_spans").standing(0);

	return item("spans", format.events(calls), holds ? badge("good", "none lost") : mark, {
		head: "Spans",
		rows: [
			["recorded", format.full(calls)], ["lost", lostText(profile, "lost_spans")],
			...dropped ? [["no room for", format.full(dropped)] as [string, string]] : [],
			...impossible ? [["impossible", format.full(impossible)] as [string, string]] : [],
		],
		note: lost ? "Lost spans found the ring full. They are in no figure of this page: calls and totals of their processes are at least what was seen, own figures of spans that they may have been in are estimates."
			: missing ? "Spans are missing that nothing counted: calls and totals of their processes are at least what was seen."
			: impossible ? "Spans with less in them than the spans within: the program wrote nonsense." : undefined,
	}, holds);
}

function sumsItem({ threads, recording, words }: Profile): Fact {
	const held = threads.sums.filter((sums) => sums === words.sums.hold).length;
	const broken = recording.failed_checks;
	const unchecked = threads.n - held - broken;
	const mark = broken ? badge("bad", "broken") : !unchecked && held ? badge("good", "hold")
		: badge("none", held ? `${format.full(unchecked)} not checked` : "not checked");

	return item("sums", `${format.full(broken || held)} of ${format.full(threads.n)}`, mark, {
		head: "Do the slices sum to the threads' own figures?",
		rows: [["hold", format.full(held)], ["broken", format.full(broken)], ["not checked", format.full(unchecked)]],
		note: "For each thread the counts and times of its slices must sum to what the thread's counters say. See Threads.",
	}, !broken && !unchecked && held > 0);
}

function fileItem(profile: Profile): Fact | null {
	return isWhole(profile) ? item("file", "read whole", null, {
		head: "The recording", rows: [], note: "It was ended in order, and all of it was read.",
	}, true) : null;
}

/** What holds, in a few words: those that say most. */
function wordOf(facts: Fact[], counters: Fact[]): string {
	const holds = (name: string) => facts.filter((fact) => fact.name === name).every((fact) => fact.holds);
	const words = [
		holds("sums") ? "sums hold" : "",
		["lost", "samples", "spans"].every(holds) ? "nothing lost" : holds("lost") ? "no slice lost" : "",
		counters.length && counters.every((fact) => fact.holds) ? "all counted" : "",
	].filter(Boolean);

	const others = facts.filter((fact) => fact.holds).length;

	return words.join(", ") || (others === 1 ? "1 fact holds" : `${others} facts hold`);
}

function quality(profile: Profile, line: HTMLElement): HTMLElement {
	const counters = counterItems(profile);
	const facts = [...counters, lostItem(profile), samplesItem(profile), spansItem(profile), unrecordedItem(profile),
		overheadItem(profile), switchItem(profile), sumsItem(profile), fileItem(profile)].filter((fact) => fact !== null);

	return h("div", { class: "sure" }, marked(facts.filter((fact) => fact.holds), wordOf(facts, counters)),
		...inTheOpen(facts.filter((fact) => !fact.holds), line));
}

/** Whether something is known of the recording. */
const known = ({ total: { table } }: Profile, name: string): boolean => table.column(name).has(0);

function ending(profile: Profile): string {
	const { ended, exit_status: status, exit_signal: signal } = profile.recording;

	return !ended ? "" : known(profile, "exit_signal") ? `killed by signal ${signal}`
		: known(profile, "exit_status") ? `exit ${status}` : "";
}

/** Those with the most time, and how many more there are. */
function unreportedLabels(profile: Profile): string {
	const { labels } = profile;
	const some = Array.from(labels.unreported.keys()).filter((label) => labels.unreported[label])
		.sort((a, b) => labels.unreported_running[b] - labels.unreported_running[a]);
	const said = some.slice(0, 8).map((label) =>
		`${labelName(profile, label)} (${unreportedText(labels.unreported[label], labels.unreported_running[label])})`);

	return said.join(", ") + (some.length > 8 ? ` and ${some.length - 8} more` : "");
}

function notices(profile: Profile): HTMLElement[] {
	const { recording, samples, spans } = profile;
	const { lost, note, lost_samples: lostSamples, lost_spans: lostSpans } = recording;
	const out: HTMLElement[] = [];

	if (note !== null)
		out.push(notice("remark", "Note.", note));
	if (recording.simulated !== null)
		out.push(notice("caution", "Counters come from a simulated PMU: test data.",
			`They were made by ${recording.simulated} and say nothing about any hardware.`));
	if (recording.missing !== null)
		out.push(notice("caution", "Not all is recorded.", recording.missing));
	if (lost)
		out.push(notice(isSmall(lost, profile.total.slices[0]) ? "remark" : "alert", `${format.plural(lost, "slice")} lost.`,
			`${format.share(lost / (lost + profile.total.slices[0]))} of all found the ring full; figures are without them. A larger ring loses fewer: coroprof-read --ring-size 8M.`));
	if (recording.unreported)
		out.push(notice("alert", "Switches were not reported.",
			`The program switched coroutines in ways that were not reported: ${unreportedText(recording.unreported, recording.unreported_running)}, may be other coroutines' in part, of these labels: ${unreportedLabels(profile)}.`));
	if (samples && lostSamples)
		out.push(notice(isSmall(lostSamples, recording.samples) ? "remark" : "alert", `${format.plural(lostSamples, "sample")} lost.`,
			`${format.share(lostSamples / (lostSamples + recording.samples))} of all found the ring of samples full. Sampling less often loses fewer: coroprof-read -F, or a larger -c.`));
	if (spans && lostSpans)
		out.push(notice(isSmall(lostSpans, recording.spans) ? "remark" : "alert", `${format.plural(lostSpans, "span")} lost.`,
			`${format.share(lostSpans / (lostSpans + recording.spans))} of all found the ring full. A larger ring loses fewer: coroprof-read --ring-size 8M.`));
	if (recording.unread_bytes)
		out.push(notice("alert", "Not all of the file was read.",
			`${format.full(recording.unread_bytes)} of ${format.full(recording.file_size)} bytes could not be read: figures are of the rest`));
	if (recording.unread_records)
		out.push(notice("alert", `At least ${format.plural(recording.unread_records, "record")} not read.`,
			"Malformed, or behind one that is: figures are of the rest"));
	if (recording.torn !== null)
		out.push(notice("alert", "The file is torn.", `${recording.torn} (at byte ${format.full(Number(recording.torn_offset))})`));
	else if (!recording.ended)
		out.push(notice("caution", "The recording was not ended in order.", "What came after is not in it: it was cut, or is still being written."));
	if (recording.damaged)
		out.push(notice("alert", `The file is damaged in ${format.plural(recording.damaged, "place")}.`,
			profile.damage.slice(0, 3).join(" · ")));
	if (recording.failed_checks)
		out.push(notice("alert", "Sums are broken.",
			`What was recorded of ${format.plural(recording.failed_checks, "thread")} does not sum to the thread's own figures: see Threads.`));
	if (recording.nothing !== null)
		out.push(notice("caution", "Nothing was recorded.", `${recording.nothing} ${recording.remedy}`));
	if (recording.dropped_counters)
		out.push(notice("caution", `${format.plural(recording.dropped_counters, "counter")} not shown.`,
			"Programs had more counters of their own than a report has columns."));
	return out;
}

function place(profile: Profile): string[] {
	const { recording } = profile;
	const when = !known(profile, "began") ? null
		: new Date(Number(BigInt(recording.began) / 1000000n)).toISOString().replace("T", " ").replace(/\.\d+Z/, " UTC");

	return [
		recording.host, recording.kernel && `Linux ${recording.kernel.replace(/^Linux /, "")}`, recording.arch,
		recording.cpus ? format.plural(recording.cpus, "CPU") : null, when,
	].filter((text): text is string => !!text);
}

export function header(store: Store): HTMLElement {
	const { profile } = store;
	const { recording } = profile;
	const end = ending(profile);
	const command = recording.command ?? recording.file ?? "recording";
	const where = place(profile);
	const line = h("div", { class: "what" },
		h("div", { class: "which" },
			h("span", { class: "brand" }, "coroprof"),
			h("h1", { title: printable(command) }, foreign(command)),
			h("span", { class: "length", title: format.fullTime(recording.duration) },
				format.marked(lacking(COUNTED, !recording.ended), recording.duration, format.time) + (end ? `, ${end}` : ""))));

	put(line, quality(profile, line), where.length ? h("ul", { class: "place", title: printable(where.join(" · ")) }, ...where.map((text) => h("li", {}, foreign(text)))) : null);
	return h("header", { class: "top" }, line, ...notices(profile), verdict(store));
}
