// SPDX-License-Identifier: GPL-2.0
/* run.mjs MODULES GENERATOR CALLS-GENERATOR READER OUT: what other programs read in exports. */
import { finish } from "../e2e/tap.mjs";
import { callgrindTests } from "./callgrind.mjs";
import { chromeTests } from "./chrome.mjs";
import { csvTests } from "./csv.mjs";
import { digestTests } from "./digest.mjs";
import { firefoxTests } from "./firefox.mjs";
import { jsonTests } from "./json.mjs";
import { linesTests } from "./lines.mjs";
import { openmetricsTests } from "./openmetrics.mjs";
import { partTests } from "./part.mjs";
import { perfettoTests } from "./perfetto.mjs";
import { pprofTests } from "./pprof.mjs";
import { speedscopeTests } from "./speedscope.mjs";
import { sqliteTests } from "./sqlite.mjs";
import { terminalTests } from "./terminal.mjs";

await pprofTests();
await perfettoTests();
await chromeTests();
await firefoxTests();
await speedscopeTests();
await callgrindTests();
await linesTests();
await openmetricsTests();
await sqliteTests();
await csvTests();
await jsonTests();
await partTests();
await terminalTests();
await digestTests();
process.exitCode = finish();
