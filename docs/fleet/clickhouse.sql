-- SPDX-License-Identifier: GPL-2.0
-- History by host: of each label and minute a row with what it did. It is filled from the table that the ClickHouse exporter of
-- OpenTelemetry's Collector writes, by default otel_metrics_sum, as requests come. These have to be sent with
-- --push-temporality delta. Rows of the same minute are added up sooner or later, so ask for sums.
CREATE TABLE coroprof_minutes
(
	service LowCardinality(String),
	label LowCardinality(String),
	standing LowCardinality(String),
	host LowCardinality(String),
	minute DateTime CODEC(DoubleDelta, ZSTD(1)),
	slices UInt64 CODEC(T64, ZSTD(1)),
	running_ns UInt64 CODEC(T64, ZSTD(1)),
	preempted_ns UInt64 CODEC(T64, ZSTD(1)),
	blocked_ns UInt64 CODEC(T64, ZSTD(1)),
	awaiting_ns UInt64 CODEC(T64, ZSTD(1)),
	ready_ns UInt64 CODEC(T64, ZSTD(1)),
	suspended_ns UInt64 CODEC(T64, ZSTD(1)),
	instructions UInt64 CODEC(T64, ZSTD(1)),
	cycles UInt64 CODEC(T64, ZSTD(1)),
	cache_misses UInt64 CODEC(T64, ZSTD(1))
)
ENGINE = SummingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (service, label, standing, host, minute);

CREATE MATERIALIZED VIEW coroprof_minutes_of_otel TO coroprof_minutes AS
SELECT
	ServiceName AS service,
	Attributes['coroprof.label'] AS label,
	Attributes['coroprof.standing'] AS standing,
	ResourceAttributes['host.name'] AS host,
	toStartOfMinute(toDateTime(TimeUnix)) AS minute,
	toUInt64(sumIf(Value, MetricName = 'coroprof.coroutine.switches')) AS slices,
	toUInt64(sumIf(Value, MetricName = 'coroprof.coroutine.time' AND Attributes['coroprof.state'] = 'running')) AS running_ns,
	toUInt64(sumIf(Value, MetricName = 'coroprof.coroutine.time' AND Attributes['coroprof.state'] = 'preempted')) AS preempted_ns,
	toUInt64(sumIf(Value, MetricName = 'coroprof.coroutine.time' AND Attributes['coroprof.state'] = 'blocked')) AS blocked_ns,
	toUInt64(sumIf(Value, MetricName = 'coroprof.coroutine.time' AND Attributes['coroprof.state'] = 'awaiting')) AS awaiting_ns,
	toUInt64(sumIf(Value, MetricName = 'coroprof.coroutine.time' AND Attributes['coroprof.state'] = 'ready')) AS ready_ns,
	toUInt64(sumIf(Value, MetricName = 'coroprof.coroutine.time' AND Attributes['coroprof.state'] = 'suspended')) AS suspended_ns,
	toUInt64(sumIf(Value, MetricName = 'coroprof.counter.instructions')) AS instructions,
	toUInt64(sumIf(Value, MetricName = 'coroprof.counter.cycles')) AS cycles,
	toUInt64(sumIf(Value, MetricName = 'coroprof.counter.cache-misses')) AS cache_misses
FROM otel_metrics_sum
WHERE Attributes['coroprof.label'] != '' AND AggregationTemporality = 1
GROUP BY service, label, standing, host, minute;
