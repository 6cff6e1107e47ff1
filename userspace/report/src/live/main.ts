// SPDX-License-Identifier: GPL-2.0
/*
 * The page of what goes on: a bar that chooses a window of what is kept, and in a frame below it the
 * page of that window, which is that of a recording in a file. At each tick the page of the newest window
 * is loaded behind the one that is looked at, is given what was chosen in that, and takes its place.
 */

import { Bar } from "./bar";
import { Frames } from "./frames";

/** The token goes from the address at once: whoever sees that later does not have it. */
async function logIn(): Promise<void> {
	const token = new URLSearchParams(location.hash.slice(1)).get("token");

	if (token === null)
		return;
	history.replaceState(null, "", "/");
	const response = await fetch("/login", { method: "POST", body: token });

	if (!response.ok)
		throw new Error((await response.text()).trim());
}

async function start(): Promise<void> {
	const bar = new Bar(document.getElementById("bar")!, new Frames(document.getElementById("frames")!));

	try {
		await logIn();
		bar.listen();
	} catch (error) {
		bar.fail(error instanceof Error ? error.message : String(error));
	}
}

start();
