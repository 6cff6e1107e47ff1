/* SPDX-License-Identifier: GPL-2.0 */
/* Chance that is the same at each run. */
#ifndef COROPROF_TEST_CHANCE_H
#define COROPROF_TEST_CHANCE_H

#include <math.h>
#include <stdint.h>

static uint64_t state_of_chance = 0x9e3779b97f4a7c15;

/* Above 0, below 1. */
static inline double chance(void)
{
	state_of_chance ^= state_of_chance << 13;
	state_of_chance ^= state_of_chance >> 7;
	state_of_chance ^= state_of_chance << 17;
	return ((double)(state_of_chance >> 11) + 0.5) / 0x1p53;
}

static inline double normal(void)
{
	return sqrt(-2 * log(chance())) * cos(2 * M_PI * chance());
}

#endif /* COROPROF_TEST_CHANCE_H */
