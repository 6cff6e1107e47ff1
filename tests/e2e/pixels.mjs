// SPDX-License-Identifier: GPL-2.0
/* Pixels of screenshots. */

/** A page that has decoded(png): the pixels of a screenshot, given as base64, as an ImageData. */
export async function decodingPage(browser) {
	const page = await (await browser.newContext({ offline: true })).newPage();

	await page.evaluate(() => {
		window.decoded = async (png) => {
			const image = new Image();

			image.src = `data:image/png;base64,${png}`;
			await image.decode();
			const { width, height } = image;
			const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");

			context.drawImage(image, 0, 0);
			return context.getImageData(0, 0, width, height);
		};
	});
	return page;
}

/** Has a page that reads pixels of screenshots. */
export async function pixelReader(browser) {
	const page = await decodingPage(browser);

	return async (png) => {
		const { width, height, data } = await page.evaluate(async (png) => {
			const { width, height, data } = await window.decoded(png);
			let text = "";

			for (let at = 0; at < data.length; at += 8192)
				text += String.fromCharCode(...data.subarray(at, at + 8192));
			return { width, height, data: btoa(text) };
		}, png.toString("base64"));
		const bytes = Buffer.from(data, "base64");

		return { width, height, at: (x, y) => bytes.subarray(4 * (y * width + x), 4 * (y * width + x) + 3).join(" ") };
	};
}
