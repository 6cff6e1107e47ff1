// SPDX-License-Identifier: GPL-2.0
// history.mjs MODULES FOLDER SCHEMA POINTS QUERY...: ClickHouse (npm's chdb, below MODULES) makes the tables of SCHEMA, takes POINTS, rows as
// OpenTelemetry's Collector writes them, and answers each QUERY: a line of JSON with its rows, seconds, and those that
// processors were busy. With "-" as POINTS it takes a day of 10^4 hosts instead.
import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, folder, schema, points, ...queries] = process.argv.slice(2);
const { Session } = createRequire(`${modules}/`)("chdb");

// As the exporter of the Collector makes it, in what is written here.
const COLLECTOR = `CREATE TABLE otel_metrics_sum (ResourceAttributes Map(LowCardinality(String), String), ServiceName LowCardinality(String),
	MetricName LowCardinality(String), MetricUnit String, Attributes Map(LowCardinality(String), String), StartTimeUnix DateTime,
	TimeUnix DateTime, Value Float64, AggregationTemporality Int32, IsMonotonic Boolean)
	ENGINE = MergeTree PARTITION BY toDate(TimeUnix) ORDER BY (ServiceName, MetricName, toStartOfHour(TimeUnix), cityHash64(Attributes), TimeUnix)`;

// Of two labels, one of which is asked for; each figure differs by host, and from minute to minute.
const day = (label) => `INSERT INTO coroprof_minutes SELECT 'shop', '${label}', 'counted', concat('web-', toString(intDiv(number, 1440))),
	toDateTime('2026-01-01 00:00:00', 'UTC') + 60 * (number % 1440), 600 + cityHash64(number) % 64 AS slices,
	slices * (5000000 + cityHash64(number, 1) % 500000) AS running_ns, cityHash64(number, 2) % 100000000, 0,
	20000000000 + cityHash64(number, 3) % 1000000000, cityHash64(number, 4) % 500000000, 0,
	running_ns * 2, running_ns * 3, intDiv(running_ns, 1000) FROM numbers(14400000)`;

rmSync(folder, { recursive: true, force: true });
const session = new Session(folder);
const ask = (text, format = "JSONEachRow") => String(session.query(text, format));

ask("CREATE DATABASE history ENGINE = Atomic");
ask("USE history");
ask(COLLECTOR);
for (const statement of readFileSync(schema, "utf8").replace(/^--.*$/gm, "").split(";").filter((text) => text.trim()))
	ask(statement);
if (points === "-")
	for (const label of ["query", "render"])
		ask(day(label));
else
	ask(`INSERT INTO otel_metrics_sum SELECT * FROM file('${points}', JSONEachRow)`);
for (const query of queries) {
	const begin = process.hrtime.bigint(), used = process.cpuUsage();
	const rows = ask(query).split("\n").filter((line) => line).map((line) => JSON.parse(line));
	const seconds = Number(process.hrtime.bigint() - begin) / 1e9, { user, system } = process.cpuUsage(used);
	console.log(JSON.stringify({ rows, seconds, busy: (user + system) / 1e6 }));
}
session.cleanup();
