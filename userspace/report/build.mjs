// SPDX-License-Identifier: GPL-2.0
/*
 * Builds the template, and the page around it for coroprof serve: build.mjs MODULES OUTPUT LIVE, where
 * MODULES is the folder that holds node_modules. Each page may run the one script built here and
 * nothing else: its policy names the script by its hash.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [modules, output, live] = process.argv.slice(2);
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

async function build(folder, banner, more) {
	const [script, style] = await Promise.all([bundle(`${folder}main.ts`, banner), bundle(`${folder}style.css`)]);
	const policy = [
		"default-src 'none'",
		`script-src ${hash(script)}`,
		`style-src ${hash(style)}`,
		"img-src data:",
		"base-uri 'none'",
		"form-action 'none'",
		...more,
	].join("; ");
	const body = readFileSync(join(here, "src", folder, "body.html"), "utf8");
	const fill = { POLICY: policy, STYLE: style, BODY: body, SCRIPT: script };

	if (/<\/(script|style)/i.test(script + style))
		throw new Error("the script or the style would end its own element");
	return readFileSync(join(here, "src/index.html"), "utf8")
		.replace(/@([A-Z]+)@/g, (mark, name) => fill[name] ?? mark);
}

const page = await build("", { js: notice }, []);

for (const mark of ["@COLUMNS@", "@DATA@"])
	if (page.split(mark).length !== 2)
		throw new Error(`${mark} must be in the page exactly once`);
writeFileSync(output, page);
/* It asks where it came from, and nobody else. */
writeFileSync(live, await build("live/", {}, ["connect-src 'self'", "frame-src 'self'"]));
