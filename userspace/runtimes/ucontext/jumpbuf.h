/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a jump goes, as the C library hides it. */
#ifndef JUMPBUF_H
#define JUMPBUF_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#define JUMPBUF_SP_WORD 6
#define JUMPBUF_UNMIX(word) ((word) >> 17 | (word) << 47)
#elif defined(__aarch64__)
#define JUMPBUF_SP_WORD 13
#define JUMPBUF_UNMIX(word) (word)
#else
#error "tell here where a jmp_buf keeps the stack pointer"
#endif

/* What the C library keeps addresses mixed with, if @jumpbuf_known. */
extern uint64_t jumpbuf_secret __attribute__((visibility("hidden")));
extern bool jumpbuf_known __attribute__((visibility("hidden")));
/* Finds it out. */
void jumpbuf_init(void);

/* The stack pointer in what setjmp() has filled in, of any kind of it; 0: not known. */
static inline uintptr_t jumpbuf_sp(const void *env)
{
	uint64_t word = ((const uint64_t *)env)[JUMPBUF_SP_WORD];

	return jumpbuf_known ? JUMPBUF_UNMIX(word) ^ jumpbuf_secret : 0;
}

#endif /* JUMPBUF_H */
