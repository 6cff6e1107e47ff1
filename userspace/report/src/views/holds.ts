// SPDX-License-Identifier: GPL-2.0
/* Facts that hold, behind one green mark, which lists them; on paper all of them are there. */

import { h } from "../dom";

/** Of the recording as a whole. What does not hold is never behind the mark. */
export interface Fact {
	name: string;
	holds: boolean;
	element: HTMLElement;
}

/** Null where nothing holds: then there is no mark. @word says what does. */
export function marked(facts: Fact[], word: string): HTMLElement | null {
	if (!facts.length)
		return null;
	const list = h("ul", { class: "held", attrs: { id: "held", "aria-label": "What holds" } }, ...facts.map(({ element }) => element));
	const button = h("button", {
		class: "holds", title: "Show what holds", attrs: { type: "button", "aria-controls": "held" }, on: { click: () => open(list.hidden) },
	}, h("span", { attrs: { "aria-hidden": true } }, "✓ "), word);
	const open = (on: boolean) => {
		list.hidden = !on;
		list.style.left = "0";
		/* Within the window, where the mark is at its right. */
		list.style.left = `${Math.min(0, document.documentElement.clientWidth - list.getBoundingClientRect().right)}px`;
		button.setAttribute("aria-expanded", String(on));
	};
	const element = h("li", {
		class: "mark-of-holds",
		on: {
			keydown: (event: KeyboardEvent) => {
				if (event.key !== "Escape" || list.hidden)
					return;
				open(false);
				button.focus();
			},
		},
	}, button, list);

	open(false);
	addEventListener("pointerdown", ({ target }) => {
		if (!element.contains(target as Node))
			open(false);
	});
	return element;
}
