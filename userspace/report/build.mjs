// SPDX-License-Identifier: GPL-2.0
/*
 * Builds the template: build.mjs MODULES OUTPUT, where MODULES is the folder
 * that holds node_modules. The page may run the one script built here and
 * nothing else: its policy names the script by its hash.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [modules, output] = process.argv.slice(2);
const esbuild = createRequire(resolve(modules, "package.json"))("esbuild");
const libraries = resolve(modules, "node_modules");
/* Whoever has the page has fflate, and is to have its licence. */
const notice = `/* fflate:\n${readFileSync(join(libraries, "fflate/LICENSE"), "utf8").trim()} */`;

async function bundle(entry, banner = {}) {
	const { outputFiles } = await esbuild.build({
		entryPoints: [join(here, "src", entry)],
		bundle: true,
		minify: true,
		write: false,
		format: "iife",
		target: "es2021",
		charset: "ascii",
		legalComments: "none",
		nodePaths: [libraries],
		banner,
	});

	return outputFiles[0].text.trim();
}

function hash(text) {
	return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const MARKS = ["@COLUMNS@", "@DATA@"];
const [script, style] = await Promise.all([bundle("main.ts", { js: notice }), bundle("style.css")]);
const policy = [
	"default-src 'none'",
	`script-src ${hash(script)}`,
	`style-src ${hash(style)}`,
	"img-src data:",
	"base-uri 'none'",
	"form-action 'none'",
].join("; ");
const fill = { POLICY: policy, STYLE: style, SCRIPT: script };
const page = readFileSync(join(here, "src/index.html"), "utf8")
	.replace(/@([A-Z]+)@/g, (mark, name) => fill[name] ?? mark);

if (/<\/(script|style)/i.test(script + style))
	throw new Error("the script or the style would end its own element");
for (const mark of MARKS)
	if (page.split(mark).length !== 2)
		throw new Error(`${mark} must be in the page exactly once`);
writeFileSync(output, page);
