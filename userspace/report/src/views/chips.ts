// SPDX-License-Identifier: GPL-2.0
/* What is chosen, in one place, each with a button that lets go of it. */

import { callsFollow, callsOf } from "../calls";
import { Selection, chosen, holdsSamples, unfiltered } from "../selection";
import { coroutineName, labelName, processName, threadName } from "../columns";
import { foreign, h, replace } from "../dom";
import * as format from "../format";
import { commandFor } from "../merged-slices";
import { NONE } from "../profile";
import { State, Store, wholeOf } from "../store";
import { isAsWritten } from "../slow";
import { copier } from "../widgets";
import { cutsOf } from "../window";

function chip(what: string, text: string, clear: () => void): HTMLElement {
	return h("span", { class: "chip" }, h("span", { class: "soft" }, what), foreign(text),
		h("button", { class: "quiet", attrs: { type: "button", "aria-label": `No ${what}` }, on: { click: clear } }, "✕"));
}

/** What a view shows, and by which choices that is cut; what else is chosen, it says. */
const SHOWN: Record<string, { what: string; follows: Selection[] }> = {
	timeline: { what: "lanes", follows: ["time", "label", "coroutine", "thread", "only", "filter"] },
	latency: { what: "percentiles", follows: ["time", "label", "coroutine", "thread", "only", "filter"] },
	longest: { what: "the longest", follows: ["time", "label", "coroutine", "thread", "only", "filter"] },
	slices: { what: "slices", follows: ["time", "label", "coroutine", "thread", "only"] },
	beside: { what: "two labels", follows: ["time", "label", "only"] },
	times: { what: "two times", follows: ["time", "label", "only"] },
	slow: { what: "slow slices and the rest", follows: ["time", "label"] },
};

function hasTable(view: string): boolean {
	return view === "overview" || view === "table";
}

/** A row of the table is what is selected, or it is one of those of its label, or the table is cut by it. */
function inTable({ profile }: Store, state: State): { what: string; follows: Selection[]; why: string } {
	const { by, within, selected, only } = state;
	const rows: Selection[] = by === "coroutine" && selected?.kind === "label" && within === selected.index ? [by, "label"] : [by];
	const { cuts, why } = cutsOf(profile, by, state);

	/* Each row is of one process. */
	return { what: `${by}s`, follows: [...rows, ...cuts, ...only?.kind === "process" ? ["only" as const] : [], "filter"], why };
}

function shown(store: Store, state: State): { what: string; follows: Selection[]; why?: string } {
	const { view } = state;

	if (view === "slow" && isAsWritten(store.profile, state))
		return { what: "figures", follows: [] };
	return hasTable(view) ? inTable(store, state) : callsOf(store.profile, view) ? { what: view, ...callsFollow(store, view) } : SHOWN[view] ?? { what: "figures", follows: [] };
}

/** A list stays what it was of when a click on one of its rows led elsewhere. */
function stayed({ profile }: Store, { view, listed }: State): string {
	const of = listed && view === "longest" ? chosen(profile, { ...listed, filter: "" } as State) : null;

	return of ? `the longest are of ${of.length ? "what was chosen before" : "the whole recording"}` : "";
}

/** What something is of that does not follow a choice. */
const NOT_CUT: Record<Selection, string> = {
	time: "of the whole recording", thread: "of all threads", coroutine: "of all coroutines", label: "of all labels",
	only: "of all threads", filter: "of all that the filter leaves out, too",
};

/** Behind what it is the reason of. */
function reported(why: string): string {
	return why.replace(/^Not known.*?: /, "").replace(/\.$/, "");
}

/** "spans are of the whole recording, of all threads". */
function notFollowed(store: Store, state: State): string {
	const { what, follows, why } = shown(store, state);
	const left = new Set(chosen(store.profile, state).filter((choice) => !follows.includes(choice)));
	const label = store.selectedLabel();
	const says = (choice: Selection) => choice === "coroutine" && label !== NONE && follows.includes("label") && !hasTable(state.view)
		? `${NOT_CUT.coroutine} of ${labelName(store.profile, label)}` : NOT_CUT[choice];

	return left.size ? `${what} are ${[...new Set([...left].map(says))].join(", ")}${why ? `: ${reported(why)}` : ""}` : "";
}

/** Whether details are those of a function, or span, which are of what is in view. */
function ofPart(store: Store, { view, of }: State): boolean {
	return callsOf(store.profile, view)?.names.row(of) !== undefined && !callsFollow(store, view).why;
}

/** Which tables are of the time in view, what does not follow what is chosen, and how to get a page that does. */
function notes(store: Store, state: State): HTMLElement[] {
	const { from, to, view, by } = state;
	const { profile } = store;
	const part = from > profile.since || to < profile.until;
	const cut = part || !!state.only;
	const { cuts } = hasTable(view) ? cutsOf(profile, by, state) : { cuts: [] };
	const command = part ? commandFor(profile, from, to) : null;
	const said = [
		cuts.length ? `${by}s are of this ${[...new Set(cuts.map((cut) => cut === "only" ? "thread" : cut))].join(" and ")}` : "",
		stayed(store, state) || notFollowed(store, state),
		cut && !ofPart(store, state) ? "details are of the whole recording but for their first part" : "",
		view === "samples" && holdsSamples(profile) && unfiltered(profile, state) ? `samples of ${format.plural(unfiltered(profile, state), "coroutine")} that the table has no room for are left out` : "",
	].filter(Boolean);

	return [...said.length ? [h("span", {
		class: "chip-note says", tip: () => ({ head: "What is shown", note: said.join("; ") }), attrs: { tabindex: 0 },
	}, foreign(said.join("; ")))] : [],
		...command ? [h("span", { class: "chip-note", title: `Shows this part alone: ${command}` }, "a command for this part: ", copier(() => command))] : []];
}

export function chips(store: Store): HTMLElement {
	const { profile } = store;
	const element = h("div", { class: "chips", attrs: { role: "status", "aria-label": "Chosen" } });
	const names = { label: labelName, coroutine: coroutineName, thread: threadName };

	store.watch((state, changed) => {
		if (!["view", "selected", "only", "of", "from", "to", "by", "within", "filter", "listed", "what", "absent"].some((key) => changed.has(key as keyof State)))
			return;
		const { view, selected, only, absent, of, from, to, filter } = state;
		const calls = callsOf(profile, view);
		const part = from > profile.since || to < profile.until;

		replace(element,
			selected && chip(selected.kind, names[selected.kind](profile, selected.index), () => store.set({ selected: null })),
			only && chip(`only ${only.kind}`, (only.kind === "thread" ? threadName : processName)(profile, only.index), () => store.set({ only: null })),
			absent && chip(absent.kind, `${absent.name}: not in this recording`, () => store.set({ absent: null })),
			calls && of && chip(calls.noun, of, () => store.set({ of: "" })),
			filter.trim() && chip("filter", filter.trim(), () => store.set({ filter: "" })),
			part && chip("time", `${format.time(to - from)} from ${format.moment(Math.floor(from))}`,
				() => store.set(wholeOf(profile))),
			...notes(store, state));
	});
	return element;
}
