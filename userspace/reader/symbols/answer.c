// SPDX-License-Identifier: GPL-2.0
/* Numbers, and texts that have their length in front, and a 0 behind them. */
#include <string.h>

#include "symbols/answer.h"

#define NO_TEXT	UINT32_MAX

bool answer_put_number(struct buffer *b, uint32_t value)
{
	struct error err;

	return !buffer_append(b, &value, sizeof(value), &err);
}

bool answer_put_text(struct buffer *b, const char *text)
{
	struct error err;

	if (!text)
		return answer_put_number(b, NO_TEXT);
	return answer_put_number(b, (uint32_t)strlen(text)) &&
	       !buffer_append(b, text, strlen(text) + 1, &err);
}

bool answer_take_number(const struct buffer *b, size_t *at, uint32_t *value)
{
	if (b->size - *at < sizeof(*value))
		return false;
	memcpy(value, b->data + *at, sizeof(*value));
	*at += sizeof(*value);
	return true;
}

/* In the buffer; NULL if there is none. */
bool answer_take_text(const struct buffer *b, size_t *at, const char **text)
{
	uint32_t size;

	if (!answer_take_number(b, at, &size))
		return false;
	*text = NULL;
	if (size == NO_TEXT)
		return true;
	if (size >= b->size - *at || memchr(b->data + *at, 0, size) || b->data[*at + size])
		return false;
	*text = b->data + *at;
	*at += size + 1;
	return true;
}

bool answer_put_location(struct buffer *b, const struct source_location *location)
{
	return answer_put_text(b, location->name) && answer_put_number(b, location->inlined) &&
	       answer_put_text(b, location->file) && answer_put_number(b, location->line) &&
	       answer_put_text(b, location->from_file) && answer_put_number(b, location->from_line);
}

bool answer_take_location(const struct buffer *b, size_t *at, struct source_location *location)
{
	uint32_t inlined;

	if (!answer_take_text(b, at, &location->name) || !answer_take_number(b, at, &inlined) ||
	    !answer_take_text(b, at, &location->file) || !answer_take_number(b, at, &location->line) ||
	    !answer_take_text(b, at, &location->from_file) ||
	    !answer_take_number(b, at, &location->from_line))
		return false;
	location->inlined = inlined;
	return true;
}
