/* SPDX-License-Identifier: GPL-2.0 */
/* Quantities as people type them: the same in each option. */
#ifndef COROPROF_UNITS_H
#define COROPROF_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "20" (seconds), "1.5s", "20ms", "1m30s": numbers with h, m, s, ms, us or ns, in this order, whose
 * sum it is, below 10^18 ns; a blank may part a number from its unit. False if it is anything else.
 */
bool units_time(const char *text, uint64_t *ns);

/* "65536", "256K", "4M", "1G": from 1 byte to 1 GiB. False if it is anything else. */
bool units_size(const char *text, uint32_t *bytes);

/*
 * "5", "2.5e6", "2K", "69.4 k", "512M": a number, 0 or more, or one with k, M, G, T, P or E, which
 * are powers of 1000, as figures have them; K is k. False if it is anything else.
 */
bool units_count(const char *text, double *count);

#endif /* COROPROF_UNITS_H */
