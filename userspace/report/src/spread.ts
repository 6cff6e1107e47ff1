// SPDX-License-Identifier: GPL-2.0
/* A distribution in a cell: how far apart half, most, nearly all, and the longest are. */

const WIDTH = 130;
const HEIGHT = 12;

function line(className: string, x1: number, x2: number, y1 = HEIGHT / 2, y2 = y1): SVGElement {
	const element = document.createElementNS("http://www.w3.org/2000/svg", "line");

	element.setAttribute("class", className);
	for (const [name, value] of Object.entries({ x1, x2, y1, y2 }))
		element.setAttribute(name, value.toFixed(1));
	return element;
}

/** Of half, 90 %, 99 % and the longest, on a logarithmic scale from @least to @most. */
export function spread([half, most90, most99, longest]: number[], least: number, most: number): SVGElement {
	const root = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	const low = Math.log(Math.max(1, least));
	const high = Math.max(low + 1, Math.log(Math.max(1, most)));
	const x = (ns: number) => (Math.log(Math.max(1, ns)) - low) / (high - low) * (WIDTH - 2) + 1;

	root.setAttribute("class", "spread");
	root.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
	root.setAttribute("aria-hidden", "true");
	root.append(line("tail", x(most99), x(longest)), line("body", x(half), Math.max(x(most99), x(half) + 1)),
		line("tick", x(most90), x(most90), 1, HEIGHT - 1));
	return root;
}
