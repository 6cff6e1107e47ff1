// SPDX-License-Identifier: GPL-2.0
/* The header: what it must never leave out. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cell, settle, visit } from "./browser.mjs";
import { fixture, page as pageOf } from "./fixture.mjs";
import { addSamples, addSpans } from "./fixture-calls.mjs";
import { test } from "./tap.mjs";

const LABELS = ["one", "two"];

function changed(change, more = {}) {
	const data = fixture({ labels: LABELS, coroutines: 10, slices: 40, simulated: null, ...more });

	change(data);
	return data;
}

/** Names of the facts that are in the open, or are where there is no room, and of those behind the mark. */
const facts = (page) => page.evaluate(() => [":is(.items, #rest)", "#held"].map((list) =>
	[...document.querySelectorAll(`${list} > li > .item-name`)].map(({ innerText, textContent }) => innerText || textContent)));

/* What does not hold, and the fact that is in the open then, with the words of the mark. */
const FLAWS = [
	["a slice is lost", ({ recording }) => { recording.lost = 1; }, ["lost"], "sums hold"],
	["the file is torn", ({ recording }) => { recording.torn = "segment 9"; recording.torn_offset = 4096; }, ["lost"], "sums hold"],
	["a byte was not read", ({ recording }) => { recording.unread_bytes = 1; }, ["lost"], "sums hold"],
	["a record is damaged", ({ recording }) => { recording.damage = [{ text: "3 bytes" }]; recording.damage_total = 1; }, ["lost"], "sums hold"],
	["the recording was cut", ({ recording }) => { recording.ended = false; }, ["lost"], "sums hold"],
	["sums of a thread are broken", ({ recording, threads }) => {
		recording.failed_checks = 1;
		threads.check = threads.comm.map((_, at) => at ? 1 : 2);
	}, ["sums"], "nothing lost"],
	["a thread was not checked", ({ threads }) => { threads.check = threads.comm.map((_, at) => at ? 1 : 0); }, ["sums"], "nothing lost"],
	["a counter failed in a thread", ({ counters }) => { counters[0].failed = 1; }, ["cycles"], "sums hold, nothing lost"],
	["the PMU is simulated", ({ recording }) => { recording.simulated = "simpmu"; }, ["cycles", "instructions"], "sums hold, nothing lost"],
	["a sample is lost", (data) => addSamples(data, { lost: 1 }), ["samples"], "sums hold, no slice lost"],
	["the kernel stopped sampling for a while", (data) => addSamples(data, { throttled: 1 }), ["samples"], "sums hold, no slice lost"],
	["a span is lost", (data) => Object.assign(addSpans(data).spans, { lost: 1 }), ["spans"], "sums hold, no slice lost"],
	["there was no room for a span", (data) => Object.assign(addSpans(data).spans, { dropped: 1 }), ["spans"], "sums hold, no slice lost"],
];

async function markTests(show) {
	await test("head: what holds is behind one mark, which keys open and close, and is printed", () => show("mark", () => {}, async (page) => {
		const [mark, list] = [page.locator(".top .holds"), page.locator("#held")];
		const open = ["cache-misses", "overhead", "switches", "branch-misses", "stalled-cycles-backend"];

		assert.deepEqual(await facts(page), [open, ["cycles", "instructions", "lost", "sums", "file"]]);
		assert.equal(await mark.innerText(), "✓ sums hold, nothing lost");
		assert.deepEqual([await list.isVisible(), await mark.getAttribute("aria-expanded")], [false, "false"]);
		await mark.focus();
		await page.keyboard.press("Enter");
		assert.deepEqual([await list.isVisible(), await mark.getAttribute("aria-expanded")], [true, "true"]);
		assert.match(await list.innerText(), /cycles\s+[\d.]+\s?\w\s+counted[\s\S]*lost\s+0 slices[\s\S]*sums\s+4 of 4\s+hold/);
		await page.keyboard.press("Tab");
		assert.match(await page.locator(".tip").innerText(), /cycles[\s\S]*Counted for all of the time: exact/);
		await page.keyboard.press("Escape");
		assert.deepEqual([await list.isVisible(), await mark.getAttribute("aria-expanded")], [false, "false"]);
		assert.ok(await mark.evaluate((button) => document.activeElement === button), "the mark has the focus again");
		await mark.click();
		assert.ok(await list.isVisible());
		await page.locator(".top h1").click();
		assert.ok(!await list.isVisible(), "a click elsewhere closes it");
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		assert.ok(await list.isVisible(), "paper has it");
		await page.evaluate(() => dispatchEvent(new Event("afterprint")));
	}));

	for (const [why, change, names, word] of FLAWS)
		await test(`head: where ${why}, that is in the open`, () => show("flaw", change, async (page) => {
			const [open, held] = await facts(page);

			for (const name of names)
				assert.ok(open.includes(name) && !held.includes(name), `${name}: ${open.join()} in the open, ${held.join()} behind the mark`);
			assert.equal(await page.locator(".top .holds").innerText(), `✓ ${word}`);
		}));

	await test("head: whole numbers have separators", () => show("many", () => {}, async (page) => {
		await page.locator(".top .holds").click();
		assert.match(await page.locator("#held").innerText(), /sums\s+1,200 of 1,200/);
	}, { threads: 1200 }));

	await test("head: where nothing holds there is no mark", () => show("nothing", ({ recording, threads, counters }) => {
		Object.assign(recording, { lost: 1, ended: false });
		threads.check = threads.comm.map(() => 0);
		counters.forEach((counter) => { counter.failed = 1; });
	}, async (page) => {
		assert.equal(await page.locator(".top .holds, #held").count(), 0);
	}));

	await lineTests(show);
}

const LONG = "python3 -m server --with " + "/many/options,".repeat(30);
/** All that can be wrong of one recording, beside a command, and a machine, that have no end. */
function worst(data) {
	const { recording, threads, counters } = data;

	addSpans(addSamples(data, { lost: 100, throttled: 1 }));
	Object.assign(data.spans, { lost: 100, dropped: 1 });
	Object.assign(recording, { lost: 17, failed_checks: 1, host: "host-".repeat(40), command: LONG });
	threads.check = threads.comm.map((_, at) => at ? 1 : 2);
	counters[0].failed = 1;
}

/** Program, duration, machine and facts: [width, height, lines]. */
const LINES = [[1400, 900, 1], [1000, 700, 1], [961, 700, 1], [960, 700, 2], [800, 600, 2], [480, 600, 2]];
const LINE = 21;

async function lineTests(show) {
	for (const [name, change] of [["a sound recording", () => {}], ["one with all that can be wrong", worst]])
		await test(`head: of ${name} it is one line, or two in a narrow window, and all of it can be read`, () => show("line", change, async (page) => {
			for (const [width, height, lines] of LINES) {
				await page.setViewportSize({ width, height });
				await settle(page);
				const found = await page.evaluate(() => {
					const boxOf = (element) => element.getBoundingClientRect();
					const line = boxOf(document.querySelector(".what"));
					const parts = [...document.querySelectorAll(".brand, .top h1, .length, .holds, .items > li, .rest, .place")].filter((part) => part.checkVisibility());
					const cut = (part) => part.scrollWidth > part.clientWidth + 1;

					return {
						height: line.height, wide: document.documentElement.scrollWidth,
						out: parts.filter((part) => boxOf(part).top < line.top - 1 || boxOf(part).bottom > line.bottom + 1 || boxOf(part).right > line.right + 1).map(({ className, innerText }) => className + innerText),
						over: parts.flatMap((part, at) => parts.slice(at + 1).filter((other) => boxOf(part).right > boxOf(other).left + 4 && boxOf(other).right > boxOf(part).left + 4 &&
							boxOf(part).bottom > boxOf(other).top + 4 && boxOf(other).bottom > boxOf(part).top + 4).map((other) => `${part.innerText} and ${other.innerText}`)),
						silent: parts.filter((part) => cut(part) && !part.title.includes(part.innerText.split("\n")[0].slice(0, 6))).map(({ innerText }) => innerText),
						facts: document.querySelectorAll(":is(.items, #rest) > li").length, open: document.querySelectorAll(".items > li").length,
						command: boxOf(document.querySelector(".top h1")).width, whole: boxOf(document.querySelector(".top h1 bdi")).width,
						more: document.querySelector(".rest").innerText, place: document.querySelector(".place").getBoundingClientRect().width,
					};
				});
				const where = `${width}: ${JSON.stringify(found)}`;

				assert.ok(found.height <= lines * LINE + 2 * (lines - 1) && found.wide <= width, where);
				assert.deepEqual([found.out, found.over, found.silent], [[], [], []], where);
				assert.ok(lines > 1 || found.command >= found.whole || found.command >= 0.24 * width, where);
				assert.ok(found.place > 80 && found.facts >= 5, where);
				assert.equal(found.more, found.facts > found.open ? `+${found.facts - found.open} more` : "", where);
			}
			assert.equal(await page.locator(".top h1").getAttribute("title"), await page.locator(".top h1").textContent());
		}));

	await test("head: what makes figures wrong comes first, and a button that has more of it has its colour", () => show("first", worst, async (page) => {
		const names = (list) => page.locator(`${list} > li .item-name`).evaluateAll((all) => all.map(({ textContent }) => textContent));

		await page.setViewportSize({ width: 1400, height: 900 });
		await settle(page);
		assert.deepEqual((await names(".items")).slice(0, 2), ["lost", "samples"]);
		assert.ok((await names("#rest")).includes("overhead"));
		await page.setViewportSize({ width: 1000, height: 900 });
		await settle(page);
		assert.equal(await page.locator(".rest").evaluate(({ classList }) => classList.contains("bad")), true);
		await page.locator(".rest").click();
		assert.match(await page.locator("#rest").innerText(), /sums\s+1 of 4\s+broken[\s\S]*overhead/);
		const list = await page.locator("#rest").boundingBox();

		assert.ok(list.x >= 0 && list.x + list.width <= 1000, JSON.stringify(list));
		await page.keyboard.press("Escape");
		assert.ok(!await page.locator("#rest").isVisible());
	}));
}

export async function headerTests(browser, template, out) {
	const show = async (name, change, use, more = {}) => {
		const file = join(out, `header-${name}.html`);

		writeFileSync(file, pageOf(template, changed(change, more)));
		await visit(browser, file, use);
	};
	const top = (page) => page.locator(".top").innerText();

	await test("header: command, place and standing of each counter", () => show("plain", () => {}, async (page) => {
		const text = await top(page);

		for (const part of ["./server --threads 4", "bench-7", "6.12.48-amd64", "x86_64", "4 CPUs"])
			assert.ok(text.includes(part), `${part} in ${text}`);
		assert.deepEqual(await page.locator(":is(.items, #rest) > li > .badge").allInnerTexts(), ["scaled", "not scheduled", "unsupported"]);
		assert.deepEqual(await page.locator("#held .badge").allInnerTexts(), ["counted", "counted", "hold"]);
		assert.equal(await page.locator(".notice").count(), 0);
		await page.locator(".rest").click();
		await page.locator("#rest li", { hasText: "stalled" }).hover();
		assert.ok((await page.locator(".tip").innerText()).includes("has no such event (ENOENT)"));
	}));

	await markTests(show);

	await test("header: a simulated PMU is said first", () => show("simulated",
		(data) => { data.recording.simulated = "simpmu"; }, async (page) => {
			assert.match(await page.locator(".notice").first().innerText(),
				/^Counters come from a simulated PMU: test data/);
		}));

	await test("header: a note of the recording is shown as it is", () => show("note",
		(data) => { data.recording.info.push(["note", "before <b>the fix</b>"]); }, async (page) => {
			assert.equal(await page.locator(".notice.remark").innerText(), "Note. before <b>the fix</b>");
		}));

	await test("header: what is not recorded, and why", () => show("missing",
		(data) => { data.recording.missing = "some programs are not recorded: it has Go"; }, async (page) => {
			assert.match(await page.locator(".notice").first().innerText(),
				/^Not all is recorded\.\s+some programs are not recorded: it has Go/);
		}));

	await test("header: what threads without coroutines used", () => show("others",
		({ recording }) => { recording.not_recorded = ">=3 threads without coroutines, 2.10 s of CPU"; }, async (page) => {
			const item = page.locator(".items li", { hasText: "not recorded" });

			await item.focus();
			assert.match(await page.locator(".tip").innerText(), /Not recorded: >=3 threads without coroutines, 2\.10 s of CPU\./);
		}));

	await test("header: lost slices, damage, a torn file and broken sums", () => show("bad", ({ recording, threads }) => {
		recording.lost = 17;
		recording.torn = "segment 9: the checksum does not match";
		recording.torn_offset = 4096;
		recording.unread_bytes = 61440;
		recording.damage = [{ offset: 512, thread: 1, text: "a record of 3 bytes" }];
		recording.damage_total = 1;
		recording.failed_checks = 1;
		threads.check = threads.comm.map((_, at) => at ? 1 : 2);
		threads.check_text[0] = "cycles differ by 12";
	}, async (page) => {
		const notices = (await page.locator(".notice.alert").allInnerTexts()).join("\n");

		for (const part of ["17 slices lost", "the checksum does not match", "61,440 of 65,536 bytes", "a record of 3 bytes", "Sums are broken"])
			assert.ok(notices.includes(part), `${part} in ${notices}`);
		assert.ok((await top(page)).includes("broken"));
	}));

	await test("header: a small loss is told, and is no alarm", () => show("small", ({ recording, total }) => {
		recording.lost = 3;
		total.times.slices = [121000];
	}, async (page) => {
		assert.match(await page.locator(".notice.remark").innerText(), /^3 slices lost/);
		assert.equal(await page.locator(".notice.alert, .items .badge.bad").count(), 0);
		assert.match(await page.locator(".items li", { hasText: "lost" }).innerText(), /3 slices\s+incomplete/);
	}));

	/* Of 121,000 slices in all a thousandth is 121. */
	for (const [lost, tone, badge] of [[120, "remark", "fair"], [121, "alert", "bad"]])
		await test(`header: a loss of ${lost} in 121,000 slices is ${tone === "alert" ? "an alarm: it is a thousandth" : "no alarm: it is less than a thousandth"}`,
			() => show(`border-${lost}`, ({ recording, total }) => {
				recording.lost = lost;
				total.times.slices = [121000 - lost];
			}, async (page) => {
				assert.match(await page.locator(`.notice.${tone}`).innerText(), new RegExp(`^${lost} slices lost`));
				assert.equal(await page.locator(".notice.alert").count(), tone === "alert" ? 1 : 0);
				assert.equal(await page.locator(`.items .badge.${badge}`, { hasText: "incomplete" }).count(), 1);
			}));

	for (const [lost, tone] of [[1, "remark"], [100, "alert"]])
		await test(`header: of 5,000 samples and spans ${lost} of each lost ${tone === "alert" ? "are an alarm" : "are none"}`, async () => {
			const file = join(out, `header-calls-${lost}.html`);
			const data = addSpans(addSamples(fixture({ labels: ["one"] }), { lost }));

			Object.assign(data.samples, { kept: 5000 });
			Object.assign(data.spans, { calls: 5000, lost });
			writeFileSync(file, pageOf(template, data));
			await visit(browser, file, async (page) => {
				const notices = (await page.locator(`.notice.${tone}`).allInnerTexts()).join("\n");

				assert.match(notices, new RegExp(`${lost} samples? lost[\\s\\S]*${lost} spans? lost`));
				assert.equal(await page.locator(".items .badge.bad", { hasText: "incomplete" }).count(), tone === "alert" ? 2 : 0);
			});
		});

	for (const [held, said] of [[[1, 1, 1, 1], "hold"], [[0, 1, 0, 0], "3 not checked"], [[0, 0, 0, 0], "not checked"]])
		await test(`header: sums of which ${held.filter(Boolean).length} of 4 hold: ${said}`, () => show("sums", ({ threads }) => {
			threads.check = threads.comm.map((_, at) => held[at]);
		}, async (page) => {
			const badge = page.locator(":is(.items, .held) .item-name", { hasText: "sums" }).locator("..").locator(".badge");

			assert.equal(await badge.innerText(), said);
			assert.equal(await badge.evaluate((badge) => badge.classList.contains("good")), said === "hold");
		}));

	await test("header: switches that were unreported, and whose", () => show("unreported", ({ recording, labels }) => {
		recording.unreported = 12;
		recording.unreported_ns = 3.2e9;
		labels.unreported = labels.name.map((_, at) => at < 2 ? 6 : 0);
		labels.unreported_ns = labels.name.map((_, at) => at < 2 ? 1e9 + at * 2e8 : 0);
	}, async (page) => {
		const notice = (await page.locator(".notice.alert").innerText()).replace(/\s/gu, " ");

		for (const part of ["Switches were not reported.", "12 slices, running 3.20 s", "(6 slices, running 1.20 s)"])
			assert.ok(notice.includes(part), `${part} in ${notice}`);
	}));

	await test("header: what was not measured is n/a, what did not end says so", () => show("unknown", ({ recording, total, labels }) => {
		recording.overhead_share = null;
		recording.switch_cost = recording.span_cost = [0, 1].map(() => ({ ns: null, instructions: null }));
		recording.ended = false;
		recording.exit_status = -1;
		for (const { times } of [total, labels])
			times.known = 0b000001;
	}, async (page) => {
		const text = await top(page);

		assert.match(text, /overhead\s+n\/a/);
		assert.match(text, /not ended in order/);
		assert.equal(await cell(page, 0, "ready"), "n/a");
		assert.equal(await cell(page, 0, "awaiting"), "n/a");
	}));

	const cut = "of them a thread was not recorded, as its recording began or ended there";
	const missing = "of them slices may be missing: 3 slices found a ring full";

	for (const [nr, said] of [[5, `in 5 ${cut}`], [0, `in 5 ${missing}`], [2, `in 2 ${cut}; in 3 ${missing}`]])
		await test(`details: of five gaps that were not measured ${nr} were cut by the recording`, () => show("unmeasured", ({ labels, processes }) => {
			labels.times.unseen_gaps = labels.name.map(() => 5);
			labels.times.cut_gaps = labels.name.map(() => nr);
			processes[0].lacks = "3 slices found a ring full";
		}, async (page) => {
			await page.evaluate(() => window.coroprof.store.select("label", 0));
			const details = (await page.locator(".details").innerText()).replace(/\s/gu, " ");

			assert.ok(details.includes(`5 gaps between slices not measured: ${said}.`), details);
		}));

	await test("header: time between slices that is known in part is at least", () => show("part", ({ labels }) => {
		labels.times.known = 0b010101;
	}, async (page) => {
		assert.match(await cell(page, 0, "ready"), /^>=\d/);
	}));

	await test("header: suspended time is there where its parts are not known", () => show("untold", ({ total, labels, coroutines }) => {
		for (const { times } of [total, labels, coroutines]) {
			times.awaiting = times.ready = 0;
			times.known = 0b000010;
		}
	}, async (page) => {
		assert.match(await cell(page, 0, "suspended"), /^\d.*s$/);
		assert.equal(await cell(page, 0, "awaiting"), "n/a");
		const shares = await page.locator('.grid-row[data-at="0"] i.suspended').evaluate((part) =>
			part.getBoundingClientRect().width / part.parentElement.getBoundingClientRect().width);
		const { times } = changed(() => {}).labels;
		const [running, preempted, blocked, suspended] = [times.running, times.preempted, times.blocked, times.suspended]
			.map((of) => of[times.running[1] > times.running[0] ? 1 : 0]);

		assert.ok(Math.abs(shares - suspended / (running + preempted + blocked + suspended)) < 0.02, `${shares}`);
	}));

	await test("header: threads outside coroutines are not suspended", () => show("threads", ({ labels, coroutines }) => {
		labels.kind = 3;
		coroutines.flags = 7;
	}, async (page) => {
		for (const by of ["label", "coroutine"]) {
			await page.evaluate((by) => window.coroprof.store.set({ by }), by);
			for (const key of ["suspended", "awaiting", "ready"])
				assert.equal(await cell(page, 0, key), "-");
		}
		await page.evaluate(() => window.coroprof.store.select("label", 0));
		assert.ok(!(await page.locator(".details").innerText()).includes("suspended"));
	}));

	await test("header: what only developers ask for is folded", () => show("about", ({ recording }) => {
		recording.info = [["host", "(none)"], ["pmu", "cpu,software"], ["switch_ns", "132.5"]];
		recording.host = null;
	}, async (page) => {
		const about = page.locator(".about");

		assert.ok((await about.innerText()).includes("cpu, software"));
		assert.ok(!(await about.innerText()).includes("(none)"));
		assert.ok(!(await about.innerText()).includes("switch_ns"));
		await about.locator("summary").click();
		assert.ok((await about.innerText()).includes("132.5"));
	}));

	await test("header: an empty recording opens", async () => {
		const file = join(out, "header-empty.html");

		writeFileSync(file, pageOf(template, fixture({ labels: [], threads: 0, coroutines: 0, slices: 0 })));
		await visit(browser, file, async (page) => {
			assert.ok(await page.locator(".grid-empty").isVisible());
		});
	});

	await test("header: data of another version is refused in words", async () => {
		const file = join(out, "header-version.html");

		writeFileSync(file, pageOf(template, changed((data) => { data.version = 99; })));
		const page = await browser.newPage();

		await page.goto(`file://${file}`);
		assert.match(await page.locator(".notice").innerText(), /version 99/);
		await page.close();
	});
}
