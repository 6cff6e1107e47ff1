// SPDX-License-Identifier: GPL-2.0
/*
 * What zlib has deflated (RFC 1950), inflated at once. The browser's own
 * DecompressionStream is quicker, but one has to wait for it: it inflates what
 * every page needs before it shows anything, an eighth of all.
 */

import { unzlibSync } from "fflate";

const SUM_BYTES = 4;
const ADLER = 65521;
/** So many bytes' sums of sums are within 2^32. */
const ADLER_BYTES = 5552;

function adler32(bytes: Uint8Array): number {
	let [low, high] = [1, 0];

	for (let at = 0; at < bytes.length;) {
		for (const stop = Math.min(bytes.length, at + ADLER_BYTES); at < stop; at++) {
			low += bytes[at];
			high += low;
		}
		low %= ADLER;
		high %= ADLER;
	}
	return high * 65536 + low;
}

/** fflate does not look at the sum behind what is deflated. */
function isWhole(from: Uint8Array, into: Uint8Array): boolean {
	return new DataView(from.buffer, from.byteOffset + from.length - SUM_BYTES).getUint32(0) === adler32(into);
}

/** As unzlibSync(), which fails in several ways. */
function unpacked(from: Uint8Array, bytes: number): Uint8Array | null {
	try {
		/* One more, so that more than is due shows. */
		return unzlibSync(from, { out: new Uint8Array(bytes + 1) });
	} catch {
		return null;
	}
}

/** So many bytes, of what zlib made of them. Throws where they are not what they were. */
export function inflate(from: Uint8Array, bytes: number): Uint8Array {
	const into = unpacked(from, bytes);

	if (!into || into.length !== bytes || !isWhole(from, into))
		throw new Error("its bytes are not what they were");
	return into;
}

/** As inflate(), by the browser, which looks at the sum itself. Fails where it cannot do that, and if there is more. */
export async function inflateAhead(from: Uint8Array<ArrayBuffer>, bytes: number): Promise<Uint8Array> {
	const reader = new Response(from).body!.pipeThrough(new DecompressionStream("deflate")).getReader();
	const into = new Uint8Array(bytes);
	let at = 0;

	for (let part = await reader.read(); !part.done; part = await reader.read()) {
		into.set(part.value, at);
		at += part.value.length;
	}
	if (at !== bytes)
		throw new Error("its bytes are not what they were");
	return into;
}
