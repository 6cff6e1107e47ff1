// SPDX-License-Identifier: GPL-2.0
/*
 * What rows are called in the page's address: by what they are, so that an address
 * is of use with another page of the same program, and never of another row.
 */

import { NONE, Profile } from "./profile";
import { Grouping } from "./store";

export class Names {
	private labels: { rows: Map<string, number>; names: string[] } | null = null;

	constructor(private profile: Profile) {}

	name(kind: Grouping, row: number): string {
		const { coroutines, threads } = this.profile;

		return kind === "label" ? this.ofLabels().names[row]
			: kind === "thread" ? this.inProcess(threads.process[row], threads.tid[row])
			: this.inProcess(coroutines.process[row], coroutines.id[row]);
	}

	/** Undefined if there is none of that name. */
	row(kind: Grouping, name: string): number | undefined {
		const { coroutines, threads } = this.profile;

		if (kind === "label")
			return this.ofLabels().rows.get(name);
		const { n } = kind === "thread" ? threads : coroutines;

		for (let row = 0; row < n; row++)
			if (this.name(kind, row) === name)
				return row;
		return undefined;
	}

	/** Numbers are those of a process. */
	private inProcess(process: number, id: number | string): string {
		const { processes } = this.profile;

		return processes.n > 1 && process !== NONE ? `${processes.pid[process]}:${id}` : String(id);
	}

	/** Those of the same name are told apart by their process, and, if they must, by their order. */
	private ofLabels(): { rows: Map<string, number>; names: string[] } {
		const { labels: { name, process }, processes } = this.profile;
		const often = new Map<string, number>();

		if (this.labels)
			return this.labels;
		this.labels = { rows: new Map(), names: [] };
		for (const of of name)
			often.set(of, 1 + (often.get(of) ?? 0));
		name.forEach((of, row) => {
			const { rows, names } = this.labels!;
			let called = often.get(of) === 1 ? of : `${of}@${process[row] === NONE ? "" : processes.pid[process[row]]}`;

			for (let nth = 2; rows.has(called); nth++)
				called = `${called.replace(/~\d+$/, "")}~${nth}`;
			rows.set(called, row);
			names.push(called);
		});
		return this.labels;
	}
}
