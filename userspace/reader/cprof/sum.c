// SPDX-License-Identifier: GPL-2.0
/* The checksum of payloads: four lanes of multiplications, eight bytes each. */
#include <string.h>

#include "cprof/sum.h"

#define LANES	4u
#define BLOCK	(LANES * sizeof(uint64_t))

static inline uint64_t add_word(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
	return sum ^ sum >> 32;
}

static inline void add_block(uint64_t *sum, const unsigned char *from)
{
	uint64_t words[LANES];

	memcpy(words, from, sizeof(words));
	sum[0] = add_word(sum[0], words[0]);
	sum[1] = add_word(sum[1], words[1]);
	sum[2] = add_word(sum[2], words[2]);
	sum[3] = add_word(sum[3], words[3]);
}

uint32_t payload_sum(const void *data, size_t size)
{
	const unsigned char *from = data;
	uint64_t sum[LANES] = { 1, 2, 3, 4 }, all = size;
	unsigned char last[BLOCK] = { 0 };
	size_t left = size % BLOCK;

	for (size_t at = 0; at < size - left; at += BLOCK)
		add_block(sum, from + at);
	if (left) {
		memcpy(last, from + size - left, left);
		add_block(sum, last);
	}
	for (unsigned int i = 0; i < LANES; i++)
		all = add_word(all, sum[i]);
	return (uint32_t)all;
}
