// SPDX-License-Identifier: GPL-2.0
/* Labels of processes, as they are asked for by number. */
#include <time.h>

#include "base/util.h"
#include "record/context.h"
#include "support.h"

#define FEW	64u
#define MANY	65536u
#define ASKED	4096u

static struct context context;
static struct error err;

static int begin(void **state)
{
	(void)state;
	context = (struct context){ 0 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	context_free(&context);
	return 0;
}

static void put_process(uint32_t id, uint16_t type)
{
	const struct coroprof_record_process r = { .type = type, .size = sizeof(r), .process_id = id };

	assert_int_equal(context_record(&context, (const void *)&r, &err), 0);
}

static void put_label(uint32_t process, uint32_t label, uint32_t length, const char *format, uint32_t n)
{
	struct {
		struct coroprof_record_label label;
		char text[16];
	} r = { .label = { .type = COROPROF_RECORD_LABEL, .size = sizeof(r), .process_id = process,
			   .label = label } };

	snprintf(r.text, sizeof(r.text), format, n);
	r.label.text_len = length ? length : (uint32_t)strlen(r.text);
	assert_int_equal(context_record(&context, (const void *)&r, &err), 0);
}

static void expect(uint32_t process, uint32_t label, const char *text)
{
	struct buffer got = { 0 };

	assert_int_equal(context_label(&context, process, label, &got, &err), 0);
	assert_int_equal(got.size, strlen(text));
	assert_memory_equal(got.data ? got.data : "", text, got.size);
	buffer_free(&got);
}

/* Each process has its own; what is not there, or no text, is nothing; of a number the first counts. */
static void test_labels(void **state)
{
	size_t bytes;

	(void)state;
	put_process(1, COROPROF_RECORD_PROCESS);
	put_process(2, COROPROF_RECORD_PROCESS);
	bytes = context.bytes;
	for (uint32_t i = 0; i < 1000; i++) {
		put_label(1, i * 7, 0, "one %u", i);
		put_label(2, i * 7, 0, "two %u", i);
	}
	put_label(1, 7, 0, "again", 0);
	put_label(1, 5000000, 17, "too long", 0);
	put_label(3, 1, 0, "of nobody", 0);
	expect(1, 0, "one 0");
	expect(1, 7, "one 1");
	expect(1, 6993, "one 999");
	expect(2, 6993, "two 999");
	expect(1, 6, "");
	expect(1, 5000000, "");
	expect(3, 1, "");
	/* The other one goes, this one moves to its place. */
	put_process(1, COROPROF_RECORD_PROCESS_END);
	expect(1, 7, "");
	expect(2, 7, "two 1");
	put_process(2, COROPROF_RECORD_PROCESS_END);
	assert_int_equal(context.bytes, 0);
	assert_true(bytes > 0);
}

/* So much of a processor it takes to ask for some of @nr labels. */
static uint64_t cost_of(uint32_t process, uint32_t nr)
{
	uint64_t before;

	put_process(process, COROPROF_RECORD_PROCESS);
	for (uint32_t i = 0; i < nr; i++)
		put_label(process, i, 0, "%u", i);
	before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (uint32_t i = 0; i < ASKED; i++) {
		struct buffer text = { 0 };

		context_label(&context, process, (uint32_t)((uint64_t)i * nr / ASKED), &text, &err);
		assert_true(text.size > 0);
		buffer_free(&text);
	}
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
}

/* A thousand times as many labels do not take as much more time: they are not gone through. */
static void test_many(void **state)
{
	uint64_t few, many;

	(void)state;
	few = cost_of(1, FEW);
	many = cost_of(2, MANY);
	assert_true(many < few * (MANY / FEW) / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_labels, begin, end),
		cmocka_unit_test_setup_teardown(test_many, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
