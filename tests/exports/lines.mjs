// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines and functions put into others, in each export that has a place for them: a
 * recording with a sample at each address of an object is what addr2line says of these.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "../e2e/tap.mjs";
import { exported, lacks, model, modules, out, run } from "./support.mjs";

const object = join(out, "inlined.so");

/** Where its code begins and ends. */
function code() {
	const symbols = run("nm", ["-S", "--defined-only", object]).matchAll(/^(\w+) (\w+) [tT] (\w+)$/gmu);
	const functions = [...symbols].map(([, begin, size]) => [parseInt(begin, 16), parseInt(begin, 16) + parseInt(size, 16)]);

	return [Math.min(...functions.map(([begin]) => begin)), Math.max(...functions.map(([, end]) => end)), functions];
}

/** Of each address of a function, its places from the innermost: function, file, line. */
function addr2line() {
	const [, , functions] = code();
	const addresses = functions.flatMap(([begin, end]) => Array.from({ length: end - begin }, (_, i) => `0x${(begin + i).toString(16)}`));
	const text = run("addr2line", ["-a", "-i", "-f", "-e", object, ...addresses]);

	return text.split(/^0x\w+\n/mu).slice(1).map((stack) => {
		const lines = stack.trim().split("\n");

		return Array.from({ length: lines.length / 2 }, (_, i) => {
			const [, file, line] = lines[2 * i + 1].match(/^(.*?):(\d+)/u);

			return { name: lines[2 * i], file, line: Number(line) };
		});
	});
}

/** Own and total figures by what @key says of a place; each of a stack counts once. */
function figures(stacks, key) {
	const own = {};
	const total = {};

	for (const stack of stacks) {
		own[key(stack[0])] = (own[key(stack[0])] ?? 0) + 1;
		for (const name of new Set(stack.map(key)))
			total[name] = (total[name] ?? 0) + 1;
	}
	return { own, total };
}

const isNot0 = (row) => Object.fromEntries(Object.entries(row).filter(([, n]) => n));
const place = ({ name, file, line }) => `${name} ${basename(file)}:${line}`;

function record() {
	const [begin, end] = code();
	const file = join(out, "lines.cprof");

	if (!existsSync(file))
		execFileSync(join(modules, "lines-gen"), [file, object, String(begin), String(end)]);
}

function pprofTops(file, ...args) {
	const text = run("go", ["tool", "pprof", "-symbolize=none", "-top", "-nodecount=10000", "-nodefraction=0", "-sample_index=samples", ...args, file]);
	const own = {};
	const total = {};

	for (const [, flat, cum, name] of text.matchAll(/^ *(\d+) +[\d.]+% +[\d.]+% +(\d+) +[\d.]+% {2}(.*?)(?: \(inline\))?$/gmu)) {
		const key = name.replace(/ \S*\//u, " ");

		own[key] = (own[key] ?? 0) + Number(flat);
		total[key] = Math.max(total[key] ?? 0, Number(cum));
	}
	return { own: isNot0(own), total, text };
}

/** Padding between functions is of none of these: it has no line. */
const ofLines = (row) => Object.fromEntries(Object.entries(row).filter(([name]) => /:\d+$/u.test(name)));

export async function linesTests() {
	await test("lines: the tables are what addr2line says", () => {
		record();
		const { lines, functions } = model("lines");
		const { own, total } = figures(addr2line(), place);
		const have = (figure) => Object.fromEntries(lines.filter((row) => row.line && row[figure])
			.map((row) => [`${functions[row.function].name} ${basename(row.file)}:${row.line}`, row[figure]]));
		const sums = (figure) => lines.filter((row) => row.line).reduce((all, row) => {
			const key = `${functions[row.function].name} ${basename(row.file)}:${row.line}`;

			return { ...all, [key]: (all[key] ?? 0) + row[figure] };
		}, {});

		assert.ok(Object.keys(own).length >= 10);
		assert.deepEqual(isNot0(sums("own")), own);
		assert.deepEqual(Object.keys(have("total")).sort(), Object.keys(total).sort());
		assert.ok(lines.some((row) => row.inlined === "yes" && functions[row.function].name === "in_header" && row.file.endsWith(".h")));
		assert.ok(lines.every((row) => functions[row.function].name !== "work" || row.inlined === "no"));
	});
	await test("lines: --no-inline tells functions of the symbol table alone", () => {
		record();
		const { file } = exported("lines", ".csv", ["--no-inline", "--table", "functions"]);
		const names = readFileSync(file, "utf8").split("\n").slice(1).map((row) => row.split(",")[1]);

		assert.ok(names.includes("work") && names.includes("not_inlined"));
		assert.ok(!names.includes("innermost") && !names.includes("middle"));
	});
	await test("lines: pprof has them, and functions put into others as lines of one location", () => lacks("go", "golang-go") ?? pprofLines());
	await test("lines: callgrind has them", () => lacks("callgrind_annotate", "valgrind") ?? callgrindLines());
	await test("lines: speedscope has the line where a function begins", () => {
		record();
		const { shared: { frames } } = JSON.parse(readFileSync(exported("lines", ".speedscope.json").file, "utf8"));
		const begins = Object.fromEntries(frames.filter(({ line }) => line).map(({ name, file, line }) => [name, `${basename(file)}:${line}`]));
		const source = readFileSync(new URL("../unit/symbols/inlined.c", import.meta.url), "utf8").split("\n");
		const at = (text) => 1 + source.findIndex((line) => line.includes(text) && !line.endsWith(";"));

		assert.equal(begins.middle, `inlined.c:${at("unsigned long middle(")}`);
		assert.equal(begins.work, `inlined.c:${at("unsigned long work(")}`);
		assert.match(begins.in_header, /^inlined\.h:\d+$/u);
	});
	await test("lines: Firefox's format has frames of lines, of functions with files", () => {
		record();
		const { threads } = JSON.parse(readFileSync(exported("lines", ".firefox.json").file, "utf8"));
		const { stringArray, frameTable, funcTable, stackTable, samples } = threads.find(({ name }) => name === "samples");
		const own = {};

		for (const [i, stack] of samples.stack.entries()) {
			const frame = stackTable.frame[stack];
			const func = frameTable.func[frame];

			if (frameTable.line[frame] === null)
				continue;
			const key = `${stringArray[funcTable.name[func]]} ${basename(stringArray[funcTable.fileName[func]])}:${frameTable.line[frame]}`;

			own[key] = (own[key] ?? 0) + samples.weight[i];
		}
		assert.deepEqual(own, figures(addr2line(), place).own);
	});
}

function pprofLines() {
	record();
	const { file } = exported("lines", ".pb.gz");
	const { own, total } = figures(addr2line(), place);
	const tops = pprofTops(file, "-lines");

	assert.deepEqual(ofLines(tops.own), own);
	assert.deepEqual(ofLines(tops.total), total);
	/* Go's reader says so of what is not the last line of its location. */
	assert.match(tops.text, /innermost .*\(inline\)$/mu);
	assert.doesNotMatch(tops.text, /not_inlined .*\(inline\)$/mu);
	const listed = run("go", ["tool", "pprof", "-symbolize=none", "-sample_index=samples", "-list=^middle$", file]);
	const line = [...listed.matchAll(/^ *(\d+|\.) +(\d+|\.) +(\d+):(.*)$/gmu)].find(([, , , , text]) => text.includes("x = innermost(x);"));

	assert.equal(Number(line[2]), figures(addr2line(), place).total[`middle inlined.c:${line[3]}`]);
}

function callgrindLines() {
	record();
	const text = readFileSync(exported("lines", ".callgrind").file, "utf8");
	const annotated = run("callgrind_annotate", ["--threshold=100", "--show-percs=no", "--show=samples", "--sort=samples", "--auto=yes", "--context=0", join(out, "lines.callgrind")]);
	const have = {};

	/* Its source of each file follows that name; each line begins with what it cost. */
	for (const part of annotated.split(/^-- Auto-annotated source: /mu).slice(1)) {
		const file = basename(part.split("\n")[0]);
		const source = readFileSync(new URL(`../unit/symbols/${file}`, import.meta.url), "utf8").split("\n");

		for (const [, figure, line] of part.matchAll(/^ *([\d,]+) {2}(?!=>)(.*)$/gmu))
			if (source.includes(line))
				have[line] = (have[line] ?? 0) + Number(figure.replaceAll(",", ""));
	}
	const want = {};

	/* What it says of a line has in it what was called from there. */
	for (const [place, figure] of Object.entries(figures(addr2line(), ({ file, line }) => `${file}:${line}`).total)) {
		const [, file, line] = place.match(/^(.*):(\d+)$/u);
		const source = readFileSync(file, "utf8").split("\n")[line - 1];

		want[source] = (want[source] ?? 0) + figure;
	}
	assert.deepEqual(isNot0(have), want);
	assert.match(text, /^fl=\(\d+\) .*inlined\.h$/mu);
}
