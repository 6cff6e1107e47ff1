// SPDX-License-Identifier: GPL-2.0
// Calls the engine as a page does: copies a recording into its memory, and reads tables out of it.
import { readFileSync } from "node:fs";

/** enum kind of tables/table.h */
export const KINDS = ["text", "id", "count", "events", "ns", "time", "share", "ratio", "word", "flags", "row"];
/** enum standing of base/standing.h, by the names that outputs have */
export const STANDINGS = ["counted", "at least", "at most", "scaled", "at most, scaled", "near", "n/a", "none", "not scheduled", "unsupported"];
/** From here on there is no value. */
export const NA = 6;
export const SELECT = { thread: 0, process: 1, label: 2 };
export const ALL = 0xffffffff;

export function compile(path) {
	return new WebAssembly.Module(readFileSync(path));
}

export class Engine {
	constructor(module) {
		this.exports = new WebAssembly.Instance(module, {}).exports;
		this.exports._initialize();
	}

	get bytes() {
		return new Uint8Array(this.exports.memory.buffer);
	}

	/** What a call returned, or the reason why it failed. */
	check(returned) {
		if (!returned)
			throw new Error(this.text(this.exports.engine_fault()));
		return returned;
	}

	text(at) {
		const { bytes } = this;

		return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
	}

	give(bytes) {
		const at = this.exports.engine_reserve(bytes.length);

		if (!at)
			throw new Error("no memory for the recording");
		this.bytes.set(bytes, at);
		return at;
	}

	open(recording, names, seed = Math.random()) {
		this.check(this.exports.engine_open(this.give(recording), recording.length, this.give(names), names.length, seed));
	}

	/** @selected: rows by what they are of. */
	addUp(from = 0, to = 0, selected = {}) {
		for (const [what, number] of Object.entries(SELECT))
			this.check(this.exports.engine_select(number, selected[what] ?? ALL));
		this.check(this.exports.engine_add_up(from, to));
	}

	/** struct engine_table, with views of its columns: they hold until the next call. */
	table(name) {
		const bytes = new TextEncoder().encode(`${name}\0`);
		const table = this.check(this.exports.engine_table(this.give(bytes)));
		const { buffer } = this.exports.memory;
		const [rows, n, columns, titles] = new Uint32Array(buffer, table, 4);

		return {
			rows,
			columns: Array.from({ length: n }, (_, i) => {
				const [name, kind, values, standings] = new Uint32Array(buffer, columns + 20 * i, 4);

				return {
					name: this.text(name), kind: KINDS[kind],
					values: new Float64Array(buffer, values, rows), standings: new Uint8Array(buffer, standings, rows),
				};
			}),
			titles: titles ? Array.from(new Uint32Array(buffer, titles, rows), (at) => this.text(at)) : null,
		};
	}
}
