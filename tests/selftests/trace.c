// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that the tracepoint coroprof:coroprof_slice tells each slice, from the moment it
 * is enabled to the moment it is not, with the figures of its record, by ioctl and from
 * user mode; and that a thread is back to what it did before once nobody listens.
 */
#include "kselftest_harness.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "conserve.h"
#include "parameter.h"
#include "require.h"
#include "user_mode.h"

#define NR_SLOTS	16U
#define A		4U
#define B		5U
#define C		6U
#define RING_SIZE	(4U << 20)

#define TRACING		"/sys/kernel/tracing"
#define INSTANCE	TRACING "/instances/coroprof_test"
#define EVENT		"events/coroprof/coroprof_slice/enable"

/* Of each thread in a phase: at least so many switches, and at most. */
#define SOME		1000U
#define MOST		3000U
#define SLICES_MAX	(8 * MOST)

/* What record and tracepoint both tell of a slice. */
struct told {
	__u64 id;
	__u64 time;
	__u64 duration;
	__u64 preempted;
	__u64 blocked;
	__u64 count[2];
	unsigned int slot;
	unsigned int flags;
	unsigned int standing;
	char label[32];
};

struct told_list {
	unsigned int nr;
	struct told at[SLICES_MAX];
};

/* The reader's each() has no argument for it. */
static struct told_list recorded, traced;

FIXTURE(trace)
{
	struct program program;
	struct reader reader;
	struct switcher s;
	const char *missing;
};

FIXTURE_VARIANT(trace)
{
	bool user;
};

FIXTURE_VARIANT_ADD(trace, by_ioctl)
{
	.user = false,
};

FIXTURE_VARIANT_ADD(trace, from_user_mode)
{
	.user = true,
};

static void note_recorded(struct reader *reader, const struct slice *slice)
{
	const struct coroprof_record_slice *record = slice->record;
	struct told *told = &recorded.at[recorded.nr];

	(void)reader;
	if (recorded.nr == SLICES_MAX)
		return;
	recorded.nr++;
	*told = (struct told){
		.id = record->id, .time = record->time, .duration = record->duration,
		.preempted = slice->offcpu ? slice->offcpu->preempted_ns : 0,
		.blocked = slice->offcpu ? slice->offcpu->blocked_ns : 0,
		.count = { slice->count[0], slice->count[1] },
		.slot = record->slot, .flags = record->flags, .standing = record->standing,
	};
	strcpy(told->label, record->label ? "a label" : "");
}

static bool write_setting(const char *name, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", INSTANCE, name);
	return !file_write(path, value);
}

/* Returns what is missing, or NULL. */
static const char *trace_open(void)
{
	if (access(TRACING "/instances", F_OK))
		return "no tracefs at " TRACING ": mount -t tracefs tracefs " TRACING;
	rmdir(INSTANCE);
	if (mkdir(INSTANCE, 0700) || !write_setting("buffer_size_kb", "8192"))
		return "no instance of tracefs can be made: run this as root";
	return NULL;
}

static bool parse(const char *line, struct told *told)
{
	const char *at = strstr(line, "coroprof_slice: ");
	unsigned int process, channel, nr, len = 0;
	int tid;

	memset(told, 0, sizeof(*told));
	return at && sscanf(at, "coroprof_slice: process=%u channel=%u tid=%d slot=%u id=%" SCNu64
			    " time=%" SCNu64 " duration=%" SCNu64 " preempted=%" SCNu64
			    " blocked=%" SCNu64 " flags=%x standing=%x nr_counters=%u counts=%"
			    SCNu64 ",%" SCNu64 ",%*u,%*u,%*u,%*u,%*u,%*u code=%*s label=%n",
			    &process, &channel, &tid, &told->slot, (uint64_t *)&told->id,
			    (uint64_t *)&told->time, (uint64_t *)&told->duration,
			    (uint64_t *)&told->preempted, (uint64_t *)&told->blocked, &told->flags,
			    &told->standing, &nr, (uint64_t *)&told->count[0],
			    (uint64_t *)&told->count[1], &len) == 14 && len &&
	       snprintf(told->label, sizeof(told->label), "%.*s",
			(int)strcspn(at + len, "\n"), at + len) >= 0;
}

static void read_traced(void)
{
	FILE *file = fopen(INSTANCE "/trace", "re");
	char line[1024];

	traced.nr = 0;
	while (file && fgets(line, sizeof(line), file) && traced.nr < SLICES_MAX)
		traced.nr += parse(line, &traced.at[traced.nr]);
	if (file)
		fclose(file);
}

FIXTURE_SETUP(trace)
{
	struct reader *reader = &self->reader;
	int label;

	memset(&recorded, 0, sizeof(recorded));
	self->s.channel = -1;
	self->missing = trace_open();
	if (self->missing)
		SKIP(return, "%s", self->missing);
	allow_user_access();
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	label = make_label(self->program.process, "a label", 7);
	ASSERT_LT(0, label);
	self->program.slots[A].label = label;
	reader->config.flags = variant->user ? COROPROF_SESSION_USER : 0;
	reader->config.ring_size = RING_SIZE;
	count_faults_and_cycles(&reader->config);
	reader->each = note_recorded;
	ASSERT_EQ(0, reader_open(reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(reader->fd, getpid()));
	ASSERT_EQ(0, start(reader->fd));
}

FIXTURE_TEARDOWN(trace)
{
	if (!self->missing) {
		switcher_close(&self->s);
		reader_close(&self->reader);
		program_close(&self->program);
		write_setting(EVENT, "0");
		rmdir(INSTANCE);
	}
}

static void expect_same(struct __test_metadata *_metadata, const struct told *record,
			const struct told *event)
{
	EXPECT_EQ(record->id, event->id);
	EXPECT_EQ(record->time, event->time);
	EXPECT_EQ(record->duration, event->duration);
	EXPECT_EQ(record->preempted, event->preempted);
	EXPECT_EQ(record->blocked, event->blocked);
	EXPECT_EQ(record->count[0], event->count[0]);
	EXPECT_EQ(record->count[1], event->count[1]);
	EXPECT_EQ(record->slot, event->slot);
	EXPECT_EQ(record->flags, event->flags);
	EXPECT_EQ(record->standing, event->standing);
	EXPECT_STREQ(record->label, event->label);
}

static void stop_and_read(struct __test_metadata *_metadata, FIXTURE_DATA(trace) *self)
{
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	ASSERT_STREQ("", self->reader.defect);
	ASSERT_STREQ("", conservation(&self->reader));
	ASSERT_LT(recorded.nr, SLICES_MAX);
	read_traced();
}

/* The thread's next switch, of a round of them. */
static int next_switch(struct switcher *s, unsigned int i)
{
	static const unsigned int round[] = { A, B, C };

	return switcher_switch(s, round[i % 3]);
}

TEST_F(trace, tells_each_slice_as_its_record_does)
{
	unsigned int i;

	ASSERT_TRUE(write_setting(EVENT, "1"));
	ASSERT_LE(0, switcher_join(&self->s, &self->program, THREAD_SLOT, variant->user));
	for (i = 0; i < 300; i++) {
		ASSERT_EQ(0, next_switch(&self->s, i));
		if (i % 50 == 7)
			sleep_ms(1);
	}
	EXPECT_EQ(variant->user, in_user_mode(&self->s));
	/* The kernel does each of them, while somebody listens. */
	EXPECT_EQ(0, self->s.switches);
	stop_and_read(_metadata, self);
	EXPECT_EQ(300, recorded.nr);
	ASSERT_EQ(recorded.nr, traced.nr);
	for (i = 0; i < recorded.nr; i++)
		expect_same(_metadata, &recorded.at[i], &traced.at[i]);
}

/* ------------------------------------------- enabled in the middle of it all */

struct spinner {
	struct program *program;
	bool user;
	bool failed;
	unsigned int phase;		/* the test's */
	unsigned int done;		/* switches in this phase */
	unsigned int phase_seen;
	unsigned long from_user[3];	/* by phase */
	__u64 begins[3];		/* the first slice that begins in it does so after this */
};

static bool phase_of(struct spinner *spinner, struct switcher *s, unsigned int phase)
{
	unsigned long before = s->switches;
	unsigned int i;

	spinner->begins[phase] = wall_ns();
	__atomic_store_n(&spinner->done, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&spinner->phase_seen, phase, __ATOMIC_RELEASE);
	for (i = 0; i < MOST; i++) {
		if (next_switch(s, i))
			return false;
		__atomic_store_n(&spinner->done, i + 1, __ATOMIC_RELEASE);
	}
	spinner->from_user[phase] = s->switches - before;
	/* On its CPU all the time: nothing else tells it that there is a listener. */
	while (__atomic_load_n(&spinner->phase, __ATOMIC_ACQUIRE) == phase)
		;
	return true;
}

static void *spin(void *arg)
{
	struct spinner *spinner = arg;
	unsigned int phase;
	struct switcher s;

	if (nr_cpus() > 1)
		pin_to(1);
	spinner->failed = switcher_join(&s, spinner->program, THREAD_SLOT, spinner->user) < 0;
	for (phase = 0; phase < 3 && !spinner->failed; phase++)
		spinner->failed = !phase_of(spinner, &s, phase);
	switcher_close(&s);
	return NULL;
}

/* The thread has done some of this phase. */
static void await(struct spinner *spinner, unsigned int phase)
{
	while (!__atomic_load_n(&spinner->failed, __ATOMIC_ACQUIRE) &&
	       (__atomic_load_n(&spinner->phase_seen, __ATOMIC_ACQUIRE) < phase ||
		__atomic_load_n(&spinner->done, __ATOMIC_ACQUIRE) < SOME))
		sleep_ns(200000);
}

static void next_phase(struct spinner *spinner, unsigned int phase)
{
	__atomic_store_n(&spinner->phase, phase, __ATOMIC_RELEASE);
}

static unsigned int first_after(__u64 time)
{
	unsigned int i;

	for (i = 0; i < recorded.nr && recorded.at[i].time - recorded.at[i].duration < time; i++)
		;
	return i;
}

TEST_F(trace, begins_and_ends_while_a_thread_switches)
{
	struct spinner spinner = { .program = &self->program, .user = variant->user };
	unsigned int i, first;
	pthread_t thread;

	thread = run_thread(spin, &spinner);
	await(&spinner, 0);
	ASSERT_TRUE(write_setting(EVENT, "1"));
	next_phase(&spinner, 1);
	await(&spinner, 1);
	/* All of that phase. */
	while (__atomic_load_n(&spinner.done, __ATOMIC_ACQUIRE) < MOST && !spinner.failed)
		sleep_ns(200000);
	ASSERT_TRUE(write_setting(EVENT, "0"));
	next_phase(&spinner, 2);
	await(&spinner, 2);
	next_phase(&spinner, 3);
	pthread_join(thread, NULL);
	ASSERT_FALSE(spinner.failed);
	stop_and_read(_metadata, self);

	/* Without a gap, and all of the phase in which it was enabled. */
	ASSERT_LE(MOST - 1, traced.nr);
	for (first = 0; first < recorded.nr; first++)
		if (recorded.at[first].time == traced.at[0].time)
			break;
	ASSERT_LE(first + traced.nr, recorded.nr);
	for (i = 0; i < traced.nr; i++)
		expect_same(_metadata, &recorded.at[first + i], &traced.at[i]);
	EXPECT_LE(first, first_after(spinner.begins[1]));
	EXPECT_LE(first_after(spinner.begins[2]), first + traced.nr + 1);
	EXPECT_LT(first + traced.nr, recorded.nr - SOME);

	EXPECT_EQ(0, spinner.from_user[1]);
	if (variant->user)
		EXPECT_LT(0, spinner.from_user[2]);
}

TEST_HARNESS_MAIN
