// SPDX-License-Identifier: GPL-2.0
/*
 * How far figures can be relied on, and what is made of them: by the reader's table, see
 * reader/base/standing.h. The page has no rule of its own.
 */

import { CombineData, StandingData } from "./decode";

export type Combine = "sum" | "min" | "difference" | "product" | "quotient" | "change";

let standings: StandingData[];
let combine: CombineData;

/** To be called before all others. */
export function followStandings(all: StandingData[], by: CombineData): void {
	standings = all;
	combine = by;
}

export const COUNTED = 0;

export const standing = (at: number): StandingData => standings[at];

export const named = (name: string): number => standings.findIndex((standing) => standing.name === name);

export const hasValue = (of: number): boolean => standings[of].value;

/** Of what is made of two figures. */
export const combined = (how: Combine, one: number, other: number): number => Number(combine[how][one][other]);

/** Of a sum of figures: there is none of nothing. */
export const summed = (of: Iterable<number>): number => Array.from(of).reduce((sum, one) => combined("sum", sum, one), named("none"));

/** If a part of it is missing. */
export const lacking = (of: number, part = true): number => part ? Number(combine.lacks[of]) : of;

/** If it may have what belongs elsewhere. */
export const exceeding = (of: number, more = true): number => more ? Number(combine.exceeds[of]) : of;

/** Of a mean, or a quantile, of those that were seen. */
export const typical = (of: number): number => Number(combine.mean[of]);

/** If a part of it is shared by time. */
export const shared = (of: number, part: boolean): number => part && hasValue(of) ? combined("sum", of, named("scaled")) : of;

/** Of figures of the same, so that both lack what is missing of one. */
export const ratioOf = (of: number): number => combined("quotient", of, of);

/** Of the length that the share of them do not exceed, by that of how many there are. */
export const lengthStanding = (of: number, share: number): number => share === 1 ? of : typical(of);
