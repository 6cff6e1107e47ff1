// SPDX-License-Identifier: LGPL-2.1-or-later
// NODE_OPTIONS has any Node.js require this first. It puts the environment back, and requires what tells of requests where
// that can run. ES5 alone: an older Node.js reads it, too.
"use strict";
var own = "--require " + (__filename.indexOf(" ") < 0 ? __filename : "\"" + __filename + "\"");
var options = process.env.NODE_OPTIONS;
if (options === own) delete process.env.NODE_OPTIONS;
else if (options && options.indexOf(own + " ") === 0) process.env.NODE_OPTIONS = options.slice(own.length + 1);
delete require.cache[__filename];

try {
	if (parseInt(process.versions.node, 10) >= 18) require("./coroprof-node-18.cjs");
} catch (error) {
	// A program that may load no addons goes on without us.
}
