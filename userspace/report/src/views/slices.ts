// SPDX-License-Identifier: GPL-2.0
/*
 * Slices, waits and lives as points: a heat map of how long they took over time, and a
 * scatter of any two of their figures. They are those of the time in view, and of what is selected;
 * a drag along the time has that in view, in all views, with Ctrl beside that in view: see beside.ts;
 * one up or down says those above its lower end from the rest: see slow.ts.
 */

import { fitCanvas } from "../canvas";
import { coroutineName } from "../columns";
import { framed, h, put, replace, Tip } from "../dom";
import * as format from "../format";
import { commandFor } from "../merged-slices";
import { mix, onPalette, palette, rankColour } from "../palette";
import { bucketAt, densities, GridBucket, gridOf, hasGrid, Heat, heatOf, Kind, kindsOf, lengthScale, Measure, Points, Scale, timeScale } from "../plot";
import { NONE, Profile } from "../profile";
import { isTime } from "../slow";
import { COUNTED } from "../standings";
import { Points as What, SlowOf, State, Store } from "../store";
import { hideTip, showTip } from "../tooltip";
import { choice, copier, menu, menuOptions, swatch } from "../widgets";
import { labelLegend } from "./labels";
import { sliceTip } from "./timeline";

const LEFT = 76;
const BOTTOM = 24;
const TOP = 8;
/** Pixels of a bucket of the heat map. */
const BUCKET = { x: 6, y: 8 };
const DOT = 3;
/** A point is hit within so many pixels. */
const NEAR = 8;
/** Room for a mark of an axis. */
const TICK = { x: 120, y: 40 };
const CLICK_SLOP = 4;
const LINE = 16;

export function hasSlices({ timeline }: Profile): boolean {
	return timeline.n > 0;
}

function mostIn(grid: GridBucket[]): number {
	return grid.reduce((most, { slices }) => Math.max(most, slices), 0);
}

interface Drawn {
	xs: number[];
	ys: number[];
	x: Scale;
	y: Scale;
	heat: Heat | null;
	/** In its place, of all slices, where most of them are no points. */
	grid: GridBucket[] | null;
}

export class SlicesView {
	readonly element: HTMLElement;
	private canvas = h("canvas", { class: "plot", attrs: { role: "img", "aria-label": "Slices" } });
	private labels: HTMLElement;
	private density = h("p", { class: "density", attrs: { "aria-label": "How many are in a cell" } });
	private note = h("p", { class: "plot-note", attrs: { role: "status" } });
	private kinds: Record<What, Kind>;
	private kind: Kind;
	private points: Points = { slices: [], merged: 0 };
	private drawn: Drawn | null = null;
	private pressed: { x: number; y: number; beside: boolean } | null = null;
	private menus: { x: HTMLSelectElement; y: HTMLSelectElement };
	private ask = framed(() => this.draw());

	constructor(private store: Store) {
		this.kinds = kindsOf(store.profile);
		this.kind = this.kinds[store.state.points];
		this.menus = {
			x: menu("Across", [], (x) => store.set({ x })),
			y: menu("Up", [], (y) => store.set({ y })),
		};
		this.labels = labelLegend(store, false);
		this.element = h("section", { class: "view slices-view", attrs: { "aria-label": "Slices" } });
		put(this.element, h("div", { class: "toolbar" },
			choice(store, "points", "Of", [["slices", "Slices"], ["waits", "Waits"], ["lives", "Lives"]], (points) => ({ points })),
			choice(store, "plot", "Picture", [["heat", "Heat map"], ["scatter", "Scatter"]], (plot) => ({ plot })),
			h("span", {}, "up "), this.menus.y, h("span", {}, "across "), this.menus.x,
			h("span", { class: "aside keys" }, "drag along: zoom, ctrl: compare, up: slow ones")), this.labels, this.density, this.canvas, this.note);
		this.listen();
		store.watch((state, changed) => this.update(state, changed));
	}

	private listen(): void {
		const { canvas } = this;

		new ResizeObserver(() => this.ask()).observe(canvas);
		onPalette(() => this.ask());
		canvas.addEventListener("pointerdown", (event) => {
			this.pressed = { x: event.offsetX, y: event.offsetY, beside: event.ctrlKey || event.metaKey };
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener("pointermove", (event) => this.pointer(event));
		canvas.addEventListener("pointerleave", () => hideTip());
		canvas.addEventListener("pointerup", (event) => this.up(event));
	}

	/** What there is to choose from depends on what points are. */
	private fill(points: What): void {
		const options = (all: Measure[]) => menuOptions(all.map(({ name, missing }) => [name, missing ? `${name} (${missing})` : name, !!missing]));

		this.kind = this.kinds[points];
		replace(this.menus.x, ...options([this.kind.time, ...this.kind.measures]));
		replace(this.menus.y, ...options(this.kind.measures));
	}

	private update(state: State, changed: Set<keyof State>): void {
		if (changed.has("points"))
			this.fill(state.points);
		this.menus.x.value = this.across(state).name;
		this.menus.y.value = this.measure(state.y).name;
		this.menus.x.disabled = state.plot === "heat";
		/* What buckets are coloured by are no labels. */
		this.labels.hidden = state.plot === "heat";
		if (["view", "selected", "only", "from", "to", "points", "plot", "x", "y"].some((key) => changed.has(key as keyof State)))
			this.ask();
	}

	private measure(name: string): Measure {
		return this.kind.measures.find((measure) => measure.name === name && !measure.missing) ?? this.kind.measures[0];
	}

	/** Of a heat map, always the time. */
	private across({ plot, x }: State): Measure {
		return plot === "heat" || x === "time" ? this.kind.time : this.measure(x);
	}

	private size(): { width: number; height: number } {
		return { width: Math.max(1, this.canvas.clientWidth - LEFT - 8), height: Math.max(1, this.canvas.clientHeight - TOP - BOTTOM) };
	}

	private draw(): void {
		const { state, profile } = this.store;
		const context = this.element.hidden ? null : fitCanvas(this.canvas);

		if (!context)
			return;
		const [across, up] = [this.across(state), this.measure(state.y)];
		const { width, height } = this.size();

		/* What stands where it began is there if it began in view; else as in tables. */
		this.points = this.kind.points(this.store, across.log ? "end" : "begin");
		const [xs, ys] = [across, up].map((measure) => this.points.slices.map((slice) => measure.of(slice)));
		const grid = this.hasGrid() && state.plot === "heat" && up.name === "held" ? gridOf(this.store) : null;
		const x = across.log ? lengthScale(xs) : timeScale(state.from, state.to);
		const y = lengthScale(grid ? grid.flatMap(({ from, below }) => [from, below]) : ys);
		const heat = state.plot === "heat" ? heatOf(xs, ys, x, y, Math.max(1, Math.floor(width / BUCKET.x)), Math.max(1, Math.floor(height / BUCKET.y))) : null;

		this.drawn = { xs, ys, x, y, heat, grid };
		this.canvas.dataset.few = String(this.isFew());
		if (this.isFew())
			this.drawFew(context);
		else
			this.axes(context, across, up);
		if (this.isFew())
			hideTip();
		else if (grid)
			this.drawGrid(context, grid);
		else if (heat)
			this.drawHeat(context, heat);
		else
			this.drawPoints(context);
		this.sayDensity();
		/* What was drawn, for tests. */
		Object.assign(this.canvas, { drawn: this.drawn });
		this.say(profile, across, up);
	}

	/** What stands alone among sums is where little happened: no fair choice. */
	private areSums(): boolean {
		return this.points.merged > this.points.slices.length;
	}

	/** Whether the reader has counted them all. */
	private hasGrid(): boolean {
		return this.kind === this.kinds.slices && this.areSums() && hasGrid(this.store);
	}

	private isFew(): boolean {
		return this.areSums() && !this.drawn!.grid;
	}

	private drawFew(context: CanvasRenderingContext2D): void {
		const { slices, merged } = this.points;
		const { width, height } = this.size();

		context.fillStyle = palette().soft;
		context.textAlign = "center";
		context.fillText(`Of ${format.full(slices.length + merged)} slices in view the page has ${format.full(slices.length)} one by one: too few for a picture.`,
			LEFT + width / 2, TOP + height / 2);
		if (this.hasGrid())
			context.fillText("The heat map, up held, has them all.", LEFT + width / 2, TOP + height / 2 + LINE);
		context.textAlign = "left";
	}

	private axes(context: CanvasRenderingContext2D, across: Measure, up: Measure): void {
		const { width, height } = this.size();
		const { x, y } = this.drawn!;
		const { soft, line } = palette();

		context.textAlign = "right";
		for (const value of y.marks(Math.max(1, Math.floor(height / TICK.y)))) {
			const at = TOP + height * (1 - y.at(value));

			context.fillStyle = line;
			context.fillRect(LEFT, at, width, 1);
			context.fillStyle = soft;
			context.fillText(up.show(value), LEFT - 6, at);
		}
		context.textAlign = "center";
		for (const value of x.marks(Math.max(1, Math.floor(width / TICK.x)))) {
			const at = LEFT + width * x.at(value);

			context.fillStyle = line;
			context.fillRect(at, TOP, 1, height);
			context.fillStyle = soft;
			/* All of it is seen, at the end as well. */
			context.fillText(across.show(value), Math.min(at, this.canvas.clientWidth - context.measureText(across.show(value)).width / 2), TOP + height + BOTTOM / 2);
		}
		context.textAlign = "left";
	}

	private drawHeat(context: CanvasRenderingContext2D, { columns, rows, counts, most }: Heat): void {
		const { width, height } = this.size();
		const [wide, tall] = [width / columns, height / rows];

		counts.forEach((count, bucket) => {
			if (!count)
				return;
			const [column, row] = [Math.floor(bucket / rows), bucket % rows];

			this.bucket(context, this.shade(count, most), [LEFT + column * wide, LEFT + (column + 1) * wide], [TOP + height - (row + 1) * tall, TOP + height - row * tall]);
		});
	}

	/** The more in a bucket, the darker, as in the buckets of points. */
	private drawGrid(context: CanvasRenderingContext2D, grid: GridBucket[]): void {
		const { width, height } = this.size();
		const { x, y } = this.drawn!;
		const most = mostIn(grid);

		for (const { begin, end, from, below, slices } of grid)
			this.bucket(context, this.shade(slices, most), [begin, end].map((time) => LEFT + width * Math.max(0, Math.min(1, x.at(time)))),
				[below, from].map((ns) => TOP + height * (1 - y.at(ns))));
	}

	/** Of whole pixels of the screen: a part of one would have a colour that is on no scale. */
	private bucket(context: CanvasRenderingContext2D, colour: string, x: number[], y: number[]): void {
		const density = devicePixelRatio || 1;
		const [x0, x1, y0, y1] = [...x, ...y].map((at) => Math.round(at * density));

		context.fillStyle = colour;
		context.fillRect(x0 / density, y0 / density, Math.max(1, x1 - x0) / density, Math.max(1, y1 - y0) / density);
	}

	/** What the colours of buckets stand for. */
	private sayDensity(): void {
		const { heat, grid } = this.drawn!;
		const most = this.isFew() ? 0 : grid ? mostIn(grid) : heat?.most ?? 0;

		this.density.hidden = !most;
		replace(this.density, `${this.kind.many} in a cell`, ...densities(most).map((count) => h("span", {}, swatch(this.shade(count, most)), format.full(count))));
	}

	private shade(count: number, most: number): string {
		const { lane, accent, ink } = palette();

		return mix(lane, mix(accent, ink, 0.35), 0.2 + 0.8 * Math.log(1 + count) / Math.log(1 + most));
	}

	private drawPoints(context: CanvasRenderingContext2D): void {
		const { profile: { labels } } = this.store;
		const { xs, ys, x, y } = this.drawn!;
		const { width, height } = this.size();

		context.globalAlpha = 0.6;
		this.points.slices.forEach((slice, i) => {
			if (Number.isNaN(xs[i]) || Number.isNaN(ys[i]))
				return;
			context.fillStyle = rankColour(this.kind.label(slice) === NONE ? NONE : labels.rank[this.kind.label(slice)]);
			context.fillRect(LEFT + x.at(xs[i]) * width - DOT / 2, TOP + height * (1 - y.at(ys[i])) - DOT / 2, DOT, DOT);
		});
		context.globalAlpha = 1;
	}

	private say(profile: Profile, across: Measure, up: Measure): void {
		const { xs, ys } = this.drawn!;
		const { from, to } = this.store.state;
		const { merged, slices } = this.points;
		const unknown = xs.filter((value, i) => Number.isNaN(value) || Number.isNaN(ys[i])).length;
		const command = merged ? commandFor(profile, from, to) : null;

		const { noun, many, says } = this.kind;

		if (this.drawn!.grid)
			return this.sayGrid(this.drawn!.grid, up, command);
		replace(this.note, `${format.plural(slices.length - unknown, noun, many)} by ${up.name}: ${up.says}. They are those that ${across.log ? "ended" : "began"} in the time in view.`,
			unknown ? ` Of ${format.full(unknown)} it is n/a${noun === "slice" ? ": not counted all of the time" : ": not known"}.` : "", says,
			merged ? ` ${format.plural(merged, noun, many)} more ${merged === 1 ? "is" : "are"} n/a: the page has sums of them only, or has them beside sums and not where they were. ` : "",
			...command ? ["A page of a shorter time has more of them; of this time: ", copier(() => command)] : []);
	}

	private sayGrid(grid: GridBucket[], up: Measure, command: string | null): void {
		const bucket = grid.reduce((most, { begin, end }) => Math.max(most, end - begin), 0);
		const { table, n } = this.store.profile.heat;
		const shown = format.marked(n ? table.column("slices").standing(0) : COUNTED, grid.reduce((sum, { slices }) => sum + slices, 0), (slices) => format.plural(slices, "slice"));

		replace(this.note, `${shown} by ${up.name}: ${up.says}. ` +
			`They are those that began in cells of ${format.time(bucket)}, of which those at the edges of the time in view are shown whole: ` +
			"the page has how many were about as long, not each. ",
			...command ? ["A page of a shorter time has each; of this time: ", copier(() => command)] : []);
	}

	/* -------------------------------------------------------------------- */

	private isTime(): boolean {
		return !this.across(this.store.state).log;
	}

	/** The point closest to a place, or -1. */
	private closest(px: number, py: number): number {
		const { xs, ys, x, y } = this.drawn!;
		const { width, height } = this.size();
		let found = -1;
		let least = NEAR * NEAR;

		for (let i = 0; i < xs.length; i++) {
			const dx = LEFT + x.at(xs[i]) * width - px;
			const dy = TOP + height * (1 - y.at(ys[i])) - py;
			const distance = dx * dx + dy * dy;

			if (distance <= least)
				[found, least] = [i, distance];
		}
		return found;
	}

	/** Of the points in the bucket at a place the one that is furthest up, or -1. */
	private longestAt(px: number, py: number, heat: Heat): number {
		const { xs, ys, x, y } = this.drawn!;
		const { width, height } = this.size();
		const [across, up] = [(px - LEFT) / width, (TOP + height - py) / height];
		let found = -1;

		if (across < 0 || across >= 1 || up < 0 || up >= 1)
			return found;
		for (let i = 0; i < xs.length; i++)
			if (!Number.isNaN(ys[i]) && bucketAt(heat, x.at(xs[i]), y.at(ys[i])) === bucketAt(heat, across, up) && !(ys[i] <= ys[found]))
				found = i;
		return found;
	}

	private pointer(event: PointerEvent): void {
		const { drawn } = this;

		if (!drawn || this.isFew())
			return;
		if (this.isUp(event) && this.slowBy())
			return this.rubberUp(event);
		if (this.pressed !== null && Math.abs(event.offsetX - this.pressed.x) >= CLICK_SLOP && this.isTime()) {
			this.rubber(event.offsetX);
			return;
		}
		if (drawn.grid)
			this.gridTip(event, drawn.grid);
		else if (drawn.heat)
			this.bucketTip(event, drawn, drawn.heat);
		else
			this.pointTip(event);
	}

	private gridAt(px: number, py: number, grid: GridBucket[]): GridBucket | undefined {
		const { width, height } = this.size();
		const { x, y } = this.drawn!;
		const [time, up] = [x.value((px - LEFT) / width), (TOP + height - py) / height];

		return grid.find(({ begin, end, from, below }) => time >= begin && time < end && up >= y.at(from) && up < y.at(below));
	}

	private gridTip(event: PointerEvent, grid: GridBucket[]): void {
		const bucket = this.gridAt(event.offsetX, event.offsetY, grid);

		if (bucket)
			showTip({
				head: format.plural(bucket.slices, "slice"),
				rows: [["began", [bucket.begin, bucket.end].map(format.moment).join(" to ")], ["held", [bucket.from, bucket.below].map(format.time).join(" to ")]],
			}, event.clientX, event.clientY);
		else
			hideTip();
	}

	private pointTip(event: PointerEvent): void {
		const at = this.closest(event.offsetX, event.offsetY);

		if (at < 0)
			hideTip();
		else
			showTip(this.tipOf(this.points.slices[at]), event.clientX, event.clientY);
	}

	private tipOf(row: number): Tip {
		const { profile } = this.store;
		const { kind } = this;

		return kind.noun === "slice" ? sliceTip(profile, row) : {
			head: coroutineName(profile, kind.coroutine(row)),
			rows: [["began", format.moment(kind.stay(row)[0])], ...kind.measures.map(({ name, of, show }): [string, string] =>
				[name, Number.isNaN(of(row)) ? format.na() : show(of(row))])],
		};
	}

	private bucketTip(event: PointerEvent, { x, y }: Drawn, { columns, rows, counts }: Heat): void {
		const { width, height } = this.size();
		const column = Math.floor((event.offsetX - LEFT) / width * columns);
		const row = Math.floor((TOP + height - event.offsetY) / height * rows);
		const up = this.measure(this.store.state.y);

		if (column < 0 || column >= columns || row < 0 || row >= rows)
			return hideTip();
		const [time, value] = [[column, columns, x] as const, [row, rows, y] as const].map(([at, nr, scale]) => [scale.value(at / nr), scale.value((at + 1) / nr)]);

		showTip({
			head: format.plural(counts[column * rows + row], this.kind.noun, this.kind.many),
			rows: [["began", time.map(format.time).join(" to ")], [up.name, (row ? value.map((end) => up.show(Math.round(end))) : ["0", up.show(Math.round(value[1]))]).join(" to ")]],
		}, event.clientX, event.clientY);
	}

	private rubber(to: number): void {
		this.draw();
		const context = this.canvas.getContext("2d")!;
		const from = this.pressed!.x;

		context.globalAlpha = 0.25;
		context.fillStyle = palette().accent;
		context.fillRect(Math.min(from, to), TOP, Math.abs(from - to), this.size().height);
		context.globalAlpha = 1;
	}

	/* ---- those above the lower end of a drag */

	/** More up than along. */
	private isUp({ offsetX, offsetY }: PointerEvent): boolean {
		const { pressed } = this;

		return pressed !== null && Math.abs(offsetY - pressed.y) >= CLICK_SLOP && Math.abs(offsetY - pressed.y) > Math.abs(offsetX - pressed.x);
	}

	/** What --slow calls the figure that is drawn up; undefined: it has none. */
	private slowBy(): { slowOf: SlowOf; slowBy: string } | undefined {
		const { points, y } = this.store.state;
		const { name } = this.measure(y);
		const slowBy = name === "wait" ? "suspended" : name === "lifetime" ? "held" : name;

		return points === "lives" && slowBy === "slices" ? undefined : { slowOf: points === "lives" ? "lives" : "slices", slowBy };
	}

	private valueAt(py: number): number {
		return Math.max(0, Math.round(this.drawn!.y.value((TOP + this.size().height - py) / this.size().height)));
	}

	/** All above it is in it. */
	private rubberUp(event: PointerEvent): void {
		const { store: { state } } = this;
		const lower = Math.min(TOP + this.size().height, Math.max(this.pressed!.y, event.offsetY));
		const above = this.valueAt(lower);
		const { name, show } = this.measure(state.y);

		this.draw();
		const context = this.canvas.getContext("2d")!;

		context.globalAlpha = 0.25;
		context.fillStyle = palette().bad;
		context.fillRect(LEFT, TOP, this.size().width, lower - TOP);
		context.globalAlpha = 1;
		showTip({
			head: `${name} above ${show(above)}`, rows: this.drawn!.grid ? [] : [[this.kind.many, format.full(this.drawn!.ys.filter((value) => value > above).length)]],
			note: "Tells these from the rest of their label.",
		}, event.clientX, event.clientY);
	}

	/** The label that is selected, or which has most of those above. */
	private slowLabel(above: number): number {
		const { profile: { heat, labels }, state: { from, to } } = this.store;
		const { grid, ys } = this.drawn!;
		const sums = new Float64Array(labels.n);

		if (this.store.selectedLabel() !== NONE)
			return this.store.selectedLabel();
		if (grid)
			heat.label.forEach((label, row) => { sums[label] += heat.from[row] >= above && heat.begin[row] < to && heat.end[row] > from ? heat.slices[row] : 0; });
		else
			this.points.slices.forEach((row, at) => { sums[this.kind.label(row)] += +(ys[at] > above); });
		return sums.reduce((most, sum, label) => sum > (most === NONE ? 0 : sums[most]) ? label : most, NONE);
	}

	private pickUp(pressed: number, released: number): void {
		const { profile } = this.store;
		const { slowOf, slowBy } = this.slowBy()!;
		const above = this.valueAt(Math.min(TOP + this.size().height, Math.max(pressed, released)));
		const label = this.slowLabel(above);

		hideTip();
		if (label === NONE)
			this.ask();
		else
			this.store.set({ view: "slow", slowOf, slowBy, above: `${above}${isTime(profile, slowBy) ? "ns" : ""}`, selected: { kind: "label", index: label } });
	}

	/* ---- */

	private up(event: PointerEvent): void {
		const from = this.pressed;
		const up = this.isUp(event) && this.slowBy();

		this.pressed = null;
		if (from === null || !this.drawn || this.isFew())
			return;
		if (up)
			return this.pickUp(from.y, event.offsetY);
		if (Math.abs(event.offsetX - from.x) >= CLICK_SLOP) {
			this.brush(from.x, event.offsetX, from.beside);
			return;
		}
		const bucket = this.drawn.grid && this.gridAt(event.offsetX, event.offsetY, this.drawn.grid);

		if (this.drawn.grid) {
			if (bucket)
				this.store.set({ from: Math.max(this.store.profile.since, bucket.begin), to: Math.min(this.store.profile.until, bucket.end) });
			return;
		}
		const at = this.drawn.heat ? this.longestAt(event.offsetX, event.offsetY, this.drawn.heat) : this.closest(event.offsetX, event.offsetY);

		if (at >= 0)
			this.go(this.points.slices[at]);
	}

	private brush(a: number, b: number, beside: boolean): void {
		const { x } = this.drawn!;
		const { since, until } = this.store.profile;
		const times = [a, b].map((at) => Math.max(since, Math.min(until, x.value((at - LEFT) / this.size().width)))).sort((one, other) => one - other);

		if (this.isTime() && beside)
			this.store.set({ view: "times", other: this.store.timeBetween(times[0], times[1]) });
		else if (this.isTime() && times[1] - times[0] >= 1)
			this.store.set({ from: Math.floor(times[0]), to: Math.ceil(times[1]) });
		else
			this.ask();
	}

	private go(row: number): void {
		this.store.set({ view: "timeline" });
		this.store.goTo({ kind: "coroutine", index: this.kind.coroutine(row) }, ...this.kind.stay(row));
	}
}
