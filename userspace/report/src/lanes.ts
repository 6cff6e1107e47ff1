// SPDX-License-Identifier: GPL-2.0
/*
 * Lanes: which slices of the timeline stand beside each other. A lane's slices
 * are slice(lo) .. slice(hi - 1), by time.
 */

import { coroutineMark, labelName, makeRows, processName, threadName } from "./columns";
import { Filter, filterOf } from "./conditions";
import { keepsOf } from "./scope";
import { isThreadSlot, NONE, Profile, Timeline } from "./profile";
import { Scope, State, Store } from "./store";

export interface Lane {
	name: string;
	below: string;
	/** Place in @index, or in the timeline itself without one. */
	lo: number;
	hi: number;
	thread: number;
	coroutine: number;
}

export interface LaneSet {
	/** The same as long as what is selected is. */
	key: string;
	lanes: Lane[];
	index: Uint32Array | null;
	/** What they are left by. */
	filter: string;
}

/** The timeline's slices by coroutine, then time. */
class ByCoroutine {
	readonly first: Uint32Array;
	readonly index: Uint32Array;

	constructor(timeline: Timeline, coroutines: number) {
		const { coroutine, begin, n } = timeline;

		this.first = new Uint32Array(coroutines + 1);
		for (let i = 0; i < n; i++)
			if (coroutine[i] !== NONE)
				this.first[coroutine[i] + 1]++;
		for (let c = 0; c < coroutines; c++)
			this.first[c + 1] += this.first[c];
		const next = this.first.slice();

		this.index = new Uint32Array(this.first[coroutines]);
		for (let i = 0; i < n; i++)
			if (coroutine[i] !== NONE)
				this.index[next[coroutine[i]]++] = i;
		for (let c = 0; c < coroutines; c++)
			if (!this.isByTime(begin, c))
				this.index.subarray(this.first[c], this.first[c + 1])
					.sort((a, b) => begin[a] - begin[b] || a - b);
	}

	/** As those are that ran on one thread: of each thread the timeline is by time. */
	private isByTime(begin: Float64Array, coroutine: number): boolean {
		const { first, index } = this;

		for (let at = first[coroutine] + 1; at < first[coroutine + 1]; at++)
			if (begin[index[at]] < begin[index[at - 1]])
				return false;
		return true;
	}
}

const made = new WeakMap<Profile, ByCoroutine>();

/** One of a page, however many look at its lanes. */
function byCoroutineOf(profile: Profile): ByCoroutine {
	if (!made.has(profile))
		made.set(profile, new ByCoroutine(profile.timeline, profile.coroutines.n));
	return made.get(profile)!;
}

export class Lanes {
	private threads: LaneSet;
	private cached: LaneSet | null = null;

	constructor(private profile: Profile) {
		const { timeline, threads, processes } = profile;

		this.threads = {
			key: "threads", index: null, filter: "",
			lanes: threads.name.map((_, thread) => ({
				name: threadName(profile, thread),
				below: processes.n > 1 ? processName(profile, threads.process[thread]) : "",
				lo: timeline.first[thread], hi: timeline.first[thread + 1],
				thread, coroutine: NONE,
			})),
		};
	}

	get threadLanes(): LaneSet {
		return this.threads;
	}

	/** A coroutine's slices in the timeline, by time. */
	slicesOf(coroutine: number): Uint32Array {
		const { first, index } = byCoroutineOf(this.profile);

		return index.subarray(first[coroutine], first[coroutine + 1]);
	}

	/** The slice in which a coroutine was at a time, or NONE; @through its end. */
	sliceAt(coroutine: number, time: number, through = false): number {
		const { begin, end } = this.profile.timeline;
		const slices = this.slicesOf(coroutine);
		let [lo, hi] = [0, slices.length];

		while (lo < hi) {
			const middle = (lo + hi) >>> 1;

			if (begin[slices[middle]] <= time)
				lo = middle + 1;
			else
				hi = middle;
		}
		const slice = lo ? slices[lo - 1] : NONE;

		return slice !== NONE && (time < end[slice] || time === begin[slice] || through && time === end[slice]) ? slice : NONE;
	}

	/** Those that fit the conditions of the filter; its words are for tables. */
	set(state: State, store: Store): LaneSet {
		const threads = state.lanes === "threads";
		const filter = state.filter.includes("=") ? state.filter : "";
		const asked = filter ? filterOf(this.profile, makeRows(this.profile)[threads ? "thread" : "coroutine"], filter) : null;
		const coroutine = threads ? NONE : store.selectedCoroutine();
		const label = coroutine === NONE && !threads ? store.selectedLabel() : NONE;
		const { only } = state;
		const kept = only ? ` ${only.kind} ${only.index}` : "";
		const key = (asked?.conditions ? `${state.lanes} ${coroutine} ${label} ${filter}` : threads ? "threads" : `${coroutine} ${label}`) + kept;

		if (threads && !asked?.conditions && !only)
			return this.threads;
		if (this.cached?.key !== key)
			this.cached = { ...this.kept(only, threads ? this.threadsThat(key, asked) : this.coroutineLanes(key, coroutine, label, asked)),
				filter: asked?.conditions ? filter.trim() : "" };
		return threads ? this.cached : this.inView(this.cached, state);
	}

	private threadsThat(key: string, asked: Filter | null): LaneSet {
		return { ...this.threads, key, lanes: this.threads.lanes.filter(({ thread }) => !asked?.conditions || asked.holds(thread)) };
	}

	/** Of a thread: coroutines that ran there, as far as the page has their slices. */
	private kept(only: Scope | null, set: LaneSet): LaneSet {
		const { profile, profile: { timeline: { thread: of } } } = this;
		const keeps = keepsOf(profile, only);
		const isKept = ({ thread, coroutine, lo, hi }: Lane) => thread !== NONE ? keeps.thread(thread)
			: keeps.coroutine(coroutine) && (only?.kind !== "thread" || set.index!.subarray(lo, hi).some((slice) => of[slice] === only.index));

		return only ? { ...set, lanes: set.lanes.filter(isKept) } : set;
	}

	/** Coroutines that were there in the time in view. */
	private inView({ key, lanes, index, filter }: LaneSet, { from, to }: State): LaneSet {
		const { first, last } = this.profile.coroutines;

		return { key, index, filter, lanes: lanes.filter(({ coroutine }) => first[coroutine] <= to && last[coroutine] >= from) };
	}

	private coroutineLanes(key: string, only: number, label: number, asked: Filter | null): LaneSet {
		const { coroutines } = this.profile;
		const { first, index } = byCoroutineOf(this.profile);
		const lanes: Lane[] = [];

		for (let c = 0; c < coroutines.n; c++) {
			if (only !== NONE ? c !== only
				: label !== NONE ? coroutines.label[c] !== label : isThreadSlot(this.profile, c))
				continue;
			if (first[c] === first[c + 1] || only === NONE && asked && !asked.holds(c))
				continue;
			lanes.push({
				name: `${coroutineMark(this.profile, c)} ${labelName(this.profile, coroutines.label[c])}`, below: "",
				lo: first[c], hi: first[c + 1], thread: NONE, coroutine: c,
			});
		}
		lanes.sort((a, b) => coroutines.first[a.coroutine] - coroutines.first[b.coroutine]);
		return { key, lanes, index, filter: "" };
	}
}

/** The first place in [lo, hi) whose slice ends after @time. */
export function seek(timeline: Timeline, index: Uint32Array | null, lo: number, hi: number, time: number): number {
	const { end } = timeline;

	while (lo < hi) {
		const middle = (lo + hi) >>> 1;

		if (end[index ? index[middle] : middle] > time)
			hi = middle;
		else
			lo = middle + 1;
	}
	return lo;
}
