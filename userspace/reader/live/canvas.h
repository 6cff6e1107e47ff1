/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A screen in memory: rows of styled text. What draws is separate from what a terminal is, so that
 * both can be tested alone.
 */
#ifndef COROPROF_CANVAS_H
#define COROPROF_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

enum style {
	STYLE_PLAIN,
	STYLE_TITLE,
	STYLE_DIM,
	STYLE_SELECTED,
	STYLE_ALARM,
	STYLE_RUNNING,
	STYLE_PREEMPTED,
	STYLE_BLOCKED,
	STYLE_NR
};

/**
 * struct canvas_piece - text of one style
 * @column: where it begins
 * @width:  columns that it takes
 * @style:  enum style
 * @text:   printable
 */
struct canvas_piece {
	unsigned int column;
	unsigned int width;
	enum style style;
	char *text;
};

/**
 * struct canvas_row - a row
 * @pieces: from the left to the right, beside each other
 * @nr:     how many
 * @end:    the column behind the last
 */
struct canvas_row {
	struct canvas_piece *pieces;
	size_t nr;
	unsigned int end;
};

/**
 * struct canvas - a screen
 * @width:  columns
 * @height: rows
 * @rows:   of these
 * @out_of_memory: something is missing
 */
struct canvas {
	unsigned int width;
	unsigned int height;
	struct canvas_row *rows;
	bool out_of_memory;
};

/* Makes the canvas empty, and of this size. */
void canvas_begin(struct canvas *canvas, unsigned int width, unsigned int height);
void canvas_free(struct canvas *canvas);

/* Appends text to a row. What is beyond the edge, or in no row of the canvas, is cut off. */
void canvas_put(struct canvas *canvas, unsigned int row, enum style style, const char *text);
void canvas_print(struct canvas *canvas, unsigned int row, enum style style, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Appends spaces up to a column; nothing if the row is as long already. */
void canvas_fill(struct canvas *canvas, unsigned int row, enum style style, unsigned int column);

/* The row as text without styles, which the caller frees. */
char *canvas_text(const struct canvas *canvas, unsigned int row);

#endif /* COROPROF_CANVAS_H */
