// SPDX-License-Identifier: GPL-2.0
// Damages recordings, by chance that repeats: anywhere, or a segment under checksums that are made anew (cprof(5)).

const HEADER = 24;
const SEGMENT = 48;
const MASK = (1n << 64n) - 1n;

/** @returns a function: a whole number below its argument. */
export function randomOf(seed) {
	let state = BigInt(seed) + 1n;

	return (below) => {
		state = state * 6364136223846793005n + 1442695040888963407n & MASK;
		return Number(state >> 33n) % below;
	};
}

function crc32(bytes) {
	let crc = ~0;

	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++)
			crc = crc >>> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc >>> 0;
}

function step(sum, word) {
	const x = (sum ^ word) * 0x9e3779b97f4a7c15n & MASK;

	return x ^ x >> 32n;
}

function payloadSum(bytes) {
	const padded = new Uint8Array(Math.ceil(bytes.length / 32) * 32);
	const sums = [1n, 2n, 3n, 4n];

	padded.set(bytes);
	for (let at = 0; at < padded.length; at += 8)
		sums[at / 8 % 4] = step(sums[at / 8 % 4], new DataView(padded.buffer).getBigUint64(at, true));
	return Number(sums.reduce(step, BigInt(bytes.length)) & 0xffffffffn);
}

function segmentsOf(bytes) {
	const view = new DataView(bytes.buffer);
	const found = [];

	for (let at = HEADER; at + SEGMENT <= bytes.length; at += SEGMENT + (found.at(-1).size + 7 & ~7))
		found.push({ at, size: view.getUint32(at + 8, true) });
	return found.filter(({ at, size }) => size && at + SEGMENT + size <= bytes.length);
}

function change(bytes, from, size, random) {
	for (let n = 1 + random(3); n; n--)
		bytes[from + random(size)] ^= 1 + random(255);
}

export function damage(whole, random, sealed) {
	const bytes = new Uint8Array(whole);
	const view = new DataView(bytes.buffer);
	const segments = segmentsOf(bytes);
	const { at, size } = segments[random(segments.length)];

	if (!sealed) {
		change(bytes, random(bytes.length - 1), 1, random);
		return random(4) ? bytes : bytes.slice(0, random(bytes.length));
	}
	if (random(5))
		change(bytes, at + SEGMENT, size, random);
	else
		change(bytes, at + 20, 24, random);
	view.setUint32(at + 16, payloadSum(bytes.subarray(at + SEGMENT, at + SEGMENT + size)), true);
	view.setUint32(at + 44, crc32(bytes.subarray(at, at + 44)), true);
	return bytes;
}
