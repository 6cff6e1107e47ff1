// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the instructions of QEMU's tools, outside coroutines and in them, by
 * nothing but what QEMU says of each jump: preloaded in place of coroprof, to
 * compare with. TRUTH names the file for the two numbers. Of the first thread, from
 * its first coroutine on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* enum CoroutineAction; the first jump of each, back to who made it, is also 1 */
enum { YIELD = 1, TERMINATE = 2, ENTER = 3 };

static int counter = -1, depth;
static uint64_t last, outside, inside;

static void count(void)
{
	uint64_t now = 0;

	if (read(counter, &now, sizeof(now)) != sizeof(now))
		abort();
	*(depth ? &inside : &outside) += now - last;
	last = now;
}

static void begin(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1, .exclude_hv = 1,
	};

	counter = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (counter < 0)
		abort();
}

int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	static int (*next)(ucontext_t *, const ucontext_t *);

	if (!next)
		next = (int (*)(ucontext_t *, const ucontext_t *))dlsym(RTLD_NEXT, "swapcontext");
	if (counter < 0)
		begin();
	else
		count();
	depth++;
	return next(from, to);
}

void jump(void *env, int value) __asm__("siglongjmp");

void jump(void *env, int value)
{
	static void (*next)(void *, int);

	if (!next)
		next = (void (*)(void *, int))dlsym(RTLD_NEXT, "siglongjmp");
	count();
	depth += value == ENTER ? 1 : -1;
	next(env, value);
}

static __attribute__((destructor)) void end(void)
{
	FILE *file = getenv("TRUTH") ? fopen(getenv("TRUTH"), "w") : NULL;

	if (counter < 0 || !file)
		return;
	count();
	fprintf(file, "%llu %llu\n", (unsigned long long)outside, (unsigned long long)inside);
	fclose(file);
}
