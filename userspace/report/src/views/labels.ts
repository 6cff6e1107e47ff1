// SPDX-License-Identifier: GPL-2.0
/* Which label has which colour, for pictures without a table beside them; a click selects it, another one nothing. */

import { labelName } from "../columns";
import { foreign, h, replace } from "../dom";
import * as format from "../format";
import { onPalette, rankColour } from "../palette";
import { NONE, Profile } from "../profile";
import { Store } from "../store";
import { swatch } from "../widgets";

/** So many are named, those that ran for longest; and that which is selected. */
const NAMED = 12;

/** Labels that have a colour, in the order of those. */
export function coloured({ labels: { rank } }: Profile): number[] {
	return [...rank.keys()].filter((label) => rank[label] !== NONE).sort((a, b) => rank[a] - rank[b]);
}

/** @outside: what ran in no coroutine is in the picture, too. */
export function labelLegend(store: Store, outside: boolean): HTMLElement {
	const { profile } = store;
	const all = coloured(profile);
	const element = h("div", { class: "label-legend", attrs: { role: "group", "aria-label": "Labels" } });
	const buttons = new Map<number, HTMLElement>();

	const isChosen = (label: number) => store.state.selected?.kind === "label" && store.state.selected.index === label;
	const one = (label: number) => h("button", {
		class: "quiet", tip: () => ({ head: labelName(profile, label) }), attrs: { type: "button" },
		on: { click: () => isChosen(label) ? store.set({ selected: null }) : store.select("label", label) },
	}, swatch(rankColour(profile.labels.rank[label])), foreign(labelName(profile, label)));

	const draw = () => {
		const named = all.filter((label, at) => at < NAMED || label === store.selectedLabel());
		const more = all.length - named.length;

		buttons.clear();
		named.forEach((label) => buttons.set(label, one(label)));
		replace(element, ...buttons.values(),
			more ? h("button", { class: "quiet", attrs: { type: "button" }, on: { click: () => store.set({ view: "table", by: "label" }) } },
				`${format.plural(more, "more label")}, in the table`) : "",
			outside && all.length < profile.labels.n ? h("span", {}, swatch(rankColour(NONE)), "outside coroutines") : "");
		press();
	};
	const press = () => buttons.forEach((button, label) => button.setAttribute("aria-pressed", String(isChosen(label))));

	store.watch((_, changed) => {
		/* Not at each step of a zoom. */
		if (!changed.has("selected"))
			return;
		const selected = store.selectedLabel();

		if (!buttons.size || selected !== NONE && profile.labels.rank[selected] !== NONE && !buttons.has(selected))
			draw();
		else
			press();
	});
	onPalette(draw);
	return element;
}
