// SPDX-License-Identifier: GPL-2.0
/* Who made a coroutine, and whom it made, as far as the recording says. */

import { coroutineName } from "../columns";
import { Integer } from "../decode";
import { foreign, h } from "../dom";
import { cellText } from "../figures";
import * as format from "../format";
import { gapsOf } from "../gaps";
import { NONE, Profile } from "../profile";
import { shared } from "../standings";
import { Store } from "../store";
import { section, wholeSection } from "../widgets";
import { Cut } from "../cut";

/** So many are reported: of those above, of each one's children, and so deep. */
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

	childrenOf(coroutine: number): number[] {
		if (!this.children) {
			this.children = new Map();
			this.all().forEach((parent, child) => {
				if (parent === NONE || parent === child)
					return;
				if (!this.children!.has(parent))
					this.children!.set(parent, []);
				this.children!.get(parent)!.push(child);
			});
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

	/** Those that a tree around it may report, which is in it, too; none twice. */
	around(coroutine: number): number[] {
		const all = new Set([...this.ancestors(coroutine), coroutine]);

		for (let depth = 1, last = [coroutine]; depth <= DEPTH && last.length; depth++) {
			last = last.flatMap((of) => this.childrenOf(of)).filter((child) => !all.has(child));
			last.forEach((child) => all.add(child));
		}
		return [...all];
	}
}

/** How long coroutines ran. */
interface Ran {
	of(coroutine: number): number;
	show(coroutine: number): string;
}

function ranInAll({ coroutines: { running, table } }: Profile): Ran {
	return { of: (coroutine) => running[coroutine], show: (coroutine) => cellText(table.column("running"), coroutine) };
}

/** Null where the page has some of their slices as sums only. */
function ranIn(profile: Profile, all: number[], from: number, to: number): Ran | null {
	const { coroutines, timeline } = profile;
	const rows = new Map(all.map((coroutine, row) => [coroutine, row]));
	const column = coroutines.table.column("running");

	if (!all.every((coroutine) => gapsOf(profile).hasAll(coroutine)))
		return null;
	const cut = new Cut(profile, all.length, from, to, (slice) => rows.get(timeline.coroutine[slice]) ?? NONE);
	const of = (coroutine: number) => cut.time(rows.get(coroutine)!, 0);
	const standing = (coroutine: number) => shared(column.standing(coroutine), cut.isNear(rows.get(coroutine)!, 0));

	return { of, show: (coroutine) => format.marked(standing(coroutine), of(coroutine), format.time) };
}

function one(store: Store, ran: Ran, coroutine: number, self: boolean): HTMLElement {
	const { profile } = store;
	const name = foreign(coroutineName(profile, coroutine));

	return h("span", { class: "relative" }, self ? h("strong", {}, name) : h("button", {
		class: "link", attrs: { type: "button" }, on: { click: () => store.select("coroutine", coroutine) },
	}, name), h("span", { class: "soft" }, ` ${ran.show(coroutine)}`));
}

function below(store: Store, family: Family, ran: Ran, coroutine: number, depth: number): HTMLElement | null {
	const children = [...family.childrenOf(coroutine)].sort((a, b) => ran.of(b) - ran.of(a) || a - b);
	const shown = children.slice(0, CHILDREN);
	const rest = children.length - shown.length;

	if (!children.length)
		return null;
	return h("ul", {}, ...depth > DEPTH ? [h("li", { class: "soft" }, format.plural(children.length, "child", "children"))]
		: [...shown.map((child) => h("li", {}, one(store, ran, child, false), below(store, family, ran, child, depth + 1))),
			rest ? h("li", { class: "soft" }, `and ${format.full(rest)} more, that ran for less`) : null]);
}

/** Null if it is alone. */
function treeOf(store: Store, family: Family, coroutine: number, ran: Ran): HTMLElement | null {
	const above = family.ancestors(coroutine);
	const hidden = Math.max(0, above.length - ABOVE);
	const shown = above.slice(hidden);
	const self = h("li", {}, one(store, ran, coroutine, true), below(store, family, ran, coroutine, 1));

	if (!above.length && !family.childrenOf(coroutine).length)
		return null;
	const tree = shown.reduceRight<HTMLElement>((inner, at) => h("li", {}, one(store, ran, at, false), h("ul", {}, inner)), self);

	return h("ul", { class: "family" },
		hidden ? h("li", { class: "soft" }, `${format.plural(hidden, "parent")} further up`) : null, tree);
}

const says = (when: string) => h("p", { class: "soft" }, `With running time${when}; those that ran for longest come first.`);

/** The tree around a coroutine: null if it is alone. */
export function familySection(store: Store, family: Family, coroutine: number): HTMLElement | null {
	const tree = treeOf(store, family, coroutine, ranInAll(store.profile));

	return tree && wholeSection("Parents and children", tree, says(""));
}

/** With what they ran in the time in view; null where that is not known, too. */
export function familyIn(store: Store, family: Family, coroutine: number): HTMLElement | null {
	const { profile, state: { from, to } } = store;
	const ran = ranIn(profile, family.around(coroutine), from, to);
	const tree = ran && treeOf(store, family, coroutine, ran);

	return tree && section("Parents and children", tree, says(" in the time in view"));
}
