// SPDX-License-Identifier: GPL-2.0
/*
 * Names from a list: whatever was asked of object files gets the same answer from the list that was
 * made meanwhile, whole, cut or damaged; and so does a recording whose object files are gone.
 */

#include "gen/recording.h"
#include "output/json.h"
#include "output/view-options.h"
#include "symbols/given.h"
#include "symbols/objects.h"

#define ADDRESSES	0x1400u

static int find_objects(void **state)
{
	(void)state;
	find_folder();
	return 0;
}

static void write_place(FILE *to, struct symbols *s, const char *object, uint64_t at, bool lines)
{
	struct symbols_location found;
	const char *reason = symbols_find_at(s, object, NULL, 0, at, lines, &found);

	fprintf(to, "%lx%s: %s", (unsigned long)at, lines ? " lines" : "", reason ? reason : found.name);
	for (unsigned int i = 0; i < found.nr; i++)
		fprintf(to, " <%s %d %s:%u %s:%u>", found.locations[i].name,
			found.locations[i].inlined, found.locations[i].file,
			found.locations[i].line, found.locations[i].from_file,
			found.locations[i].from_line);
	fprintf(to, "\n");
	free(found.name);
}

static void write_object(FILE *to, struct symbols *s, const char *object, const uint8_t *id)
{
	for (uint64_t at = 0; at < ADDRESSES; at += 8) {
		char *name;
		const char *reason = symbols_find(s, object, id, id ? 20 : 0, at, &name);

		fprintf(to, "%s\n", reason ? reason : name);
		free(name);
		write_place(to, s, object, at, true);
		write_place(to, s, object, at, false);
	}
}

/* All that there is to be asked; to be freed. */
static char *answers(struct symbols *s)
{
	static const uint8_t other[20];
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(s);
	write_object(to, s, path_of("inlined-5.so"), NULL);
	write_object(to, s, path_of("inlined-c++.so"), NULL);
	write_object(to, s, path_of("whole.so"), other);
	write_object(to, s, "/nonexistent", NULL);
	symbols_lines_fault(s);
	fclose(to);
	symbols_free(s);
	return text;
}

static struct buffer list_of_all(char **text)
{
	struct symbols_given list = { 0 };
	struct buffer bytes = { 0 };

	*text = answers(given_noting(&list, symbols_new(NULL)));
	assert_true(given_write(&list, &bytes));
	given_free(&list);
	assert_non_null(strstr(*text, "inlined.c"));
	assert_non_null(strstr(*text, "the object file is not here"));
	return bytes;
}

static void answers_as_object_files_did(void **state)
{
	struct symbols_given list, again = { 0 };
	struct buffer same = { 0 };
	char *want, *have;
	struct buffer bytes = list_of_all(&want);

	(void)state;
	assert_true(given_read(&list, bytes.data, bytes.size));
	have = answers(given_names(&list));
	assert_string_equal(have, want);
	free(have);
	/* A list of what a list has is that one. */
	free(answers(given_noting(&again, given_names(&list))));
	assert_true(given_write(&again, &same));
	assert_int_equal(same.size, bytes.size);
	assert_memory_equal(same.data, bytes.data, same.size);
	given_free(&again);
	given_free(&list);
	buffer_free(&same);
	buffer_free(&bytes);
	free(want);
}

static void says_what_it_lacks(void **state)
{
	const struct symbols_given none = { 0 };
	struct symbols *s = given_names(&none);
	char *name = NULL;

	(void)state;
	assert_string_equal(symbols_find(s, "/bin/sh", NULL, 0, 1, &name), GIVEN_LACKS);
	assert_null(name);
	symbols_free(s);
}

static void survives_damage(void **state)
{
	char *want;
	struct buffer bytes = list_of_all(&want);

	(void)state;
	free(want);
	for (size_t at = 0; at < bytes.size; at += 1 + bytes.size / 300) {
		char was = bytes.data[at], *copy = malloc(bytes.size);
		struct symbols_given list;

		bytes.data[at] ^= (char)(1 + at % 255);
		memcpy(copy, bytes.data, bytes.size);
		if (given_read(&list, copy, bytes.size)) {
			free(answers(given_names(&list)));
			given_free(&list);
		}
		/* Cut inside an entry it is none; between two it is a shorter one. */
		if (given_read(&list, copy, at))
			given_free(&list);
		bytes.data[at] = was;
		free(copy);
	}
	buffer_free(&bytes);
}

static struct model *with_labels(const struct model_options *options)
{
	struct gen *g = begin_recording();

	gen_label_code(g, 1, 5, path_of("whole.so"), 0x1120);
	gen_label_code(g, 1, 6, "/nonexistent/lib.so", 0x1234);
	map_object(g, path_of("inlined-5.so"), 0x400000);
	map_object(g, path_of("whole.so"), 0x500000);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 1010, .label = 5);
	SLICE(g, 1, 11, 1010, 1020, .label = 6);
	for (uint64_t at = 0; at < ADDRESSES; at += 16)
		gen_sample(g, 1, &(struct gen_sample){
			.id = 10, .label = 5, .time = 1001 + at % 9,
			.address = { 0x400000 + at, 0x500000 + at } });
	return load_with(g, options);
}

static void names_a_recording_without_its_object_files(void **state)
{
	const struct view_options all = { 0 };
	struct symbols_given list = { 0 };
	char *want, *have;

	(void)state;
	want = written_by(with_labels(&(struct model_options){ .note_names = &list }),
			  json_tables_write, &all);
	assert_non_null(strstr(want, "inlined.c"));
	have = written_by(with_labels(&(struct model_options){ .names = &list,
							       .symbol_root = "/nonexistent" }),
			  json_tables_write, &all);
	assert_string_equal(have, want);
	given_free(&list);
	free(want);
	free(have);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_as_object_files_did),
		cmocka_unit_test(says_what_it_lacks),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(names_a_recording_without_its_object_files),
	};

	return cmocka_run_group_tests_name("given", tests, find_objects, NULL);
}
