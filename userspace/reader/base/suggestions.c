// SPDX-License-Identifier: GPL-2.0
/* Suggests the words that are nearest to a mistyped one, by the number of letters to change. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/suggestions.h"

#define FAR_MOST	2

static unsigned int smaller(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Damerau's distance, in which no letter is changed twice; only three rows of its table are kept.
 */
static unsigned int edit_distance(const char *a, size_t la, const char *b, size_t lb)
{
	unsigned int rows[3][SUGGESTIONS_LENGTH + 1];

	for (size_t i = 0; i <= la; i++)
		for (size_t j = 0; j <= lb; j++) {
			unsigned int *row = rows[i % 3], *last = rows[(i + 2) % 3];

			if (!i || !j) {
				row[j] = (unsigned int)(i + j);
				continue;
			}
			row[j] = smaller(last[j - 1] + !same_letter(a[i - 1], b[j - 1]),
					 smaller(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				row[j] = smaller(row[j], rows[(i + 1) % 3][j - 2] + 1);
		}
	return rows[la % 3][lb];
}

void suggestions_add(struct suggestions *suggestions, const char *name)
{
	size_t length = strlen(name);
	unsigned int far, at = suggestions->nr;

	if (!suggestions->length || suggestions->length > SUGGESTIONS_LENGTH ||
	    length > SUGGESTIONS_LENGTH)
		return;
	far = edit_distance(suggestions->word, suggestions->length, name, length);
	if (!strncasecmp(name, suggestions->word, suggestions->length))
		far = smaller(far, FAR_MOST);
	else if (far > FAR_MOST || 2 * far >= suggestions->length)
		return;
	for (unsigned int i = 0; i < suggestions->nr; i++)
		if (!strcmp(suggestions->all[i].name, name))
			return;
	while (at && suggestions->all[at - 1].far > far)
		at--;
	if (at == SUGGESTIONS_MAX)
		return;
	suggestions->nr += suggestions->nr < SUGGESTIONS_MAX;
	memmove(&suggestions->all[at + 1], &suggestions->all[at],
		(suggestions->nr - 1 - at) * sizeof(suggestions->all[0]));
	snprintf(suggestions->all[at].name, sizeof(suggestions->all[at].name), "%s", name);
	suggestions->all[at].far = far;
}

void suggestions_list(const struct suggestions *suggestions, char to[SUGGESTIONS_LIST])
{
	size_t used = 0;

	*to = '\0';
	for (unsigned int i = 0; i < suggestions->nr && used < SUGGESTIONS_LIST; i++)
		used += (size_t)snprintf(to + used, SUGGESTIONS_LIST - used, "%s%s", i ? ", " : "",
					 suggestions->all[i].name);
}
