// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds calls in machine code. */
#include <string.h>

#include "calls.h"

#if defined(__x86_64__)

/* Where a distance of 32 bits leads, from behind it. */
static uintptr_t target(const uint8_t *at)
{
	int32_t distance;

	memcpy(&distance, at, sizeof(distance));
	return (uintptr_t)at + sizeof(distance) + (uintptr_t)(intptr_t)distance;
}

/*
 * "call" and "jmp", to there or to the address that is kept there. Where instructions begin
 * is not known: what is no call leads to where no function begins, but by a chance of one
 * in millions.
 */
static uintptr_t call_at(const struct symbols *symbols, const uint8_t *code, const uint8_t *end)
{
	uintptr_t slot;

	if ((*code == 0xe8 || *code == 0xe9) && end - code >= 5)
		return target(code + 1);
	if (*code != 0xff || end - code < 6 || (code[1] != 0x15 && code[1] != 0x25))
		return 0;
	slot = target(code + 2);
	return slot >= symbols->relro && slot + sizeof(slot) <= symbols->relro_end &&
	       slot % sizeof(slot) == 0 ? *(const uintptr_t *)slot : 0;
}

#define STEP 1

#elif defined(__aarch64__)

/* "bl" and "b", by a distance of 26 bits in instructions. */
static uintptr_t call_at(const struct symbols *symbols, const uint8_t *code, const uint8_t *end)
{
	uint32_t instruction;
	int32_t distance;

	(void)symbols;
	if (end - code < 4)
		return 0;
	memcpy(&instruction, code, sizeof(instruction));
	if ((instruction & 0x7c000000) != 0x14000000)
		return 0;
	distance = (int32_t)(instruction << 6) >> 4;
	return (uintptr_t)code + (uintptr_t)(intptr_t)distance;
}

#define STEP 4

#endif

uintptr_t calls_next(const struct symbols *symbols, const uint8_t **at, const uint8_t *end)
{
	uintptr_t to = 0;

	for (; !to && *at < end; *at += STEP)
		to = call_at(symbols, *at, end);
	return to;
}
