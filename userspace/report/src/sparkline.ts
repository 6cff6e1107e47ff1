// SPDX-License-Identifier: GPL-2.0
/* A distribution in a cell: how many slices ran how long, on one logarithmic scale that all rows have. */

import { Profile } from "./profile";

const BINS = 32;
const STEP = 3;
const HEIGHT = 14;

/** From the least time there is to the longest, whatever is chosen. */
export class Scale {
	private low: number;
	private high: number;

	constructor({ lengths, labels }: Profile) {
		this.low = Math.log(Math.max(1, lengths.from.reduce((a, b) => Math.min(a, b), Infinity)));
		this.high = Math.max(this.low + 1, Math.log(labels.longest.reduce((a, b) => Math.max(a, b || 0), 1)));
	}

	bin(ns: number): number {
		const at = (Math.log(Math.max(1, ns)) - this.low) / (this.high - this.low);

		return Math.max(0, Math.min(BINS - 1, Math.floor(at * BINS)));
	}

	/** @times of slices. */
	countsOf(times: readonly number[]): Float64Array {
		const counts = new Float64Array(BINS);

		for (const ns of times)
			counts[this.bin(ns)]++;
		return counts;
	}
}

/** Of each label in the whole recording, by the reader's histogram; a bin has what begins in it. */
export function countsOfLabels({ labels, lengths }: Profile, scale: Scale): Float64Array[] {
	const counts = Array.from({ length: labels.n }, () => new Float64Array(BINS));

	for (let row = 0; row < lengths.n; row++)
		counts[lengths.label[row]][scale.bin(lengths.from[row])] += lengths.slices[row];
	return counts;
}

/** One path; @said is for those who don't see it. What is there at all is seen. */
export function sparkline(counts: Float64Array, said: string): SVGElement {
	const root = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
	const most = counts.reduce((a, b) => Math.max(a, b), 1);
	const bars = [...counts].map((count, bin) => {
		const tall = count ? Math.max(1, count / most * HEIGHT) : 0;

		return tall ? `M${bin * STEP} ${HEIGHT}v${(-tall).toFixed(1)}h${STEP}v${tall.toFixed(1)}z` : "";
	});

	root.setAttribute("class", "sparkline");
	root.setAttribute("viewBox", `0 0 ${BINS * STEP} ${HEIGHT}`);
	root.setAttribute("preserveAspectRatio", "none");
	root.setAttribute("role", "img");
	root.setAttribute("aria-label", said);
	path.setAttribute("d", bars.join(""));
	root.append(path);
	return root;
}
