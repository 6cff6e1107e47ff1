// SPDX-License-Identifier: GPL-2.0
/*
 * Proves what probes see of a program that knows nothing of coroprof, against what that
 * program knows: coroutine by coroutine. The program is a child of the test, which runs
 * functions of this file that are probed.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"

#include <linux/capability.h>
#include <linux/userfaultfd.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "child.h"
#include "conserve.h"
#include "parameter.h"
#include "probed.h"
#include "require.h"

#define NR_KINDS	3
#define ROUNDS		20
#define NR_THREADS	4
#define MANY		5000
/* More coroutines than any test has. */
#define IDS_MAX		(3 * MANY)
#define SLEEP_NS	1000000ULL
#define BY_EXECVE	"COROPROF_TEST_PROBED"

#if defined(__x86_64__)
#define NO_REGISTER	PERF_REG_X86_DS
#else
#define NO_REGISTER	PERF_REG_ARM64_MAX
#endif

/* ---- the program */

struct co {
	void (*kind)(void);
	struct co *self;
	unsigned int rounds;
	pthread_mutex_t lock;
};

#define KEEP(pointer) __asm__ volatile("" : : "r"(pointer) : "memory")

PROBED static void on_switch(struct co *co) { KEEP(co); }
PROBED static void on_out(void) { KEEP(0); }
PROBED static void on_yield(struct co *co) { KEEP(co); }
PROBED static void on_end(struct co *co) { KEEP(co); }
PROBED static void on_wake(struct co *co) { KEEP(co); }
PROBED static void on_unreported(void) { KEEP(0); }
/* What goes on is a coroutine if it has a kind; as in QEMU, of @action 32 bits matter. */
PROBED static void on_jump(struct co *from, struct co *to, __u64 action)
{
	KEEP(from);
	KEEP(to);
	KEEP(action);
}

/* Only their addresses are used: they are labels. Each faults as many pages as its place says. */
static void kind_0(void) { KEEP(0); }
static void kind_1(void) { KEEP(1); }
static void kind_2(void) { KEEP(2); }

static void (*const kinds[NR_KINDS])(void) = { kind_0, kind_1, kind_2 };
static const unsigned int works[NR_KINDS] = { 1, 5, 20 };

static void co_init(struct co *co, unsigned int kind)
{
	memset(co, 0, sizeof(*co));
	co->kind = kinds[kind];
	co->self = co;
	pthread_mutex_init(&co->lock, NULL);
}

static void co_run(struct co *co, unsigned int kind)
{
	on_switch(co);
	fault_pages(works[kind]);
}

/* Each round: woken, run, left. */
static void in_turns(void)
{
	static struct co cos[NR_KINDS];
	unsigned int i, kind;

	for (kind = 0; kind < NR_KINDS; kind++)
		co_init(&cos[kind], kind);
	for (i = 0; i < ROUNDS; i++) {
		for (kind = 0; kind < NR_KINDS; kind++) {
			if (i)
				on_wake(&cos[kind]);
			co_run(&cos[kind], kind);
			sleep_ns(SLEEP_NS);
			on_out();
		}
	}
	for (kind = 0; kind < NR_KINDS; kind++) {
		co_run(&cos[kind], kind);
		on_end(&cos[kind]);
	}
}

static void *wake(void *co)
{
	on_wake(co);
	return NULL;
}

/* The first by the thread, the second by the first, the last by the thread in what nobody knows. */
static void woken_by_each(void)
{
	static struct co cos[NR_KINDS];
	unsigned int i, kind;

	for (kind = 0; kind < NR_KINDS; kind++)
		co_init(&cos[kind], kind);
	for (i = 0; i < ROUNDS; i++) {
		on_wake(&cos[0]);
		co_run(&cos[0], 0);
		on_wake(&cos[1]);
		co_run(&cos[1], 1);
		on_unreported();
		on_wake(&cos[2]);
		co_run(&cos[2], 2);
		on_out();
	}
}

/* A thread that does nothing else. */
static void woken_by_another_thread(void)
{
	static struct co co;

	co_init(&co, 0);
	co_run(&co, 0);
	on_out();
	pthread_join(run_thread(wake, &co), NULL);
	co_run(&co, 0);
	on_out();
}

static struct co shared[NR_KINDS];

static void *run_shared(void *arg)
{
	unsigned int i, kind;

	for (i = 0; i < ROUNDS; i++) {
		kind = ((uintptr_t)arg + i) % NR_KINDS;
		pthread_mutex_lock(&shared[kind].lock);
		co_run(&shared[kind], kind);
		on_yield(&shared[kind]);
		shared[kind].rounds++;
		pthread_mutex_unlock(&shared[kind].lock);
	}
	return NULL;
}

/* The coroutines go from thread to thread. */
static void on_threads(void)
{
	pthread_t threads[NR_THREADS];
	uintptr_t i;

	for (i = 0; i < NR_KINDS; i++)
		co_init(&shared[i], i);
	for (i = 0; i < NR_THREADS; i++)
		threads[i] = run_thread(run_shared, (void *)i);
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* One after the other in the same memory, and many at once. */
static void many(void)
{
	static struct co cos[MANY];
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		co_init(&cos[i], 0);
		on_switch(&cos[i]);
	}
	for (i = 0; i < MANY; i++) {
		on_switch(&cos[0]);
		on_end(&cos[0]);
	}
}

/* Into one that is told by nobody, and back. */
static void into_unknown(void)
{
	static struct co co;
	unsigned int i;

	co_init(&co, 1);
	for (i = 0; i < ROUNDS; i++) {
		co_run(&co, 1);
		on_unreported();
		fault_pages(7);
	}
	co_run(&co, 1);
}

#define GARBAGE		(5ULL << 32)
#define GO_ON		(GARBAGE | 1)
#define DONE		(GARBAGE | 2)

/* From the thread, and from one into another and back; each memory is of two, one after the other. */
static void by_jumps(void)
{
	static struct co cos[NR_KINDS], thread;
	unsigned int i, kind, round;

	for (round = 0; round < 2; round++) {
		for (kind = 0; kind < NR_KINDS; kind++)
			co_init(&cos[kind], (kind + round) % NR_KINDS);
		for (i = 0; i < ROUNDS; i++) {
			on_jump(&thread, &cos[0], GO_ON);
			fault_pages(works[round]);
			on_jump(&cos[0], &cos[1], GO_ON);
			fault_pages(works[1 + round]);
			on_jump(&cos[1], &cos[0], GO_ON);
			fault_pages(works[round]);
			on_jump(&cos[0], &thread, GO_ON);
			fault_pages(7);
		}
		for (kind = 0; kind < 2; kind++) {
			on_jump(&thread, &cos[kind], GO_ON);
			on_jump(&cos[kind], &thread, DONE);
		}
	}
}

static void jumps_into_the_unreadable(void)
{
	static struct co co;

	co_init(&co, 0);
	on_jump(NULL, &co, GO_ON);
	on_jump(&co, (struct co *)8, DONE);
	on_jump(NULL, &co, GO_ON);
}

static void unreadable(void)
{
	on_switch((struct co *)8);
	on_wake((struct co *)-8L);
	on_end((struct co *)8);
	on_out();
}

/* A page that nobody has touched, so that it reads as zeroes. */
static void *new_page(void)
{
	return mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void untouched(void)
{
	on_switch(new_page());
	on_out();
}

/* Who would have to bring the page in does not. */
static void never_served(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register served = {
		.range = { .start = (uintptr_t)new_page(), .len = page_size() },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	static struct co co;

	co_init(&co, 1);
	if (ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &served))
		_exit(1);
	on_switch((struct co *)(uintptr_t)served.range.start);
	on_switch(&co);
	on_out();
	close(fd);
}

static bool jumps;

static void into_and_out(struct co *co)
{
	static struct co thread;

	co_init(co, 0);
	if (jumps) {
		on_jump(&thread, co, GO_ON);
		on_jump(co, &thread, GO_ON);
	} else {
		on_switch(co);
		on_out();
	}
}

#define RIGHTS_ALL	5
/* Of these a session of nobody, without CAP_SYS_PTRACE, may trace so many. */
#define RIGHTS_GOOD	2

/* One coroutine as root; as nobody, undumpable by the change of ids; dumpable; not; and again. */
static void with_changing_rights(void)
{
	static struct co cos[RIGHTS_ALL];

	if (prctl(PR_SET_DUMPABLE, 1))
		_exit(1);
	into_and_out(&cos[0]);
	if (child_become(NOBODY, NOBODY, NOBODY, NOBODY))
		_exit(1);
	into_and_out(&cos[1]);
	if (prctl(PR_SET_DUMPABLE, 1))
		_exit(1);
	into_and_out(&cos[2]);
	if (prctl(PR_SET_DUMPABLE, 0))
		_exit(1);
	into_and_out(&cos[3]);
	if (prctl(PR_SET_DUMPABLE, 1))
		_exit(1);
	into_and_out(&cos[4]);
}

static void forever(void)
{
	for (;;)
		on_threads();
}

static void by_execve(void)
{
	setenv(BY_EXECVE, "1", 1);
	execl("/proc/self/exe", "probed", NULL);
}

/* In a child that knows the program only by its memory. */
static void by_fork(void)
{
	pid_t pid = fork();

	if (!pid) {
		in_turns();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void by_vfork(void)
{
	static struct co co;
	pid_t pid;

	co_init(&co, 0);
	on_switch(&co);
	pid = vfork();
	if (!pid)
		_exit((on_out(), 0));
	waitpid(pid, NULL, 0);
	in_turns();
}

/* Between the test and its program, which share this. */
static struct {
	unsigned int step;
	pid_t sharer;
} *steps;

static void step(unsigned int to)
{
	__atomic_store_n(&steps->step, to, __ATOMIC_RELEASE);
}

enum { HAS_ENDED = 1, IS_STARTED, WAS_HIT };

/* Another process, with the same memory. */
static int sharing_memory(void *arg)
{
	static struct co co;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	co_init(&co, 0);
	if (!wait_until(&steps->step, WAS_HIT))
		_exit(1);
	on_switch(&co);
	on_out();
	KEEP(arg);
	_exit(0);
}

/* Of its process, whose first thread has ended: nobody has reaped that, as this one goes on. */
static bool first_thread_has_ended(void)
{
	char path[32], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", getpid());
	file = fopen(path, "r");
	if (!file || !fgets(text, sizeof(text), file))
		_exit(1);
	fclose(file);
	return strstr(text, ") Z");
}

static void *without_a_leader(void *arg)
{
	static char stack[65536] __attribute__((aligned(16)));

	while (!first_thread_has_ended())
		sleep_ns(1000000);
	steps->sharer = clone(sharing_memory, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	step(HAS_ENDED);
	if (!wait_until(&steps->step, IS_STARTED))
		_exit(1);
	on_switch(arg);
	step(WAS_HIT);
	waitpid(steps->sharer, NULL, 0);
	_exit(0);
}

static void by_a_child_of_a_headless_process(void)
{
	static struct co co;

	co_init(&co, 1);
	run_thread(without_a_leader, &co);
	/* Of this thread alone. */
	syscall(SYS_exit, 0);
}

__attribute__((constructor))
static void after_execve(void)
{
	if (!getenv(BY_EXECVE))
		return;
	in_turns();
	_exit(0);
}

/* ---- the test */

struct seen {
	unsigned int slices;
	unsigned int fresh;
	unsigned int woken;
	unsigned int ended;
	unsigned int ready;
	unsigned int unreported;
	__u64 duration;
	__u64 faults;
	__u64 id;
	/* of its last wake, and how often that was another than the one before */
	__u64 waker;
	unsigned int wakers;
};

static struct seen seen[NR_KINDS], outside;
static unsigned int ids;
static bool id_seen[IDS_MAX];

static __u64 bias, code_at;

static int look_at_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	int i;

	(void)size;
	(void)arg;
	bias = info->dlpi_addr;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			code_at = info->dlpi_phdr[i].p_vaddr - info->dlpi_phdr[i].p_offset;
	return 1;
}

static void see(struct seen *what, const struct slice *slice)
{
	__u16 flags = slice->record->flags;

	what->slices++;
	what->fresh += !!(flags & COROPROF_SLICE_FRESH);
	what->woken += !!(flags & COROPROF_SLICE_WOKEN);
	what->ended += !!(flags & COROPROF_SLICE_END);
	what->ready += !!(flags & COROPROF_SLICE_READY);
	what->unreported += !!(flags & COROPROF_SLICE_UNREPORTED);
	what->duration += slice->record->duration;
	what->faults += slice->count[0];
	what->id = slice->record->id;
	if (slice->woken) {
		what->wakers += what->waker != slice->woken->waker;
		what->waker = slice->woken->waker;
	}
}

static void each(struct reader *reader, const struct slice *slice)
{
	const struct coroprof_record_slice *record = slice->record;
	unsigned int kind;

	if (record->id & COROPROF_ID_THREAD) {
		see(&outside, slice);
		return;
	}
	if (record->id < IDS_MAX) {
		ids += !id_seen[record->id];
		id_seen[record->id] = true;
	}
	for (kind = 0; kind < NR_KINDS; kind++)
		if (record->label < READER_LABELS_MAX &&
		    reader->label_values[record->label] == (uintptr_t)kinds[kind] - bias)
			see(&seen[kind], slice);
}

FIXTURE(probe)
{
	int control;
	int file;
	struct reader reader;
	pid_t child;
	int go;
};

/*
 * What the kernel does not step over in a probe but out of line is in a page of its own. The
 * process faults it once, in whatever coroutine.
 */
static __u64 stepping_faults;

FIXTURE_SETUP(probe)
{
	memset(seen, 0, sizeof(seen));
	memset(&outside, 0, sizeof(outside));
	ids = 0;
	stepping_faults = 0;
	memset(id_seen, 0, sizeof(id_seen));
	dl_iterate_phdr(look_at_program, NULL);
	self->control = open_control();
	ASSERT_LE(0, self->control);
	self->file = open("/proc/self/exe", O_RDONLY);
	ASSERT_LE(0, self->file);
	self->reader.config = (struct coroprof_session_config){
		.ring_size = 4 << 20,
		.nr_counters = 1,
		.counters[0] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
	};
	ASSERT_EQ(0, reader_open(&self->reader, self->control, 1U << 20));
	self->reader.each = each;
}

FIXTURE_TEARDOWN(probe)
{
	if (self->child)
		kill(self->child, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	reader_close(&self->reader);
	close(self->file);
	close(self->control);
}

static struct coroprof_probe probe_of(int file, __u32 role, void *function)
{
	__u64 address = (uintptr_t)function - bias;

	return (struct coroprof_probe){
		.fd = file,
		.role = role,
		.address = address,
		.offset = address - code_at,
		.key = {
			.kind = role == COROPROF_PROBE_OUT || role == COROPROF_PROBE_UNREPORTED ?
				COROPROF_WHERE_NONE : COROPROF_WHERE_REGISTER,
			.reg = role == COROPROF_PROBE_OUT || role == COROPROF_PROBE_UNREPORTED ?
				0 : FIRST_ARGUMENT,
		},
	};
}

/* @in_memory: the key is co->self, not the register itself. */
static int add_probes(int session, int file, bool in_memory)
{
	struct coroprof_probe probes[] = {
		probe_of(file, COROPROF_PROBE_SWITCH, on_switch),
		probe_of(file, COROPROF_PROBE_OUT, on_out),
		probe_of(file, COROPROF_PROBE_YIELD, on_yield),
		probe_of(file, COROPROF_PROBE_END, on_end),
		probe_of(file, COROPROF_PROBE_WAKE, on_wake),
		probe_of(file, COROPROF_PROBE_UNREPORTED, on_unreported),
	};
	unsigned int i;
	int ret = 0;

	probes[0].label.kind = COROPROF_WHERE_MEMORY;
	probes[0].label.reg = FIRST_ARGUMENT;
	probes[0].label.offset = offsetof(struct co, kind);
	for (i = 0; i < ARRAY_SIZE(probes) && !ret; i++) {
		if (in_memory && probes[i].key.kind) {
			probes[i].key.kind = COROPROF_WHERE_MEMORY;
			probes[i].key.offset = offsetof(struct co, self);
		}
		ret = add_probe(session, &probes[i]);
	}
	return ret;
}

static int add_jumps(int session, int file)
{
	struct coroprof_probe end = probe_of(file, COROPROF_PROBE_END, on_jump);
	struct coroprof_probe out = probe_of(file, COROPROF_PROBE_OUT, on_jump);
	struct coroprof_probe into = probe_of(file, COROPROF_PROBE_SWITCH, on_jump);

	end.when.kind = COROPROF_WHERE_REGISTER;
	end.when.reg = THIRD_ARGUMENT;
	end.mask = ~0U;
	end.value = (__u32)DONE;
	out.when.kind = COROPROF_WHERE_MEMORY;
	out.when.reg = SECOND_ARGUMENT;
	out.when.offset = offsetof(struct co, kind);
	out.mask = ~0ULL;
	into.key.reg = SECOND_ARGUMENT;
	into.label = out.when;
	into.when = out.when;
	into.mask = out.mask;
	into.flags = COROPROF_WHEN_UNLESS;
	return add_probe(session, &end) ?: add_probe(session, &out) ?: add_probe(session, &into);
}

/* A child that runs the program once for nothing, and again when told. */
static pid_t child_run(void (*program)(void), bool warm, int *go)
{
	int orders[2], answers[2];
	char byte = 0;
	pid_t pid;

	if (pipe(orders) || pipe(answers))
		return -errno;
	pid = fork();
	if (pid) {
		close(orders[0]);
		close(answers[1]);
		if (read(answers[0], &byte, 1) != 1)
			return -EIO;
		close(answers[0]);
		*go = orders[1];
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (warm)
		program();
	if (write(answers[1], &byte, 1) != 1 || read(orders[0], &byte, 1) != 1)
		_exit(1);
	program();
	_exit(0);
}

/* It is said some time after the process has gone. */
static void await_end(struct reader *reader)
{
	struct pollfd ready = { .fd = reader->fd, .events = POLLIN };

	do {
		reader_drain(reader);
	} while (!reader->nr_process_ends && poll(&ready, 1, PATIENCE_MS) == 1);
}

#define CHILD_RUNS(program, warm) do { \
	self->child = child_run(program, warm, &self->go); \
	ASSERT_LT(0, self->child); \
} while (0)
#define FOLLOW(flags) \
	ASSERT_EQ(0, attach_flags(self->reader.fd, self->child, COROPROF_ATTACH_LATER | (flags)))
#define GO() ASSERT_EQ(1, write(self->go, "", 1))
#define CHILD_ENDS() do { \
	int status_; \
	ASSERT_EQ(self->child, waitpid(self->child, &status_, 0)); \
	EXPECT_EQ(0, status_); \
	self->child = 0; \
} while (0)
/* A child of which the session will record what it does from GO() on, once it is started. */
#define CHILD_IS_PROBED(program, warm, in_memory, flags) do { \
	CHILD_RUNS(program, warm); \
	ASSERT_EQ(0, add_probes(self->reader.fd, self->file, in_memory)); \
	FOLLOW(flags); \
} while (0)
#define BEGIN(program, warm, in_memory, flags) do { \
	CHILD_IS_PROBED(program, warm, in_memory, flags); \
	ASSERT_EQ(0, start(self->reader.fd)); \
	GO(); \
} while (0)
#define RECORD(program, in_memory, flags) do { \
	BEGIN(program, true, in_memory, flags); \
	FINISH(); \
} while (0)
#define RECORD_JUMPS(program) do { \
	CHILD_RUNS(program, true); \
	ASSERT_EQ(0, add_jumps(self->reader.fd, self->file)); \
	FOLLOW(0); \
	ASSERT_EQ(0, start(self->reader.fd)); \
	GO(); \
	FINISH(); \
} while (0)
#define FINISH() do { \
	CHILD_ENDS(); \
	reader_drain(&self->reader); \
	if (self->reader.nr_processes) \
		await_end(&self->reader); \
	ASSERT_EQ(0, stop(self->reader.fd)); \
	reader_drain(&self->reader); \
	EXPECT_STREQ("", conservation(&self->reader)); \
} while (0)

#define EXPECT_FAULTS(expected, counted) do { \
	EXPECT_LE(expected, counted); \
	stepping_faults += (counted) - (expected); \
	EXPECT_GE(1, stepping_faults); \
} while (0)

/* Each kind has had so many slices and all of its page faults, and no other's. */
#define EXPECT_TURNS(times, ends, news) do { \
	unsigned int kind_; \
	for (kind_ = 0; kind_ < NR_KINDS; kind_++) { \
		EXPECT_EQ((ROUNDS + 1) * (times), seen[kind_].slices); \
		EXPECT_FAULTS((ROUNDS + 1) * (times) * works[kind_], seen[kind_].faults); \
		EXPECT_EQ((ROUNDS - 1) * (times), seen[kind_].woken); \
		EXPECT_LE(ROUNDS * (times) * SLEEP_NS, seen[kind_].duration); \
		EXPECT_EQ(ends, seen[kind_].ended); \
		EXPECT_EQ(news, seen[kind_].fresh); \
		EXPECT_EQ(0, seen[kind_].unreported); \
		EXPECT_EQ(0, seen[kind_].ready); \
	} \
} while (0)

TEST_F(probe, tells_coroutines_of_a_thread_apart)
{
	char path[256] = "";

	RECORD(in_turns, false, 0);
	EXPECT_TURNS(1, 1, 0);
	EXPECT_EQ(NR_KINDS, ids);
	EXPECT_EQ(1, self->reader.nr_processes);
	EXPECT_EQ(1, self->reader.nr_process_ends);
	ASSERT_EQ(1, self->reader.nr_logs);
	EXPECT_EQ(COROPROF_REASON_PROBED, self->reader.logs[0].record.reason);
	EXPECT_EQ(COROPROF_MODE_IOCTL, self->reader.logs[0].record.mode);
	EXPECT_LT(0, readlink("/proc/self/exe", path, sizeof(path) - 1));
	EXPECT_STREQ(path, self->reader.label_text);
	EXPECT_EQ(COROPROF_LABEL_CODE, self->reader.label.flags);
}

TEST_F(probe, finds_keys_in_memory)
{
	RECORD(in_turns, true, 0);
	EXPECT_TURNS(1, 1, 0);
}

TEST_F(probe, names_who_wakes)
{
	unsigned int kind;

	RECORD(woken_by_each, false, 0);
	for (kind = 0; kind < NR_KINDS; kind++) {
		EXPECT_EQ(ROUNDS - 1, seen[kind].woken);
		EXPECT_EQ(1, seen[kind].wakers);
	}
	EXPECT_NE(0, outside.id & COROPROF_ID_THREAD);
	EXPECT_EQ(outside.id, seen[0].waker);
	EXPECT_EQ(seen[0].id, seen[1].waker);
	EXPECT_EQ(outside.id, seen[2].waker);
}

TEST_F(probe, names_a_thread_that_only_wakes)
{
	RECORD(woken_by_another_thread, false, 0);
	EXPECT_EQ(1, seen[0].woken);
	EXPECT_NE(0, seen[0].waker & COROPROF_ID_THREAD);
	EXPECT_NE(outside.id, seen[0].waker);
}

TEST_F(probe, follows_coroutines_from_thread_to_thread)
{
	unsigned int kind, slices = 0;

	RECORD(on_threads, false, 0);
	for (kind = 0; kind < NR_KINDS; kind++) {
		EXPECT_FAULTS(works[kind] * seen[kind].slices, seen[kind].faults);
		EXPECT_EQ(seen[kind].ready, seen[kind].slices);
		slices += seen[kind].slices;
	}
	EXPECT_EQ(NR_THREADS * ROUNDS, slices);
	EXPECT_EQ(NR_KINDS, ids);
	EXPECT_EQ(NR_THREADS, self->reader.nr_logs);
	EXPECT_EQ(1, self->reader.nr_processes);
}

TEST_F(probe, knows_a_new_coroutine_under_an_old_key)
{
	RECORD(many, false, 0);
	EXPECT_EQ(2 * MANY, seen[0].slices);
	EXPECT_EQ(2 * MANY - 1, ids);
	EXPECT_EQ(MANY, seen[0].ended);
	EXPECT_EQ(MANY - 1, seen[0].fresh);
}

TEST_F(probe, says_what_it_misses)
{
	RECORD(into_unknown, false, 0);
	EXPECT_EQ(ROUNDS + 1, seen[1].slices);
	EXPECT_FAULTS((ROUNDS + 1) * works[1], seen[1].faults);
	EXPECT_EQ(ROUNDS, outside.unreported);
	EXPECT_FAULTS(ROUNDS * 7, outside.faults);
	EXPECT_EQ(0, seen[1].unreported);
}

/* Those that have ended are told apart from who has their memory now, which has another label. */
TEST_F(probe, tells_by_a_condition)
{
	const unsigned int slices[] = { 2 * ROUNDS + 1, (ROUNDS + 1) + (2 * ROUNDS + 1), ROUNDS + 1 };
	const unsigned int ended[] = { 1, 2, 1 }, fresh[] = { 0, 1, 1 };
	unsigned int kind;

	RECORD_JUMPS(by_jumps);
	EXPECT_EQ(4, ids);
	for (kind = 0; kind < NR_KINDS; kind++) {
		EXPECT_EQ(slices[kind], seen[kind].slices);
		EXPECT_FAULTS((slices[kind] - ended[kind]) * works[kind], seen[kind].faults);
		EXPECT_EQ(ended[kind], seen[kind].ended);
		EXPECT_EQ(fresh[kind], seen[kind].fresh);
		EXPECT_EQ(0, seen[kind].unreported);
	}
	EXPECT_EQ(0, outside.unreported);
	EXPECT_LE(2 * ROUNDS * 7, outside.faults);
}

TEST_F(probe, condition_that_cannot_be_read_is_missed)
{
	RECORD_JUMPS(jumps_into_the_unreadable);
	EXPECT_EQ(2, seen[0].slices);
	EXPECT_EQ(1, seen[0].ended);
	EXPECT_EQ(1, outside.unreported);
}

TEST_F(probe, key_that_cannot_be_read_is_missed)
{
	RECORD(unreadable, true, 0);
	EXPECT_EQ(0, ids);
}

TEST_F(probe, key_in_a_page_that_was_never_touched_is_found)
{
	RECORD(untouched, true, 0);
	EXPECT_EQ(1, ids);
	EXPECT_EQ(0, outside.unreported);
}

TEST_F(probe, key_in_a_page_that_nobody_serves_is_missed_and_holds_nobody_up)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 && errno == ENOSYS)
		SKIP(return, "this kernel has no userfaultfd");
	close(fd);
	RECORD(never_served, true, 0);
	EXPECT_EQ(1, ids);
	EXPECT_EQ(1, seen[1].slices);
	EXPECT_EQ(1, outside.unreported);
}

/* On a thread of its own, by system calls that change the ids of that thread alone. */
static int open_as_nobody(void *arg)
{
	FIXTURE_DATA(probe) *self = arg;

	if (prctl(PR_SET_KEEPCAPS, 1) || syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) ||
	    syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) ||
	    child_keep_only(1ULL << CAP_PERFMON))
		return -errno;
	return reader_open(&self->reader, self->control, 1U << 20);
}

/* The session is of somebody who has CAP_PERFMON, and nothing else. */
#define WITH_CAP_PERFMON_ALONE() do { \
	close(self->reader.fd); \
	free(self->reader.slots); \
	ASSERT_EQ(0, on_thread(open_as_nobody, self)); \
} while (0)
#define RECORD_CHANGES(in_memory) do { \
	CHILD_RUNS(with_changing_rights, false); \
	ASSERT_EQ(0, jumps ? add_jumps(self->reader.fd, self->file) : \
		     add_probes(self->reader.fd, self->file, in_memory)); \
	FOLLOW(0); \
	ASSERT_EQ(0, start(self->reader.fd)); \
	GO(); \
	FINISH(); \
} while (0)
#define EXPECT_READ(nr_keys, nr_labels, nr_unreported) do { \
	EXPECT_EQ(nr_keys, ids); \
	EXPECT_EQ(nr_labels, seen[0].slices); \
	EXPECT_EQ(nr_unreported, outside.unreported); \
} while (0)

TEST_F(probe, memory_is_read_only_where_the_opener_may_trace)
{
	WITH_CAP_PERFMON_ALONE();
	RECORD_CHANGES(true);
	EXPECT_READ(RIGHTS_GOOD, RIGHTS_GOOD, 2);
}

TEST_F(probe, label_is_read_only_where_the_opener_may_trace)
{
	WITH_CAP_PERFMON_ALONE();
	RECORD_CHANGES(false);
	EXPECT_READ(RIGHTS_ALL, RIGHTS_GOOD, 0);
}

TEST_F(probe, condition_is_read_only_where_the_opener_may_trace)
{
	jumps = true;
	WITH_CAP_PERFMON_ALONE();
	RECORD_CHANGES(false);
	EXPECT_READ(RIGHTS_GOOD, RIGHTS_GOOD, 2);
}

TEST_F(probe, root_reads_the_memory_of_all)
{
	RECORD_CHANGES(true);
	EXPECT_READ(RIGHTS_ALL, RIGHTS_ALL, 0);
}

TEST_F(probe, all_are_new_after_execve)
{
	BEGIN(by_execve, false, false, 0);
	CHILD_ENDS();
	await_end(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_EQ(NR_KINDS, ids);
	EXPECT_EQ(1, seen[0].fresh);
	EXPECT_EQ(1, seen[2].fresh);
	EXPECT_EQ(ROUNDS + 1, seen[1].slices);
	EXPECT_EQ(1, self->reader.nr_process_ends);
}

TEST_F(probe, takes_children_if_told_to)
{
	RECORD(by_fork, false, COROPROF_ATTACH_CHILDREN);
	EXPECT_EQ(ROUNDS + 1, seen[1].slices);
	EXPECT_EQ(1, self->reader.nr_processes);
	EXPECT_NE(self->child, self->reader.process.pid);
}

TEST_F(probe, takes_no_children_otherwise)
{
	RECORD(by_fork, false, 0);
	EXPECT_EQ(0, seen[1].slices);
	EXPECT_EQ(0, self->reader.nr_processes);
}

/* The memory is the parent's, which is recorded on. */
TEST_F(probe, child_that_shares_memory_takes_no_probes_away)
{
	RECORD(by_vfork, false, 0);
	EXPECT_EQ(ROUNDS + 1, seen[1].slices);
	EXPECT_EQ(1, self->reader.nr_processes);
}

/* Nor does its parent, of which nobody wants to know, though its first thread has ended. */
TEST_F(probe, parent_that_shares_memory_takes_no_probes_away)
{
	steps = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)steps);
	CHILD_RUNS(by_a_child_of_a_headless_process, false);
	ASSERT_EQ(0, add_probes(self->reader.fd, self->file, false));
	GO();
	ASSERT_TRUE(wait_until(&steps->step, HAS_ENDED));
	ASSERT_EQ(0, attach_flags(self->reader.fd, steps->sharer, COROPROF_ATTACH_LATER));
	ASSERT_EQ(0, start(self->reader.fd));
	step(IS_STARTED);
	FINISH();
	EXPECT_EQ(1, seen[0].slices);
	EXPECT_EQ(0, seen[1].slices);
	EXPECT_EQ(1, self->reader.nr_processes);
}

#define OVERLAY		"/coroprof-test-overlay"
#define LOWER_FILE	OVERLAY "/lower/probed"
#define MERGED_FILE	OVERLAY "/merged/probed"

/* This program, in the lower part of an overlay. Returns why not, or NULL. */
static const char *make_overlay(void)
{
	char bytes[65536];
	int from, to;
	ssize_t n;

	mkdir(OVERLAY, 0755);
	if (mount("none", OVERLAY, "tmpfs", 0, NULL))
		return "no tmpfs";
	mkdir(OVERLAY "/lower", 0755);
	mkdir(OVERLAY "/upper", 0755);
	mkdir(OVERLAY "/work", 0755);
	mkdir(OVERLAY "/merged", 0755);
	from = open("/proc/self/exe", O_RDONLY);
	to = open(LOWER_FILE, O_WRONLY | O_CREAT, 0755);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, n) != n)
			return "no room for this program";
	close(from);
	close(to);
	return mount("none", OVERLAY "/merged", "overlay", 0, "lowerdir=" OVERLAY "/lower,upperdir="
		     OVERLAY "/upper,workdir=" OVERLAY "/work") ? "no overlay file system" : NULL;
}

static void remove_overlay(void)
{
	umount2(OVERLAY "/merged", MNT_DETACH);
	umount2(OVERLAY, MNT_DETACH);
	rmdir(OVERLAY);
}

static void by_execve_of_overlay(void)
{
	setenv(BY_EXECVE, "1", 1);
	execl(MERGED_FILE, "probed", NULL);
}

/* Of two probes at one instruction the first is of the file below, the second of its copy, which runs. */
TEST_F(probe, finds_the_copy_that_an_overlay_has_made_meanwhile)
{
	const char *why_not = make_overlay();
	struct coroprof_probe probe;
	int lower, upper;

	if (why_not) {
		remove_overlay();
		SKIP(return, "%s here", why_not);
	}
	CHILD_RUNS(by_execve_of_overlay, false);
	lower = open(MERGED_FILE, O_RDONLY);
	probe = probe_of(lower, COROPROF_PROBE_SWITCH, on_switch);
	EXPECT_EQ(0, add_probe(self->reader.fd, &probe));
	EXPECT_EQ(0, chmod(MERGED_FILE, 0700));
	close(open(MERGED_FILE, O_WRONLY));
	upper = open(MERGED_FILE, O_RDONLY);
	probe.fd = upper;
	EXPECT_EQ(0, add_probe(self->reader.fd, &probe));
	close(lower);
	close(upper);
	FOLLOW(0);
	EXPECT_EQ(0, start(self->reader.fd));
	GO();
	CHILD_ENDS();
	await_end(&self->reader);
	remove_overlay();
	EXPECT_EQ(NR_KINDS, ids);
}

TEST_F(probe, takes_nobody_who_is_not_followed)
{
	int go;
	pid_t other;

	CHILD_RUNS(in_turns, true);
	other = child_run(in_turns, true, &go);
	ASSERT_LT(0, other);
	ASSERT_EQ(0, add_probes(self->reader.fd, self->file, false));
	FOLLOW(0);
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(1, write(go, "", 1));
	ASSERT_EQ(other, waitpid(other, NULL, 0));
	GO();
	CHILD_ENDS();
	reader_drain(&self->reader);
	EXPECT_EQ(1, self->reader.nr_processes);
	EXPECT_TURNS(1, 1, 0);
}

/* How long it takes a thread to come to a probe is the machine's affair. */
static void await_channel(struct reader *reader)
{
	unsigned int before = reader->nr_logs;
	struct pollfd ready = { .fd = reader->fd, .events = POLLIN };

	do {
		reader_drain(reader);
	} while (reader->nr_logs == before && poll(&ready, 1, PATIENCE_MS) == 1);
}

TEST_F(probe, records_each_time_it_is_started)
{
	unsigned int before;

	CHILD_IS_PROBED(forever, false, false, 0);
	GO();
	while (self->reader.nr_logs < 3 * NR_THREADS) {
		before = self->reader.nr_logs;
		ASSERT_EQ(0, start(self->reader.fd));
		await_channel(&self->reader);
		ASSERT_EQ(0, stop(self->reader.fd));
		ASSERT_LT(before, self->reader.nr_logs);
		reader_drain(&self->reader);
		ASSERT_STREQ("", conservation(&self->reader));
	}
	EXPECT_EQ(1, self->reader.nr_processes);
	/* What STOP cuts is not recorded to its end. */
	EXPECT_GE(seen[2].slices * works[2] + 1, seen[2].faults);
}

TEST_F(probe, process_is_killed_in_a_probe)
{
	BEGIN(forever, false, false, 0);
	while (!seen[0].slices)
		reader_drain(&self->reader);
	kill(self->child, SIGKILL);
	ASSERT_EQ(self->child, waitpid(self->child, NULL, 0));
	self->child = 0;
	await_end(&self->reader);
	EXPECT_EQ(1, self->reader.nr_process_ends);
	EXPECT_STREQ("", conservation(&self->reader));
}

/* Whoever is in a probe then goes on without it, and is free for the next session. */
TEST_F(probe, session_is_closed_while_probes_are_hit)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	int i, session;

	CHILD_RUNS(forever, false);
	GO();
	for (i = 0; i < 20; i++) {
		session = make_session(self->control, &config);
		ASSERT_LE(0, session);
		ASSERT_EQ(0, add_probes(session, self->file, i % 2));
		ASSERT_EQ(0, attach_flags(session, self->child, COROPROF_ATTACH_LATER));
		ASSERT_EQ(0, start(session));
		sleep_ms(i * 3);
		close(session);
	}
	ASSERT_EQ(0, add_probes(self->reader.fd, self->file, false));
	FOLLOW(0);
	ASSERT_EQ(0, start(self->reader.fd));
	while (!seen[0].slices)
		reader_drain(&self->reader);
	EXPECT_EQ(1, self->reader.nr_processes);
}

static void met_then_known(void)
{
	static struct co co;

	co_init(&co, 0);
	on_switch(&co);
	if (make_process(open_control(), 2, 0) != -EEXIST)
		_exit(1);
	on_out();
}

TEST_F(probe, process_that_was_met_cannot_make_itself_known)
{
	BEGIN(met_then_known, false, false, 0);
	CHILD_ENDS();
	await_end(&self->reader);
	EXPECT_EQ(1, seen[0].slices);
}

static void known_then_met(void)
{
	int process = make_process(open_control(), 2, 0);
	static struct co co;

	co_init(&co, 0);
	on_switch(&co);
	if (process < 0)
		_exit(1);
}

TEST_F(probe, process_that_has_made_itself_known_is_not_met)
{
	BEGIN(known_then_met, false, false, 0);
	CHILD_ENDS();
	reader_drain(&self->reader);
	EXPECT_EQ(1, self->reader.nr_processes);
	EXPECT_EQ(0, self->reader.nr_logs);
}

TEST_F(probe, is_bounded_by_the_memory_of_the_session)
{
	struct coroprof_session_config config = { .ring_size = 1 << 20, .memory_mb = 3 };
	struct reader small = { .config = config };

	ASSERT_EQ(0, reader_open(&small, self->control, 1U << 20));
	CHILD_RUNS(many, true);
	ASSERT_EQ(0, add_probes(small.fd, self->file, false));
	ASSERT_EQ(0, attach_flags(small.fd, self->child, COROPROF_ATTACH_LATER));
	ASSERT_EQ(0, start(small.fd));
	GO();
	CHILD_ENDS();
	await_end(&small);
	reader_drain(&small);
	EXPECT_STREQ("", conservation(&small));
	EXPECT_LT(0, small.nr_processes);
	reader_close(&small);
}

/* ---- what is refused */

static int open_unprivileged(void *arg)
{
	int control = open_control(), file = open("/proc/self/exe", O_RDONLY), session;
	struct coroprof_session_config config = { .ring_size = 0 };

	(void)arg;
	if (child_become(NOBODY, NOBODY, NOBODY, NOBODY))
		return 100;
	session = make_session(control, &config);
	return session < 0 ? 101 : -add_probes(session, file, false);
}

TEST_F(probe, needs_cap_perfmon)
{
	EXPECT_EQ(EPERM, in_child(open_unprivileged, NULL));
}

static int probe_unprivileged(void *session)
{
	int file = open("/proc/self/exe", O_RDONLY);

	if (child_become(NOBODY, NOBODY, NOBODY, NOBODY))
		return 100;
	return -add_probes(*(const int *)session, file, false);
}

TEST_F(probe, needs_cap_perfmon_also_of_who_was_passed_the_session)
{
	EXPECT_EQ(EPERM, in_child(probe_unprivileged, &self->reader.fd));
}

TEST_F(probe, what_makes_no_sense_is_refused)
{
	struct coroprof_probe good = probe_of(self->file, COROPROF_PROBE_SWITCH, on_switch), bad;
	int device = open("/dev/null", O_RDWR);

#define REFUSED(error, change) do { \
	bad = good; \
	change; \
	EXPECT_EQ(-(error), add_probe(self->reader.fd, &bad)) TH_LOG(#change); \
} while (0)
	REFUSED(EINVAL, bad.flags = COROPROF_WHEN_UNLESS);
	REFUSED(EINVAL, bad.mask = 1);
	REFUSED(EINVAL, bad.value = 1);
	REFUSED(EINVAL, bad.when.reg = 1);
	REFUSED(EINVAL, bad.when = bad.key);
	REFUSED(EINVAL, (bad.when = bad.key, bad.mask = 1, bad.value = 2));
	REFUSED(EINVAL, (bad.when = bad.key, bad.mask = 1, bad.flags = 2));
	REFUSED(EINVAL, (bad.when = bad.key, bad.mask = 1, bad.when.reg = NO_REGISTER));
	REFUSED(EINVAL, bad.role = 0);
	REFUSED(EINVAL, bad.role = COROPROF_PROBE_UNREPORTED + 1);
	REFUSED(EINVAL, bad.role = COROPROF_PROBE_OUT);
	REFUSED(EINVAL, bad.key.kind = COROPROF_WHERE_NONE);
	REFUSED(EINVAL, bad.key.kind = COROPROF_WHERE_MEMORY + 1);
	REFUSED(EINVAL, bad.key.reg = NO_REGISTER);
	REFUSED(EINVAL, bad.key.reg = ~0U);
	REFUSED(EINVAL, bad.key.offset = 8);
	REFUSED(EINVAL, bad.label.reg = 1);
	REFUSED(EINVAL, (bad.role = COROPROF_PROBE_END, bad.label = bad.key));
	REFUSED(EINVAL, bad.offset = 1ULL << 40);
	REFUSED(EINVAL, bad.offset = ~0ULL);
	REFUSED(ENODEV, bad.fd = device);
	REFUSED(EBADF, bad.fd = -1);
	close(device);
}

TEST_F(probe, comes_before_attach_and_start)
{
	struct coroprof_probe probe = probe_of(self->file, COROPROF_PROBE_SWITCH, on_switch);

	ASSERT_EQ(0, start(self->reader.fd));
	EXPECT_EQ(-EBUSY, add_probe(self->reader.fd, &probe));
	ASSERT_EQ(0, stop(self->reader.fd));
	EXPECT_EQ(0, add_probe(self->reader.fd, &probe));
	ASSERT_EQ(0, attach_flags(self->reader.fd, getpid(), COROPROF_ATTACH_LATER));
	EXPECT_EQ(-EBUSY, add_probe(self->reader.fd, &probe));
}

TEST_F(probe, at_most_so_many)
{
	struct coroprof_probe probe = probe_of(self->file, COROPROF_PROBE_SWITCH, on_switch);
	int i;

	for (i = 0; i < COROPROF_PROBES_MAX; i++)
		ASSERT_EQ(0, add_probe(self->reader.fd, &probe));
	EXPECT_EQ(-ENOSPC, add_probe(self->reader.fd, &probe));
}

/* All that was probed has gone: nothing keeps the module but this test's own descriptors. */
TEST_F(probe, leaves_nothing_behind)
{
	long before = number_read(REFERENCES);

	RECORD(on_threads, false, 0);
	EXPECT_EQ(before, references_after_all(before, PATIENCE_MS));
}

TEST_HARNESS_MAIN
