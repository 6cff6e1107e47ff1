// SPDX-License-Identifier: GPL-2.0
/* What the canvases of the timeline have in common. */

/** Room at the left for the names of lanes. */
export const GUTTER = 168;

/** Makes the canvas as sharp as the screen; null while it has no size. */
export function fitCanvas(canvas: HTMLCanvasElement, height = canvas.clientHeight): CanvasRenderingContext2D | null {
	const density = devicePixelRatio || 1;
	const width = canvas.clientWidth;
	const context = canvas.getContext("2d");

	if (!width || !height || !context)
		return null;
	const [w, t] = [Math.round(width * density), Math.round(height * density)];

	if (canvas.width !== w || canvas.height !== t) {
		canvas.width = w;
		canvas.height = t;
	}
	context.setTransform(density, 0, 0, density, 0, 0);
	context.clearRect(0, 0, width, height);
	context.font = "11px " + getComputedStyle(document.body).fontFamily;
	context.textBaseline = "middle";
	return context;
}
