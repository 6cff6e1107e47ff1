// SPDX-License-Identifier: GPL-2.0
/* What was recorded, and how far it can be trusted. */

import { pace } from "../calls";
import { foreign, h, printable, Tip } from "../dom";
import { counterNote, counterText, counterTip, missedText } from "../figures";
import * as format from "../format";
import { costRows, MODE_TEXT, modeRows } from "../modes";
import { Profile, Standing, STANDING_TEXT, Switch } from "../profile";

type Tone = "good" | "fair" | "bad" | "none";

const STANDING_TONE: Tone[] = ["none", "fair", "fair", "good", "none"];

function notice(tone: "alert" | "caution" | "remark", title: string, text: string): HTMLElement {
	return h("p", { class: `notice ${tone}`, attrs: { role: tone === "alert" ? "alert" : "note" } },
		h("strong", {}, printable(title)), " ", foreign(text));
}

function badge(tone: Tone, text: string): HTMLElement {
	return h("span", { class: `badge ${tone}` }, text);
}

function item(name: string, figure: string, mark: HTMLElement | null, tip: Tip): HTMLElement {
	return h("li", { tip: () => tip, attrs: { tabindex: 0 } },
		h("span", { class: "item-name" }, foreign(name)),
		figure ? h("b", {}, figure) : null, mark);
}

/* ------------------------------------------------------------------------ */

function counterItems(profile: Profile): HTMLElement[] {
	const { total, counters } = profile;

	return counters.map((counter, at) => {
		const values = total.values[at];
		const standing = values.standing[0];
		const has = standing === Standing.COUNTED || standing === Standing.SCALED;
		const tip = counterTip(counter, values, 0, total.running[0]);

		if (counter.failed)
			tip.rows!.push(["unsupported on", `${counter.failed} of ${format.plural(counter.channels, "thread")}`]);
		if (counter.error && standing !== Standing.UNSUPPORTED)
			tip.rows!.push(["there", counter.error]);
		tip.rows!.push(["counts", counter.kernel ? "user and kernel mode" : "user mode"]);
		tip.note = counterNote(counter, standing) ?? "Counted for all of the time: exact.";
		return item(counter.name, has ? counterText(counter, values, 0, values.best[0], "total") : "",
			badge(STANDING_TONE[standing], STANDING_TEXT[standing]), tip);
	});
}

function lostItem(profile: Profile): HTMLElement {
	const lost = Number(profile.recording.lost);

	return item("lost", format.plural(lost, "slice"), lost ? badge("bad", "incomplete") : null, {
		head: "Lost slices",
		rows: [["lost", format.full(lost)], ["recorded", format.full(profile.total.slices[0])]],
		note: "Slices that found the ring full. They are in no sum of this page.",
	});
}

function overheadItem(profile: Profile): HTMLElement {
	const { overhead_share: share, overhead_at_least: atLeast, switch_cost: costs } = profile.recording;
	const figure = share === null ? format.NA : (atLeast ? "≥" : "") + format.share(share);
	const measured = costs.some(({ ns }) => ns !== null);

	return item("overhead", figure, null, {
		head: "What recording cost",
		rows: [["share of time on a CPU", figure], ...costRows(profile)],
		note: [measured ? "Measured when the recording began; it is not subtracted from any figure." : "The recorder did not measure it.",
			profile.recording.naming.ns === null ? "" : "What it took to find names for coroutines is shown as (coroprof), too.",
			atLeast ? "What some of it cost is not known, and not in it." : "",
			profile.samples ? "Samples are not in it." : ""].filter(Boolean).join(" "),
	});
}

/** How threads tell of switches; null when none was recorded. */
function switchItem(profile: Profile): HTMLElement | null {
	const { modes, threads } = profile;
	const user = modes.filter(({ mode }) => mode === Switch.USER).reduce((sum, row) => sum + row.threads, 0);
	const figure = !user ? MODE_TEXT[Switch.IOCTL]
		: modes.length === 1 ? MODE_TEXT[Switch.USER] : `${user} of ${threads.n} ${MODE_TEXT[Switch.USER]}`;

	return modes.length ? item("switches", figure, null, {
		head: "How threads tell of switches",
		rows: modeRows(profile),
		note: "In user mode a switch takes no system call.",
	}) : null;
}

function samplesItem({ samples, threads }: Profile): HTMLElement | null {
	if (!samples)
		return null;
	const { kept, lost, throttled, unsampled, note } = samples;
	const mark = lost ? badge("bad", "incomplete") : throttled ? badge("fair", "throttled")
		: unsampled ? badge(unsampled === threads.n ? "bad" : "fair", `${unsampled} of ${format.plural(threads.n, "thread")} without`) : null;
	const errors = (clock: number): string[] => [...new Set(threads.sampleError.filter((error, thread): error is string =>
		!!error && threads.sampleClock[thread] === clock))];

	return item("samples", format.count(kept), mark, {
		head: "Samples",
		rows: [
			["of", pace(samples)], ["recorded", format.full(kept)], ["lost", format.full(lost)],
			["throttled", `${format.full(throttled)}×`], ["callers recorded", `up to ${samples.stackMax}`],
			...errors(0).map((error): [string, string] => ["threads without", error]),
			...errors(1).map((error): [string, string] => ["threads by cpu-clock", error]),
		],
		note: [note ? `${note}.` : "",
			lost ? "Lost samples found the ring full. They are in no figure of this page." : "",
			throttled ? "The kernel stopped sampling for a while, as it came too fast: a part of the time has none." : ""]
			.filter(Boolean).join(" ") || undefined,
	});
}

function spansItem({ spans }: Profile): HTMLElement | null {
	if (!spans)
		return null;
	const { calls, lost, dropped, impossible } = spans;

	return item("spans", format.count(calls), lost || dropped ? badge("bad", "incomplete") : null, {
		head: "Spans",
		rows: [
			["recorded", format.full(calls)], ["lost", format.full(lost)],
			...dropped ? [["no room for", format.full(dropped)] as [string, string]] : [],
			...impossible ? [["impossible", format.full(impossible)] as [string, string]] : [],
		],
		note: lost ? "Lost spans found the ring full. They are in no figure of this page; own figures of those they may have been in are upper bounds."
			: impossible ? "Spans with less in them than the spans within: the program wrote nonsense." : undefined,
	});
}

function sumsItem({ threads, recording }: Profile): HTMLElement {
	const held = threads.check.filter((check) => check === 1).length;
	const broken = recording.failed_checks;
	const mark = broken ? badge("bad", "broken") : held ? badge("good", "hold") : badge("none", "not checked");

	return item("sums", broken ? `${broken} of ${threads.n}` : `${held} of ${threads.n}`, mark, {
		head: "Do the slices sum to the threads' own figures?",
		rows: [["hold", String(held)], ["broken", String(broken)], ["not checked", String(threads.n - held - broken)]],
		note: "For each thread the counts and times of its slices must sum to what the thread's counters say. See Threads.",
	});
}

function ending({ recording }: Profile): string {
	if (!recording.ended || recording.exit_status < 0)
		return "";
	const status = recording.exit_status;

	return status & 0x7f ? `killed by signal ${status & 0x7f}` : `exit ${(status >> 8) & 0xff}`;
}

/** Those with the most time, and how many more there are. */
function missedLabels({ labels }: Profile): string {
	const some = Array.from(labels.missed.keys()).filter((label) => labels.missed[label])
		.sort((a, b) => labels.missedTime[b] - labels.missedTime[a]);
	const said = some.slice(0, 8).map((label) =>
		`${labels.name[label]} (${missedText(labels.missed[label], labels.missedTime[label])})`);

	return said.join(", ") + (some.length > 8 ? ` and ${some.length - 8} more` : "");
}

function notices(profile: Profile): HTMLElement[] {
	const { recording } = profile;
	const out: HTMLElement[] = [];
	const lost = Number(recording.lost);
	const { samples, spans } = profile;
	const damaged = Number(recording.damage_total);
	const note = recording.info.find(([key]) => key === "note")?.[1];

	if (note !== undefined)
		out.push(notice("remark", "Note.", note));
	if (recording.simulated !== null)
		out.push(notice("caution", "Counters come from a simulated PMU: test data.",
			`They were made by ${recording.simulated} and say nothing about any hardware.`));
	if (recording.missing !== null)
		out.push(notice("caution", "Not all is recorded.", recording.missing));
	if (lost)
		out.push(notice("alert", `${format.plural(lost, "slice")} lost.`,
			`${format.share(lost / (lost + profile.total.slices[0]))} of all found the ring full; figures are without them. A larger ring loses fewer: coroprof-read --ring-size 8M.`));
	if (Number(recording.missed))
		out.push(notice("alert", "Switches were missed.",
			`The program switched coroutines in ways that were not told: ${missedText(Number(recording.missed), Number(recording.missed_ns))}, may be other coroutines' in part, of these labels: ${missedLabels(profile)}.`));
	if (samples?.lost)
		out.push(notice("alert", `${format.plural(samples.lost, "sample")} lost.`,
			`${format.share(samples.lost / (samples.lost + samples.kept))} of all found the ring of samples full. Sampling less often loses fewer: coroprof-read -F, or a larger -c.`));
	if (spans?.lost)
		out.push(notice("alert", `${format.plural(spans.lost, "span")} lost.`,
			`${format.share(spans.lost / (spans.lost + spans.calls))} of all found the ring full. A larger ring loses fewer: coroprof-read --ring-size 8M.`));
	if (Number(recording.unread_bytes))
		out.push(notice("alert", "Not all of the file was read.",
			`${format.full(Number(recording.unread_bytes))} of ${format.full(Number(recording.file_bytes))} bytes could not be read: figures are of the rest`));
	if (recording.torn !== null)
		out.push(notice("alert", "The file is torn.", `${recording.torn} (at byte ${format.full(Number(recording.torn_offset))})`));
	else if (!recording.ended)
		out.push(notice("caution", "The recording was not ended in order.", "It was cut, or is still being written."));
	if (damaged)
		out.push(notice("alert", `The file is damaged in ${format.plural(damaged, "place")}.`,
			recording.damage.slice(0, 3).map(({ text }) => text).join(" · ")));
	if (recording.failed_checks)
		out.push(notice("alert", "Sums are broken.",
			`What was recorded of ${format.plural(recording.failed_checks, "thread")} does not sum to the thread's own figures: see Threads.`));
	if (recording.dropped_counters)
		out.push(notice("caution", `${format.plural(recording.dropped_counters, "counter")} not shown.`,
			"Programs had more counters of their own than a report has columns."));
	return out;
}

function place({ recording }: Profile): string[] {
	const when = recording.realtime_ms === null ? null
		: new Date(recording.realtime_ms).toISOString().replace("T", " ").replace(/\.\d+Z/, " UTC");

	return [
		recording.host, recording.kernel && `Linux ${recording.kernel.replace(/^Linux /, "")}`, recording.arch,
		recording.cpus ? format.plural(recording.cpus, "CPU") : null, when,
	].filter((text): text is string => !!text);
}

export function header(profile: Profile): HTMLElement {
	const { recording } = profile;
	const end = ending(profile);

	return h("header", { class: "top" },
		h("div", { class: "what" },
			h("span", { class: "brand" }, "coroprof"),
			h("h1", {}, foreign(recording.command ?? recording.file ?? "recording")),
			h("span", { class: "length", title: format.fullTime(profile.duration) },
				format.time(profile.duration) + (end ? `, ${end}` : "")),
			h("span", { class: "spring" }),
			h("ul", { class: "place" }, ...place(profile).map((text) => h("li", {}, foreign(text))))),
		...notices(profile),
		h("ul", { class: "items", attrs: { "aria-label": "Counters and quality" } },
			...counterItems(profile), lostItem(profile), samplesItem(profile), spansItem(profile),
			overheadItem(profile), switchItem(profile), sumsItem(profile)));
}
