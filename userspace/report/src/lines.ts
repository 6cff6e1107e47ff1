// SPDX-License-Identifier: GPL-2.0
/* Source lines of functions, by debug information. */

import { NONE, Profile, Samples } from "./profile";

/** A source line; @inlined: the compiler has put the function into its caller there. */
export interface CallLine {
	source: string;
	/** The file in full, and a number to have lines of a file in their order. */
	file: string;
	line: number;
	inlined: boolean;
	own: number;
	total: number;
	/** Of both. */
	mark: string;
}

/** What samples of a line sum to; of a label alone, by line. */
interface Sums {
	own: Float64Array;
	total: Float64Array;
}

const OF_ALL = "Known of all samples only: the page has single samples by function, not by line.";
const NONE_OF_IT = "No line of it is known: debug information of its object has none.";

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export function lineText({ lines }: Samples, row: number): string {
	const file = lines.file[row];

	return file === null ? "line not known" : `${baseName(file)}${lines.line[row] ? `:${lines.line[row]}` : ""}`;
}

export function isInlined({ lines }: Samples, row: number): boolean {
	return lines.table.column("inlined").words(row) === "yes";
}

/** A line that is on the stack more than once has a sample once. */
function isOutermost({ inLines: { line, parent } }: Samples, row: number): boolean {
	for (let above = parent[row]; above !== NONE; above = parent[above])
		if (line[above] === line[row])
			return false;
	return true;
}

function sumsOf(samples: Samples, frame: number, label: number): Sums {
	const { lines, inLines, tree } = samples;
	const sums = { own: new Float64Array(lines.n), total: new Float64Array(lines.n) };

	for (let row = 0; row < inLines.n; row++) {
		const line = inLines.line[row];

		if (lines.function[line] !== frame || tree.label[tree.base + inLines.node[row]] !== label)
			continue;
		sums.own[line] += inLines.own[row];
		sums.total[line] += isOutermost(samples, row) ? inLines.total[row] : 0;
	}
	return sums;
}

/** Those of a function in coroutines of a label, NONE: in all; or why there are none, as of a part of the samples. */
export function linesOf({ samples, recording }: Profile, frame: number, label: number, part: boolean, mark: string): CallLine[] | string {
	const { lines } = samples!;
	const { own, total }: Sums = label === NONE ? lines : sumsOf(samples!, frame, label);
	const rows = [...lines.function.keys()].filter((row) => lines.function[row] === frame && total[row]);

	if (samples!.lines.n && part)
		return OF_ALL;
	if (!rows.some((row) => lines.file[row] !== null))
		return recording.lines_note ? `Not known: ${recording.lines_note}.` : NONE_OF_IT;
	return rows.map((row) => ({
		source: lineText(samples!, row), file: lines.file[row] ?? "", line: Number(lines.line[row]) || 0,
		inlined: isInlined(samples!, row), own: own[row], total: total[row], mark,
	}));
}
