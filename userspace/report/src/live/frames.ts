// SPDX-License-Identifier: GPL-2.0
/* The frame that is looked at, and the one that is to take its place. */

/** What a page of a recording offers to its console, and to this: see ../main.ts. */
interface Page extends Window {
	coroprof?: {
		profile: { since: number; until: number };
		store: { state: { from: number; to: number }; address(): string };
	};
}

/** A page that is never done with loading is given up. */
const LOAD_MS = 20000;
/** For so long a tooltip keeps the page that it is of. */
const TIP_MS = 5000;
const LOOK_MS = 100;
/** Frames are drawn more often, unless nobody sees them. */
const FRAME_MS = 200;

/** Of the address: what is of this window, and of no other. */
const OF_WINDOW = ["time", "other", "at", "listed"];

/** What became of a window: it is shown; another was asked for meanwhile, or the one before is to stay; or a reason in words. */
export type Outcome = "shown" | "left" | { why: string };

function frame(): Promise<void> {
	return new Promise((done) => {
		requestAnimationFrame(() => done());
		setTimeout(done, FRAME_MS);
	});
}

function sleep(ms: number): Promise<void> {
	return new Promise((done) => setTimeout(done, ms));
}

/** Where an element is in its document, by which of its parent's children each is. */
function pathOf(element: Element): number[] {
	const path = [];

	for (let at = element; at.parentElement; at = at.parentElement)
		path.unshift([...at.parentElement.children].indexOf(at));
	return path;
}

function elementAt(path: number[], page: Document): Element | undefined {
	return path.reduce<Element | undefined>((at, child) => at?.children[child], page.documentElement);
}

function withoutTimes(address: string): string {
	const parts = new URLSearchParams(address);

	for (const key of OF_WINDOW)
		parts.delete(key);
	return parts.toString();
}

export class Frames {
	private shown: HTMLIFrameElement | null = null;
	/** What the shown page was given as its choices, and what it made of that. */
	private given = "";
	private made = "";
	private pressed = false;
	/** Since when there is a tooltip; 0: there is none. */
	private tipSince = 0;
	private loading = 0;
	/** The tick behind the window that is shown; 0: none is. */
	end = 0;

	constructor(private element: HTMLElement) {}

	private page(): Page | null {
		return this.shown?.contentWindow as Page | null;
	}

	/** What is chosen in the page, for the next one: what that window does not have is not forgotten. */
	private chosen(): string {
		const address = this.page()?.coroprof?.store.address();

		return address === undefined || address === this.made ? this.given : withoutTimes(address);
	}

	/** A part of its time is looked at: another window would not have it. */
	hasTime(): boolean {
		const opened = this.page()?.coroprof;

		return !!opened && (opened.store.state.from > opened.profile.since || opened.store.state.to < opened.profile.until);
	}

	/** @asked: by somebody, who does not want to wait until nothing is held any more. */
	async show(url: string, end: number, asked: boolean): Promise<Outcome> {
		const number = ++this.loading;
		const next = document.createElement("iframe");
		const given = this.chosen();

		next.className = "next";
		next.title = "The window";
		next.src = `${url}#${given}`;
		for (const left of this.element.querySelectorAll("iframe.next"))
			left.remove();
		this.element.append(next);
		const why = await this.loaded(next, number);

		if (why !== null)
			next.remove();
		if (number !== this.loading)
			return "left";
		if (why !== null)
			return { why };
		if (!asked)
			await this.isFree(number);
		if (number !== this.loading)
			return "left";
		if (!asked && this.hasTime()) {
			next.remove();
			return "left";
		}
		return await this.swap(next, given, number, end) ? "shown" : "left";
	}

	/** Null once it is; or why it will not be. */
	private async loaded(next: HTMLIFrameElement, number: number): Promise<string | null> {
		for (const until = performance.now() + LOAD_MS; performance.now() < until; await sleep(LOOK_MS / 4)) {
			if (number !== this.loading)
				return "";
			try {
				const page = next.contentWindow as Page;
				const { document: { contentType, readyState, body } } = page;

				if (page.coroprof || body?.querySelector(".alert"))
					return null;
				if (readyState === "complete" && contentType === "text/plain")
					return body.innerText.trim();
			} catch {
				/* The browser's own page, which says that there is no answer. */
				return "coroprof does not answer.";
			}
		}
		return "This window takes too long to load.";
	}

	/** Nothing is held, open, or pointed at in the page that goes. */
	private async isFree(number: number): Promise<void> {
		while (number === this.loading) {
			const page = this.page()?.document;
			const open = page?.querySelector("dialog[open], details[open] .columns-menu, .shade [aria-expanded='true']");

			this.tipSince = page?.querySelector("#tip:not([hidden])") ? this.tipSince || performance.now() : 0;
			if (!this.pressed && !open && !(this.tipSince && performance.now() < this.tipSince + TIP_MS))
				return;
			await sleep(LOOK_MS);
		}
	}

	/** False: another one was asked for meanwhile. */
	private async swap(next: HTMLIFrameElement, given: string, number: number, end: number): Promise<boolean> {
		const page = next.contentWindow as Page;
		const chosen = this.chosen();
		const address = () => page.coroprof?.store.address() ?? "";

		if (chosen !== given)
			page.location.hash = chosen;
		await frame();
		const made = address();

		this.carry(page.document);
		await frame();
		if (number !== this.loading)
			return false;
		next.className = "";
		this.shown?.remove();
		this.element.querySelector(".wait")?.remove();
		[this.shown, this.given, this.made, this.end] = [next, chosen, made, end];
		this.watch(page);
		return true;
	}

	/** What is unfolded, how far things are scrolled, and what has the focus. */
	private carry(to: Document): void {
		const from = this.page()?.document;

		if (!from)
			return;
		for (const details of from.querySelectorAll("details[open]")) {
			const other = elementAt(pathOf(details), to);

			if (!details.querySelector(".columns-menu") && other?.matches("details"))
				other.toggleAttribute("open", true);
		}
		for (const element of from.querySelectorAll("*"))
			if (element.scrollTop || element.scrollLeft)
				elementAt(pathOf(element), to)?.scrollTo({ top: element.scrollTop, left: element.scrollLeft, behavior: "instant" });
		this.carryFocus(from, to);
	}

	private carryFocus(from: Document, to: Document): void {
		const active = from.hasFocus() && from.activeElement ? elementAt(pathOf(from.activeElement), to) as HTMLElement | undefined : undefined;
		const { selectionStart, selectionEnd } = (from.activeElement ?? {}) as HTMLInputElement;

		if (!active?.focus)
			return;
		to.defaultView!.focus();
		active.focus({ preventScroll: true });
		/* Only fields of text have one. */
		if (typeof selectionStart === "number" && active.matches("input"))
			(active as HTMLInputElement).setSelectionRange(selectionStart, selectionEnd);
	}

	/** A press may end where the page does not hear of it. */
	private watch(page: Page): void {
		this.pressed = false;
		this.tipSince = 0;
		page.addEventListener("pointerdown", () => { this.pressed = true; }, true);
		page.addEventListener("pointermove", ({ buttons }) => { this.pressed &&= buttons !== 0; }, true);
		for (const end of ["pointerup", "pointercancel", "contextmenu", "blur"])
			page.addEventListener(end, () => { this.pressed = false; }, true);
	}
}
