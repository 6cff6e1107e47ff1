// SPDX-License-Identifier: GPL-2.0
/* The checksum of payloads: four lanes of multiplications, eight bytes each. */
#include <string.h>

#include "cprof/sum.h"

#define LANES	4u
#define BLOCK	(LANES * sizeof(uint64_t))

static inline uint64_t step(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
	return sum ^ sum >> 32;
}

static inline void block(uint64_t *sum, const unsigned char *from)
{
	uint64_t words[LANES];

	memcpy(words, from, sizeof(words));
	sum[0] = step(sum[0], words[0]);
	sum[1] = step(sum[1], words[1]);
	sum[2] = step(sum[2], words[2]);
	sum[3] = step(sum[3], words[3]);
}

uint32_t payload_sum(const void *data, size_t size)
{
	const unsigned char *from = data;
	uint64_t sum[LANES] = { 1, 2, 3, 4 }, all = size;
	unsigned char last[BLOCK] = { 0 };
	size_t left = size % BLOCK;

	for (size_t at = 0; at < size - left; at += BLOCK)
		block(sum, from + at);
	if (left) {
		memcpy(last, from + size - left, left);
		block(sum, last);
	}
	for (unsigned int i = 0; i < LANES; i++)
		all = step(all, sum[i]);
	return (uint32_t)all;
}
