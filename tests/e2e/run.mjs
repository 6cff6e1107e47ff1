// SPDX-License-Identifier: GPL-2.0
/* run.mjs MODULES TEMPLATE GENERATOR READER OUT: all browser tests of the report; with E2E_ONLY=NAME, those of nameTests(). */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addressTests } from "./address.mjs";
import { besideTests } from "./beside.mjs";
import { betweenTests } from "./between.mjs";
import { launch } from "./browser.mjs";
import { callsTests, manyCallsTests } from "./calls.mjs";
import { changesTests } from "./changes.mjs";
import { chosenTests } from "./chosen.mjs";
import { densityTests } from "./density.mjs";
import { divideTests } from "./divide.mjs";
import { describedBy, fixture, page } from "./fixture.mjs";
import { addModes, addSamples, addSpans } from "./fixture-calls.mjs";
import { filterTests } from "./filter.mjs";
import { followTests } from "./follow.mjs";
import { graphTests } from "./graphs.mjs";
import { headerTests } from "./header.mjs";
import { helpTests } from "./help.mjs";
import { HOSTILE, hostileTests } from "./hostile.mjs";
import { layoutTests } from "./layout.mjs";
import { legendTests } from "./legend.mjs";
import { linesTests } from "./lines.mjs";
import { latencyTests } from "./latency.mjs";
import { liveTests } from "./live.mjs";
import { lookTests } from "./look.mjs";
import { momentsTests } from "./moments.mjs";
import { marksTests } from "./marks.mjs";
import { namesTests } from "./names.mjs";
import { onlyTests } from "./only.mjs";
import { paperTests } from "./paper.mjs";
import { pictureTests } from "./picture.mjs";
import { pipelineTests } from "./pipeline.mjs";
import { tableTests } from "./table.mjs";
import { rawOf } from "./tables.mjs";
import { stacksPictureTests, stacksTests } from "./stacks.mjs";
import { finish } from "./tap.mjs";
import { sampledTests } from "./sampled.mjs";
import { slicesTests } from "./slices.mjs";
import { slowTests } from "./slow.mjs";
import { spansTests } from "./spans.mjs";
import { sizeTests, timelineTests } from "./timeline.mjs";
import { timesTests } from "./times.mjs";
import { toolTests } from "./tool.mjs";
import { windowTests } from "./window.mjs";

const LABELS = ["http::accept", "http::serve_request", "db::query", "cache::lookup", "json::encode",
	"tls::handshake", "log::flush", "timer::tick", "gc", "metrics::export",
	"std::coroutine_handle<task<result<std::vector<int>>>>::resume", "sleepy"];

const [modules, template, generator, reader, out] = process.argv.slice(2);

function write(name, data) {
	const file = join(out, name);

	writeFileSync(file, page(template, data));
	return file;
}

/** Runs these tests, if they are wanted. */
async function group(name, tests) {
	if ((process.env.E2E_ONLY ?? name) === name) await tests();
}

/** Data of a page that the reader wrote of a small recording. */
function described() {
	const [recording, file] = ["cprof", "html"].map((end) => join(out, `described.${end}`));

	execFileSync(generator, [recording, "standings"]);
	execFileSync(reader, ["-o", file, recording], { stdio: ["ignore", "ignore", "pipe"] });
	return rawOf(file);
}

mkdirSync(out, { recursive: true });
describedBy(described());
const browser = await launch(modules);

try {
	const plain = fixture({ labels: LABELS });
	const plainFile = write("fixture.html", plain);
	const large = fixture({ labels: LABELS, coroutines: 100000, slices: 200000, seed: 2 });

	await group("table", () => tableTests(browser, plainFile, plain, { template, out }));
	await group("timeline", () => timelineTests(browser, plainFile, plain));
	const calls = addModes(addSpans(addSamples(fixture({ labels: LABELS }), { throttled: 2, lost: 7 })));
	const callsFile = write("fixture-calls.html", calls);

	await group("calls", () => callsTests(browser, { file: callsFile, data: calls, without: plainFile, template, out }));
	await group("graph", () => graphTests(browser, { file: callsFile, data: calls, out }));
	await group("manyCalls", () => manyCallsTests(browser, write("fixture-many-calls.html",
		addSpans(addSamples(fixture({ labels: LABELS }), { nodes: 20000 }), { nodes: 10000, chain: 3000 }))));
	await group("header", () => headerTests(browser, template, out));
	const hostileFile = write("fixture-hostile.html",
		addSpans(addSamples(fixture({ labels: HOSTILE, seed: 3 }), { names: HOSTILE }), { names: HOSTILE }));
	const largeFile = write("fixture-large.html", large);

	await group("hostile", () => hostileTests(browser, hostileFile));
	await group("size", () => sizeTests(browser, largeFile, large));
	await group("stacks", () => stacksTests(browser, { generator, reader, out }, ["standings", "lost", "server", 100000]));
	await group("stacksPicture", () => stacksPictureTests(browser, { generator, reader, out }));
	await group("picture", () => pictureTests(browser, { modules, reader, out }));
	await group("tool", () => toolTests(browser, { modules, reader, out }));
	await group("legend", () => legendTests(browser, { callsGenerator: join(modules, "calls-gen"), generator, reader, out }));
	await group("density", () => densityTests(browser, { modules, generator, reader, out }));
	await group("names", () => namesTests(browser, { modules, generator, reader, out }));
	await group("latency", () => latencyTests(browser, { generator, reader, out }));
	await group("address", () => addressTests(browser, { generator, reader, out }));
	await group("help", () => helpTests(browser, { generator, reader, out }));
	await group("changes", () => changesTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("follow", () => followTests(browser, { callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("sampled", () => sampledTests(browser, { callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("lines", () => linesTests(browser, { modules, reader, out }));
	await group("slow", () => slowTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("beside", () => besideTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("times", () => timesTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("divide", () => divideTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("window", () => windowTests(browser, { generator, reader, out }));
	await group("between", () => betweenTests(browser, { generator, reader, out }));
	await group("only", () => onlyTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("chosen", () => chosenTests(browser, { generator, reader, out }));
	await group("spans", () => spansTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("slices", () => slicesTests(browser, { generator, reader, out }));
	await group("moments", () => momentsTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("live", () => liveTests(browser, { modules, reader, out }));
	await group("look", () => lookTests(browser, plainFile, out));
	await group("layout", () => layoutTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("marks", () => marksTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
	await group("filter", () => filterTests(browser, { generator, reader, out, callsFile, callsData: calls }));
	await group("paper", () => paperTests(browser, { plainFile, callsFile, largeFile, hostileFile }));
	await group("pipeline", () => pipelineTests(browser, { generator, callsGenerator: join(modules, "calls-gen"), reader, out }));
} finally {
	await browser.close();
}
process.exitCode = finish();
