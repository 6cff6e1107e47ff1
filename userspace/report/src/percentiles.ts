// SPDX-License-Identifier: GPL-2.0
/* The table of latency, of what is chosen: of each kind and label, as the whole one has them. */

import { Column } from "./decode";
import { ColumnSpec, Derived, derivedColumn, Sheet } from "./figures";
import { KINDS, Durations, quantile, What } from "./durations";
import { NONE, Profile } from "./profile";
import { spanLengths } from "./spans";
import { combined, COUNTED, hasValue, lacking, lengthStanding, named } from "./standings";

const SHARES: Record<string, number> = { p50: 0.5, p90: 0.9, p99: 0.99, p99_9: 0.999, longest: 1 };
const MORE = "Known of the whole recording only.";
const OF = "of what is chosen";

export interface Percentiles extends Sheet {
	/** Whether there are any in what is chosen, or it is not known. */
	there(row: number): boolean;
	/** Of 50 %, 90 %, 99 %, and the longest; null where they are not known. */
	quantiles(row: number): number[] | null;
}

/** @whole has a row for each of the table, and so has this. */
export function percentilesOf(profile: Profile, whole: Sheet, durations: Durations): Percentiles {
	const { label, span, table } = profile.latency;
	const what = table.column("what");
	const kindOf = (row: number) => KINDS.find((kind) => kind === what.words(row));
	let ofSpans: (number[] | string)[] | null = null;
	const ofSpan = (row: number) => (ofSpans ??= spanLengths(profile, durations.part))[span[row]];
	const lengths = (row: number): number[] => {
		if (kindOf(row))
			return durations.lengths(kindOf(row) as What, label[row]);
		const found = ofSpan(row);

		return typeof found === "string" ? [] : found;
	};
	const why = (row: number) => {
		if (kindOf(row))
			return durations.missing(kindOf(row) as What, label[row]);
		const found = ofSpan(row);

		return typeof found === "string" ? found : undefined;
	};
	const derived = (column: Column): Derived => {
		const { is: { name } } = column;
		const share = SHARES[name];
		/* The reader's are near where there are too many to keep each: the page has each. */
		const standing = (row: number) => {
			const whole = column.standing(row);
			const known = hasValue(whole) && whole !== named("near") ? whole : COUNTED;
			const cut = share && kindOf(row) && durations.isCut(kindOf(row) as What, label[row]);

			return cut ? combined("sum", known, lengthStanding(lacking(COUNTED), share)) : known;
		};

		return {
			head: OF, why: name in SHARES || name === "times" ? why : () => MORE,
			of: (row) => why(row) ? NaN : name === "times" ? lengths(row).length : share ? quantile(lengths(row), share) : NaN,
			standing,
		};
	};
	const column = (spec: ColumnSpec) => spec.kind === "number" ? derivedColumn(spec, table.column(spec.key), derived(table.column(spec.key))) : spec;

	return {
		...whole, columns: whole.columns.map(column), table: undefined,
		texts: {
			what: (row) => what.words(row), label: (row) => label[row] === NONE ? "" : whole.name(row),
			span: (row) => label[row] === NONE ? whole.name(row) : "",
		},
		there: (row) => !!why(row) || lengths(row).length > 0,
		quantiles: (row) => why(row) || !lengths(row).length ? null : [0.5, 0.9, 0.99, 1].map((share) => quantile(lengths(row), share)),
	};
}
