// SPDX-License-Identifier: GPL-2.0
/*
 * Calls within calls, in the coroutines of each label. Node 0 is everything,
 * below it is a node for each label, and below that are the calls, in the order
 * of the data: every node comes after its parent.
 */

export const ROOT = 0;

const NONE = -1;

export class Tree {
	readonly n: number;
	/** The first node that is a call. */
	readonly base: number;
	readonly parent: Int32Array;
	/** NONE for everything. */
	readonly label: Int32Array;
	/** NONE for those that are no calls, and for calls not known by name. */
	readonly name: Int32Array;
	readonly depth: Uint32Array;
	private first: Uint32Array;
	private child: Uint32Array;
	private labels = new Map<number, number>();

	/** @labels have a node even if none of the calls is theirs. */
	constructor(parent: Int32Array, label: Int32Array, name: Int32Array, labels: number[] = []) {
		for (const some of [label, labels])
			for (const of of some)
				if (!this.labels.has(of))
					this.labels.set(of, 1 + this.labels.size);
		this.base = 1 + this.labels.size;
		this.n = this.base + parent.length;
		this.parent = new Int32Array(this.n);
		this.label = new Int32Array(this.n).fill(NONE);
		this.name = new Int32Array(this.n).fill(NONE);
		this.depth = new Uint32Array(this.n);
		this.parent[ROOT] = NONE;
		this.name.set(name, this.base);
		this.label.set(label, this.base);
		for (const [of, node] of this.labels)
			this.label[node] = of;
		parent.forEach((of, row) => {
			if (of >= row)
				throw new Error(`call ${row} comes before ${of}, which it is in`);
			this.parent[this.base + row] = of < 0 ? this.labels.get(label[row])! : this.base + of;
		});
		for (let node = 1; node < this.n; node++)
			this.depth[node] = this.depth[this.parent[node]] + 1;
		[this.first, this.child] = this.childLists();
	}

	private childLists(): [Uint32Array, Uint32Array] {
		const first = new Uint32Array(this.n + 1);
		const child = new Uint32Array(Math.max(0, this.n - 1));

		for (let node = 1; node < this.n; node++)
			first[this.parent[node] + 1]++;
		for (let node = 0; node < this.n; node++)
			first[node + 1] += first[node];
		const next = first.slice();

		for (let node = 1; node < this.n; node++)
			child[next[this.parent[node]]++] = node;
		return [first, child];
	}

	/** The nodes right below one, in the order of the last sort(). */
	children(node: number): Uint32Array {
		return this.child.subarray(this.first[node], this.first[node + 1]);
	}

	/** Those that weigh most come first. */
	sort(weight: Float64Array): void {
		for (let node = 0; node < this.n; node++)
			if (this.first[node + 1] - this.first[node] > 1)
				this.children(node).sort((a, b) => weight[b] - weight[a] || a - b);
	}

	/** The node of a label, NONE if none of its coroutines is here. */
	ofLabel(label: number): number {
		return this.labels.get(label) ?? NONE;
	}

	allLabels(): number[] {
		return [...this.labels.keys()];
	}

	/** The row of the data that a node is, NONE for none. */
	row(node: number): number {
		return node < this.base ? NONE : node - this.base;
	}

	/** A figure of each row, as one of each node: those that are no calls have none. */
	lift(rows: Float64Array): Float64Array {
		const out = new Float64Array(this.n);

		out.set(rows, this.base);
		return out;
	}

	/** Likewise, and a label's is the sum of the outermost calls in it; what is NaN is in no sum. */
	tops(rows: Float64Array): Float64Array {
		const out = this.lift(rows);

		for (let node = this.n - 1; node > ROOT; node--)
			if (this.parent[node] < this.base)
				out[this.parent[node]] += out[node] || 0;
		return out;
	}

	/** To each node's figure are added those of all below. */
	sumUp(own: Float64Array): Float64Array {
		const sum = own.slice();

		for (let node = this.n - 1; node > ROOT; node--)
			sum[this.parent[node]] += sum[node];
		return sum;
	}

	/** How wide to draw nodes of this weight: never less than what is in them. */
	widths(weight: Float64Array): Float64Array {
		const inside = new Float64Array(this.n);
		const width = new Float64Array(this.n);

		for (let node = this.n - 1; node >= ROOT; node--) {
			width[node] = Math.max(weight[node] || 0, inside[node]);
			if (node > ROOT)
				inside[this.parent[node]] += width[node];
		}
		return width;
	}

	/** Whether a node is, or is below, another. */
	within(node: number, above: number): boolean {
		while (node > above)
			node = this.parent[node];
		return node === above;
	}
}
