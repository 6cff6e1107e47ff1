/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much all symbols of a recording may cost. A recording names any file, and who
 * made it may have made that too, so each could be as large as its file system lets it.
 */
#ifndef COROPROF_BUDGET_H
#define COROPROF_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUDGET_NS		(30 * UINT64_C(1000000000))
#define BUDGET_READ		(UINT64_C(8) << 30)
#define BUDGET_NAMES		(UINT64_C(512) << 20)
#define BUDGET_FUNCTIONS	(UINT64_C(4) << 20)

/* A section that is read as a whole. */
#define BUDGET_TABLE		(UINT64_C(512) << 20)

/* All debug information. It is in memory until the last address has been looked up. */
#define BUDGET_DEBUG		(UINT64_C(1) << 30)
#define BUDGET_NOTES		(UINT64_C(1) << 20)

/* Tables of lines of units: a byte of one may be a row, of which each takes a hundred. */
#define BUDGET_LINES		(UINT64_C(32) << 20)

/**
 * struct budget - what is left
 * @ns:        of time
 * @read:      bytes that may be read for checksums and tables
 * @names:     bytes of names
 * @functions: functions
 * @lines:     bytes of tables of lines
 * @too_large: what to say where @read is too little
 * @gone:      what of these there was too little of, as a text, or NULL
 */
struct budget {
	uint64_t ns;
	uint64_t read;
	uint64_t names;
	uint64_t functions;
	uint64_t lines;
	const char *too_large;
	const char *gone;
};

struct budget budget_full(void);
/* A budget for debug information alone, so that it takes nothing from symbols. */
struct budget budget_lines(void);

/*
 * Each of these takes something from the budget; if there is not enough, it takes nothing and sets
 * @gone.
 */
bool budget_read(struct budget *b, uint64_t bytes);
bool budget_function(struct budget *b, size_t name);
bool budget_table(struct budget *b, uint64_t bytes);

/* The time at which work begins, for budget_time(), which takes the time since from the budget. */
uint64_t budget_begin(void);
bool budget_time(struct budget *b, uint64_t *begin);

#endif /* COROPROF_BUDGET_H */
