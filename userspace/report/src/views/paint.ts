// SPDX-License-Identifier: GPL-2.0
/*
 * Drawing lanes. A slice at least a pixel wide is a rectangle of its own. Those
 * narrower share their pixel: it takes the colour of the label that ran for
 * longest in it, and shows the part of the pixel that threads were off the CPU. So the number of
 * rectangles is bounded by the width of the window, not by the recording.
 */

import { printable } from "../dom";
import { Lane, LaneSet, seek } from "../lanes";
import { Fitter } from "../middle";
import { inkOn, palette, rankColour } from "../palette";
import { isOutside, NONE, Profile } from "../profile";

export interface Window {
	/** Time at the left edge, and pixels of the page per nanosecond. */
	from: number;
	to: number;
	left: number;
	right: number;
	/** Pixels of the screen per pixel of the page. */
	density: number;
}

/** What is stressed: other labels, and other coroutines, are dimmed. */
export interface Stress {
	label: number;
	coroutine: number;
}

const DIM = 0.2;
const STRIP = 4;
const TEXT_ROOM = 34;
const GAP_ROOM = 4;
const EDGE_ROOM = 3;

export class Painter {
	/** Rectangles drawn for slices since the last reset, for tests to look at. */
	drawn = 0;
	private hatch: CanvasPattern | null = null;
	private names: Fitter;

	constructor(private profile: Profile, private context: CanvasRenderingContext2D) {
		this.names = new Fitter(context);
	}

	/** To be called when the colours or the context's scale have changed. */
	reset(): void {
		this.hatch = null;
		this.names.reset();
	}

	lane(set: LaneSet, lane: Lane, y: number, height: number, window: Window, stress: Stress): void {
		const { timeline } = this.profile;
		const { from, to, left, right, density } = window;
		const scale = (right - left) / (to - from);
		const snap = (x: number) => Math.round(x * density) / density;
		const pixel = new Pixel();
		let last = NONE;

		for (let i = seek(timeline, set.index, lane.lo, lane.hi, from); i < lane.hi; i++) {
			const slice = set.index ? set.index[i] : i;

			if (timeline.begin[slice] >= to)
				break;
			const x0 = left + (timeline.begin[slice] - from) * scale;
			const x1 = left + (timeline.end[slice] - from) * scale;

			if ((x1 - x0) * density < 1) {
				const column = Math.floor(x0 * density) / density;

				if (column !== last)
					this.flush(pixel, last, y, height, 1 / density, stress);
				last = column;
				pixel.add(this.profile, slice, stress);
				continue;
			}
			this.flush(pixel, last, y, height, 1 / density, stress);
			this.slice(slice, snap(Math.max(x0, left)), snap(Math.min(x1, right)), y, height, lane, stress);
		}
		this.flush(pixel, last, y, height, 1 / density, stress);
	}

	private flush(pixel: Pixel, x: number, y: number, height: number, width: number, stress: Stress): void {
		const { context } = this;

		if (pixel.slice === NONE)
			return;
		context.globalAlpha = this.alpha(pixel.slice, stress);
		context.fillStyle = this.fill(pixel.slice);
		context.fillRect(x, y, width, height);
		const off = pixel.preempted + pixel.blocked;

		if (off > 0 && pixel.time > 0) {
			const { preempted, blocked } = palette();
			const tall = Math.max(1, STRIP * Math.min(1, off / pixel.time));

			context.fillStyle = pixel.preempted > pixel.blocked ? preempted : blocked;
			context.fillRect(x, y + height - tall, width, tall);
		}
		context.globalAlpha = 1;
		this.drawn++;
		pixel.clear();
	}

	private slice(slice: number, x0: number, x1: number, y: number, height: number, lane: Lane, stress: Stress): void {
		const { context, profile: { timeline } } = this;
		const width = x1 - x0 >= GAP_ROOM ? x1 - x0 - 1 : x1 - x0;
		const colour = this.fill(slice);

		context.globalAlpha = this.alpha(slice, stress);
		context.fillStyle = colour;
		context.fillRect(x0, y, width, height);
		this.drawn++;
		this.offCpu(slice, x0, width, y, height);
		if (timeline.flags[slice] & this.profile.words.slice.merged && width >= GAP_ROOM)
			this.merged(x0, width, y);
		if (width >= TEXT_ROOM && typeof colour === "string" && context.globalAlpha === 1)
			this.text(slice, x0, width, y, height, colour, lane);
		context.globalAlpha = 1;
		if (stress.coroutine !== NONE && timeline.coroutine[slice] === stress.coroutine && lane.coroutine === NONE) {
			context.strokeStyle = palette().ink;
			context.lineWidth = 1.5;
			context.strokeRect(x0 + 0.75, y + 0.75, Math.max(width - 1.5, 0.5), height - 1.5);
		}
	}

	/** The part of the slice that its thread was off the CPU; not when in it. */
	private offCpu(slice: number, x: number, width: number, y: number, height: number): void {
		const { context, profile: { timeline } } = this;
		const time = timeline.end[slice] - timeline.begin[slice];
		const parts: [number, string][] = [
			[blockedInside(this.profile, slice), palette().blocked],
			[timeline.preempted[slice], palette().preempted]];
		let right = x + width;

		if (!parts[0][0] && !parts[1][0])
			return;
		for (const [part, colour] of parts) {
			const long = Math.min(right - x, width * part / time);

			if (long >= EDGE_ROOM) {
				context.fillStyle = palette().panel;
				context.fillRect(right - long, y + height - STRIP - 1, long, 1);
			}
			context.fillStyle = colour;
			context.fillRect(right - long, y + height - STRIP, long, STRIP);
			right -= long;
		}
	}

	private merged(x: number, width: number, y: number): void {
		const { context } = this;

		context.fillStyle = palette().panel;
		for (let at = x + 2; at < x + width - 1; at += 5)
			context.fillRect(at, y, 2, 2);
	}

	private text(slice: number, x: number, width: number, y: number, height: number, colour: string, lane: Lane): void {
		const { context, profile: { timeline, labels, threads } } = this;
		const label = timeline.label[slice];
		const name = lane.coroutine !== NONE ? threads.name[timeline.thread[slice]]
			: label === NONE ? "" : labels.name[label];
		const text = this.names.fit(printable(name), width - 8);

		if (!text)
			return;
		context.fillStyle = inkOn(colour);
		context.fillText(text, x + 4, y + (height - STRIP) / 2 + 1);
	}

	private alpha(slice: number, stress: Stress): number {
		const { timeline } = this.profile;

		if (stress.label === NONE || timeline.label[slice] === stress.label || timeline.flags[slice] & this.profile.words.slice.lost)
			return 1;
		return DIM;
	}

	private fill(slice: number): string | CanvasPattern {
		const { timeline, labels } = this.profile;
		const label = timeline.label[slice];

		if (timeline.flags[slice] & this.profile.words.slice.lost && !timeline.slices[slice])
			return this.hatched();
		return rankColour(label === NONE ? NONE : labels.rank[label]);
	}

	private hatched(): CanvasPattern | string {
		if (this.hatch)
			return this.hatch;
		const tile = document.createElement("canvas");
		const context = tile.getContext("2d")!;

		tile.width = tile.height = 6;
		context.strokeStyle = palette().blocked;
		context.lineWidth = 1.5;
		for (const shift of [-6, 0, 6]) {
			context.moveTo(shift, 6);
			context.lineTo(shift + 6, 0);
		}
		context.stroke();
		this.hatch = this.context.createPattern(tile, "repeat");
		return this.hatch ?? palette().blocked;
	}
}

/** A thread that is blocked outside any coroutine waits for work: no reason to mark it. */
function blockedInside(profile: Profile, slice: number): number {
	const { label, blocked } = profile.timeline;

	return isOutside(profile, label[slice]) ? 0 : blocked[slice];
}

/** The slices that share one pixel. */
class Pixel {
	slice = NONE;
	time = 0;
	preempted = 0;
	blocked = 0;
	private running = new Map<number, number>();
	private most = -1;

	add(profile: Profile, slice: number, stress: Stress): void {
		const { begin, end, preempted, blocked, coroutine, label } = profile.timeline;
		const time = end[slice] - begin[slice];
		const running = (this.running.get(label[slice]) ?? 0) + time - preempted[slice] - blocked[slice];
		const weight = stress.coroutine !== NONE && coroutine[slice] === stress.coroutine ? Infinity : running;

		this.time += time;
		this.preempted += preempted[slice];
		this.blocked += blockedInside(profile, slice);
		this.running.set(label[slice], running);
		if (weight > this.most) {
			this.most = weight;
			this.slice = slice;
		}
	}

	clear(): void {
		this.slice = NONE;
		this.time = this.preempted = this.blocked = 0;
		this.running.clear();
		this.most = -1;
	}
}
