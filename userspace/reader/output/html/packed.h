/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Columns of numbers in few bytes: those of each deflated by themselves, in base64, a line
 * each; and for each of them what a JSON text says of it:
 *
 *   { "all": N }                  the number of all rows
 *   { "least": N, "line": L }     how much more than N each is
 *   { "first": N, "line": L }     how much each is more than the one before, and
 *                                 the first more than N; doubled, and one less
 *                                 than that where it is less
 *   { "near": [...], "line": L }  how much each is more than the sum of the columns
 *                                 named, where "-" stands before those that are taken
 *                                 off; likewise doubled. With "all": that is 0
 *   { "after": C, "line": L }     how much each is more than the one before and, of that
 *                                 row, the column C; likewise doubled
 *   { "line": L }                 of fractions
 *   { "quotient": [X, Y] }        of a column of fractions: X divided by Y
 *
 * L says in which line it is, of which the first is 0; with it is, as "bytes", how many bytes
 * they are once they are inflated. These are LEB128, or floats of eight bytes, of four in long
 * columns, the lowest first.
 * So the page unpacks what it shows, not all there is, and what is said of a column is known
 * before it is deflated.
 */
#ifndef COROPROF_HTML_PACKED_H
#define COROPROF_HTML_PACKED_H

#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "output/html/deflater.h"

#define PACKED_EXACT_MAX	((UINT64_C(1) << 53) - 1)

#define PACKED_BYTES	32768

/**
 * struct packed - bytes of columns on their way into a text
 * @deflater: where to
 * @lines:    so many columns were before this one
 * @size:     its bytes so far
 * @nr:       how many of them the deflater does not have yet
 * @bytes:    these
 */
struct packed {
	struct deflater deflater;
	uint64_t lines;
	uint64_t size;
	unsigned int nr;
	uint8_t bytes[PACKED_BYTES];
};

/* Returns 0, or -1 with errno; then there is nothing to close. */
int packed_open(struct packed *p, FILE *file);
/* Returns -1 with errno if anything of it failed. */
int packed_close(struct packed *p);

void packed_numbers(struct packed *p, struct json *j, const uint64_t *numbers, uint32_t nr);
/*
 * Writes @numbers as differences to @sums, which are those of the columns @names, a text with
 * spaces between them. No number or sum is more than PACKED_EXACT_MAX.
 */
void packed_near(struct packed *p, struct json *j, const char *names, const uint64_t *numbers,
		 const uint64_t *sums, uint32_t nr);
/* Likewise. @sums: of each row, the end of the row before, by the column @name. */
void packed_after(struct packed *p, struct json *j, const char *name, const uint64_t *numbers,
		  const uint64_t *sums, uint32_t nr);
/* Writes fractions with seven digits. */
void packed_fractions(struct packed *p, struct json *j, const double *fractions, uint32_t nr);

#endif /* COROPROF_HTML_PACKED_H */
