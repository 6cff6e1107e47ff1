// SPDX-License-Identifier: GPL-2.0
/*
 * Calls as rectangles: each as wide as it weighs, those in it below, those that
 * weigh most to the left; callers of a function in the middle above it. What is
 * zoomed to has all of the width; what it is in stands grey above it. A rectangle too narrow to be seen is drawn together with
 * its narrower neighbours, so that the screen bounds how many there are.
 */

import { Calls } from "../calls";
import { fitCanvas } from "../canvas";
import { framed, h, Tip } from "../dom";
import * as format from "../format";
import { Graph } from "../graph";
import { Fitter } from "../middle";
import { inkOn, onPalette, paler, palette, rankColour } from "../palette";
import { partPrinted } from "../print";
import { NONE, Profile } from "../profile";
import { printable } from "../spell";
import { ROOT } from "../tree";
import { hideTip, showTip } from "../tooltip";

const ROW = 19;
const GAP = 1;
const LEAST = 1.5;
const TEXT_ROOM = 30;
const EDGE = 5;
const DIM = 0.25;
const SHADES = [0, 0.3, 0.15, 0.42];

/** What so many rows need. */
export const heightOf = (rows: number): number => rows * ROW + GAP;

/** A rectangle: a node, or the last @rest ones below it, too narrow to show. */
interface Box {
	node: number;
	rest: number;
	/** What is zoomed to is in it. */
	around: boolean;
	/** Below the root; as the depth of a node, it can be less than 0. */
	row: number;
	x: number;
	width: number;
}

export interface FlameContent {
	graph: Graph;
	zoom: number;
	/** Of a name; null: nothing is looked for. */
	matches: ((name: string) => boolean) | null;
}

export interface FlameEvents {
	zoom(node: number): void;
	/** Callers and callees of what it is a call of. */
	around(node: number): void;
}

export class Flame {
	readonly element: HTMLElement;
	private canvas: HTMLCanvasElement;
	private sizer = h("div", { class: "sizer" });
	private said = h("p", { class: "hidden", attrs: { role: "status" } });
	/** What of it is on paper. */
	readonly part = h("p", { class: "paper-note" });
	private names: Fitter | null = null;
	private content: FlameContent | null = null;
	private boxes: Box[] = [];
	private laidOut = 0;
	/** The row that is drawn at the top, and how many there are. */
	private top = 0;
	private rows = 0;
	private cursor = ROOT;
	private ask = framed(() => this.draw());

	constructor(private profile: Profile, private calls: Calls, title: string, keys: string, private events: FlameEvents) {
		this.canvas = h("canvas", {
			class: "flame",
			attrs: { tabindex: 0, role: "application", "aria-label": title, "aria-describedby": keys },
			on: {
				pointermove: (event) => this.pointer(event),
				pointerleave: hideTip,
				click: (event) => this.click(event),
				keydown: (event) => this.key(event),
				focus: () => this.ask(),
				blur: () => this.ask(),
			},
		});
		this.element = h("div", { class: "lanes-scroller", on: { scroll: () => this.ask() } }, this.canvas, this.sizer, this.said);
		new ResizeObserver(this.ask).observe(this.element);
		onPalette(() => {
			this.names?.reset();
			this.ask();
		});
	}

	show(content: FlameContent): void {
		const other = this.content?.graph.nodes !== content.graph.nodes;

		if (other || this.content!.zoom !== content.zoom) {
			this.element.scrollTop = 0;
			this.cursor = content.zoom;
		}
		this.content = content;
		this.laidOut = 0;
		if (other)
			this.room(content.graph.rows ?? 0);
		this.ask();
	}

	/** Asks for so much room that so many rows are in view. */
	private room(rows: number): void {
		this.rows = rows;
		this.element.style.setProperty("--lanes", heightOf(rows) + "px");
	}

	/* -------------------------------------------------------------------- */

	private layOut(wide: number): void {
		const { zoom, graph } = this.content!;
		const first = !this.laidOut;

		if (this.laidOut === wide)
			return;
		this.laidOut = wide;
		this.boxes = [];
		for (let node = zoom; node !== NONE; node = graph.parent(node))
			this.boxes.unshift({ node, rest: 0, around: node !== zoom, row: graph.depth(node), x: 0, width: wide });
		if (graph.width(zoom))
			this.fill(this.boxes[this.boxes.length - 1], wide / graph.width(zoom));
		this.top = this.boxes.reduce((least, { row }) => Math.min(least, row), 0);
		if (this.drawnRows() > this.rows)
			this.room(this.drawnRows());
		if (first && this.top < 0)
			this.centre();
	}

	private drawnRows(): number {
		return this.boxes.reduce((most, { row }) => Math.max(most, row), 0) - this.top + 1;
	}

	/** Brings the function in the middle to the middle, where not all is in view. */
	private centre(): void {
		this.sizer.style.height = this.drawnRows() * ROW + "px";
		this.element.scrollTop = (0.5 - this.top) * ROW - this.element.clientHeight / 2;
	}

	/** Lays out all that is below a box, and the callers above it. */
	private fill(from: Box, scale: number): void {
		const { graph } = this.content!;
		const inside = [...this.beside(from, graph.callers(from.node), -1, scale),
			...this.beside(from, graph.children(from.node), from.row < 0 ? -1 : 1, scale)];

		for (let box = inside.pop(); box; box = inside.pop())
			inside.push(...this.beside(box, graph.children(box.node), box.row < 0 ? -1 : 1, scale));
	}

	/** Lays out nodes right below, or above, a box. */
	private beside({ node, row, x }: Box, nodes: ArrayLike<number>, step: number, scale: number): Box[] {
		const { graph } = this.content!;
		const found: Box[] = [];
		let narrow = 0;
		let at = 0;

		for (; at < nodes.length && graph.width(nodes[at]) * scale >= LEAST; at++) {
			const width = graph.width(nodes[at]) * scale;

			found.push({ node: nodes[at], rest: 0, around: false, row: row + step, x, width });
			x += width;
		}
		for (let rest = at; rest < nodes.length; rest++)
			narrow += graph.width(nodes[rest]) * scale;
		this.boxes.push(...found);
		if (narrow >= 1)
			this.boxes.push({ node, rest: nodes.length - at, around: false, row: row + step, x, width: narrow });
		return found;
	}

	private draw(): void {
		if (!this.content || !this.canvas.clientWidth)
			return;
		/* It asks for room, which the canvas is to have when it is drawn on. */
		this.layOut(this.canvas.clientWidth);
		const context = fitCanvas(this.canvas);

		if (!context)
			return;
		this.names ??= new Fitter(context);
		const rows = this.drawnRows();
		const { scrollTop } = this.element;

		this.sizer.style.height = rows * ROW + "px";
		for (const box of this.boxes) {
			const y = (box.row - this.top) * ROW - scrollTop;

			if (y + ROW > 0 && y < this.canvas.clientHeight)
				this.box(context, box, y);
		}
		this.part.textContent = partPrinted("Rows", scrollTop, this.canvas.clientHeight + GAP, ROW, rows);
		this.canvas.dataset.zoom = String(this.content.zoom);
		this.canvas.dataset.drawn = String(this.boxes.length);
		this.canvas.dataset.rows = String(rows);
		this.canvas.dataset.middle = String(-this.top);
	}

	private box(context: CanvasRenderingContext2D, box: Box, y: number): void {
		const { node, rest, x } = box;
		const width = box.width >= 4 ? box.width - GAP : box.width;
		const colour = this.colour(box);
		const dim = this.content!.matches !== null && (rest > 0 || !this.matches(node));

		context.globalAlpha = dim ? DIM : 1;
		context.fillStyle = colour;
		context.fillRect(x, y, width, ROW - GAP);
		context.globalAlpha = 1;
		if (width >= TEXT_ROOM && !rest) {
			context.fillStyle = dim ? palette().soft : inkOn(colour);
			context.fillText(this.text(node, width - 2 * EDGE), x + EDGE, y + (ROW - GAP) / 2 + 1);
		}
		if (node === this.cursor && !rest && this.canvas.matches(":focus-visible")) {
			context.strokeStyle = palette().ink;
			context.lineWidth = 2;
			context.strokeRect(x + 1, y + 1, Math.max(width - 2, 1), ROW - GAP - 2);
		}
	}

	private matches(node: number): boolean {
		const { graph, matches } = this.content!;

		return matches !== null && graph.isCall(node) && matches(graph.name(node));
	}

	/** The name, and what it weighs where there is room for both. */
	private text(node: number, room: number): string {
		const { graph } = this.content!;
		const name = printable(graph.name(node));
		const both = `${name}  ${graph.show(node)}`;

		return this.names!.fit(both, room) === both ? both : this.names!.fit(name, room);
	}

	/** What several labels have in common has a colour that is no label's. */
	private colour({ node, rest, around }: Box): string {
		const { graph } = this.content!;
		const { lane, none, accent } = palette();
		const isCall = graph.isCall(node);

		if (around || node === ROOT && !isCall && !rest)
			return lane;
		if (rest || isCall && this.calls.vague(graph.of(node)))
			return none;
		const label = graph.label(node);
		const colour = label === NONE ? accent : rankColour(this.profile.labels.rank[label]);

		return isCall && node !== ROOT ? paler(colour, SHADES[graph.of(node) % SHADES.length]) : colour;
	}

	/* -------------------------------------------------------------------- */

	private hit({ offsetX, offsetY }: MouseEvent): Box | undefined {
		const row = Math.floor((offsetY + this.element.scrollTop) / ROW) + this.top;

		return this.boxes.find((box) => box.row === row && offsetX >= box.x && offsetX < box.x + box.width);
	}

	private tip({ node, rest }: Box): Tip {
		return rest ? {
			head: `${format.plural(rest, "call")} too narrow to show`,
			note: `beside ${this.content!.graph.name(node)}; a click goes there`,
		} : this.content!.graph.tip(node);
	}

	private pointer(event: PointerEvent): void {
		const box = this.hit(event);

		this.canvas.style.cursor = box ? "pointer" : "default";
		if (box)
			showTip(this.tip(box), event.clientX, event.clientY);
		else
			hideTip();
	}

	private click(event: MouseEvent): void {
		const box = this.hit(event);

		if (box)
			this.events.zoom(box.node);
	}

	/** Moves the cursor, brings it into view and says where it is. */
	private go(node: number): void {
		const { graph } = this.content!;
		const top = (graph.depth(node) - this.top) * ROW;
		const { element } = this;
		const { head, rows, note } = graph.tip(node);

		this.cursor = node;
		if (top < element.scrollTop)
			element.scrollTop = top;
		else if (top + ROW > element.scrollTop + element.clientHeight)
			element.scrollTop = top + ROW - element.clientHeight;
		this.said.textContent = printable(`${head}: ${rows!.map((row) => row.join(" ")).join(", ")}${note ? `; ${note}` : ""}`);
		this.ask();
	}

	/** The node beside the cursor, in the same row and the same call. */
	private neighbour(by: number): number {
		const { graph, zoom } = this.content!;
		const { cursor } = this;

		if (cursor === zoom || cursor === ROOT)
			return cursor;
		const parent = graph.parent(cursor);
		const all = Array.from(graph.depth(cursor) < 0 && parent === ROOT ? graph.callers(parent) : graph.children(parent));

		return all[all.indexOf(cursor) + by] ?? cursor;
	}

	/** The widest node in the next row further down, or further up. */
	private next(step: 1 | -1): number {
		const { graph } = this.content!;
		const { cursor } = this;
		const depth = graph.depth(cursor);
		const away = depth < 0 ? step < 0 : step > 0;
		const found = cursor === ROOT && step < 0 ? graph.callers(cursor)[0]
			: away ? graph.children(cursor)[0] : graph.parent(cursor);

		return found === undefined || found === NONE ? cursor : found;
	}

	/** The next rectangle, from the cursor on, that has what is looked for. */
	private found(by: 1 | -1): number {
		const hits = this.boxes.filter(({ node, rest }) => !rest && this.matches(node)).map(({ node }) => node);

		const at = hits.indexOf(this.cursor);

		return hits.length ? hits[(at < 0 && by < 0 ? hits.length - 1 : at + by + hits.length) % hits.length] : this.cursor;
	}

	private key(event: KeyboardEvent): void {
		const { graph, zoom } = this.content!;
		const { events } = this;
		const out = () => events.zoom(Math.max(ROOT, graph.parent(zoom)));
		const keys: Record<string, () => void> = {
			ArrowDown: () => this.go(this.next(1)),
			ArrowUp: () => this.go(this.next(-1)),
			ArrowRight: () => this.go(this.neighbour(1)),
			ArrowLeft: () => this.go(this.neighbour(-1)),
			n: () => this.go(this.found(1)), N: () => this.go(this.found(-1)),
			c: () => events.around(this.cursor),
			Enter: () => events.zoom(this.cursor), " ": () => events.zoom(this.cursor),
			Escape: out, Backspace: out,
			Home: () => events.zoom(ROOT), f: () => events.zoom(ROOT),
		};

		if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key])
			return;
		event.preventDefault();
		keys[event.key]();
	}
}
