/* SPDX-License-Identifier: GPL-2.0 */
/* What is known of code, as bytes: from one process to another, and in a list (given.h). */
#ifndef COROPROF_ANSWER_H
#define COROPROF_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/util.h"
#include "symbols/lines.h"

/* False when out of memory. */
bool answer_put_number(struct buffer *buffer, uint32_t value);
bool answer_put_text(struct buffer *buffer, const char *text);
bool answer_put_location(struct buffer *buffer, const struct source_location *location);

/*
 * What is at *@at, which then is behind it; false: it makes no sense. A text is in the buffer, NULL
 * if there is none.
 */
bool answer_take_number(const struct buffer *buffer, size_t *at, uint32_t *value);
bool answer_take_text(const struct buffer *buffer, size_t *at, const char **text);
bool answer_take_location(const struct buffer *buffer, size_t *at,
			  struct source_location *location);

#endif /* COROPROF_ANSWER_H */
