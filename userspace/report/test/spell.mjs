// SPDX-License-Identifier: GPL-2.0
/*
 * Names that differ are shown differently, and nothing in them is invisible: spell.mjs MODULES, where MODULES
 * is the folder that holds node_modules.
 */
import assert from "node:assert/strict";
import { finish, test } from "../../../tests/e2e/tap.mjs";
import { load } from "./load.mjs";

const { asIs, NAMELESS, sought, visible } = await load("./spell");

/* What is drawn as nothing, or as a space, of the Unicode Character Database: by hand, not by the properties that the page asks. */
const NOTHING = [
	[0x00, 0x1f], [0x7f, 0xa0], [0xad, 0xad], [0x34f, 0x34f], [0x61c, 0x61c], [0x115f, 0x1160], [0x1680, 0x1680], [0x17b4, 0x17b5],
	[0x180b, 0x180f], [0x2000, 0x200f], [0x2028, 0x202f], [0x205f, 0x206f], [0x2800, 0x2800], [0x3000, 0x3000], [0x3164, 0x3164],
	[0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffb], [0x1bca0, 0x1bca3], [0x1d173, 0x1d17a], [0xe0000, 0xe0fff],
];
const unseen = NOTHING.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)));

await test("spell: no invisible character is left, wherever it stands, and each is told from all others", () => {
	for (const [before, after] of [["", ""], ["a", "b"], ["", "b"], ["a", ""]]) {
		const shown = unseen.map((one) => visible(before + one + after));

		assert.deepEqual(shown.filter((text) => unseen.some((one) => text.includes(one))), []);
		assert.equal(new Set(shown).size, unseen.length);
	}
});

/** All texts of up to @length of some characters. */
function texts(length, characters) {
	let all = [""];

	while (length--)
		all = [...new Set(all.flatMap((text) => [text, ...characters.map((character) => text + character)]))];
	return all;
}

await test("spell: of all texts of up to six characters no two are shown alike", () => {
	const all = texts(6, ["a", " ", "\u200b", "\u2420", "\u27e8", "\u27e9"]);
	const shown = new Map();

	for (const text of all) {
		const now = visible(text);

		assert.ok(!shown.has(now), `${JSON.stringify(text)} and ${JSON.stringify(shown.get(now))} are both shown as ${now}`);
		shown.set(now, text);
		/* Where HTML has spaces, one more or less is not seen. */
		assert.doesNotMatch(now, /^ | $| {2}/);
	}
	assert.ok(all.length > 50000);
});

await test("spell: an empty name has a name that no other can have, and words that are spelled stay as they are", () => {
	assert.equal(visible(""), NAMELESS);
	assert.notEqual(visible(NAMELESS), NAMELESS);
	for (const name of ["GET /heavy", "std::vector<int>::operator()", "日本🙂", "مرحبا", "a-b.c:31"])
		assert.equal(visible(name), name);
	assert.equal(visible("same "), "same␠");
	assert.equal(visible("two  words"), "two␠␠words");
	assert.equal(visible("\u001b[31m"), "␛[31m");
});

await test("spell: what is looked for is found as it is, and as it is shown", () => {
	assert.ok(sought((spell) => spell("Same ")).includes("same "));
	assert.ok(sought((spell) => spell("Same ")).includes("same␠"));
	assert.equal(sought(() => "Plain"), "plain");
	assert.equal(asIs("a "), "a ");
});

process.exitCode = finish();
