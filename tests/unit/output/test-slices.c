// SPDX-License-Identifier: GPL-2.0
/* What exports draw of slices when there are more than can be drawn. */
#include "gen/recording.h"
#include "output/export/slices.h"
#include "output/export/weights.h"

#define SLICES	1000

/* Short slices of two labels that take turns, and a long one. */
static struct model *crowded(uint32_t limit)
{
	const struct model_options options = { .timeline_slices = limit };
	struct gen *g = begin_recording();
	uint64_t time = 1000;

	channel(g, 1, time);
	for (uint64_t i = 0; i < SLICES; i++, time += 20)
		SLICE(g, 1, 10 + i % 2, time, time + 20, .label = 1 + i % 2);
	SLICE(g, 1, 12, time, time + 1000000, .label = 2);
	return load_with(g, &options);
}

static void names_single_slices_by_their_labels(void **state)
{
	char room[SLICES_NAME], said[SLICES_SAID];
	struct model *m = crowded(0);

	(void)state;
	assert_int_equal(m->nr_timeline, SLICES + 1);
	assert_false(slices_cut(m, said));
	assert_string_equal(slice_name(m, &m->timeline[0], room), "a");
	assert_string_equal(slice_name(m, &m->timeline[1], room), "b");
	assert_int_equal(slice_coroutine(m, &m->timeline[1])->id, 11);
	model_free(m);
}

static void names_a_row_of_several_slices_by_their_label_and_number(void **state)
{
	char room[SLICES_NAME], said[SLICES_SAID], want[SLICES_NAME];
	struct model *m = crowded(100);
	uint32_t several = 0;

	(void)state;
	assert_in_range(m->nr_timeline, 2, 100);
	for (uint32_t i = 0; i < m->nr_timeline; i++) {
		const struct model_slice *s = &m->timeline[i];

		if (s->nr_slices == 1)
			continue;
		several += s->nr_slices;
		snprintf(want, sizeof(want), "%s (%u slices)", m->labels[s->label].name,
			 s->nr_slices);
		assert_string_equal(slice_name(m, s, room), want);
		assert_null(slice_coroutine(m, s));
	}
	assert_in_range(several, SLICES - 100, SLICES);
	assert_true(slices_cut(m, said));
	snprintf(want, sizeof(want), "%u of %u slices are there one by one", SLICES + 1 - several,
		 SLICES + 1);
	assert_non_null(strstr(said, want));
	model_free(m);
}

/* 85 characters of three bytes each are SLICES_LABEL: the 86th does not fit. */
static void cuts_a_long_label_between_characters(void **state)
{
	struct model_label label = { 0 };
	struct model m = { .labels = &label };
	const struct model_slice several = { .nr_slices = 7, .flags = MODEL_SLICE_MERGED };
	char name[1024] = "", want[1024] = "", room[SLICES_NAME];

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		strcat(name, "\xe2\x82\xac");
	label.name = name;
	snprintf(want, sizeof(want), "%.255s (7 slices)", name);
	assert_string_equal(slice_name(&m, &several, room), want);
	memmove(name + 1, name, strlen(name) + 1);
	name[0] = 'x';
	snprintf(want, sizeof(want), "%.253s (7 slices)", name);
	assert_string_equal(slice_name(&m, &several, room), want);
}

static void reports_the_tag_of_a_coroutine(void **state)
{
	struct gen *g = begin_recording();
	struct arg args[ARGS_MAX];
	struct model *m;

	(void)state;
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1, .tag = 77, .flags = COROPROF_SLICE_FRESH);
	m = load(g);
	assert_in_range(slice_args(m, &m->timeline[0], args), 2, ARGS_MAX);
	assert_string_equal(slice_arg_name(m, args[1].of), "tag");
	assert_int_equal(args[1].number, 77);
	model_free(m);
}

/* Two machines may have the same; a number that only one of them has stays what it is. */
static void keeps_numbers_of_recordings_apart(void **state)
{
	struct model_process processes[] = {
		{ .pid = 10, .recording = 0 }, { .pid = 20, .recording = 1 },
		{ .pid = 30, .recording = 2 }, { .pid = 31, .recording = 2 },
	};
	struct model_channel channels[] = {
		{ .process = 0, .tid = 10 }, { .process = 0, .tid = 11 },
		/* The same thread twice. */
		{ .process = 0, .tid = 11 }, { .process = 1, .tid = 20 },
		{ .process = 2, .tid = 30 }, { .process = 3, .tid = 11 },
	};
	const struct model m = {
		.recordings = 3, .processes = processes, .nr_processes = ARRAY_SIZE(processes),
		.channels = channels, .nr_channels = ARRAY_SIZE(channels),
	};
	uint32_t *apart = slices_apart(&m);

	(void)state;
	assert_non_null(apart);
	assert_int_equal(apart[0], 0);
	assert_int_equal(apart[1], 0);
	assert_int_equal(apart[2], 2 * SLICES_PIDS);
	assert_int_equal(apart[3], 2 * SLICES_PIDS);
	free(apart);
}

/*
 * That of a file has up to 255 bytes, and what distinguishes it from another one may be at its end.
 */
static void names_a_process_of_a_recording_to_its_end(void **state)
{
	char comm[16 + 255 + 1] = "a_comm_of_linux@", want[FRAME_NAME_SIZE], room[FRAME_NAME_SIZE];
	struct model_process processes[] = { { .comm = comm, .pid = INT32_MIN } };
	const struct model m = { .processes = processes, .nr_processes = 1 };

	(void)state;
	memset(comm + 16, 'x', 255);
	snprintf(want, sizeof(want), "%s %d", comm, INT32_MIN);
	assert_string_equal(stack_frame_name(&m, 0, room), want);
}

static void orders_slices_of_all_threads_by_time(void **state)
{
	struct gen *g = begin_recording();
	struct model *m;
	uint32_t *rows;

	(void)state;
	channel(g, 1, 1000);
	channel(g, 2, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 1);
	SLICE(g, 1, 10, 1020, 1030, .label = 1);
	SLICE(g, 2, 11, 1005, 1015, .label = 1);
	SLICE(g, 2, 11, 1020, 1025, .label = 1);
	m = load(g);
	rows = slices_by_time(m);
	assert_non_null(rows);
	assert_int_equal(rows[0], 0);
	assert_int_equal(rows[1], 2);
	assert_int_equal(rows[2], 1);
	assert_int_equal(rows[3], 3);
	free(rows);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_single_slices_by_their_labels),
		cmocka_unit_test(names_a_row_of_several_slices_by_their_label_and_number),
		cmocka_unit_test(cuts_a_long_label_between_characters),
		cmocka_unit_test(reports_the_tag_of_a_coroutine),
		cmocka_unit_test(keeps_numbers_of_recordings_apart),
		cmocka_unit_test(names_a_process_of_a_recording_to_its_end),
		cmocka_unit_test(orders_slices_of_all_threads_by_time),
	};

	return cmocka_run_group_tests_name("slices", tests, NULL, NULL);
}
