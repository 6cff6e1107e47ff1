// SPDX-License-Identifier: GPL-2.0
/*
 * Warnings on standard error: one line each, made printable, after the name of the program. While
 * the terminal shows something else (top), they are held back.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invoked.h"
#include "base/printable.h"
#include "base/util.h"
#include "base/warn.h"

/* No more lines wait than these; of a program that ends badly the last are of use. */
#define WAITING	64

static const char *name = "coroprof";

static struct {
	pthread_mutex_t lock;
	bool held;
	char *lines[WAITING];
	uint64_t nr;
} waiting = { .lock = PTHREAD_MUTEX_INITIALIZER };

void warn_as(const char *program)
{
	name = program;
}

static void write_line(const char *line)
{
	fprintf(stderr, "%s: %s\n", name, line ? line : "out of memory");
}

/* Owns @line. */
static void write_or_hold(char *line)
{
	pthread_mutex_lock(&waiting.lock);
	if (waiting.held) {
		char **place = &waiting.lines[waiting.nr++ % WAITING];

		free(*place);
		*place = line;
		line = NULL;
	} else {
		write_line(line);
	}
	pthread_mutex_unlock(&waiting.lock);
	free(line);
}

void warn(const char *format, ...)
{
	char text[4096], shown_format[4096];
	char *line, *rest = text;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), invoked_text(shown_format, sizeof(shown_format), format),
		  args);
	va_end(args);
	while ((line = strsep(&rest, "\n")))
		write_or_hold(printable(line, strlen(line)));
}

void warn_hold(void)
{
	pthread_mutex_lock(&waiting.lock);
	waiting.held = true;
	pthread_mutex_unlock(&waiting.lock);
}

uint64_t warn_held(char *last, size_t capacity)
{
	uint64_t nr;

	pthread_mutex_lock(&waiting.lock);
	nr = waiting.nr;
	if (nr) {
		const char *line = waiting.lines[(nr - 1) % WAITING];

		snprintf(last, capacity, "%s", line ? line : "out of memory");
	}
	pthread_mutex_unlock(&waiting.lock);
	return nr;
}

void warn_release(void)
{
	pthread_mutex_lock(&waiting.lock);
	waiting.held = false;
	if (waiting.nr > WAITING)
		fprintf(stderr, "%s: of %llu lines these are the last %d:\n", name,
			(unsigned long long)waiting.nr, WAITING);
	for (uint64_t i = waiting.nr > WAITING ? waiting.nr - WAITING : 0; i < waiting.nr; i++) {
		write_line(waiting.lines[i % WAITING]);
		free(waiting.lines[i % WAITING]);
		waiting.lines[i % WAITING] = NULL;
	}
	waiting.nr = 0;
	pthread_mutex_unlock(&waiting.lock);
}
