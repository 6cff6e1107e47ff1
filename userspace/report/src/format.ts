// SPDX-License-Identifier: GPL-2.0
/* Numbers as people read them. NaN is "not available", everywhere. */

export const NA = "n/a";

/** Where there can be no figure. */
export const NOT_APPLICABLE = "–";

const SPACE = "\u202f";

const exact = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const exactFraction = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

/** Three significant digits, never more than needed. */
function digits(value: number): string {
	const size = Math.abs(value);

	if (size >= 100 || value === 0)
		return value.toFixed(0);
	return value.toFixed(size >= 10 ? 1 : 2);
}

function scaled(value: number, base: number, units: string[]): [string, string] {
	let unit = 0;

	while (unit < units.length - 1 && Math.abs(value) >= base * 0.9995) {
		value /= base;
		unit++;
	}
	return [digits(value), units[unit]];
}

const TIME_UNITS = ["ns", "µs", "ms", "s"];
const COUNT_UNITS = ["", "k", "M", "G", "T", "P", "E"];

/** 12.3 ms */
export function time(ns: number): string {
	if (Number.isNaN(ns))
		return NA;
	if (Math.abs(ns) >= 600e9)
		return digits(ns / 60e9) + SPACE + "min";
	const [figure, unit] = scaled(ns, 1000, TIME_UNITS);

	return figure + SPACE + unit;
}

/** 1.23 M; small whole numbers in full */
export function count(value: number): string {
	if (Number.isNaN(value))
		return NA;
	if (Number.isInteger(value) && Math.abs(value) < 10000)
		return exact.format(value);
	const [figure, unit] = scaled(value, 1000, COUNT_UNITS);

	return unit ? figure + SPACE + unit : figure;
}

export function ratio(value: number): string {
	if (!Number.isFinite(value))
		return NA;
	return value > 0 && value < 0.01 ? "<0.01" : value.toFixed(2);
}

export function share(fraction: number): string {
	if (!Number.isFinite(fraction))
		return NA;
	const percent = fraction * 100;

	if (percent !== 0 && Math.abs(percent) < 0.01)
		return "<0.01" + SPACE + "%";
	return percent.toFixed(percent < 10 ? 2 : 1) + SPACE + "%";
}

/** Every digit, for tooltips; a double cannot hold more than 2^53. */
export function full(value: number, unit = ""): string {
	if (Number.isNaN(value))
		return NA;
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
	const unit = end >= 1e9 ? 3 : end >= 1e6 ? 2 : end >= 1e3 ? 1 : 0;
	const size = 1000 ** unit;
	const decimals = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));

	return (ns / size).toFixed(decimals) + SPACE + TIME_UNITS[unit];
}

/** A round distance between marks, near @rough. */
export function roundStep(rough: number): number {
	const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));

	for (const factor of [1, 2, 5])
		if (power * factor >= rough)
			return power * factor;
	return power * 10;
}
