// SPDX-License-Identifier: GPL-2.0
/*
 * Drawing lanes. What is at least a pixel wide is drawn by itself: a slice, or a
 * cell of time of which the page has the sums only. All else shares the pixels
 * it is in. Each of these is a stack, see stacks.ts: so what is drawn of a label
 * in a state sums to what the table says, however far one zooms, and the number
 * of stacks is bounded by the width of the window, not by the recording.
 */

import { printable } from "../dom";
import { Lane, LaneSet, seek } from "../lanes";
import { Fitter } from "../middle";
import { inkOn, mix, palette, rankColour } from "../palette";
import { isOutside, NONE, Profile } from "../profile";
import { areSlices, Band, BAND_STATES, cellBegin, cellEnd, LOST, OTHERS, RUNNING, Stack, Stress } from "../stacks";

export interface Window {
	/** Time at the left edge, and pixels of the page per nanosecond. */
	from: number;
	to: number;
	left: number;
	right: number;
	/** Pixels of the screen per pixel of the page. */
	density: number;
}

/** What is not stressed keeps so much of its colour. */
const DIM = 0.2;
const TEXT_ROOM = 34;
const GAP_ROOM = 4;
/** Pixels of the screen that a band has at least, to be told apart; time off the CPU has them whatever it is. */
const LEAST_BAND = 1;

/** Rows that are drawn as one, and the time they are drawn over. */
export interface Piece {
	lo: number;
	hi: number;
	begin: number;
	end: number;
	/** Each is a slice by itself. */
	slice: boolean;
}

/** Rows of pixels of the screen. */
interface Extent {
	top: number;
	height: number;
}

/** How many columns of pixels of the screen there are. */
function columnsOf(left: number, right: number, density: number): number {
	return Math.max(1, Math.floor((right - left) * density));
}

/** The pieces of a lane, from the one that ends after @from on, in their order. */
export function* pieces(profile: Profile, set: LaneSet, lane: Lane, from: number): Generator<Piece> {
	const { timeline } = profile;
	const { begin, end, flags } = timeline;
	let at = seek(timeline, set.index, lane.lo, lane.hi, from);

	if (!set.index && at < lane.hi)
		at = Math.max(lane.lo, cellBegin(profile, at));
	while (at < lane.hi) {
		const next = set.index ? at + 1 : cellEnd(profile, at, lane.hi);

		if (set.index || next === at + 1 || areSlices(profile, at, next)) {
			for (; at < next; at++) {
				const row = set.index ? set.index[at] : at;

				yield { lo: at, hi: at + 1, begin: begin[row], end: end[row],
					slice: !(flags[row] & profile.words.slice.merged) };
			}
			continue;
		}
		yield { lo: at, hi: next, begin: begin[at], end: end[next - 1], slice: false };
		at = next;
	}
}

export class Painter {
	/** Stacks drawn since the last reset, and the time of each label and state in them, for tests to look at. */
	drawn = 0;
	readonly times: Float64Array;
	private names: Fitter;
	private stack: Stack;
	private column: Stack;
	/** What the stacks of all lanes are drawn in, each a few pixels: it becomes part of the canvas in one piece. */
	private image: ImageData | null = null;
	private pixels = new Uint32Array();
	private scratch = document.createElement("canvas");
	private above: (() => void)[] = [];
	private inks = new Map<string, number>();
	/** Columns of the lane that have a stack. */
	private stacked = new Set<number>();

	constructor(private profile: Profile, private context: CanvasRenderingContext2D) {
		this.names = new Fitter(context);
		this.stack = new Stack(profile);
		this.column = new Stack(profile);
		this.times = new Float64Array((profile.labels.n + 1) * BAND_STATES.length);
	}

	/** To be called when the colours or the context's scale have changed. */
	reset(): void {
		this.names.reset();
		this.inks.clear();
	}

	/** To be called before the lanes are drawn, on a canvas so many pixels of the page high. */
	begin({ left, right, density }: Window, height: number): void {
		const [width, tall] = [columnsOf(left, right, density), Math.max(1, Math.ceil(height * density))];

		this.drawn = 0;
		this.times.fill(0);
		if (this.image?.width !== width || this.image.height !== tall) {
			this.image = new ImageData(width, tall);
			this.pixels = new Uint32Array(this.image.data.buffer);
		} else {
			this.pixels.fill(0);
		}
	}

	/** To be called after all lanes: what of them stands above their stacks is drawn, too. */
	end({ left, density }: Window): void {
		const { scratch, context, image, above } = this;
		const { width, height } = image!;

		if (scratch.width !== width || scratch.height !== height) {
			scratch.width = width;
			scratch.height = height;
		}
		scratch.getContext("2d")!.putImageData(image!, 0, 0);
		context.imageSmoothingEnabled = false;
		context.drawImage(scratch, left, 0, width / density, height / density);
		for (const draw of above)
			draw();
		above.length = 0;
	}

	/** Draws the stacks of a lane, which are seen after end(). Returns what was drawn by itself. */
	lane(set: LaneSet, lane: Lane, y: number, height: number, window: Window, stress: Stress): Piece[] {
		const { from, to, left, right, density } = window;
		const nr = columnsOf(left, right, density);
		const rows: Extent = { top: Math.round(y * density), height: Math.max(1, Math.round(height * density)) };
		const wide: Piece[] = [];
		const holes: [number, number][] = [];
		const unknown = this.unknownUntil(lane);
		let covered = unknown ? Math.max(from, this.profile.threads.begin[lane.thread]) : to;
		const time = (column: number) => column >= nr ? to : from + column * ((to - from) / nr);
		const place = (at: number) => Math.max(0, Math.min(nr - 1, Math.floor((at - from) / (to - from) * nr)));
		let current = NONE;

		this.stacked.clear();
		const reach = (column: number) => {
			if (column !== current && current !== NONE)
				this.flush(current, time(current + 1) - time(current), rows, stress);
			current = column;
		};

		for (const piece of pieces(this.profile, set, lane, from)) {
			if (piece.begin >= to)
				break;
			if (unknown && piece.begin > covered)
				holes.push([covered, piece.begin]);
			covered = Math.max(covered, piece.end);
			if ((piece.end - piece.begin) * nr >= to - from && piece.end > piece.begin) {
				wide.push(piece);
				continue;
			}
			let at = place(piece.begin);

			while (at > 0 && time(at) > piece.begin)
				at--;
			for (at = Math.max(at, current); at < nr; at++) {
				reach(at);
				this.put(this.column, set, piece, time(at), time(at + 1), stress);
				if (piece.end <= time(at + 1))
					break;
			}
		}
		reach(NONE);
		if (covered < Math.min(unknown, to))
			holes.push([covered, Math.min(unknown, to)]);
		for (const [begin, end] of holes)
			if ((end - begin) * nr >= to - from)
				this.above.push(() => this.hatch(left + (begin - from) / (to - from) * (right - left), (end - begin) / (to - from) * (right - left), y, height));
		for (const piece of wide)
			this.wide(set, piece, y, height, rows, window, stress, lane);
		return wide;
	}

	/**
	 * Of a thread whose slices are not all there: up to when it may have run in time that has none;
	 * 0 of others, and of coroutines.
	 */
	private unknownUntil({ thread }: Lane): number {
		const { threads, recording, until } = this.profile;

		if (thread === NONE || !threads.table.column("slices").standing(thread))
			return 0;
		return threads.damaged[thread] || !recording.ended || recording.torn !== null || recording.unread_bytes
			? until : threads.end[thread];
	}

	/** What a piece has from @from to @to. */
	put(stack: Stack, set: LaneSet, piece: Piece, from: number, to: number, stress: Stress): void {
		for (let at = piece.lo; at < piece.hi; at++)
			stack.add(set.index ? set.index[at] : at, piece.begin, piece.end, from, to, stress.coroutine);
	}

	/** One column of pixels, which stands for @span of time. */
	private flush(column: number, span: number, rows: Extent, stress: Stress): void {
		const { column: stack } = this;
		/* Slices of damaged rings may overlap. */
		const whole = Math.max(span, stack.total);

		if (!stack.total) {
			stack.clear();
			return;
		}
		this.stacked.add(column);
		this.fill(column, column + 1, rows, stack.bands(stress, whole * LEAST_BAND / rows.height), whole);
		this.done(stack, stress);
	}

	/** Bands in columns of pixels from @from to @to, each as high as its share of @whole, the first at the bottom. */
	private fill(from: number, to: number, { top: first, height }: Extent, bands: Band[], whole: number): void {
		const { pixels, image } = this;
		const { width, height: tall } = image!;
		let sum = 0;
		let at = height;

		for (const band of bands) {
			sum += band.time;
			const off = band.state === 1 || band.state === 2;
			const top = Math.max(0, Math.min(Math.round(height - sum / whole * height), off ? at - LEAST_BAND : height));
			const ink = this.ink(this.colour(band), band.stressed);

			for (; at > top; at--) {
				const row = first + at - 1;

				/* A lane may be in view in part. */
				for (let column = row >= 0 && row < tall ? from : to; column < to; column++)
					pixels[row * width + column] = band.state === LOST && (at + column) % 6 > 1 ? 0 : ink;
			}
		}
	}

	/** Where a piece begins, or ends, within a column that has a stack, its part of that stands above the stack. */
	private edges({ begin, end }: Piece, rows: Extent, bands: Band[], { from, to, left, right, density }: Window): void {
		const nr = columnsOf(left, right, density);
		const place = (time: number) => (time - from) / (to - from) * nr;
		const most = bands.reduce((most, band) => band.time > most.time ? band : most, bands[0]);
		const ink = this.ink(this.colour(most), most.stressed);
		const [first, last] = [Math.floor(place(begin)), Math.floor(place(end))];

		this.rest(first, first + 1 - place(begin), rows, ink);
		this.rest(last, place(end) - last, rows, ink);
	}

	/** So much of a column, of what is empty, from below. */
	private rest(column: number, share: number, { top, height }: Extent, ink: number): void {
		const { pixels, image } = this;
		const { width, height: tall } = image!;
		let left = this.stacked.has(column) ? Math.ceil(share * height) : 0;

		for (let row = top + height; left > 0 && row-- > top;) {
			const at = row * width + column;

			if (row >= 0 && row < tall && !pixels[at]) {
				pixels[at] = ink;
				left--;
			}
		}
	}

	private done(stack: Stack, stress: Stress): void {
		stack.addTo(this.times, stress.coroutine === NONE ? NONE : stress.label);
		stack.clear();
		this.drawn++;
	}

	/** A slice, or a cell, at least a pixel wide. */
	private wide(set: LaneSet, piece: Piece, y: number, height: number, rows: Extent, window: Window, stress: Stress, lane: Lane): void {
		const { stack, above } = this;
		const { from, to, left, right, density } = window;
		const nr = columnsOf(left, right, density);
		const column = (time: number) => Math.max(0, Math.min(nr, Math.round((time - from) / (to - from) * (right - left) * density)));
		const first = Math.min(column(piece.begin), nr - 1);
		const room = (column(piece.end) - first) / density;
		/* Slices are told apart by a gap; in one outside coroutines, most of it idle, that would be time of which nothing is known. */
		const apart = room >= GAP_ROOM && !(piece.slice && lane.coroutine === NONE && isOutside(this.profile, this.profile.timeline.label[piece.lo]));
		const end = Math.max(first + 1, column(piece.end) - (apart ? Math.round(density) : 0));
		const [x, width] = [left + first / density, (end - first) / density];

		this.put(stack, set, piece, from, to, stress);
		const bands = stack.bands(stress, stack.total * LEAST_BAND / rows.height);

		this.fill(first, end, rows, bands, stack.total);
		if (lane.coroutine === NONE)
			this.edges(piece, rows, bands, window);
		if (!piece.slice && width >= GAP_ROOM)
			above.push(() => this.mark(x, width, y));
		else if (piece.slice && width >= TEXT_ROOM)
			above.push(() => this.text(set.index ? set.index[piece.lo] : piece.lo, bands, x, width, y, height, lane));
		if (piece.slice && stress.coroutine !== NONE && lane.coroutine === NONE &&
			this.profile.timeline.coroutine[piece.lo] === stress.coroutine)
			above.push(() => this.outline(x, width, y, height));
		this.done(stack, stress);
	}

	/** Sums: it is not known when in it was what. */
	private mark(x: number, width: number, y: number): void {
		const { context } = this;

		context.fillStyle = palette().panel;
		for (let at = x + 2; at < x + width - 1; at += 5)
			context.fillRect(at, y, 2, 2);
	}

	private outline(x: number, width: number, y: number, height: number): void {
		const { context } = this;

		context.strokeStyle = palette().ink;
		context.lineWidth = 1.5;
		context.strokeRect(x + 0.75, y + 0.75, Math.max(width - 1.5, 0.5), height - 1.5);
	}

	private text(row: number, bands: Band[], x: number, width: number, y: number, height: number, lane: Lane): void {
		const { context, profile: { timeline, labels, threads } } = this;
		const label = timeline.label[row];
		const largest = bands.reduce((most, band) => band.time > most.time ? band : most, bands[0]);

		if (label === NONE || !largest.stressed || isOutside(this.profile, label))
			return;
		const name = lane.coroutine !== NONE ? threads.name[timeline.thread[row]] : labels.name[label];
		const text = this.names.fit(printable(name), width - 8);

		if (!text)
			return;
		context.fillStyle = inkOn(this.colour(largest));
		context.fillText(text, x + 4, y + height / 2);
	}

	private colour({ state, label }: Band): string {
		const { labels } = this.profile;
		const colours = palette();

		if (state === OTHERS)
			return colours.others;
		if (state !== RUNNING)
			return state === LOST ? colours.blocked : colours[BAND_STATES[state] as "preempted" | "blocked" | "idle"];
		return rankColour(label === NONE || label === labels.n ? NONE : labels.rank[label]);
	}

	private css(colour: string, stressed: boolean): string {
		return stressed ? colour : mix(palette().lane, colour, DIM);
	}

	/** A colour as a pixel of an image, in this machine's order of bytes. */
	private ink(colour: string, stressed: boolean): number {
		const key = stressed ? colour : colour + "-";
		const known = this.inks.get(key);

		if (known !== undefined)
			return known;
		const css = this.css(colour, stressed);
		const bytes = Uint8Array.of(...[1, 3, 5].map((at) => parseInt(css.slice(at, at + 2), 16)), 255);
		const [made] = new Uint32Array(bytes.buffer);

		this.inks.set(key, made);
		return made;
	}

	private hatch(x: number, width: number, y: number, height: number): void {
		const { context } = this;

		context.save();
		context.beginPath();
		context.rect(x, y, width, height);
		context.clip();
		context.strokeStyle = palette().blocked;
		context.lineWidth = 1.5;
		context.beginPath();
		for (let at = x - height; at < x + width; at += 6) {
			context.moveTo(at, y + height);
			context.lineTo(at + height, y);
		}
		context.stroke();
		context.restore();
	}
}

