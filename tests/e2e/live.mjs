// SPDX-License-Identifier: GPL-2.0
/* The page of coroprof serve, over a recording that is played second by second: see live-play.c. And who gets it. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { PATIENCE_MS, column, mistakes } from "./browser.mjs";
import { test } from "./tap.mjs";

const SECOND = 1000000000;

function sleep(ms) {
	return new Promise((done) => setTimeout(done, ms));
}

async function until(is, what) {
	for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(20)) {
		const found = await is();

		if (found)
			return found;
	}
	throw new Error(`waited ${PATIENCE_MS / 1000} s in vain until ${what}`);
}

/** What is played, and where it is served. */
class Play {
	constructor(program, folder, address = "127.0.0.1:0") {
		mkdirSync(folder, { recursive: true });
		this.said = "";
		this.process = spawn(program, [address], { cwd: folder, stdio: ["pipe", "ignore", "pipe"] });
		this.process.stderr.on("data", (data) => { this.said += data; });
		this.ended = new Promise((done) => this.process.on("exit", (code, signal) => done(code ?? signal)));
	}

	async begin(seconds) {
		this.tick(seconds);
		this.url = new URL(await until(() => this.said.match(/http:\S+/)?.[0], "it says where it is served"));
		this.token = this.url.hash.replace("#token=", "");
		return this;
	}

	tick(seconds) {
		this.process.stdin.write(`tick ${seconds}\n`);
	}

	end() {
		this.process.stdin.end();
		return this.ended;
	}

	/** The cookie's value for this page. */
	async logIn() {
		const response = await fetch(new URL("/login", this.url), { method: "POST", body: this.token });

		return response.headers.get("set-cookie").split(";")[0];
	}

	/** The answer to a request that is written by hand, whole, or as much as has come when @ms are over. */
	raw(text, { ms = PATIENCE_MS } = {}) {
		return new Promise((done) => {
			const socket = connect(Number(this.url.port), "127.0.0.1");
			let answer = "";
			const finish = () => {
				socket.destroy();
				done(answer);
			};

			socket.setTimeout(ms, finish);
			socket.on("data", (data) => { answer += data.toString("latin1"); });
			socket.on("error", finish);
			socket.on("close", finish);
			socket.write(text);
		});
	}

	get(path, headers = {}) {
		const all = { Host: this.url.host, Connection: "close", ...headers };

		return this.raw(`GET ${path} HTTP/1.1\r\n${Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
	}
}

function statusOf(answer) {
	return Number(answer.match(/^HTTP\/1\.1 (\d+)/)?.[1]);
}

/** What is known of seconds @from to @to, without the last. */
function truth(from, to) {
	const seconds = Array.from({ length: to - from }, (_, at) => from + at);
	const odd = seconds.filter((second) => second % 2).length;

	return {
		one: { slices: 10 * seconds.length, ns: seconds.reduce((sum, second) => sum + 10 * (second % 10 + 1) * 1e6, 0) },
		two: { slices: 20 * seconds.length, ns: 100e6 * seconds.length },
		odd: odd ? { slices: odd, ns: odd * 1e6 } : undefined,
	};
}

/** The labels of the window that is shown, by the page's own tables. */
function labelsOf(frame) {
	return frame.evaluate(() => {
		const { labels } = window.coroprof.profile;

		return Object.fromEntries(Array.from(labels.name, (name, row) => [name, { slices: labels.slices[row], ns: labels.running[row], coroutines: labels.coroutines[row] }])
			.filter(([, { coroutines }]) => coroutines).map(([name, { slices, ns }]) => [name, { slices, ns }]));
	});
}

async function assertShows(frame, from, to) {
	const { odd, ...others } = truth(from, to);

	assert.deepEqual(await labelsOf(frame), odd ? { ...others, odd } : others);
}

async function look(browser, play, use) {
	const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
	const page = await context.newPage();
	const wrong = mistakes(page, (request) => request.url().startsWith(play.url.origin) || /^(data|about):/.test(request.url()));

	try {
		await page.goto(play.url.href);
		await use(page, wrong);
		assert.deepEqual(wrong, []);
	} finally {
		await context.close();
	}
}

/** The frame that is looked at, once it ends with that tick. */
async function shown(page, end) {
	return until(async () => {
		await page.waitForFunction((end) => document.querySelector("iframe:not(.next)")?.src.includes(`end=${end}`), end);
		/* Another one may take its place at any moment: then that is waited for. */
		const frame = await (await page.$("iframe:not(.next)"))?.contentFrame();
		const loaded = frame?.waitForFunction(() => window.coroprof).catch((error) => {
			if (!frame.isDetached()) throw error;
		});

		return await loaded && !frame.isDetached() && frame;
	}, `the window that ends with tick ${end} is shown`);
}

/** What is selected stays while windows come and go, and so does how far things are scrolled. */
async function pageTests(browser, start) {
	await test("live: the page shows the last ten seconds, by label exactly what ran in them", async () => {
		const play = await start(12);

		await look(browser, play, async (page) => {
			await assertShows(await shown(page, 12), 2, 12);
			assert.equal(page.url(), `${play.url.origin}/`, "the token is gone from the address");
			play.tick(1);
			await assertShows(await shown(page, 13), 3, 13);
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: what is chosen stays at each tick, even where a window has nothing of it", async () => {
		const play = await start(4);

		await look(browser, play, async (page) => {
			await page.locator("#bar select").selectOption(String(SECOND));
			const frame = await shown(page, 4);

			await assertShows(frame, 3, 4);
			await frame.locator('.grid-row [data-column="name"]', { hasText: "odd" }).click();
			await page.mouse.move(700, 15);
			await frame.waitForFunction(() => location.hash.includes("label=odd"));
			play.tick(1);
			const without = await shown(page, 5);

			assert.ok(!(await column(without, "name")).includes("odd"));
			play.tick(1);
			assert.equal(new URL((await shown(page, 6)).url()).hash, "#label=odd");
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: it pauses, goes back second by second, follows again, and does so when a time is chosen", async () => {
		const play = await start(12);

		await look(browser, play, async (page) => {
			await shown(page, 12);
			await page.locator("#bar .state").click();
			assert.equal(await page.locator("#bar .state").innerText(), "Paused");
			play.tick(2);
			await page.waitForFunction(() => document.querySelector(".said").textContent.includes("ends 2 s ago"));
			await assertShows(await shown(page, 12), 2, 12);
			await page.getByTitle("A second back").click();
			await assertShows(await shown(page, 11), 1, 11);
			await page.locator("#bar select").selectOption("all");
			await page.waitForFunction(() => document.querySelector("iframe:not(.next)").src.includes("ns=all"));
			await assertShows(await shown(page, 11), 0, 11);
			await page.locator("#bar .state").click();
			const frame = await shown(page, 14);

			await frame.evaluate(() => window.coroprof.store.set({ from: 1e9, to: 2e9 }));
			play.tick(1);
			await page.waitForFunction(() => document.querySelector("#bar .state").textContent === "Paused");
			assert.equal(await (await shown(page, 14)).evaluate(() => window.coroprof.store.state.to), 2e9);
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: it can be followed again after a time was chosen, which is dropped", async () => {
		const play = await start(12);

		await look(browser, play, async (page) => {
			const frame = await shown(page, 12);

			await frame.evaluate(() => window.coroprof.store.set({ from: 1e9, to: 2e9 }));
			play.tick(1);
			await page.waitForFunction(() => document.querySelector("#bar .state").textContent === "Paused");
			await page.locator("#bar .state").click();
			const next = await shown(page, 13);

			assert.ok(await next.evaluate(() => window.coroprof.store.state.to === window.coroprof.profile.until));
			play.tick(1);
			await shown(page, 14);
			assert.equal(await page.locator("#bar .state").innerText(), "Live");
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: whatever has the focus, or is unfolded, is so in the next window", async () => {
		const play = await start(3);

		await look(browser, play, async (page) => {
			const focus = ["input[type=radio]", ".grid-row", "input[placeholder=Filter]", "select"];
			let end = 3;

			for (const what of focus) {
				const frame = await shown(page, end);
				const element = frame.locator(`${what}:visible`).first();

				if (!await element.count())
					continue;
				await element.focus();
				play.tick(1);
				const next = await shown(page, ++end);

				assert.ok(await next.evaluate(() => document.activeElement !== document.body), what);
			}
			const frame = await shown(page, end);

			await frame.locator('.grid-row [data-column="name"]', { hasText: "two" }).click();
			await page.mouse.move(700, 15);
			await frame.evaluate(() => [...document.querySelectorAll("details")].find((one) => !one.querySelector(".columns-menu"))?.toggleAttribute("open", true));
			play.tick(1);
			await shown(page, end + 1);
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: a page that is pressed stays until it is let go, and one with a tooltip for a while", async () => {
		const play = await start(3);

		await look(browser, play, async (page) => {
			const frame = await shown(page, 3);
			const cell = frame.locator('.grid-row [data-column="name"]').first();
			const { x, y } = await cell.boundingBox();

			await page.mouse.move(x + 5, y + 5);
			await page.mouse.down();
			play.tick(1);
			await page.waitForFunction(() => document.querySelector("iframe.next")?.contentWindow.coroprof);
			await sleep(500);
			assert.match(await page.evaluate(() => document.querySelector("iframe:not(.next)").src), /end=3/);
			await page.mouse.up();
			await page.mouse.move(700, 15);
			await shown(page, 4);
			const header = await (await shown(page, 4)).locator("[data-tip]:visible").first().boundingBox();

			await page.mouse.move(header.x + 3, header.y + 3);
			/* However many ticks there are meanwhile. */
			for (let second = 5; second < 8; second++) {
				play.tick(1);
				await sleep(1000);
			}
			await shown(page, 7);
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: a tab that nobody sees asks for nothing, and has the newest window when it is seen again", async () => {
		const play = await start(3);

		await look(browser, play, async (page) => {
			let asked = 0;

			await shown(page, 3);
			page.on("request", (request) => { asked += /window|ticks/.test(request.url()); });
			const see = (hidden) => page.evaluate((hidden) => {
				Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
				document.dispatchEvent(new Event("visibilitychange"));
			}, hidden);

			await see(true);
			play.tick(4);
			await sleep(1500);
			assert.equal(asked, 0);
			await see(false);
			await shown(page, 7);
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: pages that are loaded again and again after the end are still served", async () => {
		const play = await start(3);

		await look(browser, play, async (page) => {
			await shown(page, 3);
			play.process.stdin.write("end\n");
			await page.waitForFunction(() => document.querySelector(".said").textContent.includes("nothing more is recorded"));
			/* What had not ended when it did is a tick, too. */
			for (let load = 0; load < 20; load++) {
				await page.reload();
				await shown(page, 4);
			}
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: a mark is forgotten when its window is kept no more, and that is said", async () => {
		const play = await start(1);

		await look(browser, play, async (page) => {
			await page.locator("#bar select").selectOption(String(SECOND));
			await shown(page, 1);
			await page.getByText("Mark", { exact: true }).click();
			play.tick(601);
			await page.waitForFunction(() => document.querySelector(".said").textContent === "The marked window is kept no more.");
			assert.ok(await page.getByText("Compare", { exact: true }).isDisabled());
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: two windows are compared, one of them marked", async () => {
		const play = await start(1);

		await look(browser, play, async (page) => {
			await page.locator("#bar select").selectOption(String(SECOND));
			await shown(page, 1);
			await page.getByText("Mark", { exact: true }).click();
			play.tick(5);
			await shown(page, 6);
			await page.getByText("Compare", { exact: true }).click();
			await page.waitForFunction(() => document.querySelector("iframe:not(.next)").src.includes("against=1"));
			const frame = await shown(page, 6);

			await frame.getByText(/^all figures/).click();
			const row = frame.locator("tr", { hasText: "running/slice" }).filter({ hasText: "one" }).first();

			/* Of second 0 slices of 1 ms, of second 5 of 6. */
			assert.match(await row.innerText(), /one.*1\.00.ms.*6\.00.ms.*\+500/s);
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: a page that is held, or has something open, is not taken away", async () => {
		const play = await start(3);

		await look(browser, play, async (page) => {
			const frame = await shown(page, 3);

			await frame.getByLabel("Help").first().click();
			play.tick(1);
			await page.waitForFunction(() => document.querySelector("iframe.next")?.contentWindow.coroprof);
			await sleep(500);
			assert.ok((await page.$("iframe:not(.next)")) && (await shown(page, 3)));
			await frame.locator("dialog[open]").press("Escape");
			await page.mouse.move(700, 15);
			await shown(page, 4);
		});
		assert.equal(await play.end(), 0);
	});

	await test("live: the end of the recording is said, and the end of coroprof", async () => {
		const play = await start(3);

		await look(browser, play, async (page, wrong) => {
			await shown(page, 3);
			play.process.stdin.write("end\n");
			await page.waitForFunction(() => document.querySelector(".said").textContent.includes("nothing more is recorded"));
			assert.equal(await play.end(), 0);
			await page.waitForFunction(() => document.querySelector(".said.bad")?.textContent.startsWith("coroprof does not answer"));
			/* The browser says it, too. */
			wrong.splice(0, wrong.length, ...wrong.filter((text) => !/net::ERR_/.test(text)));
		});
	});
}

async function saveTests(start, reader) {
	await test("live: a window is saved as a recording of that time", async () => {
		const play = await start(12);
		const cookie = await play.logIn();
		const before = readdirSync(play.folder).length;

		await fetch(new URL(`/dump?ns=${5 * SECOND}&end=10`, play.url), { method: "POST", headers: { cookie } });
		const file = await until(() => readdirSync(play.folder).find((name) => /^live-play-\d+\.cprof$/.test(name)), "it is written");
		const rows = await until(() => {
			try {
				return execFileSync(reader, ["--format", "csv", "--table", "labels", "--columns", "name,coroutines,slices", join(play.folder, file)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
			} catch {
				return null;
			}
		}, "it is whole");
		const { one, two, odd } = truth(5, 10);

		assert.equal(before, 0);
		for (const [name, { slices }] of Object.entries({ one, two, odd }))
			assert.match(rows, new RegExp(`${name},1,.*\\b${slices}\\b`));
		assert.equal(statSync(join(play.folder, file)).mode & 0o777, 0o600);
		assert.equal(await play.end(), 0);
	});
}

/** Whoever has not the token gets nothing, whatever else is asked for, and keeps nobody else from getting it. */
async function attackTests(start) {
	const WINDOW = `/window?ns=${SECOND}&end=3`;

	await test("live: without the cookie nothing is given but the empty page", async () => {
		const play = await start(3);

		for (const path of [WINDOW, "/ticks"])
			assert.equal(statusOf(await play.get(path)), 403, path);
		const [name] = (await play.logIn()).split("=");

		for (const cookie of ["", "coroprof=1", name, `${name}=`, `${name}=${"0".repeat(64)}`, `x=${"0".repeat(64)}; ${name}=${play.token}`])
			assert.equal(statusOf(await play.get(WINDOW, { Cookie: cookie })), 403, cookie);
		assert.equal(statusOf(await play.raw(`POST /dump?ns=1&end=1 HTTP/1.1\r\nHost: ${play.url.host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)), 403);
		assert.equal(statusOf(await play.get(WINDOW, { Cookie: `a=b; ${await play.logIn()}` })), 200);
		assert.equal(await play.end(), 0);
	});

	await test("live: a wrong token is refused, whatever it is", async () => {
		const play = await start(3);

		for (const token of ["", "0".repeat(64), play.token.slice(1), `${play.token}0`, "0".repeat(100000), play.token.replace(/.$/, (last) => last === "0" ? "1" : "0")]) {
			const { status, headers } = await fetch(new URL("/login", play.url), { method: "POST", body: token });

			assert.ok([403, 413].includes(status), `${token.length} characters: ${status}`);
			assert.equal(headers.get("set-cookie"), null);
		}
		assert.equal(await play.end(), 0);
	});

	await test("live: the cookie is kept from scripts and from other sites", async () => {
		const play = await start(3);
		const { headers } = await fetch(new URL("/login", play.url), { method: "POST", body: play.token });

		assert.match(headers.get("set-cookie"), /; HttpOnly; SameSite=Strict$/);
		assert.doesNotMatch(headers.get("set-cookie"), new RegExp(play.token), "it is not the token");
		assert.equal(await play.end(), 0);
	});

	await test("live: another Host, and another Origin, gets nothing, even with the cookie", async () => {
		const play = await start(3);
		const cookie = await play.logIn();
		const { port } = play.url;

		for (const host of ["evil.example", `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, "127.0.0.1", `127.0.0.1:${Number(port) ^ 1}`, `127.0.0.1:${port}.evil`, `localhost.evil:${port}`, ""])
			for (const path of [WINDOW, "/ticks", "/"])
				assert.ok([400, 421].includes(statusOf(await play.get(path, { Host: host, Cookie: cookie }))), `${host} ${path}`);
		for (const origin of ["http://evil.example", "null", "https://127.0.0.1", `https://${play.url.host}`, `http://${play.url.host}.evil`, "http://127.0.0.1", `http://127.0.0.1:${Number(port) ^ 1}`, `http://localhost:${port}`])
			assert.equal(statusOf(await play.get(WINDOW, { Origin: origin, Cookie: cookie })), 403, origin);
		for (const good of [{}, { Host: `localhost:${port}` }, { Host: `localhost:${port}`, Origin: `http://localhost:${port}` }, { Origin: play.url.origin }])
			assert.equal(statusOf(await play.get(WINDOW, { ...good, Cookie: cookie })), 200, JSON.stringify(good));
		assert.equal(await play.end(), 0);
	});

	await test("live: requests that are nonsense are refused in words", async () => {
		const play = await start(3);
		const cookie = await play.logIn();

		for (const query of ["", "?ns=", "?ns=1", "?ns=-1&end=3", "?ns=1&end=99999999999999999999", "?ns=x&end=3", "?end=3", "?ns=1s&end=3", "?ns=1&end=3&against=-1"])
			assert.equal(statusOf(await play.get(`/window${query}`, { Cookie: cookie })), 400, query);
		/* What is kept no more, or not yet, is what there is instead. */
		for (const end of [1, 18446744073709551614n])
			assert.equal(statusOf(await play.get(`/window?ns=1&end=${end}`, { Cookie: cookie })), 200, String(end));
		assert.equal(statusOf(await play.get("/windows", { Cookie: cookie })), 404);
		assert.equal(statusOf(await play.raw(`DELETE /window HTTP/1.1\r\nHost: ${play.url.host}\r\nConnection: close\r\n\r\n`)), 405);
		for (const text of [`GET /${"a".repeat(1 << 20)} HTTP/1.1\r\n\r\n`, `GET / HTTP/1.1\r\nHost: ${play.url.host}\r\nX: ${"a".repeat(1 << 20)}\r\n\r\n`, "\0\x01\x02\r\n\r\n", "GET\r\n\r\n", `POST /login HTTP/1.1\r\nHost: ${play.url.host}\r\nContent-Length: 99999999999999999999\r\n\r\n`])
			assert.ok(!/^HTTP\/1\.1 2/.test(await play.raw(text, { ms: 20000 })), text.slice(0, 20));
		assert.equal(statusOf(await play.get(WINDOW, { Cookie: cookie })), 200, "and it still answers");
		assert.equal(await play.end(), 0);
	});

	await test("live: a thousand connections, and readers that do not read, keep nobody from it for longer than they live", async () => {
		const play = await start(3);
		const cookie = await play.logIn();
		const idle = await Promise.all(Array.from({ length: 1000 }, () => new Promise((done) => {
			const socket = connect(Number(play.url.port), "127.0.0.1", () => done(socket));

			socket.on("error", () => done(socket));
		})));

		/* All of them are held, and each that says nothing is let go after a while. */
		assert.equal(statusOf(await play.get(WINDOW, { Cookie: cookie })), 200, "while they are there");
		for (const socket of idle)
			socket.destroy();
		const slow = Array.from({ length: 40 }, () => {
			const socket = connect(Number(play.url.port), "127.0.0.1");

			socket.on("error", () => {});
			socket.write(`GET /ticks HTTP/1.1\r\nHost: ${play.url.host}\r\nCookie: ${cookie}\r\n\r\n`);
			socket.pause();
			return socket;
		});

		await until(async () => statusOf(await play.get(WINDOW, { Cookie: cookie })) === 200, "it answers");
		for (let tick = 0; tick < 20; tick++) {
			play.tick(1);
			await sleep(50);
		}
		assert.equal(statusOf(await play.get(`/window?ns=${SECOND}&end=23`, { Cookie: cookie })), 200);
		const memory = Number(execFileSync("ps", ["-o", "rss=", "-p", String(play.process.pid)], { encoding: "utf8" }));

		assert.ok(memory < 200000, `${memory} kB`);
		for (const socket of slow)
			socket.destroy();
		assert.equal(await play.end(), 0);
	});

	await test("live: a socket of the file system is this user's alone, and goes with it", async () => {
		const folder = (await start(1)).folder;
		const path = join(folder, "page.sock");
		const play = new Play(start.program, folder, `unix:${path}`);

		await until(() => /ssh -L/.test(play.said), "it says how to look at it");
		assert.equal(statSync(path).mode & 0o777, 0o600);
		assert.ok(statSync(path).isSocket());
		const answer = await new Promise((done, fail) => {
			request({ socketPath: path, path: "/", headers: { Host: "localhost:8080" } }, (response) => {
				response.resume();
				response.on("end", () => done(response.statusCode));
			}).on("error", fail).end();
		});

		assert.equal(answer, 200);
		assert.equal(await play.end(), 0);
		assert.ok(!readdirSync(folder).includes("page.sock"));
	});

	await test("live: addresses that others could reach are refused", async () => {
		for (const address of ["0.0.0.0:0", "8080", "[::]:0", "192.168.0.1:80", "localhost", "127.0.0.1:99999", "127.0.0.1:1x", "unix:", `unix:/${"a".repeat(200)}`]) {
			const play = new Play(start.program, start.folder, address);

			assert.equal(await play.ended, 1, address);
			assert.match(play.said, address.startsWith("unix:") ? /is no address of a socket/ : /is not served: only this machine may look/, address);
		}
	});
}

export async function liveTests(browser, { modules, reader, out }) {
	const program = join(modules, "live-play");
	let number = 0;
	const played = [];
	const start = async (seconds) => {
		const folder = join(out, "live", String(number++));
		const play = new Play(program, folder);

		play.folder = folder;
		played.push(play);
		return play.begin(seconds);
	};

	Object.assign(start, { program, folder: join(out, "live") });
	execFileSync("rm", ["-rf", start.folder]);
	await pageTests(browser, start);
	await saveTests(start, reader);
	await attackTests(start);
	for (const play of played)
		play.process.kill();
}
