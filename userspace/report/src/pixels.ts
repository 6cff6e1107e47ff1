// SPDX-License-Identifier: GPL-2.0
/*
 * Columns of pixels of the screen, each of which stands for a range of time. One rule holds for every label and
 * every state: what has at least a pixel of a column is as high as its share of the time; what has less is a mark,
 * one pixel in the rows below, which are no part of the area. So nothing that was there is left out, and nothing is
 * drawn larger than it was.
 */

/** Of a pixel. */
const TINY = 1e-6;

/** Something that has a share of a column. */
export interface Share {
	time: number;
	/** It is hatched: what it was is not known. */
	lost?: boolean;
}

/** Rows of pixels of the screen: those of the area, then a gap, then those of the marks. */
export interface Rows {
	top: number;
	height: number;
	gap: number;
	marks: number;
}

/** @below: room for the gap and the marks, in pixels of the page as the others are. */
export function rowsAt(y: number, height: number, below: number, density: number): Rows {
	const top = Math.round(y * density);
	const gap = Math.max(1, Math.round(density));

	return { top, height: Math.max(1, Math.round((y + height) * density) - top), gap, marks: Math.max(1, Math.round(below * density) - gap) };
}

/** How many columns of pixels of the screen there are. */
export function columnsOf(left: number, right: number, density: number): number {
	return Math.max(1, Math.floor((right - left) * density));
}

export class Pixels {
	private image: ImageData | null = null;
	private data = new Uint32Array();
	private scratch = document.createElement("canvas");

	/** Empties it. */
	begin(width: number, height: number): void {
		if (this.image?.width === width && this.image.height === height) {
			this.data.fill(0);
			return;
		}
		this.image = new ImageData(width, height);
		this.data = new Uint32Array(this.image.data.buffer);
	}

	/** Makes all of it part of a canvas in one piece. */
	end(context: CanvasRenderingContext2D, left: number, density: number): void {
		const { scratch, image } = this;
		const { width, height } = image!;

		if (scratch.width !== width || scratch.height !== height) {
			scratch.width = width;
			scratch.height = height;
		}
		scratch.getContext("2d")!.putImageData(image!, 0, 0);
		context.imageSmoothingEnabled = false;
		context.drawImage(scratch, left, 0, width / density, height / density);
	}

	/** Columns from @from to @to, each with the same shares of @whole, the first at the bottom. @rest: the colour of several at once. */
	fill<Of extends Share>(from: number, to: number, rows: Rows, shares: Of[], whole: number, inkOf: (share: Of) => number, rest: number): void {
		const { height } = rows;
		const tall = ({ time }: Share) => time / whole * height;
		const small = shares.filter((share) => tall(share) < 1);
		const little = tall({ time: small.reduce((sum, { time }) => sum + time, 0) });
		/*
		 * What rounding leaves goes to the next one, so that each is less than a pixel too high, or too low. A half is
		 * rounded alike in columns that have the same, whatever their sums come to.
		 */
		let carry = little < 1 ? little : 0;
		let bottom = rows.top + height;
		const put = (exact: number, ink: number, lost = false) => {
			const top = Math.max(rows.top, bottom - Math.max(Math.floor(exact), Math.min(Math.ceil(exact), Math.round(exact + carry - TINY))));

			carry += exact - (bottom - top);
			while (bottom > top)
				this.row(from, to, --bottom, ink, lost);
		};

		for (const share of shares)
			if (tall(share) >= 1)
				put(tall(share), inkOf(share), share.lost);
		if (little >= 1)
			put(little, rest);
		for (let mark = 0; mark < Math.min(small.length, rows.marks); mark++)
			this.row(from, to, rows.top + height + rows.gap + mark,
				mark === rows.marks - 1 && small.length > rows.marks ? rest : inkOf(small[mark]), false);
	}

	private row(from: number, to: number, row: number, ink: number, lost: boolean): void {
		const { width, height } = this.image!;

		/* A lane may be in view in part. */
		if (row < 0 || row >= height)
			return;
		if (lost)
			for (let column = from; column < to; column++)
				this.data[row * width + column] = (row + column) % 6 > 1 ? 0 : ink;
		else
			this.data.fill(ink, row * width + from, row * width + to);
	}
}

/** A colour, #rrggbb, as a pixel of an image, in this machine's order of bytes. */
export function inkOf(colour: string): number {
	return new Uint32Array(Uint8Array.of(...[1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)), 255).buffer)[0];
}
