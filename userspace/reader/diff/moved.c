// SPDX-License-Identifier: GPL-2.0
/*
 * Pairs names whose line number alone has changed, and renames those of the old recording, before
 * rows are paired by name.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "diff/moved.h"

/**
 * struct name - one that has a line
 * @is:   where the model has it
 * @line: offset of the digits
 * @rest: of what is behind them
 * @age:  enum model_age
 */
struct name {
	char **is;
	size_t line;
	size_t rest;
	unsigned int age;
};

struct names {
	struct name *list;
	uint32_t nr;
};

/* ------------------------------------------------------------------------
 * names
 */

/* "app.lua" before the colon, not "localhost": there is a dot in it. */
static bool is_file(const char *name, size_t length)
{
	size_t end = length;

	while (end && isalnum((unsigned char)name[end - 1]))
		end--;
	return end > 1 && end < length && name[end - 1] == '.';
}

/* The last line in it, with nothing of a word behind. */
static bool find_line(struct name *name)
{
	const char *text = *name->is, *colon = strrchr(text, ':');
	size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

	if (!digits || isalnum((unsigned char)colon[1 + digits]) ||
	    !is_file(text, (size_t)(colon - text)))
		return false;
	name->line = (size_t)(colon + 1 - text);
	name->rest = name->line + digits;
	return true;
}

static void add(struct names *names, char **is, unsigned int age)
{
	struct name name = { .is = is, .age = age };

	if (*is && find_line(&name))
		names->list[names->nr++] = name;
}

/* ------------------------------------------------------------------------
 * pairs
 */

/* But for the line. */
static int compare(const struct name *x, const struct name *y)
{
	int order = strncmp(*x->is, *y->is, x->line < y->line ? x->line : y->line);

	if (!order)
		order = (x->line > y->line) - (x->line < y->line);
	return order ? order : strcmp(*x->is + x->rest, *y->is + y->rest);
}

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = compare(x, y);

	if (!order)
		order = strcmp(*x->is, *y->is);
	return order ? order : (int)x->age - (int)y->age;
}

/* How many of @names, from @at on, are the same text. */
static uint32_t count_same(const struct names *names, uint32_t at)
{
	uint32_t nr = 1;

	while (at + nr < names->nr && !strcmp(*names->list[at].is, *names->list[at + nr].is))
		nr++;
	return nr;
}

/**
 * struct candidates - names that differ in nothing but the line, each of one recording only
 * @first: of each: the first of its name
 * @nr:    how many names
 * @text:  them, for people
 */
struct candidates {
	uint32_t first[MODEL_AGES];
	uint32_t nr[MODEL_AGES];
	char *text[MODEL_AGES];
};

static int add_text(char **to, const char *name)
{
	char *before = *to;
	int ret = asprintf(to, "%s%s%s", before ? before : "", before ? ", " : "", name);

	free(before);
	if (ret < 0)
		*to = NULL;
	return ret < 0 ? -1 : 0;
}

/* From @at to @end. */
static int find_candidates(const struct names *names, uint32_t at, uint32_t end,
			   struct candidates *c)
{
	*c = (struct candidates){ 0 };
	while (at < end) {
		uint32_t nr = count_same(names, at);
		unsigned int age = names->list[at].age;

		/* Those of a name are in the order of their ages. */
		if (names->list[at + nr - 1].age == age) {
			if (!c->nr[age]++)
				c->first[age] = at;
			if (add_text(&c->text[age], *names->list[at].is))
				return -1;
		}
		at += nr;
	}
	return 0;
}

/* The texts are the fact's. */
static int report(struct model *m, struct candidates *c, const char *what, bool matters)
{
	if (!array_grow(&m->metadata, m->nr_metadata, sizeof(*m->metadata)))
		return -1;
	m->metadata[m->nr_metadata++] = (struct model_metadata){
		.name = what, .matters = matters,
		.text = { c->text[MODEL_OLD], c->text[MODEL_NEW] },
	};
	c->text[MODEL_OLD] = c->text[MODEL_NEW] = NULL;
	return 0;
}

static int rename_old(const struct names *names, const struct candidates *c)
{
	uint32_t first = c->first[MODEL_OLD];
	uint32_t nr = count_same(names, first);

	for (uint32_t i = first; i < first + nr; i++) {
		char *name = strdup(*names->list[c->first[MODEL_NEW]].is);

		if (!name)
			return -1;
		free(*names->list[i].is);
		*names->list[i].is = name;
	}
	return 0;
}

static int pair_group(struct model *m, const struct names *names, uint32_t at, uint32_t end)
{
	struct candidates c;
	int ret = find_candidates(names, at, end, &c);

	if (!ret && c.nr[MODEL_OLD] && c.nr[MODEL_NEW]) {
		bool sure = c.nr[MODEL_OLD] == 1 && c.nr[MODEL_NEW] == 1;

		ret = report(m, &c, sure ? MOVED : MOVED_UNSURE, !sure);
		if (!ret && sure)
			ret = rename_old(names, &c);
	}
	free(c.text[MODEL_OLD]);
	free(c.text[MODEL_NEW]);
	return ret;
}

static int pair(struct model *m, struct names *names)
{
	int ret = 0;

	qsort(names->list, names->nr, sizeof(*names->list), by_name);
	for (uint32_t at = 0, end; !ret && at < names->nr; at = end) {
		/* Renamed names are before @end. */
		for (end = at + 1; end < names->nr &&
				   !compare(&names->list[at], &names->list[end]); end++)
			;
		ret = pair_group(m, names, at, end);
	}
	return ret;
}

/* A label, a span and a function of one name are the same function of the program. */
int moved_pair(struct model *new, struct model *old)
{
	struct model *const models[MODEL_AGES] = { old, new };
	struct names names = { 0 };
	size_t most = 1;
	int ret;

	for (unsigned int age = 0; age < MODEL_AGES; age++)
		most += (size_t)models[age]->nr_labels + models[age]->nr_spans +
			models[age]->nr_frames;
	names.list = calloc(most, sizeof(*names.list));
	if (!names.list)
		return -1;
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		struct model *m = models[age];

		for (uint32_t i = 0; i < m->nr_labels; i++)
			add(&names, &m->labels[i].name, age);
		for (uint32_t i = 0; i < m->nr_spans; i++)
			add(&names, &m->spans[i].name, age);
		for (uint32_t i = 0; i < m->nr_frames; i++)
			add(&names, &m->frames[i].name, age);
	}
	ret = pair(new, &names);
	free(names.list);
	return ret;
}

const char *moved_from(const struct model *m, const char *name)
{
	for (uint32_t i = 0; i < m->nr_metadata; i++)
		if (!strcmp(m->metadata[i].name, MOVED) &&
		    !strcmp(m->metadata[i].text[MODEL_NEW], name))
			return m->metadata[i].text[MODEL_OLD];
	return NULL;
}
