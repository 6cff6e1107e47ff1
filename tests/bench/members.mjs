// SPDX-License-Identifier: GPL-2.0
/* Members of bench.json: what was found, and what was not and why. */
import { writeFileSync } from "node:fs";

export class Members {
	#found = {};

	put(key, unit, how, value) {
		this.#found[key] = { value, unit, how };
	}

	/** Unless it was found before. */
	none(key, unit, how, reason) {
		this.#found[key] ??= { value: null, unit, how, reason };
	}

	/** Leaves them in a file, and prints them. */
	write(file) {
		const members = Object.entries(this.#found).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`);

		writeFileSync(file, `{\n${members.join(",\n")}\n}\n`);
		for (const [key, { value, unit, reason }] of Object.entries(this.#found))
			console.log(`${key.padEnd(27)} ${value === null ? `n/a: ${reason}` : `${Math.round(value * 100) / 100} ${unit}`}`);
	}
}
