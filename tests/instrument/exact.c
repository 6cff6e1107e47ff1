// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of known cost, in a guest whose PMU counts instructions exactly and
 * whose clock goes by one nanosecond an instruction: what is reported of them. The
 * program records itself. With the argument "user", its threads have to switch
 * from user mode.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <coroprof/coroprof.h>

#include "tap.h"

#define PLAIN __attribute__((no_instrument_function))
#define CALLED __attribute__((noinline, noclone))

#define N 1000000ull
/* Instructions of leaf(n), the loop alone. */
#define COST(n) (2 * (n))
/* What an instrumented call costs at most, in user mode, seen from outside. */
#define AROUND 2000

/* ---- the functions */

static CALLED void leaf(uint64_t n)
{
#if defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
	asm volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(n) : : "cc");
#endif
}

static CALLED void parent(void)
{
	leaf(N);
	leaf(2 * N);
}

static PLAIN void work(uint64_t n)
{
#if defined(__aarch64__)
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
	asm volatile("1: sub $1, %0\n\tjnz 1b" : "+r"(n) : : "cc");
#endif
}

static CALLED int fib(int n)
{
	work(N);
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* ---- coroutines */

struct task {
	coroprof_co co;
	ucontext_t context;
	ucontext_t *resumer;
	char stack[128 * 1024];
};

static struct task a, b, c;

static PLAIN void leave(struct task *task)
{
	coroprof_switch(COROPROF_THREAD);
	swapcontext(&task->context, task->resumer);
}

static CALLED void yield(struct task *task)
{
	leave(task);
}

static CALLED void waits(void)
{
	work(N);
	yield(&a);
	work(N);
}

static CALLED void travels(void)
{
	work(N);
	yield(&c);
	work(2 * N);
}

static PLAIN void main_a(void)
{
	waits();
	leave(&a);
}

static PLAIN void main_b(void)
{
	leaf(10 * N);
	leave(&b);
}

static PLAIN void main_c(void)
{
	travels();
	leave(&c);
}

static PLAIN void make(struct task *task, void (*fn)(void))
{
	task->co = coroprof_new(0, COROPROF_THREAD, 0);
	getcontext(&task->context);
	task->context.uc_stack.ss_sp = task->stack;
	task->context.uc_stack.ss_size = sizeof(task->stack);
	makecontext(&task->context, fn, 0);
}

static PLAIN void resume(struct task *task)
{
	ucontext_t here;

	task->resumer = &here;
	coroprof_switch(task->co);
	swapcontext(&here, &task->context);
}

static PLAIN void *resume_elsewhere(void *unused)
{
	resume(&c);
	return unused;
}

static PLAIN void run(void)
{
	pthread_t thread;

	coroprof_switch(COROPROF_THREAD);
	leaf(N);
	parent();
	fib(8);

	make(&a, main_a);
	make(&b, main_b);
	resume(&a);
	resume(&b);
	resume(&a);

	make(&c, main_c);
	resume(&c);
	pthread_create(&thread, NULL, resume_elsewhere, NULL);
	pthread_join(thread, NULL);
	coroprof_switch(COROPROF_THREAD);
}

/* ---- the recording */

struct span {
	struct coroprof_record_span record;
	uint64_t count;		/* of instructions */
	uint64_t own;		/* of these, not in spans within it */
};

static struct span spans[4096];
static unsigned int nr_spans, nr_lost, nr_channels, nr_user;

static PLAIN int session_open(bool user)
{
	struct coroprof_session_config config = {
		.size = sizeof(config),
		.flags = user ? COROPROF_SESSION_USER : 0,
		.nr_counters = 2,
		.counters = {
			{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS },
			{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES },
		},
	};
	struct coroprof_attach attach = { .size = sizeof(attach), .pid = getpid() };
	int control = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);
	int session = ioctl(control, COROPROF_IOC_SESSION, &config);

	close(control);
	if (session < 0 || ioctl(session, COROPROF_IOC_ATTACH, &attach) ||
	    fcntl(session, F_SETFL, O_NONBLOCK)) {
		printf("Bail out! no session: %s\n", strerror(errno));
		exit(1);
	}
	return session;
}

static PLAIN void take(const void *at)
{
	const struct coroprof_record *record = at;
	const struct coroprof_record_lost *lost = at;
	struct span *span = &spans[nr_spans];

	if (record->type == COROPROF_RECORD_LOST)
		nr_lost += lost->spans + lost->full;
	if (record->type != COROPROF_RECORD_SPAN || nr_spans == 4096)
		return;
	memcpy(&span->record, at, sizeof(span->record));
	memcpy(&span->count, (const char *)at + sizeof(span->record), sizeof(span->count));
	nr_spans++;
}

static PLAIN void take_ring(int session, const struct coroprof_record_channel *channel)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page + 2ul * channel->ring_size;
	const struct coroprof_ring_producer *producer;
	const char *data;
	uint64_t head;

	nr_channels++;
	nr_user += channel->mode == COROPROF_MODE_USER;
	producer = mmap(NULL, size, PROT_READ, MAP_SHARED, session,
			(off_t)(COROPROF_MMAP_RING(channel->channel_id) + page));
	if (producer == MAP_FAILED) {
		printf("Bail out! no ring: %s\n", strerror(errno));
		exit(1);
	}
	data = (const char *)producer + page;
	head = producer->head & ~1ull;
	for (uint64_t at = 0; at < head; at += ((const struct coroprof_record *)(data + at))->size)
		take(data + at);
	munmap((void *)producer, size);
}

static PLAIN void take_stream(int session)
{
	static uint64_t buffer[8192];
	const struct coroprof_record *record;
	ssize_t got;

	while ((got = read(session, buffer, sizeof(buffer))) > 0) {
		for (ssize_t at = 0; at < got; at += record->size) {
			record = (const void *)((const char *)buffer + at);
			if (record->type == COROPROF_RECORD_CHANNEL)
				take_ring(session, (const void *)record);
		}
	}
}

static PLAIN int by_time(const void *one, const void *two)
{
	const struct coroprof_record_span *x = one, *y = two;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* Of each span, less what is in those within it: they have come before it. */
static PLAIN void find_own(void)
{
	qsort(spans, nr_spans, sizeof(spans[0]), by_time);
	for (unsigned int i = 0; i < nr_spans; i++) {
		struct span *span = &spans[i];
		uint64_t began = span->record.time - span->record.duration;

		span->own = span->count;
		for (unsigned int j = i; j--; ) {
			if (spans[j].record.id != span->record.id || spans[j].record.time < began)
				continue;
			if (spans[j].record.depth == span->record.depth + 1)
				span->own -= spans[j].count;
		}
	}
}

/* ---- what it must say */

/* The n-th span of a function, in the order of their ends, or NULL. */
static PLAIN const struct span *nth(const void *function, unsigned int n)
{
	uint32_t label = coroprof_label_code(function);

	for (unsigned int i = 0; i < nr_spans; i++) {
		if (spans[i].record.label == label && !n--)
			return &spans[i];
	}
	return NULL;
}

static PLAIN unsigned int calls(const void *function)
{
	unsigned int n = 0;

	while (nth(function, n))
		n++;
	return n;
}

/* Within a tenth of a percent, and never less. */
static PLAIN bool near(uint64_t seen, uint64_t expected)
{
	if (seen < expected || seen > expected + expected / 1000)
		printf("# %llu instructions, expected %llu\n", (unsigned long long)seen,
		       (unsigned long long)expected);
	return seen >= expected && seen <= expected + expected / 1000;
}

static PLAIN bool counted(const struct span *span)
{
	return span && COROPROF_STANDING(span->record.standing, 0) == COROPROF_STANDING_COUNTED &&
	       COROPROF_STANDING(span->record.standing, 1) == COROPROF_STANDING_COUNTED;
}

static PLAIN void nested(void)
{
	const struct span *one = nth((void *)leaf, 0), *first = nth((void *)leaf, 1);
	const struct span *second = nth((void *)leaf, 2), *all = nth((void *)parent, 0);

	is(calls((void *)leaf), 4, "each call of a function is told");
	is(calls((void *)parent), 1, "the call of what calls a function is told");
	if (!counted(one) || !counted(first) || !counted(second) || !counted(all)) {
		ok(0, "all that a call does is counted");
		return;
	}
	ok(near(one->count, COST(N)), "a loop costs what it executes");
	ok(near(first->count, COST(N)) && near(second->count, COST(2 * N)),
	   "a loop, and one twice as long, within another function cost what they execute");
	ok(near(all->count, COST(3 * N)), "the function around both loops costs what both execute");
	ok(all->own < 2 * AROUND,
	   "the function around both loops costs next to nothing of its own: %llu",
	   (unsigned long long)all->own);
	printf("# a call costs %llu instructions in its caller\n",
	       (unsigned long long)all->own / 2);
	is(first->record.depth, all->record.depth + 1, "a call within another is one deeper");
}

static PLAIN void recursive(void)
{
	const unsigned int times = 2 * 34 - 1;
	const struct span *outer = nth((void *)fib, times - 1), *span;
	unsigned int deepest = 0;
	bool alike = true;

	is(calls((void *)fib), times, "recursive calls are told, each one");
	if (!outer)
		return;
	for (unsigned int i = 0; i < times; i++) {
		span = nth((void *)fib, i);
		alike &= counted(span) && near(span->own, COST(N));
		if (span->record.depth > deepest)
			deepest = span->record.depth;
	}
	ok(alike, "recursive calls have the same cost of their own");
	ok(near(outer->count, times * COST(N)), "the outermost recursive call has the cost of all");
	is(deepest - outer->record.depth, 7, "recursive calls are as deep as they go");
}

/* 20 million instructions of another coroutine take as many nanoseconds. */
static PLAIN void waiting(void)
{
	const struct span *span = nth((void *)waits, 0), *in = nth((void *)yield, 0);

	is(calls((void *)waits), 1, "a call that waits is told once");
	if (!counted(span) || !counted(in))
		return;
	ok(near(span->count, COST(2 * N)), "a call that waits has its own instructions");
	ok(span->record.duration - span->record.running_ns >= COST(10 * N),
	   "a call that waits did not run while another did");
	ok(span->record.running_ns >= COST(2 * N) &&
	   span->record.running_ns <= COST(2 * N) + COST(N) / 2,
	   "a call that waits ran for as long as it takes");
	ok(in->count < AROUND && in->record.duration >= COST(10 * N),
	   "the call in which it waited cost time, and %llu instructions",
	   (unsigned long long)in->count);
}

static PLAIN void moving(void)
{
	const struct span *span = nth((void *)travels, 0);

	is(calls((void *)travels), 1, "a call that moves to another thread is told once");
	ok(counted(span) && near(span->count, COST(3 * N)),
	   "a call that moves has what it did on both threads");
	is(span ? span->record.id : 0, coroprof_id(c.co), "a call that moves is its coroutine's");
}

PLAIN int main(int argc, char **argv)
{
	bool user = argc > 1 && !strcmp(argv[1], "user");
	int session = session_open(user);

	is(ioctl(session, COROPROF_IOC_START), 0, "a recording starts");
	run();
	is(ioctl(session, COROPROF_IOC_STOP), 0, "the recording stops");
	take_stream(session);
	find_own();
	is(nr_lost, 0, "nothing that was recorded is lost");
	is(nr_channels, 2, "two threads are recorded");
	is(nr_user, user ? 2 : 0,
	   "both threads switch %s", user ? "from user mode" : "by system call");
	nested();
	recursive();
	waiting();
	moving();
	return tap_done();
}
