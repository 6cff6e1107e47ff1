// SPDX-License-Identifier: GPL-2.0
/* Recordings made up, what the reader makes of them, and the readers of others. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [modules, generator, callsGenerator, reader, out] = process.argv.slice(2);

export { modules, out };

const LARGEST = 1 << 30;

/** What a program prints; what it says on standard error when it fails is the failure. */
export function run(program, args, options = {}) {
	const { status, stdout, stderr, error } = spawnSync(program, args,
		{ encoding: "utf8", maxBuffer: LARGEST, stdio: ["ignore", "pipe", "pipe"], ...options });

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

/** The file that the reader makes of a recording, in the form that @end asks for; what it says is in @said. */
export function exported(name, end, args = []) {
	const file = join(out, `${name}${end}`);
	const { status, stderr } = spawnSync(reader, ["-o", file, ...args, recording(name)],
		{ encoding: "utf8", maxBuffer: LARGEST });

	if (status !== 0)
		throw new Error(`coroprof-read -o ${file}: status ${status}: ${stderr}`);
	return { file, said: stderr };
}

const models = {};

/** Every row of a column of the page, whether it was written as one number or not. */
export function rows(data, n) {
	return Array.isArray(data) ? data.map(Number) : new Array(n).fill(Number(data));
}

/** The data of the page of a recording: all figures must be those. */
export function model(name) {
	if (!models[name]) {
		const text = readFileSync(exported(name, ".html").file, "utf8");
		const [, json] = text.match(/<script type="application\/json" id="data">([\s\S]*?)<\/script>/);

		models[name] = JSON.parse(json);
	}
	return models[name];
}

/** Figures by name of label. @of gives one column of @labels. */
export function byLabel(data, of) {
	const figures = rows(of(data.labels), data.labels.n);

	return Object.fromEntries(data.labels.name.map((label, row) => [label, figures[row]]));
}

export const sum = (numbers) => [...numbers].reduce((a, b) => a + b, 0);
