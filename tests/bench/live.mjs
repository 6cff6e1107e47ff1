// SPDX-License-Identifier: GPL-2.0
/*
 * live.mjs GUEST.JSON NATIVE.JSON WINDOW.JSON FILE: what a live view takes of a processor, and of memory, into FILE. The
 * guest counts instructions, and this machine has no PMU that does: how many of them a core does in a second is known
 * of work that both were measured at, which is adding up a recording.
 */
import { readFileSync } from "node:fs";
import { Members } from "./members.mjs";

const [, , guest, native, window, to] = process.argv;
const read = (file) => JSON.parse(readFileSync(file, "utf8"));
const found = { ...read(guest), ...read(native) };
const members = new Members();

const core = "of a core that does aggregate_instructions_per_record * reader_text_records_per_cpu_s instructions a second";

/** The first of these keys that has no value, or undefined. */
const missing = (...keys) => keys.find((key) => (found[key]?.value ?? null) === null);

function share(key, how, of, times) {
	const lacks = missing(of, "aggregate_instructions_per_record", "reader_text_records_per_cpu_s");
	const told = `${how}: ${of}${times === 1 ? "" : ` * ${times}`}, ${core}`;

	if (lacks)
		members.none(key, "ratio", told, `no value of ${lacks}`);
	else
		members.put(key, "ratio", told, found[of].value * times /
			(found.aggregate_instructions_per_record.value * found.reader_text_records_per_cpu_s.value));
}

share("live_core_share_1m", "coroprof top at 10^6 slices/s, 200 labels; goal: at most 0.30", "live_instructions_per_record_200", 1e6);
share("top_cpu_share", "coroprof top at 10^4 slices/s, 50 labels, a refresh a second; goal: at most 0.02", "top_instructions_10k", 1);
members.put("live_window_bytes", "bytes",
	"a window of 60 s, 1000 labels, 10^4 coroutines, 10^5 slices/s: the most memory beside what is kept; goal: at most 64 MB",
	read(window).window_bytes);
members.put("live_window_copied_bytes", "bytes", "of that, copies; records are shared with what is kept", read(window).copied_bytes);
members.write(to);
