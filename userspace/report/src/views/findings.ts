// SPDX-License-Identifier: GPL-2.0
/* What the reader found, in its order: by harm. Each leads to what it is about. */

import { foreign, h } from "../dom";
import { NONE } from "../profile";
import { Store } from "../store";

/** As many as the text says in its head. */
const FIRST = 3;

/** Selects what it is about, and goes to when the worst of it was. */
function go(store: Store, row: number): void {
	const { label, coroutine, begin, end } = store.profile.findings;

	if (Number.isNaN(end[row]))
		store.select("label", label[row]);
	else
		store.goTo(coroutine[row] === NONE ? { kind: "label", index: label[row] } : { kind: "coroutine", index: coroutine[row] },
			begin[row], end[row]);
}

/** A list of those, null without one. */
export function findingsList(store: Store, rows: number[]): HTMLElement | null {
	const { text } = store.profile.findings;

	return rows.length ? h("ul", { class: "findings" }, ...rows.map((row) =>
		h("li", {}, h("button", { class: "finding", attrs: { type: "button" }, on: { click: () => go(store, row) } }, foreign(text[row] ?? ""))))) : null;
}

/** The answer first: the worst of the whole recording, whatever is selected. */
export function verdict(store: Store): HTMLElement | null {
	const list = findingsList(store, [...store.profile.findings.text.keys()].slice(0, FIRST));

	list?.classList.add("verdict");
	list?.setAttribute("aria-label", "What was found first");
	return list;
}
