// SPDX-License-Identifier: GPL-2.0
/*
 * One step of a program is one slice, in however many pieces coroprof's own coroutine has parted
 * it. The programs here are random, and write down each step as it is run, before it is cut into
 * pieces: nothing of that has passed through the reader.
 */
#include "gen/recording.h"
#include "profile/histogram.h"

#define TOOL		3u
#define THREADS		3u
#define STEPS		60u
#define IDS		5u

#if defined(__SANITIZE_ADDRESS__)
#define PROGRAMS	60u
#else
#define PROGRAMS	400u
#endif

/* ---- the truth */

struct step {
	uint32_t label;
	uint64_t id, begin, end, wall, running, blocked, count;
};

static struct step steps[THREADS * STEPS + 8];
static uint32_t nr_steps, nr_tool;
static uint64_t tool_ns, seed, now;

static uint64_t below(uint64_t limit)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % limit;
}

static bool odds(uint64_t of)
{
	return !below(of);
}

static void run_tool(struct gen *g, uint32_t thread)
{
	uint64_t ns = 1 + below(9);

	now += ns;
	tool_ns += ns;
	nr_tool++;
	gen_slice(g, thread, &(struct gen_slice){
		.id = 900 + thread, .label = TOOL, .time = now, .duration = ns, .count = { 7 },
	});
}

static void run_piece(struct gen *g, uint32_t thread, struct step *step, uint16_t flags,
		      uint64_t wake)
{
	uint64_t ns = 1 + below(500), blocked = odds(4) ? below(ns) : 0, count = below(1000);

	if (odds(5))
		gen_span(g, thread, &(struct gen_span){
			.time = now + ns, .duration = ns, .running_ns = ns - blocked,
			.id = step->id, .label = 2,
		});
	now += ns;
	gen_slice(g, thread, &(struct gen_slice){
		.id = step->id, .label = step->label, .time = now, .duration = ns,
		.blocked_ns = blocked, .nr_blocked = !!blocked, .count = { count }, .flags = flags,
		.wake_time = wake, .waker = wake ? 1000 : 0,
	});
	if (odds(6))
		gen_drain(g, thread);
	step->end = now;
	step->wall += ns;
	step->running += ns - blocked;
	step->blocked += blocked;
	step->count += count;
}

static void run_step(struct gen *g, uint32_t thread, uint64_t id, uint32_t label, uint64_t pieces,
		     uint64_t wake)
{
	struct step *step = &steps[nr_steps++];

	*step = (struct step){ .id = id, .label = label, .begin = now };
	for (uint64_t i = 0; i < pieces; i++) {
		if (i)
			run_tool(g, thread);
		run_piece(g, thread, step, 0, i ? 0 : wake);
	}
}

static void run_thread(struct gen *g, uint32_t thread)
{
	uint64_t last = 0;

	now = 1000;
	channel(g, thread, now);
	for (uint32_t i = 0; i < STEPS; i++) {
		uint64_t id = odds(4) ? THREAD(thread) : 100 * thread + below(IDS);
		uint64_t pieces = odds(3) ? 1 + below(odds(6) ? 100 : 5) : 1;

		/* Nothing would say that it had left the thread. */
		if (id == last)
			id = id == 100 * thread ? id + 1 : 100 * thread;
		last = id;
		if (odds(4))
			run_tool(g, thread);
		run_step(g, thread, id, id == THREAD(thread) ? 0 : 1, pieces,
			 id != THREAD(thread) && odds(3) ? now - 1 : 0);
	}
}

static struct gen *run_program(uint64_t number)
{
	struct gen *g = begin_recording();

	seed = number;
	nr_steps = nr_tool = 0;
	tool_ns = 0;
	gen_label(g, 1, TOOL, MODEL_NAMING, strlen(MODEL_NAMING));
	for (uint32_t thread = 1; thread <= THREADS; thread++)
		run_thread(g, thread);
	return g;
}

static struct step sum_of(uint32_t label, uint64_t id, uint64_t *nr, uint64_t *longest)
{
	struct step sum = { 0 };

	*nr = *longest = 0;
	for (uint32_t i = 0; i < nr_steps; i++) {
		const struct step *s = &steps[i];

		if (s->label != label || (id && s->id != id))
			continue;
		++*nr;
		sum.wall += s->wall;
		sum.running += s->running;
		sum.blocked += s->blocked;
		sum.count += s->count;
		if (s->running > *longest)
			*longest = s->running;
	}
	return sum;
}

/* ---- what the reader says of it */

static int by_length(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void assert_histogram(const struct histogram *histogram, bool wall)
{
	uint64_t all[THREADS * STEPS], nr = 0, sum = 0;
	bool exact;

	for (uint32_t i = 0; i < nr_steps; i++)
		if (steps[i].label == 1)
			all[nr++] = wall ? steps[i].wall : steps[i].running;
	qsort(all, nr, sizeof(*all), by_length);
	for (uint64_t i = 0; i < nr; i++)
		sum += all[i];
	assert_int_equal(histogram->nr, nr);
	assert_int_equal(histogram->sum, sum);
	assert_int_equal(histogram->least, all[0]);
	assert_int_equal(histogram->most, all[nr - 1]);
	for (uint64_t rank = 1; rank <= nr; rank++) {
		uint64_t found = histogram_ranked(histogram, rank, &exact);

		if (exact)
			assert_int_equal(found, all[rank - 1]);
	}
}

static void assert_labels(const struct model *m)
{
	const struct model_label *l = label(m, "a"), *tool = label(m, MODEL_NAMING);
	uint64_t nr, longest, heat_map = 0;
	struct step sum = sum_of(1, 0, &nr, &longest);

	assert_int_equal(l->times.slices, nr);
	assert_int_equal(m->times.slices, nr_steps);
	assert_int_equal(l->times.running_ns, sum.running);
	assert_int_equal(l->times.blocked_ns, sum.blocked);
	assert_int_equal(model_label_value(m, label_row(m, 1, "a"), 0).count, sum.count);
	assert_int_equal(l->min_ns, l->histograms[MODEL_LATENCY_RUNNING]->least);
	assert_histogram(l->histograms[MODEL_LATENCY_RUNNING], false);
	assert_histogram(l->histograms[MODEL_LATENCY_HELD], true);
	assert_int_equal(tool->times.slices, nr_tool);
	assert_int_equal(tool->times.running_ns, tool_ns);
	for (uint32_t i = 0; i < m->nr_heat_map; i++)
		heat_map += m->heat_map[i].label == label_row(m, 1, "a") ? m->heat_map[i].slices : 0;
	assert_int_equal(heat_map, nr);
}

/* Between slices of a coroutine of one thread there is one gap, and no more where it was parted. */
static void assert_coroutines(const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_coroutines; i++) {
		const struct model_coroutine *c = &m->coroutines[i];
		uint64_t nr, longest, ns = 0, last = 0;
		struct step sum;

		if (c->flags & (MODEL_COROUTINE_THREAD | MODEL_COROUTINE_TOOL))
			continue;
		sum = sum_of(1, c->id, &nr, &longest);
		for (uint32_t k = 0; k < nr_steps; k++)
			if (steps[k].id == c->id) {
				ns += last ? steps[k].begin - last : 0;
				last = steps[k].end;
			}
		assert_int_equal(c->times.slices, nr);
		assert_int_equal(c->times.running_ns, sum.running);
		assert_int_equal(c->max_ns, longest);
		assert_int_equal(c->times.gaps, nr - 1);
		assert_int_equal(c->times.suspended_ns, ns);
		assert_int_equal(c->last_ns, last);
	}
}

static void assert_longest(const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_longest; i++) {
		const struct model_longest *w = &m->longest[i];
		bool found = w->what != MODEL_LATENCY_HELD;

		for (uint32_t k = 0; !found && k < nr_steps; k++)
			found = steps[k].id == w->id && steps[k].begin == w->begin_ns &&
				steps[k].end == w->end_ns && steps[k].wall == w->ns &&
				model_longest_value(m, i, 0).count == steps[k].count;
		assert_true(found);
	}
}

/* What is drawn is where it was, and each thread has what the kernel says. */
static void assert_threads(const struct model *m)
{
	uint64_t slices = 0, ns = 0, wall = tool_ns;

	for (uint32_t i = 0; i < m->nr_channels; i++) {
		assert_int_equal(m->channels[i].check, MODEL_CHECKED);
		slices += m->channels[i].times.slices;
	}
	assert_int_equal(slices, nr_steps + nr_tool);
	for (uint32_t i = 0; i < m->nr_timeline; i++) {
		const struct model_slice *s = &m->timeline[i];

		assert_true(s->nr_slices || s->flags & MODEL_SLICE_GOES_ON);
		slices -= s->nr_slices;
		ns += s->duration_ns;
	}
	for (uint32_t i = 0; i < nr_steps; i++)
		wall += steps[i].wall;
	assert_int_equal(slices, 0);
	assert_int_equal(ns, wall);
}

static void a_step_is_one_slice(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= PROGRAMS; i++) {
		struct model_options options = {
			.shards = 1 + i % 8, .timeline_slices = i % 5 ? 100000 : 50,
			.coroutines = i % 7 ? 0 : 4,
		};
		struct model *m = load_with(run_program(i), &options);

		assert_labels(m);
		assert_coroutines(m);
		assert_longest(m);
		assert_threads(m);
		model_free(m);
	}
}

/* ---- what is no step */

#define PIECE(begin, end, ...)	SLICE(g, 1, 10, begin, end, .label = 1, __VA_ARGS__)
#define TOOLS(begin, end)	SLICE(g, 1, 50, begin, end, .label = TOOL)

static struct gen *begin_one(void)
{
	struct gen *g = begin_recording();

	gen_label(g, 1, TOOL, MODEL_NAMING, strlen(MODEL_NAMING));
	channel(g, 1, 1000);
	return g;
}

static void assert_slices(struct gen *g, uint64_t nr)
{
	struct model *m = load(g);

	assert_int_equal(label(m, "a")->times.slices, nr);
	assert_int_equal(label(m, "a")->histograms[MODEL_LATENCY_RUNNING]->nr, nr);
	model_free(m);
}

static void a_slice_that_was_left_is_no_piece(void **state)
{
	static const uint16_t left[] = { COROPROF_SLICE_READY, COROPROF_SLICE_END, COROPROF_SLICE_CUT };
	static const uint16_t entered[] = { COROPROF_SLICE_FRESH, COROPROF_SLICE_FIRST };
	struct gen *g;

	(void)state;
	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++) {
		g = begin_one();
		PIECE(1000, 1100, .flags = left[i]);
		TOOLS(1100, 1200);
		PIECE(1200, 1300);
		assert_slices(g, 2);
	}
	for (size_t i = 0; i < sizeof(entered) / sizeof(*entered); i++) {
		g = begin_one();
		PIECE(1000, 1100);
		TOOLS(1100, 1200);
		PIECE(1200, 1300, .flags = entered[i]);
		assert_slices(g, 2);
	}
	g = begin_one();
	PIECE(1000, 1100);
	TOOLS(1100, 1200);
	PIECE(1200, 1300, .wake_time = 1150);
	assert_slices(g, 2);
}

static void what_does_not_follow_is_no_piece(void **state)
{
	struct gen *g = begin_one();

	(void)state;
	PIECE(1000, 1100);
	TOOLS(1100, 1200);
	PIECE(1210, 1300);
	assert_slices(g, 2);
	g = begin_one();
	PIECE(1000, 1100);
	TOOLS(1100, 1200);
	gen_lost(g, 1, 1200, 1, true);
	PIECE(1200, 1300);
	assert_slices(g, 2);
	g = begin_one();
	PIECE(1000, 1100);
	TOOLS(1100, 1200);
	SLICE(g, 1, THREAD(1), 1200, 1250);
	PIECE(1250, 1300);
	assert_slices(g, 2);
	g = begin_one();
	PIECE(1000, 1100);
	PIECE(1100, 1300);
	assert_slices(g, 2);
	g = begin_one();
	PIECE(1000, 1100);
	TOOLS(1100, 1200);
	SLICE(g, 1, 10, 1200, 1300, .label = 2);
	assert_slices(g, 1);
}

/* Clipped as any other slice: of pieces at both edges one slice is cut. */
static void a_part_has_of_a_step_one_slice(void **state)
{
	const struct model_options options = { .from_ns = 50, .to_ns = 250 };
	struct gen *g = begin_one();
	struct model *m;

	(void)state;
	PIECE(1000, 1100, .blocked_ns = 10, .nr_blocked = 1);
	TOOLS(1100, 1200);
	PIECE(1200, 1300, .blocked_ns = 10, .nr_blocked = 1);
	m = load_with(g, &options);
	assert_int_equal(label(m, "a")->times.slices, 1);
	assert_int_equal(label(m, "a")->times.nr_cut, 1);
	assert_int_equal(label(m, "a")->times.nr_shared, 1);
	assert_int_equal(label(m, "a")->times.running_ns + label(m, "a")->times.blocked_ns, 100);
	assert_int_equal(label(m, MODEL_NAMING)->times.running_ns, 100);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_is_one_slice),
		cmocka_unit_test(a_slice_that_was_left_is_no_piece),
		cmocka_unit_test(what_does_not_follow_is_no_piece),
		cmocka_unit_test(a_part_has_of_a_step_one_slice),
	};

	name_recording();
	return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
