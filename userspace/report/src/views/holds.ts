// SPDX-License-Identifier: GPL-2.0
/*
 * Facts of the recording as a whole, in one line: those that hold behind one green mark, which lists them, those that do
 * not in the open as far as there is room, the rest of these behind a button. On paper all of them are there.
 */

import { h } from "../dom";

/** What does not hold is never behind the mark. */
export interface Fact {
	name: string;
	holds: boolean;
	/** The lowest comes first: see RANKS. */
	rank: number;
	element: HTMLElement;
}

/** By the tone of its badge: figures are wrong, or are not what they could be. What more than a tone is said of comes last. */
const RANKS = ["bad", "fair"];
const OTHER = RANKS.length;
export const SAID_ELSEWHERE = OTHER + 1;

export function rankOf(badge: HTMLElement | null): number {
	const rank = RANKS.findIndex((tone) => badge?.classList.contains(tone));

	return rank < 0 ? OTHER : rank;
}

interface Shade {
	element: HTMLElement;
	button: HTMLElement;
	list: HTMLElement;
	open(on: boolean): void;
}

/** A button, and below it a list that it shows, on top of what stands there. */
function shade(of: string, id: string, label: string, title: string, ...text: (Node | string)[]): Shade {
	const list = h("ul", { class: "held", attrs: { id, "aria-label": label } });
	const button = h("button", {
		class: of, title, attrs: { type: "button", "aria-controls": id }, on: { click: () => open(list.hidden) },
	}, ...text);
	const open = (on: boolean) => {
		list.hidden = !on;
		list.style.left = "0";
		/* Within the window, where the button is at its right. */
		list.style.left = `${Math.min(0, document.documentElement.clientWidth - list.getBoundingClientRect().right)}px`;
		button.setAttribute("aria-expanded", String(on));
	};
	const element = h("div", {
		class: "shade",
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
	return { element, button, list, open };
}

/** Null where nothing holds: then there is no mark. @word says what does. */
export function marked(facts: Fact[], word: string): HTMLElement | null {
	if (!facts.length)
		return null;
	const { element, list } = shade("holds", "held", "What holds", "Show what holds", h("span", { attrs: { "aria-hidden": true } }, "✓ "), word);

	list.append(...facts.map((fact) => fact.element));
	return element;
}

/** What does not hold: the list in the open, and what there is no room for. Again when @line has another width. */
export function inTheOpen(facts: Fact[], line: HTMLElement): [HTMLElement, HTMLElement] {
	const ordered = [...facts].sort((a, b) => a.rank - b.rank);
	const list = h("ul", { class: "items", attrs: { "aria-label": "Counters and quality" } });
	const rest = shade("rest", "rest", "More that is not whole, exact or known", "Show what there is no room for");
	const share = () => {
		list.append(...ordered.map(({ element }) => element));
		list.style.flex = "";
		rest.element.hidden = true;
		const isOver = ({ element }: Fact) => element.offsetTop > list.offsetTop + list.clientHeight / 2;

		if (ordered.some(isOver)) {
			/* As wide as it can get. */
			rest.button.textContent = `+${ordered.length} more`;
			rest.element.hidden = false;
			const over = ordered.filter(isOver);

			rest.button.textContent = `+${over.length} more`;
			rest.button.className = `rest ${RANKS[over[0].rank] ?? ""}`;
			rest.list.append(...over.map(({ element }) => element));
		}
		/* It fits: what else is in the line gets the room that is left. */
		list.style.flex = "none";
		rest.open(false);
	};

	new ResizeObserver(share).observe(line);
	return [list, rest.element];
}
