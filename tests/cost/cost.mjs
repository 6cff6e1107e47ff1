// SPDX-License-Identifier: GPL-2.0
/*
 * cost.mjs FOLDER: makes cost.json there of what the guests of this run have printed. Each member has what a switch takes
 * by itself (plain), and what is added by the library while nobody records (idle), when recorded by ioctl (ioctl) and from user
 * mode (user), and by the tool that is nearest, with its name. What this run has not measured is null.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const folder = process.argv[2];

function lines(name) {
	const path = `${folder}/${name}.txt`;

	return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

const each = { idle: "coroprof, idle", ioctl: "coroprof, by ioctl", user: "coroprof, from user mode" };

/* @rows: by who looks, how much it takes. The nearest tool is the first of those that are not coroprof. */
function cost(rows, tool, name = tool) {
	const { plain } = rows;
	const added = (who) => rows[who] === undefined || plain === undefined ? null : Math.round(rows[who] - plain);

	if (plain === undefined)
		return null;
	return { plain: Math.round(plain), idle: added("idle"), ioctl: added("ioctl"), user: added("user"),
		 tool: added(tool), name: tool === undefined ? null : name };
}

/* NAME|WHO|TOOK|ADDED */
function of_runtimes(name) {
	const found = lines("runtimes").map((line) => line.split("|")).filter(([of]) => of === name);
	const rows = Object.fromEntries(found.map(([, who, took]) => [who, Number(took)]));
	const tool = found.map(([, who]) => who).find((who) => who !== "nobody" && !Object.values(each).includes(who));

	for (const [key, who] of [["plain", "nobody"], ...Object.entries(each)]) {
		if (rows[who] !== undefined)
			rows[key] = rows[who];
	}
	return cost(rows, tool);
}

const erlang_tool = "erlang:trace(), to a process that counts";

/* A heading, then two lines: of a message to another process and one back, in which two processes run, the first. */
function of_erlang() {
	const heads = { "without the library": "plain", "nobody records": "idle", "recorded, by ioctl": "ioctl",
			"recorded, from user mode": "user", [erlang_tool]: erlang_tool };
	const rows = {};
	let at;

	for (const line of lines("erlang")) {
		const number = line.match(/(\d+(?:\.\d+)?)\s*$/);

		if (heads[line])
			at = heads[line];
		else if (at && number && rows[at] === undefined)
			rows[at] = Number(number[1]) / 2;
	}
	return cost(rows, erlang_tool);
}

const node_tool = "async_hooks, two functions that count";

function of_node() {
	const heads = { without: "plain", idle: "idle", "recorded, by ioctl": "ioctl", "recorded, from user mode": "user",
			[node_tool]: node_tool };
	const rows = {};

	for (const line of lines("node")) {
		const head = Object.keys(heads).find((start) => line.startsWith(start)), number = line.match(/(\d+(?:\.\d+)?)\s*$/);

		if (head && number)
			rows[heads[head]] = Number(number[1]);
	}
	return cost(rows, node_tool);
}

/* FILE:KIND TOOK, the file being /out/cost-WAY */
function of_java(kind) {
	const found = lines("java").map((line) => line.match(/cost-(\w+):(\w+) (\d+)/)).filter((match) => match?.[2] === kind);

	return cost(Object.fromEntries(found.map(([, way, , took]) => [way, Number(took)])), "jvmti",
		    "VirtualThreadMount and VirtualThreadUnmount of JVMTI, counting");
}

writeFileSync(`${folder}/cost.json`, JSON.stringify({
	asyncio_step: of_runtimes("asyncio: a step of a task"),
	asyncio_task: of_runtimes("asyncio: a task made and run"),
	node_request: of_node(),
	java_yield: of_java("switch"),
	java_thread: of_java("thread"),
	erlang_run: of_erlang(),
	asio_await: of_runtimes("Asio: co_await of a post()"),
	tokio_poll: of_runtimes("tokio: a poll"),
	rust_poll: of_runtimes("Rust: a poll in Instrumented"),
	greenlet_switch: of_runtimes("greenlet: switch()"),
	lua_switch: of_runtimes("liblua5.3: lua_resume() or its return"),
	ruby_switch: of_runtimes("Ruby: a switch of fibers"),
	php_switch: of_runtimes("PHP: a switch of fibers"),
	boost_switch: of_runtimes("jump_fcontext() of Boost"),
	ucontext_switch: of_runtimes("swapcontext()"),
	ucontext_life: of_runtimes("ucontext: a life"),
}, null, "\t") + "\n");
