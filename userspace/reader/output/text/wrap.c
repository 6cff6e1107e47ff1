// SPDX-License-Identifier: GPL-2.0
/*
 * Breaks sentences at the width of the terminal, with numbers beside their units and commands
 * unbroken, and colours them.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/invoked.h"
#include "base/printable.h"
#include "output/text/paint.h"
#include "output/text/text.h"
#include "output/text/wrap.h"

/* Formats with commands in them are shorter. */
#define FORMAT_SIZE 4096
/* Where notes go on: what begins at the margin is another one. */
#define FURTHER	2

static char *end_of(char *word)
{
	return word + strcspn(word, " ");
}

static char *after(char *end)
{
	return end + strspn(end, " ");
}

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* True of a word that begins a command; "echo" alone may be a label. */
static bool begins_command(char *word)
{
	return has_prefix(word, "sudo ") || invoked_begins(word) ||
	       (has_prefix(word, "echo ") && has_prefix(after(end_of(after(end_of(word)))), "| "));
}

static char *command_end(char *word)
{
	char *end = end_of(word);

	while (*end && !strchr(",:;.)", end[-1]))
		end = end_of(after(end));
	return end;
}

/*
 * True of a number, also with a mark or a bracket before it: "~1.23", "(2". A word with a comma at
 * its end belongs to nothing behind it.
 */
static bool is_number(const char *word, const char *end)
{
	word += strspn(word, "(<>=~+-");
	return word < end && isdigit((unsigned char)*word) && isdigit((unsigned char)end[-1]);
}

static bool is_option(const char *word, const char *end)
{
	return *word == '-' && (word[1] == '-' || isalpha((unsigned char)word[1])) &&
	       isalnum((unsigned char)end[-1]);
}

/*
 * True if the word must stay on one line with the next. Several numbers in a row are somebody's
 * text, without units.
 */
static bool keeps_next(char *word, char *end)
{
	char *next = after(end);

	return *next && ((is_number(word, end) && !isdigit((unsigned char)*next)) ||
			 is_option(word, end));
}

/* The end of the words from @word on that stay on one line. */
static char *piece_end(char *word)
{
	char *end = end_of(word);

	if (begins_command(word))
		return command_end(word);
	while (keeps_next(word, end)) {
		word = after(end);
		end = end_of(word);
	}
	return end;
}

static size_t width_up_to(const char *text, char *end)
{
	char cut = *end;
	size_t width;

	*end = '\0';
	width = printable_width(text);
	*end = cut;
	return width;
}

/*
 * @title: bytes at the begin of @line that have been written. @further: the column at which further
 * lines begin. The last line is not ended.
 */
static void wrap_line(char *line, size_t title, size_t further, size_t width, FILE *file)
{
	char *at = line + title, *word, *end;
	size_t column = title, gap, wide;

	for (; *(word = after(at)); at = end) {
		end = piece_end(word);
		gap = (size_t)(word - at);
		wide = width_up_to(word, end);
		if (at > line + title && column + gap + wide > width) {
			fprintf(file, "\n%*s", (int)further, "");
			column = further;
			gap = 0;
		}
		fprintf(file, "%*s%.*s", (int)gap, "", (int)(end - word), word);
		column += gap + wide;
	}
}

/* Cuts the first line off @text. Returns what is behind it. */
static char *cut_line(char *text)
{
	char *end = text + strcspn(text, "\n");

	if (*end)
		*end++ = '\0';
	return end;
}

static void write_title(const char *line, bool colored, FILE *file)
{
	const char *how = isupper((unsigned char)*line) ? PAINT_ALARM :
			  has_prefix(line, TEXT_FINDINGS " ") ||
					  has_prefix(line, TEXT_CHANGED " ") ?
							  PAINT_FINDING :
							  NULL;

	colored = colored && how;
	fprintf(file, "%s%.*s%s", paint(colored, how), TEXT_TITLE + 1, line,
		paint(colored, PAINT_END));
}

static void write_head_line(char *line, bool several, const struct view_options *view, FILE *file)
{
	size_t title = TEXT_TITLE + 1, width = view->width ? view->width : SIZE_MAX;

	/* As it was typed, for whoever copies it. */
	if (has_prefix(line, TEXT_COMMAND " ") || strlen(line) < title) {
		fprintf(file, "%s\n", line);
		return;
	}
	write_title(line, view->colored, file);
	wrap_line(line, title, several ? title + FURTHER : title, width, file);
	fputc('\n', file);
}

void wrap_head(char *text, const struct view_options *view, FILE *file)
{
	for (char *rest; *text; text = rest) {
		rest = cut_line(text);
		write_head_line(text, *text == ' ' || *rest == ' ', view, file);
	}
}

void wrap_note(const struct view_options *view, FILE *file, const char *format, ...)
{
	char *text = NULL, *line, *rest, shown[FORMAT_SIZE];
	va_list args;

	format = invoked_text(shown, sizeof(shown), format);
	va_start(args, format);
	if (!view->width || vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	va_start(args, format);
	if (!text)
		vfprintf(file, format, args);
	va_end(args);
	for (line = text; line && *line; line = rest) {
		rest = cut_line(line);
		wrap_line(line, 0, FURTHER, view->width, file);
		fputc('\n', file);
	}
	free(text);
}

void wrap_title(const struct view_options *view, FILE *file, const char *title)
{
	char *text = view->width ? strdup(title) : NULL;

	fprintf(file, "\n%s", paint(view->colored, PAINT_TITLE));
	if (text)
		wrap_line(text, 0, FURTHER, view->width, file);
	else
		fputs(title, file);
	fprintf(file, "%s\n", paint(view->colored, PAINT_END));
	free(text);
}
