/* SPDX-License-Identifier: GPL-2.0 */
/* Recordings of one load, of which pairs differ in one thing that is known. */
#ifndef COROPROF_TESTS_REQUESTS_H
#define COROPROF_TESTS_REQUESTS_H

#include <stdint.h>

/**
 * struct requests - what is not as in the plain one
 * @heavier: percent more of time and counters in each slice of heavy
 * @queries: calls of query in each slice of heavy
 * @audit:   a span that is in heavy as well, or NULL
 * @heavy:   name of the label
 * @twice:   another label of the same function, on another line, or NULL
 * @seed:    of what is by chance
 */
struct requests {
	uint32_t heavier;
	uint32_t queries;
	const char *audit;
	const char *heavy;
	const char *twice;
	uint64_t seed;
};

#define REQUESTS_HEAVY	"heavy@handlers.lua:31"

void requests_write(const char *path, const struct requests *requests);

#endif /* COROPROF_TESTS_REQUESTS_H */
