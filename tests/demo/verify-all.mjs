// SPDX-License-Identifier: GPL-2.0
// verify-all.mjs OUT NAME...: holds the pages of the demos below OUT against what their servers are, and were asked for.
// Prints TAP.
import { readFileSync } from "node:fs";
import { coroutinesOf, finish, load, test, want, wantWhole } from "../harness/verify.mjs";

/** The line of a demo's file that has @text. */
function line(file, text) {
	const lines = readFileSync(new URL(file, import.meta.url), "utf8").split("\n");
	return lines.findIndex((one) => one.includes(text)) + 1;
}

const REQUESTS = 30;	// of each path, one after the other
const LUA = "Lua (without wakes)";
const each = (pattern) => ["cheap", "heavy", "waits"].map((kind) => [pattern(kind), REQUESTS]);

// Who tells of each, and which labels it has: of so many coroutines at least.
const demos = {
	haproxy: [[LUA], each((kind) => new RegExp(`^${kind}@.*handlers\\.lua:\\d+$`))],
	boost: [["Boost (without wakes, ends)", "Boost.Fiber"], each((kind) => new RegExp(`\\b${kind}\\b`))],
	erlang: [["Erlang (without wakes)"], each((kind) => new RegExp(`^server:${kind}/1$`))],
	// Attached to once it answers, so that some requests may have been before.
	go: [["probes"], [[/^net\/http\.\(\*Server\)\.Serve/, REQUESTS], [/^main\.hash$/, REQUESTS / 2]]],
	// Of the last seconds, as many as there were then: the guest's clock goes by instructions.
	live: [[LUA], ["cheap", "waits", "reports"].map((kind) => [new RegExp(`^${kind}@.*handlers\\.lua:\\d+$`), REQUESTS])],
	// What never waits is called by the class of its task.
	java: [["Java"], [[/^Server\.waits@Server\.java:/, REQUESTS], [/^sun\.net\.httpserver\.ServerImpl\$Exchange$/, 2 * REQUESTS]]],
	nginx: [[LUA], [[/^main chunk <.*content_by_lua.*>$/, 2 * REQUESTS], [/^nap@.*handlers\.lua:/, REQUESTS], [/^add@.*handlers\.lua:/, REQUESTS]]],
	node: [["Node.js (without wakes)"], each((kind) => new RegExp(`^GET /${kind}$`))],
	php: [["PHP (without wakes)"], each((kind) => new RegExp(`^${kind}@.*server\\.php:\\d+$`))],
	// Queries: 60 that have an answer, and 10 that have none.
	powerdns: [["Boost (without wakes, ends)"], [[/pdns_recursor/, 70]]],
	python: [["Python (without wakes)", "asyncio"], [[/^RequestHandler\.start@/, 3 * REQUESTS], [/^hashes@.*server\.py:\d+$/, REQUESTS]]],
	// Debian's has no names of its static functions.
	qemu: [["QEMU (without wakes)"], [[/qemu-img\+0x/, 1]]],
	ruby: [["Ruby (without wakes)"], each((kind) => new RegExp(`server\\.rb:${line("ruby/server.rb", `'/${kind}' =>`)}$`))],
	rust: [["Rust futures", "tokio (without births)"],
		[...each((kind) => new RegExp(`^server::${kind}\\b`)), [/^server::connection\b/, 3 * REQUESTS], [/^server::render\b/, REQUESTS]]],
};

const [out, ...names] = process.argv.slice(2);

/** What the engine answered of machines that were simulated, against their recordings. */
function testFleet(verdict) {
	test("fleet: the engine answers with the sums of the recordings, to the unit", () => {
		for (const [figure, byLabel] of Object.entries(verdict().recorded))
			for (const [label, value] of Object.entries(byLabel))
				want(value > 0 && verdict().answered[figure][label] === value, `${figure} of ${label}: ${value}, ${verdict().answered[figure][label]}`);
	});
	test("fleet: and of 50 machines with all of their time", () => {
		const { recorded_ns: recorded, answered_ns: answered } = verdict();
		want(Object.keys(recorded).length === 50 && Object.keys(recorded).every((name) => answered[name] === recorded[name]), JSON.stringify(answered));
	});
	test("fleet: the query in the docs names the machine that got slower, no other, and none before", () => {
		const { slower, differ, differed_before: before } = verdict();
		want(Object.keys(differ).join() === slower && Object.keys(before).length === 0, JSON.stringify({ slower, differ, before }));
	});
}

for (const name of names) {
	if (name === "fleet") {
		testFleet(() => JSON.parse(readFileSync(`${out}/demo-fleet/verdict.json`, "utf8")));
		continue;
	}
	const page = () => load(`${out}/demo${name === "haproxy" ? "" : `-${name}`}/profile.html`);
	const [tellers, labels] = demos[name] ?? [[], []];

	test(`${name}: reported by ${tellers.join(", and ")}`, () => {
		const { processes } = page();
		const told = processes.reported_by.map((list) => (list ?? "nobody").split("; ").sort().join("; "));
		want(processes.n > 0 && told.every((list) => list === tellers.join("; ")), JSON.stringify(processes.reported_by));
	});
	for (const [pattern, least] of labels)
		test(`${name}: ${pattern} of at least ${least} coroutines`, () => {
			const data = page();
			const found = coroutinesOf(data, (label) => pattern.test(label));
			want(found.length >= least, `${found.length}; labels: ${data.labels.name.join(", ")}`);
			want(found.every((co) => co.instructions > 0), "one has no instructions");
		});
	if (name === "live")
		test("live: the first finding of the page names the handler that blocks", () => {
			const { findings } = page();
			want(/^this was written because of blocked > 50ms: reports@/.test(findings?.text?.[0] ?? ""), JSON.stringify(findings));
		});
	test(`${name}: nothing is lost, and the sums hold`, () => wantWhole(page()));
}

finish();
