// SPDX-License-Identifier: GPL-2.0
/* Pixels of screenshots. */

/** Has a page that reads pixels of screenshots. */
export async function pixelReader(browser) {
	const page = await (await browser.newContext({ offline: true })).newPage();

	return async (png) => {
		const { width, height, data } = await page.evaluate(async (png) => {
			const image = new Image();

			image.src = `data:image/png;base64,${png}`;
			await image.decode();
			const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
			const context = canvas.getContext("2d");

			context.drawImage(image, 0, 0);
			const all = context.getImageData(0, 0, image.width, image.height).data;
			let text = "";

			for (let at = 0; at < all.length; at += 8192)
				text += String.fromCharCode(...all.subarray(at, at + 8192));
			return { width: image.width, height: image.height, data: btoa(text) };
		}, png.toString("base64"));
		const bytes = Buffer.from(data, "base64");

		return { width, height, at: (x, y) => bytes.subarray(4 * (y * width + x), 4 * (y * width + x) + 3).join(" ") };
	};
}
