// SPDX-License-Identifier: GPL-2.0
/*
 * Below the table of the overview, where there is room: the flame graph of samples, of the label that is selected.
 * Its place does not depend on what is selected, so that it moves nothing.
 */

import { Calls, callsFollow, callsOf, chosenCalls, shownLabel, shownWeight } from "../calls";
import { chosen } from "../selection";
import { labelName } from "../columns";
import { foreign, h, replace } from "../dom";
import { Graph, wholeGraph } from "../graph";
import { NONE } from "../profile";
import { Store } from "../store";
import { ROOT } from "../tree";
import { Flame, heightOf } from "./flame";

/** In pixels: its toolbar; what is less high is not there. */
const BAR = 35;
/** What is chosen has stayed for so long, in ms. */
const STAYS = 150;

export class HotView {
	readonly element: HTMLElement;
	private flame: Flame;
	private said = h("span", { class: "found" });
	private made: { calls: Calls; weight: string; graph: Graph } | null = null;
	private zoom = ROOT;
	private label = NONE;
	private waiting = 0;

	constructor(private store: Store) {
		const whole = callsOf(store.profile, "samples")!;

		this.flame = new Flame(store.profile, whole, "Samples of the label that is selected", "hot-keys", {
			zoom: (node) => this.zoomTo(node), around: (node) => this.around(node),
		});
		this.element = h("section", { class: "view hot-view", attrs: { "aria-label": "Samples of the label" } },
			h("div", { class: "toolbar" }, this.said, h("span", { class: "spring" }),
				h("button", { class: "quiet", attrs: { type: "button" }, on: { click: () => store.set({ view: "samples" }) } }, "All of samples")),
			this.flame.element,
			h("p", { class: "hidden", attrs: { id: "hot-keys" } }, "Arrow keys move, Enter zooms, C shows callers and callees, Escape goes back."));
		new ResizeObserver(() => { this.element.inert = this.element.clientHeight < BAR; }).observe(this.element);
		/* Of all samples: its place stays when some of them are chosen. */
		document.documentElement.style.setProperty("--flame", `${BAR + heightOf(wholeGraph(store.profile, whole, shownWeight(store, whole)).rows!)}px`);
		store.watch(() => {
			clearTimeout(this.waiting);
			if (!this.element.hidden)
				this.waiting = window.setTimeout(() => this.draw(), this.made ? STAYS : 0);
		});
	}

	private draw(): void {
		const { store } = this;
		const calls = chosenCalls(store, "samples")!;
		const weight = shownWeight(store, calls);

		if (this.made?.calls !== calls || this.made.weight !== weight.key) {
			this.made = { calls, weight: weight.key, graph: wholeGraph(store.profile, calls, weight) };
			this.label = NONE;
			this.zoom = ROOT;
		}
		const label = shownLabel(store, calls);

		if (label !== this.label) {
			this.label = label;
			this.zoom = Array.from(this.made.graph.children(ROOT)).find((node) => this.made!.graph.label(node) === label) ?? ROOT;
		}
		this.show();
	}

	private show(): void {
		const { store, made, label, zoom } = this;
		const { graph, calls } = made!;
		const others = chosen(store.profile, store.state).some((choice) => choice !== "label" && choice !== "filter");

		replace(this.said, "samples of ", label === NONE ? calls.whole : foreign(labelName(store.profile, label)), `: ${graph.show(zoom)}`,
			!others ? "" : callsFollow(store, "samples").why ? ", of the whole recording" : ", in what is chosen");
		this.flame.show({ graph, zoom, matches: null });
	}

	/** A label is zoomed to by being selected, everything by selecting nothing. */
	private zoomTo(node: number): void {
		const { store } = this;
		const label = this.made!.graph.label(node);

		this.zoom = node;
		this.label = label;
		if (node === ROOT && store.state.selected?.kind === "label")
			store.set({ selected: null });
		else if (label !== NONE && label !== store.selectedLabel())
			store.select("label", label);
		this.show();
	}

	private around(node: number): void {
		const { graph, calls } = this.made!;

		if (graph.isCall(node) && graph.of(node) !== NONE)
			this.store.set({ view: "samples", shape: "sandwich", of: calls.names.name(graph.of(node)) });
	}
}
