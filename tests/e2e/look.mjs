// SPDX-License-Identifier: GPL-2.0
/* Pictures for people to look at, and what can be measured of looks. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { settle, visit } from "./browser.mjs";
import { test } from "./tap.mjs";

/* Runs in the page: contrast of an element's text against what is behind it. */
function contrasts(selectors) {
	const parse = (text) => text.match(/[\d.]+/g).map(Number);
	const light = (rgb) => {
		const [r, g, b] = rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (element) => {
		for (let at = element; at; at = at.parentElement) {
			const colour = parse(getComputedStyle(at).backgroundColor);

			if (colour.length < 4 || colour[3] === 1)
				return colour.slice(0, 3);
		}
		return [255, 255, 255];
	};

	return selectors.map((selector) => {
		const element = document.querySelector(selector);
		const [a, b] = [light(parse(getComputedStyle(element).color).slice(0, 3)), light(behind(element))];

		return { selector, contrast: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) };
	});
}

const TEXTS = [".grid-body .cell", ".grid-body .missing", ".cell.head", ".item-name", ".badge.good", ".badge.fair",
	".badge.none", ".notice", ".place li", ".details dt", ".details .soft", ".tabs button", ".choice span"];

export async function lookTests(browser, file, out) {
	for (const scheme of ["light", "dark"]) {
		await test(`look: ${scheme}, and text has contrast enough`, () => visit(browser, file, async (page) => {
			await page.screenshot({ path: join(out, `${scheme}-overview.png`) });
			await page.evaluate(() => window.coroprof.store.set({ selected: { kind: "label", index: 3 } }));
			await page.locator("canvas.lanes").focus();
			for (let i = 0; i < 9; i++)
				await page.keyboard.press("w");
			await settle(page);
			await page.screenshot({ path: join(out, `${scheme}-label.png`) });
			for (const { selector, contrast } of await page.evaluate(contrasts, TEXTS))
				assert.ok(contrast >= 4.5, `${selector}: ${contrast.toFixed(2)}`);
			await page.evaluate(() => window.coroprof.store.set({
				view: "timeline", lanes: "coroutines", from: 0, to: window.coroprof.profile.until }));
			await settle(page);
			await page.screenshot({ path: join(out, `${scheme}-coroutines.png`) });
			await page.evaluate(() => window.coroprof.store.set({
				view: "table", by: "coroutine", selected: { kind: "coroutine", index: 1 } }));
			await settle(page);
			await page.screenshot({ path: join(out, `${scheme}-table.png`) });
		}, { scheme }));
	}

	await test("look: narrow windows and print", () => visit(browser, file, async (page) => {
		await page.screenshot({ path: join(out, "narrow.png") });
		await page.setViewportSize({ width: 1440, height: 900 });
		await page.pdf({ path: join(out, "print.pdf"), landscape: true, printBackground: true });
	}, { size: { width: 720, height: 900 } }));

	await test("look: every control can be reached and has a name", () => visit(browser, file, async (page) => {
		const nameless = await page.locator("button, input, canvas, [tabindex='0']").evaluateAll((elements) =>
			elements.filter((element) => !(element.innerText?.trim() || element.getAttribute("aria-label") ||
				element.labels?.[0]?.innerText.trim())).map((element) => element.outerHTML));

		assert.deepEqual(nameless, []);
		const reached = new Set();

		for (let i = 0; i < 60; i++) {
			await page.keyboard.press("Tab");
			reached.add(await page.evaluate(() => {
				const { activeElement: at } = document;

				return at.className || at.id || at.name || at.tagName;
			}));
		}
		for (const name of ["grid", "lanes", "filter", "choice-by", "choice-mode", "tab-overview"])
			assert.ok(reached.has(name), `${name} in ${[...reached]}`);
	}));
}
