// SPDX-License-Identifier: GPL-2.0
/* A browser that says everything a page did wrong. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/* The same engine with no window around each page, which takes more of the processor than most pages do. */
const SHELL = "/usr/bin/chromium-headless-shell";
const CHROMIUM = process.env.CHROMIUM ?? [SHELL, "/usr/bin/chromium"].find((file) => existsSync(file));
const SIZE = { width: 1440, height: 900 };
/* Against what never comes: a machine may be busy. */
export const PATIENCE_MS = 60000;

export async function launch(modules) {
	assert.ok(CHROMIUM, `there is no browser ${SHELL}: apt install chromium-headless-shell`);
	const { chromium } = createRequire(resolve(modules, "package.json"))("playwright-core");
	const browser = await chromium.launch({
		timeout: PATIENCE_MS,
		executablePath: CHROMIUM,
		args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
			"--disable-background-networking", "--disable-component-update", "--disable-sync"],
	});

	made(browser, "newContext", (context) => made(context, "newPage", patient));
	return browser;
}

/** Has @change done to what the method @name of @of makes. */
function made(of, name, change) {
	const make = of[name].bind(of);

	of[name] = async (...given) => {
		const one = await make(...given);

		change(one);
		return one;
	};
}

/** What a page waits for, it waits for so long at most; then it says what that was. */
function patient(page) {
	page.setDefaultTimeout(PATIENCE_MS);
	const [evaluate, wait] = [page.evaluate, page.waitForFunction].map((method) => method.bind(page));

	page.evaluate = (body, given) => within(evaluate(body, given), body, given);
	page.waitForFunction = (body, given) => within(wait(body, given, { timeout: 0 }), body, given);
}

async function within(promise, body, given) {
	/* Made here, it tells who waits. */
	const error = new Error(`waited ${PATIENCE_MS / 1000} s in vain for ${body}${given === undefined ? "" : `, of ${JSON.stringify(given)}`}`);
	let timer;
	const late = new Promise((_, fail) => {
		timer = setTimeout(() => fail(error), PATIENCE_MS);
	});

	try {
		return await Promise.race([promise, late]);
	} finally {
		clearTimeout(timer);
	}
}

/** A list of what goes wrong in @page from now on: it prints an error or a warning, throws, opens a dialog, asks for what it may not. */
export function mistakes(page, mayAsk) {
	const wrong = [];

	page.on("console", (message) => {
		if (["error", "warning"].includes(message.type()))
			wrong.push(`console: ${message.text()}`);
	});
	page.on("pageerror", (error) => wrong.push(`thrown: ${error.message}`));
	page.on("dialog", (dialog) => {
		wrong.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on("request", (request) => {
		if (!mayAsk(request))
			wrong.push(`request: ${request.url()}`);
	});
	return wrong;
}

/** Opens a file and gives @use the page. Fails when something went wrong in it, or it asked for anything but itself. */
export async function visit(browser, file, use, { scheme = "light", hash = "", size = SIZE, density = 1 } = {}) {
	const context = await browser.newContext({ viewport: size, deviceScaleFactor: density, colorScheme: scheme, offline: true });
	const page = await context.newPage();
	const wrong = mistakes(page, (request) =>
		/^data:/.test(request.url()) || /^file:/.test(request.url()) && request.resourceType() === "document");

	try {
		await page.goto(pathToFileURL(file).href + hash);
		await page.waitForFunction(() => window.coroprof);
		await settle(page);
		await use(page);
		assert.deepEqual(wrong, []);
	} finally {
		await context.close();
	}
}

/*
 * What something took is told in processor time, which does not depend on what
 * else the machine has to do.
 */
async function metrics(page, act = async () => {}) {
	const session = await page.context().newCDPSession(page);

	await session.send("Performance.enable");
	await act();
	const { metrics: found } = await session.send("Performance.getMetrics");

	await session.detach();
	return Object.fromEntries(found.map(({ name, value }) => [name, value * 1000]));
}

/** Milliseconds that the page has taken until now. */
export async function taken(page) {
	return (await metrics(page)).ProcessTime;
}

/** Milliseconds that the page takes for @act, an async function. */
export async function takes(page, act) {
	return (await metrics(page, act)).ThreadTime;
}

/** Waits until the page has drawn what it was asked to. */
export async function settle(page) {
	await page.evaluate(() => new Promise((done) =>
		requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
}

/** Text of a column in the rows in view, from the top; names in full. */
export async function column(page, key) {
	return page.locator(`.grid-body [data-column="${key}"]`).evaluateAll((cells) => cells.map((cell) =>
		cell.getAttribute("aria-label") ?? cell.innerText));
}

export async function cell(page, at, key) {
	return page.locator(`.grid-row[data-at="${at}"] [data-column="${key}"]`).innerText();
}

/** Clicks a radio button by its text, in @view (table or timeline). */
export async function choose(page, view, text) {
	await page.locator(`.${view}-view .choice label`, { hasText: text }).click();
	await settle(page);
}

/** Shows the facts that the line of the head has no room for, if there are any. */
export async function showFacts(page) {
	if (await page.locator(".rest").isVisible() && !await page.locator("#rest").isVisible())
		await page.locator(".rest").click();
}

export async function state(page) {
	return page.evaluate(() => ({ ...window.coroprof.store.state }));
}

/** What the lanes say of the last time they were drawn. */
export async function drawing(page) {
	const { drawn, lanes, pitch } = await page.locator("canvas.lanes").evaluate((canvas) => ({ ...canvas.dataset }));

	return { drawn: Number(drawn), lanes: Number(lanes), pitch: Number(pitch) };
}

/** How many different colours a canvas shows. */
export async function colours(page, selector) {
	return page.locator(selector).evaluate((canvas) => {
		const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
		const found = new Set();

		for (const pixel of new Uint32Array(data.buffer))
			found.add(pixel);
		return found.size;
	});
}
