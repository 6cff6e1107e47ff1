// SPDX-License-Identifier: GPL-2.0
/* The text output, whole, as a person has read and approved it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/printable.h"
#include "gen/recording.h"
#include "output/text/text.h"
#include "tables/findings.h"
#include "tables/nothing.h"
#include "tables/table.h"

static char *text_with(struct model *m, const struct view_options *view)
{
	return written_by(m, text_write, view);
}

static char *text_of(struct model *m)
{
	return text_with(m, &(struct view_options){ 0 });
}

/* Shows both, for no message of cmocka is long enough. */
static void assert_text(char *text, const char *want)
{
	if (strcmp(text, want)) {
		fprintf(stderr, "---- got\n%s---- want\n%s----\n", text, want);
		fail_msg("the text differs, see above");
	}
	free(text);
}

static struct gen *named(void)
{
	struct gen *g = begin_recording();

	gen_info(g, "command", "./server --port 80");
	gen_info(g, "host", "box");
	gen_info(g, "kernel", "6.1.0");
	return g;
}

/* Of a thread and two coroutines, of which one wakes the other. */
static struct gen *sound(void)
{
	struct gen *g = named();

	gen_info(g, "switch_ns", "80");
	gen_info(g, "switch_instructions", "250");
	gen_info(g, "note", "before \x1b[2J the fix");
	channel(g, 1, 1000000);
	SLICE(g, 1, THREAD(1), 1000000, 1010000, .count = { 9000, 6000 },
	      .flags = COROPROF_SLICE_FIRST);
	SLICE(g, 1, 10, 1010000, 3010000, .label = 1, .parent = 7,
	      .count = { 6000000, 9000000 }, .preempted_ns = 250000,
	      .nr_preempted = 1, .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 11, 3010000, 3510000, .label = 2,
	      .count = { 1500000, 300000 }, .blocked_ns = 100000,
	      .nr_blocked = 1);
	SLICE(g, 1, 10, 3510000, 4010000, .label = 1, .wake_time = 3410000,
	      .waker = 11, .count = { 1500000, 2250000 },
	      .flags = COROPROF_SLICE_END);
	return g;
}

static void shows_a_sound_recording(void **state)
{
	(void)state;
	assert_text(text_of(load(sound())),
"summary     event loop busy 88.4 %, idle 0.0 %, preempted 8.3 %; coroutines blocked 100 us (3.3 %)\n"
"command     ./server --port 80\n"
"host        box, kernel 6.1.0, x86_64, 4 CPUs\n"
"recorded    2023-11-14 22:13:19 UTC, 3.01 ms; exit status 0\n"
"note        before \\x1b[2J the fix\n"
"SIMULATED   the counts come from a simulated PMU (synthetic) and say nothing about any hardware\n"
"counters    cycles               counted\n"
"            instructions         counted\n"
"threads     1 in 1 process; checked 1: their slices sum to the threads' own totals\n"
"switches    1 thread by ioctl (its library did not say why: build it with libcoroprof of this version)\n"
"slices      4, lost 0\n"
"samples     n/a, none were to be taken\n"
"time        3.01 ms of threads: running 88.4 % (outside coroutines 0.3 %), preempted 8.3 %, blocked 3.3 %, idle 0.0 %\n"
"overhead    >=0.0 % of the time on a CPU, without what was not measured: 80 ns a switch by ioctl (250 instructions); not subtracted\n"
"\n"
"running, preempted, blocked: on a CPU; off it while runnable; off it asleep in the kernel\n"
"suspended: between slices; awaiting, ready: its parts, before and after being made ready; >= where a part is not known\n"
"\n"
"label                 coroutines  slices  running       %  ran, 99 %  ran, max  preempted  blocked  suspended  awaiting   ready  cycles  instructions   IPC  per slice\n"
"a                              1       2  2.25 ms  84.6 %    1.75 ms   1.75 ms     250 us     0 ns     500 us    400 us  100 us  7.50 M        11.2 M  1.50    1.12 ms\n"
"b                              1       1   400 us  15.0 %     400 us    400 us       0 ns   100 us       0 ns      0 ns    0 ns  1.50 M         300 k  0.20     400 us\n"
"(outside coroutines)           -       1  10.0 us   0.4 %    10.0 us   10.0 us       0 ns     0 ns          -         -       -  9.00 k        6.00 k  0.67    10.0 us\n"
"\n"
"latency: held: from switch-in to switch-out; the 5 that are longest of each kind; all: --table latency, the longest one by one: --table worst\n"
"\n"
"what      label  times  50 % below  90 % below  99 % below  99.9 % below  longest\n"
"lifetime  a          1     3.00 ms     3.00 ms     3.00 ms       3.00 ms  3.00 ms\n"
"held      a          2      500 us     2.00 ms     2.00 ms       2.00 ms  2.00 ms\n"
"held      b          1      500 us      500 us      500 us        500 us   500 us\n"
"running   a          2      500 us     1.75 ms     1.75 ms       1.75 ms  1.75 ms\n"
"running   b          1      400 us      400 us      400 us        400 us   400 us\n"
"awaiting  a          1      400 us      400 us      400 us        400 us   400 us\n"
"ready     a          1      100 us      100 us      100 us        100 us   100 us\n"
"blocked   b          1      100 us      100 us      100 us        100 us   100 us\n"
"\n"
"coroutine  label  parent  threads  slices  running       %  preempted  blocked  suspended  awaiting   ready  cycles  instructions   IPC  ran, max\n"
"       10  a           7        1       2  2.25 ms  84.6 %     250 us     0 ns     500 us    400 us  100 us  7.50 M        11.2 M  1.50   1.75 ms\n"
"       11  b         n/a        1       1   400 us  15.0 %       0 ns   100 us       0 ns      0 ns    0 ns  1.50 M         300 k  0.20    400 us\n"
"\n"
"thread  name    slices  running  outside  switches\n"
"   101  thread       4  2.66 ms  10.0 us  by ioctl: its library did not say why\n");
}

/* A server that waits for work is not one whose coroutines are blocked. */
static void shows_idle_threads(void **state)
{
	struct gen *g = named();
	char *text;

	(void)state;
	channel(g, 1, 1000000);
	SLICE(g, 1, THREAD(1), 1000000, 1800000, .blocked_ns = 740000, .nr_blocked = 3,
	      .preempted_ns = 20000, .nr_preempted = 1);
	SLICE(g, 1, 10, 1800000, 2000000, .label = 1);
	text = text_of(load(g));
	assert_int_equal(strncmp(text, "summary     event loop busy 24.0 %, idle 74.0 %, preempted 2.0 %; coroutines blocked 0 ns\n",
				 88), 0);
	assert_non_null(strstr(text, "blocked 0.0 %, idle 74.0 %\n"));
	assert_non_null(strstr(text, "\nidle: a thread asleep outside any coroutine\n"));
	assert_non_null(strstr(text, "preempted  blocked    idle  "));
	assert_non_null(strstr(text, "20.0 us     0 ns  740 us  "));
	free(text);
}

static void shows_what_was_unreported(void **state)
{
	struct gen *g = named();
	char *text;

	(void)state;
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 1010000, .label = 1);
	SLICE(g, 1, 11, 1010000, 3010000, .label = 2,
	      .flags = COROPROF_SLICE_UNREPORTED);
	SLICE(g, 1, 10, 3010000, 3510000, .label = 1,
	      .flags = COROPROF_SLICE_UNREPORTED);
	SLICE(g, 1, 11, 3510000, 4510000, .label = 2,
	      .flags = COROPROF_SLICE_UNREPORTED);
	text = text_of(load(g));
	assert_non_null(strstr(text,
"\nUNREPORTED  switches were not reported: 3 slices, running 3.50 ms, may be other coroutines' in part, of these labels: b (2 slices, running 3.00 ms), a (1 slice, running 500 us)\n"));
	assert_non_null(strstr(text, "\nunreported: slices in which switches were not reported;"));
	assert_non_null(strstr(text, "  per slice  unreported\nb "));
	assert_non_null(strstr(text, "       2\na "));
	assert_non_null(strstr(text, "       1\n\n"));
	free(text);
}

static void shows_what_is_wrong(void **state)
{
	const struct coroprof_counter_state states[] = {
		{ .counter = cycles },
		{ .counter = instructions, .error = EOPNOTSUPP },
	};
	struct gen *g = named();

	(void)state;
	gen_process(g, 2, 200, "t\x1b[2Jwo", 900);
	gen_label(g, 2, 1, "a\x1b]0;owned\x07", 11);
	channel(g, 1, 1000000);
	gen_channel(g, 2, 2, 200, "x\n", 1000000, states, 2);
	gen_channel_error(g, 3, 1, 103, 1000000, ENOMEM);
	SLICE(g, 1, 10, 1000000, 2000000, .label = 1, .count = { 3000, 10 },
	      .standing = 0xe, .missing_ns = { 250000 });
	gen_lost(g, 1, 3000000, 1, true);
	SLICE(g, 2, 10, 1000000, 1500000, .label = 1, .count = { 1000 },
	      .standing = 0x3, .missing_ns = { 0, 500000 });
	SLICE(g, 2, 12, 1500000, 1600000, .label = 1, .count = { 0 },
	      .standing = 0x1, .missing_ns = { 100000, 100000 });
	SLICE(g, 2, 10, 1600000, 1700000, .label = 1, .count = { 100 },
	      .standing = 0x3, .missing_ns = { 0, 100000 });
	gen_status(g, 2)->count[0]++;
	assert_text(text_of(load(g)),
"summary     event loops busy ~100.0 %, idle ~0.0 %; coroutines blocked >=0 ns; of what was recorded: slices are missing\n"
"command     ./server --port 80\n"
"host        box, kernel 6.1.0, x86_64, 4 CPUs\n"
"recorded    2023-11-14 22:13:19 UTC, 2.00 ms; exit status 0\n"
"SIMULATED   the counts come from a simulated PMU (synthetic) and say nothing about any hardware\n"
"counters    cycles               scaled: estimated from 79.4 % of the running time\n"
"            instructions         at least: counted in 58.8 % of the running time: the PMU can't count it for a thread in user mode (EOPNOTSUPP) (on 1 of 2 threads)\n"
"threads     3 in 2 processes; checked 0: their slices sum to the threads' own totals\n"
"            thread 200 (x\\x0a): CHECK FAILED: cycles: its slices sum to 1100, the thread's totals say 1101 (-1)\n"
"            thread 103 (): NOT RECORDED: Cannot allocate memory\n"
"            thread 101 (thread): not checked: 1 slice was lost\n"
"switches    2 threads by ioctl (its library did not say why: build it with libcoroprof of this version)\n"
"slices      4, lost 1 (20.0 %): they are in no figure below\n"
"samples     n/a, none were to be taken\n"
"time        >=1.70 ms of threads: running ~100.0 % (outside coroutines ~0.0 %), preempted ~0.0 %, blocked ~0.0 %, idle ~0.0 %\n"
"overhead    n/a\n"
"\n"
"running, preempted, blocked: on a CPU; off it while runnable; off it asleep in the kernel\n"
"suspended: between slices; awaiting, ready: its parts, before and after being made ready; >= where a part is not known\n"
"awaiting and ready are n/a: the runtime did not report when coroutines became ready\n"
"\n"
"label              process         coroutines  slices    running         %  ran, 99 %   ran, max  preempted  blocked  suspended  awaiting   ready   cycles  instructions          IPC  per slice\n"
"a                  one 100                >=1     >=1  >=1.00 ms   ~58.8 %   ~1.00 ms  >=1.00 ms     >=0 ns   >=0 ns     >=0 ns    >=0 ns  >=0 ns  ~4.00 k          >=10       ~<0.01   ~1.00 ms\n"
"a\\x1b]0;owned\\x07  t\\x1b[2Jwo 200           2       3     700 us  <=41.2 %     500 us     500 us       0 ns     0 ns     100 us       n/a     n/a  ~1.28 k   unsupported  unsupported     233 us\n"
"\n"
"latency: held: from switch-in to switch-out; the 5 that are longest of each kind; all: --table latency, the longest one by one: --table worst\n"
"\n"
"what       label              process         times  50 % below  90 % below  99 % below  99.9 % below    longest\n"
"held       a                  one 100           >=1    ~1.00 ms    ~1.00 ms    ~1.00 ms      ~1.00 ms  >=1.00 ms\n"
"held       a\\x1b]0;owned\\x07  t\\x1b[2Jwo 200      3      100 us      500 us      500 us        500 us     500 us\n"
"running    a                  one 100           >=1    ~1.00 ms    ~1.00 ms    ~1.00 ms      ~1.00 ms  >=1.00 ms\n"
"running    a\\x1b]0;owned\\x07  t\\x1b[2Jwo 200      3      100 us      500 us      500 us        500 us     500 us\n"
"suspended  a\\x1b]0;owned\\x07  t\\x1b[2Jwo 200      1      100 us      100 us      100 us        100 us     100 us\n"
"\n"
"coroutine  label              process         parent  threads  slices    running         %  preempted  blocked  suspended  awaiting   ready         cycles  instructions          IPC   ran, max\n"
"       10  a                  one 100            n/a      >=1     >=1  >=1.00 ms   ~58.8 %     >=0 ns   >=0 ns     >=0 ns    >=0 ns  >=0 ns        ~4.00 k          >=10       ~<0.01  >=1.00 ms\n"
"       10  a\\x1b]0;owned\\x07  t\\x1b[2Jwo 200     n/a        1       2     600 us  <=35.3 %       0 ns     0 ns     100 us       n/a     n/a         1.10 k   unsupported  unsupported     500 us\n"
"       12  a\\x1b]0;owned\\x07  t\\x1b[2Jwo 200     n/a        1       1     100 us   <=5.9 %       0 ns     0 ns       0 ns      0 ns    0 ns  not scheduled   unsupported          n/a     100 us\n"
"\n"
"thread  name    process         slices    running  outside  switches\n"
"   101  thread  one 100            >=1  >=1.00 ms   >=0 ns  by ioctl: its library did not say why\n"
"   200  x\\x0a   t\\x1b[2Jwo 200       3     700 us     0 ns  by ioctl: its library did not say why\n"
"   103          one 100            >=0     >=0 ns   >=0 ns  n/a, not recorded\n");
}

static void shows_spans_samples_and_modes(void **state)
{
	struct gen *g = named();

	(void)state;
	gen_info(g, "switch_ns", "1000");
	gen_info(g, "switch_user_ns", "100");
	gen_info(g, "switch_user_instructions", "108");
	gen_info(g, "perf_event_paranoid", "3");
	gen_info(g, "sample_event", "cycles");
	gen_info(g, "sample_frequency", "997");
	gen_info(g, "sample_stack_max", "48");
	gen_label(g, 1, 3, "parse", 5);
	gen_mode(g, COROPROF_MODE_USER, 0);
	channel(g, 1, 1000000);
	channel(g, 2, 1000000);
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_PARANOID);
	gen_sample_error(g, ENOSPC, false);
	channel(g, 3, 1000000);
	gen_span(g, 1, &(struct gen_span){ .id = 10, .label = 3,
		 .time = 1700000, .duration = 600000, .running_ns = 600000,
		 .depth = 1, .count = { 600, 1200 } });
	gen_span(g, 1, &(struct gen_span){ .id = 10, .label = 2,
		 .time = 1800000, .duration = 800000, .running_ns = 800000,
		 .count = { 800, 1600 } });
	SLICE(g, 1, 10, 1000000, 2000000, .label = 1, .count = { 1000, 2000 });
	SLICE(g, 2, 11, 1000000, 2000000, .label = 1, .count = { 1000, 2000 });
	SLICE(g, 3, 12, 1000000, 2000000, .label = 1, .count = { 1000, 2000 });
	gen_sample(g, 1, &(struct gen_sample){ .time = 1500000, .id = 10,
		   .label = 1, .address = { 0x1000 } });
	gen_lost_samples(g, 1, 1600000, 4);
	gen_status(g, 1)->throttled = 2;
	assert_text(text_of(load(g)),
"summary     event loops busy 100.0 %, idle 0.0 %; coroutines blocked 0 ns\n"
"command     ./server --port 80\n"
"host        box, kernel 6.1.0, x86_64, 4 CPUs\n"
"recorded    2023-11-14 22:13:19 UTC, 1.00 ms; exit status 0\n"
"SIMULATED   the counts come from a simulated PMU (synthetic) and say nothing about any hardware\n"
"counters    cycles               counted\n"
"            instructions         counted\n"
"threads     3 in 1 process; checked 3: their slices sum to the threads' own totals\n"
"switches    2 threads from user mode, 1 by ioctl (perf_event_open() is not permitted; kernel.perf_event_paranoid is 3: record it as root, or sudo sysctl kernel.perf_event_paranoid=2)\n"
"slices      3, lost 0\n"
"spans       2, lost 0\n"
"samples     1 of cycles, 997 a second of each thread's time on a CPU, with up to 48 callers; lost 4, throttled 2 times\n"
"            none of 1 of 3 threads: No space left on device\n"
"time        3.00 ms of threads: running 100.0 % (outside coroutines 0.0 %), preempted 0.0 %, blocked 0.0 %, idle 0.0 %\n"
"overhead    >=0.0 % of the time on a CPU, without what was not measured: 1000 ns a switch by ioctl, 100 ns a switch from user mode (108 instructions in user mode); not subtracted\n"
"\n"
"running, preempted, blocked: on a CPU; off it while runnable; off it asleep in the kernel\n"
"suspended: between slices; awaiting, ready: its parts, before and after being made ready; >= where a part is not known\n"
"\n"
"label  coroutines  slices  running        %  ran, 99 %  ran, max  preempted  blocked  suspended  awaiting  ready  samples  cycles  instructions   IPC  per slice\n"
"a               3       3  3.00 ms  100.0 %    1.00 ms   1.00 ms       0 ns     0 ns       0 ns      0 ns   0 ns      >=1  3.00 k        6.00 k  2.00    1.00 ms\n"
"\n"
"latency: held: from switch-in to switch-out; the 5 that are longest of each kind; all: --table latency, the longest one by one: --table worst\n"
"\n"
"what     label  span   times  50 % below  90 % below  99 % below  99.9 % below  longest\n"
"span     -      b          1      800 us      800 us      800 us        800 us   800 us\n"
"span     -      parse      1      600 us      600 us      600 us        600 us   600 us\n"
"held     a      -          3     1.00 ms     1.00 ms     1.00 ms       1.00 ms  1.00 ms\n"
"running  a      -          3     1.00 ms     1.00 ms     1.00 ms       1.00 ms  1.00 ms\n"
"\n"
"coroutine  label  parent  threads  slices  running       %  preempted  blocked  suspended  awaiting  ready  samples  cycles  instructions   IPC  ran, max\n"
"       10  a         n/a        1       1  1.00 ms  33.3 %       0 ns     0 ns       0 ns      0 ns   0 ns      >=1  1.00 k        2.00 k  2.00   1.00 ms\n"
"       11  a         n/a        1       1  1.00 ms  33.3 %       0 ns     0 ns       0 ns      0 ns   0 ns      >=0  1.00 k        2.00 k  2.00   1.00 ms\n"
"       12  a         n/a        1       1  1.00 ms  33.3 %       0 ns     0 ns       0 ns      0 ns   0 ns      >=0  1.00 k        2.00 k  2.00   1.00 ms\n"
"\n"
"own: without the spans in it; total: with them, of outermost calls; <= where spans that may have been in it had begun before the recording\n"
"\n"
"span   in  calls  outermost  own running  total running  own wall  total wall  own cycles  total cycles  own instructions  total instructions\n"
"parse  a       1          1       600 us         600 us    600 us      600 us         600           600            1.20 k              1.20 k\n"
"b      a       1          1       200 us         800 us    200 us      800 us         200           800               400              1.60 k\n"
"\n"
"samples: own in the function itself, total in it or what it called\n"
"\n"
"label  own         %  total         %  function   object\n"
"a      >=1  ~100.0 %    >=1  ~100.0 %  [unknown]  -\n"
"\n"
"thread  name    slices  running  outside  samples  switches\n"
"   101  thread       1  1.00 ms     0 ns      >=1  from user mode\n"
"   102  thread       1  1.00 ms     0 ns        0  from user mode\n"
"   103  thread       1  1.00 ms     0 ns      n/a  by ioctl: perf_event_open() is not permitted\n");
}

static void shows(char *text, const char *wanted)
{
	if (!strstr(text, wanted))
		fail_msg("'%s' is not in:\n%s", wanted, text);
}

static void reports_a_thread_by_its_tid(void **state)
{
	struct gen *g = named();
	char *text;

	(void)state;
	gen_info(g, "cpus", "1");
	channel(g, 1, 1000000);
	SLICE(g, 1, THREAD(1), 1000000, 1010000);
	SLICE(g, 1, 10, 1010000, 1020000, .parent = THREAD(1), .flags = COROPROF_SLICE_FRESH);
	SLICE(g, 1, 11, 1020000, 1030000, .parent = THREAD(2), .flags = COROPROF_SLICE_FRESH);
	text = text_of(load(g));
	shows(text, ", 1 CPU\n");
	shows(text, "parent");
	shows(text, "thread 101");
	shows(text, "    thread   ");
	free(text);
}

static void shows_an_empty_recording_and_says_what_to_do(void **state)
{
	struct model *m = load(named());

	(void)state;
	assert_int_equal(nothing_make(m), 0);
	assert_text(text_of(m),
"summary     nothing ran\n"
"command     ./server --port 80\n"
"host        box, kernel 6.1.0, x86_64, 4 CPUs\n"
"recorded    nothing; exit status 0\n"
"SIMULATED   the counts come from a simulated PMU (synthetic) and say nothing about any hardware\n"
"NOTHING     1 process made itself known, and switched no coroutine while it was recorded.\n"
"            Record for longer, or while the program has work to do.\n"
"counters    cycles               n/a, nothing ran\n"
"            instructions         n/a, nothing ran\n"
"threads     none\n"
"slices      0, lost 0\n"
"samples     n/a, none were to be taken\n"
"overhead    n/a\n");
}

/* Nothing that a recording holds reaches a terminal as a control character. */
static void steers_no_terminal(void **state)
{
	char *text;

	(void)state;
	gen_close(begin_file(), true);
	assert_true(gen_scenario("hostile", recording_path));
	text = text_of(load_path(recording_path, NULL));
	unlink(recording_path);
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || ((unsigned char)*p >= 0x20 && *p != 0x7f));
	assert_non_null(strstr(text, "\\x1b[31mred"));
	free(text);
}

static void says_what_it_leaves_out(void **state)
{
	const struct model_options options = { .coroutines = 30 };
	struct gen *g = named();
	char *text;

	(void)state;
	channel(g, 1, 1000);
	for (uint32_t i = 0; i < 150; i++)
		SLICE(g, 1, 10 + i, 1000 + 10 * i, 1010 + 10 * i,
		      .label = 1000 + i);
	text = text_of(load_with(g, &options));
	assert_non_null(strstr(text, "\nand 50 more labels\n"));
	assert_non_null(strstr(text, "\nthe 20 of 150 coroutines that ran for longest\n"));
	assert_non_null(strstr(text, "\n120 coroutines are in the labels' figures only"));
	free(text);
}

/* Three labels: a ran for longest, b had most slices, c counted most cycles. */
static struct model *three_labels(void)
{
	struct gen *g = named();

	gen_label(g, 1, 21, "a", 1);
	gen_label(g, 1, 22, "b", 1);
	gen_label(g, 1, 23, "c", 1);
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 1030000, .label = 21, .count = { 200, 100 });
	SLICE(g, 1, 11, 1030000, 1040000, .label = 22, .count = { 100, 100 });
	SLICE(g, 1, 11, 1040000, 1050000, .label = 22, .count = { 100, 100 });
	SLICE(g, 1, 12, 1050000, 1060000, .label = 23, .count = { 900, 100 });
	return load(g);
}

/* What comes after the header and the legend. */
static void assert_tables(const struct view_options *view, const char *want)
{
	char *text = text_with(three_labels(), view);
	char *tables = strstr(text, "\n\nlabel");

	assert_non_null(tables);
	if (strcmp(tables + 2, want))
		fail_msg("got\n%s---- want\n%s----", tables + 2, want);
	free(text);
}

static void shows_the_columns_and_rows_asked_for(void **state)
{
	(void)state;
	assert_tables(&(struct view_options){ .columns = "slices,99-%-BELOW", .top = 2 },
"label  slices\n"
"a           1\n"
"b           2\n"
"and 1 more label\n"
"\n"
"coroutine  label  slices\n"
"       10  a           1\n"
"       11  b           2\n"
"the 2 of 3 coroutines that ran for longest\n"
"\n"
"thread  name    slices\n"
"   101  thread       4\n");
}

static void leaves_out_tables_without_such_a_column(void **state)
{
	(void)state;
	assert_tables(&(struct view_options){ .columns = "coroutines" },
"label  coroutines\n"
"a               1\n"
"b               1\n"
"c               1\n");
}

static void shows_the_rows_and_tables_that_have_something_in_a_column(void **state)
{
	char *text = text_with(three_labels(), &(struct view_options){ .wheres = { "label=b" },
								       .nr_wheres = 1,
								       .columns = "slices" });
	char *tables = strstr(text, "\n\n1 of 3 rows");

	(void)state;
	assert_non_null(tables);
	assert_string_equal(tables,
"\n\n1 of 3 rows: label=b\n"
"label  slices\n"
"b           2\n"
"\n"
"1 of 3 rows: label=b\n"
"coroutine  label  slices\n"
"       11  b           2\n");
	free(text);
}

/* What text says of the labels with such a condition. */
static void assert_where(struct model *m, const char *where, const char *want)
{
	char *text = text_with(m, &(struct view_options){ .wheres = { where },
							  .nr_wheres = 1,
							  .columns = "slices" });

	if (!strstr(text, want))
		fail_msg("%s: got\n%s---- without\n%s----", where, text, want);
	free(text);
}

static void takes_any_pattern(void **state)
{
	char *stars = malloc(100000), *brackets = malloc(100000);

	(void)state;
	memset(stars, '*', 100000);
	memset(brackets, '[', 100000);
	memcpy(stars, "label=", 6);
	memcpy(brackets, "label=", 6);
	stars[99999] = brackets[99999] = '\0';
	assert_where(three_labels(), "label=", "\n0 of 3 rows: label=\n");
	assert_where(three_labels(), "label=[", "\n0 of 3 rows: label=[\n");
	assert_where(three_labels(), "label=[a", "\n0 of 3 rows: label=[a\n");
	assert_where(three_labels(), "label=[a-b]", "\n2 of 3 rows: label=[a-b]\n");
	assert_where(three_labels(), "label=\\", "\n0 of 3 rows: label=\\\n");
	assert_where(three_labels(), stars, "\n3 of 3 rows: label=***");
	assert_where(three_labels(), brackets, "\n0 of 3 rows: label=[[[");
	assert_where(three_labels(), "label=\xff\x1b[2J",
		     "\n0 of 3 rows: label=\xef\xbf\xbd\\x1b[2J\n");
	free(stars);
	free(brackets);
}

static void says_how_many_coroutines_fit_and_are_not_shown(void **state)
{
	char *text = text_with(three_labels(), &(struct view_options){ .wheres = { "label=[bc]" },
								       .nr_wheres = 1,
								       .columns = "id",
								       .top = 1 });

	(void)state;
	assert_non_null(strstr(text, "\n2 of 3 rows: label=[bc]\ncoroutine  label\n       11  b\nand 1 more row\n"));
	assert_null(strstr(text, "that ran for longest"));
	free(text);
}

static void finds_a_name_that_is_no_pattern(void **state)
{
	struct gen *g = named();

	(void)state;
	gen_label(g, 1, 21, "[libc.so.6]", 11);
	gen_label(g, 1, 22, "b", 1);
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 1030000, .label = 21);
	SLICE(g, 1, 11, 1030000, 1040000, .label = 22);
	assert_where(load(g), "label=[libc.so.6]", "\n2 of 2 rows: label=[libc.so.6]\n");
}

static void sorts_by_figures_and_by_names(void **state)
{
	(void)state;
	assert_tables(&(struct view_options){ .sort = "Cycles", .columns = "ipc", .top = 2 },
"label   IPC\n"
"c      0.11\n"
"a      0.50\n"
"and 1 more label\n"
"\n"
"coroutine  label   IPC\n"
"       12  c      0.11\n"
"       10  a      0.50\n"
"2 of 3 coroutines, the first by Cycles\n"
"\n"
"thread  name     IPC\n"
"   101  thread  0.31\n");
	assert_tables(&(struct view_options){ .sort = "slices", .columns = "per-slice", .top = 1 },
"label  per slice\n"
"b        10.0 us\n"
"and 2 more labels\n");
	assert_tables(&(struct view_options){ .sort = "label", .columns = "coroutines" },
"label  coroutines\n"
"a               1\n"
"b               1\n"
"c               1\n");
}

static void shows_any_table_and_column(void **state)
{
	char *text =
		text_with(three_labels(), &(struct view_options){ .table = "coroutines",
								  .top = 1,
								  .columns = "moves,first,flags" });

	(void)state;
	shows(text,
"\n\ncoroutine  label  moves  first  flags\n"
"       10  a          0   0 ns  \n"
"the 1 of 3 coroutines that ran for longest\n");
	free(text);
	text = text_with(three_labels(), &(struct view_options){ .table = "processes" });
	shows(text,
"\n\npid  name  coroutines  reported by\n"
"100  one            3  n/a\n");
	free(text);
}

static void puts_parts_of_wide_tables_below_each_other(void **state)
{
	(void)state;
	assert_tables(&(struct view_options){ .columns = "slices,running,longest,coroutines",
					      .top = 1,
					      .width = 36 },
		      "label  coroutines  slices  running\n"
		      "a               1       1  30.0 us\n"
		      "\n"
		      "label  ran, max\n"
		      "a       30.0 us\n"
		      "and 2 more labels\n"
		      "\n"
		      "coroutine  label  slices  running\n"
		      "       10  a           1  30.0 us\n"
		      "\n"
		      "coroutine  label  ran, max\n"
		      "       10  a       30.0 us\n"
		      "the 1 of 3 coroutines that ran for\n"
		      "  longest\n"
		      "\n"
		      "thread  name    slices  running\n"
		      "   101  thread       4  60.0 us\n");
}

static void knows_columns_that_there_are_not(void **state)
{
	struct model *m = three_labels();
	struct error err;

	(void)state;
	assert_int_equal(text_check(m, &(struct view_options){ .sort = "per-slice" }, &err), 0);
	assert_int_equal(text_check(m, &(struct view_options){ .columns = "ipc,slices" }, &err), 0);
	assert_int_equal(text_check(m, &(struct view_options){ .sort = "slice" }, &err), -EINVAL);
	shows(err.message, "--sort slice:");
	shows(err.message, "near to it: slices");
	assert_int_equal(text_check(m, &(struct view_options){ .columns = "ipc,nix" }, &err),
			 -EINVAL);
	shows(err.message, "--columns nix:");
	/* Of a table that this recording does not have. */
	assert_int_equal(text_check(m, &(struct view_options){ .sort = "own-running" }, &err),
			 -EINVAL);
	model_free(m);
}

/* The text as it comes out of a terminal of so many columns. */
static char *text_on_terminal(struct model *m, const char *columns, unsigned short width)
{
	struct winsize size = { .ws_row = 24, .ws_col = width };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	char *text = calloc(1, 65536);
	size_t used = 0;
	ssize_t n;
	FILE *file;

	assert_int_equal(grantpt(master) || unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0 && text);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	fcntl(master, F_SETFL, O_NONBLOCK);
	file = fdopen(slave, "w");
	setvbuf(file, NULL, _IOFBF, 65536);
	assert_int_equal(text_write(m, &(struct view_options){ .columns = columns }, file), 0);
	assert_int_equal(fflush(file), 0);
	while (used < 65535 && (n = read(master, text + used, 65535 - used)) > 0)
		used += (size_t)n;
	fclose(file);
	close(master);
	model_free(m);
	return text;
}

static void fits_the_terminal(void **state)
{
	static const char columns[] = "running,slices,coroutines,longest";
	char *text;

	(void)state;
	unsetenv("COLUMNS");
	text = text_on_terminal(three_labels(), columns, 30);
	shows(text, "label  running  ran, max\r\n");
	free(text);
	text = text_on_terminal(three_labels(), columns, 120);
	shows(text, "label  coroutines  slices  running  ran, max\r\n");
	free(text);
	setenv("COLUMNS", "30", 1);
	text = text_on_terminal(three_labels(), columns, 0);
	shows(text, "label  running  ran, max\r\n");
	free(text);
	unsetenv("COLUMNS");
}

/* Labels that are wide, findings, spans, and switches that are not as they could be. */
static struct model *wordy(void)
{
	static const char wide[] = "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e of the server";
	struct gen *g = named();

	gen_info(g, "perf_event_paranoid", "3");
	gen_label(g, 1, 21, wide, (uint32_t)strlen(wide));
	gen_mode(g, COROPROF_MODE_IOCTL, COROPROF_REASON_PARANOID);
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 5000000, .label = 21, .count = { 200, 100 },
	      .blocked_ns = 3000000, .nr_blocked = 2);
	SLICE(g, 1, 11, 5000000, 9000000, .label = 1, .count = { 900, 100 });
	gen_span(g, 1, &(struct gen_span){ .id = 11, .label = 21, .time = 8000000,
		 .duration = 1000000, .running_ns = 1000000, .count = { 100, 10 } });
	return load(g);
}

/* Up to the first empty line, without the ends of lines, spaces alike. */
static void take_head(char *text)
{
	char *end = strstr(text, "\n\n"), *to = text;

	assert_non_null(end);
	*end = '\0';
	for (const char *p = text; *p; p++)
		if ((*p != ' ' && *p != '\n') || (to > text && to[-1] != ' '))
			*to++ = *p == '\n' ? ' ' : *p;
	*to = '\0';
}

static void drop_returns(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++)
		if (*p != '\r')
			*to++ = *p;
	*to = '\0';
}

/* Returns how many lines of @text are wider than the terminal, but for the command to copy. */
static unsigned int count_wider(const char *text, size_t width)
{
	char *copy = strdup(text), *rest;
	unsigned int nr = 0;

	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		nr += printable_width(line) > width &&
		      strncmp(line, "            sudo sysctl ", 24);
	free(copy);
	return nr;
}

static void wraps_what_is_no_table_at_words_of_a_terminal(void **state)
{
	static const unsigned short widths[] = { 60, 80, 100 };
	struct model *m = wordy();
	char *wide, *text;

	(void)state;
	assert_int_equal(findings_make(m), 0);
	wide = text_with(m, &(struct view_options){ 0 });
	shows(wide, "\n            \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e of the server held its thread 4.00 ms at most");
	assert_true(count_wider(wide, 100) > 8);
	take_head(wide);
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		m = wordy();
		assert_int_equal(findings_make(m), 0);
		text = text_on_terminal(m, NULL, widths[i]);
		drop_returns(text);
		if (count_wider(text, widths[i]))
			fail_msg("wider than %u:\n%s", widths[i], text);
		shows(text, " sudo sysctl kernel.perf_event_paranoid=2)\n");
		take_head(text);
		assert_string_equal(text, wide);
		free(text);
	}
	free(wide);
}

/* One that has no room even with nothing beside it but the names. */
static void cuts_a_cell_that_is_wider_than_a_terminal(void **state)
{
	static const char *const wide[] = { "findings", "modes", "threads", "processes" };
	static const unsigned short widths[] = { 30, 40, 60, 80 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wide) * ARRAY_SIZE(widths); i++) {
		unsigned short width = widths[i % ARRAY_SIZE(widths)];
		const char *table = wide[i / ARRAY_SIZE(widths)];
		struct model *m = wordy();
		char *text, *rows;

		assert_int_equal(findings_make(m), 0);
		text = text_with(m, &(struct view_options){ .table = table, .width = width });
		rows = strstr(text, "\n\n");
		assert_non_null(rows);
		if (count_wider(rows, width))
			fail_msg("%s is wider than %u:%s", table, width, rows);
		if (width < 60 && !strcmp(table, "findings"))
			shows(rows, "...");
		free(text);
	}
}

/* Times are no counts; and where there is no PMU, it is not for the event. */
static void knows_what_counters_are(void **state)
{
	const struct coroprof_counter clock = { .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK };
	const struct coroprof_counter_state states[] = {
		{ .counter = cycles, .error = ENOENT },
		{ .counter = clock },
	};
	struct gen *g = named();
	char *text;

	(void)state;
	gen_counter(g, &clock, "task-clock");
	gen_info(g, "pmu", "breakpoint,software");
	gen_info(g, "hypervisor", "yes");
	gen_channel(g, 1, 1, 100, "t", 1000000, states, 2);
	SLICE(g, 1, 10, 1000000, 2000000, .label = 1, .count = { 0, 1500000 },
	      .standing = 0xc, .missing_ns = { 1000000 });
	text = text_of(load(g));
	assert_non_null(strstr(text, "cycles               unsupported: this virtual machine has no PMU"));
	assert_null(strstr(text, "ENOENT"));
	assert_non_null(strstr(text, "  1.50 ms  "));
	free(text);
}

/*
 * 34 bytes that are no UTF-8 are 102 when they are printable: no character may lose a part of
 * itself.
 */
static void titles_are_of_whole_characters(void **state)
{
	char bad[200], room[ROW_TITLE_SIZE];
	struct gen *g = named();
	struct model *m;
	size_t used;

	(void)state;
	memset(bad, 0xff, sizeof(bad));
	gen_label(g, 1, 9, bad, sizeof(bad));
	channel(g, 1, 1000000);
	SLICE(g, 1, 10, 1000000, 2000000, .label = 9, .flags = COROPROF_SLICE_FIRST);
	m = load(g);
	for (uint32_t row = 0; row < m->nr_coroutines; row++) {
		const char *title = row_title(table_named("coroutines"), m, row, room);

		used = strlen(title);
		assert_int_equal(strspn(title, "\xef\xbf\xbd") % 3, 0);
		assert_true(used < ROW_TITLE_SIZE && !strcmp(title + used - 4, " #10"));
	}
	assert_int_equal(m->nr_coroutines, 1);
	model_free(m);
}

static const struct view_options digest = { .digest = true };

static void digest_shows_a_sound_recording(void **state)
{
	(void)state;
	assert_text(text_with(load(sound()), &digest),
"command     ./server --port 80\n"
"recorded    2023-11-14 22:13:19 UTC, 3.01 ms; exit status 0; Linux 6.1.0, x86_64, 4 CPUs\n"
"note        before \\x1b[2J the fix\n"
"SIMULATED   the counts come from a simulated PMU (synthetic) and say nothing about any hardware\n"
"threads     1: running 88.4 %, preempted 8.3 %, blocked 3.3 %, idle 0.0 %; sums hold, lost 0,\n"
"            overhead >=0.0 %\n"
"\n"
"label                 coroutines  slices  running       %  held, 50 %  held, 99 %  ready, 99 %\n"
"a                              1       2  2.25 ms  84.6 %      500 us     2.00 ms       100 us\n"
"b                              1       1   400 us  15.0 %      500 us      500 us          n/a\n"
"(outside coroutines)           -       1  10.0 us   0.4 %           -           -            -\n"
"\n"
"held a thread longest\n"
"   held  label  coroutine     begin  running  preempted  blocked  woken by\n"
"2.00 ms  a             10     10 us  1.75 ms     250 us     0 ns  -\n"
" 500 us  b             11  2.010 ms   400 us       0 ns   100 us  -\n"
" 500 us  a             10  2.510 ms   500 us       0 ns     0 ns  b #11\n"
"\n"
"ready longest\n"
" ready  label  coroutine     begin  woken by\n"
"100 us  a             10  2.410 ms  b #11\n"
"\n"
"counters    cycles, instructions counted\n"
"switches    1 thread by ioctl (its library did not say why: build it with libcoroprof of this\n"
"            version)\n"
"more        coroprof slow LABEL; --table latency, coroutines, threads, wakes; --all; page: -o x.html\n");
}

/* Alarms are in the head, before any figure. */
static void digest_says_what_is_wrong(void **state)
{
	struct gen *g = sound();
	char *text;

	(void)state;
	gen_lost(g, 1, 4010000, 17, 0);
	text = text_with(load(g), &digest);
	assert_non_null(strstr(text, "lost >=17"));
	assert_true(strstr(text, "they are in no figure below") < strstr(text, "\nlabel "));
	free(text);
}

/* What is asked for is shown, and not the digest. */
/* The head is the digest's, the tables are those that are asked for. */
static void digest_is_the_head_of_what_else_is_asked_for(void **state)
{
	const struct view_options looks[] = {
		{ .table = "threads" }, { .sort = "slices" }, { .top = 3 }, { .columns = "slices" },
		{ .wheres = { "slices>0" }, .nr_wheres = 1 },
	};
	char *digest =
		text_with(load(sound()), &(struct view_options){ .digest = true, .width = 100 });
	size_t head = (size_t)(strstr(digest, "\n\n") - digest);
	char *all, *text;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		struct view_options view = looks[i];

		view.width = 100;
		all = text_with(load(sound()), &view);
		view.digest = true;
		text = text_with(load(sound()), &view);
		assert_int_equal(strstr(text, "\n\n") - text, head);
		assert_memory_equal(text, digest, head);
		assert_string_equal(strstr(text, "\n\n"), strstr(all, "\n\n"));
		free(all);
		free(text);
	}
	free(digest);
}

/* Fails if a line is wider. Returns how many lines there are. */
static unsigned int lines_within(char *text, size_t width)
{
	unsigned int lines = 0;
	char *rest;

	for (char *line = text; *line; line = rest, lines++) {
		rest = strchr(line, '\n');
		assert_non_null(rest);
		*rest++ = '\0';
		if (printable_width(line) > width)
			fail_msg("%zu columns: %s", printable_width(line), line);
	}
	free(text);
	return lines;
}

/* Long names, many labels, wakes. */
static struct model *crowded(void)
{
	struct gen *g = named();
	char name[96];

	for (uint32_t i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "handlers::a_module_of_a_long_name::function_of_a_longer_name<%u>", i);
		gen_label(g, 1, 10 + i, name, (uint32_t)strlen(name));
	}
	channel(g, 1, 1000000);
	for (uint32_t i = 0; i < 600; i++)
		SLICE(g, 1, 100 + i % 300, 1000000 + i * 2000000, 3000000 + i * 2000000, .label = 10 + i % 60,
		      .wake_time = 900000 + i * 2000000, .waker = 100 + (i + 1) % 300,
		      .count = { 900000, 600000 }, .flags = i ? 0 : COROPROF_SLICE_FIRST);
	return load(g);
}

static void digest_is_one_screen(void **state)
{
	static const uint32_t widths[] = { 0, 200, 100 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		const struct view_options view = { .digest = true, .width = widths[i] };

		assert_in_range(lines_within(text_with(crowded(), &view), 100), 20, 40);
	}
}

/* The last columns are not shown, before names are cut. */
static void digest_is_one_screen_on_a_narrow_terminal(void **state)
{
	static const uint32_t widths[] = { 90, 80, 60, 40 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		const struct view_options view = { .digest = true, .width = widths[i] };

		assert_in_range(lines_within(text_with(crowded(), &view), widths[i]), 20, 60);
	}
}

/* Names of C++ may have thousands of characters. */
static void digest_cuts_functions(void **state)
{
	static char name[5000];
	struct model *m = load(sound());

	(void)state;
	memset(name, 'f', sizeof(name) - 1);
	m->frames = calloc(5, sizeof(*m->frames));
	m->label_frames = calloc(5, sizeof(*m->label_frames));
	assert_true(m->frames && m->label_frames);
	m->nr_frames = m->nr_label_frames = 5;
	for (uint32_t i = 0; i < 5; i++) {
		m->frames[i].name = strdup(name);
		m->label_frames[i] = (struct model_label_frame){
			.label = label_row(m, 1, "a"), .frame = i, .own = 10, .total = 10,
		};
	}
	m->labels[label_row(m, 1, "a")].samples = 50;
	assert_in_range(lines_within(text_with(m, &digest), 100), 20, 40);
}

static void digest_of_nothing_says_what_to_do(void **state)
{
	char *text = text_with(load(named()), &digest);

	(void)state;
	assert_non_null(strstr(text, "threads     none\n"));
	assert_null(strstr(text, "hold"));
	free(text);
}

/* Those that are wrong are said first, and how many are not said. */
static void digest_says_which_threads_are_wrong(void **state)
{
	struct gen *g = named();
	char *text;

	(void)state;
	for (uint32_t i = 1; i < 9; i++)
		channel(g, i, 1000000);
	for (uint32_t i = 1; i < 9; i++) {
		SLICE(g, i, THREAD(i), 1000000, 1010000, .count = { 9000, 6000 },
		      .flags = COROPROF_SLICE_FIRST);
		gen_lost(g, i, 1010000, 1, true);
	}
	gen_channel_error(g, 20, 1, 120, 1000000, ENOSPC);
	text = text_with(load(g), &digest);
	assert_non_null(strstr(text, "thread 120"));
	assert_non_null(strstr(text, "NOT RECORDED"));
	assert_non_null(strstr(text, "sums hold in 0 of 9"));
	assert_non_null(strstr(text, "not checked in 8"));
	free(text);
}

static void reports_a_full_disk(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct model *m = load(named());

	(void)state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(text_write(m, &(struct view_options){ 0 }, full), -1);
	fclose(full);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_a_sound_recording),
		cmocka_unit_test(shows_idle_threads),
		cmocka_unit_test(shows_what_was_unreported),
		cmocka_unit_test(shows_what_is_wrong),
		cmocka_unit_test(shows_spans_samples_and_modes),
		cmocka_unit_test(reports_a_thread_by_its_tid),
		cmocka_unit_test(shows_an_empty_recording_and_says_what_to_do),
		cmocka_unit_test(steers_no_terminal),
		cmocka_unit_test(says_what_it_leaves_out),
		cmocka_unit_test(shows_the_columns_and_rows_asked_for),
		cmocka_unit_test(leaves_out_tables_without_such_a_column),
		cmocka_unit_test(shows_the_rows_and_tables_that_have_something_in_a_column),
		cmocka_unit_test(takes_any_pattern),
		cmocka_unit_test(says_how_many_coroutines_fit_and_are_not_shown),
		cmocka_unit_test(finds_a_name_that_is_no_pattern),
		cmocka_unit_test(sorts_by_figures_and_by_names),
		cmocka_unit_test(shows_any_table_and_column),
		cmocka_unit_test(puts_parts_of_wide_tables_below_each_other),
		cmocka_unit_test(knows_columns_that_there_are_not),
		cmocka_unit_test(fits_the_terminal),
		cmocka_unit_test(wraps_what_is_no_table_at_words_of_a_terminal),
		cmocka_unit_test(cuts_a_cell_that_is_wider_than_a_terminal),
		cmocka_unit_test(knows_what_counters_are),
		cmocka_unit_test(titles_are_of_whole_characters),
		cmocka_unit_test(digest_shows_a_sound_recording),
		cmocka_unit_test(digest_says_what_is_wrong),
		cmocka_unit_test(digest_is_the_head_of_what_else_is_asked_for),
		cmocka_unit_test(digest_is_one_screen),
		cmocka_unit_test(digest_is_one_screen_on_a_narrow_terminal),
		cmocka_unit_test(digest_cuts_functions),
		cmocka_unit_test(digest_of_nothing_says_what_to_do),
		cmocka_unit_test(digest_says_which_threads_are_wrong),
		cmocka_unit_test(reports_a_full_disk),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
