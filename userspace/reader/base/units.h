/* SPDX-License-Identifier: GPL-2.0 */
/* Quantities as people type them: the same in each option. */
#ifndef COROPROF_UNITS_H
#define COROPROF_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "20" (seconds), "1.5s", "20ms", "1m30s": numbers with ns, us, ms, s, m or h, whose sum it is, below
 * 10^18 ns; a blank may part a number from its unit. False if it is anything else.
 */
bool units_time(const char *text, uint64_t *ns);

/* "65536", "256K", "4M", "1G": from 1 byte to 1 GiB. False if it is anything else. */
bool units_size(const char *text, uint32_t *bytes);

#endif /* COROPROF_UNITS_H */
