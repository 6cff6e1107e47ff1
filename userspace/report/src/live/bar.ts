// SPDX-License-Identifier: GPL-2.0
/* Which window is shown. */

import { h, replace } from "../dom";
import { Frames } from "./frames";

/** What the server says at each tick. Ticks are about a second, and are numbered. */
interface Tick {
	oldest: number;
	newest: number;
	squeezed: boolean;
	ended: boolean;
}

const SECOND = 1e9;
/** How long a window may be, in nanoseconds; all: as long as what is kept. */
const LENGTHS: [string, string][] = [["1 s", String(SECOND)], ["10 s", String(10 * SECOND)], ["60 s", String(60 * SECOND)], ["all", "all"]];
/** A notice is shown for so long. */
const NOTICE_MS = 5000;
const AGAIN_MS = 1000;
const UNREACHABLE = "coroprof does not answer: it has ended, or the way there is interrupted.";

export class Bar {
	private tick: Tick | null = null;
	private source: EventSource | null = null;
	/** The tick behind the window; null: the newest. */
	private paused: number | null = null;
	/** The tick behind another window. */
	private mark: number | null = null;
	private compared = false;
	/** What is shown, or about to be. */
	private url = "";
	/** A window is loaded that only a tick wants, and a newer one is wanted then. */
	private following = false;
	private behind = false;
	private failed = false;
	private notice = { text: "", bad: false, until: 0 };

	private state = h("button", { class: "state", attrs: { type: "button" }, on: { click: () => this.pause(this.paused === null) } });
	private back = this.button("◀", "A second back", () => this.step(-1));
	private on = this.button("▶", "A second on", () => this.step(1));
	private length = h("select", { attrs: { "aria-label": "Length of the window" }, on: { change: () => this.update(true) } },
		...LENGTHS.map(([name, ns]) => h("option", { attrs: { value: ns, selected: name === "10 s" } }, name)));
	private marks = this.button("Mark", "Remember this window, to compare another one with it", () => this.setMark());
	private compares = this.button("Compare", "What differs from the marked window", () => this.compare());
	private saves = this.button("Save", "Write a recording of this window, where coroprof runs", () => this.save());
	private said = h("span", { class: "said", attrs: { role: "status" } });

	constructor(element: HTMLElement, private frames: Frames) {
		replace(element, this.state, this.back, this.on, this.length, this.marks, this.compares, this.saves, this.said);
		this.draw();
	}

	private button(text: string, title: string, click: () => void): HTMLButtonElement {
		return h("button", { title, attrs: { type: "button" }, on: { click } }, text);
	}

	/** Nothing will be shown any more. */
	fail(text: string): void {
		this.failed = true;
		this.say(text, true);
	}

	/** While the page is seen: nothing is made for one that is not. */
	listen(): void {
		const follow = () => {
			if (document.hidden) {
				this.source?.close();
				this.source = null;
			} else if (!this.source && !this.failed) {
				this.connect();
			}
		};

		document.addEventListener("visibilitychange", follow);
		follow();
	}

	private connect(): void {
		const source = new EventSource("/ticks");

		this.source = source;
		source.addEventListener("message", ({ data }) => this.hear(JSON.parse(data) as Tick));
		source.addEventListener("error", () => {
			if (source.readyState === EventSource.CLOSED)
				this.ask();
			else
				this.tell(UNREACHABLE, true);
		});
	}

	/** Why there are no ticks: events do not say it. By now there may be some again. */
	private async ask(): Promise<void> {
		const asked = new AbortController();

		try {
			const response = await fetch("/ticks", { signal: asked.signal });

			if (response.status === 503)
				this.tell((await response.text()).trim(), true);
			else if (!response.ok)
				this.fail((await response.text()).trim());
			asked.abort();
		} catch {
			this.tell(UNREACHABLE, true);
		}
		if (!this.failed)
			this.connectLater();
	}

	private connectLater(): void {
		setTimeout(() => {
			this.source = null;
			if (!document.hidden)
				this.connect();
		}, AGAIN_MS);
	}

	private hear(tick: Tick): void {
		this.tick = tick;
		/* What is looked at closely stays. */
		if (this.paused === null && this.frames.hasTime())
			this.paused = this.frames.end;
		if (this.mark !== null && !this.isKept(this.mark)) {
			this.mark = null;
			this.compared = false;
			this.tell("The marked window is kept no more.", false);
		}
		this.update(false);
	}

	private isKept(end: number): boolean {
		const { value } = this.length;

		return value === "all" ? end > this.tick!.oldest : end - Number(value) / SECOND >= this.tick!.oldest;
	}

	private end(): number {
		const { oldest, newest } = this.tick!;

		return Math.max(oldest + 1, Math.min(newest, this.paused ?? newest));
	}

	private pause(on: boolean): void {
		if (!this.tick)
			return;
		this.paused = on ? this.frames.end || this.end() : null;
		this.compared &&= on;
		this.update(true);
	}

	private step(by: number): void {
		if (!this.tick)
			return;
		this.paused = (this.paused ?? (this.frames.end || this.end())) + by;
		this.paused = this.end();
		this.update(true);
	}

	private setMark(): void {
		this.mark = this.frames.end || null;
		this.draw();
	}

	private compare(): void {
		if (!this.tick || this.mark === null)
			return;
		this.compared = !this.compared;
		this.paused = this.frames.end || this.end();
		this.update(true);
	}

	private async save(): Promise<void> {
		try {
			const response = await fetch(`/dump?ns=${this.length.value}&end=${this.frames.end}`, { method: "POST" });

			this.tell((await response.text()).trim(), !response.ok);
		} catch {
			this.tell("coroprof does not answer.", true);
		}
	}

	/** @asked: by somebody. A tick alone does not interrupt what loads. */
	private async update(asked: boolean): Promise<void> {
		if (!this.tick || this.failed)
			return;
		const end = this.end();
		const against = this.compared && this.mark !== null ? `&against=${this.mark}` : "";
		const url = `/window?ns=${this.length.value}&end=${end}${against}`;

		this.draw();
		if (url === this.url)
			return;
		if (this.following && !asked) {
			this.behind = true;
			return;
		}
		this.url = url;
		this.following = !asked;
		this.behind = false;
		const outcome = await this.frames.show(url, end, asked);

		/* Another one was begun, and sees to what follows. */
		if (this.url !== url)
			return;
		this.following = false;
		if (outcome !== "shown")
			this.url = "";
		if (typeof outcome === "object")
			this.tell(outcome.why, true);
		this.draw();
		if (this.behind && outcome === "shown")
			this.update(false);
	}

	private tell(text: string, bad: boolean): void {
		this.notice = { text, bad, until: performance.now() + NOTICE_MS };
		this.draw();
	}

	private say(text: string, bad = false): void {
		this.said.classList.toggle("bad", bad);
		this.said.textContent = text;
	}

	/** What is said is of the window that is shown, whatever loads. */
	private draw(): void {
		const { tick, paused, frames } = this;
		const ago = tick && frames.end ? tick.newest - frames.end : 0;

		this.state.textContent = paused === null ? "Live" : "Paused";
		this.state.title = paused === null ? "Keep this window" : "Follow what goes on";
		this.state.classList.toggle("paused", paused !== null);
		this.back.disabled = !tick || this.end() <= tick.oldest + 1;
		this.on.disabled = !tick || this.end() >= tick.newest;
		this.marks.setAttribute("aria-pressed", String(this.mark !== null && this.mark === frames.end));
		this.compares.disabled = this.mark === null;
		this.compares.setAttribute("aria-pressed", String(this.compared));
		for (const button of [this.state, this.marks, this.saves])
			button.disabled = !tick || !frames.end;
		if (this.failed)
			return;
		if (performance.now() < this.notice.until)
			this.say(this.notice.text, this.notice.bad);
		else if (tick)
			this.say([
				ago ? `ends ${ago} s ago` : "ends now",
				`${tick.newest - tick.oldest} s are kept${tick.squeezed ? ", as there is no room for more" : ""}`,
				this.mark !== null ? `marked: ${tick.newest - this.mark} s ago` : "",
				tick.ended ? "nothing more is recorded" : "",
			].filter(Boolean).join(" · "));
	}
}
