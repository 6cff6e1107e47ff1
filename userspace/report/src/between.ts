// SPDX-License-Identifier: GPL-2.0
/*
 * Of what is chosen, what lies between slices, by label or by coroutine: which coroutines ran,
 * and the gaps between two slices of one. Sums are as the reader has them of a part.
 */

import { FOLDED } from "./gaps";
import { Durations } from "./durations";
import { NONE, Profile } from "./profile";

/** All of it; what was not measured is more; or nothing of it was measured. */
export type Known = "all" | "least" | "none";

export class Between {
	/** Of a label: how many ran, with this label at the end. */
	readonly coroutines: Float64Array;
	readonly suspended: Float64Array;
	readonly awaiting: Float64Array;
	readonly ready: Float64Array;
	/** Gaps that were measured, and those in which the coroutine may have run. */
	readonly gaps: Float64Array;
	readonly unseen: Float64Array;
	/** A coroutine of it has no row in the table. */
	private folded: Uint8Array;
	/** Why its gaps are not known. */
	private why: (string | undefined)[] = [];
	private slices: Map<number, number[]> | null = null;

	constructor(private profile: Profile, readonly durations: Durations, readonly by: "label" | "coroutine", n: number) {
		[this.coroutines, this.suspended, this.awaiting, this.ready, this.gaps, this.unseen] = Array.from({ length: 6 }, () => new Float64Array(n));
		this.folded = new Uint8Array(n);
		durations.rows.held.forEach((slice, at) => this.addGap(profile.timeline[by][slice], durations.waits[at]));
		if (by === "label")
			this.countCoroutines();
	}

	private addGap(row: number, wait: Durations["waits"][number]): void {
		if (row === NONE || !wait)
			return;
		if (typeof wait === "string") {
			this.why[row] = wait;
		} else if (wait.missing) {
			this.unseen[row]++;
		} else {
			this.gaps[row]++;
			this.suspended[row] += wait.suspended;
			this.awaiting[row] += wait.awaiting || 0;
			this.ready[row] += wait.ready || 0;
		}
	}

	private countCoroutines(): void {
		const { profile: { timeline: { coroutine, end, label: of } }, durations } = this;
		const last = new Map<number, number>();

		for (const slice of durations.rows.held) {
			const known = last.get(coroutine[slice]);

			if (coroutine[slice] === NONE)
				this.folded[of[slice]] = 1;
			else if (known === undefined || end[slice] >= end[known])
				last.set(coroutine[slice], slice);
		}
		for (const slice of last.values())
			this.coroutines[of[slice]]++;
	}

	/** Why it is not known how many ran. */
	uncounted(row: number): string | undefined {
		return this.folded[row] ? FOLDED : this.durations.missing("held", row);
	}

	/** Why its gaps are not known. */
	missing(row: number): string | undefined {
		return this.why[row] ?? (this.by === "label" ? this.durations.missing("suspended", row) : undefined);
	}

	/** Those of a coroutine, as they ended. */
	private slicesOf(coroutine: number): number[] {
		const { profile: { timeline: { end, coroutine: of } }, durations } = this;

		if (!this.slices) {
			this.slices = new Map();
			for (const slice of durations.rows.held) {
				if (!this.slices.get(of[slice])?.push(slice))
					this.slices.set(of[slice], [slice]);
			}
			for (const slices of this.slices.values())
				slices.sort((a, b) => end[a] - end[b]);
		}
		return this.slices.get(coroutine) ?? [];
	}

	/** Threads that a coroutine ran on. */
	threads(coroutine: number): Set<number> {
		return new Set(this.slicesOf(coroutine).map((slice) => this.profile.timeline.thread[slice]));
	}

	/** How often it went on on another. */
	migrations(coroutine: number): number {
		const { thread } = this.profile.timeline;

		return this.slicesOf(coroutine).filter((slice, at, slices) => at > 0 && thread[slice] !== thread[slices[at - 1]]).length;
	}

	/** How much of a sum of gaps is known. */
	known(sum: "suspended" | "awaiting" | "ready", row: number): Known {
		const parted = sum === "suspended" || this.awaiting[row] + this.ready[row] === this.suspended[row];

		return parted && !this.unseen[row] ? "all" : this[sum][row] ? "least" : "none";
	}
}
