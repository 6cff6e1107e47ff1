// SPDX-License-Identifier: GPL-2.0
/*
 * Divides the header of the text output into notes, each with a title and a line, so that exports
 * have the same notes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/notes.h"
#include "output/text/text.h"

static uint32_t count_lines(const char *text)
{
	uint32_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static void add_note(struct notes *r, char *line)
{
	struct note *note = &r->list[r->nr++];
	size_t title = TEXT_TITLE;

	line[title] = 0;
	while (title && line[title - 1] == ' ')
		line[--title] = 0;
	note->title = title || r->nr == 1 ? line : note[-1].title;
	note->text = line + TEXT_TITLE + 1;
}

static char *write_header_to_text(const struct model *m)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	text_write_header(m, file);
	if (!fclose(file))
		return text;
	free(text);
	return NULL;
}

int notes_make(struct notes *r, const struct model *m)
{
	char *line, *rest;

	*r = (struct notes){ .text = write_header_to_text(m) };
	if (!r->text)
		return -1;
	r->list = calloc((size_t)count_lines(r->text) + 1, sizeof(*r->list));
	if (!r->list) {
		notes_free(r);
		return -1;
	}
	for (line = strtok_r(r->text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (strlen(line) > TEXT_TITLE)
			add_note(r, line);
	return 0;
}

uint32_t notes_join(const struct notes *r, uint32_t at, char *text, size_t capacity)
{
	size_t used = (size_t)snprintf(text, capacity, "%s", r->list[at].text);
	uint32_t next = at + 1;

	for (; next < r->nr && !strcmp(r->list[next].title, r->list[at].title); next++)
		if (used < capacity)
			used += (size_t)snprintf(text + used, capacity - used, "\n%s",
						 r->list[next].text);
	return next;
}

void notes_free(struct notes *r)
{
	free(r->list);
	free(r->text);
	*r = (struct notes){ 0 };
}
