// SPDX-License-Identifier: GPL-2.0
/*
 * trace-processor.mjs DIR TRACE: opens a trace in Perfetto's trace_processor, reads a JSON array of queries from standard
 * input, and writes one of results: arrays of rows, which are objects. DIR has the engine and its wasm. The bundle is
 * made for a browser's worker: some of what it finds there is put in its place.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runInThisContext } from "node:vm";

const [directory, trace] = process.argv.slice(2);

/* What the bundle does otherwise: ask for 64-bit memory, fetch its wasm, and keep its bridge for itself. */
const REPLACED = {
	"this.useMemory64 = hasMemory64Support();": "this.useMemory64 = false;",
	"locateFile: (s) => s,": "locateFile: (s) => s, wasmBinary: globalThis.traceProcessorWasm,",
	"const wasmBridge = new wasm_bridge_1.WasmBridge();":
		"const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.traceProcessorBridge = wasmBridge;",
};

function startBridge(port) {
	let bundle = readFileSync(join(directory, "engine_bundle.node.js"), "utf8");

	for (const [from, to] of Object.entries(REPLACED)) {
		if (!bundle.includes(from))
			throw new Error(`the bundle has no '${from}': it is of another version`);
		bundle = bundle.replace(from, () => to);
	}
	Object.defineProperty(globalThis, "self", { value: globalThis, configurable: true, writable: true });
	globalThis.WorkerGlobalScope = class {};
	globalThis.location ??= { href: pathToFileURL(`${directory}/`).href };
	globalThis.traceProcessorWasm = readFileSync(join(directory, "trace_processor.wasm"));
	console.warn = () => {};
	runInThisContext(bundle);
	globalThis.traceProcessorBridge.initialize(port);
}

async function openEngine() {
	const { EngineBase } = await import(pathToFileURL(join(directory, "engine.mjs")));
	const { port1, port2 } = new MessageChannel();

	class Engine extends EngineBase {
		mode = "WASM";
		id = "test";

		constructor() {
			super();
			port2.onmessage = ({ data }) => data instanceof Uint8Array && this.onRpcResponseBytes(data);
		}

		rpcSendRequestBytes(data) {
			port2.postMessage(data);
		}
	}
	startBridge(port1);
	return new Engine();
}

/* JSON has no numbers beyond 2^53. */
const plain = (value) => typeof value === "bigint" ? Number(value) : value;

async function query(engine, sql) {
	const result = await engine.query(sql);
	const columns = result.columns();
	const rows = [];

	for (const row = result.iter({}); row.valid(); row.next())
		rows.push(Object.fromEntries(columns.map((column) => [column, plain(row.get(column))])));
	return rows;
}

const engine = await openEngine();
const results = [];

await engine.parse(new Uint8Array(readFileSync(trace)));
await engine.notifyEof();
for (const sql of JSON.parse(readFileSync(0, "utf8")))
	results.push(await query(engine, sql));
process.stdout.write(JSON.stringify(results), () => process.exit(0));
