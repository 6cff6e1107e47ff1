// SPDX-License-Identifier: GPL-2.0
/*
 * The table itself: only the rows in view exist in the page. One tab stop; a
 * cursor moves over heading and cells with the arrow keys.
 */

import { foreign, framed, h, printable, replace, setTip } from "../dom";
import { ColumnSpec, Sheet } from "../figures";
import { na } from "../format";
import { fitMiddle, rulerOf } from "../middle";
import { onPalette, rankColour } from "../palette";
import { NONE, Profile } from "../profile";
import { Mode } from "../store";
import { stateBar, swatch } from "../widgets";

export const ROW_HEIGHT = 24;
const HEAD_HEIGHT = 28;
/** Browsers cannot lay out an element much higher than this. */
const BODY_MAX = 30_000_000;
const SPARE_ROWS = 6;
const PRINT_ROWS = 200;
/** Padding of the cell of a name, and the swatch before it. */
const NAME_MARGIN = 48;

const HEADING = -1;

const NO_MATCH = "Nothing here matches the filter.";
const NOTHING = "There is none in this recording.";

export interface GridEvents {
	sort(column: string): void;
	select(row: number): void;
	open(row: number): void;
	up(): void;
	copy(): void;
}

export interface GridContent {
	rows: Sheet;
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
	private content!: GridContent;
	private cursorRow = HEADING;
	private cursorColumn = 0;
	private pressed = false;
	private printing = false;
	private fitted = new Map<string, string>();
	private ask = framed(() => this.draw());

	/** @keys is the id of what says which keys it has. */
	constructor(private profile: Profile, private events: GridEvents, keys: string) {
		this.element = h("div", {
			class: "grid",
			attrs: { role: "grid", tabindex: 0, "aria-label": "Figures", "aria-describedby": keys },
			on: {
				scroll: () => this.ask(),
				keydown: (event) => this.key(event),
				pointerdown: ({ target }) => (this.pressed = (target as Element).closest(".cell") !== null),
				click: (event) => this.click(event),
				dblclick: (event) => this.doubleClick(event),
			},
		}, this.head, this.body, this.empty);
		new ResizeObserver(() => this.ask()).observe(this.element);
		onPalette(() => this.ask());
		for (const end of ["pointerup", "pointercancel"])
			addEventListener(end, () => this.release());
		addEventListener("beforeprint", () => this.print(true));
		addEventListener("afterprint", () => this.print(false));
	}

	show(content: GridContent): void {
		const other = this.content?.rows !== content.rows;

		this.content = content;
		if (other) {
			this.cursorRow = HEADING;
			this.cursorColumn = 0;
			this.element.scrollTop = 0;
		}
		this.cursorRow = Math.min(this.cursorRow, content.order.length - 1);
		this.element.setAttribute("aria-rowcount", String(content.order.length + 1));
		this.element.setAttribute("aria-colcount", String(content.rows.columns.length));
		this.element.style.setProperty("--columns",
			content.rows.columns.map(({ width }) => `${Math.ceil(width)}px`).join(" "));
		this.body.style.height = Math.min(content.order.length * ROW_HEIGHT, BODY_MAX) + "px";
		this.empty.hidden = content.order.length > 0;
		this.empty.textContent = content.rows.n ? NO_MATCH : NOTHING;
		this.draw();
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

	private print(on: boolean): void {
		this.printing = on;
		this.element.classList.toggle("printing", on);
		if (this.content)
			this.draw();
	}

	/* -------------------------------------------------------------------- */

	/** What was not drawn meanwhile is, in the next frame: the click comes before. */
	private release(): void {
		if (this.pressed)
			this.ask();
		this.pressed = false;
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
		const first = this.printing ? 0
			: Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - SPARE_ROWS);
		const count = this.printing ? PRINT_ROWS
			: Math.ceil(clientHeight / ROW_HEIGHT) + 2 * SPARE_ROWS;
		const last = Math.min(order.length, first + count);
		const rows: HTMLElement[] = [];

		for (let at = first; at < last; at++)
			rows.push(this.row(at));
		replace(this.head, this.heading());
		replace(this.body, ...rows);
		this.markCursor();
	}

	private heading(): HTMLElement {
		const { rows, sort, descending } = this.content;

		return h("div", { class: "grid-row", attrs: { role: "row", "aria-rowindex": 1 } },
			...rows.columns.map((column, at) => {
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
						sorted ? (descending ? "▼" : "▲") : ""));
			}));
	}

	private row(at: number): HTMLElement {
		const { rows, order, selected } = this.content;
		const row = order[at];
		const element = h("div", {
			class: "grid-row",
			attrs: {
				role: "row", "aria-rowindex": at + 2,
				"aria-selected": row === selected, "data-at": at,
			},
		}, ...rows.columns.map((column, c) => this.cell(column, row, at, c)));

		if (!this.printing)
			element.style.transform = `translateY(${at * ROW_HEIGHT}px)`;
		return element;
	}

	private cell(column: ColumnSpec, row: number, at: number, c: number): HTMLElement {
		const text = column.show(row, this.content.mode);
		const figure = column.figure(row, this.content.mode);
		const number = column.kind !== "text" && column.kind !== "bar";
		const pale = !number ? "" : Number.isNaN(figure) ? " missing" : figure === 0 ? " zero" : "";
		const cell = h("div", {
			class: `cell ${column.kind}${pale}`,
			attrs: {
				id: `cell-${at}-${c}`, role: c ? "gridcell" : "rowheader",
				"aria-colindex": c + 1, "data-column": column.key,
			},
		});

		setTip(cell, () => column.tip(row));
		if (column.draw)
			cell.append(column.draw(row) ?? na());
		else if (column.kind === "bar")
			this.bar(cell, row);
		else if (column.key === "name")
			this.name(cell, row, text);
		else if (column.kind === "text")
			cell.append(foreign(text));
		else
			cell.textContent = text;
		return cell;
	}

	private name(cell: HTMLElement, row: number, text: string): void {
		const { labels } = this.profile;
		const label = this.content.rows.label?.(row) ?? NONE;

		if (label !== NONE) {
			cell.append(swatch(rankColour(labels.rank[label])));
			cell.classList.toggle("apart", labels.rank[label] === NONE);
		}
		const shown = this.fit(printable(text));

		cell.append(foreign(shown));
		if (shown !== text)
			cell.setAttribute("aria-label", printable(text));
	}

	/** What of a name its column has room for; the tooltip has all of it. */
	private fit(text: string): string {
		let shown = this.fitted.get(text);

		if (shown === undefined) {
			shown = fitMiddle(text, this.content.rows.columns[0].width - NAME_MARGIN, rulerOf(this.element));
			this.fitted.set(text, shown);
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

		if (!hit)
			return;
		this.cursorRow = hit.at;
		this.cursorColumn = this.content.rows.columns.findIndex(({ key }) => key === hit.column);
		if (hit.at === HEADING)
			this.events.sort(hit.column);
		else
			this.events.select(this.content.order[hit.at]);
	}

	private doubleClick(event: MouseEvent): void {
		const hit = this.at(event);

		if (hit && hit.at !== HEADING)
			this.events.open(this.content.order[hit.at]);
	}

	private move(rows: number, columns: number): void {
		const { order, rows: { columns: all } } = this.content;

		this.cursorRow = Math.max(HEADING, Math.min(order.length - 1, this.cursorRow + rows));
		this.cursorColumn = Math.max(0, Math.min(all.length - 1, this.cursorColumn + columns));
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
		const fixed = this.content.rows.columns[0].width;

		if (!cell || !this.cursorColumn)
			this.element.scrollLeft = 0;
		else if (cell.offsetLeft - fixed < this.element.scrollLeft)
			this.element.scrollLeft = cell.offsetLeft - fixed;
		else if (cell.offsetLeft + cell.offsetWidth > this.element.scrollLeft + this.element.clientWidth)
			this.element.scrollLeft = cell.offsetLeft + cell.offsetWidth - this.element.clientWidth;
	}

	private enter(): void {
		const { order, rows } = this.content;

		if (this.cursorRow === HEADING)
			this.events.sort(rows.columns[this.cursorColumn].key);
		else
			this.events.open(order[this.cursorRow]);
	}

	private key(event: KeyboardEvent): void {
		const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_HEIGHT) - 2);
		const { columns } = this.content.rows;
		const keys: Record<string, () => void> = {
			ArrowDown: () => this.move(1, 0),
			ArrowUp: () => this.move(-1, 0),
			ArrowRight: () => this.move(0, 1),
			ArrowLeft: () => this.move(0, -1),
			PageDown: () => this.move(page, 0),
			PageUp: () => this.move(-Math.min(page, Math.max(this.cursorRow, 0)), 0),
			Home: () => this.move(-Math.max(this.cursorRow, 0), 0),
			End: () => this.move(this.content.order.length, 0),
			Enter: () => this.enter(),
			" ": () => this.enter(),
			s: () => this.events.sort(columns[this.cursorColumn].key),
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
