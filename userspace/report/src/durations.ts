// SPDX-License-Identifier: GPL-2.0
/*
 * How long things took, of what is chosen: slices, waits and lives that the page has one
 * by one. Which of them are of a time is as with --from and --to of the reader: slices
 * as far as they are in it, gaps between two of these, lives that begin and end in it.
 * What the page can't know it has a reason for, by label.
 */

import { clip, Clipped, isIn } from "./clip";
import { FOLDED, gapsOf, SUMS } from "./gaps";
import { Wait } from "./instants";
import { keepsOf, sameScope } from "./scope";
import { isOutside, isThreadSlot, NONE, Profile } from "./profile";
import { State } from "./store";
import { goesOn, nextPiece } from "./pieces";

/** Words of the table of latency. */
export const KINDS = ["running", "held", "blocked", "ready", "awaiting", "suspended", "lifetime"] as const;
export type What = typeof KINDS[number];

const WAITS: What[] = ["ready", "awaiting", "suspended"];
const LENGTHS: What[] = ["running", "held", "blocked"];
/** Shorter slices may be missing, longer ones not. */
const BY_LENGTH: What[] = ["held", "blocked"];

/** A time, and a label, a coroutine, a thread, or all. */
export type Part = Pick<State, "from" | "to" | "selected" | "only">;

/** Of lengths in order: the one that so many do not exceed, as the reader has it. */
export function quantile(lengths: ArrayLike<number>, share: number): number {
	return lengths.length ? lengths[Math.max(0, Math.ceil(share * lengths.length * (1 - 1e-12)) - 1)] : NaN;
}

export class Durations {
	/** Of each kind: rows of the timeline, of lifetimes those of coroutines. */
	readonly rows = Object.fromEntries(KINDS.map((what) => [what, []])) as unknown as Record<What, number[]>;
	/** Of each slice, as of "held": the gap before it, as gaps.ts has it. */
	readonly waits: (Wait | null | string)[] = [];
	/** How long each of these took. */
	readonly ns = Object.fromEntries(KINDS.map((what) => [what, []])) as unknown as Record<What, number[]>;
	private keeps: ReturnType<typeof keepsOf>;
	private why = new Map<string, string>();
	private cut = new Set<number>();
	private sorted = new Map<What, Map<number, number[]>>();

	constructor(private profile: Profile, readonly part: Part) {
		this.keeps = keepsOf(profile, part.only);
		profile.threads.name.forEach((_, thread) => {
			if (this.hasThread(thread))
				this.addThread(thread);
		});
		this.addSums();
		this.addLives();
	}

	isOf({ from, to, selected, only }: Part): boolean {
		const { part } = this;

		return sameScope(only, part.only) && from === part.from && to === part.to && selected?.kind === part.selected?.kind && selected?.index === part.selected?.index;
	}

	/* ---- what is known */

	/** Of a label, in order. */
	lengths(what: What, label: number): number[] {
		if (!this.sorted.has(what))
			this.sorted.set(what, this.byLabel(what));
		return this.sorted.get(what)!.get(label) ?? [];
	}

	/** Why not all of a label are known; undefined: they are. */
	missing(what: What, label: number): string | undefined {
		return this.why.get(`${what} ${label}`);
	}

	/** Why not all of them are known, of any label. */
	lacks(what: What): string | undefined {
		return [...this.why].find(([key]) => key.startsWith(`${what} `))?.[1];
	}

	/** What takes so long, or longer, is known whatever is missing. */
	known(what: What): number {
		const lacks = this.lacks(what);

		return !lacks ? 0 : lacks === SUMS && BY_LENGTH.includes(what) ? this.profile.timeline.resolution : Infinity;
	}

	private byLabel(what: What): Map<number, number[]> {
		const of = this.labelOf(what);
		const found = new Map<number, number[]>();

		this.rows[what].forEach((row, at) => {
			const label = of[row];

			if (!found.has(label))
				found.set(label, []);
			found.get(label)!.push(this.ns[what][at]);
		});
		for (const lengths of found.values())
			lengths.sort((a, b) => a - b);
		return found;
	}

	labelOf(what: What): Int32Array {
		return what === "lifetime" ? this.profile.coroutines.label : this.profile.timeline.label;
	}

	/* ---- what there is */

	private put(what: What, row: number, took: number): void {
		this.rows[what].push(row);
		this.ns[what].push(took);
	}

	private lack(kinds: readonly What[], label: number, why: string): void {
		for (const what of kinds)
			this.why.set(`${what} ${label}`, why);
	}

	/** Whether lengths of a label are of slices that are longer: waits are between those. */
	isCut(what: What, label: number): boolean {
		return LENGTHS.includes(what) && this.cut.has(label);
	}

	/** Whether slices of the thread are of it. */
	private hasThread(thread: number): boolean {
		const { part: { selected }, keeps } = this;

		return keeps.thread(thread) && (selected?.kind !== "thread" || selected.index === thread);
	}

	/** Of a thread alone: slices of its coroutines may be elsewhere. */
	private get ofThread(): boolean {
		const { selected, only } = this.part;

		return selected?.kind === "thread" || only?.kind === "thread";
	}

	/** Whether what is selected may have it, by its coroutine and label; that of its thread is asked for elsewhere. */
	private wants(coroutine: number, label: number): boolean {
		const { part: { selected }, profile, keeps } = this;

		return label !== NONE && keeps.label(label) && keeps.coroutine(coroutine) && !isOutside(profile, label) && (!selected || selected.kind === "thread" ||
			(selected.kind === "label" ? label : coroutine) === selected.index);
	}

	/** It is a slice, or the first piece of one that is in the part. */
	private isOne(row: number): boolean {
		const { profile, part, profile: { timeline: { begin, end, slices } } } = this;

		return goesOn(profile, row) ? !isIn(profile, part, begin[row - 2], end[row - 2]) : slices[row] > 0;
	}

	private addThread(thread: number): void {
		const { profile, profile: { timeline: { first, begin, end, label, coroutine } } } = this;
		const { placed } = gapsOf(profile);

		for (let row = first[thread]; row < first[thread + 1]; row++)
			if (placed[row] && this.isOne(row) && isIn(profile, this.part, begin[row], end[row]) && this.wants(coroutine[row], label[row]))
				this.addSlice(row);
	}

	/** All of a slice that is in the part: the length is that of its pieces. */
	private wholeOf(row: number): Clipped {
		const { profile, part, profile: { timeline: { begin, end } } } = this;
		const whole = clip(profile, row, part);

		for (let next = nextPiece(profile, row); next >= 0 && isIn(profile, part, begin[next], end[next]); next = nextPiece(profile, next)) {
			const { begin: from, end: to, times, cut } = clip(profile, next, part);

			whole.end += to - from;
			whole.cut ||= cut;
			times.forEach((time, state) => { whole.times[state] += time; });
		}
		return whole;
	}

	private addSlice(row: number): void {
		const { timeline: { label } } = this.profile;
		const { begin, end, times: [running, , blocked], cut } = this.wholeOf(row);
		const wait = gapsOf(this.profile).wait(row, this.part.from);

		this.waits.push(wait);
		if (cut)
			this.cut.add(label[row]);
		this.put("held", row, end - begin);
		this.put("running", row, running);
		if (blocked)
			this.put("blocked", row, blocked);
		if (typeof wait === "string")
			this.lack(WAITS, label[row], wait);
		else if (wait && !wait.missing)
			this.addWait(row, wait);
	}

	/** A wait of no length is one as well, but it awaited nothing. */
	private addWait(row: number, { suspended, ready, awaiting }: Wait): void {
		if (Number.isNaN(ready)) {
			this.put("suspended", row, suspended);
			return;
		}
		this.put("ready", row, ready);
		if (awaiting)
			this.put("awaiting", row, awaiting);
	}

	/** Slices that are put together are of no coroutine, if they are of several. */
	private addSums(): void {
		const { part, part: { selected }, profile: { timeline: { label, coroutine, thread, slices }, coroutines, words } } = this;
		const anyLabel = selected?.kind === "coroutine" && coroutines.flags[selected.index] & words.coroutine.renamed;
		const lacking = new Set<number>();

		for (const { lo, hi } of gapsOf(this.profile).bucketsIn(part)) {
			if (!this.hasThread(thread[lo]))
				continue;
			for (let row = lo; row < hi; row++) {
				const mayBe = selected?.kind === "coroutine" && coroutine[row] === NONE &&
					(anyLabel || label[row] === coroutines.label[selected.index]) ? selected.index : coroutine[row];

				if (slices[row] && !lacking.has(label[row]) && this.wants(mayBe, label[row]))
					lacking.add(label[row]);
			}
		}
		for (const label of lacking)
			this.lack([...LENGTHS, ...WAITS], label, SUMS);
	}

	/* ---- lives */

	private addLives(): void {
		const { part: { to, selected }, profile, profile: { coroutines: c, words: { coroutine: { born, ended } }, labels } } = this;
		const inTable = new Uint32Array(labels.n);

		for (let row = 0; row < c.n; row++) {
			if (isThreadSlot(profile, row) || c.label[row] === NONE)
				continue;
			inTable[c.label[row]]++;
			if (c.flags[row] & born && c.flags[row] & ended && (c.last[row] <= to || to >= profile.until) && this.wants(row, c.label[row]))
				this.addLife(row);
		}
		for (let label = 0; label < labels.n; label++)
			if (selected?.kind !== "coroutine" && labels.coroutines[label] > inTable[label] && this.wants(NONE, label))
				this.lack(["lifetime"], label, FOLDED);
	}

	/** Where a slice is cut it is not known that it was the first. */
	private addLife(row: number): void {
		const { part: { from }, profile: { coroutines: c, timeline: { end, thread } } } = this;
		const { lanes, placed } = gapsOf(this.profile);
		const slices = this.ofThread ? lanes.slicesOf(row) : [];
		const known = (slice: number | undefined) => slice !== undefined && placed[slice];
		const last = slices[slices.length - 1];

		if (c.first[row] < from)
			return;
		if (this.ofThread && !(known(last) && end[last] === c.last[row]))
			this.lack(["lifetime"], c.label[row], SUMS);
		else if (!this.ofThread || this.hasThread(thread[last]))
			this.put("lifetime", row, c.last[row] - c.born[row]);
	}
}

/** Of a column of labels that counts slices which held their thread for so long, or longer: how long; else undefined. */
export function heldFor(column: string): number | undefined {
	const [, number, unit] = column.match(/^held_(\d+)([a-z]+)$/) ?? [];

	return number ? Number(number) * { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[unit]! : undefined;
}

/** As many parts as are shown beside each other: of a table, of a list, and of details. */
const KEPT = 3;
const made = new WeakMap<Profile, Durations[]>();

/** Made once as long as it is shown. */
export function durationsOf(profile: Profile, part: Part): Durations {
	const all = made.get(profile) ?? [];
	const found = all.find((durations) => durations.isOf(part)) ?? new Durations(profile, part);

	made.set(profile, [found, ...all.filter((durations) => durations !== found)].slice(0, KEPT));
	return found;
}

/** Whether there is a time, or anything but a label, that not all is of. */
export function isPart({ since, until }: Profile, { from, to, selected, only }: Part): boolean {
	return !!only || from > since || to < until || !!selected && selected.kind !== "label";
}
