// SPDX-License-Identifier: GPL-2.0
/* Who woke coroutines of a label, and whom these woke. */

import { labelName } from "../columns";
import { foreign, h } from "../dom";
import * as format from "../format";
import { NONE } from "../profile";
import { COUNTED, lacking, typical } from "../standings";
import { Store } from "../store";
import { Wake } from "../wakes";

const SHOWN = 6;

type Section = (title: string, ...content: (Node | null)[]) => HTMLElement;

/** Of those of which it is known. */
function readyEach({ count, ready, timed, part }: Wake): string {
	return format.marked(typical(lacking(COUNTED, part || timed < count)), ready / timed, format.time);
}

function list(store: Store, wakes: Wake[], other: (wake: Wake) => number): Node[] {
	const link = (label: number) => h("button", {
		class: "link", attrs: { type: "button" }, on: { click: () => store.select("label", label) },
	}, foreign(labelName(store.profile, label)));

	return [h("table", { class: "figures" }, h("thead", {}, h("tr", {}, ...["", "times", "ready each"].map((text) =>
		h("th", { attrs: { scope: "col" } }, text)))),
	h("tbody", {}, ...wakes.slice(0, SHOWN).map((wake) => h("tr", {},
		h("th", { attrs: { scope: "row" } }, other(wake) === NONE ? "(not reported)" : link(other(wake))),
		h("td", {}, format.marked(lacking(COUNTED, wake.part), wake.count, format.count)),
		h("td", {}, readyEach(wake)))))),
	...wakes.length > SHOWN ? [h("p", { class: "soft" }, `and ${wakes.length - SHOWN} more`)] : []];
}

/** Those that there are any of, of @wakes, those of which there are most first. */
export function wakeSections(store: Store, wakes: Wake[], label: number, section: Section): HTMLElement[] {
	const woken = wakes.filter((wake) => wake.woken === label);
	const waking = wakes.filter((wake) => wake.waker === label);

	return [...woken.length ? [section("Woken by", ...list(store, woken, ({ waker }) => waker))] : [],
		...waking.length ? [section("Wakes", ...list(store, waking, ({ woken }) => woken))] : []];
}
