// SPDX-License-Identifier: GPL-2.0
/*
 * Drawing lanes. Columns of pixels that a slice, or a bucket of time of which the
 * page has the sums only, has for itself are drawn in one go; all else shares the
 * columns it is in, the ends of those as well. Each of these is a stack, see
 * stacks.ts: so what is drawn of a label in a state sums to what the table says,
 * however far one zooms, and the number of stacks is bounded by the width of the
 * window, not by the recording. How a stack becomes pixels is in pixels.ts.
 */

import { Lane, LaneSet, seek } from "../lanes";
import { Fitter } from "../middle";
import { inkOn, mix, palette, rankColour } from "../palette";
import { columnsOf, inkOf, Pixels, Rows, rowsAt } from "../pixels";
import { isOutside, NONE, Profile } from "../profile";
import { visible } from "../spell";
import { areSlices, Band, BAND_STATES, bucketBegin, bucketEnd, LOST, RUNNING, Stack, Stress } from "../stacks";

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
/** Where a slice follows another one its first column is paler by so much, */
const APART = 0.5;
/** if it has this many pixels of the page. */
const APART_ROOM = 4;
const TEXT_ROOM = 34;

/** Rows that are drawn as one, and the time they are drawn over. */
export interface Piece {
	lo: number;
	hi: number;
	begin: number;
	end: number;
	/** Each is a slice by itself. */
	slice: boolean;
}

/** Where a lane is drawn. */
interface Place {
	set: LaneSet;
	lane: Lane;
	y: number;
	height: number;
	rows: Rows;
	window: Window;
	stress: Stress;
}

/** The pieces of a lane, from the one that ends after @from on, in their order. */
export function* pieces(profile: Profile, set: LaneSet, lane: Lane, from: number): Generator<Piece> {
	const { timeline } = profile;
	const { begin, end, flags } = timeline;
	let at = seek(timeline, set.index, lane.lo, lane.hi, from);

	if (!set.index && at < lane.hi)
		at = Math.max(lane.lo, bucketBegin(profile, at));
	while (at < lane.hi) {
		const next = set.index ? at + 1 : bucketEnd(profile, at, lane.hi);

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
	private pixels = new Pixels();
	private above: (() => void)[] = [];
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

	/** To be called before the lanes are drawn, on a canvas so many pixels of the page high. */
	begin({ left, right, density }: Window, height: number): void {
		this.drawn = 0;
		this.times.fill(0);
		this.pixels.begin(columnsOf(left, right, density), Math.max(1, Math.ceil(height * density)));
	}

	/** To be called after all lanes: what of them stands above their stacks is drawn, too. */
	end({ left, density }: Window): void {
		this.pixels.end(this.context, left, density);
		for (const draw of this.above)
			draw();
		this.above.length = 0;
	}

	/** Draws a lane, with room for marks @below, which is seen after end(). Returns what of it is at least a pixel wide. */
	lane(set: LaneSet, lane: Lane, y: number, height: number, below: number, window: Window, stress: Stress): Piece[] {
		const { from, to, left, right, density } = window;
		const place = { set, lane, y, height, rows: rowsAt(y, height, below, density), window, stress };
		const nr = columnsOf(left, right, density);
		const wide: Piece[] = [];
		const holes: [number, number][] = [];
		const unknown = this.unknownUntil(lane);
		let covered = unknown ? Math.max(from, this.profile.threads.begin[lane.thread]) : to;
		const time = (column: number) => column >= nr ? to : from + column * ((to - from) / nr);
		const columnAt = (at: number) => {
			let column = Math.max(0, Math.min(nr, Math.floor((at - from) / (to - from) * nr)));

			while (column > 0 && time(column) > at)
				column--;
			return column;
		};
		let current = NONE;
		/** Where what is at least a pixel wide ended, if it was a slice of a coroutine. */
		let ended = NONE;

		const reach = (column: number) => {
			if (column !== current && current !== NONE)
				this.flush(current, time(current + 1) - time(current), place);
			current = column;
		};

		for (const piece of pieces(this.profile, set, lane, from)) {
			if (piece.begin >= to)
				break;
			if (unknown && piece.begin > covered)
				holes.push([covered, piece.begin]);
			covered = Math.max(covered, piece.end);
			/* Slices of damaged rings may overlap: what would be in columns that are drawn is in the one that is not. */
			let at = Math.max(columnAt(piece.begin), current);
			let since = from;

			if ((piece.end - piece.begin) * nr >= to - from && piece.end > piece.begin) {
				const first = at > current && time(at) >= piece.begin ? at : at + 1;
				const last = columnAt(piece.end);

				wide.push(piece);
				if (last > first) {
					if (first > at) {
						reach(at);
						this.put(this.column, set, piece, from, time(first), stress);
					}
					reach(last < nr ? last : NONE);
					this.whole(piece, first, last, [time(first), time(last)], ended === piece.begin, place);
					[at, since] = [last, time(last)];
				}
				ended = this.isOfCoroutine(set, piece) ? piece.end : NONE;
			}
			for (; at < nr && since < piece.end; since = time(++at)) {
				reach(at);
				this.put(this.column, set, piece, since, time(at + 1), stress);
			}
		}
		reach(NONE);
		if (covered < Math.min(unknown, to))
			holes.push([covered, Math.min(unknown, to)]);
		for (const [begin, end] of holes)
			if ((end - begin) * nr >= to - from)
				this.above.push(() => this.hatch(left + (begin - from) / (to - from) * (right - left), (end - begin) / (to - from) * (right - left), y, height));
		return wide;
	}

	private isOfCoroutine(set: LaneSet, { slice, lo }: Piece): boolean {
		return slice && !isOutside(this.profile, this.profile.timeline.label[set.index ? set.index[lo] : lo]);
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
	private flush(column: number, span: number, { rows, stress }: Place): void {
		const { column: stack } = this;

		/* Slices of damaged rings may overlap. */
		if (stack.total)
			this.fill(column, column + 1, rows, stack.bands(stress), Math.max(span, stack.total));
		this.done(stack, stress);
	}

	private fill(from: number, to: number, rows: Rows, bands: Band[], whole: number, apart = false): void {
		this.pixels.fill(from, to, rows, bands, whole, (band) => this.ink(this.colour(band), band.stressed, apart),
			this.ink(palette().others, bands.every(({ stressed }) => stressed), apart));
	}

	private done(stack: Stack, stress: Stress): void {
		if (stack.total)
			this.drawn++;
		stack.addTo(this.times, stress.coroutine === NONE ? NONE : stress.label);
		stack.clear();
	}

	/** Columns of pixels, from @first to @last, that a slice, or a bucket, has for itself. */
	private whole(piece: Piece, first: number, last: number, [begin, end]: [number, number], follows: boolean, place: Place): void {
		const { stack, above } = this;
		const { set, lane, y, height, rows, window: { left, density }, stress } = place;
		const [x, width] = [left + first / density, (last - first) / density];

		this.put(stack, set, piece, begin, end, stress);
		const bands = stack.bands(stress);

		this.fill(first, last, rows, bands, stack.total);
		if (follows && width >= APART_ROOM && this.isOfCoroutine(set, piece))
			this.fill(first, first + Math.max(1, Math.round(density)), rows, bands, stack.total, true);
		if (!piece.slice)
			above.push(() => this.mark(x, width, y + height));
		else if (width >= TEXT_ROOM)
			above.push(() => this.text(set.index ? set.index[piece.lo] : piece.lo, bands, x, width, y, height, lane));
		if (piece.slice && stress.coroutine !== NONE && lane.coroutine === NONE &&
			this.profile.timeline.coroutine[piece.lo] === stress.coroutine)
			above.push(() => this.outline(x, width, y, height));
		this.done(stack, stress);
	}

	/** Sums: it is not known when in it was what. In the gap above the marks, so that no area is hidden. */
	private mark(x: number, width: number, y: number): void {
		const { context } = this;

		context.fillStyle = palette().soft;
		for (let at = x + 1; at < x + width - 1; at += 5)
			context.fillRect(at, y, 2, 1);
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
		const name = visible(lane.coroutine !== NONE ? threads.name[timeline.thread[row]] : labels.name[label]);
		const text = this.names.fit(name, width - 8);

		if (!text)
			return;
		context.fillStyle = inkOn(this.colour(largest));
		context.fillText(text, x + 4, y + height / 2);
	}

	private colour({ state, label }: Band): string {
		const { labels } = this.profile;
		const colours = palette();

		if (state !== RUNNING)
			return state === LOST ? colours.blocked : colours[BAND_STATES[state] as "preempted" | "blocked" | "idle"];
		return rankColour(label === NONE || label === labels.n ? NONE : labels.rank[label]);
	}

	/** A colour as a pixel; of what is not stressed, and of a slice's first column where it follows another one, paler. */
	private ink(colour: string, stressed: boolean, apart: boolean): number {
		const key = colour + (stressed ? "" : "-") + (apart ? "|" : "");
		const known = this.inks.get(key);

		if (known !== undefined)
			return known;
		const { lane } = palette();
		const css = stressed ? colour : mix(lane, colour, DIM);
		const made = inkOf(apart ? mix(css, lane, APART) : css);

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

