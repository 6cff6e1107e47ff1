// SPDX-License-Identifier: GPL-2.0
/*
 * What modules of the page export, without a browser, and what the reader puts into each page. The folder that holds
 * node_modules is the first argument, coroprof-read the second.
 */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(resolve(process.argv[2], "package.json"))("esbuild");

export async function load(...modules) {
	const outfile = resolve(process.argv[2], "test", modules.map((name) => basename(name)).join("-") + ".mjs");

	await esbuild.build({
		stdin: { contents: modules.map((name) => `export * from "${name}";`).join(" "), resolveDir: join(here, "../src") },
		bundle: true, outfile, format: "esm", nodePaths: [resolve(process.argv[2], "node_modules")],
	});
	return import(pathToFileURL(outfile));
}

/** The data of a page, but for its columns. */
export function dataOf() {
	const recording = join(here, "../../../tests/unit/cprof/kept/version3.cprof");
	const page = execFileSync(process.argv[3], ["--format", "html", recording], { encoding: "utf8", maxBuffer: 1 << 28 });

	return JSON.parse(inflateSync(Buffer.from(page.match(/<script type="text\/plain" id="data">\d+ ([^<]*)<\/script>/)[1], "base64")));
}
