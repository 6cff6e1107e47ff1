// SPDX-License-Identifier: GPL-2.0
/*
 * The slice that is selected: its frame, an arrow from whoever made it ready, at that
 * time, and arrows to what it made ready itself.
 */

import * as format from "../format";
import { Lanes, LaneSet } from "../lanes";
import { Instants } from "../instants";
import { palette } from "../palette";
import { NONE, Profile } from "../profile";

/** More are not drawn: nobody could follow them. */
const MOST = 64;
const HEAD = 5;

/** Where lanes and times are. */
export interface Places {
	set: LaneSet;
	x(time: number): number;
	/** Of a lane's slices: top and height. */
	y(lane: number): { top: number; height: number };
}

interface Arrow {
	/** When, on which lane or NONE: it is not there one by one. */
	woken: number;
	waker: number;
	begin: number;
	lane: number;
}

export class Arrows {
	/** Those drawn last, for tests. */
	drawn: Arrow[] = [];
	private out: { slice: number; rows: number[] } = { slice: NONE, rows: [] };

	constructor(private profile: Profile, private lanes: Lanes, private instants: Instants, private context: CanvasRenderingContext2D) {}

	private laneOf(set: LaneSet, slice: number): number {
		const { thread, coroutine } = this.profile.timeline;

		return set.lanes.findIndex((lane) => lane.coroutine === NONE ? lane.thread === thread[slice] : lane.coroutine === coroutine[slice]);
	}

	/** The lane of what a coroutine did at a time. */
	private laneAt(set: LaneSet, coroutine: number, time: number): number {
		const slice = coroutine === NONE ? NONE : this.lanes.sliceAt(coroutine, time, true);

		return slice === NONE || !this.instants.isPlaced(slice) ? NONE : this.laneOf(set, slice);
	}

	private arrow(set: LaneSet, wake: number): Arrow | null {
		const { timelineWakes: { slice, woken, waker }, timeline: { begin } } = this.profile;
		const lane = this.laneOf(set, slice[wake]);

		return lane < 0 || !this.instants.isPlaced(slice[wake]) ? null
			: { woken: woken[wake], waker: this.laneAt(set, waker[wake], woken[wake]), begin: begin[slice[wake]], lane };
	}

	private wokenBy(slice: number): number[] {
		if (this.out.slice !== slice)
			this.out = { slice, rows: this.instants.wokenBy(slice) };
		return this.out.rows.slice(0, MOST);
	}

	/** What is not drawn of the slice drawn last. */
	note(): string {
		const { slice, rows } = this.out;

		return slice !== NONE && rows.length > MOST ? `arrows to the first ${MOST} of ${format.plural(rows.length, "slice")} that it made ready` : "";
	}

	draw(slice: number, places: Places): void {
		const wake = slice === NONE ? NONE : this.instants.wakeOf(slice);

		this.drawn = [];
		if (slice === NONE)
			this.out = { slice, rows: [] };
		if (slice === NONE || !this.instants.isPlaced(slice))
			return;
		this.frame(slice, places);
		this.drawn = [...wake === NONE ? [] : [wake], ...this.wokenBy(slice)].map((row) => this.arrow(places.set, row))
			.filter((arrow): arrow is Arrow => arrow !== null);
		for (const arrow of this.drawn)
			this.line(arrow, places);
	}

	private frame(slice: number, { set, x, y }: Places): void {
		const { context, profile: { timeline: { begin, end } } } = this;
		const lane = this.laneOf(set, slice);

		if (lane < 0)
			return;
		const { top, height } = y(lane);
		const [x0, x1] = [x(begin[slice]), x(end[slice])];

		context.strokeStyle = palette().ink;
		context.lineWidth = 3;
		context.strokeRect(x0 - 1, top, Math.max(x1 - x0 + 2, 3), height);
	}

	/** From the waker's lane, when it woke, to where the slice began. */
	private line({ woken, waker, begin, lane }: Arrow, { x, y }: Places): void {
		const { context } = this;
		const middle = (at: number) => y(at).top + y(at).height / 2;
		const [from, to] = [{ x: x(woken), y: middle(waker < 0 ? lane : waker) }, { x: x(begin), y: middle(lane) }];

		context.fillStyle = palette().ink;
		/* With an edge, so that it is seen on any colour. */
		for (const [colour, width] of [[palette().panel, 4], [palette().ink, 1.5]] as const) {
			context.strokeStyle = colour;
			context.lineWidth = width;
			context.beginPath();
			context.moveTo(from.x, from.y);
			context.lineTo(from.x, to.y);
			context.lineTo(to.x, to.y);
			context.stroke();
		}
		context.beginPath();
		context.arc(from.x, from.y, 3, 0, 2 * Math.PI);
		context.fill();
		context.beginPath();
		context.moveTo(to.x, to.y);
		context.lineTo(to.x - HEAD, to.y - HEAD);
		context.lineTo(to.x - HEAD, to.y + HEAD);
		context.fill();
	}
}
