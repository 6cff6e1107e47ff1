// SPDX-License-Identifier: GPL-2.0
/* How long slices ran, or what else they have: bars over a logarithmic scale, as SVG. A drag picks all above a value. */

import { setTip } from "./dom";
import * as format from "./format";

const WIDTH = 320;
const HEIGHT = 92;
const BASE = 70;
const TOP = 14;
const NAME_ROOM = 28;
const TICK_ROOM = 44;
/** Pixels of a drag, at least. */
const DRAG = 4;

export interface Bars {
	/** Where each bar begins and ends, and how many slices it has. */
	bars: { from: number; to: number; count: number }[];
	marks: { name: string; at: number }[];
}

/** What bars are of, if not of running time; and what is done with a value that is picked. */
export interface Of {
	title: string;
	name: string;
	show(value: number): string;
	/** From where to where the scale goes, if not as the bars do. */
	scale?: { from: number; to: number };
	/** What has more is distinguished. */
	above?: number;
	pick?(value: number): void;
}

const RUNNING: Of = { title: "Running time", name: "running", show: format.time };

function svg(name: string, attributes: Record<string, string | number>, text = ""): SVGElement {
	const element = document.createElementNS("http://www.w3.org/2000/svg", name);

	for (const [key, value] of Object.entries(attributes))
		element.setAttribute(key, String(value));
	element.textContent = text;
	return element;
}

function describe({ bars, marks }: Bars, { title, show }: Of): string {
	const slices = bars.reduce((sum, { count }) => sum + count, 0);

	return `${title} of ${format.plural(slices, "slice")}; ` +
		marks.map(({ name, at }) => `${name} ${show(at)}`).join(", ");
}

export function histogram(content: Bars, of: Of = RUNNING): SVGElement {
	const { bars, marks } = content;
	const root = svg("svg", {
		viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "histogram", role: "img",
		"aria-label": describe(content, of),
	});
	const low = Math.log(Math.max(1, of.scale?.from ?? bars[0].from));
	const high = Math.log(Math.max(2, of.scale?.to ?? bars[bars.length - 1].to));
	const most = Math.max(...bars.map(({ count }) => count));
	const x = (value: number) => Math.max(0, Math.min(1, (Math.log(Math.max(1, value)) - low) / (high - low))) * WIDTH;

	for (const { from, to, count } of bars) {
		const tall = Math.max(1, count / most * (BASE - TOP));
		const bar = svg("rect", {
			class: of.above !== undefined && from > of.above ? "bar-count above" : "bar-count", "data-count": count, x: x(from), y: BASE - tall,
			width: Math.max(1, x(to) - x(from) - 0.75), height: tall,
		});

		setTip(bar, () => ({
			head: format.plural(count, "slice"),
			rows: [[of.name, `${of.show(from)} to ${of.show(to)}`]],
		}));
		root.append(bar);
	}
	root.append(svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: BASE + 0.5, y2: BASE + 0.5 }));
	decades(root, low, high, x, of);
	named(root, marks, x);
	if (of.pick)
		pickable(root, (at) => Math.exp(low + at * (high - low)), of.pick);
	return root;
}

/** A drag has in it all from its lower end on. */
function pickable(root: SVGElement, value: (at: number) => number, pick: (value: number) => void): void {
	const band = svg("rect", { class: "picked", y: TOP, height: BASE - TOP, x: 0, width: 0 });
	const place = ({ clientX }: PointerEvent) => {
		const { left, width } = root.getBoundingClientRect();

		return Math.max(0, Math.min(1, (clientX - left) / width));
	};
	let pressed: PointerEvent | null = null;
	const lower = (event: PointerEvent) => Math.min(place(event), place(pressed!));
	const isDrag = ({ clientX }: PointerEvent) => pressed !== null && Math.abs(clientX - pressed.clientX) >= DRAG;

	root.classList.add("pickable");
	root.append(band);
	root.addEventListener("pointerdown", (event) => {
		pressed = event;
		root.setPointerCapture(event.pointerId);
		event.preventDefault();
	});
	root.addEventListener("pointermove", (event) => {
		const from = isDrag(event) ? lower(event) * WIDTH : WIDTH;

		band.setAttribute("x", String(from));
		band.setAttribute("width", String(WIDTH - from));
	});
	root.addEventListener("pointerup", (event) => {
		const at = isDrag(event) ? value(lower(event)) : null;

		pressed = null;
		band.setAttribute("width", "0");
		if (at !== null)
			pick(Math.round(at));
	});
}

/** Lines at the marks, and their names where there is room. */
function named(root: SVGElement, marks: Bars["marks"], x: (value: number) => number): void {
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

function decades(root: SVGElement, low: number, high: number, x: (value: number) => number, { show }: Of): void {
	let taken = -Infinity;

	for (let value = 1; Math.log(value) <= high; value *= 10) {
		if (Math.log(value) < low)
			continue;
		root.append(svg("line", { class: "axis", x1: x(value), x2: x(value), y1: BASE, y2: BASE + 4 }));
		if (x(value) - taken < TICK_ROOM)
			continue;
		taken = x(value);
		root.append(svg("text", { class: "tick", x: x(value), y: BASE + 16, "text-anchor": anchor(x(value)) },
			show(value)));
	}
}
