// SPDX-License-Identifier: GPL-2.0
// verify.mjs FOLDER...: holds what was recorded in each guest against what the programs are known to do. Prints TAP.
import { basename } from "node:path";
import { coroutinesOf, finish, recordedIn, testKinds, testNaps, testSame, testTurns, testWhole } from "../../harness/verify.mjs";

// As in known.erl and known.exs: processes of a kind, turns, instructions of a unit; a nap in ns. What Erlang takes for a
// process, at most.
const KNOWN = { count: 4, turns: 5, unit: 3 * 50000, life: 60000 }, NAP = 20e6;

/** @begins: what labels of a kind begin with; @how and @kinds: see testKinds(). */
const LANGUAGES = {
	erlang: {
		begins: (kind) => `known:${kind}/`,
		how: "fails, is killed, begins another, gives way, has a name",
		kinds: [["fails", 5], ["killed", 5], ["inner", 10], ["outer", 2], ["gives_way", 5], ["some_name", 5]],
	},
	elixir: {
		begins: (kind) => kind.endsWith("/") ? kind : `Known.${kind}/`,
		how: "fails, begins another, has a name, is a task, a server",
		kinds: [["fails", 5], ["inner", 10], ["outer", 2], ["some_name", 5], ["Task.Supervised.reply/", 5], ["Known.Server.init/1", 5]],
	},
};

for (const folder of process.argv.slice(2)) {
	const guest = recordedIn(folder);
	const [erlang, elixir] = guest.read("versions").trim().split("\n");

	for (const mode of ["ioctl", "user"])
		for (const [language, { begins, how, kinds }] of Object.entries(LANGUAGES)) {
			const name = `${language === "erlang" ? erlang : `${elixir} on ${erlang}`} of ${basename(folder)}, ${mode}`;
			const data = guest.page(`${language}-${mode}`);
			const processes = (kind) => coroutinesOf(data, (text) => text.startsWith(begins(kind)) || text === kind);

			testSame(name, guest, language, mode);
			testTurns(name, "process", processes, KNOWN);
			testKinds(name, how, kinds, processes, KNOWN);
			testNaps(name, "waits", processes("naps"), KNOWN.turns, NAP, 2e6);
			testWhole(name, data);
		}
}

finish();
