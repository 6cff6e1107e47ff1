// SPDX-License-Identifier: GPL-2.0
/* Callgrind's format, as callgrind_annotate reads it. */
import assert from "node:assert/strict";
import { test } from "../e2e/tap.mjs";
import { byLabel, exported, lacks, model, run } from "./support.mjs";

const missing = lacks("callgrind_annotate", "valgrind");

function callgrindTest(name, body) {
	return test(`callgrind: ${name}`, () => missing ?? body());
}

const number = (text) => Number(text.replaceAll(",", ""));

/** What it prints: its words on the recording, and figures of functions by event, a line of "*" for each in a tree. */
function annotated(file, events, ...args) {
	const text = run("callgrind_annotate", ["--threshold=100", "--show-percs=no", `--show=${events.join()}`, `--sort=${events[0]}`, ...args, file]);
	const [head, totals, functions] = text.split(/^-+\n[\w ]+?(?:file:function)?\n-+\n/mu);
	const found = {};

	for (const line of functions.split("\n")) {
		const match = line.match(/^([ \d,]+?) +(?:\* +)?(?:\?\?\?|\S+\.c):(.*?) \[.*\]$/u);

		if (match && !/[<>] /u.test(line))
			found[match[2]] = Object.fromEntries(match[1].trim().split(/ +/u).map((figure, i) => [events[i], number(figure)]));
	}
	return { head, found, total: totals.trim().split(/ +/u).slice(0, events.length).map(number), text };
}

const column = (found, event) => Object.fromEntries(Object.entries(found).filter(([, row]) => row[event]).map(([name, row]) => [name, row[event]]));

export async function callgrindTests() {
	await callgrindTest("costs of labels are the figures of the table", () => {
		const data = model("server");
		const events = ["running", "preempted", "blocked", "idle", "suspended", "slices", "cycles", "instructions", "cache_misses"];
		const { found, total } = annotated(exported("server", ".callgrind").file, events);

		for (const event of events)
			assert.deepEqual(column(found, event), byLabel(data, event.replace("_", "-")), event);
		assert.deepEqual([total[0], total[6]], [data.recording[0].running, data.recording[0].cycles]);
	});
	await callgrindTest("spans call spans, recursion is another function, and samples have their callers", () => {
		const { file } = exported("calls", ".callgrind");
		const own = annotated(file, ["wall", "cycles"]).found;
		const { found, text } = annotated(file, ["running", "samples"], "--inclusive=yes", "--tree=both");

		/* As in the tables of calls-gen. */
		assert.equal(own.inner.wall + own["inner'2"].wall, 32000000);
		assert.equal(own.outer.cycles, 96000000);
		assert.deepEqual([found.even.running, found.outer.running, found.inner.running], [40000000, 32000000, 16000000]);
		assert.deepEqual([found.gen_serve.samples, found.gen_parse.samples, found.gen_leaf.samples, found["[kernel]"].samples], [800, 532, 266, 80]);
		assert.match(text, /> +\?\?\?:outer \(400x\)/u);
		assert.match(text, /> +\?\?\?:inner'2 \(800x\)/u);
	});
	await callgrindTest("what has no cost is no event, or is told", () => {
		const { file } = exported("standings", ".callgrind");
		const { head } = annotated(file, ["running"]);
		const [{ slices, lost }] = model("lost").recording;

		assert.match(head, /^Events recorded: .* cache_misses$/mu);
		assert.doesNotMatch(head, /^Events recorded: .*branch/mu);
		assert.match(head, /^counters: branch-misses +unsupported/mu);
		assert.match(head, /^counters: cache-misses +scaled/mu);
		const lossy = annotated(exported("lost", ".callgrind").file, ["running"]).head;

		assert.match(lossy, new RegExp(`^slices: ${slices}, lost ${lost} `, "mu"));
		assert.match(lossy, /^running: at least$/mu);
		assert.match(head, /^cache-misses: scaled$/mu);
		assert.doesNotMatch(head, /^running: /mu);
		const { labels } = model("processes+standings");
		const both = annotated(exported("processes+standings", ".callgrind").file, ["running"]).head;
		const without = labels.filter((row) => row["branch-misses"] === null);

		assert.ok(without.length && without.length < labels.length);
		assert.deepEqual([...both.matchAll(/^no cost: (.*)$/gmu)].map(([, text]) => text).filter((text) => text.startsWith("branch")).sort(),
			without.map((row) => `branch-misses of ${row.name} is ${row["branch-misses_standing"]}`).sort());
	});
}
