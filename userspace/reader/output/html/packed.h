/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A column of numbers in a JSON text, in few bytes:
 *
 *   { "all": N }                  the number of all rows
 *   { "least": N, "data": "..." } how much more than N each is
 *   { "first": N, "data": "..." } how much each is more than the one before, and
 *                                 the first more than N; doubled, and one less
 *                                 than that where it is less
 *   { "data": "..." }             of fractions
 *
 * @data is base64, of LEB128, or of floats of four bytes, the lowest first.
 */
#ifndef COROPROF_HTML_PACKED_H
#define COROPROF_HTML_PACKED_H

#include <stdint.h>

#include "base/json.h"

void packed_numbers(struct json *j, const uint64_t *numbers, uint32_t nr);
/* Seven digits of each are kept. */
void packed_fractions(struct json *j, const double *fractions, uint32_t nr);

#endif /* COROPROF_HTML_PACKED_H */
