// SPDX-License-Identifier: GPL-2.0
/*
 * The page: header, tabs, the views a tab shows, and the details beside them.
 * A new view is an entry in VIEWS.
 */

import { makeAhead } from "./ahead";
import { h, replace } from "./dom";
import { watchScheme } from "./palette";
import { watchPrint } from "./print";
import * as format from "./format";
import { decode, NONE, Profile } from "./profile";
import { State, Store } from "./store";
import { watchTips } from "./tooltip";
import { hasSamples, hasSpans, SamplesView, SpansView } from "./views/calls";
import { LabelsView, TimesView } from "./views/beside";
import { chips } from "./views/chips";
import { ChangesView, hasChanges } from "./views/changes";
import { Details } from "./views/details";
import { header } from "./views/header";
import { help } from "./views/help";
import { HotView } from "./views/hot";
import { hasLatency, LatencyView, LongestView } from "./views/latency";
import { hasSlices, SlicesView } from "./views/slices";
import { dividesSlices, hasSlow, SlowView } from "./views/slow";
import { TableView } from "./views/table";
import { TimelineView } from "./views/timeline";

interface View {
	readonly element: HTMLElement;
}

interface Tab {
	id: string;
	title: string;
	views: string[];
	/** Those that only some recordings have something for. */
	more?(profile: Profile): string[];
	/** Without it the recording has nothing to show there. */
	needs?(profile: Profile): boolean;
	/** Without it there is nothing to show now. */
	shown?(state: State): boolean;
}

/** In the order in which they stand; each is made when it is first shown. */
const VIEWS: Record<string, new (store: Store) => View> = {
	timeline: TimelineView,
	table: TableView,
	hot: HotView,
	latency: LatencyView,
	longest: LongestView,
	slices: SlicesView,
	samples: SamplesView,
	spans: SpansView,
	changes: ChangesView,
	slow: SlowView,
	beside: LabelsView,
	times: TimesView,
};

const TABS: Tab[] = [
	{ id: "changes", title: "Changes", views: ["changes"], needs: hasChanges },
	{ id: "slow", title: "Slow", views: ["slow"], needs: hasSlow },
	{ id: "overview", title: "Overview", views: ["timeline", "table"], more: (profile) => hasSamples(profile) ? ["hot"] : [] },
	{ id: "timeline", title: "Timeline", views: ["timeline"] },
	{ id: "table", title: "Table", views: ["table"] },
	{ id: "latency", title: "Latency", views: ["latency"], needs: hasLatency },
	{ id: "longest", title: "Longest", views: ["timeline", "longest"], needs: hasLatency },
	{ id: "slices", title: "Slices", views: ["slices"], needs: hasSlices },
	{ id: "slow", title: "Slow", views: ["slow"], needs: dividesSlices },
	{ id: "beside", title: "Two labels", views: ["beside"], shown: ({ beside }) => beside !== NONE },
	{ id: "times", title: "Two times", views: ["times"], shown: ({ other }) => other !== null },
	{ id: "samples", title: "Samples", views: ["samples"], needs: hasSamples },
	{ id: "spans", title: "Spans", views: ["spans"], needs: hasSpans },
];

function tabOf(all: Tab[], view: string): Tab {
	return all.find(({ id }) => id === view) ?? all[0];
}

function tabs(store: Store, all: Tab[]): HTMLElement {
	const buttons = all.map(({ id, title }, at) => h("button", {
		attrs: { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": "views" },
		on: {
			click: () => store.set({ view: id }),
			keydown: (event: KeyboardEvent) => {
				const by = { ArrowRight: 1, ArrowLeft: all.length - 1 }[event.key];

				if (by === undefined)
					return;
				let next = (at + by) % all.length;

				while (buttons[next].hidden)
					next = (next + by) % all.length;
				store.set({ view: all[next].id });
				buttons[next].focus();
			},
		},
	}, title));

	store.watch((state) => {
		const shown = tabOf(all, state.view);

		all.forEach((tab, at) => {
			buttons[at].hidden = !!tab.shown && !tab.shown(state);
			buttons[at].setAttribute("aria-selected", String(tab === shown));
			buttons[at].tabIndex = tab === shown ? 0 : -1;
		});
	});
	return h("div", { class: "tab-bar" },
		h("nav", { class: "tabs", attrs: { role: "tablist", "aria-label": "Views" } }, ...buttons), chips(store), help(store.profile));
}

function views(store: Store, all: Tab[]): HTMLElement {
	const made = new Map<string, HTMLElement>();
	const main = h("main", { attrs: { id: "views", role: "tabpanel" } });

	store.watch(({ view }) => {
		const tab = tabOf(all, view);

		for (const id of tab.views)
			if (!made.has(id))
				made.set(id, new VIEWS[id](store).element);
		/* In their order; one that stays where it is keeps how far it was scrolled. */
		Object.keys(VIEWS).filter((id) => made.has(id)).forEach((id, at) => {
			if (main.children[at] !== made.get(id))
				main.insertBefore(made.get(id)!, main.children[at] ?? null);
			made.get(id)!.hidden = !tab.views.includes(id);
		});
		main.setAttribute("aria-labelledby", `tab-${tab.id}`);
		main.dataset.tab = tab.id;
	});
	return main;
}

/** The text of an element, which is not needed any more. */
function take(id: string): string {
	const element = document.getElementById(id)!;
	const text = element.textContent!;

	element.remove();
	return text;
}

async function open(app: HTMLElement): Promise<{ profile: Profile; store: Store }> {
	const profile = await decode(take("data"), take("columns"));

	format.follow(profile.tables.figures, profile.tables.standings, profile.tables.combine);

	const store = new Store(profile);
	const shown = TABS.filter(({ needs }) => !needs || needs(profile)).map((tab) => ({ ...tab, views: [...tab.views, ...tab.more?.(profile) ?? []] }));

	document.title = `${profile.recording.command ?? "recording"} – coroprof`;
	replace(app, header(store), tabs(store, shown),
		h("div", { class: "work" }, views(store, shown), new Details(store).element));
	return { profile, store };
}

function wrong(error: unknown): HTMLElement {
	return h("p", { class: "notice alert", attrs: { role: "alert" } },
		h("strong", {}, "This report cannot be shown."), ` ${error instanceof Error ? error.message : error}`);
}

/** Once, however often somebody points at it. */
function report(app: HTMLElement, error: unknown): void {
	const notice = wrong(error);

	if (![...app.querySelectorAll(":scope > .alert")].some(({ textContent }) => textContent === notice.textContent))
		app.prepend(notice);
}

async function start(): Promise<void> {
	const app = document.getElementById("app")!;

	watchTips();
	watchScheme();
	watchPrint();
	try {
		const opened = await open(app);

		/* For the console, and for tests. */
		(window as unknown as { coroprof: unknown }).coroprof = opened;
		makeAhead(opened.profile);
	} catch (error) {
		replace(app, wrong(error));
		return;
	}
	/* A column is unpacked when it is first looked at: only then it is seen to be damaged. */
	addEventListener("error", ({ error }) => report(app, error));
}

start();
