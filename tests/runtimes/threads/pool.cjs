// SPDX-License-Identifier: GPL-2.0
// The pool of libuv: its threads derive keys, while the loop waits.
const crypto = require("node:crypto");

let left = 8;
for (let i = 0; i < 8; i++)
	crypto.pbkdf2("secret", "salt", 40000, 64, "sha512", (_, key) => {
		if (--left) return;
		console.log(key.toString("hex").slice(0, 16));
		process.exitCode = 7;
	});
