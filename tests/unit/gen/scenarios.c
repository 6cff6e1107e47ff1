// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "cprof/format.h"
#include "gen/gen.h"
#include "gen/requests.h"
#include "gen/simulate.h"

#define MS	1000000ULL
#define SECOND	1000000000ULL

#define BEGIN	(100 * SECOND)

#define HW(event) { .type = PERF_TYPE_HARDWARE, .config = (event) }

static const struct coroprof_counter cycles = HW(PERF_COUNT_HW_CPU_CYCLES);
static const struct coroprof_counter instructions =
	HW(PERF_COUNT_HW_INSTRUCTIONS);
static const struct coroprof_counter cache_misses =
	HW(PERF_COUNT_HW_CACHE_MISSES);
static const struct coroprof_counter branch_misses =
	HW(PERF_COUNT_HW_BRANCH_MISSES);

static void counters(struct gen *g)
{
	gen_counter(g, &cycles, "cycles");
	gen_counter(g, &instructions, "instructions");
	gen_counter(g, &cache_misses, "cache-misses");
	gen_counter(g, &branch_misses, "branch-misses");
}

static void label(struct gen *g, uint32_t process, uint32_t nr, const char *text)
{
	gen_label(g, process, nr, text, (uint32_t)strlen(text));
}

static void server_labels(struct gen *g, uint32_t process)
{
	label(g, process, 1, "event loop");
	label(g, process, 2, "accept");
	label(g, process, 3, "handle_request");
	label(g, process, 4, "query_database");
	label(g, process, 5, "render_template");
	label(g, process, 6, "write_log");
}

static const struct simulate_kind server_kinds[] = {
	{ .label = 2, .weight = 5, .run_ns = 8000, .sleep_ns = 200000,
	  .ipc = 1.1, .yields = 5 },
	{ .label = 3, .weight = 40, .run_ns = 30000, .sleep_ns = 900000,
	  .ipc = 1.9, .yields = 10 },
	{ .label = 4, .weight = 30, .run_ns = 12000, .sleep_ns = 3000000,
	  .ipc = 0.6, .blocked = 30 },
	{ .label = 5, .weight = 20, .run_ns = 90000, .sleep_ns = 100000,
	  .ipc = 2.8, .yields = 3 },
	{ .label = 6, .weight = 10, .run_ns = 5000, .sleep_ns = 500000,
	  .ipc = 0.9, .blocked = 3, .untold = true },
};

static struct simulate server(void)
{
	return (struct simulate){
		.process_id = 1,
		.channel = 1,
		.threads = 4,
		.tid = 4242,
		.coroutines = 3000,
		.slices = 8,
		.begin = BEGIN,
		.seed = 1,
		.thread_label = 1,
		.kinds = server_kinds,
		.nr_kinds = 5,
	};
}

static struct gen *server_begin(const char *path)
{
	struct gen *g = gen_open(path);

	counters(g);
	gen_process(g, 1, 4242, "server", BEGIN);
	server_labels(g, 1);
	return g;
}

static void make_server(const char *path)
{
	struct gen *g = server_begin(path);
	struct simulate s = server();

	gen_info(g, "switch_ns", "85");
	gen_info(g, "switch_instructions", "240");
	simulate(g, &s);
	gen_close(g, true);
}

static void make_many(const char *path)
{
	struct gen *g = server_begin(path);
	struct simulate s = server();

	s.coroutines = 100000;
	s.slices = 10;
	simulate(g, &s);
	gen_close(g, true);
}

void gen_slices(const char *path, uint64_t slices)
{
	struct gen *g = server_begin(path);
	struct simulate s = server();

	/* As many again are of the threads' own. */
	s.coroutines = 20000;
	s.slices = (uint32_t)(slices / 2 / s.coroutines) + 1;
	simulate(g, &s);
	gen_close(g, true);
}

static void make_empty(const char *path)
{
	struct gen *g = gen_open(path);

	counters(g);
	gen_close(g, true);
}

static void make_header_only(const char *path)
{
	gen_close(gen_open(path), true);
	if (truncate(path, 24))
		_exit(1);
}

static void make_truncated(const char *path)
{
	make_server(path);
	if (truncate(path, 150001))
		_exit(1);
}

static void make_cut(const char *path)
{
	struct gen *g = server_begin(path);
	struct simulate s = server();

	s.coroutines = 300;
	simulate(g, &s);
	gen_close(g, false);
}

/* cache-misses is multiplexed, branch-misses is not to be had. */
static void adjust_standing(struct gen *g, uint32_t channel, struct gen_slice *s)
{
	uint64_t running = s->duration - s->preempted_ns - s->blocked_ns;

	(void)g;
	s->standing = 0x3f;
	s->count[3] = 0;
	s->missing_ns[3] = running;
	if (s->time / 4000000 % 2) {
		s->standing = 0x2f;
		s->missing_ns[2] = running / 2;
		s->count[2] /= 2;
	}
	if (channel == 4) {
		s->standing = 0x1f;
		s->missing_ns[2] = running;
		s->count[2] = 0;
	}
}

static void make_standings(const char *path)
{
	struct coroprof_counter_state states[4] = {
		{ .counter = cycles }, { .counter = instructions },
		{ .counter = cache_misses },
		{ .counter = branch_misses, .error = ENOENT },
	};
	struct gen *g = server_begin(path);
	struct simulate s = server();

	s.coroutines = 500;
	s.adjust = adjust_standing;
	simulate(g, &s);
	/* One more thread, whose record says why there are no branch misses. */
	gen_channel(g, 9, 1, 4300, "worker-x", BEGIN, states, 4);
	gen_close(g, true);
}

static void adjust_lost(struct gen *g, uint32_t channel, struct gen_slice *s)
{
	if (s->id % 97 || channel == 1)
		return;
	gen_lost(g, channel, s->time - s->duration, 1 + s->id % 5, true);
}

static void make_lost(const char *path)
{
	struct gen *g = server_begin(path);
	struct simulate s = server();

	s.coroutines = 500;
	s.adjust = adjust_lost;
	simulate(g, &s);
	gen_close(g, true);
}

static void make_hostile(const char *path)
{
	static const char *const names[] = {
		"event loop",
		"<script>alert(1)</script><img src=x onerror=alert(2)>",
		"\x1b[31mred\x1b[0m \x1b]0;title\x07 \r\n\tline",
		"bytes \xff\xfe\xc0\x80 \xed\xa0\x80 no utf-8",
		"\xe2\x80\xae" "esrever \xe2\x81\xa6 \"quotes\" 'and' \\ &amp; </style>",
		"\xe6\xbc\xa2\xe5\xad\x97 \xf0\x9f\x9a\x80 e\xcc\x81 wide",
	};
	struct gen *g = gen_open(path);
	struct simulate s = server();
	char longest[255];

	gen_info(g, "command", "SYNTHETIC TEST DATA ]]>--></script>\x1b[2J");
	gen_info(g, "__proto__", "polluted");
	counters(g);
	gen_process(g, 1, -7, "</title>\x1b[1m\xff", BEGIN);
	for (uint32_t i = 0; i < 6; i++)
		label(g, 1, i + 1, names[i]);
	memset(longest, 'x', sizeof(longest));
	gen_label(g, 1, 7, longest, sizeof(longest));
	s.coroutines = 200;
	simulate(g, &s);
	gen_channel(g, 20, 1, 4300, "<b>\x1b[5m", BEGIN, NULL, 0);
	gen_slice(g, 20, &(struct gen_slice){ .id = UINT64_MAX / 2, .label = 7,
		  .time = BEGIN + 50 * MS, .duration = 50 * MS,
		  .flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END,
		  .parent = UINT64_MAX, .tag = UINT64_MAX,
		  .count = { 1000 * 50 * MS } });
	gen_close(g, true);
}

static void make_processes(const char *path)
{
	struct gen *g = server_begin(path);
	struct simulate a = server(), b = server();

	gen_process(g, 2, 5000, "client", BEGIN + MS);
	label(g, 2, 1, "event loop");
	label(g, 2, 2, "connect");
	label(g, 2, 3, "handle_request");
	label(g, 2, 4, "parse");
	label(g, 2, 5, "retry");
	label(g, 2, 6, "write_log");
	a.coroutines = b.coroutines = 400;
	simulate(g, &a);
	b.process_id = 2;
	b.channel = 11;
	b.threads = 2;
	b.tid = 5000;
	b.seed = 2;
	simulate(g, &b);
	gen_process_end(g, 2, BEGIN + SECOND);
	gen_close(g, true);
}

static void make_own_counters(const char *path)
{
	struct coroprof_counter_state own[2] = {
		{ .counter = { .type = PERF_TYPE_RAW, .config = 0x1b1 } },
		{ .counter = instructions },
	};
	struct gen *g = server_begin(path);
	struct simulate s = server();

	s.coroutines = 200;
	simulate(g, &s);
	gen_channel(g, 9, 1, 4300, "own", BEGIN, own, 2);
	for (uint64_t i = 0; i < 50; i++)
		gen_slice(g, 9, &(struct gen_slice){ .id = 900000 + i % 5,
			  .label = 3, .time = BEGIN + (i + 1) * MS,
			  .duration = MS, .count = { 1000 + i, 3 * MS } });
	gen_close(g, true);
}

static void make_damaged(const char *path)
{
	static const uint32_t junk[4] = { 0x00030001, 1, 2, 3 };
	struct gen *g = server_begin(path);
	struct simulate s = server();

	s.coroutines = 200;
	simulate(g, &s);
	gen_ring_bytes(g, 2, junk, sizeof(junk));
	gen_drain(g, 2);
	gen_close(g, true);
}

static void make_failed_check(const char *path)
{
	struct gen *g = server_begin(path);
	struct simulate s = server();

	s.coroutines = 100;
	simulate(g, &s);
	gen_status(g, 2)->count[1] += 17;
	gen_close(g, true);
}

static void make_not_recorded(const char *path)
{
	struct gen *g = server_begin(path);
	struct simulate s = server();

	s.coroutines = 100;
	simulate(g, &s);
	gen_channel_error(g, 9, 1, 4300, BEGIN + MS, ENOMEM);
	gen_close(g, true);
}

static void make_code(const char *path)
{
	struct gen *g = gen_open(path);
	struct simulate s = server();

	counters(g);
	gen_process(g, 1, 4242, "server", BEGIN);
	label(g, 1, 1, "event loop");
	for (uint32_t i = 2; i < 7; i++)
		gen_label_code(g, 1, i, "/nonexistent/libserver.so.1",
			       0x1000 + i * 0x40);
	s.coroutines = 200;
	simulate(g, &s);
	gen_close(g, true);
}

/*
 * A main task makes 1000 others ready and never gives way meanwhile; what coroprof itself
 * runs lies between them.
 */
static void make_wakers(const char *path)
{
	struct gen *g = server_begin(path);

	label(g, 1, 7, "(coroprof)");
	gen_channel(g, 1, 1, 4242, "main", BEGIN, NULL, 0);
	gen_channel(g, 2, 1, 4243, "worker", BEGIN, NULL, 0);
	for (uint32_t i = 0; i < 2000; i++)
		gen_slice(g, 2, &(struct gen_slice){
			  .id = i % 2 ? 100 + i : 50, .label = i % 2 ? 3 : 7, .slot = 2 + i % 2,
			  .time = BEGIN + (i + 1) * 1000, .duration = 1000,
			  .flags = i % 2 ? COROPROF_SLICE_FRESH | COROPROF_SLICE_END : 0,
			  .wake_time = i % 2 ? BEGIN + 500 : 0, .waker = i % 2 ? 10 : 0,
			  .count = { 3000, 2000, i, 5 } });
	gen_slice(g, 1, &(struct gen_slice){ .id = 10, .label = 2, .time = BEGIN + 3 * MS,
		  .duration = 3 * MS, .flags = COROPROF_SLICE_FRESH, .count = { 9000, 7000 } });
	gen_close(g, true);
}

/*
 * Written once by each version of the file format, and kept in
 * tests/unit/cprof/kept: what is written here must not change.
 */
static void make_kept(const char *path)
{
	struct gen *g = server_begin(path);

	gen_channel(g, 1, 1, 4242, "server", BEGIN, NULL, 0);
	for (uint32_t i = 0; i < 60; i++) {
		uint64_t end = BEGIN + (i + 1) * MS;

		gen_slice(g, 1, &(struct gen_slice){
			  .id = i % 2 ? 10 + i % 5 : COROPROF_ID_THREAD | 7,
			  .slot = 2 + i % 2 * (i % 5 + 1), .label = 1 + i % 4,
			  .time = end, .duration = MS,
			  .flags = i == 1 ? COROPROF_SLICE_FRESH : 0,
			  .parent = i == 1 ? 3 : 0, .tag = i == 1 ? 99 : 0,
			  .blocked_ns = i % 7 ? 0 : MS / 4,
			  .nr_blocked = i % 7 ? 0 : 1,
			  .wake_time = i % 2 ? end - MS - 1000 * i : 0,
			  .waker = i % 2 ? COROPROF_ID_THREAD | 7 : 0,
			  .standing = i % 11 ? 0 : 0xffbf,
			  .missing_ns = { 0, 0, 0, i % 11 ? 0 : 1000 },
			  .count = { 3 * MS + i, 2 * MS - i, i, 5 } });
		if (i % 10 == 9)
			gen_span(g, 1, &(struct gen_span){
				 .id = 10 + i % 5, .label = 2, .time = end,
				 .duration = MS / 2, .running_ns = MS / 3,
				 .depth = i / 10, .count = { 100, 200, i, 1 } });
		if (i == 30)
			gen_drain(g, 1);
		if (i % 20 == 0)
			gen_sample(g, 1, &(struct gen_sample){
				   .id = 11, .label = 2, .time = end,
				   .address = { 0x401000 + i, 0x402000 } });
	}
	gen_close(g, true);
}

/*
 * What a reader can't guess, as tests/decoder/unread.py has it: cycles are named later, records
 * come before their thread and label, wakers are those of the WOKEN slice before, whatever slot
 * and slices were between, and the last slice is reported twice.
 */
static void make_untold(const char *path)
{
	struct {
		struct coroprof_counter counter;
		char name[8];
	} renamed = { cycles, "cycles" };
	struct gen *g = gen_open(path);

	gen_counter(g, &cycles, "cpu-cycles");
	gen_counter(g, &instructions, "instructions");
	gen_segment(g, CPROF_SEGMENT_COUNTERS, &renamed, sizeof(renamed));
	gen_mode(g, COROPROF_MODE_USER, 0);
	gen_channel(g, 1, 1, 4242, "main", BEGIN, NULL, 0);
	for (uint32_t i = 0; i < 100; i++)
		gen_slice(g, 1, &(struct gen_slice){
			  .id = 10 + i % 5, .slot = 2 + i % 5, .label = 1 + i % 5,
			  .time = BEGIN + (i + 1) * MS, .duration = MS,
			  .wake_time = i % 5 < 2 ? 0 : BEGIN + i * MS - 1000,
			  .waker = i % 5 < 2 ? 0 : 10 + i / 10 % 2,
			  .count = { 3 * MS + i % 7 * 1000 + i, 2 * MS } });
	gen_drain(g, 1);
	gen_process(g, 1, 4242, "server", BEGIN);
	server_labels(g, 1);
	gen_slice(g, 1, &(struct gen_slice){
		  .id = COROPROF_ID_THREAD | 7, .slot = 7, .label = 1, .time = BEGIN + 101 * MS,
		  .duration = MS, .flags = COROPROF_SLICE_CUT, .count = { 5000, 4000 } });
	gen_last(g, 1);
	gen_close(g, true);
}

/* What is reported of it is in tests/e2e/latency.mjs. */
static void make_long(const char *path)
{
	struct gen *g = gen_open(path);
	uint64_t at = BEGIN;

	counters(g);
	gen_process(g, 1, 4242, "server", BEGIN);
	label(g, 1, 1, "short");
	label(g, 1, 2, "rare");
	gen_channel(g, 1, 1, 4242, "server", BEGIN, NULL, 0);
	for (uint32_t i = 0; i < 401; i++) {
		bool rare = i == 200;
		uint64_t duration = rare ? 100 * MS : MS;

		at += duration;
		gen_slice(g, 1, &(struct gen_slice){
			  .id = rare ? 1000 : 10 + i % 8, .slot = rare ? 20 : 2 + i % 8,
			  .label = rare ? 2 : 1, .time = at, .duration = duration,
			  .blocked_ns = rare ? 0 : MS / 2, .nr_blocked = !rare,
			  .count = { 3 * duration, 2 * duration, 10, 5 } });
	}
	gen_close(g, true);
}

static void make_requests(const char *path)
{
	requests_write(path,
		       &(struct requests){ .queries = 1, .heavy = REQUESTS_HEAVY, .seed = 1 });
}

static void make_requests_again(const char *path)
{
	requests_write(path,
		       &(struct requests){ .queries = 1, .heavy = REQUESTS_HEAVY, .seed = 2 });
}

static void make_requests_heavier(const char *path)
{
	requests_write(path, &(struct requests){
		.queries = 1, .heavy = REQUESTS_HEAVY, .seed = 2, .heavier = 10 });
}

static void make_requests_calls(const char *path)
{
	requests_write(path,
		       &(struct requests){ .queries = 10, .heavy = REQUESTS_HEAVY, .seed = 2 });
}

static void make_requests_path(const char *path)
{
	requests_write(path, &(struct requests){
		.queries = 1, .heavy = REQUESTS_HEAVY, .seed = 2, .audit = "audit@audit.lua:5" });
}

static void make_requests_moved(const char *path)
{
	requests_write(path, &(struct requests){
		.queries = 1, .heavy = "heavy@handlers.lua:33", .seed = 2, .heavier = 50 });
}

static void make_requests_two(const char *path)
{
	requests_write(path, &(struct requests){
		.queries = 1, .heavy = "heavy@handlers.lua:33", .twice = "heavy@handlers.lua:40",
		.seed = 2, .heavier = 50 });
}

static const struct scenario {
	const char *name;
	const char *text;
	void (*make)(const char *path);
} scenarios[] = {
	{ "server", "4 threads, 3000 coroutines, all counted, overhead known",
	  make_server },
	{ "many", "4 threads, 100000 coroutines, about a million slices",
	  make_many },
	{ "empty", "a recording in which nothing was recorded", make_empty },
	{ "header-only", "a file that ends after its header", make_header_only },
	{ "torn", "the server's file, torn in the middle", make_truncated },
	{ "cut", "a recording without an END", make_cut },
	{ "standings", "counters that are scaled, not scheduled, unsupported",
	  make_standings },
	{ "lost", "slices lost here and there", make_lost },
	{ "hostile", "names with markup, escapes, bytes that are no UTF-8",
	  make_hostile },
	{ "processes", "two processes that use the same coroutine numbers",
	  make_processes },
	{ "own-counters", "a thread that counts other things than the session",
	  make_own_counters },
	{ "damaged", "a malformed record in one ring", make_damaged },
	{ "failed-check", "a thread whose slices don't sum to its totals",
	  make_failed_check },
	{ "not-recorded", "a thread that could not be recorded",
	  make_not_recorded },
	{ "kept", "a little of everything, the same in every version",
	  make_kept },
	{ "wakers", "1000 wakes by a task in its first slice, beside what coroprof runs itself",
	  make_wakers },
	{ "untold", "what a reader of files has to know and can't guess", make_untold },
	{ "code", "labels that are code addresses of a missing object",
	  make_code },
	{ "long", "one slice of 100 ms, of \"rare\", among 400 of 1 ms, of \"short\"",
	  make_long },
	{ "requests", "240 requests of four labels, made up by chance", make_requests },
	{ "requests-again", "the same, by another chance", make_requests_again },
	{ "requests-heavier", "again, heavy has 10 % more work", make_requests_heavier },
	{ "requests-calls", "again, heavy makes ten queries in each slice, not one", make_requests_calls },
	{ "requests-path", "again, heavy makes another call, audit", make_requests_path },
	{ "requests-moved", "again, heavy on line 33, with 50 % more work", make_requests_moved },
	{ "requests-two", "as that, and another heavy on line 40", make_requests_two },
};

#define NR_SCENARIOS	(sizeof(scenarios) / sizeof(scenarios[0]))

static const struct scenario *find(const char *name)
{
	for (size_t i = 0; i < NR_SCENARIOS; i++)
		if (!strcmp(scenarios[i].name, name))
			return &scenarios[i];
	return NULL;
}

bool gen_scenario(const char *name, const char *path)
{
	const struct scenario *s = find(name);

	if (s)
		s->make(path);
	return s;
}

const char *const *gen_scenarios(void)
{
	static const char *names[NR_SCENARIOS + 1];

	for (size_t i = 0; i < NR_SCENARIOS; i++)
		names[i] = scenarios[i].name;
	return names;
}

const char *gen_scenario_text(const char *name)
{
	const struct scenario *s = find(name);

	return s ? s->text : NULL;
}
