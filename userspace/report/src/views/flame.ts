// SPDX-License-Identifier: GPL-2.0
/*
 * Calls as rectangles: each as wide as it weighs, those in it below, those that
 * weigh most to the left. What is zoomed to has all of the width; what it is in
 * stands grey above it. A rectangle too narrow to be seen is drawn together with
 * its narrower neighbours, so that the screen bounds how many there are.
 */

import { Calls, callTip, Weight } from "../calls";
import { fitCanvas } from "../canvas";
import { framed, h, printable, Tip } from "../dom";
import * as format from "../format";
import { Fitter } from "../middle";
import { inkOn, onPalette, paler, palette, rankColour } from "../palette";
import { NONE, Profile } from "../profile";
import { ROOT } from "../tree";
import { hideTip, showTip } from "../tooltip";

const ROW = 19;
const GAP = 1;
const LEAST = 1.5;
const TEXT_ROOM = 30;
const EDGE = 5;
const DIM = 0.25;
const SHADES = [0, 0.3, 0.15, 0.42];

/** A rectangle: a node, or the last @rest ones below it, too narrow to show. */
interface Box {
	node: number;
	rest: number;
	row: number;
	x: number;
	width: number;
}

export interface FlameContent {
	weight: Weight;
	zoom: number;
	/** Null: nothing is looked for. */
	matches: ((node: number) => boolean) | null;
}

export class Flame {
	readonly element: HTMLElement;
	private canvas: HTMLCanvasElement;
	private sizer = h("div", { class: "sizer" });
	private said = h("p", { class: "hidden", attrs: { role: "status" } });
	private names: Fitter | null = null;
	private content: FlameContent | null = null;
	private width: Float64Array = new Float64Array();
	private boxes: Box[] = [];
	private laidOut = 0;
	private cursor = ROOT;
	private ask = framed(() => this.draw());

	constructor(private profile: Profile, private calls: Calls, title: string, keys: string, private zoom: (node: number) => void) {
		this.canvas = h("canvas", {
			class: "lanes flame",
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
		this.element.style.setProperty("--lanes", (1 + calls.tree.depth.reduce((most, depth) => Math.max(most, depth), 0)) * ROW + GAP + "px");
		new ResizeObserver(this.ask).observe(this.element);
		onPalette(() => {
			this.names?.reset();
			this.ask();
		});
	}

	show(content: FlameContent): void {
		const { tree } = this.calls;

		if (this.content?.weight !== content.weight) {
			this.width = tree.widths(content.weight.of);
			tree.sort(this.width);
		}
		if (this.content?.zoom !== content.zoom) {
			this.element.scrollTop = 0;
			this.cursor = content.zoom;
		}
		this.content = content;
		this.laidOut = 0;
		this.ask();
	}

	/* -------------------------------------------------------------------- */

	private layOut(wide: number): void {
		const { zoom } = this.content!;
		const { tree } = this.calls;

		if (this.laidOut === wide)
			return;
		this.laidOut = wide;
		this.boxes = [];
		for (let node = zoom; node !== NONE; node = tree.parent[node])
			this.boxes.unshift({ node, rest: 0, row: tree.depth[node], x: 0, width: wide });
		if (!this.width[zoom])
			return;
		const scale = wide / this.width[zoom];
		const inside = [this.boxes[this.boxes.length - 1]];

		for (let box = inside.pop(); box; box = inside.pop())
			inside.push(...this.below(box, scale));
	}

	/** Lays out what is right below a box. */
	private below({ node, row, x }: Box, scale: number): Box[] {
		const children = this.calls.tree.children(node);
		const found: Box[] = [];
		let at = 0;

		for (; at < children.length && this.width[children[at]] * scale >= LEAST; at++) {
			const width = this.width[children[at]] * scale;

			found.push({ node: children[at], rest: 0, row: row + 1, x, width });
			x += width;
		}
		const narrow = children.subarray(at).reduce((sum, child) => sum + this.width[child], 0) * scale;

		this.boxes.push(...found);
		if (narrow >= 1)
			this.boxes.push({ node, rest: children.length - at, row: row + 1, x, width: narrow });
		return found;
	}

	private draw(): void {
		if (!this.content)
			return;
		const context = fitCanvas(this.canvas);

		if (!context)
			return;
		this.names ??= new Fitter(context);
		this.layOut(this.canvas.clientWidth);
		const rows = this.boxes.reduce((most, { row }) => Math.max(most, row), 0) + 1;
		const { scrollTop } = this.element;

		this.sizer.style.height = rows * ROW + "px";
		for (const box of this.boxes)
			if ((box.row + 1) * ROW > scrollTop && box.row * ROW < scrollTop + this.canvas.clientHeight)
				this.box(context, box, box.row * ROW - scrollTop);
		this.canvas.dataset.zoom = String(this.content.zoom);
		this.canvas.dataset.drawn = String(this.boxes.length);
		this.canvas.dataset.rows = String(rows);
	}

	private box(context: CanvasRenderingContext2D, box: Box, y: number): void {
		const { matches } = this.content!;
		const { node, rest, x } = box;
		const width = box.width >= 4 ? box.width - GAP : box.width;
		const colour = this.colour(box);
		const dim = matches !== null && (rest > 0 || !matches(node));

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

	/** The name, and what it weighs where there is room for both. */
	private text(node: number, room: number): string {
		const name = printable(this.calls.name(node));
		const both = `${name}  ${this.content!.weight.show(node)}`;

		return this.names!.fit(both, room) === both ? both : this.names!.fit(name, room);
	}

	private colour({ node, rest }: Box): string {
		const { tree } = this.calls;
		const { zoom } = this.content!;

		if (node === ROOT && !rest || tree.depth[node] < tree.depth[zoom])
			return palette().lane;
		if (rest || this.calls.vague(node))
			return palette().none;
		const label = tree.label[node];
		const colour = rankColour(label === NONE ? NONE : this.profile.labels.rank[label]);

		return tree.row(node) === NONE ? colour : paler(colour, SHADES[tree.name[node] % SHADES.length]);
	}

	/* -------------------------------------------------------------------- */

	private hit({ offsetX, offsetY }: MouseEvent): Box | undefined {
		const row = Math.floor((offsetY + this.element.scrollTop) / ROW);

		return this.boxes.find((box) => box.row === row && offsetX >= box.x && offsetX < box.x + box.width);
	}

	private tip({ node, rest }: Box): Tip {
		return rest ? {
			head: `${format.plural(rest, "call")} too narrow to show`,
			note: `in ${this.calls.name(node)}; a click zooms to it`,
		} : callTip(this.profile, this.calls, this.content!.weight, node);
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
			this.zoom(box.node);
	}

	/** Moves the cursor, brings it into view and says where it is. */
	private go(node: number): void {
		const top = this.calls.tree.depth[node] * ROW;
		const { element } = this;
		const { head, rows, note } = callTip(this.profile, this.calls, this.content!.weight, node);

		this.cursor = node;
		if (top < element.scrollTop)
			element.scrollTop = top;
		else if (top + ROW > element.scrollTop + element.clientHeight)
			element.scrollTop = top + ROW - element.clientHeight;
		this.said.textContent = printable(`${head}: ${rows!.map((row) => row.join(" ")).join(", ")}${note ? `; ${note}` : ""}`);
		this.ask();
	}

	/** The node beside the cursor, in the same row and the same call. */
	private beside(by: number): number {
		const { tree } = this.calls;
		const all = this.cursor === this.content!.zoom || this.cursor === ROOT ? [] : [...tree.children(tree.parent[this.cursor])];

		return all[all.indexOf(this.cursor) + by] ?? this.cursor;
	}

	/** The next rectangle, from the cursor on, that has what is looked for. */
	private found(by: 1 | -1): number {
		const { matches } = this.content!;
		const hits = this.boxes.filter(({ node, rest }) => !rest && matches?.(node)).map(({ node }) => node);

		const at = hits.indexOf(this.cursor);

		return hits.length ? hits[(at < 0 && by < 0 ? hits.length - 1 : at + by + hits.length) % hits.length] : this.cursor;
	}

	private key(event: KeyboardEvent): void {
		const { tree } = this.calls;
		const zoom = this.content!.zoom;
		const out = () => this.zoom(Math.max(ROOT, tree.parent[zoom]));
		const keys: Record<string, () => void> = {
			ArrowDown: () => this.go(tree.children(this.cursor)[0] ?? this.cursor),
			ArrowUp: () => this.go(Math.max(ROOT, tree.parent[this.cursor])),
			ArrowRight: () => this.go(this.beside(1)),
			ArrowLeft: () => this.go(this.beside(-1)),
			n: () => this.go(this.found(1)), N: () => this.go(this.found(-1)),
			Enter: () => this.zoom(this.cursor), " ": () => this.zoom(this.cursor),
			Escape: out, Backspace: out,
			Home: () => this.zoom(ROOT), f: () => this.zoom(ROOT),
		};

		if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key])
			return;
		event.preventDefault();
		keys[event.key]();
	}
}
