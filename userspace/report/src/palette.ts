// SPDX-License-Identifier: GPL-2.0
/*
 * Colours that people with any common colour blindness can distinguish: states
 * after Okabe and Ito, labels after Tol's "muted" with lighter forms of its
 * dark ones for a dark page.
 */

export interface Palette {
	running: string;
	preempted: string;
	blocked: string;
	idle: string;
	others: string;
	awaiting: string;
	ready: string;
	labels: string[];
	none: string;
	ink: string;
	soft: string;
	faint: string;
	line: string;
	page: string;
	panel: string;
	lane: string;
	accent: string;
	bad: string;
}

export type StateName = "running" | "preempted" | "blocked" | "idle" | "suspended" | "awaiting" | "ready";

export const STATES: { name: StateName; says: string }[] = [
	{ name: "running", says: "on a CPU" },
	{ name: "preempted", says: "off the CPU although it could run: the OS gave the CPU to another thread" },
	{ name: "blocked", says: "its thread slept in the kernel, inside the coroutine" },
	{ name: "idle", says: "its thread slept in the kernel outside any coroutine: nobody waits for it" },
	{ name: "suspended", says: "switched out, between slices; hatched where it is not known how much of it was awaiting, how much ready" },
	{ name: "awaiting", says: "switched out, waiting to be made ready" },
	{ name: "ready", says: "made ready, but waiting in the runtime's queue" },
];

/** So many states are within slices; the others are between them. */
export const STATES_IN_SLICES = 4;

const LIGHT_LABELS = ["#4477aa", "#66a8c8", "#44aa99", "#9a9a3c", "#c9b35c", "#cc6677", "#882255", "#aa4499", "#6a4fa3", "#117733"];
const DARK_LABELS = ["#6699cc", "#88ccee", "#55bbaa", "#b3b35a", "#ddcc77", "#dd8591", "#c0648f", "#c673b8", "#a08fd6", "#5fae74"];

const SHIFT = 0.4;

let current: Palette;

const listeners: (() => void)[] = [];

function read(): Palette {
	const style = getComputedStyle(document.documentElement);
	const get = (name: string) => style.getPropertyValue("--" + name).trim();
	const dark = get("scheme") === "dark";

	return {
		running: get("running"), preempted: get("preempted"), blocked: get("blocked"), idle: get("idle"), others: get("others"),
		awaiting: get("awaiting"), ready: get("ready"),
		labels: manyColours(dark ? DARK_LABELS : LIGHT_LABELS, get("panel"), get("ink")),
		none: get("none"), ink: get("ink"), soft: get("soft"), faint: get("faint"),
		line: get("line"), page: get("page"), panel: get("panel"), lane: get("lane"),
		accent: get("accent"), bad: get("bad"),
	};
}

export function palette(): Palette {
	return current ??= read();
}

/** Calls @listener when the colours have changed. */
export function onPalette(listener: () => void): void {
	listeners.push(listener);
}

/** Has everything drawn in the colours that are in force now. */
export function repaint(): void {
	current = read();
	for (const listener of listeners)
		listener();
}

export function watchScheme(): void {
	for (const query of ["(prefers-color-scheme: dark)", "print"])
		matchMedia(query).addEventListener("change", repaint);
}

/** Red, green and blue of #rrggbb. */
function channels(colour: string): number[] {
	return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** A colour with a share of another. */
export function mix(colour: string, other: string, share: number): string {
	const to = channels(other);

	return "#" + channels(colour).map((value, i) =>
		Math.round(value + (to[i] - value) * share).toString(16).padStart(2, "0")).join("");
}

/** The colours, then the same paler, then the same closer to the text's. */
function manyColours(labels: string[], panel: string, ink: string): string[] {
	return [...labels, ...labels.map((colour) => mix(colour, panel, SHIFT)),
		...labels.map((colour) => mix(colour, ink, SHIFT))];
}

/** Colour of the label with this rank; -1 for none. */
export function rankColour(rank: number): string {
	const { labels, none } = palette();

	return rank < 0 ? none : labels[rank % labels.length];
}

/** A colour brought closer to the page's, by a share. */
export function paler(colour: string, share: number): string {
	return mix(colour, palette().panel, share);
}

/** Black or white, whichever reads better on @colour. */
export function inkOn(colour: string): string {
	const linear = (c: number) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	const [red, green, blue] = channels(colour).map((value) => linear(value / 255));

	return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#000000" : "#ffffff";
}
