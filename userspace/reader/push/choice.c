// SPDX-License-Identifier: GPL-2.0
/* Which labels are sent, and by which name. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "push/choice.h"
#include "push/digest.h"

#define HASH_DIGITS	16
#define CUT_DIGITS	8

static int add_pattern(struct choice *c, const char *word, size_t length, struct error *err)
{
	if (c->nr_patterns == CHOICE_PATTERNS)
		return error_set(err, E2BIG, "--push-labels: at most %u labels can be named",
				 CHOICE_PATTERNS);
	c->patterns[c->nr_patterns] = strndup(word, length);
	if (!c->patterns[c->nr_patterns])
		return error_set(err, ENOMEM, "out of memory");
	c->nr_patterns++;
	return 0;
}

static int take_word(struct choice *c, const char *word, size_t length, struct error *err)
{
	if (!length)
		return error_set(err, EINVAL, "--push-labels: an empty word: it is 'hash', or labels as in 'handle_*,query'");
	if (length != strlen("hash") || strncmp(word, "hash", length))
		return add_pattern(c, word, length, err);
	c->hashed = true;
	return 0;
}

int choice_parse(struct choice *c, const char *text, struct error *err)
{
	int ret = 0;

	while (text && !ret) {
		size_t length = strcspn(text, ",");

		ret = take_word(c, text, length, err);
		text = text[length] ? text + length + 1 : NULL;
	}
	return ret;
}

void choice_free(struct choice *c)
{
	for (unsigned int i = 0; i < c->nr_patterns; i++)
		free(c->patterns[i]);
	c->nr_patterns = 0;
}

bool choice_allows(const struct choice *c, const char *name)
{
	if (!c->nr_patterns)
		return true;
	for (unsigned int i = 0; i < c->nr_patterns; i++)
		if (!fnmatch(c->patterns[i], name, 0))
			return true;
	return false;
}

uint64_t choice_series(const struct choice *c)
{
	uint64_t most = (uint64_t)c->most * CHOICE_SERIES;

	return most < CHOICE_SERIES_LEAST ? CHOICE_SERIES_LEAST : most;
}

/* Two that differ behind the cut stay two. */
static char *cut(const char *name, size_t size)
{
	static const char gap[] = "\u2026";
	size_t left = printable_cut(name, CHOICE_NAME - CUT_DIGITS - strlen(gap));
	char hash[CUT_DIGITS + 1], *text;

	digest_text(name, size, CUT_DIGITS, hash);
	return asprintf(&text, "%.*s%s%s", (int)left, name, gap, hash) < 0 ? NULL : text;
}

char *choice_name(const struct choice *c, const char *name)
{
	size_t size = strlen(name);
	char *text;

	if (!c->hashed)
		return size > CHOICE_NAME ? cut(name, size) : strdup(name);
	text = malloc(HASH_DIGITS + 1);
	if (text)
		digest_text(name, size, HASH_DIGITS, text);
	return text;
}
