// SPDX-License-Identifier: GPL-2.0
/* The timeline view: lanes over time, and how to move in them. */

import { fitCanvas, GUTTER } from "../canvas";
import { coroutineName, labelName, threadName } from "../columns";
import { framed, h, printable, replace, Tip } from "../dom";
import { cellText } from "../figures";
import * as format from "../format";
import { Lane, Lanes, LaneSet, seek, sliceAt } from "../lanes";
import { fitMiddle } from "../middle";
import { onPalette, palette } from "../palette";
import { isThreadSlot, NONE, Profile } from "../profile";
import { Lanes as LaneKind, State, Store } from "../store";
import { hideTip, showTip } from "../tooltip";
import { choice } from "../widgets";
import { Overview } from "./overview";
import { Painter, Stress, Window } from "./paint";

const AXIS = 22;
/* Threads are few: their lanes grow where there is room. */
const LANE = { threads: { least: 34, most: 64 }, coroutines: { least: 22, most: 22 } };
const GAP = 4;
const LIFE = 2;
const TICK_ROOM = 110;
const SHORTEST_VIEW = 50;
const CLICK_SLOP = 4;
/** In place of a slice, when the pointer is at the name of a lane. */
const NAME = -2;

const LANE_KINDS: [LaneKind, string][] = [["threads", "Threads"], ["coroutines", "Coroutines"]];

const FLAG_WORDS: [string, string][] = [
	["fresh", "first slice"], ["end", "last slice"],
	["woken", "had been made ready"], ["ready", "left, but stayed ready"],
	["first", "the recording began in it"], ["cut", "the recording ended in it"],
	["lost", "slices were lost here: what ran is not known for part of this time"],
];

/** What is said of a slice of the timeline. */
export function sliceTip(profile: Profile, slice: number): Tip {
	const { timeline } = profile;
	const { begin, end, preempted, blocked, flags, slices } = timeline;
	const duration = end[slice] - begin[slice];
	const merged = flags[slice] & profile.words.slice.merged;
	const words = FLAG_WORDS.filter(([flag]) => flags[slice] & profile.words.slice[flag]).map(([, word]) => word);

	if (!slices[slice])
		return {
			head: "lost slices",
			rows: [["from", format.time(begin[slice])], ["for", format.time(duration)]],
			note: "The ring was full: what ran here is not known.",
		};
	const coroutine = timeline.coroutine[slice];
	const rows: [string, string][] = [
		["thread", threadName(profile, timeline.thread[slice])],
		["begin", format.time(begin[slice])],
		["duration", format.time(duration)],
		["running", format.time(duration - preempted[slice] - blocked[slice])],
		["preempted", format.time(preempted[slice])],
		["blocked", format.time(blocked[slice])],
	];

	timeline.values.forEach(({ column }) => rows.push([column.is.title,
		column.has(slice) ? cellText(column, slice) : "not counted in all of it"]));
	return {
		head: coroutine === NONE || merged ? labelName(profile, timeline.label[slice]) : coroutineName(profile, coroutine),
		rows,
		note: [merged ? `${format.plural(slices[slice], "slice")} of this label too short to keep apart; their time is exact, in one piece.` : "",
			words.join("; ")].filter(Boolean).join(" ") || undefined,
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
	private painter: Painter | null = null;
	private set!: LaneSet;
	private hover = NONE;
	private pressed: { x: number; y: number; from: number; top: number; zoom: boolean; moved: boolean } | null = null;
	private rubber: [number, number] | null = null;
	private ask = framed(() => this.draw());

	constructor(private store: Store) {
		this.lanes = new Lanes(store.profile);
		this.canvas = h("canvas", {
			class: "lanes",
			attrs: { tabindex: 0, role: "application", "aria-label": "Timeline", "aria-describedby": "timeline-keys" },
			on: {
				wheel: (event) => this.wheel(event),
				pointerdown: (event) => this.down(event),
				pointermove: (event) => this.pointer(event),
				pointerup: (event) => this.up(event),
				pointerleave: () => this.hovered(NONE),
				dblclick: (event) => this.zoomTo(this.hit(event.offsetX, event.offsetY)),
				keydown: (event) => this.key(event),
			},
		});
		this.scroller = h("div", { class: "lanes-scroller", on: { scroll: () => this.ask() } }, this.canvas, this.sizer);
		this.element = this.layout();
		new ResizeObserver(this.ask).observe(this.scroller);
		onPalette(() => {
			this.painter?.reset();
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
				this.legend, h("span", { class: "spring" }),
				timeline.resolution ? h("span", { class: "aside",
					title: "The recording has more slices than a page can hold: those of a label that begin in the same " +
						"stretch of this length are shown as one, with their exact time" },
					`slices shorter than ${format.time(timeline.resolution)} are put together by label`) : null,
				h("span", { class: "aside keys" }, "wheel zooms, drag moves, shift-drag selects")),
			new Overview(this.store).canvas, this.scroller, this.said,
			h("p", { class: "hidden", attrs: { id: "timeline-keys" } },
				"W and S zoom, A and D or the left and right arrows move in time, up and down scroll, " +
				"comma and full stop go to the slice before and after, F shows all."));
	}

	private update(state: State, changed: Set<keyof State>): void {
		const before = this.set?.key;

		this.set = this.lanes.set(state, this.store);
		if (this.set.key !== before)
			this.scroller.scrollTop = 0;
		this.scroller.style.setProperty("--lanes", this.height(LANE[state.lanes].most) + "px");
		if (changed.has("lanes"))
			this.drawLegend();
		if (["lanes", "from", "to", "selected", "view"].some((key) => changed.has(key as keyof State)))
			this.ask();
	}

	/** What the table does not say: colours of marks in slices and between them. */
	private drawLegend(): void {
		const { threads } = this.store.profile;
		const mark = (state: string, as = state) => h("span", {}, h("i", { class: `swatch ${as}` }), state);

		replace(this.legend, mark("preempted"), mark("blocked"), this.store.state.lanes === "threads"
			? threads.lost.some((lost) => lost > 0) && mark("lost") : mark("suspended", "life"));
	}

	/** Of all lanes, if each is @lane high. */
	private height(lane: number): number {
		return AXIS + Math.max(1, this.set.lanes.length) * lane + GAP;
	}

	private laneHeight(): number {
		const { least, most } = LANE[this.store.state.lanes];
		const room = (this.scroller.clientHeight - AXIS - GAP) / Math.max(1, this.set.lanes.length);

		return Math.max(least, Math.min(most, Math.floor(room)));
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
		this.sizer.style.height = this.height(this.laneHeight()) + "px";
		this.painter ??= new Painter(this.store.profile, context);
		this.painter.drawn = 0;
		this.drawLanes(context, this.painter);
		this.drawAxis(context);
		this.drawRubber(context);
		this.canvas.dataset.drawn = String(this.painter.drawn);
		this.canvas.dataset.lanes = String(this.set.lanes.length);
		this.canvas.dataset.pitch = String(this.laneHeight());
	}

	private drawLanes(context: CanvasRenderingContext2D, painter: Painter): void {
		const pitch = this.laneHeight();
		const { scrollTop } = this.scroller;
		const { clientHeight } = this.canvas;
		const last = Math.min(this.set.lanes.length, Math.ceil((scrollTop + clientHeight - AXIS) / pitch));
		const window = this.window();
		const stress = this.stress();

		for (let at = Math.floor(scrollTop / pitch); at < last; at++) {
			const y = AXIS + at * pitch - scrollTop;
			const lane = this.set.lanes[at];

			context.fillStyle = palette().lane;
			context.fillRect(GUTTER, y, window.right - GUTTER, pitch - GAP);
			if (lane.coroutine !== NONE && !isThreadSlot(this.store.profile, lane.coroutine))
				this.drawLife(context, lane, y + (pitch - GAP) / 2, window);
			painter.lane(this.set, lane, y, pitch - GAP, window, stress);
			this.drawGutter(context, lane, y, pitch - GAP);
		}
		if (!this.set.lanes.length) {
			context.fillStyle = palette().soft;
			context.fillText("No slices of this in the timeline", GUTTER + 12, AXIS + 20);
		}
	}

	/** A line from a coroutine's first slice to its last: where no slice is on it, it is suspended. */
	private drawLife(context: CanvasRenderingContext2D, lane: Lane, y: number, { from, to, left, right }: Window): void {
		const { first, last } = this.store.profile.coroutines;
		const x = (time: number) => left + Math.max(0, Math.min(1, (time - from) / (to - from))) * (right - left);

		context.fillStyle = palette().awaiting;
		context.fillRect(x(first[lane.coroutine]), y - LIFE / 2, x(last[lane.coroutine]) - x(first[lane.coroutine]), LIFE);
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

	private hit(x: number, y: number): number {
		const lane = this.laneAt(y);
		const { from, to, left, right } = this.window();

		if (x < GUTTER || !lane)
			return NONE;
		return sliceAt(this.store.profile.timeline, this.set, lane,
			this.timeAt(x), (to - from) / Math.max(1, right - left) * 2);
	}

	/** Shows @span of time, with @time at the share @at of the width. */
	private look(time: number, at: number, span: number): void {
		const { duration } = this.store.profile;
		const whole = Math.max(duration, 1);
		const wide = Math.max(Math.min(SHORTEST_VIEW, whole), Math.min(whole, span));
		const from = Math.max(0, Math.min(whole - wide, time - at * wide));

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

	private zoomTo(slice: number): void {
		const { begin, end } = this.store.profile.timeline;

		if (slice === NONE)
			return;
		this.look((begin[slice] + end[slice]) / 2, 0.5, (end[slice] - begin[slice]) * 3);
	}

	private choose(slice: number): void {
		const { timeline } = this.store.profile;

		if (slice === NONE)
			this.store.set({ selected: null });
		else if (timeline.coroutine[slice] !== NONE)
			this.store.select("coroutine", timeline.coroutine[slice]);
		else if (timeline.label[slice] !== NONE)
			this.store.select("label", timeline.label[slice]);
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
			zoom: event.shiftKey || event.offsetY < AXIS,
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
		this.hovered(NONE);
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

			this.look(a, 0, b - a);
			this.ask();
		}
	}

	/** A name may have been cut: shows all of it. */
	private named(lane: Lane, event: PointerEvent): void {
		this.hover = NAME;
		showTip({ head: lane.name, note: lane.below || undefined }, event.clientX, event.clientY);
	}

	private hovered(slice: number, event?: PointerEvent): void {
		if (slice === NONE) {
			if (this.hover !== NONE)
				hideTip();
			this.hover = NONE;
			return;
		}
		this.hover = slice;
		showTip(sliceTip(this.store.profile, slice), event!.clientX, event!.clientY);
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

	/** Goes to the slice before or after what is in the middle, of the selected coroutine or of any. */
	private step(by: 1 | -1): void {
		const { timeline } = this.store.profile;
		const { from, to } = this.store.state;
		const coroutine = this.store.selectedCoroutine();
		const index = coroutine === NONE ? null : this.lanes.slicesOf(coroutine);
		const [lo, hi] = index ? [0, index.length] : [0, timeline.first[1] ?? 0];
		const at = seek(timeline, index, lo, hi, (from + to) / 2) + by;

		if (at < lo || at >= hi)
			return;
		const slice = index ? index[at] : at;

		this.zoomTo(slice);
		const { head, rows } = sliceTip(this.store.profile, slice);

		this.said.textContent = printable(`${head}: ${rows!.map((row) => row.join(" ")).join(", ")}`);
	}
}
