// SPDX-License-Identifier: GPL-2.0
/* One tooltip for the whole page. */

import { h, replace, Tip, tipOf } from "./dom";
import { printable } from "./spell";

const SPACE = 12;

let box: HTMLElement;

function place(x: number, y: number): void {
	const { offsetWidth: width, offsetHeight: height } = box;
	const left = x + SPACE + width > innerWidth ? x - SPACE - width : x + SPACE;
	const top = y + SPACE + height > innerHeight ? y - SPACE - height : y + SPACE;

	box.style.left = Math.max(4, left) + "px";
	box.style.top = Math.max(4, top) + "px";
}

export function showTip(tip: Tip, x: number, y: number): void {
	replace(box,
		h("strong", {}, h("bdi", {}, printable(tip.head))),
		tip.rows?.length ? h("table", {}, h("tbody", {}, ...tip.rows.map(([name, figure]) =>
			h("tr", {}, h("th", { attrs: { scope: "row" } }, printable(name)),
				h("td", {}, printable(figure)))))) : null,
		tip.note ? h("p", {}, printable(tip.note)) : null);
	box.hidden = false;
	place(x, y);
}

export function hideTip(): void {
	box.hidden = true;
}

/** Shows the tips given to elements by setTip(), for pointer and for keyboard. */
export function watchTips(): void {
	box = h("div", { class: "tip", attrs: { role: "tooltip", id: "tip", hidden: "" } });
	document.body.append(box);

	const find = (target: EventTarget | null) =>
		target instanceof Element ? target.closest("[data-tip]") : null;

	document.addEventListener("pointermove", (event) => {
		if (event.target instanceof HTMLCanvasElement)
			return;
		const element = find(event.target);

		if (element)
			showTip(tipOf(element)!(), event.clientX, event.clientY);
		else
			hideTip();
	});
	document.addEventListener("focusin", (event) => {
		const element = find(event.target);

		if (!element || !(element as HTMLElement).matches(":focus-visible"))
			return;
		const { left, bottom } = element.getBoundingClientRect();

		showTip(tipOf(element)!(), left, bottom);
	});
	document.addEventListener("focusout", hideTip);
	document.addEventListener("keydown", (event) => {
		if (event.key === "Escape")
			hideTip();
	});
}
