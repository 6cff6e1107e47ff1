// SPDX-License-Identifier: GPL-2.0
/* Recordings made up, what the reader makes of them, and the readers of others. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tablesIn } from "../e2e/rows.mjs";

const [modules, generator, callsGenerator, reader, out] = process.argv.slice(2);

export { modules, out, reader };
export const coroprof = join(dirname(reader), "coroprof");
export const here = fileURLToPath(new URL(".", import.meta.url));

const LARGEST = 1 << 30;
/* Against a program that never ends: a machine may be busy. */
export const PATIENCE_MS = 300000;

/** What a program prints; what it says on standard error when it fails is the failure. */
export function run(program, args, options = {}) {
	const { status, stdout, stderr, error } = spawnSync(program, args,
		{ encoding: "utf8", maxBuffer: LARGEST, timeout: PATIENCE_MS, stdio: ["ignore", "pipe", "pipe"], ...options });

	if (error?.code === "ETIMEDOUT")
		throw new Error(`${program} ${args.join(" ")}: had not ended after ${PATIENCE_MS / 1000} s`);
	if (error)
		throw error;
	if (status !== 0)
		throw new Error(`${program} ${args.join(" ")}: status ${status}: ${stderr}${stdout}`);
	return stdout;
}

/** Why a program can't be used; undefined if it can. */
export function lacks(program, needed) {
	const { error } = spawnSync(program, ["--help"], { stdio: "ignore" });

	return error ? `${program} is not installed: sudo apt install ${needed}` : undefined;
}

/** A recording made up: a scenario of cprof-gen, or "calls", or "calls-lost", of calls-gen. */
export function recording(name) {
	const file = join(out, `${name}.cprof`);

	if (existsSync(file))
		return file;
	if (name.startsWith("calls"))
		execFileSync(callsGenerator, [file, ...name.split("-").slice(1)]);
	else
		execFileSync(generator, [file, name]);
	return file;
}

/** The file that the reader makes of a recording, or of several with "+" between, in the form that @end asks for; what it says is in @said. */
export function exported(name, end, args = []) {
	const file = join(out, `${name}${end}`);
	const { status, stderr } = spawnSync(reader, ["-o", file, ...args, ...name.split("+").map(recording)],
		{ encoding: "utf8", maxBuffer: LARGEST });

	if (status !== 0)
		throw new Error(`coroprof-read -o ${file}: status ${status}: ${stderr}`);
	return { file, said: stderr };
}

/* Those that JSON has only when they are asked for, one at a time. */
const TIMELINE = ["timeline", "heat", "timeline_wakes", "timeline_spans", "timeline_samples"];

/** All tables of a recording, by name, with their columns. */
export function tablesOf(name) {
	return Object.assign({}, ...[[".json", []], ...TIMELINE.map((table) => [`.${table}.json`, ["--table", table]])]
		.map(([end, args]) => tablesIn(readFileSync(exported(name, end, args).file, "utf8"))));
}

const models = {};

/** All tables of a recording, by name: rows, which are objects. All figures in exports must be those. */
export function model(name) {
	if (!models[name]) {
		models[name] = Object.fromEntries(Object.entries(tablesOf(name)).map(([table, { rows }]) => [table, rows]));
	}
	return models[name];
}

/** One column of the labels, by their names; those without it, or with none of it, are left out. */
export function byLabel({ labels }, column) {
	return Object.fromEntries(labels.filter((row) => row[column]).map((row) => [row.name, row[column]]));
}

/** Likewise of any rows, of which several may have the same name. */
export function sumByName(rows, column) {
	const found = {};

	for (const row of rows.filter(({ [column]: value }) => value))
		found[row.name] = (found[row.name] ?? 0) + row[column];
	return found;
}

export const sum = (numbers) => [...numbers].reduce((a, b) => a + b, 0);
