// SPDX-License-Identifier: GPL-2.0
/* A screen in memory: rows of text in styles, which a terminal shows later. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/util.h"
#include "live/canvas.h"

void canvas_free(struct canvas *c)
{
	for (unsigned int row = 0; c->rows && row < c->height; row++) {
		for (size_t i = 0; i < c->rows[row].nr; i++)
			free(c->rows[row].pieces[i].text);
		free(c->rows[row].pieces);
	}
	free(c->rows);
	*c = (struct canvas){ 0 };
}

void canvas_begin(struct canvas *c, unsigned int width, unsigned int height)
{
	canvas_free(c);
	*c = (struct canvas){ .width = width, .height = height };
	c->rows = calloc((size_t)height + 1, sizeof(*c->rows));
	c->out_of_memory = !c->rows;
}

void canvas_put(struct canvas *c, unsigned int row, enum style style, const char *text)
{
	struct canvas_row *r;
	size_t bytes, used;
	char *copy;

	if (c->out_of_memory || row >= c->height)
		return;
	r = &c->rows[row];
	bytes = printable_fit(text, c->width - r->end, &used);
	if (!bytes)
		return;
	copy = strndup(text, bytes);
	if (!copy || !array_grow(&r->pieces, r->nr, sizeof(*r->pieces))) {
		free(copy);
		c->out_of_memory = true;
		return;
	}
	r->pieces[r->nr++] = (struct canvas_piece){ r->end, (unsigned int)used, style, copy };
	r->end += (unsigned int)used;
}

void canvas_print(struct canvas *c, unsigned int row, enum style style, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		c->out_of_memory = true;
		return;
	}
	canvas_put(c, row, style, text);
	free(text);
}

void canvas_fill(struct canvas *c, unsigned int row, enum style style, unsigned int column)
{
	if (c->out_of_memory || row >= c->height || c->rows[row].end >= column)
		return;
	canvas_print(c, row, style, "%*s", (int)(column - c->rows[row].end), "");
}

char *canvas_text(const struct canvas *c, unsigned int row)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	for (size_t i = 0; row < c->height && c->rows && i < c->rows[row].nr; i++)
		fputs(c->rows[row].pieces[i].text, file);
	return fclose(file) ? NULL : text;
}
