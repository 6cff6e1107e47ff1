// SPDX-License-Identifier: GPL-2.0
/* Small controls that more than one view has. */

import { foreign, h } from "./dom";
import { STATES } from "./palette";
import { printable } from "./spell";
import { State, Store } from "./store";

/** A row of radio buttons for one member of the state. */
export function choice<K extends keyof State>(
	store: Store, key: K, title: string, options: [State[K] & string, string][],
	change: (value: State[K] & string) => Partial<State>, group = `choice-${key}`): HTMLElement {
	const inputs = options.map(([value]) => h("input", {
		attrs: { type: "radio", name: group, value },
		on: { change: () => store.set(change(value)) },
	}));

	store.watch((state) => {
		options.forEach(([value], i) => { inputs[i].checked = state[key] === value; });
	});
	return h("fieldset", { class: "choice" }, h("legend", { class: "hidden" }, title),
		...options.map(([, text], i) => h("label", {}, inputs[i], h("span", {}, text))));
}

/** A bar of the five states, which take their share of @sum. */
export function stateBar(times: number[], sum: number): HTMLElement {
	const bar = h("span", { class: "stack", attrs: { "aria-hidden": true } });

	times.forEach((time, i) => {
		if (!time)
			return;
		const part = h("i", { class: STATES[i].name });

		part.style.flexGrow = String(time / sum);
		bar.append(part);
	});
	return bar;
}

/** A bar that is full for all of it; what is not known has none. */
export function shareBar(share: number, colour: string): HTMLElement {
	const part = h("i", {});

	part.style.background = colour;
	part.style.width = `${100 * Math.min(1, share || 0)}%`;
	return h("span", { class: "share-bar", attrs: { "aria-hidden": true } }, share > 0 ? part : null);
}

export function swatch(colour: string): HTMLElement {
	const square = h("i", { class: "swatch", attrs: { "aria-hidden": true } });

	square.style.background = colour;
	return square;
}

type Option = [string, string, boolean?];

export function menuOptions(options: Option[]): HTMLElement[] {
	return options.map(([value, text, disabled]) => h("option", { attrs: { value, disabled: !!disabled } }, printable(text)));
}

/** A menu of options, each with what it stands for; one without can't be chosen. */
export function menu(title: string, options: Option[], change: (value: string) => void): HTMLSelectElement {
	const element = h("select", { class: "menu", attrs: { "aria-label": title }, on: { change: () => change(element.value) } },
		...menuOptions(options));

	return element;
}

export async function toClipboard(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const area = h("textarea", {});

		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand("copy");

		area.remove();
		return done;
	}
}

/** A button that copies a text. */
export function copier(text: () => string): HTMLElement {
	const element = h("button", { class: "quiet", attrs: { type: "button" }, on: { click: () => copy() } }, "Copy");
	const copy = async () => {
		element.textContent = await toClipboard(text()) ? "Copied" : "Copying was refused";
		setTimeout(() => { element.textContent = "Copy"; }, 2000);
	};

	return element;
}

export type Fact = [string, string | Node | null | undefined];

export function facts(...rows: Fact[]): HTMLElement {
	return h("dl", { class: "facts" }, ...rows.filter(([, value]) => value !== null && value !== undefined)
		.map(([name, value]) => h("div", {}, h("dt", {}, name),
			h("dd", {}, typeof value === "string" ? foreign(value) : value))));
}

export function section(title: string, ...content: (Node | null)[]): HTMLElement {
	return h("section", {}, h("h3", {}, title), ...content);
}

/** Of the whole recording whatever is in view: where that is a part, the heading says so. */
export function wholeSection(title: string, ...content: (Node | null)[]): HTMLElement {
	return h("section", {}, h("h3", {}, title, h("span", { class: "of-whole" }, ", of the whole recording")), ...content);
}
