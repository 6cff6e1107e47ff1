// SPDX-License-Identifier: GPL-2.0
/* The timeline view: lanes over time, and how to move in them. */

import { fitCanvas, GUTTER } from "../canvas";
import { coroutineName, labelName, threadName } from "../columns";
import { framed, h, replace, say, Tip } from "../dom";
import { cellText } from "../figures";
import * as format from "../format";
import { Lane, Lanes, LaneSet, seek } from "../lanes";
import { fitMiddle } from "../middle";
import { commandFor, SLICES_MOST, MergedSlices } from "../merged-slices";
import { onPalette, palette } from "../palette";
import { partPrinted } from "../print";
import { isOutside, isThreadSlot, NONE, Profile } from "../profile";
import { printable } from "../spell";
import { BAND_STATES, NO_STRESS, RUNNING, Stack, Stress } from "../stacks";
import { Lanes as LaneKind, lengthOf, State, Store } from "../store";
import { hideTip, showTip } from "../tooltip";
import { choice, copier } from "../widgets";
import { instantsOf } from "../instants";
import { Arrows } from "./arrows";
import { labelLegend } from "./labels";
import { Inside, sampleTip, SPAN, spanShades, spanTip } from "./inside";
import { Overview } from "./overview";
import { Painter, pieces, Window } from "./paint";
import { isLost } from "../pieces";

const AXIS = 22;
/* Threads are few: their lanes grow where there is room. */
const LANE = { threads: { least: 34, enough: 64, most: 160 }, coroutines: { least: 22, enough: 22, most: 22 } };
const GAP = 4;
/** Room below the slices of a lane for marks of what has less than a pixel: those of threads have many labels. */
const MARKS = { threads: 6, coroutines: 4 };
const LIFE = 2;
const TICK_ROOM = 110;
const SHORTEST_VIEW = 50;
const CLICK_SLOP = 4;
/** So many labels of a stack are reported. */
const REPORTED = 6;

const LANE_KINDS: [LaneKind, string][] = [["threads", "Threads"], ["coroutines", "Coroutines"]];

const FLAG_WORDS: [string, string][] = [
	["fresh", "first slice"], ["end", "last slice"],
	["woken", "had been made ready"], ["ready", "left, but stayed ready"],
	["first", "the recording began in it"], ["cut", "the recording ended in it"],
	["lost", "slices were lost here: what ran is not known for part of this time"],
	["goes on", "a piece of the slice before of its coroutine: coroprof itself ran in between"],
	["unreported", "switches were not reported: it may be another coroutine's in part"],
];

/** Of marks of time off the CPU. */
const OFF_CPU = "The height of a mark is the share of the time that the thread was off the CPU; when in it is not recorded.";

/** What the pointer is at. */
interface Found {
	tip: Tip;
	/** The slice, or NONE where several share the place, */
	row: number;
	/** and the label of what is right there. */
	label: number;
	begin: number;
	end: number;
}

/** What is said of a slice of the timeline. */
export function sliceTip(profile: Profile, slice: number): Tip {
	const { timeline } = profile;
	const { begin, end, preempted, blocked, idle, flags, slices } = timeline;
	const duration = end[slice] - begin[slice];
	const merged = flags[slice] & profile.words.slice.merged;
	const words = FLAG_WORDS.filter(([flag]) => flags[slice] & profile.words.slice[flag]).map(([, word]) => word);

	if (isLost(profile, slice))
		return {
			head: "lost slices",
			rows: [["from", format.moment(begin[slice])], ["for", format.time(duration)]],
			note: "The ring was full: what ran here is not known.",
		};
	const coroutine = timeline.coroutine[slice];
	const outside = isOutside(profile, timeline.label[slice]);
	const rows: [string, string][] = [
		["thread", threadName(profile, timeline.thread[slice])],
		["begin", format.moment(begin[slice])],
		[outside ? "duration" : "held", format.time(duration)],
		["running", format.time(duration - preempted[slice] - blocked[slice] - idle[slice])],
		["preempted", format.time(preempted[slice])],
		...outside ? [["idle", format.time(idle[slice])] as [string, string]]
			: [["blocked", format.time(blocked[slice])] as [string, string]],
	];

	timeline.values.forEach(({ column }) => rows.push([column.is.title,
		column.has(slice) ? cellText(column, slice) : "not counted in all of it"]));
	return {
		head: coroutine === NONE || merged ? labelName(profile, timeline.label[slice]) : coroutineName(profile, coroutine),
		rows,
		note: [merged ? `${format.plural(slices[slice], "slice")} of this label too short to keep apart; their time is exact, in one piece.` : "",
			words.join("; "), preempted[slice] + blocked[slice] + idle[slice] ? OFF_CPU : ""].filter(Boolean).join(" ") || undefined,
	};
}

/** What is said of several slices that are drawn as one, in the time from @begin to @end. */
function stackTip(profile: Profile, stack: Stack, thread: number, begin: number, end: number): Tip {
	const { labels } = profile;
	const bands = stack.bands(NO_STRESS);
	const found = [...stack.inIt].filter((label) => label < labels.n).sort((a, b) => stack.of(b) - stack.of(a));
	const row = (name: string, time: number): [string, string] => [name, `${format.time(time)}  ${format.share(time / stack.total)}`];
	const rest = found.slice(REPORTED);

	return {
		head: `${format.time(end - begin)} from ${format.moment(begin)}`,
		rows: [
			...thread === NONE ? [] : [["thread", threadName(profile, thread)] as [string, string]],
			...found.slice(0, REPORTED).map((label) => row(labelName(profile, label), stack.of(label))),
			...rest.length ? [row(format.plural(rest.length, "other label"), rest.reduce((sum, label) => sum + stack.of(label), 0))] : [],
			...bands.filter(({ state }) => state !== RUNNING)
				.map(({ state, time }) => row(`of it ${BAND_STATES[state]}`, time)),
		],
		note: "Sums of what shares this time, to the nanosecond; when in it each was is not known.",
	};
}

export class TimelineView {
	readonly element: HTMLElement;
	private canvas: HTMLCanvasElement;
	private scroller: HTMLElement;
	private sizer = h("div", { class: "sizer" });
	private legend = h("span", { class: "legend", attrs: { "aria-label": "Colours" } });
	private said = h("p", { class: "hidden", attrs: { role: "status" } });
	private lanes: Lanes;
	/** Of these alone lanes are counted that a filter leaves out. */
	private unfiltered: Lanes;
	private painter: Painter | null = null;
	private inside: Inside | null = null;
	private arrows: Arrows | null = null;
	private notes: HTMLElement = h("span", { class: "aside inside-notes", tip: () => ({ head: "In the lanes", note: this.notes.textContent! }) });
	private set!: LaneSet;
	private hovering = false;
	private held: MergedSlices;
	private column: Stack;
	private offer = h("p", { class: "offer soft", title: "The recording has more slices than a page can hold: of those that begin in the same " +
		"stretch of that length it has the exact sums of each label" });
	private command = "";
	private part = h("p", { class: "paper-note" });
	private pressed: { x: number; y: number; from: number; top: number; zoom: boolean; moved: boolean; beside: boolean } | null = null;
	private rubber: [number, number] | null = null;
	private ask = framed(() => this.draw());

	constructor(private store: Store) {
		this.lanes = new Lanes(store.profile);
		this.unfiltered = new Lanes(store.profile);
		this.held = new MergedSlices(store.profile);
		this.column = new Stack(store.profile);
		this.canvas = h("canvas", {
			class: "lanes",
			attrs: { tabindex: 0, role: "application", "aria-label": "Timeline", "aria-describedby": "timeline-keys" },
			on: {
				wheel: (event) => this.wheel(event),
				pointerdown: (event) => this.down(event),
				pointermove: (event) => this.pointer(event),
				pointerup: (event) => this.up(event),
				pointerleave: () => this.hovered(null),
				dblclick: (event) => {
					const found = this.hit(event.offsetX, event.offsetY);

					if (found)
						this.zoomTo(found.begin, found.end);
				},
				keydown: (event) => this.key(event),
			},
		});
		this.scroller = h("div", { class: "lanes-scroller", on: { scroll: () => this.ask() } }, this.canvas, this.sizer);
		this.element = this.layout();
		this.offer.hidden = !store.profile.timeline.resolution;
		document.documentElement.style.setProperty("--summed", this.offer.hidden ? "0" : "1");
		new ResizeObserver(this.ask).observe(this.scroller);
		onPalette(() => {
			this.painter?.reset();
			this.inside?.reset();
			this.drawLegend();
			this.ask();
		});
		store.watch((state, changed) => this.update(state, changed));
	}

	private layout(): HTMLElement {
		const { timeline } = this.store.profile;
		const button = (text: string, title: string, click: () => void) =>
			h("button", { class: "quiet", title, attrs: { type: "button", "aria-label": title }, on: { click } }, text);

		return h("section", { class: "view timeline-view", attrs: { "aria-label": "Timeline" } },
			h("div", { class: "toolbar" },
				choice(this.store, "lanes", "Lanes", LANE_KINDS, (lanes) => ({ lanes })),
				button("−", "Zoom out (S)", () => this.zoom(1.6)),
				button("+", "Zoom in (W)", () => this.zoom(1 / 1.6)),
				button("All", "Show all of the recording (F)", () => this.all()),
				this.legend,
				timeline.uncounted.length ? h("span", { class: "aside" },
					`counts in slices: the first ${format.count(timeline.values.length)} counters only`) : null,
				this.notes, h("span", { class: "hint" }, h("span", { class: "aside keys" }, "shift: zoom, ctrl: compare"))),
			labelLegend(this.store, true), new Overview(this.store).canvas, this.offer, this.scroller, this.part, this.said,
			h("p", { class: "hidden", attrs: { id: "timeline-keys" } },
				"W and S zoom, A and D or the left and right arrows move in time, up and down scroll, " +
				"comma and full stop go to the slice before and after, F shows all."));
	}

	private update(state: State, changed: Set<keyof State>): void {
		const before = this.set?.key;

		this.set = this.lanes.set(state, this.store);
		if (this.set.key !== before)
			this.scroller.scrollTop = 0;
		this.askRoom();
		if (changed.has("lanes"))
			this.drawLegend();
		if (["lanes", "filter", "from", "to", "selected", "only", "at", "view"].some((key) => changed.has(key as keyof State)))
			this.ask();
	}

	/** What the table does not say: colours of marks in slices and between them, and of the strip. */
	private drawLegend(): void {
		const { threads, total, timelineSamples, spans } = this.store.profile;
		const threadLanes = this.store.state.lanes === "threads";
		const mark = (text: string, title = "", as = text) => h("span", { title }, h("i", { class: `swatch ${as}` }), text);

		replace(this.legend, mark("running", "In the strip, of all threads: running coroutines. In lanes what runs has the colour of its label"),
			mark("preempted"), mark("blocked"), total.idle[0] > 0 && mark("idle"), threadLanes
				? threads.slices.some((_, thread) => threads.table.column("slices").standing(thread) > 0) && mark("not known", "", "lost") : mark("suspended", "", "life"),
			mark("some", "A mark below a column of pixels: its label, or state, was there for less than a pixel of it", "some"),
			mark("more of them", "Labels or states that each have less than a pixel, together; as a mark: more than there is room for", "others"),
			this.store.profile.timeline.resolution > 0 && mark("sums", "Below the slices: sums, it is not known when in this time each was", "sums"),
			timelineSamples.n > 0 && mark("sample", "A tick at the top of a lane: at least one sample was taken there", "tick"),
			!!spans && mark("span", "Below the slices: calls and other spans in them, in shades of their label's colour, an inner one below the one it is in", "span"));
		const [one, other] = spanShades();

		this.legend.querySelector<HTMLElement>("i.span")?.style.setProperty("background", `linear-gradient(90deg, ${one} 5px, transparent 5px 6px, ${other} 6px)`);
	}

	/** Of so many lanes, if each is @lane high. */
	private height(lanes: number, lane: number): number {
		return AXIS + Math.max(1, lanes) * lane + GAP;
	}

	/** What lanes would like, and what is theirs before others have the rest: without a filter, which moves nothing while it is typed. */
	private askRoom(): void {
		const { store, store: { state } } = this;
		const { most, enough } = LANE[state.lanes];
		const { style } = document.documentElement;
		const { lanes: { length } } = state.filter ? this.unfiltered.set({ ...state, filter: "" }, store) : this.set;

		style.setProperty("--lanes", this.height(length, most + this.spanRoom()) + "px");
		style.setProperty("--lanes-least", this.height(length, enough + this.spanRoom()) + "px");
	}

	/** From a lane to the next: room for slices, for spans in them, and a gap. */
	private laneHeight(): number {
		const { least, most } = LANE[this.store.state.lanes];
		const room = (this.scroller.clientHeight - AXIS - GAP) / Math.max(1, this.set.lanes.length);
		const spans = this.spanRoom();

		return spans + Math.max(least, Math.min(most, Math.floor(room) - spans));
	}

	/** Slices of the selected coroutine of which the page has sums of their label, so that no lane shows them as its own. */
	private undrawn(): string {
		const { profile: { timeline, coroutines } } = this.store;
		const coroutine = this.store.selectedCoroutine();

		if (coroutine === NONE || !timeline.resolution)
			return "";
		const drawn = this.lanes.slicesOf(coroutine).reduce((sum, row) => sum + timeline.slices[row], 0);
		const { [coroutine]: all } = coroutines.slices;

		return all > drawn ? `of its ${format.plural(all, "slice")} ${format.full(all - drawn)} are in sums of labels, and not drawn as its own` : "";
	}

	private spanRows(): number {
		return this.inside?.rows(this.store.state.lanes, this.store.selectedCoroutine()) ?? 0;
	}

	/** Those of the calls of samples, of one coroutine. */
	private callRows(): number {
		return this.inside?.callRows(this.store.state.lanes, this.store.selectedCoroutine()) ?? 0;
	}

	private spanRoom(): number {
		return (this.spanRows() + this.callRows()) * SPAN + (this.callRows() ? GAP : 0);
	}

	/** How far down in a lane the calls begin. */
	private callsBelow(): number {
		return this.belowSlices() + this.spanRows() * SPAN + GAP;
	}

	/** Of the slices of a lane. */
	private sliceHeight(): number {
		return this.laneHeight() - GAP - this.spanRoom() - this.marks();
	}

	private marks(): number {
		return MARKS[this.store.state.lanes];
	}

	/** How far down in a lane the spans begin. */
	private belowSlices(): number {
		return this.sliceHeight() + this.marks() + 1;
	}

	private window(): Window {
		const { from, to } = this.store.state;

		return { from, to, left: GUTTER, right: this.canvas.clientWidth, density: devicePixelRatio || 1 };
	}

	private stress(): Stress {
		return { label: this.store.selectedLabel(), coroutine: this.store.selectedCoroutine() };
	}

	/* -------------------------------------------------------------------- */

	private draw(): void {
		const context = fitCanvas(this.canvas);

		if (!context)
			return;
		this.makePainters(context);
		this.sizer.style.height = this.height(this.set.lanes.length, this.laneHeight()) + "px";
		this.painter!.begin(this.window(), this.canvas.clientHeight);
		this.inside!.begin();
		this.drawLanes(context, this.painter!, this.inside!);
		this.drawSelected(context);
		this.drawAxis(context);
		this.drawRubber(context);
		this.canvas.dataset.drawn = String(this.painter!.drawn);
		this.canvas.dataset.lanes = String(this.set.lanes.length);
		this.canvas.dataset.pitch = String(this.laneHeight());
		/* What was drawn of each label and state, for tests. */
		Object.assign(this.canvas, { times: this.painter!.times, spans: this.inside!.spans, ticks: this.inside!.ticks, calls: this.inside!.calls, arrows: this.arrows!.drawn });
		/* What is asked of the layout comes before what changes it, so that it is laid out once. */
		say(this.part, partPrinted("Lanes", this.scroller.scrollTop, this.canvas.clientHeight - AXIS, this.laneHeight(), this.set.lanes.length));
		say(this.notes, [this.undrawn(), ...this.inside!.notes(this.store.state.lanes, this.store.selectedCoroutine()), this.arrows!.note(),
			this.set.filter && `lanes that fit ${printable(this.set.filter)} only`].filter(Boolean).join("; "));
		this.notes.tabIndex = this.notes.textContent ? 0 : -1;
		this.drawMerged();
	}

	/** Lanes get room for spans once there is something to measure them by. */
	private makePainters(context: CanvasRenderingContext2D): void {
		const { profile } = this.store;

		if (this.painter)
			return;
		this.painter = new Painter(profile, context);
		this.inside = new Inside(profile, this.lanes, context);
		this.arrows = new Arrows(profile, this.lanes, instantsOf(profile), context);
		this.askRoom();
	}

	/** The slice that is looked at, or NONE. */
	private selectedSlice(): number {
		const coroutine = this.store.selectedCoroutine();
		const { at } = this.store.state;

		return coroutine === NONE || at < 0 ? NONE : this.lanes.sliceAt(coroutine, at);
	}

	private drawSelected(context: CanvasRenderingContext2D): void {
		const { from, to, left, right } = this.window();
		const pitch = this.laneHeight();

		context.save();
		context.beginPath();
		context.rect(left, AXIS, right - left, this.canvas.clientHeight - AXIS);
		context.clip();
		this.arrows!.draw(this.selectedSlice(), {
			set: this.set, x: (time) => left + (time - from) / (to - from) * (right - left),
			y: (lane) => ({ top: AXIS + lane * pitch - this.scroller.scrollTop, height: this.sliceHeight() }),
		});
		context.restore();
	}

	/** How to see the slices in view that the page has as sums. */
	private drawMerged(): void {
		const { from, to } = this.store.state;

		if (this.offer.hidden)
			return;
		const { slices, merged } = this.held.between(from, to);
		const command = merged && slices <= SLICES_MOST ? commandFor(this.store.profile, from, to) ?? "" : "";
		const { resolution } = this.store.profile.timeline;
		const of = `Of ${format.full(merged)} of the ${format.full(slices)} slices in view, each shorter than ${format.time(resolution)}, the page has sums by label.`;

		if (command && command === this.command)
			return;
		this.command = command;
		replace(this.offer, ...!merged ? [] : command ? [`${of} This shows each: `, h("code", {}, printable(command)), " ", copier(() => command)]
			: [`${of} ${slices > SLICES_MOST ? `Zoom in to ${format.full(SLICES_MOST)} slices, and the command that shows each is here.`
				: "To see each, make a page of one recording, with --from and --to."}`]);
	}

	private drawLanes(context: CanvasRenderingContext2D, painter: Painter, inside: Inside): void {
		const pitch = this.laneHeight();
		const height = this.sliceHeight();
		const rows = this.spanRows();
		const calls = this.callRows();
		const { scrollTop } = this.scroller;
		const { clientHeight } = this.canvas;
		const last = Math.min(this.set.lanes.length, Math.ceil((scrollTop + clientHeight - AXIS) / pitch));
		const window = this.window();
		const stress = this.stress();

		const shown = this.set.lanes.slice(Math.floor(scrollTop / pitch), last).map((lane, at) => {
			const y = AXIS + (Math.floor(scrollTop / pitch) + at) * pitch - scrollTop;

			context.fillStyle = palette().lane;
			context.fillRect(GUTTER, y, window.right - GUTTER, pitch - GAP);
			if (lane.coroutine !== NONE && !isThreadSlot(this.store.profile, lane.coroutine))
				this.drawLife(context, lane, y + height / 2, window);
			return { lane, y, wide: painter.lane(this.set, lane, y, height, this.marks(), window, stress) };
		});

		painter.end(window);
		for (const { lane, y, wide } of shown) {
			inside.lane(this.set, lane, wide, y + this.belowSlices(), rows, window);
			inside.samples(lane, y, window);
			if (calls)
				inside.stacks(lane.coroutine, y + this.callsBelow(), calls, window);
			this.drawGutter(context, lane, y, pitch - GAP);
		}
		if (!this.set.lanes.length) {
			context.fillStyle = palette().soft;
			context.fillText("No slices of this in the timeline", GUTTER + 12, AXIS + 20);
		}
	}

	/** A line from a coroutine's first slice to its last: where no slice is on it, it is suspended. */
	private drawLife(context: CanvasRenderingContext2D, lane: Lane, y: number, { from, to, left, right, density }: Window): void {
		const { first: { [lane.coroutine]: first }, last: { [lane.coroutine]: last } } = this.store.profile.coroutines;
		/* Of whole pixels: half of one would have a colour that no legend has. */
		const whole = (at: number) => Math.round(at * density) / density;
		const x = (time: number) => whole(left + Math.max(0, Math.min(1, (time - from) / (to - from))) * (right - left));

		context.fillStyle = palette().awaiting;
		context.fillRect(x(first), whole(y - LIFE / 2), x(last) - x(first), LIFE);
	}

	private fitName(context: CanvasRenderingContext2D, name: string): string {
		return fitMiddle(printable(name), GUTTER - 20, (text) => context.measureText(text).width);
	}

	private drawGutter(context: CanvasRenderingContext2D, lane: Lane, y: number, height: number): void {
		const { panel, ink, soft } = palette();
		const selected = this.store.selectedCoroutine();

		context.fillStyle = panel;
		context.fillRect(0, y, GUTTER, height + GAP);
		context.save();
		context.beginPath();
		context.rect(0, y, GUTTER - 8, height);
		context.clip();
		context.fillStyle = lane.coroutine !== NONE && selected !== NONE && lane.coroutine !== selected ? soft : ink;
		context.fillText(this.fitName(context, lane.name), 10, y + height / 2 - (lane.below ? 6 : 0));
		context.fillStyle = soft;
		context.fillText(this.fitName(context, lane.below), 10, y + height / 2 + 7);
		context.restore();
	}

	private drawAxis(context: CanvasRenderingContext2D): void {
		const { from, to, left, right } = this.window();
		const { panel, soft, line } = palette();
		const scale = (right - left) / (to - from);
		const step = format.roundStep(TICK_ROOM / scale);

		context.fillStyle = panel;
		context.fillRect(0, 0, right, AXIS);
		for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
			const x = Math.round(left + (time - from) * scale);

			context.fillStyle = line;
			context.fillRect(x, AXIS - 6, 1, 6);
			context.fillStyle = soft;
			if (x + 4 + 50 < right)
				context.fillText(format.axisTime(time, step, to), x + 4, AXIS / 2);
		}
		context.fillStyle = soft;
		context.fillText(`${format.time(to - from)} in view`, 10, AXIS / 2);
		context.fillStyle = line;
		context.fillRect(0, AXIS - 1, right, 1);
	}

	private drawRubber(context: CanvasRenderingContext2D): void {
		if (!this.rubber)
			return;
		const [a, b] = this.rubber;

		context.globalAlpha = 0.25;
		context.fillStyle = palette().accent;
		context.fillRect(Math.min(a, b), AXIS, Math.abs(a - b), this.canvas.clientHeight - AXIS);
		context.globalAlpha = 1;
	}

	/* -------------------------------------------------------------------- */

	private timeAt(x: number): number {
		const { from, to, left, right } = this.window();

		return from + (x - left) / Math.max(1, right - left) * (to - from);
	}

	private laneAt(y: number): Lane | undefined {
		return y < AXIS ? undefined
			: this.set.lanes[Math.floor((y - AXIS + this.scroller.scrollTop) / this.laneHeight())];
	}

	/** What is drawn at a point. */
	private hit(x: number, y: number): Found | null {
		const lane = this.laneAt(y);
		const { from, to, left, right, density } = this.window();
		const pixel = (to - from) / Math.max(1, Math.floor((right - left) * density));

		if (x < GUTTER || !lane)
			return null;
		const begin = from + Math.floor((this.timeAt(x) - from) / pixel) * pixel;
		const found = this.found(lane, begin, begin + pixel, this.shareAt(y));

		return this.foundInside(lane, found, this.timeAt(x), pixel, (y - AXIS + this.scroller.scrollTop) % this.laneHeight()) ?? found;
	}

	/** The span, or the sample, so far down in its lane. */
	private foundInside(lane: Lane, found: Found | null, time: number, pixel: number, down: number): Found | null {
		const { profile } = this.store;
		const { timeline, timelineSpans: { end, wall }, timelineSamples } = profile;
		const under = down - this.belowSlices();
		const sample = this.inside?.sampleAt(lane, time, down, pixel) ?? NONE;

		if (sample !== NONE)
			return { tip: sampleTip(profile, sample), row: found?.row ?? NONE, label: found?.label ?? NONE, begin: timelineSamples.time[sample], end: timelineSamples.time[sample] };
		if (under < 0 || !this.inside)
			return null;
		const coroutine = lane.coroutine !== NONE ? lane.coroutine : found && found.row !== NONE ? timeline.coroutine[found.row] : NONE;
		const called = down < this.callsBelow() ? null : this.inside.callAt(lane.coroutine, Math.floor((down - this.callsBelow()) / SPAN), time, pixel);
		const inIt = { row: found?.row ?? NONE, label: found?.label ?? NONE };

		if (called)
			return { ...called, ...inIt };
		const span = this.inside.spanAt(coroutine, Math.floor(under / SPAN), time, pixel);

		return span === NONE ? null : { tip: spanTip(profile, span), ...inIt, begin: end[span] - wall[span], end: end[span] };
	}

	/** How far up in its lane a point is. */
	private shareAt(y: number): number {
		return 1 - (y - AXIS + this.scroller.scrollTop) % this.laneHeight() / this.sliceHeight();
	}

	/** What of a lane is drawn in the column of pixels from @begin to @end, at the share @up of its height. */
	private found(lane: Lane, begin: number, end: number, up: number): Found | null {
		const { profile } = this.store;
		const { set, column } = this;
		const stress = this.stress();
		let stretch: [number, number] = [begin, end];

		column.clear();
		for (const piece of pieces(profile, set, lane, begin)) {
			if (piece.begin >= end)
				break;
			/* One that has all of the column is looked at as a whole. */
			if (piece.begin <= begin && piece.end >= end)
				stretch = [piece.begin, piece.end];
			this.painter?.put(column, set, piece, ...stretch, stress);
		}
		return column.rows ? this.foundStack(lane, ...stretch, up) : null;
	}

	private foundStack(lane: Lane, begin: number, end: number, up: number): Found {
		const { profile, profile: { timeline } } = this.store;
		const { column, column: { row } } = this;
		let sum = 0;

		if (row !== NONE)
			return { tip: sliceTip(profile, row), row, label: timeline.label[row], begin: timeline.begin[row], end: timeline.end[row] };
		const band = column.bands(this.stress()).find(({ time }) => (sum += time) >= up * Math.max(column.total, end - begin));

		return {
			tip: stackTip(profile, column, lane.thread, begin, end), row, begin, end,
			label: band && band.label < profile.labels.n ? band.label : NONE,
		};
	}

	/** Shows @span of time, with @time at the share @at of the width. */
	private look(time: number, at: number, span: number): void {
		const { since } = this.store.profile;
		const whole = lengthOf(this.store.profile);
		const wide = Math.max(Math.min(SHORTEST_VIEW, whole), Math.min(whole, span));
		const from = Math.max(since, Math.min(since + whole - wide, time - at * wide));

		this.store.set({ from, to: from + wide });
	}

	private zoom(factor: number, x?: number): void {
		const { from, to, left, right } = this.window();
		const at = x === undefined ? 0.5 : Math.max(0, Math.min(1, (x - left) / Math.max(1, right - left)));

		this.look(from + at * (to - from), at, (to - from) * factor);
	}

	private pan(share: number): void {
		const { from, to } = this.store.state;

		this.look(from + share * (to - from), 0, to - from);
	}

	private all(): void {
		this.look(0, 0, Infinity);
	}

	private zoomTo(begin: number, end: number): void {
		this.look((begin + end) / 2, 0.5, (end - begin) * 3);
	}

	private choose(found: Found | null): void {
		const { timeline } = this.store.profile;

		if (found && found.row !== NONE && timeline.coroutine[found.row] !== NONE)
			this.store.select("coroutine", timeline.coroutine[found.row], timeline.begin[found.row]);
		else if (found && found.label !== NONE)
			this.store.select("label", found.label);
		else
			this.store.set({ selected: null });
	}

	/* -------------------------------------------------------------------- */

	private wheel(event: WheelEvent): void {
		const pixels = event.deltaMode === 1 ? 20 : 1;
		const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;

		if (event.offsetX < GUTTER)
			return;
		event.preventDefault();
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			this.pan(sideways * pixels / Math.max(1, this.canvas.clientWidth - GUTTER));
		else
			this.zoom(1.0018 ** (event.deltaY * pixels), event.offsetX);
	}

	private down(event: PointerEvent): void {
		if (event.button !== 0)
			return;
		this.canvas.setPointerCapture(event.pointerId);
		this.pressed = {
			x: event.offsetX, y: event.offsetY, from: this.store.state.from,
			top: this.scroller.scrollTop, moved: false,
			zoom: event.shiftKey || event.ctrlKey || event.metaKey || event.offsetY < AXIS,
			beside: event.ctrlKey || event.metaKey,
		};
	}

	private pointer(event: PointerEvent): void {
		const { pressed } = this;

		if (!pressed) {
			const lane = event.offsetX < GUTTER ? this.laneAt(event.offsetY) : undefined;

			if (lane)
				this.named(lane, event);
			else
				this.hovered(this.hit(event.offsetX, event.offsetY), event);
			return;
		}
		const [dx, dy] = [event.offsetX - pressed.x, event.offsetY - pressed.y];

		if (!pressed.moved && Math.hypot(dx, dy) < CLICK_SLOP)
			return;
		pressed.moved = true;
		this.hovered(null);
		if (pressed.zoom) {
			this.rubber = [pressed.x, event.offsetX];
			this.ask();
			return;
		}
		const { from, to } = this.store.state;

		this.look(pressed.from - dx / Math.max(1, this.canvas.clientWidth - GUTTER) * (to - from), 0, to - from);
		this.scroller.scrollTop = pressed.top - dy;
	}

	private up(event: PointerEvent): void {
		const { pressed, rubber } = this;

		this.pressed = this.rubber = null;
		if (!pressed)
			return;
		if (!pressed.moved) {
			this.choose(this.hit(event.offsetX, event.offsetY));
			return;
		}
		if (rubber) {
			const [a, b] = rubber.map((x) => this.timeAt(Math.max(GUTTER, x))).sort((x, y) => x - y);

			if (pressed.beside)
				this.store.set({ view: "times", other: this.store.timeBetween(a, b) });
			else
				this.look(a, 0, b - a);
			this.ask();
		}
	}

	/** A name may have been cut: shows all of it. */
	private named(lane: Lane, event: PointerEvent): void {
		this.hovering = true;
		showTip({ head: lane.name, note: lane.below || undefined }, event.clientX, event.clientY);
	}

	private hovered(found: Found | null, event?: PointerEvent): void {
		if (found)
			showTip(found.tip, event!.clientX, event!.clientY);
		else if (this.hovering)
			hideTip();
		this.hovering = !!found;
	}

	private key(event: KeyboardEvent): void {
		const keys: Record<string, () => void> = {
			w: () => this.zoom(1 / 1.4), s: () => this.zoom(1.4),
			"+": () => this.zoom(1 / 1.4), "-": () => this.zoom(1.4),
			a: () => this.pan(-0.15), d: () => this.pan(0.15),
			ArrowLeft: () => this.pan(-0.15), ArrowRight: () => this.pan(0.15),
			ArrowUp: () => { this.scroller.scrollTop -= this.laneHeight(); },
			ArrowDown: () => { this.scroller.scrollTop += this.laneHeight(); },
			",": () => this.step(-1), ".": () => this.step(1),
			f: () => this.all(), Home: () => this.all(),
			Escape: () => this.store.set({ selected: null }),
		};
		const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;

		if (event.ctrlKey || event.metaKey || event.altKey || !keys[key])
			return;
		event.preventDefault();
		keys[key]();
	}

	/** Goes to the slice before or after the one that is looked at, or else what is in the middle, of the selected coroutine or of any. */
	private step(by: 1 | -1): void {
		const { timeline } = this.store.profile;
		const { from, to } = this.store.state;
		const coroutine = this.store.selectedCoroutine();
		const index = coroutine === NONE ? null : this.lanes.slicesOf(coroutine);
		const [lo, hi] = index ? [0, index.length] : [0, timeline.first[1] ?? 0];
		const selected = index?.indexOf(this.selectedSlice()) ?? NONE;
		const at = (selected < 0 ? seek(timeline, index, lo, hi, (from + to) / 2) : selected) + by;

		if (at < lo || at >= hi)
			return;
		const slice = index ? index[at] : at;

		if (index)
			this.store.select("coroutine", coroutine, timeline.begin[slice]);
		this.zoomTo(timeline.begin[slice], timeline.end[slice]);
		const { head, rows } = sliceTip(this.store.profile, slice);

		this.said.textContent = printable(`${head}: ${rows!.map((row) => row.join(" ")).join(", ")}`);
	}
}
