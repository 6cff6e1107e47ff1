/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text in room that is given. */
#ifndef TOKIO_TEXT_H
#define TOKIO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Where the next character goes, and the room from there, of which the last is for the end. */
struct text {
	char *to;
	size_t room;
};

/* False if there is no room. */
static inline bool text_put(struct text *text, const char *from, size_t length)
{
	if (text->room <= length)
		return false;
	memcpy(text->to, from, length);
	text->to += length;
	text->room -= length;
	*text->to = '\0';
	return true;
}

#endif /* TOKIO_TEXT_H */
