// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The C library keeps addresses in a jmp_buf mixed with a secret number, the same
 * for the whole process. It comes out of a jmp_buf whose stack pointer is known.
 */
#include <alloca.h>
#include <setjmp.h>
#include <stdbool.h>

#include "../../lib/internal.h"
#include "jumpbuf.h"

#if defined(__x86_64__)
#define SP_WORD 6
#define unmix(word) ((word) >> 17 | (word) << 47)
#define read_sp(to) __asm__ volatile("mov %%rsp, %0" : "=r"(to))
#elif defined(__aarch64__)
#define SP_WORD 13
#define unmix(word) (word)
#define read_sp(to) __asm__ volatile("mov %0, sp" : "=r"(to))
#else
#error "tell here where a jmp_buf keeps the stack pointer"
#endif

static uint64_t secret;
static bool known;

static uint64_t sp_word(const void *env)
{
	return ((const uint64_t *)env)[SP_WORD];
}

/* What the secret is, seen from a stack pointer that is by @deeper lower. */
static __attribute__((noinline)) uint64_t secret_seen(size_t deeper)
{
	volatile char *room = alloca(deeper);
	jmp_buf env = { 0 };
	uint64_t sp;

	room[0] = 0;
	if (_setjmp(env))
		return 0;
	read_sp(sp);
	return unmix(sp_word(env)) ^ sp;
}

void jumpbuf_init(void)
{
	secret = secret_seen(16);
	known = secret_seen(208) == secret && secret_seen(5008) == secret;
	if (!known)
		coroprof_debug("where this C library keeps the stack pointer in a jmp_buf is not known: switches by longjmp() are only noticed afterwards");
}

uintptr_t jumpbuf_sp(const void *env)
{
	return known ? unmix(sp_word(env)) ^ secret : 0;
}
