// SPDX-License-Identifier: GPL-2.0
/*
 * What zlib deflates is inflated to what it was, and what was damaged is not taken:
 * inflate.mjs MODULES, where MODULES is the folder that holds node_modules.
 */
import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { finish, test } from "../../../tests/e2e/tap.mjs";
import { load } from "./load.mjs";

const { inflate, inflateAhead } = await load("./inflate");
/** zlib's ways: as they come, codes alone, runs of one byte, the usual codes. */
const STRATEGIES = [0, 2, 3, 4];
const LEVELS = [0, 1, 6, 9];

let seed = 1;

/** The same numbers each time. */
function chance(below) {
	seed = (seed * 1103515245 + 12345) % 2 ** 31;
	return Math.floor(seed / 2 ** 31 * below);
}

/** Bytes of which @many are different, and most of these seldom. */
function some(length, many) {
	return Uint8Array.from({ length }, () => chance(1 + chance(many)));
}

function* samples() {
	for (const many of [1, 2, 20, 256])
		for (const length of [0, 1, 2, 257, 258, 259, 1000, 70000])
			yield some(length, many);
	/* Copies from as far back as there are, and of each length. */
	const far = some(32768, 256);

	yield Uint8Array.from([...far, ...far, ...far.subarray(0, 100)]);
	for (let length = 3; length < 300; length++)
		yield Uint8Array.from([...far.subarray(0, 400), ...far.subarray(7, 7 + length), 1]);
}

await test("inflate: bytes come back, however zlib has deflated them", () => {
	for (const bytes of samples())
		for (const level of LEVELS)
			for (const strategy of STRATEGIES)
				assert.ok(Buffer.from(inflate(deflateSync(bytes, { level, strategy }), bytes.length)).equals(Buffer.from(bytes)),
					`${bytes.length} bytes, level ${level}, strategy ${strategy}`);
});

await test("inflate: what was cut off, or has a bit turned, is refused or comes back", () => {
	for (const level of LEVELS)
		for (let times = 0; times < 500; times++) {
			const bytes = some(1 + chance(500), 1 + chance(256));
			const deflated = deflateSync(bytes, { level });
			const turned = Uint8Array.from(deflated);

			/* The first two bytes say how it is deflated, which is known. */
			turned[2 + chance(turned.length - 2)] ^= 1 << chance(8);
			try {
				assert.ok(Buffer.from(inflate(turned, bytes.length)).equals(Buffer.from(bytes)));
			} catch (error) {
				assert.match(error.message, /not what they were/);
			}
			assert.throws(() => inflate(deflated.subarray(0, chance(deflated.length)), bytes.length), /not what they were/);
			assert.throws(() => inflate(deflated, bytes.length + 1), /not what they were/);
			assert.throws(() => inflate(deflated, bytes.length - 1), /not what they were/);
		}
});

await test("inflate: ahead of its use, bytes come back, and what is damaged, cut off or of another length does not", async () => {
	for (const bytes of samples()) {
		const deflated = deflateSync(bytes);
		const last = deflated.length - 1, damaged = Uint8Array.from(deflated);

		damaged[last] ^= 1;
		assert.ok(Buffer.from(await inflateAhead(deflated, bytes.length)).equals(Buffer.from(bytes)));
		await assert.rejects(inflateAhead(damaged, bytes.length));
		await assert.rejects(inflateAhead(deflated.subarray(0, last), bytes.length));
		for (const other of [bytes.length + 1, bytes.length - 1])
			await assert.rejects(inflateAhead(deflated, other));
	}
});

process.exitCode = finish();
