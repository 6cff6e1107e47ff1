// SPDX-License-Identifier: GPL-2.0
/* Building elements. Text only ever enters the page as text nodes. */

import { printable } from "./spell";

type Child = Node | string | null | undefined | false;

export interface Props {
	class?: string;
	title?: string;
	/** What the tooltip says, asked for when it is shown. */
	tip?: () => Tip;
	attrs?: Record<string, string | number | boolean | null>;
	on?: Record<string, (event: any) => void>;
}

/** A tooltip: a heading, and rows of a name and a figure. */
export interface Tip {
	head: string;
	rows?: [string, string][];
	note?: string;
}

const tips = new WeakMap<Element, () => Tip>();

export function tipOf(element: Element): (() => Tip) | undefined {
	return tips.get(element);
}

export function setTip(element: Element, tip: () => Tip): void {
	tips.set(element, tip);
	element.toggleAttribute("data-tip", true);
}

export function h<K extends keyof HTMLElementTagNameMap>(
	tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);

	if (props.class)
		element.className = props.class;
	if (props.title)
		element.title = props.title;
	if (props.tip)
		setTip(element, props.tip);
	for (const [name, value] of Object.entries(props.attrs ?? {}))
		if (value !== null && value !== false)
			element.setAttribute(name, String(value));
	for (const [name, handler] of Object.entries(props.on ?? {}))
		element.addEventListener(name, handler);
	put(element, ...children);
	return element;
}

export function put(element: Element, ...children: Child[]): void {
	for (const child of children)
		if (child)
			element.append(child);
}

export function replace(element: Element, ...children: Child[]): void {
	element.replaceChildren();
	put(element, ...children);
}

/** Its text: where that is what it was, nothing is laid out anew. */
export function say(element: Element, text: string): void {
	if (element.textContent !== text)
		element.textContent = text;
}

/** A text that came from the recording: kept apart from the direction around it. */
export function foreign(text: string, className = ""): HTMLElement {
	return h("bdi", { class: className }, printable(text));
}

const drawings: (() => void)[] = [];

/** All that is drawn in frames, now. */
export function drawAll(): void {
	for (const work of drawings)
		work();
}

/** Calls @work once per frame, however often the result is called. */
export function framed(work: () => void): () => void {
	let asked = false;

	drawings.push(work);
	return () => {
		if (asked)
			return;
		asked = true;
		requestAnimationFrame(() => {
			asked = false;
			work();
		});
	};
}
