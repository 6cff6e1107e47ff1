// SPDX-License-Identifier: GPL-2.0
/*
 * The table itself: only the rows in view exist in the page. One tab stop; a
 * cursor moves over heading and cells with the arrow keys.
 */

import { foreign, framed, h, replace, setTip } from "../dom";
import { ColumnSpec, Sheet } from "../figures";
import { na } from "../format";
import { hasWidth, laidOut, move, setHidden, setWidth } from "../layout";
import { fitMiddle, rulerOf } from "../middle";
import { onPalette, palette, rankColour } from "../palette";
import { isPrinting } from "../print";
import { NONE } from "../profile";
import { printable } from "../spell";
import { Mode, Store } from "../store";
import { shareBar, stateBar, swatch } from "../widgets";
import { printTables } from "./print-table";

export const ROW_HEIGHT = 24;
const HEAD_HEIGHT = 28;
/** Browsers cannot lay out an element much higher than this. */
const BODY_MAX = 30_000_000;
const SPARE_ROWS = 6;
/** Padding of the cell of a name, and the swatch before it. */
const NAME_MARGIN = 48;

/** Names may have so much, in pixels, where not all columns fit; so many rows, and of those so many of the longest, are measured. */
const NAMES_ROOM = 264;
const NAMES_READ = 5000;
const NAMES_MEASURED = 20;

/** A key makes a column so much wider, and what is moved less is a click. */
const WIDER = 16;
const STILL = 5;

const HEADING = -1;

/** For those who can't see that a heading can be dragged. */
export const COLUMN_KEYS = "Plus and minus change the width of a column, H hides it, Shift with left and right moves it.";

const NO_MATCH = "Nothing here matches the filter.";
const NOTHING = "There is none in this recording.";

export interface GridEvents {
	sort(column: string): void;
	select(row: number): void;
	open(row: number): void;
	/** With Ctrl, or Shift and Enter: beside that which is selected, or another. */
	beside?(row: number): void;
	up(): void;
	copy(): void;
}

export interface GridContent {
	rows: Sheet;
	/** How many there are for the filter to choose from, where these are not all of the sheet. */
	all?: number;
	/** Row numbers, in the order to show them. */
	order: Uint32Array;
	mode: Mode;
	sort: string;
	descending: boolean;
	selected: number;
}

export class Grid {
	readonly element: HTMLElement;
	private head = h("div", { class: "grid-head", attrs: { role: "rowgroup" } });
	private body = h("div", { class: "grid-body", attrs: { role: "rowgroup" } });
	private empty = h("p", { class: "grid-empty" });
	/** In place of them on paper. */
	private printed = h("div", { class: "grid-paper" });
	private content!: GridContent;
	/** Those of the content that are shown, as they are laid out. */
	private columns: ColumnSpec[] = [];
	/** The heading that is dragged, to make it wider or to another place, and where that began. */
	private drag: { key: string; wider: boolean; x: number; width: number } | null = null;
	private dragged = false;
	private cursorRow = HEADING;
	private cursorColumn = 0;
	private pressed = false;
	private fitted = new Map<string, string>();
	/** What the longest of these names needs. */
	private measured: { of: ColumnSpec; width: number } | null = null;
	private ask = framed(() => this.draw());

	/** @keys is the id of what says which keys it has. */
	constructor(private store: Store, private events: GridEvents, keys: string) {
		this.element = h("div", {
			class: "grid",
			attrs: { role: "grid", tabindex: 0, "aria-label": "Figures", "aria-describedby": keys },
			on: {
				scroll: () => this.ask(),
				keydown: (event) => this.key(event),
				pointerdown: (event) => this.press(event),
				pointermove: (event) => this.pull(event),
				click: (event) => this.click(event),
				dblclick: (event) => this.doubleClick(event),
			},
		}, this.head, this.body, this.empty, this.printed);
		new ResizeObserver(() => {
			this.setWidths();
			this.ask();
		}).observe(this.element);
		onPalette(() => this.ask());
		for (const end of ["pointerup", "pointercancel"])
			addEventListener(end, (event) => this.release(event as PointerEvent));
		store.watch((_, changed) => {
			if (this.content && (changed.has("order") || changed.has("columns")))
				this.show(this.content);
		});
	}

	show(content: GridContent): void {
		const other = this.content?.rows !== content.rows;

		this.content = content;
		if (other) {
			this.cursorRow = HEADING;
			this.cursorColumn = 0;
			this.element.scrollTop = 0;
		}
		this.setWidths();
		this.cursorRow = Math.min(this.cursorRow, content.order.length - 1);
		this.cursorColumn = Math.min(this.cursorColumn, this.columns.length - 1);
		this.element.setAttribute("aria-rowcount", String(content.order.length + 1));
		this.element.setAttribute("aria-colcount", String(this.columns.length));
		this.body.style.height = Math.min(content.order.length * ROW_HEIGHT, BODY_MAX) + "px";
		this.empty.hidden = content.order.length > 0;
		this.empty.textContent = content.all ?? content.rows.n ? NO_MATCH : content.rows.nothing ?? NOTHING;
		this.draw();
	}

	/** Names are as wide as there is room, and they need. */
	private setWidths(): void {
		if (!this.content)
			return;
		const [first, ...others] = laidOut(this.content.rows.columns, this.store.state);
		const wide = this.element.clientWidth;

		if (first.key === "name" && wide && !hasWidth(this.store.state, first.key)) {
			const free = wide - others.reduce((sum, { width }) => sum + Math.ceil(width), 0);

			this.columns = [{ ...first, width: Math.max(first.width, Math.min(this.longest(), Math.max(free, NAMES_ROOM))) }, ...others];
		} else {
			this.columns = [first, ...others];
		}
		this.fitted.clear();
		this.element.style.setProperty("--columns", this.columns.map(({ width }) => `${Math.ceil(width)}px`).join(" "));
	}

	/** The room that the longest name needs, whatever rows are left of a filter: the column stays as it is. */
	private longest(): number {
		const { rows } = this.content;
		const [names] = rows.columns;

		if (this.measured?.of !== names) {
			const all = new Set(Array.from({ length: Math.min(rows.n, NAMES_READ) }, (_, row) => printable(names.show(row, "total"))));
			const some = [...all].sort((a, b) => b.length - a.length).slice(0, NAMES_MEASURED);

			this.measured = { of: names, width: NAME_MARGIN + Math.ceil(Math.max(0, ...some.map(rulerOf(this.element)))) };
		}
		return this.measured.width;
	}

	/** Brings the row into view and puts the cursor on it. */
	reveal(row: number): void {
		const at = this.content.order.indexOf(row);

		if (at < 0)
			return;
		this.cursorRow = at;
		this.scrollTo(at);
		this.ask();
	}

	private scrollTo(at: number): void {
		const { element } = this;
		const top = at * ROW_HEIGHT;
		const room = element.clientHeight - HEAD_HEIGHT - ROW_HEIGHT;

		if (top < element.scrollTop)
			element.scrollTop = top;
		else if (top > element.scrollTop + room)
			element.scrollTop = top - room;
	}

	/* -------------------------------------------------------------------- */

	/** What was not drawn meanwhile is, in the next frame: the click comes before. */
	private release(event: PointerEvent): void {
		if (this.pressed)
			this.ask();
		this.pressed = false;
		this.drop(event);
		this.drag = null;
	}

	/* -------------------------------------------------------------------- */

	private press(event: PointerEvent): void {
		const target = event.target as Element;
		const head = target.closest<HTMLElement>(".cell.head");

		this.pressed = target.closest(".cell") !== null;
		this.dragged = false;
		if (head)
			this.drag = {
				key: head.dataset.column!, wider: target.closest(".edge") !== null, x: event.clientX, width: head.offsetWidth,
			};
	}

	/** A width is seen at once; it is kept when the pointer is let go. */
	private pull({ clientX, pointerId }: PointerEvent): void {
		if (!this.drag)
			return;
		if (!this.dragged && Math.abs(clientX - this.drag.x) > STILL) {
			this.dragged = true;
			this.element.setPointerCapture(pointerId);
		}
		if (this.dragged && this.drag.wider)
			this.element.style.setProperty("--columns", this.columns.map(({ key, width }) =>
				`${Math.ceil(key === this.drag!.key ? Math.max(1, this.drag!.width + clientX - this.drag!.x) : width)}px`).join(" "));
	}

	private drop({ clientX, clientY, type }: PointerEvent): void {
		const { drag } = this;

		if (!drag || !this.dragged)
			return;
		if (type === "pointercancel") {
			this.show(this.content);
		} else if (drag.wider) {
			setWidth(this.store, drag.key, drag.width + clientX - drag.x);
		} else {
			const head = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>(".cell.head");

			if (head && this.head.contains(head))
				move(this.store, this.content.rows.columns, drag.key, head.dataset.column!);
		}
	}

	private widen(by: number): void {
		const { key, width } = this.columns[this.cursorColumn];

		setWidth(this.store, key, width + by);
	}

	/** To the place of the next one that is shown; the cursor stays on it. */
	private shift(by: number): void {
		const to = this.cursorColumn + by;

		if (this.cursorColumn < 1 || to < 1 || to >= this.columns.length)
			return;
		const { key } = this.columns[this.cursorColumn];

		this.cursorColumn = to;
		move(this.store, this.content.rows.columns, key, this.columns[to].key);
		this.showColumn();
	}

	private hide(): void {
		if (this.cursorColumn)
			setHidden(this.store, this.columns[this.cursorColumn].key, true);
	}

	/**
	 * Before it is in the page it has no font that names could be fitted with. A
	 * cell that goes away while it is pressed takes the click with it.
	 */
	private draw(): void {
		if (!this.content || !this.element.isConnected || this.pressed)
			return;
		const { order } = this.content;
		const { scrollTop, clientHeight } = this.element;
		const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - SPARE_ROWS);
		const count = Math.ceil(clientHeight / ROW_HEIGHT) + 2 * SPARE_ROWS;
		const last = Math.min(order.length, first + count);
		const rows: HTMLElement[] = [];

		replace(this.printed, ...isPrinting() ? this.tables() : []);
		if (isPrinting())
			return;
		for (let at = first; at < last; at++)
			rows.push(this.row(at));
		replace(this.head, this.heading());
		replace(this.body, ...rows);
		this.markCursor();
	}

	/** As it is on paper; nothing where nobody sees it. */
	private tables(): HTMLElement[] {
		const { order, sort, descending } = this.content;

		return this.element.offsetParent === null ? [] : printTables(this.columns, order.length, { key: sort, descending },
			(column, at) => this.cell(column, order[at]));
	}

	private heading(): HTMLElement {
		const { sort, descending } = this.content;

		return h("div", { class: "grid-row", attrs: { role: "row", "aria-rowindex": 1 } },
			...this.columns.map((column, at) => {
				const sorted = column.key === sort;
				const direction = descending ? "descending" : "ascending";

				return h("div", {
					class: `cell head ${column.kind}`,
					tip: () => ({ head: column.title, note: column.says || undefined }),
					attrs: {
						id: `cell-head-${at}`, role: "columnheader",
						"aria-colindex": at + 1, "data-column": column.key,
						"aria-sort": sorted ? direction : "none",
					},
				}, h("span", {}, column.title),
					h("span", { class: "arrow", attrs: { "aria-hidden": true } },
						sorted ? (descending ? "▼" : "▲") : ""),
				h("span", { class: "edge", attrs: { "aria-hidden": true } }));
			}));
	}

	private row(at: number): HTMLElement {
		const { order, selected } = this.content;
		const row = order[at];
		const element = h("div", {
			class: "grid-row",
			attrs: {
				role: "row", "aria-rowindex": at + 2,
				"aria-selected": row === selected, "data-at": at,
			},
		}, ...this.columns.map((column, c) => {
			const cell = this.cell(column, row);

			cell.id = `cell-${at}-${c}`;
			cell.setAttribute("role", c ? "gridcell" : "rowheader");
			cell.setAttribute("aria-colindex", String(c + 1));
			return cell;
		}));

		element.style.transform = `translateY(${at * ROW_HEIGHT}px)`;
		return element;
	}

	private cell(column: ColumnSpec, row: number): HTMLElement {
		const text = column.show(row, this.content.mode);
		const figure = column.figure(row, this.content.mode);
		const number = column.kind !== "text" && column.kind !== "bar";
		const pale = !number ? "" : Number.isNaN(figure) ? " missing" : figure === 0 ? " zero" : "";
		const cell = h("div", {
			class: `cell ${column.kind}${pale}`,
			attrs: { "data-column": column.key },
		});

		setTip(cell, () => column.tip(row));
		if (column.draw)
			cell.append(column.draw(row) ?? na());
		else if (column.kind === "bar")
			this.bar(cell, row);
		else if (column.kind === "share")
			cell.append(shareBar(figure, this.colour(row)), text);
		else if (column.key === "name")
			this.name(cell, row, text, column.width);
		else if (column.kind === "text")
			cell.append(foreign(text));
		else
			cell.textContent = text;
		return cell;
	}

	/** That of its label, as in the timeline. */
	private colour(row: number): string {
		const label = this.content.rows.label?.(row) ?? NONE;

		return label === NONE ? palette().others : rankColour(this.store.profile.labels.rank[label]);
	}

	private name(cell: HTMLElement, row: number, text: string, width: number): void {
		const { labels } = this.store.profile;
		const label = this.content.rows.label?.(row) ?? NONE;

		if (label !== NONE) {
			cell.append(swatch(this.colour(row)));
			cell.classList.toggle("apart", labels.rank[label] === NONE);
		}
		const shown = this.fit(printable(text), width);

		cell.append(foreign(shown));
		if (shown !== text)
			cell.setAttribute("aria-label", printable(text));
	}

	/** What of a name its column has room for; the tooltip has all of it. */
	private fit(text: string, width: number): string {
		const key = `${width} ${text}`;
		let shown = this.fitted.get(key);

		if (shown === undefined) {
			shown = fitMiddle(text, width - NAME_MARGIN, rulerOf(this.element));
			this.fitted.set(key, shown);
		}
		return shown;
	}

	private bar(cell: HTMLElement, row: number): void {
		const times = this.content.rows.times!(row);
		const sum = times.reduce((a, b) => a + b, 0);

		if (!sum) {
			cell.textContent = na();
			cell.classList.add("missing");
			return;
		}
		cell.append(stateBar(times, sum));
	}

	private markCursor(): void {
		const id = this.cursorRow === HEADING
			? `cell-head-${this.cursorColumn}` : `cell-${this.cursorRow}-${this.cursorColumn}`;
		const cell = this.element.querySelector(`[id="${id}"]`);

		cell?.classList.add("cursor");
		if (cell)
			this.element.setAttribute("aria-activedescendant", id);
		else
			this.element.removeAttribute("aria-activedescendant");
	}

	/* -------------------------------------------------------------------- */

	private at(event: Event): { at: number; column: string } | null {
		const cell = (event.target as Element).closest<HTMLElement>(".cell");

		if (!cell)
			return null;
		const row = cell.parentElement!.dataset.at;

		return { at: row === undefined ? HEADING : Number(row), column: cell.dataset.column! };
	}

	private click(event: MouseEvent): void {
		const hit = this.at(event);

		if (!hit || this.dragged)
			return;
		this.cursorRow = hit.at;
		this.cursorColumn = this.columns.findIndex(({ key }) => key === hit.column);
		if (hit.at === HEADING)
			this.events.sort(hit.column);
		else if ((event.ctrlKey || event.metaKey) && this.events.beside)
			this.events.beside(this.content.order[hit.at]);
		else
			this.events.select(this.content.order[hit.at]);
	}

	private doubleClick(event: MouseEvent): void {
		const hit = this.at(event);

		if (hit && hit.at !== HEADING)
			this.events.open(this.content.order[hit.at]);
	}

	private move(rows: number, columns: number): void {
		const { order } = this.content;

		this.cursorRow = Math.max(HEADING, Math.min(order.length - 1, this.cursorRow + rows));
		this.cursorColumn = Math.max(0, Math.min(this.columns.length - 1, this.cursorColumn + columns));
		if (this.cursorRow !== HEADING) {
			this.scrollTo(this.cursorRow);
			if (rows)
				this.events.select(order[this.cursorRow]);
		}
		this.draw();
		if (columns)
			this.showColumn();
	}

	private showColumn(): void {
		const cell = this.element.querySelector<HTMLElement>(".cursor");
		const fixed = this.columns[0].width;

		if (!cell || !this.cursorColumn)
			this.element.scrollLeft = 0;
		else if (cell.offsetLeft - fixed < this.element.scrollLeft)
			this.element.scrollLeft = cell.offsetLeft - fixed;
		else if (cell.offsetLeft + cell.offsetWidth > this.element.scrollLeft + this.element.clientWidth)
			this.element.scrollLeft = cell.offsetLeft + cell.offsetWidth - this.element.clientWidth;
	}

	private enter(shift = false): void {
		const { order } = this.content;

		if (this.cursorRow === HEADING)
			this.events.sort(this.columns[this.cursorColumn].key);
		else if (shift && this.events.beside)
			this.events.beside(order[this.cursorRow]);
		else
			this.events.open(order[this.cursorRow]);
	}

	private key(event: KeyboardEvent): void {
		const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 2);
		const keys: Record<string, () => void> = {
			ArrowDown: () => this.move(1, 0),
			ArrowUp: () => this.move(-1, 0),
			ArrowRight: () => event.shiftKey ? this.shift(1) : this.move(0, 1),
			ArrowLeft: () => event.shiftKey ? this.shift(-1) : this.move(0, -1),
			PageDown: () => this.move(page, 0),
			PageUp: () => this.move(-Math.min(page, Math.max(this.cursorRow, 0)), 0),
			Home: () => this.move(-Math.max(this.cursorRow, 0), 0),
			End: () => this.move(this.content.order.length, 0),
			Enter: () => this.enter(event.shiftKey),
			" ": () => this.enter(),
			s: () => this.events.sort(this.columns[this.cursorColumn].key),
			"+": () => this.widen(WIDER),
			"-": () => this.widen(-WIDER),
			h: () => this.hide(),
			Backspace: () => this.events.up(),
			Escape: () => this.events.up(),
		};

		if ((event.ctrlKey || event.metaKey) && event.key === "c" && getSelection()!.isCollapsed) {
			event.preventDefault();
			this.events.copy();
			return;
		}
		if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key])
			return;
		event.preventDefault();
		keys[event.key]();
	}
}
