// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers as people read them, by the rules that the reader gives: see
 * reader/tables/figure.h. NaN is "not available", everywhere.
 */

import { CombineData, FigureRules, FractionRule, Integer, StandingData } from "./decode";
import { COUNTED, followStandings, hasValue, lacking, standing } from "./standings";

export { standing };

let rules: FigureRules;
let units: Record<"ns" | "events", [number, string][]>;
let notKnown: string;

const sizes = (of: [Integer, string][]) => of.map(([size, name]): [number, string] => [Number(size), name]);

/** To be called before all others. */
export function follow(figures: FigureRules, all: StandingData[], combine: CombineData): void {
	rules = figures;
	units = { ns: sizes(figures.ns), events: sizes(figures.events) };
	followStandings(all, combine);
	notKnown = all.find(({ value }) => !value)!.mark;
}

/** What stands where nothing is known. */
export const na = () => notKnown;

/** The mark of a figure of which a part is not known. */
export const atLeast = () => standing(lacking(COUNTED)).mark;

/** What is too small to be shown is, beside a mark that is a bound, 0 or the least figure: as the reader's figure_cell() has it. */
export function bound(mark: string, value: number, show: (value: number) => string): string {
	const text = show(value);

	if (text[0] !== "<" || mark !== atLeast() && mark[0] !== "<")
		return mark + text;
	return mark + (mark === atLeast() ? show(0) : text.slice(1));
}

/** A figure with the mark of a standing, or the word in its place. */
export function marked(of: number, value: number, show: (value: number) => string): string {
	return !hasValue(of) ? standing(of).mark : Number.isNaN(value) ? na() : bound(standing(of).mark, value, show);
}

const SPACE = "\u202f";

/* In nanoseconds. */

const exact = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const exactFraction = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

const withUnit = (figure: string, unit: string) => unit ? figure + SPACE + unit : figure;

/** As printf() rounds: what is halfway, exactly, goes to the even digit. */
export function fixed(value: number, decimals: number): string {
	const shifted = value * 10 ** decimals;
	const halfway = Number.isInteger(value * 2 ** (decimals + 1)) && shifted - Math.floor(shifted) === 0.5;

	return halfway ? (2 * Math.round(shifted / 2) / 10 ** decimals).toFixed(decimals) : value.toFixed(decimals);
}

function inUnits(value: number, [...all]: [number, string][]): string {
	const [least, lowest] = all.pop()!;
	const size = Math.abs(value);

	if (size < rules.whole * all[all.length - 1][0])
		return withUnit(Number.isInteger(value) ? fixed(value / least, 0) : digits(value), lowest);
	const [unit, name] = all.find(([of]) => size >= rules.whole * of)!;

	return withUnit(digits(value / unit), name);
}

function digits(value: number): string {
	const [, decimals] = rules.digits.find(([below]) => !below || Math.abs(value) < below)!;

	return fixed(value, decimals);
}

/** The larger unit and the smaller one, of which 60 are a larger one. */
function inSixties(value: number, large: string, small: string): string {
	return withUnit(String(Math.floor(value / 60)), large) + SPACE + withUnit(String(value % 60), small);
}

/** 12.3 ms, 3 min 10 s, 2 h 5 min. */
export function time(ns: number): string {
	if (Number.isNaN(ns))
		return na();
	const [size, sign] = [Math.abs(ns), ns < 0 ? "-" : ""];
	const seconds = Math.round(size / 1e9);

	if (seconds >= 3600)
		return sign + inSixties(Math.round(size / 60e9), "h", "min");
	return size >= rules.whole * 60e9 ? sign + inSixties(seconds, "min", "s") : inUnits(ns, units.ns);
}

/** 1.23 M */
export function events(value: number): string {
	return Number.isNaN(value) ? na() : inUnits(value, units.events);
}

/** In full; of a mean, three digits. */
export function count(value: number): string {
	return Number.isNaN(value) ? na() : Number.isInteger(value) ? exact.format(value) : digits(value);
}

function fraction(value: number, { factor, decimals, least, unit }: FractionRule): string {
	if (!Number.isFinite(value))
		return na();
	return value > 0 && value < least ? "<" + withUnit(fixed(10 ** -decimals, decimals), unit)
		: withUnit(fixed(factor * value, decimals), unit);
}

export function ratio(value: number): string {
	return fraction(value, rules.ratio);
}

export function share(value: number): string {
	return fraction(value, rules.share);
}

/** Of one figure to another, as a share of the first; none is +0.0 %, as the reader has it. */
export function change(share: number): string {
	if (1 + share >= rules.times)
		return withUnit(events(Math.round(1 + share)), "times");
	return withUnit((share >= 0 ? "+" : "") + fixed(100 * share, 1), "%");
}

/** Every digit, for tooltips; a double cannot hold more than 2^53. */
export function full(value: number, unit = ""): string {
	if (Number.isNaN(value))
		return na();
	const text = Number.isInteger(value) ? exact.format(value) : exactFraction.format(value);
	const about = Math.abs(value) > Number.MAX_SAFE_INTEGER ? "about " : "";

	return about + text + (unit ? SPACE + unit : "");
}

export function fullTime(ns: number): string {
	return full(ns, "ns");
}

export function plural(n: number, one: string, many = one + "s"): string {
	return `${full(n)} ${n === 1 ? one : many}`;
}

/** Time on an axis that ends at @end and whose marks are @step apart. */
export function axisTime(ns: number, step: number, end: number): string {
	const [size, name] = units.ns.find(([of]) => end >= of) ?? units.ns[units.ns.length - 1];
	const decimals = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));

	return (ns / size).toFixed(decimals) + SPACE + name;
}

/** When something was, to the nanosecond: what begins then is not cut by a part from there on. */
export function moment(ns: number): string {
	if (Number.isNaN(ns))
		return na();
	const [figure, unit] = axisTime(Math.round(ns), 1, ns).split(SPACE);

	return withUnit(figure.replace(/\.?(000)+$/, ""), unit);
}

/** A round distance between marks, near @rough. */
export function roundStep(rough: number): number {
	const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));

	for (const factor of [1, 2, 5])
		if (power * factor >= rough)
			return power * factor;
	return power * 10;
}
