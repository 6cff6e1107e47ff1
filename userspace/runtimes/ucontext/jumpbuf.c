// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The C library keeps addresses in a jmp_buf mixed with a secret number, the same
 * for the whole process. It comes out of a jmp_buf whose stack pointer is known.
 */
#include <alloca.h>
#include <setjmp.h>

#include "../runtime.h"
#include "jumpbuf.h"

#if defined(__x86_64__)
#define read_sp(to) __asm__ volatile("mov %%rsp, %0" : "=r"(to))
#elif defined(__aarch64__)
#define read_sp(to) __asm__ volatile("mov %0, sp" : "=r"(to))
#endif

uint64_t jumpbuf_secret;
bool jumpbuf_known;

/* What the secret is, seen from a stack pointer that is by @deeper lower. */
static __attribute__((noinline)) uint64_t secret_seen(size_t deeper)
{
	volatile char *room = alloca(deeper);
	jmp_buf env = { 0 };
	uint64_t sp, word;

	room[0] = 0;
	if (_setjmp(env))
		return 0;
	read_sp(sp);
	word = ((const uint64_t *)(const void *)env)[JUMPBUF_SP_WORD];
	return JUMPBUF_UNMIX(word) ^ sp;
}

void jumpbuf_init(void)
{
	jumpbuf_secret = secret_seen(16);
	jumpbuf_known = secret_seen(208) == jumpbuf_secret &&
			secret_seen(5008) == jumpbuf_secret;
	if (!jumpbuf_known)
		coroprof_debug("where this C library keeps the stack pointer in a jmp_buf is not known: switches by longjmp() are only noticed afterwards");
}
