// SPDX-License-Identifier: GPL-2.0
/* How long slices ran: bars over a logarithmic scale of time, as SVG. */

import { setTip } from "./dom";
import * as format from "./format";

const WIDTH = 320;
const HEIGHT = 92;
const BASE = 70;
const TOP = 14;
const NAME_ROOM = 28;
const TICK_ROOM = 44;

export interface Bars {
	/** Where each bar begins and ends, in ns, and how many slices it has. */
	bars: { from: number; to: number; count: number }[];
	marks: { name: string; at: number }[];
}

function svg(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
	const element = document.createElementNS("http://www.w3.org/2000/svg", name);

	for (const [key, value] of Object.entries(attributes))
		element.setAttribute(key, String(value));
	element.textContent = text;
	return element;
}

function describe({ bars, marks }: Bars): string {
	const slices = bars.reduce((sum, { count }) => sum + count, 0);

	return `Running time of ${format.plural(slices, "slice")}; ` +
		marks.map(({ name, at }) => `${name} ${format.time(at)}`).join(", ");
}

export function histogram(content: Bars): SVGElement {
	const { bars, marks } = content;
	const root = svg("svg", {
		viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "histogram", role: "img",
		"aria-label": describe(content),
	});
	const low = Math.log(Math.max(1, bars[0].from));
	const high = Math.log(Math.max(2, bars[bars.length - 1].to));
	const most = Math.max(...bars.map(({ count }) => count));
	const x = (ns: number) => Math.max(0, Math.min(1, (Math.log(Math.max(1, ns)) - low) / (high - low))) * WIDTH;

	for (const { from, to, count } of bars) {
		const tall = Math.max(1, count / most * (BASE - TOP));
		const bar = svg("rect", {
			class: "bar-count", "data-count": count, x: x(from), y: BASE - tall,
			width: Math.max(1, x(to) - x(from) - 0.75), height: tall,
		});

		setTip(bar, () => ({
			head: format.plural(count, "slice"),
			rows: [["running", `${format.time(from)} to ${format.time(to)}`]],
		}));
		root.append(bar);
	}
	root.append(svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: BASE + 0.5, y2: BASE + 0.5 }));
	decades(root, low, high, x);
	named(root, marks, x);
	return root;
}

/** Lines at the marks, and their names where there is room. */
function named(root: SVGElement, marks: Bars["marks"], x: (ns: number) => number): void {
	let taken = -Infinity;

	for (const { name, at } of marks) {
		root.append(svg("line", { class: "mark", x1: x(at), x2: x(at), y1: TOP - 2, y2: BASE }));
		if (x(at) - taken < NAME_ROOM)
			continue;
		taken = x(at);
		root.append(svg("text", { class: "mark-name", x: x(at), y: TOP - 4, "text-anchor": anchor(x(at)) }, name));
	}
}

function anchor(x: number): string {
	return x < 16 ? "start" : x > WIDTH - 16 ? "end" : "middle";
}

function decades(root: SVGElement, low: number, high: number, x: (ns: number) => number): void {
	let taken = -Infinity;

	for (let ns = 1; Math.log(ns) <= high; ns *= 10) {
		if (Math.log(ns) < low)
			continue;
		root.append(svg("line", { class: "axis", x1: x(ns), x2: x(ns), y1: BASE, y2: BASE + 4 }));
		if (x(ns) - taken < TICK_ROOM)
			continue;
		taken = x(ns);
		root.append(svg("text", { class: "tick", x: x(ns), y: BASE + 16, "text-anchor": anchor(x(ns)) },
			format.time(ns)));
	}
}
