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
	private image: ImageData | null = null;
	private scratch = document.createElement("canvas");
	private inks = new Map<string, number>();

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

	/** To be called before the lanes are drawn. */
	begin(): void {
		this.drawn = 0;
		this.times.fill(0);
	}

	/** Returns what was drawn by itself. */
	lane(set: LaneSet, lane: Lane, y: number, height: number, window: Window, stress: Stress): Piece[] {
		const { from, to, left, right, density } = window;
		const nr = Math.max(1, Math.floor((right - left) * density));
		const tall = Math.max(1, Math.round(height * density));
		const wide: Piece[] = [];
		const holes: [number, number][] = [];
		const unknown = this.unknownUntil(lane);
		let covered = unknown ? Math.max(from, this.profile.threads.begin[lane.thread]) : to;
		const time = (column: number) => column >= nr ? to : from + column * ((to - from) / nr);
		const place = (at: number) => Math.max(0, Math.min(nr - 1, Math.floor((at - from) / (to - from) * nr)));
		const image = this.blank(nr, tall);
		let current = NONE;
		const reach = (column: number) => {
			if (column !== current && current !== NONE)
				this.flush(current, time(current + 1) - time(current), image, stress);
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
		this.show(image, left, y, nr / density, height);
		for (const [begin, end] of holes)
			if ((end - begin) * nr >= to - from)
				this.hatch(left + (begin - from) / (to - from) * (right - left), (end - begin) / (to - from) * (right - left), y, height);
		for (const piece of wide)
			this.wide(set, piece, y, height, window, stress, lane);
		return wide;
	}

	/**
	 * Of a thread whose slices are not all there: up to when it may have run in time that has none;
	 * 0 of others, and of coroutines.
	 */
	private unknownUntil({ thread }: Lane): number {
		const { threads, recording, duration } = this.profile;

		if (thread === NONE || !threads.table.column("slices").standing(thread))
			return 0;
		return threads.damaged[thread] || !recording.ended || recording.torn !== null || recording.unread_bytes
			? duration : threads.end[thread];
	}

	/** What a piece has from @from to @to. */
	put(stack: Stack, set: LaneSet, piece: Piece, from: number, to: number, stress: Stress): void {
		for (let at = piece.lo; at < piece.hi; at++)
			stack.add(set.index ? set.index[at] : at, piece.begin, piece.end, from, to, stress.coroutine);
	}

	private blank(width: number, height: number): ImageData {
		if (this.image?.width !== width || this.image.height !== height)
			this.image = new ImageData(width, height);
		else
			this.image.data.fill(0);
		return this.image;
	}

	/** One column of pixels, which stands for @span of time. */
	private flush(column: number, span: number, image: ImageData, stress: Stress): void {
		const stack = this.column;
		const { width, height } = image;
		const pixels = new Uint32Array(image.data.buffer);
		/* Slices of damaged rings may overlap. */
		const scale = height / Math.max(span, stack.total);
		let sum = 0;
		let at = height;

		if (!stack.total) {
			stack.clear();
			return;
		}
		for (const band of stack.bands(stress, LEAST_BAND / scale)) {
			sum += band.time;
			const off = band.state === 1 || band.state === 2;
			const top = Math.max(0, Math.min(Math.round(height - sum * scale), off && at ? at - LEAST_BAND : height));
			const ink = this.ink(this.colour(band), band.stressed);

			for (; at > top; at--)
				pixels[(at - 1) * width + column] = band.state === LOST && (at + column) % 6 > 1 ? 0 : ink;
		}
		this.done(stack, stress);
	}

	private done(stack: Stack, stress: Stress): void {
		stack.addTo(this.times, stress.coroutine === NONE ? NONE : stress.label);
		stack.clear();
		this.drawn++;
	}

	private show(image: ImageData, x: number, y: number, width: number, height: number): void {
		const { scratch } = this;

		if (scratch.width !== image.width || scratch.height !== image.height) {
			scratch.width = image.width;
			scratch.height = image.height;
		}
		scratch.getContext("2d")!.putImageData(image, 0, 0);
		this.context.imageSmoothingEnabled = false;
		this.context.drawImage(scratch, x, y, width, height);
	}

	/** A slice, or a cell, at least a pixel wide. */
	private wide(set: LaneSet, piece: Piece, y: number, height: number, window: Window, stress: Stress, lane: Lane): void {
		const { stack } = this;
		const { from, to, left, right, density } = window;
		const scale = (right - left) / (to - from);
		const snap = (x: number) => Math.round(x * density) / density;
		const x0 = snap(Math.max(left + (piece.begin - from) * scale, left));
		const x1 = snap(Math.min(left + (piece.end - from) * scale, right));
		const width = x1 - x0 >= GAP_ROOM ? x1 - x0 - 1 : Math.max(x1 - x0, 1 / density);

		this.put(stack, set, piece, from, to, stress);
		const bands = stack.bands(stress, stack.total * LEAST_BAND / (height * density));

		this.rectangles(bands, stack.total, x0, width, y, height);
		if (!piece.slice && width >= GAP_ROOM)
			this.mark(x0, width, y);
		else if (piece.slice && width >= TEXT_ROOM)
			this.text(set.index ? set.index[piece.lo] : piece.lo, bands, x0, width, y, height, lane);
		if (piece.slice && stress.coroutine !== NONE && lane.coroutine === NONE &&
			this.profile.timeline.coroutine[piece.lo] === stress.coroutine)
			this.outline(x0, width, y, height);
		this.done(stack, stress);
	}

	private rectangles(bands: Band[], total: number, x: number, width: number, y: number, height: number): void {
		const { context } = this;
		let sum = 0;
		let at = y + height;

		for (const band of bands) {
			sum += band.time;
			const off = band.state === 1 || band.state === 2;
			const top = Math.max(y, Math.min(y + height - sum / total * height, off ? at - LEAST_BAND : y + height));

			context.fillStyle = this.css(this.colour(band), band.stressed);
			if (band.state === LOST)
				this.hatch(x, width, top, at - top);
			else
				context.fillRect(x, top, width, at - top);
			at = top;
		}
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

