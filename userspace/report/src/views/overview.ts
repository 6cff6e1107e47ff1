// SPDX-License-Identifier: GPL-2.0
/*
 * The strip above the lanes: the whole recording, how many threads were
 * running, preempted, blocked and idle at each moment, which part is in view, and which beside that.
 * Its columns of pixels are those of lanes, see pixels.ts.
 */

import { fitCanvas, GUTTER } from "../canvas";
import { framed, h } from "../dom";
import { onPalette, palette, Palette } from "../palette";
import { columnsOf, inkOf, Pixels, rowsAt } from "../pixels";
import { isOutside, Profile } from "../profile";
import { lengthOf, Store, Time, wholeOf } from "../store";
import { isLost } from "../pieces";

export const STRIP_HEIGHT = 44;
/** Room for marks. */
const MARKS = 5;
const GRIP = 6;

/* "none" is the colour of what runs outside coroutines. */
const SHOWN: (keyof Palette & string)[] = ["running", "none", "preempted", "blocked", "idle"];

/** Time in each state per bin, of all threads. */
function activity(profile: Profile, bins: number): Float64Array[] {
	const { timeline, since } = profile;
	const width = Math.max(lengthOf(profile), 1) / bins;
	const sums = SHOWN.map(() => new Float64Array(bins));

	for (let i = 0; i < timeline.n; i++) {
		const [begin, end] = [timeline.begin[i] - since, timeline.end[i] - since];
		const time = end - begin;
		const { preempted, blocked, idle } = timeline;

		if (!(time > 0) || isLost(profile, i))
			continue;
		const running = time - preempted[i] - blocked[i] - idle[i];
		const outside = isOutside(profile, timeline.label[i]);
		const parts = [outside ? 0 : running, outside ? running : 0, preempted[i], blocked[i], idle[i]];
		const last = Math.min(bins - 1, Math.floor(end / width));

		for (let bin = Math.max(0, Math.floor(begin / width)); bin <= last; bin++) {
			const inside = Math.max(0, Math.min(end, (bin + 1) * width) - Math.max(begin, bin * width));

			for (let s = 0; s < parts.length; s++)
				sums[s][bin] += inside / time * parts[s];
		}
	}
	return sums;
}

function copyOf(canvas: HTMLCanvasElement): HTMLCanvasElement {
	const copy = document.createElement("canvas");

	copy.width = canvas.width;
	copy.height = canvas.height;
	copy.getContext("2d")!.drawImage(canvas, 0, 0);
	return copy;
}

export class Overview {
	readonly canvas: HTMLCanvasElement;
	private pixels = new Pixels();
	/** The bars, which stay what they are as long as their colours and their room do. */
	private drawn: HTMLCanvasElement | null = null;
	private anchor = 0;
	private drag: "new" | "other" | "move" | "left" | "right" | null = null;
	private ask = framed(() => this.draw());

	constructor(private store: Store) {
		this.canvas = h("canvas", {
			class: "strip",
			attrs: { role: "img", "aria-label": "The whole recording; drag to choose what is shown, with Ctrl to show a time beside that" },
			on: {
				pointerdown: (event) => this.down(event),
				pointermove: (event) => this.move(event),
				pointerup: () => this.up(),
				dblclick: () => store.set(wholeOf(store.profile)),
			},
		});
		new ResizeObserver(this.ask).observe(this.canvas);
		onPalette(() => {
			this.drawn = null;
			this.ask();
		});
		store.watch((_, changed) => {
			if (changed.has("from") || changed.has("to") || changed.has("other"))
				this.ask();
		});
	}

	private x(time: number): number {
		const width = this.canvas.clientWidth - GUTTER;

		return GUTTER + (time - this.store.profile.since) / lengthOf(this.store.profile) * width;
	}

	private time(x: number): number {
		const { profile } = this.store;
		const share = (x - GUTTER) / Math.max(1, this.canvas.clientWidth - GUTTER);

		return profile.since + Math.max(0, Math.min(1, share)) * lengthOf(profile);
	}

	private down(event: PointerEvent): void {
		const { from, to } = this.store.state;
		const x = event.offsetX;

		this.canvas.setPointerCapture(event.pointerId);
		if (event.ctrlKey || event.metaKey)
			this.drag = "other";
		else if (Math.abs(x - this.x(from)) < GRIP)
			this.drag = "left";
		else if (Math.abs(x - this.x(to)) < GRIP)
			this.drag = "right";
		else if (x > this.x(from) && x < this.x(to) && to - from < lengthOf(this.store.profile))
			this.drag = "move";
		else
			this.drag = "new";
		this.anchor = this.drag === "move" ? this.time(x) - from : this.time(x);
	}

	private move(event: PointerEvent): void {
		const { state, profile, profile: { since, until } } = this.store;
		const at = this.time(event.offsetX);

		if (this.drag === "left" && at < state.to - 1)
			this.store.set({ from: at });
		if (this.drag === "right" && at > state.from + 1)
			this.store.set({ to: at });
		const wide = Math.abs(at - this.anchor) > lengthOf(profile) / 2000;

		if (this.drag === "other" && wide)
			this.store.set({ other: this.store.timeBetween(at, this.anchor) });
		if (this.drag === "new" && wide)
			this.store.set({ from: Math.min(at, this.anchor), to: Math.max(at, this.anchor) });
		if (this.drag === "move") {
			const span = state.to - state.from;
			const from = Math.max(since, Math.min(until - span, at - this.anchor));

			this.store.set({ from, to: from + span });
		}
	}

	private up(): void {
		const { other } = this.store.state;
		const compares = this.drag === "other" && other;

		this.drag = null;
		if (compares)
			this.store.set({ view: "times" });
	}

	private draw(): void {
		const context = fitCanvas(this.canvas, STRIP_HEIGHT);

		if (!context)
			return;
		if (this.drawn?.width !== this.canvas.width || this.drawn.height !== this.canvas.height) {
			this.bars(context);
			this.drawn = copyOf(this.canvas);
		} else {
			context.drawImage(this.drawn, 0, 0, this.canvas.clientWidth, STRIP_HEIGHT);
		}
		this.brush(context);
	}

	private bars(context: CanvasRenderingContext2D): void {
		const { profile } = this.store;
		const colours = palette();
		const width = this.canvas.clientWidth;
		const density = devicePixelRatio || 1;
		const nr = columnsOf(GUTTER, width, density);
		const bins = activity(profile, nr);
		const inks = SHOWN.map((state) => inkOf(colours[state] as string));
		const rows = rowsAt(0, STRIP_HEIGHT - MARKS, MARKS, density);
		const whole = Math.max(lengthOf(profile), 1) / nr * Math.max(1, profile.threads.n);

		context.fillStyle = colours.lane;
		context.fillRect(GUTTER, 0, width - GUTTER, STRIP_HEIGHT);
		this.pixels.begin(nr, Math.ceil(STRIP_HEIGHT * density));
		for (let bin = 0; bin < nr; bin++)
			this.pixels.fill(bin, bin + 1, rows, SHOWN.map((_, state) => ({ state, time: bins[state][bin] })).filter(({ time }) => time > 0),
				whole, ({ state }) => inks[state], inkOf(colours.others));
		this.pixels.end(context, GUTTER, density);
		context.fillStyle = colours.soft;
		context.fillText("all threads", 10, STRIP_HEIGHT / 2);
	}

	private brush(context: CanvasRenderingContext2D): void {
		const colours = palette();
		const { from, to, other } = this.store.state;
		const [x0, x1] = [this.x(from), this.x(to)];

		context.globalAlpha = 0.72;
		context.fillStyle = colours.panel;
		context.fillRect(GUTTER, 0, x0 - GUTTER, STRIP_HEIGHT);
		context.fillRect(x1, 0, this.canvas.clientWidth - x1, STRIP_HEIGHT);
		context.globalAlpha = 1;
		context.lineWidth = 1.5;
		if (to - from < lengthOf(this.store.profile))
			this.frame(context, { from, to }, colours.accent);
		if (other)
			this.frame(context, other, colours.bad);
	}

	private frame(context: CanvasRenderingContext2D, { from, to }: Time, colour: string): void {
		context.strokeStyle = colour;
		context.strokeRect(this.x(from) + 0.75, 0.75, Math.max(this.x(to) - this.x(from) - 1.5, 1), STRIP_HEIGHT - 1.5);
	}
}
