// SPDX-License-Identifier: GPL-2.0
/* Who made a coroutine, and whom it made, as far as the recording tells. */

import { coroutineName } from "../columns";
import { Integer } from "../decode";
import { foreign, h } from "../dom";
import { cellText } from "../figures";
import * as format from "../format";
import { NONE, Profile } from "../profile";
import { Store } from "../store";
import { wholeSection } from "../widgets";

/** So many are told: of those above, of each one's children, and so deep. */
const ABOVE = 8;
const CHILDREN = 8;
const DEPTH = 3;

export class Family {
	/** Rows of coroutines; NONE where the parent is none, or not in the table. */
	private parents: Int32Array | null = null;
	private children: Map<number, number[]> | null = null;

	constructor(private profile: Profile) {}

	private all(): Int32Array {
		const { coroutines } = this.profile;
		const ids = coroutines.table.column("parent");

		if (!this.parents) {
			/* By process, then by number. */
			const rows = new Map<number, Map<Integer, number>>();
			const { id, parent, process } = coroutines;

			for (const of of new Set(process))
				rows.set(of, new Map());
			id.forEach((of, row) => rows.get(process[row])!.set(of, row));
			this.parents = Int32Array.from({ length: coroutines.n }, (_, row) =>
				ids.has(row) ? rows.get(process[row])!.get(parent[row]) ?? NONE : NONE);
		}
		return this.parents;
	}

	parent(coroutine: number): number {
		return this.all()[coroutine];
	}

	/** Those that ran for longest come first. */
	childrenOf(coroutine: number): number[] {
		const { running } = this.profile.coroutines;

		if (!this.children) {
			this.children = new Map();
			this.all().forEach((parent, child) => {
				if (parent === NONE || parent === child)
					return;
				if (!this.children!.has(parent))
					this.children!.set(parent, []);
				this.children!.get(parent)!.push(child);
			});
			for (const list of this.children.values())
				list.sort((a, b) => running[b] - running[a] || a - b);
		}
		return this.children.get(coroutine) ?? [];
	}

	/** From the outermost known down to its parent; a recording that says circles ends where it comes back. */
	ancestors(coroutine: number): number[] {
		const found: number[] = [];
		const seen = new Set([coroutine]);

		for (let at = this.parent(coroutine); at !== NONE && !seen.has(at); at = this.parent(at)) {
			seen.add(at);
			found.unshift(at);
		}
		return found;
	}
}

function one(store: Store, coroutine: number, self: boolean): HTMLElement {
	const { profile } = store;
	const name = foreign(coroutineName(profile, coroutine));

	return h("span", { class: "relative" }, self ? h("strong", {}, name) : h("button", {
		class: "link", attrs: { type: "button" }, on: { click: () => store.select("coroutine", coroutine) },
	}, name), h("span", { class: "soft" }, ` ${cellText(profile.coroutines.table.column("running"), coroutine)}`));
}

function below(store: Store, family: Family, coroutine: number, depth: number): HTMLElement | null {
	const children = family.childrenOf(coroutine);
	const shown = children.slice(0, CHILDREN);
	const rest = children.length - shown.length;

	if (!children.length)
		return null;
	return h("ul", {}, ...depth > DEPTH ? [h("li", { class: "soft" }, format.plural(children.length, "child", "children"))]
		: [...shown.map((child) => h("li", {}, one(store, child, false), below(store, family, child, depth + 1))),
			rest ? h("li", { class: "soft" }, `and ${format.full(rest)} more, that ran for less`) : null]);
}

/** The tree around a coroutine: null if it is alone. */
export function familySection(store: Store, family: Family, coroutine: number): HTMLElement | null {
	const above = family.ancestors(coroutine);
	const hidden = Math.max(0, above.length - ABOVE);
	const shown = above.slice(hidden);
	const self = h("li", {}, one(store, coroutine, true), below(store, family, coroutine, 1));

	if (!above.length && !family.childrenOf(coroutine).length)
		return null;
	const tree = shown.reduceRight<HTMLElement>((inner, at) => h("li", {}, one(store, at, false), h("ul", {}, inner)), self);

	return wholeSection("Parents and children", h("ul", { class: "family" },
		hidden ? h("li", { class: "soft" }, `${format.plural(hidden, "parent")} further up`) : null, tree),
	h("p", { class: "soft" }, "With running time; those that ran for longest come first."));
}
