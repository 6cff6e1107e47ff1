// SPDX-License-Identifier: GPL-2.0
/*
 * How names that a program chose are written. What is shown of two that differ differs to the eye: nothing in
 * a name is invisible, and what stands for something invisible is spelled, too, where a name has it.
 */

/** How a name is written: as it is shown, or, for what is looked for and copied, as it is. */
export type Spell = (name: string) => string;

/** Of a name without characters. Not to be mixed up with one of these: it would have ⟨27e8⟩ for ⟨. */
export const NAMELESS = "\u27e8no name\u27e9";

/** As they are: most names are of these. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;
/** Control, format, not assigned and private characters, separators of lines, what is to be ignored where it can't be drawn, an empty cell of Braille. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** What stands for others below. */
const SPELLED = /[\u2400-\u2426\u27e8\u27e9]/gu;
/** Any space but the one between two words. */
const SPACES = /(?! )\p{Zs}|^ +| +$| {2,}/gu;

function spelled(character: string): string {
	const code = character.codePointAt(0)!;

	/* Of the controls of ASCII there are pictures. */
	return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421"
		: `\u27e8${code.toString(16).padStart(4, "0")}\u27e9`;
}

/** Makes control, invisible and direction changing characters of any text visible. */
export function printable(text: string): string {
	return text.replace(UNSEEN, spelled);
}

export function visible(name: string): string {
	if (PLAIN.test(name))
		return name;
	return printable(name.replace(SPELLED, spelled)).replace(SPACES, (spaces) => spaces[0] === " " ? "\u2420".repeat(spaces.length) : spelled(spaces)) || NAMELESS;
}

export function asIs(name: string): string {
	return name;
}

/** What words are looked for in: a name as it is, and, where that differs, as it is shown. */
export function sought(name: (spell: Spell) => string): string {
	const [is, shown] = [name(asIs), name(visible)];

	return (is === shown ? is : `${is} ${shown}`).toLowerCase();
}
