// SPDX-License-Identifier: GPL-2.0
/* Details of the function, or span, that is looked at: what called it, what it called, and its sums. */

import { CallFigure, Calls, CallSheet, shareText, shownLabel, shownWeight, Weight } from "../calls";
import { labelName } from "../columns";
import { foreign, h } from "../dom";
import * as format from "../format";
import { regroup } from "../graph";
import { NONE } from "../profile";
import { Regrouped, Sum } from "../regroup";
import { Store } from "../store";
import { ROOT } from "../tree";
import { facts, section } from "../widgets";
import { linesSection } from "./lines";

const SHOWN = 12;

/** What a function was called by, or has called, and how much of it that was. */
interface Beside {
	of: number;
	sum: Sum;
}

function head(...titles: string[]): HTMLElement {
	return h("thead", {}, h("tr", {}, ...titles.map((title) => h("th", { attrs: { scope: "col" } }, title))));
}

/** A link looks at another function, around which the graph is if it is around one. */
function link(store: Store, calls: Calls, of: number): HTMLElement {
	return h("button", {
		class: "link", attrs: { type: "button" }, on: { click: () => store.set({ of: calls.names.name(of) }) },
	}, foreign(calls.nameOf(of)));
}

function besides(store: Store, calls: Calls, weight: Weight, whole: Sum, title: string, rows: Beside[], rest: [string, Sum]): HTMLElement {
	const line = (name: Node, sum: Sum) => h("tr", {}, h("th", { attrs: { scope: "row" } }, name),
		h("td", {}, weight.text(sum)), h("td", {}, shareText(sum, whole)));
	const more = rows.length - SHOWN;

	return section(title, h("table", { class: "figures of-function" },
		head("", calls.weights.length > 1 ? weight.title : "", "share"), h("tbody", {},
			...rows.slice(0, SHOWN).map(({ of, sum }) =>
				line(of === NONE ? foreign(calls.nameOf(of)) : link(store, calls, of), sum)),
			rest[1].value > 0 && line(h("span", { class: "soft" }, rest[0]), rest[1]))),
		more > 0 ? h("p", { class: "soft" }, `and ${format.plural(more, calls.noun)} more`) : null);
}

function sums(calls: Calls, sheet: CallSheet, row: number): HTMLElement {
	const mean = calls.modes.some(([mode]) => mode === "slice");
	const cells = ({ title, total, mean: average, share, known }: CallFigure) => h("tr", {},
		h("th", { attrs: { scope: "row" } }, foreign(title)),
		h("td", { class: known ? "" : "missing", attrs: known ? {} : { colspan: mean ? 3 : 2 } }, total),
		known && mean && h("td", {}, average ?? null), known && h("td", {}, share ?? null));

	return section("Figures", h("table", { class: "figures of-function" },
		head("", "sum", ...mean ? ["average"] : [], "share"), h("tbody", {}, ...sheet.figures(row).map(cells))));
}

function nodesOf(nodes: Regrouped, at: number[]): Beside[] {
	return at.map((node) => ({ of: nodes.name[node], sum: nodes.sum[node] })).filter(({ sum }) => sum.value > 0);
}

/** What there is to say of it, in the coroutines of the label that is selected, or in all. */
export function functionDetails(store: Store, calls: Calls, of: number): (Node | null)[] {
	const label = shownLabel(store, calls);
	const sheet = calls.sheet(label);
	const row = [...Array(sheet.n).keys()].find((at) => sheet.of(at) === of);
	const weight = shownWeight(store, calls);
	const nodes = regroup(calls, weight, "sandwich", label, of);
	const { rows, note } = calls.about(of);
	const where = label === NONE ? calls.whole : `coroutines of ${labelName(store.profile, label)}${calls.part ? ", as far as chosen" : ""}`;

	if (row === undefined)
		return [h("p", { class: "soft" }, foreign(`None of it in ${where}.`))];
	return [
		facts(["in", where], ...rows ?? []),
		note ? h("p", { class: "soft" }, note) : null,
		h("button", {
			class: "around", attrs: { type: "button" },
			on: { click: () => store.set({ shape: "sandwich", of: calls.names.name(of) }) },
		}, "Callers and callees"),
		besides(store, calls, weight, nodes.sum[ROOT], "Callers", nodesOf(nodes, nodes.callers(ROOT)), ["(outermost)", nodes.uncalled()]),
		besides(store, calls, weight, nodes.sum[ROOT], "Callees", nodesOf(nodes, nodes.children(ROOT)), ["(in itself)", nodes.itself()]),
		sums(calls, sheet, row),
		linesSection(calls, of, label),
	];
}
