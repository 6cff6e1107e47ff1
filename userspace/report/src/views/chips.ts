// SPDX-License-Identifier: GPL-2.0
/* What is chosen, in one place, each with a button that lets go of it. */

import { callsOf } from "../calls";
import { coroutineName, labelName, threadName } from "../columns";
import { foreign, h, replace } from "../dom";
import * as format from "../format";
import { commandFor } from "../offer";
import { State, Store } from "../store";
import { copier } from "../widgets";

function chip(what: string, text: string, clear: () => void): HTMLElement {
	return h("span", { class: "chip" }, h("span", { class: "soft" }, what), foreign(text),
		h("button", { class: "quiet", attrs: { type: "button", "aria-label": `No ${what}` }, on: { click: clear } }, "✕"));
}

/** Which tables are of the time in view, and how to get the others. */
function partNote({ profile }: Store, { from, to, view, by }: State): HTMLElement[] {
	const command = commandFor(profile, from, to);
	const cut = ["overview", "table"].includes(view) && by !== "coroutine";

	return [h("span", { class: "chip-note" }, cut ? `${by}s are of this time, details of all` : "tables are of the whole recording"),
		...command ? [h("span", { class: "chip-note", title: `Shows this part alone: ${command}` }, "a command for this part: ", copier(() => command))] : []];
}

export function chips(store: Store): HTMLElement {
	const { profile } = store;
	const element = h("div", { class: "chips", attrs: { role: "status", "aria-label": "Chosen" } });
	const names = { label: labelName, coroutine: coroutineName, thread: threadName };

	store.watch((state, changed) => {
		if (!["view", "selected", "of", "from", "to", "by", "filter"].some((key) => changed.has(key as keyof State)))
			return;
		const { view, selected, of, from, to, filter } = state;
		const calls = callsOf(profile, view);
		const part = from > 0 || to < profile.duration;

		replace(element,
			selected && chip(selected.kind, names[selected.kind](profile, selected.index), () => store.set({ selected: null })),
			calls && of && chip(calls.noun, of, () => store.set({ of: "" })),
			filter.trim() && chip("filter", filter.trim(), () => store.set({ filter: "" })),
			part && chip("time", `${format.time(to - from)} from ${format.time(from)}`,
				() => store.set({ from: 0, to: Math.max(profile.duration, 1) })),
			...part ? partNote(store, state) : []);
	});
	return element;
}
