// SPDX-License-Identifier: GPL-2.0
/* Samples: whose they are, and the forest of their callers. */
#include <errno.h>

#include "cprof/format.h"
#include "gen/recording.h"
#include "output/folded.h"

#define BASE	0x400000
#define OTHER	0x500000

#define SAMPLE(g, channel, id_, label_, time_, flags_, ...)		\
	gen_sample(g, channel, &(struct gen_sample){			\
		.id = (id_), .label = (label_), .time = (time_),	\
		.flags = (flags_), .address = { __VA_ARGS__ } })

static struct gen *begin_samples(void)
{
	struct gen *g = begin_recording();

	gen_info(g, "sample_event", "cycles");
	gen_info(g, "sample_period", "1000");
	map_object(g, "/nonexistent/prog", BASE);
	map_object(g, "/nonexistent/lib.so", OTHER);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 2000, .label = 1);
	SLICE(g, 1, 20, 2000, 3000, .label = 2);
	return g;
}

static const struct model_frame *frame(const struct model *m, const char *name)
{
	for (uint32_t i = 0; i < m->nr_frames; i++)
		if (!strcmp(m->frames[i].name, name))
			return &m->frames[i];
	fail_msg("no frame %s", name);
	return NULL;
}

static void assert_folded(const struct model *m, const char *want)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(folded_write(m, NULL, file), 0);
	fclose(file);
	assert_string_equal(text, want);
	free(text);
}

static void makes_a_forest(void **state)
{
	struct gen *g = begin_samples();
	struct model *m;

	(void)state;
	SAMPLE(g, 1, 10, 1, 1100, 0, OTHER + 1, BASE + 5, BASE + 9);
	SAMPLE(g, 1, 10, 1, 1200, 0, OTHER + 2, BASE + 5, BASE + 9);
	SAMPLE(g, 1, 10, 1, 1300, COROPROF_SAMPLE_IN_KERNEL, BASE + 5);
	SAMPLE(g, 1, 20, 2, 2100, COROPROF_SAMPLE_CUT, OTHER + 7);
	SAMPLE(g, 1, 20, 2, 2200, 0, 0x10);
	m = load(g);
	assert_true(m->sampled);
	assert_int_equal(m->samples, 5);
	assert_int_equal(m->sample_period, 1000);
	assert_int_equal(m->channels[0].samples, 5);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	assert_int_equal(coroutine(m, 1, 10)->samples, 3);
	assert_int_equal(label(m, "a")->samples, 3);
	assert_int_equal(label(m, "b")->samples, 2);
	/* Two frames of one object are one call chain. */
	assert_folded(m,
"a;[prog];[prog];[lib.so] 2\n"
"a;[prog];[kernel] 1\n"
"b;[callers not recorded];[lib.so] 1\n"
"b;[unknown] 1\n");
	assert_int_equal(frame(m, "[prog]")->own, 0);
	assert_int_equal(frame(m, "[prog]")->total, 3);
	assert_int_equal(frame(m, "[lib.so]")->own, 3);
	assert_int_equal(frame(m, "[kernel]")->kind, MODEL_FRAME_KERNEL);
	assert_int_equal(frame(m, "[unknown]")->own, 1);
	assert_string_equal(frame(m, "[lib.so]")->unresolved,
			    "the object file is not here");
	model_free(m);
}

static void counts_recursion_once(void **state)
{
	struct gen *g = begin_samples();
	struct model *m;

	(void)state;
	SAMPLE(g, 1, 10, 1, 1100, 0, BASE + 1, OTHER + 1, BASE + 1, BASE + 1);
	m = load(g);
	assert_int_equal(frame(m, "[prog]")->total, 1);
	assert_int_equal(frame(m, "[prog]")->own, 1);
	assert_int_equal(frame(m, "[lib.so]")->total, 1);
	assert_int_equal(frame(m, "[lib.so]")->own, 0);
	assert_int_equal(m->nr_sample_nodes, 4);
	assert_int_equal(m->sample_nodes[0].total, 1);
	assert_int_equal(m->sample_nodes[3].depth, 3);
	assert_int_equal(m->nr_label_frames, 2);
	assert_int_equal(m->label_frames[0].own, 1);
	model_free(m);
}

static void keeps_labels_together(void **state)
{
	struct gen *g = begin_samples();
	struct model *m;

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		SAMPLE(g, 1, 10 + 10 * (i % 2), 1 + i % 2, 1100 + i, 0,
		       i % 3 ? BASE + 1 : OTHER + 1, i % 5 ? BASE + 1 : OTHER + 1);
	m = load(g);
	for (uint32_t i = 1; i < m->nr_sample_nodes; i++) {
		const struct model_sample_node *n = &m->sample_nodes[i];

		assert_true(n->label >= m->sample_nodes[i - 1].label);
		if (n->parent == MODEL_NONE)
			continue;
		assert_true(n->parent < i);
		assert_int_equal(m->sample_nodes[n->parent].label, n->label);
	}
	for (uint32_t i = 1; i < m->nr_label_frames; i++)
		assert_true(m->label_frames[i].label >
			    m->label_frames[i - 1].label ||
			    m->label_frames[i].own <= m->label_frames[i - 1].own);
	model_free(m);
}

static void distinguishes_none_from_not_taken(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 2000, .label = 1);
	m = load(g);
	assert_false(m->sampled);
	model_free(m);
	m = load(begin_samples());
	assert_true(m->sampled);
	assert_int_equal(m->samples, 0);
	assert_string_equal(m->sample_event, "cycles");
	model_free(m);
}

static void counts_what_was_lost(void **state)
{
	struct gen *g = begin_samples();
	struct model *m;

	(void)state;
	SAMPLE(g, 1, 10, 1, 1100, 0, BASE);
	gen_lost_samples(g, 1, 1500, 7);
	SAMPLE(g, 1, 10, 1, 1600, 0, BASE);
	gen_status(g, 1)->throttled = 3;
	m = load(g);
	assert_int_equal(m->samples, 2);
	assert_int_equal(m->lost_samples, 7);
	assert_int_equal(m->throttled, 3);
	assert_int_equal(m->channels[0].check, MODEL_CHECKED);
	model_free(m);
}

/* The thread took more samples than the file has. */
static void checks_their_number(void **state)
{
	struct gen *g = begin_samples();
	struct model *m;

	(void)state;
	SAMPLE(g, 1, 10, 1, 1100, 0, BASE);
	gen_status(g, 1)->samples++;
	m = load(g);
	assert_int_equal(m->channels[0].check, MODEL_FAILED);
	assert_non_null(strstr(m->channels[0].check_text, "samples"));
	model_free(m);
}

static void survives_damage(void **state)
{
	static const uint64_t no_addresses[4] = { 0x00000000200004, 5, 10, 0 };
	struct gen *g = begin_samples();
	struct model *m;

	(void)state;
	gen_records(g, CPROF_SEGMENT_SAMPLES, 1, no_addresses,
		    sizeof(no_addresses));
	gen_records(g, CPROF_SEGMENT_SAMPLES, 77, no_addresses, 8);
	gen_records(g, CPROF_SEGMENT_SAMPLES, 1, no_addresses, 4);
	SAMPLE(g, 1, 10, 1, 1100, 0, BASE);
	m = load(g);
	assert_int_equal(m->samples, 1);
	assert_int_equal(m->nr_damage_total, 3);
	assert_int_equal(m->unread_records, 3);
	assert_non_null(strstr(m->damage[0].text, "no address"));
	model_free(m);
}

static void is_bounded(void **state)
{
	const struct model_options options = { .sample_nodes = 8, .frames = 4 };
	struct gen *g = begin_samples();
	struct model *m;
	char path[64];

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "/nonexistent/%u", i);
		map_object(g, path, 0x1000000 + i * 0x10000ull);
		SAMPLE(g, 1, 10, 1, 1100 + i, 0, 0x1000000 + i * 0x10000ull,
		       0x1000001 + (i + 1) * 0x10000ull);
	}
	m = load_with(g, &options);
	assert_int_equal(m->samples, 100);
	assert_int_equal(label(m, "a")->samples, 100);
	assert_true(m->nr_frames <= 4 + 4);
	assert_true(m->nr_sample_nodes <= 8 + m->nr_frames);
	assert_true(frame(m, "[others]")->own > 50);
	model_free(m);
}

static void reports_what_was_sampled_instead(void **state)
{
	struct gen *g = begin_samples();
	struct model *m;

	(void)state;
	gen_sample_error(g, EOPNOTSUPP, true);
	channel(g, 2, 1000);
	gen_sample_error(g, ENOSPC, false);
	channel(g, 3, 1000);
	m = load(g);
	assert_int_equal(m->unsampled, 1);
	assert_int_equal(m->clock_sampled, 1);
	assert_true(m->channels[1].sample_clock);
	assert_int_equal(m->channels[1].sample_error, EOPNOTSUPP);
	assert_false(m->channels[2].sample_clock);
	assert_int_equal(m->channels[2].sample_error, ENOSPC);
	assert_non_null(m->channels[2].sample_error_text);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_a_forest),
		cmocka_unit_test(counts_recursion_once),
		cmocka_unit_test(keeps_labels_together),
		cmocka_unit_test(distinguishes_none_from_not_taken),
		cmocka_unit_test(counts_what_was_lost),
		cmocka_unit_test(checks_their_number),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(reports_what_was_sampled_instead),
		cmocka_unit_test(is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
