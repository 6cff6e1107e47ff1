// SPDX-License-Identifier: GPL-2.0
/*
 * What rows are called in the page's address: by what they are, so that an address
 * is of use with another page of the same program, and never of another row.
 */

import { NONE, Profile } from "./profile";
import { Grouping, Scope } from "./store";

export type Named = Grouping | Scope["kind"];

/** Those of the same name are distinguished by their origin, and, if they must, by their order. */
export class UniqueNames {
	private rows = new Map<string, number>();
	private names: string[] = [];

	constructor(names: string[], origin: (row: number) => string) {
		const often = new Map<string, number>();

		for (const of of names)
			often.set(of, 1 + (often.get(of) ?? 0));
		names.forEach((of, row) => {
			let called = often.get(of) === 1 ? of : `${of}@${origin(row)}`;

			for (let nth = 2; this.rows.has(called); nth++)
				called = `${called.replace(/~\d+$/, "")}~${nth}`;
			this.rows.set(called, row);
			this.names.push(called);
		});
	}

	name(row: number): string {
		return this.names[row];
	}

	/** Undefined if there is none of that name. */
	row(name: string): number | undefined {
		return this.rows.get(name);
	}
}

export class Names {
	private labels: UniqueNames | null = null;
	private processes: UniqueNames | null = null;

	constructor(private profile: Profile) {}

	name(kind: Named, row: number): string {
		const { coroutines, threads } = this.profile;

		return kind === "process" ? this.ofProcesses().name(row)
			: kind === "label" ? this.ofLabels().name(row)
			: kind === "thread" ? this.inProcess(threads.process[row], threads.tid[row])
			: this.inProcess(coroutines.process[row], coroutines.id[row]);
	}

	/** Undefined if there is none of that name. */
	row(kind: Named, name: string): number | undefined {
		const { coroutines, threads } = this.profile;

		if (kind === "label" || kind === "process")
			return (kind === "label" ? this.ofLabels() : this.ofProcesses()).row(name);
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

	/** Of several recordings some may have the same number. */
	private ofProcesses(): UniqueNames {
		const { processes: { pid, name } } = this.profile;

		return this.processes ??= new UniqueNames(Array.from(pid, String), (row) => name[row] ?? "");
	}

	private ofLabels(): UniqueNames {
		const { labels: { name, process }, processes } = this.profile;

		return this.labels ??= new UniqueNames(name, (row) => process[row] === NONE ? "" : String(processes.pid[process[row]]));
	}
}
