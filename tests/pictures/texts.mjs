// SPDX-License-Identifier: GPL-2.0
/*
 * texts.mjs BIN OUT PAGE: puts what the stories' commands say of the recordings in OUT, with the programs in BIN, between the
 * marks of the page.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { textOf } from "./stories.mjs";

const [bin, out, page] = process.argv.slice(2);

writeFileSync(page, readFileSync(page, "utf8").replace(/<!-- text (\S+) -->[^]*?<!-- \/text -->/g,
	(_, name) => `<!-- text ${name} -->\n\n${textOf(name, bin, out)}\n\n<!-- /text -->`));
