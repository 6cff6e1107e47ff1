// SPDX-License-Identifier: GPL-2.0
#include <linux/perf_event.h>
#include <string.h>

#include "gen/gen.h"
#include "gen/requests.h"

#define BEGIN		1000000000ULL
#define COROUTINES	60u	/* of each label */
#define SLICES		4u
#define WORK		100000u	/* ns of a slice of the first label, twice that of the second ... */
#define SPREAD		10u	/* percent, up and down */

enum { HEAVY = 1, LIGHT, TEMPLATE, LOGGER, LABELS = LOGGER, TWICE, QUERY, AUDIT };

static uint64_t random_of(uint64_t *seed, uint64_t below)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*seed >> 33) % below;
}

static void label(struct gen *g, uint32_t nr, const char *text)
{
	gen_label(g, 1, nr, text, (uint32_t)strlen(text));
}

static void span(struct gen *g, uint64_t id, uint32_t name, uint64_t end, uint64_t duration)
{
	gen_span(g, 1, &(struct gen_span){
		.id = id, .label = name, .time = end, .duration = duration, .running_ns = duration,
		.count = { duration, duration },
	});
}

/* Returns when it ends. */
static uint64_t slice(struct gen *g, const struct requests *r, uint64_t *seed, uint64_t id,
		      uint32_t of, uint32_t nr, uint64_t begin)
{
	uint64_t work = WORK * (of == TWICE ? HEAVY : of) *
			(100 - SPREAD + random_of(seed, 2 * SPREAD)) / 100;
	uint64_t end;

	if (of == HEAVY)
		work = work * (100 + r->heavier) / 100;
	end = begin + work;
	for (uint32_t i = 0; of == HEAVY && i < r->queries; i++)
		span(g, id, QUERY, begin + (i + 1) * 2000, 1000);
	if (of == HEAVY && r->audit)
		span(g, id, AUDIT, end - 1000, 1000);
	gen_slice(g, 1, &(struct gen_slice){
		.slot = (uint32_t)id, .id = id, .label = of, .time = end, .duration = work,
		.flags = nr ? nr + 1 == SLICES ? COROPROF_SLICE_END : 0 : COROPROF_SLICE_FRESH,
		.count = { 2 * work, work },
	});
	return end;
}

void requests_write(const char *path, const struct requests *r)
{
	const struct coroprof_counter cycles = { .config = PERF_COUNT_HW_CPU_CYCLES },
				      instructions = { .config = PERF_COUNT_HW_INSTRUCTIONS };
	struct gen *g = gen_open(path);
	uint64_t seed = r->seed, now = BEGIN;
	uint64_t id = 1;

	gen_counter(g, &cycles, "cycles");
	gen_counter(g, &instructions, "instructions");
	gen_process(g, 1, 77, "server", BEGIN);
	label(g, HEAVY, r->heavy);
	label(g, LIGHT, "light@handlers.lua:52");
	label(g, TEMPLATE, "template@render.lua:8");
	label(g, LOGGER, "logger@log.lua:3");
	if (r->twice)
		label(g, TWICE, r->twice);
	label(g, QUERY, "query@db.lua:7");
	if (r->audit)
		label(g, AUDIT, r->audit);
	gen_channel(g, 1, 1, 77, "server", BEGIN, NULL, 0);
	for (uint32_t i = 0; i < COROUTINES; i++)
		for (uint32_t of = HEAVY; of <= (r->twice ? TWICE : LABELS); of++, id++)
			for (uint32_t nr = 0; nr < SLICES; nr++)
				now = slice(g, r, &seed, id, of, nr, now);
	gen_close(g, true);
}
