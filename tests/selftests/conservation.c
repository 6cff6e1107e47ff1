// SPDX-License-Identifier: GPL-2.0
/*
 * The master test. Whatever happens to the threads, for every channel and every
 * counter the slices sum to the thread's own totals, slices follow each other
 * without a gap, and running + preempted + blocked is the wall time; the slots,
 * which follow the coroutines, sum to the same. It makes no difference to any of
 * that whether the threads switch by ioctl or from user mode.
 */
#include "kselftest_harness.h"

#include <sys/prctl.h>

#include "conserve.h"
#include "parameter.h"
#include "program.h"
#include "require.h"
#include "user_mode.h"

#define NR_SLOTS	128U
#define A		40U	/* coroutines of the small tests */
#define B		41U

#define SOFTWARE(event)	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##event }
#define HARDWARE(event)	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##event }

FIXTURE(conservation)
{
	struct program program;
	struct reader reader;
};

FIXTURE_VARIANT(conservation)
{
	bool from_user;
	unsigned int nr;
	struct coroprof_counter counters[COUNTERS_MAX];
};

#define IN_BOTH_MODES(name, ...)					\
	FIXTURE_VARIANT_ADD(conservation, name)				\
	{								\
		__VA_ARGS__						\
	};								\
	FIXTURE_VARIANT_ADD(conservation, name##_from_user)		\
	{								\
		.from_user = true,					\
		__VA_ARGS__						\
	}

IN_BOTH_MODES(no_counters,
	.nr = 0,
);

IN_BOTH_MODES(software,
	.nr = 4,
	.counters = {
		SOFTWARE(TASK_CLOCK), SOFTWARE(PAGE_FAULTS),
		SOFTWARE(CONTEXT_SWITCHES), SOFTWARE(CPU_MIGRATIONS),
	},
);

/* Those that the machine does not have are UNSUPPORTED, and conserved too. */
IN_BOTH_MODES(hardware,
	.nr = 4,
	.counters = {
		HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS),
		HARDWARE(CACHE_MISSES), SOFTWARE(PAGE_FAULTS),
	},
);

/* More than most PMUs can count at a time. */
IN_BOTH_MODES(crowded,
	.nr = 8,
	.counters = {
		HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS), HARDWARE(INSTRUCTIONS),
		HARDWARE(INSTRUCTIONS), HARDWARE(INSTRUCTIONS), HARDWARE(INSTRUCTIONS),
		HARDWARE(INSTRUCTIONS), HARDWARE(INSTRUCTIONS),
	},
);

FIXTURE_SETUP(conservation)
{
	allow_user_access();
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->reader.config.flags = variant->from_user ? COROPROF_SESSION_USER : 0;
	/* Nothing may be lost here, however late the reader comes. */
	self->reader.config.ring_size = 1 << 22;
	/* For all the rings of a test, which forgets none. */
	ASSERT_EQ(0, number_write(PARAMETER("user_memory_mb"), 256));
	self->reader.config.memory_mb = 256;
	self->reader.config.nr_counters = variant->nr;
	memcpy(self->reader.config.counters, variant->counters,
	       sizeof(variant->counters));
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
}

FIXTURE_TEARDOWN(conservation)
{
	reader_close(&self->reader);
	program_close(&self->program);
}

/* In the mode that was asked for, and none of it for nothing. */
static void settle(struct __test_metadata *_metadata, FIXTURE_DATA(conservation) *self,
		   const FIXTURE_VARIANT(conservation) *variant, unsigned int channels)
{
	unsigned int i;
	__u32 slot;

	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_EQ(channels, self->reader.nr_logs);
	for (i = 0; i < self->reader.nr_logs; i++)
		EXPECT_EQ(variant->from_user ? COROPROF_MODE_USER : COROPROF_MODE_IOCTL,
			  self->reader.logs[i].record.mode);
	for (slot = A; slot < NR_SLOTS; slot++)
		conserve_slot(&self->reader, slot, &self->program.slots[slot],
			      self->reader.config.nr_counters);
	EXPECT_STREQ("", self->reader.defect);
}

/* The place of a software counter in this variant, or -1. */
static int find_software(const FIXTURE_VARIANT(conservation) *variant, __u64 config)
{
	unsigned int i;

	for (i = 0; i < variant->nr; i++)
		if (variant->counters[i].type == PERF_TYPE_SOFTWARE &&
		    variant->counters[i].config == config)
			return i;
	return -1;
}

struct worker {
	struct program *program;
	bool from_user;
	int err;	/* the first call that failed */
	unsigned int moves;
};

static void note(struct worker *worker, int ret)
{
	if (ret < 0 && !worker->err)
		worker->err = ret;
}

static void begin_a(struct worker *worker, struct switcher *s)
{
	note(worker, switcher_join(s, worker->program, THREAD_SLOT, worker->from_user));
	note(worker, switcher_switch(s, A | COROPROF_SWITCH_FRESH));
}

static void end_a(struct worker *worker, struct switcher *s)
{
	note(worker, switcher_switch(s, B | COROPROF_SWITCH_FRESH));
	note(worker, switcher_switch(s, THREAD_SLOT | COROPROF_SWITCH_END));
	note(worker, switcher_leave(s));
	switcher_close(s);
}

/* Each page of it is one page fault, once. */
struct pages {
	unsigned char *at;
	unsigned int nr;
	unsigned int next;
};

static bool pages_get(struct pages *pages, unsigned int nr)
{
	pages->nr = nr;
	pages->next = 0;
	pages->at = mmap(NULL, nr * page_size(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return pages->at != MAP_FAILED &&
	       (!madvise(pages->at, nr * page_size(), MADV_NOHUGEPAGE) ||
		errno == EINVAL);
}

static void touch(struct pages *pages, unsigned int nr)
{
	while (nr--)
		((volatile unsigned char *)pages->at)[pages->next++ * page_size()] = 1;
}

/* A coroutine that two threads hand to each other. */
#define HANDOVERS	300U
#define FAULTS_A_STAY	3U

struct relay {
	struct worker worker;
	struct pages pages;
	struct turns turns;
};

struct runner {
	struct relay *relay;
	unsigned int side;
};

static void *run_relay(void *arg)
{
	struct runner *runner = arg;
	struct relay *relay = runner->relay;
	struct worker *worker = &relay->worker;
	__u32 own = THREAD_SLOT + 1 + runner->side;
	struct switcher s;
	unsigned int turn;

	note(worker, switcher_join(&s, worker->program, own, worker->from_user));
	pin_to(runner->side % nr_cpus());
	/* What a switch touches has then been touched, and makes no page faults. */
	for (turn = 0; turn < 2 || (turn < 100 && worker->from_user && s.switches < 2); turn++)
		note(worker, switcher_switch(&s, own + turn % 2 * 2));
	for (turn = runner->side; turn < HANDOVERS; turn += 2) {
		turns_wait(&relay->turns, runner->side);
		note(worker, switcher_switch(&s, A | (turn ? 0 : COROPROF_SWITCH_FRESH)));
		touch(&relay->pages, FAULTS_A_STAY);
		note(worker, switcher_switch(&s, own | COROPROF_SWITCH_READY));
		turns_pass(&relay->turns, runner->side);
	}
	note(worker, switcher_leave(&s));
	return NULL;
}

/*
 * Proves: a coroutine keeps its totals from thread to thread, and page faults,
 * which every machine can count, to the count.
 */
TEST_F(conservation, migrates_between_threads)
{
	int faults = find_software(variant, PERF_COUNT_SW_PAGE_FAULTS);
	struct relay relay = {
		.worker = { .program = &self->program, .from_user = variant->from_user },
	};
	struct runner runners[2] = { { &relay, 0 }, { &relay, 1 } };
	struct coroprof_slot *a = &self->program.slots[A];
	pthread_t threads[2];

	ASSERT_TRUE(pages_get(&relay.pages, HANDOVERS * FAULTS_A_STAY));
	ASSERT_EQ(0, turns_begin(&relay.turns));
	threads[0] = run_thread(run_relay, &runners[0]);
	threads[1] = run_thread(run_relay, &runners[1]);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	ASSERT_EQ(0, relay.worker.err);
	settle(_metadata, self, variant, 2);
	EXPECT_EQ(HANDOVERS, a->slices);
	if (faults >= 0) {
		EXPECT_EQ(COROPROF_STANDING_COUNTED, COROPROF_STANDING(a->standing, faults));
		EXPECT_EQ(HANDOVERS * FAULTS_A_STAY, a->count[faults]);
	}
}

static void *move_between_cpus(void *arg)
{
	struct worker *worker = arg;
	struct switcher s;
	int cpu = 0, i;

	pin_to(0);
	begin_a(worker, &s);
	for (i = 0; i < 100; i++) {
		cpu = (cpu + 1) % nr_cpus();
		pin_to(cpu);
		worker->moves++;
	}
	end_a(worker, &s);
	return NULL;
}

/* Proves: moving a thread from CPU to CPU loses nothing. */
TEST_F(conservation, thread_moves_between_cpus)
{
	int moves = find_software(variant, PERF_COUNT_SW_CPU_MIGRATIONS);
	struct worker worker = { .program = &self->program, .from_user = variant->from_user };
	struct coroprof_slot *a = &self->program.slots[A];

	if (nr_cpus() < 2)
		SKIP(return, "needs two CPUs");
	pthread_join(run_thread(move_between_cpus, &worker), NULL);
	ASSERT_EQ(0, worker.err);
	settle(_metadata, self, variant, 1);
	if (moves >= 0)
		EXPECT_EQ(worker.moves, a->count[moves]);
}

#define SIGNALS	50U

static volatile unsigned int signals_taken;

static void take_signal(int signal)
{
	(void)signal;
	signals_taken++;
	spin_wall(20000);
}

static void *compute_under_signals(void *arg)
{
	struct sigaction action = { .sa_handler = take_signal, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct itimerspec often = { { 0, 300000 }, { 0, 300000 } };
	struct worker *worker = arg;
	struct switcher s;
	timer_t timer;

	event._sigev_un._tid = thread_id();
	sigaction(SIGUSR1, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer)) {
		worker->err = -errno;
		return NULL;
	}
	begin_a(worker, &s);
	timer_settime(timer, 0, &often, NULL);
	while (signals_taken < SIGNALS)
		spin_cpu(100000);
	sleep_ns(3000000);
	timer_delete(timer);
	end_a(worker, &s);
	return NULL;
}

/* Proves: signals, also those that interrupt a system call, change nothing. */
TEST_F(conservation, storm_of_signals)
{
	struct worker worker = { .program = &self->program, .from_user = variant->from_user };

	pthread_join(run_thread(compute_under_signals, &worker), NULL);
	ASSERT_EQ(0, worker.err);
	settle(_metadata, self, variant, 1);
	EXPECT_LE(SIGNALS, signals_taken);
}

/*
 * A scheduler: threads take coroutines from one queue, run each a little and
 * put it back.
 */
#define STORM_THREADS		5
#define STORM_COROUTINES	60U
#define STORM_NS		300000000ULL
/* At least so many stays for each thread, however slow the machine. */
#define STORM_TURNS		50

struct storm {
	struct program *program;
	bool from_user;
	unsigned long switches;	/* done from user mode */
	pthread_mutex_t lock;
	__u32 queue[STORM_COROUTINES];
	unsigned int nr;
	__u64 until;
	int err;
};

struct storm_thread {
	struct storm *storm;
	unsigned int nr;
	unsigned int seed;
	struct pages pages;
};

static __u32 queue_take(struct storm *storm, unsigned int *seed)
{
	__u32 slot = 0;

	pthread_mutex_lock(&storm->lock);
	if (storm->nr) {
		unsigned int i = rand_r(seed) % storm->nr;

		slot = storm->queue[i];
		storm->queue[i] = storm->queue[--storm->nr];
	}
	pthread_mutex_unlock(&storm->lock);
	return slot;
}

static void queue_put(struct storm *storm, __u32 slot)
{
	pthread_mutex_lock(&storm->lock);
	storm->queue[storm->nr++] = slot;
	pthread_mutex_unlock(&storm->lock);
}

static void work_a_little(struct storm_thread *thread, struct switcher *s)
{
	struct coroprof_totals totals;

	switch (rand_r(&thread->seed) % 16) {
	case 0:
		sleep_ns(rand_r(&thread->seed) % 300000);
		break;
	case 1:
		pin_to(rand_r(&thread->seed) % nr_cpus());
		break;
	case 2:
		if (thread->pages.next < thread->pages.nr)
			touch(&thread->pages, 1);
		break;
	case 3:
		sched_yield();
		break;
	case 4:
		read_totals(s->channel, &totals);
		break;
	case 5:
		spin_wall(100000);
		break;
	default:
		break;
	}
}

static void *run_storm(void *arg)
{
	struct storm_thread *thread = arg;
	struct storm *storm = thread->storm;
	struct coroprof_slot *slots = storm->program->slots;
	__u32 own = THREAD_SLOT + thread->nr, slot;
	unsigned int turns = 0;
	struct switcher s;
	int ret = switcher_join(&s, storm->program, own, storm->from_user);

	ret = ret < 0 ? ret : 0;

	while (!ret && (turns < STORM_TURNS || wall_ns() < storm->until)) {
		slot = queue_take(storm, &thread->seed);
		if (!slot)
			continue;
		turns++;
		ret = switcher_switch(&s, slot | (slots[slot].slices ? 0 :
						  COROPROF_SWITCH_FRESH));
		work_a_little(thread, &s);
		if (ret || rand_r(&thread->seed) % 2)
			ret = ret ?: switcher_switch(&s, own | COROPROF_SWITCH_READY);
		else
			ret = switcher_switch(&s, own);
		queue_put(storm, slot);
	}
	if (ret)
		storm->err = ret;
	__atomic_fetch_add(&storm->switches, s.switches, __ATOMIC_RELAXED);
	/* Half of them leave, half just end. */
	if (thread->nr % 2)
		switcher_leave(&s);
	return NULL;
}

static void storm_init(struct storm *storm, struct program *program, bool from_user)
{
	unsigned int i;

	memset(storm, 0, sizeof(*storm));
	storm->program = program;
	storm->from_user = from_user;
	pthread_mutex_init(&storm->lock, NULL);
	for (i = 0; i < STORM_COROUTINES; i++)
		queue_put(storm, A + i);
	storm->until = wall_ns() + STORM_NS;
}

static pid_t start_neighbour(int cpu)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin_to(cpu);
	for (;;)
		;
}

static void stop_neighbour(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Where some counter is always off the PMU, all switches are the kernel's. */
static void in_the_mode(struct __test_metadata *_metadata,
			const FIXTURE_VARIANT(conservation) *variant, const struct storm *storm)
{
	if (!variant->from_user || variant->nr < COUNTERS_MAX)
		EXPECT_EQ(variant->from_user, storm->switches > 0);
}

/* Proves: all of it at once, read while it happens. */
TEST_F(conservation, everything_at_once)
{
	struct storm_thread threads[STORM_THREADS];
	pthread_t ids[STORM_THREADS];
	struct coroprof_slot *slots = self->program.slots;
	pid_t neighbour = start_neighbour(0);
	struct storm storm;
	__u64 slices = 0;
	unsigned int i;

	storm_init(&storm, &self->program, variant->from_user);
	for (i = 0; i < STORM_THREADS; i++) {
		threads[i] = (struct storm_thread){ .storm = &storm, .nr = i, .seed = i + 1 };
		ASSERT_TRUE(pages_get(&threads[i].pages, 1000));
		ids[i] = run_thread(run_storm, &threads[i]);
	}
	while (wall_ns() < storm.until) {
		reader_drain(&self->reader);
		sleep_ms(1);
	}
	for (i = 0; i < STORM_THREADS; i++)
		pthread_join(ids[i], NULL);
	stop_neighbour(neighbour);
	ASSERT_EQ(0, storm.err);
	settle(_metadata, self, variant, STORM_THREADS);
	for (i = 0; i < STORM_COROUTINES; i++)
		slices += slots[A + i].slices;
	EXPECT_LE(STORM_THREADS * STORM_TURNS, slices);
	in_the_mode(_metadata, variant, &storm);
}

static void *switch_until_told(void *arg)
{
	struct storm *storm = arg;
	struct switcher s;
	int ret = switcher_join(&s, storm->program, THREAD_SLOT, storm->from_user);
	unsigned int i;

	ret = ret < 0 ? ret : 0;
	for (i = 0; !ret && wall_ns() < __atomic_load_n(&storm->until, __ATOMIC_RELAXED); i++) {
		ret = switcher_switch(&s, i % 2 ? A : B);
		if (!(i % 64))
			sleep_ns(100000);
	}
	storm->err = ret;
	storm->switches = s.switches;
	switcher_unmap(&s);
	return NULL;
}

/* Until the thread has taken note of the START. */
static bool recording_begins(struct reader *reader, unsigned int had)
{
	__u64 until = wall_ns() + 60000000000ULL;

	while (reader->nr_logs == had && wall_ns() < until) {
		reader_stream(reader);
		sleep_ns(500000);
	}
	return reader->nr_logs == had + 1;
}

/*
 * Proves: a recording that begins and ends in the middle of slices obeys the
 * law each time.
 */
TEST_F_TIMEOUT(conservation, stop_and_start_again, 300)
{
	struct storm storm;
	pthread_t thread;
	struct log *log;
	unsigned int i;

	storm_init(&storm, &self->program, variant->from_user);
	storm.until = ~0ULL;
	thread = run_thread(switch_until_told, &storm);
	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(recording_begins(&self->reader, i));
		sleep_ms(i % 8);
		ASSERT_EQ(0, stop(self->reader.fd));
		reader_drain(&self->reader);
		ASSERT_STREQ("", conservation(&self->reader));
		log = &self->reader.logs[i];
		EXPECT_TRUE(log->ended);
		EXPECT_TRUE(log->last.flags & COROPROF_SLICE_CUT);
		ASSERT_EQ(0, start(self->reader.fd));
	}
	__atomic_store_n(&storm.until, 0, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ASSERT_EQ(0, storm.err);
	in_the_mode(_metadata, variant, &storm);
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	for (i = A; i <= B; i++)
		conserve_slot(&self->reader, i, &self->program.slots[i], variant->nr);
	EXPECT_STREQ("", self->reader.defect);
}

TEST_HARNESS_MAIN
