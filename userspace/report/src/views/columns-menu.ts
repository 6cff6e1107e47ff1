// SPDX-License-Identifier: GPL-2.0
/* A menu of the columns of a table: which are shown, and back to how they were. */

import { foreign, h, replace } from "../dom";
import { ColumnSpec } from "../figures";
import { isHidden, reset, setHidden } from "../layout";
import { Store } from "../store";

/** In pixels; and what is left between it and the edge of the window. */
const HIGHEST = 360;
const EDGE = 4;

/** The first column is always there. */
function boxes(store: Store, columns: ColumnSpec[]): HTMLElement[] {
	return columns.slice(1).map(({ key, title, says }) => {
		const box = h("input", {
			attrs: { type: "checkbox", name: key }, on: { change: () => setHidden(store, key, !box.checked) },
		});

		box.checked = !isHidden(store.state, key);
		return h("label", { title: says }, box, foreign(title));
	});
}

export function columnsMenu(store: Store, columns: () => ColumnSpec[]): HTMLElement {
	const list = h("div", { class: "columns-list", attrs: { popover: "manual" } });
	const element = h("details", { class: "columns-menu" }, h("summary", { class: "quiet" }, "Columns"), list);
	const place = () => {
		const { top, bottom, right } = element.getBoundingClientRect();
		const [above, below] = [top, innerHeight - bottom];
		const up = below < Math.min(above, HIGHEST);

		/* Where there is more room, and no higher than that. */
		list.style.top = up ? "auto" : `${bottom}px`;
		list.style.bottom = up ? `${innerHeight - top}px` : "auto";
		list.style.maxHeight = `${Math.min(HIGHEST, Math.max(above, below) - EDGE)}px`;
		list.style.right = `${innerWidth - right}px`;
		/* Browsers that have no popovers show the list where it is. */
		list.togglePopover?.(element.open);
	};
	const draw = () => {
		if (element.open)
			replace(list, ...boxes(store, columns()), h("button", {
				class: "quiet", attrs: { type: "button" }, on: { click: () => { reset(store); draw(); } },
			}, "As they were"));
	};

	element.addEventListener("toggle", ({ target }) => {
		if (target !== element)
			return;
		draw();
		place();
	});
	element.addEventListener("keydown", (event) => {
		if (event.key !== "Escape" || !element.open)
			return;
		event.stopPropagation();
		element.open = false;
		element.querySelector("summary")!.focus();
	});
	addEventListener("pointerdown", ({ target }) => {
		if (!element.contains(target as Node))
			element.open = false;
	});
	return element;
}
