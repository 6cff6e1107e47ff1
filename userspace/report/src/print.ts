// SPDX-License-Identifier: GPL-2.0
/*
 * The page on paper. Printing waits for no frame: it takes what there is once
 * "beforeprint" was sent. So the page then takes on the width of paper and its
 * colours (`:root.paper` in style.css), and all is drawn anew at once.
 */

import { drawAll } from "./dom";
import * as format from "./format";
import { repaint } from "./palette";

/** Of a page of A4 or Letter on its side, without its margins; style.css has it too. */
export const PRINT_WIDTH = 960;

export function isPrinting(): boolean {
	return document.documentElement.classList.contains("paper");
}

/**
 * What is said on paper of a picture of which it shows a part: so many pixels from @top on, of
 * @all things each @pitch high.
 */
export function partPrinted(things: string, top: number, height: number, pitch: number, all: number): string {
	const [first, last] = [Math.ceil(top / pitch), Math.floor((top + height) / pitch)];

	return isPrinting() && (first > 0 || last < all) ? `${things} ${format.full(first + 1)} to ${format.full(Math.min(last, all))} of ${format.full(all)}.` : "";
}

function turn(on: boolean): void {
	document.documentElement.classList.toggle("paper", on);
	repaint();
	drawAll();
}

export function watchPrint(): void {
	addEventListener("beforeprint", () => turn(true));
	addEventListener("afterprint", () => turn(false));
}
