// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER...: holds what was recorded in each guest against what the programs are known to do. Prints TAP.
import { coroutinesOf, finish, recordedIn, test, testNothingMissing, testSleepers, testSleepsAlone, testTurns, testWaits, testWhole, want, wantWhole, wantWork } from "../../harness/verify.mjs";
import { testFunctions, testGreenletFunctions } from "./verify-functions.mjs";

// As in known.py and trios.py: coroutines of a kind, turns, instructions of a unit; a nap in ns.
const [COUNT, TURNS, UNIT, NAP] = [4, 5, 3 * 200000, 2e6];
const KINDS = [["light", 1], ["middle", 5], ["heavy", 20]];
const [BY, WOKEN] = [["await", "async_for", "anext", "comprehension", "context", "types_coroutine"], 20];
// What Python takes for itself, at most: to begin and end a coroutine, and for a turn; for one of trio's, whose sleep is a
// scope that can be cancelled.
const [ONCE, TURN, TRIO_TURN] = [60000, 20000, 130000];

/** The coroutines of a function. */
const coroutines = (data, name) => coroutinesOf(data, (label) => label.startsWith(`${name}@`));

/** What a task awaits is a part of it, whatever stands between the two; what it makes and wakes parts no slice. */
function testAwaits(name, data) {
	test(`${name}: tasks of equal work have that, whatever they await by`, () => {
		// Who enters and leaves a context sleeps twice in a turn.
		const most = BY.map((by) => wantWork(coroutines(data, `by_${by}`), 1, TURNS * 5 * UNIT, ONCE + 6 * TURNS * TURN));
		console.log(`# ${name}: beyond the work at most ${Math.max(...most)} instructions in ${TURNS} turns`);
		for (const part of ["piece", "pieces", "resource", "bridge"])
			want(coroutines(data, part).length === 0, `${coroutines(data, part).length} of ${part}`);
	});
	test(`${name}: a step that wakes ${WOKEN} others and makes ${WOKEN} is one slice`, () => {
		const [co] = coroutines(data, "wakes");
		want(co.slices === 1, `${co.slices} slices`);
		wantWork([co], 1, 40 * UNIT, ONCE + 2 * WOKEN * TURN);
		for (const kind of ["woken", "made"]) want(coroutines(data, kind).length === WOKEN, `${coroutines(data, kind).length} of ${kind}`);
	});
}

/** @loop: asyncio, uvloop or trio, as its files are called; @name: with version and mode */
function testTasks(name, { read, page }, loop, mode) {
	const data = page(`${loop}-${mode}`), turn = loop === "trio" ? TRIO_TURN : TURN;

	test(`${name}: a program does what it does without`, () => {
		const plain = read(`plain-${loop}.output`);
		want(/^520$/m.test(plain) && /status 7/.test(plain), plain + read(`plain-${loop}.errors`));
		want(read(`${loop}-${mode}.output`) === plain, read(`${loop}-${mode}.output`) + read(`${loop}-${mode}.errors`));
	});
	testTurns(name, "task", (kind) => coroutines(data, kind),
		{ count: COUNT, turns: TURNS, unit: UNIT, life: ONCE + TURNS * turn });
	test(`${name}: what is awaited is no coroutine of its own`, () => {
		for (const kind of ["turns", "nap"])
			want(coroutines(data, kind).length === 0, `${coroutines(data, kind).length} of ${kind}`);
	});
	test(`${name}: each was made by the task that made it`, () => {
		const [main] = coroutines(data, "main");
		for (const kind of ["light", "heavy", "naps", "waits", "fails"])
			for (const co of coroutines(data, kind)) want(co.parent === main.id, `${co.label}: ${co.parent}, not ${main.id}`);
	});
	testSleepers(name, "the loop", KINDS.flatMap(([kind]) => coroutines(data, kind)), TURNS, NAP);
	// asyncio asks epoll_wait() for whole milliseconds, rounded up.
	testSleepsAlone(name, coroutines(data, "naps"), TURNS, NAP, 1.1e6);
	testWaits(name, coroutines(data, "waits"), 20 * UNIT);
	for (const [kind, how] of [["cancelled", "is cancelled"], ["fails", "fails"], ["threaded", "runs on another thread"],
		["forked", "runs in a forked child"],
		...(loop === "trio" ? [] : [["given_up", "is given up"], ["driven", "is driven by the program's own loop"]])])
		test(`${name}: one that ${how} has its work`, () => {
			const known = (kind === "driven" ? TURNS : 5) * UNIT;
			const more = wantWork(coroutines(data, kind), 1, known, ONCE + 3 * turn);
			console.log(`# ${name}: ${kind}: beyond its work ${more} instructions`);
		});
	if (loop !== "trio") testAwaits(name, data);
	testNothingMissing(name, read(`${loop}-${mode}.errors`));
	testWhole(name, data);
}

// As in greenlets.py: instructions of a unit; whether there is a scheduler, which lets them sleep.
const GREEN_UNIT = 3 * 50000;
const GREENLETS = [["greenlet", "ioctl", false], ["greenlet", "user", false], ["gevent", "user", true], ["eventlet", "user", true]];

function testGreenlets(name, { read, page }, layer, mode, sleeps) {
	const data = page(`${layer}-${mode}`);

	test(`${name}: a program does what it does without`, () => {
		const plain = read(`plain-${layer}.output`);
		want(/^104$/m.test(plain) && /^5$/m.test(plain) && /status 7/.test(plain), plain + read(`plain-${layer}.errors`));
		want(read(`${layer}-${mode}.output`) === plain, read(`${layer}-${mode}.output`) + read(`${layer}-${mode}.errors`));
	});
	testTurns(name, "greenlet", (kind) => coroutines(data, kind),
		{ count: COUNT, turns: TURNS, unit: GREEN_UNIT, life: ONCE + TURNS * TURN });
	for (const [kind, how] of [["killed", "is killed"], ["fails", "fails"], ["threaded", "runs on another thread"],
		["forked", "runs in a forked child"], ...(sleeps ? [] : [["given_up", "is given up"]])])
		test(`${name}: one that ${how} has its work`, () => {
			// Who fails has its exception told by gevent and eventlet, which read source files for that.
			const more = kind === "fails" && sleeps ? 40e6 : ONCE + 3 * TURN;
			console.log(`# ${name}: ${kind}: beyond its work ${wantWork(coroutines(data, kind), 1, 5 * GREEN_UNIT, more)} instructions`);
		});
	if (sleeps) {
		test(`${name}: one that sleeps alone is suspended for that long, each time to within a millisecond`, () => {
			const [co] = coroutines(data, "naps");
			console.log(`# ${name}: suspended ${co.suspended} ns, slept ${TURNS * NAP} ns`);
			want(co.suspended >= TURNS * NAP && co.suspended <= TURNS * (NAP + 1.1e6), JSON.stringify(co));
		});
		test(`${name}: one that waits for another is suspended while that works`, () => {
			const [co] = coroutines(data, "waits");
			console.log(`# ${name}: suspended ${co.suspended} ns, the other worked ${20 * GREEN_UNIT} ns`);
			want(co.suspended >= 20 * GREEN_UNIT && co.suspended <= 20 * GREEN_UNIT + 2e6, JSON.stringify(co));
		});
	}
	test(`${name}: no switch was missed, nothing is lost or said to be missing, and the sums hold`, () => {
		want(Number(data.recording.unreported) === 0, `${data.recording.unreported} slices`);
		want(!/not recorded/.test(read(`${layer}-${mode}.errors`)), read(`${layer}-${mode}.errors`));
		wantWhole(data);
	});
}

function testGives(name, { page }) {
	test(`${name}, user: one that only gives way is ready, and never awaiting`, () => {
		const [co] = coroutines(page("gevent-user"), "polite");
		want(co.gaps >= TURNS && co.ready > 0 && co.awaiting === 0, JSON.stringify(co));
	});
}

function testServer(name, { read, page }) {
	test(`${name}: a server answers as it does without`, () => {
		for (const how of ["server", "server-attached"])
			want(read(`${how}.output`) === read("server-plain.output"), `${how}: ${read(`${how}.output`)}`);
		want(read("server.output").match(/^waited$/gm)?.length === 5 && /status 0/.test(read("server.output")), read("server.output") + read("server.log"));
	});
	for (const [server, how, first] of [["server", "recorded from its start", 1], ["server-attached", "attached to", 0]])
		test(`${name}, ${how}: its connections are coroutines, and so are tasks of its handlers`, () => {
			const data = page(server);
			const connections = coroutines(data, "RequestHandler.start"), tasks = coroutines(data, "hashes");
			want(connections.length >= 16 + first, `${connections.length} connections of ${16 + first}`);
			want(tasks.length === 5, `${tasks.length} tasks of 5`);
			wantWhole(data);
		});
	for (const server of ["server", "server-attached"])
		test(`${name}, ${server}: each request is a coroutine that is called by its method and route`, () => {
			const data = page(server);
			for (const path of ["/cheap", "/heavy", "/waits", "/quit"]) {
				// The first of all is asked until there is an answer; who attaches comes after it.
				const sent = path === "/quit" ? 1 : path === "/cheap" && server === "server" ? 6 : 5;
				const found = coroutinesOf(data, (label) => label === `GET ${path}`).length;
				want(found === sent, `${found} of GET ${path}, not ${sent}`);
			}
		});
}

for (const folder of process.argv.slice(2)) {
	const guest = recordedIn(folder);
	const version = guest.read("version").trim(), libraries = JSON.parse(guest.read("libraries"));
	const called = (library) => `${version}, ${[library, libraries[library]].join(" ").trim()}`;

	test(`${version}: a program of which no adapter tells does what it does without`, () =>
		want(guest.read("off.output") === guest.read("plain-asyncio.output"), guest.read("off.output") + guest.read("off.errors")));
	for (const loop of ["asyncio", "uvloop", "trio"])
		for (const mode of ["ioctl", "user"]) testTasks(`${called(loop)}, ${mode}`, guest, loop, mode);
	for (const [layer, mode, sleeps] of GREENLETS) testGreenlets(`${called(layer)}, ${mode}`, guest, layer, mode, sleeps);
	testGives(called("gevent"), guest);
	testServer(called("aiohttp"), guest);
	testFunctions(folder);
	for (const layer of ["greenlet", "gevent"])
		testGreenletFunctions(called(layer), layer, guest, { count: COUNT, turns: TURNS, unit: GREEN_UNIT, kinds: KINDS });
}

finish();
