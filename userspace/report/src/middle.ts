// SPDX-License-Identifier: GPL-2.0
/*
 * Names cut in the middle: those that begin with the same long path are 
 * distinguished by how they end.
 */

const CUT = "…";

/** @keep characters of the text: a third from its start, the others from its end. */
export function shorten(text: string, keep: number): string {
	const characters = [...text];

	if (keep >= characters.length)
		return text;
	const head = Math.floor(keep / 3);

	return characters.slice(0, head).join("") + CUT + characters.slice(characters.length - (keep - head)).join("");
}

/** As much of the text as fits into @room, as @measure has it. */
export function fitMiddle(text: string, room: number, measure: (text: string) => number): string {
	const width = measure(text);

	if (width <= room)
		return text;
	for (let keep = Math.floor([...text].length * room / width); keep > 0; keep--) {
		const cut = shorten(text, keep);

		if (measure(cut) <= room)
			return cut;
	}
	return CUT;
}

let ruler: CanvasRenderingContext2D | null = null;

/** Widths of text as a cell of the table shows it. */
export function rulerOf(element: Element): (text: string) => number {
	const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(element);

	ruler ??= document.createElement("canvas").getContext("2d")!;
	ruler.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
	return (text) => ruler!.measureText(text).width;
}

const SHORTEST = 5;

/** Names drawn again and again: the width of each is measured once. */
export class Fitter {
	private widths = new Map<string, number>();

	constructor(private context: CanvasRenderingContext2D) {}

	/** To be called when the context's font may have changed. */
	reset(): void {
		this.widths.clear();
	}

	/** As much of the text as fits, nothing if that is too little to read. */
	fit(text: string, room: number): string {
		let width = this.widths.get(text);

		if (width === undefined) {
			width = this.context.measureText(text).width;
			this.widths.set(text, width);
		}
		if (width <= room)
			return text;
		for (let keep = Math.floor([...text].length * room / width) - 1; keep >= SHORTEST; keep--) {
			const cut = shorten(text, keep);

			if (this.context.measureText(cut).width <= room)
				return cut;
		}
		return "";
	}
}
