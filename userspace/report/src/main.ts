// SPDX-License-Identifier: GPL-2.0
/*
 * The page: header, tabs, the views a tab shows, and the details beside them.
 * A new view is an entry in VIEWS.
 */

import { h, replace } from "./dom";
import { watchScheme } from "./palette";
import { decode, Profile } from "./profile";
import { Store } from "./store";
import { watchTips } from "./tooltip";
import { Details } from "./views/details";
import { header } from "./views/header";
import { TableView } from "./views/table";
import { TimelineView } from "./views/timeline";

interface View {
	readonly element: HTMLElement;
}

interface Tab {
	id: string;
	title: string;
	views: string[];
}

const VIEWS: Record<string, new (store: Store) => View> = {
	timeline: TimelineView,
	table: TableView,
};

const TABS: Tab[] = [
	{ id: "overview", title: "Overview", views: ["timeline", "table"] },
	{ id: "timeline", title: "Timeline", views: ["timeline"] },
	{ id: "table", title: "Table", views: ["table"] },
];

function tabs(store: Store): HTMLElement {
	const buttons = TABS.map(({ id, title }, at) => h("button", {
		attrs: { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": "views" },
		on: {
			click: () => store.set({ view: id }),
			keydown: (event: KeyboardEvent) => {
				const by = { ArrowRight: 1, ArrowLeft: TABS.length - 1 }[event.key];

				if (by === undefined)
					return;
				const next = (at + by) % TABS.length;

				store.set({ view: TABS[next].id });
				buttons[next].focus();
			},
		},
	}, title));

	store.watch(({ view }) => {
		TABS.forEach(({ id }, at) => {
			buttons[at].setAttribute("aria-selected", String(id === view));
			buttons[at].tabIndex = id === view ? 0 : -1;
		});
	});
	return h("nav", { class: "tabs", attrs: { role: "tablist", "aria-label": "Views" } }, ...buttons);
}

function views(store: Store): HTMLElement {
	const made = Object.entries(VIEWS).map(([id, Make]) => ({ id, element: new Make(store).element }));
	const main = h("main", { attrs: { id: "views", role: "tabpanel" } }, ...made.map(({ element }) => element));

	store.watch(({ view }) => {
		const tab = TABS.find(({ id }) => id === view) ?? TABS[0];

		for (const { id, element } of made)
			element.hidden = !tab.views.includes(id);
		main.setAttribute("aria-labelledby", `tab-${tab.id}`);
		main.dataset.tab = tab.id;
	});
	return main;
}

function open(app: HTMLElement): { profile: Profile; store: Store } {
	const data = document.getElementById("data")!;
	const profile = decode(data.textContent!);
	const store = new Store(profile);

	data.remove();
	document.title = `${profile.recording.command ?? "recording"} – coroprof`;
	replace(app, header(profile), tabs(store),
		h("div", { class: "work" }, views(store), new Details(store).element));
	return { profile, store };
}

function start(): void {
	const app = document.getElementById("app")!;

	watchTips();
	watchScheme();
	try {
		/* For the console, and for tests. */
		(window as unknown as { coroprof: unknown }).coroprof = open(app);
	} catch (error) {
		replace(app, h("p", { class: "notice alert", attrs: { role: "alert" } },
			h("strong", {}, "This report cannot be shown."), ` ${error instanceof Error ? error.message : error}`));
	}
}

start();
