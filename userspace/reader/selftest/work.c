// SPDX-License-Identifier: GPL-2.0
/*
 * The known work: loops of a known number of instructions, chases of pointers through memory, pages
 * that are touched.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "explain/machine.h"
#include "selftest/work.h"

#define LINE 128

struct chase_line {
	struct chase_line *next;
	char rest[LINE - sizeof(void *)];
};

/* Of the simulated PMU; -1: there is none. */
static int simulated = -1;

bool work_simulate(void)
{
	simulated = open("/dev/" SIMULATED_PMU, O_WRONLY | O_CLOEXEC);
	return simulated >= 0;
}

/*
 * Inlined, so that samples are taken in the caller: the address of a system call is that of its
 * caller.
 */
static inline __attribute__((always_inline)) void write_to_simulator(const char *text, size_t len)
{
#if defined(__x86_64__)
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(SYS_write), "D"(simulated), "S"(text), "d"(len)
			 : "rcx", "r11", "memory");
#else
	(void)text;
	(void)len;
#endif
}

#define TEXT_SIZE 96

static int describe_loop(char text[TEXT_SIZE], uint64_t turns)
{
	return snprintf(text, TEXT_SIZE, "instructions %" PRIu64 " cycles %" PRIu64,
			turns * WORK_TURN, turns);
}

#if defined(__x86_64__)
#define LOOP(turns) __asm__ volatile("1:\n\tsub $1, %0\n\tjnz 1b" : "+r"(turns) : : "cc")
#elif defined(__aarch64__)
#define LOOP(turns) __asm__ volatile("1:\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc")
#else
#define LOOP(turns) do { __asm__ volatile("" : "+r"(turns)); } while (--turns)
#endif

/* The name in the assembly keeps the compiler from making one function of both. */
#define WORK(name)							\
__attribute__((noinline)) void name(uint64_t turns)			\
{									\
	char text[TEXT_SIZE];						\
	int len = simulated < 0 ? 0 : describe_loop(text, turns);	\
									\
	__asm__ volatile("/* " #name " */");				\
	LOOP(turns);							\
	if (simulated >= 0)						\
		write_to_simulator(text, (size_t)len);			\
}

WORK(selftest_one)
WORK(selftest_other)

/* The worker's own generator: the order need be neither repeatable nor hard to guess. */
static uint64_t random_number(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

/* Links all lines to one circle, in random order, by exchanging each with one before it. */
static void link_lines(struct chase *c)
{
	uint64_t state = 1;

	for (uint64_t i = 0; i < c->nr; i++)
		c->lines[i].next = &c->lines[i];
	for (uint64_t i = c->nr - 1; i > 0; i--) {
		uint64_t j = random_number(&state) % i;
		struct chase_line *other = c->lines[i].next;

		c->lines[i].next = c->lines[j].next;
		c->lines[j].next = other;
	}
}

bool chase_make(struct chase *c, uint64_t bytes)
{
	c->nr = bytes / LINE;
	c->lines = mmap(NULL, c->nr * LINE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->lines == MAP_FAILED)
		return false;
	link_lines(c);
	c->at = c->lines;
	return true;
}

void chase_free(struct chase *c)
{
	munmap(c->lines, c->nr * LINE);
}

void chase_run(struct chase *c, uint64_t accesses, uint64_t misses)
{
	struct chase_line *volatile *at = &c->at;
	struct chase_line *line = c->at;
	char text[TEXT_SIZE];

	while (accesses--)
		line = line->next;
	*at = line;
	if (simulated >= 0)
		write_to_simulator(text, (size_t)snprintf(text, sizeof(text),
							  "cache-misses %" PRIu64, misses));
}

bool work_pages(uint64_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	/* A huge page would be one fault. */
	madvise((void *)memory, pages * page, MADV_NOHUGEPAGE);
	for (uint64_t i = 0; i < pages; i++)
		memory[i * page] = 1;
	munmap((void *)memory, pages * page);
	return true;
}
