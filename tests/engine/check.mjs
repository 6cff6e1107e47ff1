// SPDX-License-Identifier: GPL-2.0
// check.mjs ENGINE.wasm READER FOLDER PACKED.cprof: each table that the engine makes of the recordings in FOLDER/*/, of parts of their time,
// and of threads, processes and labels, is the reader's, cell by cell, with standings, texts and names. Then recordings are
// damaged: the engine has the reader's tables of what is left, or its reason. Prints TAP.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile, Engine, NA, STANDINGS } from "./engine.mjs";
import { damage, randomOf } from "./damage.mjs";

const [wasm, reader, folder, packed] = process.argv.slice(2);
const module = compile(wasm);
const PARTS = 9;
/** Of each kind of rows, so many are selected. */
const SELECTED = 4;
const DAMAGES = 60;
let tables = 0, number = 0, failed = 0;

function test(name, run) {
	try {
		run();
		console.log(`ok ${++number} - ${name}`);
	} catch (error) {
		failed = 1;
		console.log(`not ok ${++number} - ${name}`);
		console.log(String(error.stack).slice(0, 3000).replace(/^/gm, "# "));
	}
}

/** What the reader has of a recording, or its reason for having nothing. */
function native(directory, options) {
	const { stdout, stderr } = spawnSync(reader, ["report", "--format", "json", ...options, "recording"],
		{ cwd: directory, encoding: "utf8", maxBuffer: 1 << 30, env: { ...process.env, TZ: "UTC", LC_ALL: "C.UTF-8" } });

	return stdout ? { report: JSON.parse(stdout) } : { reason: stderr };
}

function wordsOf({ words }, flags) {
	return words.filter((_, bit) => BigInt(flags) >> BigInt(bit) & 1n);
}

/** A cell as exports have it. */
function cell(engine, { kind, values }, about, row) {
	const value = values[row];

	switch (kind) {
	case "text": return value ? engine.text(value) : null;
	case "id": return engine.text(value);
	case "word": return about.words[value] ?? String(value);
	case "flags": return wordsOf(about, value);
	case "share":
	case "ratio": return Number.isFinite(value) ? Number(value.toPrecision(9)) : null;
	default: return value;
	}
}

function compareColumn(engine, name, column, { about, columns, standings }) {
	const is = about[column.name], cells = columns[column.name];

	assert.equal(column.kind, is.kind, `${name}.${column.name}`);
	for (const [at, row] of columns.row.entries()) {
		const where = `${name}.${column.name} of row ${row}`;
		const standing = column.standings[row];

		assert.deepEqual(standing < NA ? cell(engine, column, is, row) : null, cells[at], where);
		if (standings[column.name])
			assert.equal(STANDINGS[standing], standings[column.name][columns.standing[at]], `standing of ${where}`);
	}
}

function compare(engine, report) {
	for (const [name, of] of Object.entries(report.tables)) {
		const table = engine.table(name);

		assert.equal(table.rows, of.rows, `rows of ${name}`);
		assert.deepEqual(table.columns.map((column) => column.name), Object.keys(of.about), `columns of ${name}`);
		if (report.names[name])
			assert.deepEqual(table.titles, report.names[name], `names of rows of ${name}`);
		for (const column of table.columns)
			compareColumn(engine, name, column, of);
		tables++;
	}
}

/** The engine's tables of a part are the reader's, or it fails for the reader's reason. */
function same(engine, directory, options, from, to, selected) {
	const { report, reason } = native(directory, options);
	let why = "";

	try {
		engine.addUp(from, to, selected);
	} catch (error) {
		assert.ok(reason && !(error instanceof WebAssembly.RuntimeError), `${options.join(" ")}: ${error}, and the reader has tables`);
		why = error.message;
	}
	if (report) {
		compare(engine, report);
	} else {
		assert.ok(why, `${options.join(" ")}: the engine has tables, and the reader says: ${reason}`);
		assert.ok(reason.includes(why), `${why}, and the reader says: ${reason}`);
	}
}

function open(directory) {
	const engine = new Engine(module);

	engine.open(readFileSync(join(directory, "recording")), readFileSync(join(directory, "names")));
	return engine;
}

const timed = (from, to) => [...from ? ["--from", `${from}ns`] : [], ...to ? ["--to", `${to}ns`] : []];

/** Any part, or one that begins or ends with the recording. */
function partOf(length, random, n) {
	const [x, y] = [random(length), random(length)].sort((a, b) => a - b);

	return n % 3 === 0 ? [x, 0] : n % 3 === 1 ? [0, y || 1] : [x, y > x ? y : x + 1];
}

/** Rows of a table that an option names, and no other row. */
function named(rows, key) {
	const keys = rows.map(key);

	return [...rows.keys()].filter((row) => keys[row] && keys.indexOf(keys[row]) === keys.lastIndexOf(keys[row]));
}

function rowsOf({ rows, columns }) {
	const all = [];

	for (let at = 0; at < rows; at++)
		all[columns.row[at]] = Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells[at]]));
	return all;
}

/** What may be selected, with the options of the reader that select it. */
function selections({ threads, processes, labels }) {
	const all = rowsOf(processes);
	const of = ({ process }) => ["--process", all[process].pid];
	const listed = (rows, keys, what, option, value, more = () => [], process = () => ({})) => keys.map((row) => ({
		selected: { [what]: row, ...process(rows[row]) }, options: [option, value(rows[row]), ...more(rows[row])],
	}));
	const own = ({ process }) => ({ process });
	const t = rowsOf(threads), l = rowsOf(labels);

	return [
		...listed(all, named(all, ({ pid }) => pid), "process", "--process", ({ pid }) => pid).slice(0, SELECTED),
		...listed(t, named(t, ({ tid }) => tid), "thread", "--thread", ({ tid }) => tid).slice(0, SELECTED),
		...listed(l, named(l, ({ name, process }) => name && all[process]?.pid && `${name} of ${process}`), "label", "--label", ({ name }) => name, of, own).slice(0, SELECTED),
	].map(({ selected, options }) => ({ selected, options: options.map(String) }));
}

function checkRecording(directory, seed) {
	const { report, reason } = native(directory, []);
	const random = randomOf(seed);
	const engine = open(directory);

	assert.ok(report, reason);
	engine.addUp();
	compare(engine, report);
	const length = rowsOf(report.tables.recording)[0].duration;

	for (let n = 0; length && n < PARTS; n++) {
		const [from, to] = partOf(length, random, n);

		same(engine, directory, timed(from, to), from, to);
	}
	for (const [n, { selected, options }] of selections(report.tables).entries()) {
		const [from, to] = length ? partOf(length, random, n) : [0, 0];

		same(engine, directory, options, 0, 0, selected);
		same(engine, directory, [...options, ...timed(from, to)], from, to, selected);
	}
	/* What was selected is forgotten with it. */
	engine.addUp();
	compare(engine, report);
}

/** One that is refused has no engine to ask any more. */
function checkDamaged(directory, bytes) {
	const names = readFileSync(join(directory, "..", "names"));
	const { report, reason } = native(directory, []);
	const engine = new Engine(module);
	let why = "";

	try {
		engine.open(bytes, names);
		engine.addUp();
	} catch (error) {
		assert.ok(!(error instanceof WebAssembly.RuntimeError), `a trap: ${error.stack}`);
		why = error.message;
	}
	assert.ok(why.length > 10 || !why, why);
	/* Damage may make a segment one of zstd. */
	if (why.includes("zstd"))
		return 1;
	if (report)
		compare(engine, report);
	else
		assert.ok(why && reason.includes(why), `'${why}', and the reader says: ${reason}`);
	return why ? 1 : 0;
}

const names = readdirSync(folder).sort();

for (const [at, name] of names.entries())
	test(`tables of ${name}, of its parts, and of what is selected are the reader's`, () => checkRecording(join(folder, name), at));

for (const name of ["kept", "standings", "requests-calls", "torn"]) {
	const whole = readFileSync(join(folder, name, "recording"));
	const random = randomOf(name.length);

	for (const sealed of [false, true])
		test(`${name} with ${sealed ? "damage under good checksums" : "damage"} has the reader's tables, or its reason`, () => {
			for (let n = 0; n < DAMAGES; n++) {
				const bytes = damage(whole, random, sealed);
				const directory = join(folder, name, "damaged");

				writeFileSync(join(directory, "recording"), bytes);
				checkDamaged(directory, bytes);
			}
		});
}
test("what it can't do it refuses in words", () => {
	const directory = join(folder, "kept");
	const engine = open(directory);
	const refused = (why, call) => assert.throws(call, (error) => !(error instanceof WebAssembly.RuntimeError) && error.message.includes(why));

	refused("a recording is open already", () => engine.open(new Uint8Array(8), new Uint8Array()));
	refused("nothing was added up", () => engine.table("labels"));
	for (const [from, to] of [[-1, 0], [NaN, 0], [5, 5], [0, Infinity], [2 ** 60, 0]])
		refused("nothing is between them", () => engine.addUp(from, to));
	refused("no such row", () => engine.addUp(0, 0, { thread: 1000 }));
	engine.addUp();
	refused("no table of this name", () => engine.table("nonsense"));
	assert.ok(engine.table("labels").rows);
	refused("zstd", () => new Engine(module).open(readFileSync(packed), new Uint8Array()));
	refused("it is empty", () => new Engine(module).open(new Uint8Array(), new Uint8Array()));
	refused("list of names", () => new Engine(module).open(readFileSync(join(directory, "recording")), new Uint8Array(7)));
	refused("no recording is open", () => new Engine(module).addUp());
});

test("it needs nothing from outside", () => assert.deepEqual(WebAssembly.Module.imports(module), []));
console.log(`# ${tables} tables compared`);
console.log(`1..${number}`);
process.exit(failed);
