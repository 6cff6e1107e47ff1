// SPDX-License-Identifier: GPL-2.0
/*
 * How often a comparison calls a difference no noise where there is none, and how often it finds
 * one that is there: rates over many pairs of recordings, of loads that differ as those of
 * servers do. COROPROF_PAIRS is how many pairs of each load; some of them here, and hundreds in
 * the lane "verdicts" of make check-long, whose rates are in coroprof-read(1).
 *
 * What is found is held against a test of the same coroutines by permutation, of which the reader
 * knows nothing.
 */
#include <math.h>

#include "base/util.h"
#include "diff/chance.h"
#include "diff/diff.h"
#include "diff/gate.h"
#include "diff/noise.h"
#include "gen/recording.h"
#include "support.h"

/* With sanitizers it is about what is read and written: the rates are held to without them. */
#if defined(__SANITIZE_ADDRESS__)
#define PAIRS		5
#else
#define PAIRS		20
#endif
#define COROUTINES	120
#define LABELS		2
/* So many run in turns. */
#define AT_ONCE		8
#define WORK		20000.0
#define SLICES_MOST	400

/**
 * struct load - what a program does
 * @name:   in the log
 * @slices: of a coroutine; 0: as many as a Pareto distribution says
 * @sigma:  of the logarithm of what coroutines differ by
 * @modes:  share of coroutines that have five times the work
 * @same:   how much of what a coroutine is off by the next one is off by as well
 * @wander: likewise, of all that runs: of each slice
 * @drift:  from begin to end of a recording it changes by up to such a share, either way
 * @all:    all labels have more, not the second alone
 * @run:    times of a recording are all off by such a share
 * @shape:  of the drift: what share of it there is, at a share of the recording; NULL: as much
 */
struct load {
	const char *name;
	uint32_t slices;
	double sigma;
	double modes;
	double same;
	double wander;
	double drift;
	bool all;
	double run;
	double (*shape)(double at, double phase);
};

static double step(double at, double phase)
{
	(void)phase;
	return at >= 0.5;
}

static double settle(double at, double phase)
{
	(void)phase;
	return 1 - at;
}

/* So many in a recording; @phase is where it begins. */
static double half_a_wave(double at, double phase)
{
	return sin(2 * M_PI * (0.5 * at + phase));
}

static double wave(double at, double phase)
{
	return sin(2 * M_PI * (at + phase));
}

static double two_waves(double at, double phase)
{
	return sin(2 * M_PI * (2 * at + phase));
}

static double four_waves(double at, double phase)
{
	return sin(2 * M_PI * (4 * at + phase));
}

static const struct load loads[] = {
	{ "independent", .slices = 4, .sigma = 0.1, .run = 0.03 },
	{ "heavy tails", .slices = 4, .sigma = 1.2, .run = 0.03 },
	{ "two modes", .slices = 4, .sigma = 0.1, .modes = 0.3, .run = 0.03 },
	{ "unequal numbers of slices", .sigma = 0.3, .run = 0.03 },
	{ "each like the one before", .slices = 4, .sigma = 0.3, .same = 0.8, .run = 0.03 },
	{ "each a little like the one before", .slices = 4, .sigma = 0.3, .same = 0.3, .run = 0.03 },
	{ "all wander together", .slices = 4, .sigma = 0.05, .wander = 0.98, .run = 0.03 },
	{ "unequal numbers of slices that wander", .sigma = 0.1, .wander = 0.98, .run = 0.03 },
	{ "drift", .slices = 4, .sigma = 0.1, .drift = 0.5, .run = 0.03 },
	{ "slow drift", .slices = 4, .sigma = 0.1, .drift = 0.1, .run = 0.03 },
};

/* Others than those that limits were made with, as they are not known to be the only ones. */
static const struct load drifts[] = {
	{ "half of slow drift", .slices = 4, .sigma = 0.1, .drift = 0.05, .run = 0.03 },
	{ "twice slow drift", .slices = 4, .sigma = 0.1, .drift = 0.2, .run = 0.03 },
	{ "step", .slices = 4, .sigma = 0.1, .drift = 0.1, .run = 0.03, .shape = step },
	{ "settling", .slices = 4, .sigma = 0.1, .drift = 0.1, .run = 0.03, .shape = settle },
	{ "half a wave", .slices = 4, .sigma = 0.1, .drift = 0.1, .run = 0.03, .shape = half_a_wave },
	{ "wave", .slices = 4, .sigma = 0.1, .drift = 0.1, .run = 0.03, .shape = wave },
	{ "two waves", .slices = 4, .sigma = 0.1, .drift = 0.1, .run = 0.03, .shape = two_waves },
	{ "four waves", .slices = 4, .sigma = 0.1, .drift = 0.1, .run = 0.03, .shape = four_waves },
};

/* ------------------------------------------------------------------------
 * recordings
 */

/**
 * struct alive - a coroutine that has slices left
 */
struct alive {
	uint64_t id;
	uint32_t left;
	double work;
	bool begun;
};

/**
 * struct run - a recording under way
 * @more:  how much more the second label does, or all
 * @off:   what the last coroutine was off by, of each label
 * @walk:  what all are off by now
 * @slope: see struct load
 * @phase: likewise
 * @born:  how many coroutines of each label there were
 */
struct run {
	struct gen *gen;
	const struct load *load;
	double more;
	double off[LABELS];
	double walk;
	double slope;
	double phase;
	double times;
	uint32_t born[LABELS];
	uint64_t ids;
	uint64_t now;
};

static double keep_some(double before, double share)
{
	return share * before + sqrt(1 - share * share) * normal();
}

static struct alive born(struct run *r, unsigned int label)
{
	const struct load *l = r->load;
	double at = (double)r->born[label]++ / COROUTINES, work = WORK;

	r->off[label] = keep_some(r->off[label], l->same);
	work *= exp(l->sigma * r->off[label]) *
		(1 + r->slope * (l->shape ? l->shape(at, r->phase) : at));
	work *= chance() < l->modes ? 5 : 1;
	work *= label || l->all ? r->more : 1;
	return (struct alive){
		.id = ++r->ids, .work = work,
		.left = l->slices ? l->slices :
				    (uint32_t)fmin(SLICES_MOST, ceil(2 * pow(chance(), -1 / 1.3))),
	};
}

static void put_slice(struct run *r, struct alive *a, unsigned int label)
{
	double work, ns;

	r->walk = keep_some(r->walk, r->load->wander);
	work = a->work * exp(0.05 * normal() + (r->load->wander ? 0.2 * r->walk : 0));
	ns = work / 2 * r->times * exp(0.1 * normal());
	SLICE(r->gen, 1, a->id, r->now, r->now + (uint64_t)ns, .label = label + 1,
	      .count = { (uint64_t)(work * r->times), (uint64_t)work },
	      .flags = (a->begun ? 0 : COROPROF_SLICE_FRESH) |
		       (a->left == 1 ? COROPROF_SLICE_END : 0));
	r->now += (uint64_t)ns + 1000;
	a->begun = true;
	a->left--;
}

/* Each that is alive has a slice, one after the other; who has ended makes room for another. */
static void put_run(struct run *r)
{
	struct alive alive[LABELS][AT_ONCE] = { 0 };
	bool some = true;

	while (some) {
		some = false;
		for (unsigned int i = 0; i < LABELS * AT_ONCE; i++) {
			unsigned int label = i % LABELS;
			struct alive *a = &alive[label][i / LABELS];

			if (!a->left && r->born[label] < COROUTINES)
				*a = born(r, label);
			if (!a->left)
				continue;
			put_slice(r, a, label);
			some = true;
		}
	}
}

static struct model *recorded(const struct load *load, double more)
{
	struct run r = {
		.gen = begin_recording(), .load = load, .more = more, .now = 1000000,
		.off = { normal(), normal() }, .walk = normal(),
		.slope = load->drift * (2 * chance() - 1), .times = exp(load->run * normal()),
	};

	if (load->shape)
		r.phase = chance();
	channel(r.gen, 1, r.now);
	put_run(&r);
	return load_with(r.gen, &(struct model_options){ .squares = true });
}

/* ------------------------------------------------------------------------
 * rates
 */

/* Where rates are asked for, @times as many. */
static unsigned int pairs(unsigned int times)
{
	const char *text = getenv("COROPROF_PAIRS");

	return text ? times * (unsigned int)atoi(text) : PAIRS;
}

static bool is_alarm(const struct model_change *c)
{
	return c->verdict != MODEL_VERDICT_NOISE && c->verdict != MODEL_VERDICT_NONE;
}

static struct model *compared(const struct load *load, double more)
{
	struct model *old = recorded(load, 1), *new = recorded(load, more);
	struct error err;

	if (diff_models(new, old, NULL, 0, &err))
		fail_msg("%s", err.message);
	model_free(old);
	return new;
}

#define RUNS	3

static struct model *runs(const struct load *load, double more)
{
	struct model *all = recorded(load, more);
	struct error err;

	for (unsigned int i = 1; i < RUNS; i++)
		if (model_combine(all, recorded(load, more), &err))
			fail_msg("%s", err.message);
	return all;
}

static struct model *compared_runs(const struct load *load, double more)
{
	struct model *old = runs(load, 1), *new = runs(load, more);
	struct error err;

	if (diff_models(new, old, NULL, 0, &err))
		fail_msg("%s", err.message);
	model_free(old);
	return new;
}

/* For the results that README.md keeps. */
static void tell_rates(const char *of_what, unsigned int of, const struct load *list, size_t nr,
		       const unsigned int *found)
{
	char text[1024] = "";

	for (size_t l = 0; l < nr; l++)
		if (found[l])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), ", %u of %s",
				 found[l], list[l].name);
	print_message("# ran: %u pairs of each of %zu loads, %s, of which alarm: %s\n", of, nr, of_what,
		      *text ? text + 2 : "none");
}

static bool alarms(const struct model *m, const char *load, unsigned int pair)
{
	bool found = false;

	for (uint32_t i = 0; i < m->nr_changes; i++) {
		const struct model_change *c = &m->changes[i];

		if (!is_alarm(c))
			continue;
		if (!found)
			print_message("# %s, pair %u: %s of %s %+.1f %%, p %g, factor %g\n", load,
				      pair, c->figure, c->name, 100 * c->change, c->p, c->factor);
		found = true;
	}
	return found;
}

/* Pairs of one run each take little time. */
#define TIMES_AS_MANY	5

/* Of each load in @list, of how many pairs something is said: of a hundred it is @most. */
static void assert_alarms(const struct load *list, size_t nr, const char *what, unsigned int most)
{
	unsigned int of = pairs(TIMES_AS_MANY), wrong = 0, all[ARRAY_SIZE(loads)];

	assert_true(nr <= ARRAY_SIZE(all));
	for (size_t l = 0; l < nr; l++) {
		unsigned int found = 0;

		state_of_chance = 0x9e3779b97f4a7c15 + l;
		for (unsigned int i = 0; i < of; i++) {
			struct model *m = compared(&list[l], 1);

			found += alarms(m, list[l].name, i);
			model_free(m);
		}
		print_message("# %s: %u of %u pairs alarm\n", list[l].name, found, of);
		wrong += found > 1 && 100 * found > most * of;
		all[l] = found;
	}
	tell_rates(what, of, list, nr, all);
	if (wrong)
		fail_msg("%u loads alarm more often than they may", wrong);
}

/* One in a hundred, and of few pairs one. */
static void of_equal_loads_one_pair_in_a_hundred_alarms(void **state)
{
	(void)state;
	assert_alarms(loads, ARRAY_SIZE(loads), "one run each", 1);
}

/* Half a wave that is highest in the middle is off in the mean, and has no trend. */
static void of_other_drifts_few_pairs_alarm(void **state)
{
	(void)state;
	assert_alarms(drifts, ARRAY_SIZE(drifts), "one run each, with other drifts", 4);
}

/* Whatever all of a run have in common, here times and trends: it is in what runs differ by. */
static void of_several_runs_one_pair_in_a_hundred_alarms(void **state)
{
	unsigned int of = pairs(1), wrong = 0, all[ARRAY_SIZE(loads)];

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(loads); l++) {
		unsigned int found = 0, times = 0;

		state_of_chance = 0xd1342543de82ef95 + l;
		for (unsigned int i = 0; i < of; i++) {
			struct model *m = compared_runs(&loads[l], 1);

			for (uint32_t c = 0; c < m->nr_changes; c++)
				times += m->changes[c].time && m->changes[c].p >= 0;
			found += alarms(m, loads[l].name, i);
			model_free(m);
		}
		print_message("# %s, %d runs a side: %u of %u pairs alarm\n", loads[l].name, RUNS,
			      found, of);
		assert_true(times >= of * LABELS);
		wrong += found > 1 && 100 * found > of;
		all[l] = found;
	}
	tell_rates("three runs a side", of, loads, ARRAY_SIZE(loads), all);
	if (wrong)
		fail_msg("%u loads alarm more often than they may", wrong);
}

/* Instructions of the label that has more, and of no other. */
static void ten_percent_more_are_found(void **state)
{
	static const struct load steady = { "steady", .slices = 4, .sigma = 0.02, .run = 0.03 };
	unsigned int of = pairs(1), found = 0;

	(void)state;
	state_of_chance = 0x9e3779b97f4a7c15;
	for (unsigned int i = 0; i < of; i++) {
		struct model *m = compared(&steady, 1.1);

		for (uint32_t c = 0; c < m->nr_changes; c++) {
			if (is_alarm(&m->changes[c]) && strcmp(m->changes[c].name, "b"))
				fail_msg("pair %u: %s of a", i, m->changes[c].figure);
			found += m->changes[c].verdict == MODEL_VERDICT_MORE &&
				 !strcmp(m->changes[c].figure, "instructions/coroutine");
		}
		model_free(m);
	}
	print_message("# 10 %% more is found in %u of %u pairs\n", found, of);
	assert_int_equal(found, of);
}

/* ------------------------------------------------------------------------
 * power
 */

#define SHUFFLES	1999

/**
 * struct told - instructions of the coroutines of a label
 */
struct told {
	double list[COROUTINES];
	uint32_t nr;
};

static struct told told(const struct model *m, const char *label)
{
	struct told t = { .nr = 0 };

	for (uint32_t i = 0; i < m->nr_coroutines; i++)
		if (!strcmp(m->labels[m->coroutines[i].label].name, label))
			t.list[t.nr++] =
				(double)model_coroutine_value(m, i, m->instructions).estimate;
	assert_int_equal(t.nr, COROUTINES);
	return t;
}

/* How often means differ as much where it is by chance who is on which side. */
static double by_permutation(const struct told *old, const struct told *new)
{
	double all[2 * COROUTINES], sum = 0, mean = 0, far = 0;
	unsigned int as_far = 1;

	memcpy(all, old->list, sizeof(old->list));
	memcpy(all + COROUTINES, new->list, sizeof(new->list));
	for (uint32_t i = 0; i < 2 * COROUTINES; i++) {
		mean += all[i] / 2;
		far += i < COROUTINES ? all[i] : 0;
	}
	far = fabs(far - mean);
	for (unsigned int shuffle = 0; shuffle < SHUFFLES; shuffle++, sum = 0) {
		for (uint32_t i = 0; i < COROUTINES; i++) {
			uint32_t other = i + (uint32_t)(chance() * (2 * COROUTINES - i));
			double value = all[other];

			all[other] = all[i];
			all[i] = value;
			sum += value;
		}
		as_far += fabs(sum - mean) >= far;
	}
	return as_far / (SHUFFLES + 1.0);
}

static bool is_found(const struct model *m)
{
	for (uint32_t i = 0; i < m->nr_changes; i++) {
		const struct model_change *c = &m->changes[i];

		if (!strcmp(c->name, "b") && !strcmp(c->figure, "instructions/coroutine"))
			return is_alarm(c);
	}
	fail_msg("there are no instructions of b");
	return false;
}

/* Both correct for two labels. */
static void find_both(const struct load *before, const struct load *after, double more,
		      bool found[2])
{
	struct model *old = recorded(before, 1), *new = recorded(after, more);
	double p[LABELS];
	struct error err;
	struct gate gate;

	for (unsigned int i = 0; i < LABELS; i++) {
		const struct told one = told(old, i ? "b" : "a"), other = told(new, i ? "b" : "a");

		p[i] = by_permutation(&one, &other);
	}
	found[0] = p[1] * (p[1] <= p[0] ? LABELS : 1) <= NOISE_CHANCE;
	assert_int_equal(gate_parse(&gate, "instructions/coroutine > +1%", &err), 0);
	if (diff_models(new, old, &gate, 1, &err))
		fail_msg("%s", err.message);
	found[1] = is_found(new);
	model_free(old);
	model_free(new);
}

/*
 * Of those that one finds and the other does not, as many are of each, or more are the reader's.
 * What all labels have is reported, and not held against it: a drift explains it as well.
 */
static void as_much_is_found_as_by_permutation(void **state)
{
	static const struct {
		struct load load;
		double more;
		double modes;
	} cases[] = {
		{ { "lognormal", .slices = 4, .sigma = 0.5, .run = 0.03 }, 1.25, 0 },
		{ { "lognormal, wide", .slices = 4, .sigma = 1.2, .run = 0.03 }, 2, 0 },
		{ { "two modes, of more work", .slices = 4, .sigma = 0.1, .modes = 0.3, .run = 0.03 }, 1.3, 0.3 },
		{ { "two modes, of other shares", .slices = 4, .sigma = 0.1, .modes = 0.3, .run = 0.03 }, 1, 0.5 },
		{ { "lognormal, of all labels", .slices = 4, .sigma = 0.5, .all = true, .run = 0.03 }, 1.25, 0 },
		{ { "lognormal, of all labels by more", .slices = 4, .sigma = 0.5, .all = true, .run = 0.03 }, 1.5, 0 },
	};
	unsigned int of = pairs(1), wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct load after = cases[i].load;
		unsigned int found[2] = { 0 }, alone[2] = { 0 };

		after.modes = cases[i].modes;
		state_of_chance = 0xbf58476d1ce4e5b9 + i;
		for (unsigned int pair = 0; pair < of; pair++) {
			bool is[2];

			find_both(&cases[i].load, &after, cases[i].more, is);
			for (unsigned int k = 0; k < 2; k++) {
				found[k] += is[k];
				alone[k] += is[k] && !is[!k];
			}
		}
		print_message("# ran: changes of %s: %u of %u found, by permutation %u\n",
			      cases[i].load.name, found[1], of, found[0]);
		wrong += !after.all &&
			 (alone[0] > alone[1] + 3 * sqrt(alone[0] + alone[1]) || !found[1]);
	}
	if (wrong)
		fail_msg("%u loads have changes that are found less often than by permutation", wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_equal_loads_one_pair_in_a_hundred_alarms),
		cmocka_unit_test(of_other_drifts_few_pairs_alarm),
		cmocka_unit_test(of_several_runs_one_pair_in_a_hundred_alarms),
		cmocka_unit_test(ten_percent_more_are_found),
		cmocka_unit_test(as_much_is_found_as_by_permutation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
