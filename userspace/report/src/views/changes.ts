// SPDX-License-Identifier: GPL-2.0
/* Two recordings: what differs beside the program, and what of each label, span and function. */

import { Table } from "../decode";
import { foreign, h, put } from "../dom";
import * as format from "../format";
import { Profile } from "../profile";
import { Store } from "../store";
import { Figures, Flame, Sides } from "./differences";

const SIDES: Sides = {
	names: ["old", "new"],
	each: "slice",
	reported: ["more", "less", "mixed", "added", "gone"],
	none: "No label has changed beyond noise.",
	more: "coroprof-read --diff … --format csv",
	graph: "as wide as in the new recording; red: more of it in a slice than in the old one, blue: less; a click zooms",
};

export function hasChanges(profile: Profile): boolean {
	return profile.tables.table("compared").n > 0;
}

/* ------------------------------------------------------------------------
 * facts
 */

function facts(table: Table): HTMLElement {
	const [name, old, now, differs, matters] = ["name", "old", "new", "differs", "matters"].map((is) => table.column(is));
	const rows = [...Array(table.n).keys()];

	return h("table", { class: "changes facts" }, h("thead", {}, h("tr", {},
		...["", "old", "new"].map((title) => h("th", { attrs: { scope: "col" } }, title)))),
	h("tbody", {}, ...rows.map((row) => h("tr", { class: differs.index[row] && matters.index[row] ? "differs" : "" },
		h("th", { attrs: { scope: "row" } }, name.text[row]),
		...[old, now].map((column) => h("td", {}, foreign(column.text[row] ?? format.na())))))));
}

function caution(table: Table): HTMLElement | null {
	const [name, differs, matters] = ["name", "differs", "matters"].map((is) => table.column(is));
	const names = [...Array(table.n).keys()].filter((row) => differs.index[row] && matters.index[row]).map((row) => name.text[row]);

	return names.length ? h("p", { class: "notice caution" },
		`The recordings differ in ${names.join(", ")}: coroprof can't distinguish what follows from that from a change of the program.`) : null;
}

export class ChangesView {
	readonly element: HTMLElement;

	constructor({ profile: { tables } }: Store) {
		const [compared, answers, changes, tree] = ["compared", "answers", "changes", "change_tree"].map((name) => tables.table(name));

		this.element = h("section", { class: "view changes-view", attrs: { "aria-label": "Changes" } });
		put(this.element, new Figures(changes, SIDES, "beyond", answers).element, caution(compared));
		if (tree.n)
			put(this.element, new Flame(tree, SIDES).element);
		put(this.element, facts(compared));
	}
}
