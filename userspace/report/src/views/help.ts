// SPDX-License-Identifier: GPL-2.0
/* What the keys do, and what words, marks and columns mean: of columns and marks what the reader says. */

import { h } from "../dom";
import { Profile } from "../profile";
import { printable } from "../spell";

const KEYS: [string, [string, string][]][] = [
	["Everywhere", [["?", "this help"], ["Tab", "goes from view to view"], ["Escape", "selects nothing"]]],
	["Timeline", [
		["wheel", "zooms"], ["drag", "moves"], ["shift drag", "has that in view"], ["ctrl drag", "puts that time beside the time in view, in the view Two times; so it does in the strip, and along a picture of slices"], ["W S + −", "zoom"], ["A D ← →", "move in time"],
		["↑ ↓", "scroll"], ["click", "selects the slice: who woke it, whom it woke, what it waited for"], [", .", "slice before, slice after: of the coroutine that is selected, or of any"], ["F Home", "all of it"],
	]],
	["Tables", [
		["← → ↑ ↓", "move, and select"], ["S", "sorts by the column, again: the other way round"],
		["Enter", "opens: a label's coroutines"], ["ctrl click", "puts a label beside the one that is selected: two labels in one view"], ["shift Enter", "puts a label beside another"], ["Escape", "back"],
		["+ −", "a wider column, a narrower one; or drag the edge of its heading"], ["shift ← →", "moves the column; or drag its heading"],
		["H", "hides it: the menu Columns shows it again"], ["Ctrl C", "copies the rows as tab separated values"],
		["Filter", "takes words, and COLUMN=PATTERN of any column: tag=7 process=server* \"label=GET /heavy\", object=*/libc* for functions; #13 is the coroutine of that number and no other, id=13* are all whose numbers begin so; the timeline shows what fits the columns, and flame graphs of samples what is of it"],
	]],
	["Slices", [["drag along", "has that time in view"], ["drag up, down", "compares those above its lower end with the rest of their label, in the view Slow; so does a drag over a distribution of running times"], ["click", "goes to the slice in the timeline; in a heat map, to the longest in the cell"], ["label", "above a scatter, a click has its slices alone, another one those of all"]]],
	["Flame graphs", [
		["↑ ↓", "to the caller, to what weighs most in a call"], ["← →", "to its neighbours"], ["N", "to the next one found"],
		["Enter", "zooms to it"], ["C", "callers and callees of it"], ["Escape", "back"], ["Home", "all of it"],
	]],
];

const WORDS: [string, string][] = [
	["coroutine", "what a runtime switches to and from on a thread: a task, a fiber, a goroutine, a Lua thread"],
	["slice", "one stay of a coroutine on a thread, from switch-in to switch-out"],
	["gap", "the time between two slices of a coroutine: awaiting, then ready"],
	["label", "what coroutines of one kind are called: by the program, or by the function they began in. What can't be seen in a name is spelled: ␠ is a space at an edge, or one of several, ⟨00a0⟩ the character of that number; ⟨no name⟩ is a name without characters"],
	["span", "a part of what a coroutine does, from its begin to its end, across all gaps in it"],
	["sample", "where in the program a coroutine was when so many events had been counted"],
	["time not running", "of a span, what of the time from its begin to its end was not on a CPU: suspended, preempted or blocked"],
	["own", "what a function, or span, had without what it called"],
	["total", "what a function, or span, had with all that it called; calls within calls of itself are counted once"],
	["inverted", "a flame graph of what functions had of their own, each above what it was called by"],
	["callers and callees", "a flame graph around one function: above it all that called it, below it all that it called"],
	["chosen", "a time, a label, a coroutine, a thread, a filter: what the views show is of it, and the chips above them name it. What ended in a time is of that time, whole, even if it began before, a wait if the slices on both sides of it did; a span is of the thread that it ended on. Tables of labels are of a thread that is chosen, those of coroutines of a label or thread, those of threads of a label or coroutine; what the page can't tell of it is n/a, and says why"],
	["only", "a thread, or a process, that all is kept to beside a label or a coroutine that is selected: by the button in the details of a thread or of everything"],
	["slow", "slices, or lives of coroutines, that have more of something than a threshold, against the rest: the view Slow compares slices that the page has one by one, --slow of the reader all, and lives"],
	["heat map", "how many slices, waits before slices, or lives of coroutines were how long, when: the scale above it has the colours of cells with so many"],
	["tick", "a sample in the timeline, when it was taken; the page has them one by one, or, if there are too many, not at all"],
	["flame chart", "in the lane of a coroutine that is selected, below its spans: its samples in order of time, each with its callers above it; a sample stands for the time up to the next one in its slice"],
	["wake", "a coroutine was made ready by another one: an arrow to the slice that is selected, and from it"],
	["lane", "a line of the timeline: a thread, or coroutines one after the other; below its slices are the spans in them, an inner one below the one it is in. Spans too short to be drawn one by one share a grey pixel"],
];

/** Those that a reader of the page meets, in the order of the tabs. */
const TABLES = ["labels", "coroutines", "threads", "latency", "worst", "spans", "functions"];

/** Time by state is explained by the columns of that name. */
const STATES = ["running", "preempted", "blocked", "idle", "suspended", "awaiting", "ready"];

function list(rows: [string, string][]): HTMLElement {
	return h("dl", {}, ...rows.map(([name, says]) => h("div", {}, h("dt", {}, printable(name)), h("dd", {}, printable(says)))));
}

function columns({ tables }: Profile): HTMLElement[] {
	return TABLES.map((name) => tables.table(name)).filter(({ n }) => n).map(({ is, columns }) =>
		h("details", {}, h("summary", {}, is.title),
			list(columns.filter((column) => column.is.shown).flatMap(({ is: { title, says, bar } }): [string, string][] =>
				[...bar ? [[bar.title, bar.says] as [string, string]] : [], [title, says]]))));
}

function content(profile: Profile): HTMLElement[] {
	const { tables, labels } = profile;
	const marks = tables.standings.filter(({ mark }) => mark).map(({ mark, name, says }): [string, string] =>
		[mark, mark === name ? says : `${name}: ${says}`]);

	return [
		h("section", {}, h("h3", {}, "Keys"), h("div", { class: "help-keys" },
			...KEYS.map(([where, keys]) => h("div", {}, h("h4", {}, where), list(keys))))),
		h("section", {}, h("h3", {}, "Words"), list(WORDS)),
		h("section", {}, h("h3", {}, "Where time goes"),
			list(STATES.map((name) => [name, labels.table.column(name).is.says]))),
		h("section", {}, h("h3", {}, "How far a figure can be relied on"),
			h("p", { class: "soft" }, "A figure without a mark is exact."), list(marks)),
		h("section", {}, h("h3", {}, "Columns"), ...columns(profile)),
	];
}

/** A button that opens the help; so does the key "?" where no text is written. */
export function help(profile: Profile): HTMLElement {
	const dialog = h("dialog", { class: "help", attrs: { "aria-label": "Help" }, on: {
		click: ({ target }) => target === dialog && dialog.close(),
	} });
	const open = () => {
		/* Made when it is first asked for: a page opens without it. */
		if (!dialog.firstChild)
			dialog.append(h("header", {}, h("h2", {}, "Help"), h("button", {
				class: "quiet", attrs: { type: "button", "aria-label": "Close" }, on: { click: () => dialog.close() },
			}, "✕")), h("div", { class: "help-body" }, ...content(profile)));
		if (!dialog.open)
			dialog.showModal();
	};

	document.addEventListener("keydown", (event) => {
		if (event.key === "?" && !(event.target as Element).closest("input, select, textarea")) {
			event.preventDefault();
			open();
		}
	});
	return h("span", { class: "help-button" }, h("button", {
		class: "quiet", title: "Keys, words and columns (?)", attrs: { type: "button", "aria-label": "Help" }, on: { click: open },
	}, "?"), dialog);
}
