// SPDX-License-Identifier: GPL-2.0
/* What the counters of one slice are to each other. */

import { Profile } from "./profile";

/** The counters that ratios are made of, as the reader distinguishes them. */
export function roleOf(profile: Profile, counter: number): string {
	return profile.tables.table("counters").column("role").words(counter);
}

/** Instructions per cycle, and misses per 1000 instructions, of one slice: @part of what it counted. */
export function ratiosOf(profile: Profile, slice: number, part = (count: number) => count): [string, number][] {
	const { values } = profile.timeline;
	const counted = values.map(({ column, estimate }) => ({ name: column.is.name, role: roleOf(profile, column.is.counter!), value: column.has(slice) ? part(estimate[slice]) : NaN }));
	const of = (role: string) => counted.find((each) => each.role === role)?.value ?? NaN;
	const [cycles, instructions] = [of("cycles"), of("instructions")];
	const misses = counted.filter(({ name }) => name.includes("misses"));

	return [
		...Number.isNaN(instructions / cycles) || !cycles ? [] : [["IPC", instructions / cycles] as [string, number]],
		...misses.filter(({ value }) => !Number.isNaN(value) && instructions > 0)
			.map(({ name, value }): [string, number] => [`${name}/kI`, 1000 * value / instructions]),
	];
}
