// SPDX-License-Identifier: GPL-2.0
/*
 * bench-push: what it takes to send a window of 10 seconds, of 200 labels, in which there were a thousand, 100 thousand and a
 * million slices: bytes and series of a label, and processor time of the thread that sends, all but the network. Once all are
 * by name, and once as many as are by default.
 * bench-push json: for make bench, of 100 thousand slices, with all 200 by name.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "cprof/file.h"
#include "gen/recording.h"
#include "profile/model.h"
#include "push/otlp.h"
#include "push/packed.h"
#include "push/reading.h"

#define LABELS		200u
#define COUNTERS	3
#define WINDOW_NS	(10 * SECOND_NS)
#define SEGMENT		10000u
#define TIMES		5u

static uint64_t seed = 88172645463325252ull;

static uint64_t random_number(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Lengths as they are: of many orders of magnitude, each label around its own. */
static uint64_t length(unsigned int label, uint64_t most)
{
	uint64_t ns = (100ull << (label % 8)) << (random_number() % 7);

	ns += random_number() % ns;
	return ns < most ? ns : most;
}

/* Each slice is a coroutine's only one. */
static void generate(const char *path, uint32_t slices)
{
	struct gen *g = gen_open(path);
	uint64_t at = SECOND_NS, room = WINDOW_NS / slices;

	gen_counter(g, &cycles, "cycles");
	gen_counter(g, &instructions, "instructions");
	gen_counter(g, &(struct coroprof_counter)HW(PERF_COUNT_HW_CACHE_MISSES), "cache-misses");
	gen_process(g, 1, 100, "server", SECOND_NS);
	for (uint32_t l = 1; l <= LABELS; l++) {
		char name[64];
		int size = snprintf(name, sizeof(name), "handle_request_of_kind_%u", l * 7919 % 1000);

		gen_label(g, 1, l, name, (uint32_t)size);
	}
	gen_channel(g, 1, 1, 100, "server", SECOND_NS, NULL, 0);
	for (uint32_t i = 0; i < slices; i++) {
		uint32_t label = 1 + (uint32_t)(random_number() % LABELS);
		uint64_t ns = length(label, room * 3 / 4);

		gen_slice(g, 1, &(struct gen_slice){
			.id = i + 1, .time = at + ns, .duration = ns, .label = label,
			.flags = COROPROF_SLICE_FRESH | COROPROF_SLICE_END,
			.wake_time = at - length(label + 3, 1000000), .waker = COROPROF_ID_THREAD | 1,
			.count = { ns * 2, ns * 3, ns / 50 },
		});
		at += room;
		if (i % SEGMENT == SEGMENT - 1)
			gen_drain(g, 1);
	}
	gen_close(g, true);
}

/**
 * struct cost - of a window
 * @labels: by name
 * @named:  series of these
 * @most:   series there may be
 */
struct cost {
	uint64_t cpu_ns;
	uint64_t points;
	uint64_t series;
	size_t raw;
	size_t size;
	uint32_t labels;
	uint64_t named;
	uint64_t most;
};

static void send_window(struct book *book, const struct book_window *window, const char *path,
			struct cost *cost)
{
	uint64_t before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct proto request = { 0 };
	struct model *model;
	struct file *file;
	struct error err;

	book_turn(book, window);
	if (file_open(&file, path, &err) || model_load(&model, file, &reading_options, &err) ||
	    !book_take(book, model, window))
		exit(1);
	file_close(file);
	model_free(model);
	cost->points = otlp_write(&request, book, "web1.example");
	cost->raw = request.bytes.size;
	cost->series = book_series(book);
	free(packed(request.bytes.data, request.bytes.size, &cost->size));
	proto_free(&request);
	book_written(book);
	cost->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
}

/* What the last of five windows takes, of a recording that is read from @path, with that many labels by name at most. */
static struct cost measure(const char *path, uint32_t labels)
{
	const struct choice choice = { .most = labels };
	struct cost cost = { 0 };
	uint64_t least = UINT64_MAX;
	struct book book;

	if (!book_begin(&book, &choice, true, "coroprof", 1))
		exit(1);
	for (unsigned int i = 0; i < TIMES; i++) {
		struct book_window w = {
			.begin_ns = SECOND_NS + i * WINDOW_NS,
			.end_ns = SECOND_NS + (i + 1) * WINDOW_NS,
		};

		send_window(&book, &w, path, &cost);
		if (cost.cpu_ns < least)
			least = cost.cpu_ns;
	}
	cost.cpu_ns = least;
	cost.labels = book.nr_labels;
	cost.named = book.named;
	cost.most = choice_series(&choice);
	book_free(&book);
	return cost;
}

static double share(const struct cost *c)
{
	return (double)c->cpu_ns / (double)WINDOW_NS;
}

static void say(const char *path, uint32_t slices, uint32_t labels)
{
	struct cost c = measure(path, labels);

	printf("%u slices, %u labels of %u by name: push_bytes_per_label %.0f (%.0f before they are compressed), points_per_label %.1f, series_per_label %.1f, series %" PRIu64 " of at most %" PRIu64 ", push_cpu_share %.5f\n",
	       slices, c.labels, LABELS, (double)c.size / c.labels, (double)c.raw / c.labels,
	       (double)c.points / c.labels, (double)c.named / c.labels, c.series, c.most, share(&c));
}

static void say_json(const char *path, uint32_t slices)
{
	struct cost all = measure(path, 2 * LABELS), some = measure(path, CHOICE_LABELS);

	printf("{\n\"push_bytes_per_label\": {\"value\": %.1f, \"unit\": \"bytes\", \"how\": \"--push: a label in a request, compressed, of %u labels with three counters and three histograms; goal: at most 300\"},\n",
	       (double)all.size / all.labels, all.labels);
	printf("\"push_cpu_share\": {\"value\": %.5f, \"unit\": \"ratio\", \"how\": \"--push: processor time of the thread that sends, all but the network, of a core: %u labels, %u slices each 10 s; goal: at most 0.005\"},\n",
	       share(&all), all.labels, slices);
	printf("\"push_series\": {\"value\": %" PRIu64 ", \"unit\": \"series\", \"how\": \"--push: of the same with --push-max-labels %u, the default, in an engine that makes one of each bucket; %u labels are by name; goal: at most 1500\"}\n}\n",
	       some.series, CHOICE_LABELS, some.labels);
}

int main(int argc, char **argv)
{
	static const uint32_t sizes[] = { 1000, 100000, 1000000 };
	const bool json = argc > 1 && !strcmp(argv[1], "json");
	char path[] = "/tmp/bench-push-XXXXXX";

	close(mkstemp(path));
	for (unsigned int s = 0; s < ARRAY_SIZE(sizes); s++) {
		if (json && s != 1)
			continue;
		generate(path, sizes[s]);
		if (json) {
			say_json(path, sizes[s]);
			continue;
		}
		say(path, sizes[s], 2 * LABELS);
		say(path, sizes[s], CHOICE_LABELS);
	}
	unlink(path);
	return 0;
}
