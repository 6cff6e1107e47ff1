// SPDX-License-Identifier: GPL-2.0
/*
 * Functions by the tags of the coroutines that called them, in the case that yappi's own tests of
 * tags have: a() and b() called by several with a tag, and by one that has none.
 */
#include "base/warn.h"
#include "gen/recording.h"
#include "output/output.h"
#include "support.h"

#define A	11
#define B	12
#define ROOM	(64 << 10)

static char warned[1024];

/* Stands in for the reader's. */
void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(warned, sizeof(warned), format, args);
	va_end(args);
}

/* a() for 10 ns, @calls times, each with b() in it for 4 ns. Returns when it has ended. */
static uint64_t calls_of(struct gen *g, uint64_t id, unsigned int calls, uint64_t at)
{
	for (unsigned int i = 0; i < calls; i++, at += 10) {
		gen_span(g, 1, &(struct gen_span){
			.id = id, .label = B, .depth = 1, .time = at + 5, .duration = 4,
			.running_ns = 4,
		});
		gen_span(g, 1, &(struct gen_span){
			.id = id, .label = A, .time = at + 10, .duration = 10, .running_ns = 10,
		});
	}
	return at;
}

static uint64_t live(struct gen *g, uint64_t id, unsigned int calls, uint64_t at, bool born,
		     uint64_t tag)
{
	uint64_t end = calls_of(g, id, calls, at);

	SLICE(g, 1, id, at, end, .label = 1, .tag = tag,
	      .flags = born ? COROPROF_SLICE_FRESH : 0);
	return end;
}

/* Tag 0 calls a() twice, and three times more later on; 1 once; 2 four times; nobody 8 times. */
static void make(void)
{
	struct gen *g = begin_recording();
	uint64_t at = 1000;

	gen_label(g, 1, A, "a", 1);
	gen_label(g, 1, B, "b", 1);
	channel(g, 1, at);
	at = live(g, 20, 2, at, true, 0);
	at = live(g, 21, 1, at, true, 1);
	at = live(g, 22, 4, at, true, 2);
	at = live(g, 23, 8, at, false, 0);
	live(g, 20, 3, at, false, 0);
	gen_close(g, true);
}

static char *written(const char *table, const char *where, enum format format)
{
	const struct source source = { { recording_path }, .nr = 1 };
	const struct look look = {
		.table = table, .columns = format == FORMAT_CSV ? "name,calls,own_wall,wall" : NULL,
		.wheres = { where }, .nr_wheres = where ? 1 : 0,
	};
	char path[] = "/tmp/coroprof-test-XXXXXX";
	const struct output output = { path, format };
	char *text = calloc(1, ROOM);
	struct outcome outcome;
	struct error err;
	FILE *file;

	close(mkstemp(path));
	*warned = '\0';
	if (output_all(&source, &output, 1, &look, &outcome, &err))
		fail_msg("%s", err.message);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_in_range(fread(text, 1, ROOM - 1, file), 1, ROOM - 2);
	fclose(file);
	unlink(path);
	assert_string_equal(warned, "");
	return text;
}

static unsigned int rows_of(const char *text)
{
	unsigned int rows = 0;

	for (text = strchr(text, '\n'); text && text[1]; text = strchr(text + 1, '\n'))
		rows++;
	return rows;
}

static void assert_calls(const char *where, unsigned int calls)
{
	char *text = written("spans", where, FORMAT_CSV), want[64];

	snprintf(want, sizeof(want), "a,%u,%u,counted,%u", calls, 6 * calls, 10 * calls);
	assert_says(text, want);
	snprintf(want, sizeof(want), "b,%u,%u,counted,%u", calls, 4 * calls, 4 * calls);
	assert_says(text, want);
	assert_int_equal(rows_of(text), 2);
	free(text);
}

static void sums_are_of_the_tag_alone(void **state)
{
	(void)state;
	make();
	assert_calls(NULL, 18);
	assert_calls("tag=0", 5);
	assert_calls("tag=1", 1);
	assert_calls("tag=2", 4);
	assert_calls("tag=[12]", 5);
	/* Who has none fits nothing. */
	assert_calls("tag=*", 10);
	unlink(recording_path);
}

static void of_a_tag_that_nobody_has_there_is_nothing(void **state)
{
	char *text;

	(void)state;
	make();
	text = written("spans", "tag=7", FORMAT_CSV);
	assert_int_equal(rows_of(text), 0);
	free(text);
	unlink(recording_path);
}

static void text_and_json_have_the_same_sums(void **state)
{
	char *text;

	(void)state;
	make();
	text = written(NULL, "tag=2", FORMAT_TEXT);
	assert_says(text, "2 of 2 rows: tag=2");
	free(text);
	text = written("spans", "tag=2", FORMAT_JSON);
	assert_says(text, "\"calls\":4");
	assert_null(strstr(text, "\"calls\":18"));
	free(text);
	unlink(recording_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_of_the_tag_alone),
		cmocka_unit_test(of_a_tag_that_nobody_has_there_is_nothing),
		cmocka_unit_test(text_and_json_have_the_same_sums),
	};

	return cmocka_run_group_tests_name("tagged", tests, NULL, NULL);
}
