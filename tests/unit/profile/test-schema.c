// SPDX-License-Identifier: GPL-2.0
/* The rows of a model are what the schema says, all of them. */
#include <ctype.h>

#include "base/util.h"
#include "gen/recording.h"
#include "profile/schema.h"

static bool has_line(enum schema_id table, const char *name, size_t size)
{
	const struct schema_table *t = &schema_tables[table];

	for (uint32_t i = 0; i < t->nr_members; i++)
		if (!strncmp(t->members[i].name, name, size) && !t->members[i].name[size])
			return true;
	return false;
}

/* The name that a line of a struct declares: it ends at @end. */
static size_t name_size(const char *line, size_t end)
{
	size_t size = 0;

	while (size < end && (isalnum((unsigned char)line[end - size - 1]) || line[end - size - 1] == '_'))
		size++;
	return size;
}

/* How many members struct @row has in a header, which declares each in a line of its own. */
static unsigned int find_members(const char *header, enum schema_id table, const char *row)
{
	FILE *file = fopen(header, "r");
	char line[256], begin[64];
	unsigned int found = 0;
	bool within = false;

	assert_non_null(file);
	snprintf(begin, sizeof(begin), "struct %s {\n", row);
	while (fgets(line, sizeof(line), file) && !(within && !strcmp(line, "};\n"))) {
		size_t end = strcspn(line, "[;"), size = name_size(line, end);

		if (within && line[end] && size) {
			found++;
			if (!has_line(table, line + end - size, size))
				fail_msg("%s.%.*s has no line in schema.c", row, (int)size,
					 line + end - size);
		}
		within |= !strcmp(line, begin);
	}
	fclose(file);
	return found;
}

static void has_lines(enum schema_id table, const char *row)
{
	assert_in_range(find_members(MODEL "/model.h", table, row) +
			find_members(MODEL "/changes.h", table, row), 1, schema_tables[table].nr_members);
}

static void has_a_line_for_each_member(void **state)
{
	(void)state;
#define LINES(name, rows, row)	has_lines(SCHEMA_##name, "model_" #row);
	SCHEMA_TABLES(LINES)
	has_lines(SCHEMA_MODEL, "model");
}

/* Rows that are in common are found once it is known what they refer to. */
static void has_tables_with_keys_behind_those_they_refer_to(void **state)
{
	(void)state;
	for (enum schema_id table = SCHEMA_MODEL + 1; table < SCHEMA_NR; table++) {
		const struct schema_table *t = &schema_tables[table];
		bool keys = false;

		for (uint32_t i = 0; i < t->nr_members; i++)
			keys |= schema_is_key(&t->members[i]);
		for (uint32_t i = 0; keys && i < t->nr_members; i++)
			assert_true(t->members[i].role != SCHEMA_ROW || t->members[i].table < table);
	}
}

static void refers_to_rows(const struct model *m, enum schema_id table)
{
	const struct schema_table *t = &schema_tables[table];

	for (uint32_t i = 0; i < t->nr_members; i++) {
		const struct schema_member *member = &t->members[i];
		const char *at = (const char *)schema_rows(m, table) + member->at;
		uint32_t nr = schema_nr(m, member->table == SCHEMA_SELF ? table : member->table);

		for (uint32_t k = 0; member->role == SCHEMA_ROW && k < schema_nr(m, table); k++) {
			uint32_t row = *(const uint32_t *)(at + (size_t)k * t->size);

			if (row != MODEL_NONE && row >= nr)
				fail_msg("%s of row %u of table %d is %u of %u", member->name, k,
					 table, row, nr);
		}
	}
}

static struct model *load_scenario(const char *name)
{
	name_recording();
	assert_true(gen_scenario(name, recording_path));
	return load_path(recording_path, NULL);
}

static void refers_to_rows_that_there_are(void **state)
{
	static const char *const more[] = { "kept", "requests", "standings", "kept", "processes" };
	struct model *m = load_scenario("requests");
	struct error err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		assert_int_equal(model_combine(m, load_scenario(more[i]), &err), 0);
		for (enum schema_id table = SCHEMA_MODEL + 1; table < SCHEMA_NR; table++)
			refers_to_rows(m, table);
	}
	assert_int_equal(m->recordings, 1 + ARRAY_SIZE(more));
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_a_line_for_each_member),
		cmocka_unit_test(has_tables_with_keys_behind_those_they_refer_to),
		cmocka_unit_test(refers_to_rows_that_there_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
