// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a thread gets the ring of one that has ended before it, and that
 * nobody can see or change anything by that who could not before: a ring is
 * mapped by its own thread and its own reader, and is of one process and of
 * one session. And that spare rings take nothing from anybody.
 *
 * A ring that is new has zeros behind its records. One that is not shows what
 * its life before has left there.
 */
#include "kselftest_harness.h"

#include <sys/resource.h>

#include "child.h"
#include "conserve.h"
#include "parameter.h"
#include "require.h"
#include "user_mode.h"

#define RING_SIZE	(1U << 18)
#define MEMORY_MB	PARAMETER("user_memory_mb")
#define MARK		0x5a

static void __attribute__((constructor)) go_on_as_child(int argc, char **argv)
{
	child_again(argc, argv);
}

FIXTURE(spare)
{
	struct program program;
	struct reader reader;
	struct switcher s;
	long memory_mb;
};

FIXTURE_SETUP(spare)
{
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->s.channel = -1;
	self->memory_mb = number_read(MEMORY_MB);
	ASSERT_LT(0, self->memory_mb);
}

FIXTURE_TEARDOWN(spare)
{
	number_write(MEMORY_MB, self->memory_mb);
	switcher_close(&self->s);
	if (self->reader.slots)
		reader_close(&self->reader);
	program_close(&self->program);
}

static int open_session(struct reader *reader, int control, __u32 flags)
{
	reader->config.flags = flags;
	reader->config.ring_size = RING_SIZE;
	return reader_open(reader, control, NR_SLOTS) ?: start(reader->fd);
}

/* Of this process. */
static int record(FIXTURE_DATA(spare) *self, __u32 flags)
{
	return open_session(&self->reader, self->program.control, flags) ?:
	       attach(self->reader.fd, getpid());
}

/* The newest recording, with all that is told of it. */
static struct log *newest(struct reader *reader)
{
	reader_drain(reader);
	return reader->nr_logs ? &reader->logs[reader->nr_logs - 1] : NULL;
}

static int forget_log(struct reader *reader, struct log *log)
{
	log_unmap(reader, log);
	return forget(reader->fd, log->record.channel_id);
}

/* Whether there is anything behind the records of a ring. */
static bool is_used(const struct log *log)
{
	__u64 at;

	for (at = ring_end(log); at < log->record.ring_size; at++)
		if (log->data[at])
			return true;
	return false;
}

static unsigned char *data_of(const struct switcher *s)
{
	return (unsigned char *)s->producer + page_size();
}

/* This thread joins, and switches so often. */
static int begin(FIXTURE_DATA(spare) *self, bool from_user, unsigned int switches)
{
	int ret = switcher_join(&self->s, &self->program, THREAD_SLOT, from_user);
	unsigned int i;

	for (i = 0; i < switches && ret >= 0; i++)
		ret = switcher_switch(&self->s, i % 2 ? A : B);
	return ret < 0 ? ret : from_user && !in_user_mode(&self->s) ? -EOPNOTSUPP : 0;
}

static void end(FIXTURE_DATA(spare) *self)
{
	switcher_leave(&self->s);
	switcher_close(&self->s);
}

/* A life of a ring that leaves something behind, and a ring that is spare then. */
static int live(FIXTURE_DATA(spare) *self, bool from_user)
{
	int ret = begin(self, from_user, 100);
	struct log *log;

	end(self);
	log = newest(&self->reader);
	return ret || !log ? ret ?: -ENODATA : forget_log(&self->reader, log);
}

/* As whoever gets a new ring. */
static void looks_new(struct __test_metadata *_metadata, const struct log *log)
{
	EXPECT_EQ(0, log->record.error);
	EXPECT_EQ(0, log->lost);
	EXPECT_EQ(0, log->producer->lost);
	EXPECT_EQ(log->ended, log->consumer->closed != ~0ULL);
}

/* --------------------------------------------------------- what is taken over */

TEST_F(spare, ring_by_ioctl_is_taken_over)
{
	struct log *log;

	ASSERT_EQ(0, record(self, 0));
	ASSERT_EQ(0, live(self, false));
	ASSERT_EQ(0, begin(self, false, 3));
	log = newest(&self->reader);
	ASSERT_EQ(2, self->reader.nr_logs);
	looks_new(_metadata, log);
	EXPECT_TRUE(is_used(log));
	end(self);
	newest(&self->reader);
	/* Not one slice more than it had, though more are in its data. */
	EXPECT_EQ(3, log->sums.slices);
	looks_new(_metadata, log);
	ASSERT_EQ(0, forget_log(&self->reader, log));
	EXPECT_STREQ("", self->reader.defect);
}

TEST_F(spare, ring_of_user_mode_is_taken_over)
{
	struct log *log;

	ASSERT_EQ(0, record(self, COROPROF_SESSION_USER));
	ASSERT_EQ(0, begin(self, true, 9));
	memset(data_of(&self->s) + RING_SIZE / 2, MARK, 16);
	/* As if it were about to write more when it ended. */
	self->s.producer->lost = 77;
	end(self);
	log = newest(&self->reader);
	ASSERT_EQ(0, forget_log(&self->reader, log));
	ASSERT_EQ(0, begin(self, true, 9));
	log = newest(&self->reader);
	looks_new(_metadata, log);
	EXPECT_EQ(MARK, data_of(&self->s)[RING_SIZE / 2]);
	EXPECT_EQ(MARK, log->data[RING_SIZE / 2]);
	EXPECT_EQ(0, self->s.producer->reserved[0]);
	end(self);
	newest(&self->reader);
	EXPECT_STREQ("", self->reader.defect);
}

TEST_F(spare, ring_of_another_size_is_not)
{
	struct program *program = &self->program;
	struct reader other = { .config = { .ring_size = 0 } };

	ASSERT_EQ(0, record(self, 0));
	ASSERT_EQ(0, live(self, false));
	/* Another session of this process, later: neither its size nor its ring is the same. */
	reader_close(&self->reader);
	self->reader = other;
	self->reader.config.ring_size = RING_SIZE;
	ASSERT_EQ(0, reader_open(&self->reader, program->control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, begin(self, false, 3));
	EXPECT_FALSE(is_used(newest(&self->reader)));
}

/* ------------------------------------------------------ what is still mapped */

/* What a thread may do with the mapping of its ring. Returns what is left of it, of @bytes. */
struct keeping {
	const char *name;
	unsigned char *(*keep)(unsigned char *at, size_t *bytes);
};

static unsigned char *keep_all(unsigned char *at, size_t *bytes)
{
	(void)bytes;
	return at;
}

static unsigned char *keep_moved(unsigned char *at, size_t *bytes)
{
	unsigned char *to = mmap(NULL, *bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mremap(at, *bytes, *bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
}

static unsigned char *keep_end(unsigned char *at, size_t *bytes)
{
	size_t gone = *bytes - page_size();

	munmap(at, gone);
	*bytes = page_size();
	return at + gone;
}

/* One of three parts of what mprotect() has split. */
static unsigned char *keep_part(unsigned char *at, size_t *bytes)
{
	size_t page = page_size(), all = *bytes;

	mprotect(at + 4 * page, page, PROT_READ);
	munmap(at, 4 * page);
	munmap(at + 4 * page, page);
	*bytes = all - 5 * page;
	return at + 5 * page;
}

static const struct keeping keepings[] = {
	{ "all of it", keep_all },
	{ "moved", keep_moved },
	{ "its last page", keep_end },
	{ "a part that was split off", keep_part },
};

/*
 * Ends the life of a ring in user mode; the process keeps a mapping of it, whose last page
 * can be written.
 */
static unsigned char *end_mapped(FIXTURE_DATA(spare) *self, const struct keeping *keeping,
				 size_t *bytes)
{
	unsigned char *at = (void *)self->s.producer;

	*bytes = page_size() + 2 * RING_SIZE;
	self->s.producer = NULL;
	end(self);
	return keeping->keep(at, bytes);
}

TEST_F(spare, ring_that_its_thread_has_mapped_is_no_others)
{
	unsigned char *at, *last;
	struct log *log;
	unsigned int i;
	size_t bytes;

	ASSERT_EQ(0, record(self, COROPROF_SESSION_USER));
	for (i = 0; i < sizeof(keepings) / sizeof(keepings[0]); i++) {
		ASSERT_EQ(0, begin(self, true, 9));
		at = end_mapped(self, &keepings[i], &bytes);
		ASSERT_NE(MAP_FAILED, at) TH_LOG("%s", keepings[i].name);
		ASSERT_EQ(0, forget_log(&self->reader, newest(&self->reader)));
		last = at + bytes - 1;
		*last = MARK;
		ASSERT_EQ(0, begin(self, true, 9));
		log = newest(&self->reader);
		EXPECT_NE(MARK, data_of(&self->s)[RING_SIZE - 1]) TH_LOG("%s", keepings[i].name);
		*last = MARK + 1;
		EXPECT_NE(MARK + 1, log->data[RING_SIZE - 1]) TH_LOG("%s", keepings[i].name);
		end(self);
		ASSERT_EQ(0, forget_log(&self->reader, newest(&self->reader)));
		/* That one is spare now, and gets in the way; then the one that was mapped. */
		ASSERT_EQ(0, munmap(at, bytes));
		ASSERT_EQ(0, begin(self, true, 9));
		EXPECT_EQ(MARK + 1, data_of(&self->s)[RING_SIZE - 1])
			TH_LOG("%s: not even when it is unmapped", keepings[i].name);
		data_of(&self->s)[RING_SIZE - 1] = 0;
		end(self);
		ASSERT_EQ(0, forget_log(&self->reader, newest(&self->reader)));
	}
	EXPECT_STREQ("", self->reader.defect);
}

TEST_F(spare, ring_that_its_reader_has_mapped_is_no_others)
{
	struct log *log, *kept;

	ASSERT_EQ(0, record(self, 0));
	ASSERT_EQ(0, begin(self, false, 100));
	end(self);
	kept = newest(&self->reader);
	ASSERT_EQ(0, forget(self->reader.fd, kept->record.channel_id));
	ASSERT_EQ(0, begin(self, false, 3));
	log = newest(&self->reader);
	EXPECT_FALSE(is_used(log));
	/* Its tail is another's business, too. */
	kept->consumer->tail = 8;
	EXPECT_NE(8, log->consumer->tail);
	EXPECT_EQ(kept->tail, kept->producer->head);
	end(self);
	newest(&self->reader);
	ASSERT_EQ(0, forget_log(&self->reader, log));
	log_unmap(&self->reader, kept);
	ASSERT_EQ(0, begin(self, false, 3));
	EXPECT_TRUE(is_used(newest(&self->reader)));
}

/* A child does not get what its parent has mapped: it keeps nothing. */
TEST_F(spare, child_of_the_process_keeps_no_ring)
{
	struct log *log;
	pid_t pid;

	ASSERT_EQ(0, record(self, COROPROF_SESSION_USER));
	ASSERT_EQ(0, begin(self, true, 9));
	memset(data_of(&self->s) + RING_SIZE / 2, MARK, 16);
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	end(self);
	ASSERT_EQ(0, forget_log(&self->reader, newest(&self->reader)));
	ASSERT_EQ(0, begin(self, true, 9));
	log = newest(&self->reader);
	EXPECT_EQ(MARK, log->data[RING_SIZE / 2]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ------------------------------------------------------- whose it never gets */

#define ORDERS(child, orders) \
	ASSERT_TRUE(child_steps(child, orders)) TH_LOG("orders %s", orders)
#define SWITCHES "abababababababababababab"

/* A process leaves a spare ring. */
#define LEAVE_SPARE(reader, child) do { \
	ORDERS(child, SWITCHES "q"); \
	ASSERT_EQ(0, forget_log(reader, newest(reader))); \
} while (0)

TEST_F(spare, no_other_process_gets_it)
{
	struct child first, second;

	ASSERT_EQ(0, open_session(&self->reader, self->program.control, 0));
	ASSERT_EQ(0, child_start(&first, self->reader.config.token));
	ASSERT_EQ(0, child_start(&second, self->reader.config.token));
	ORDERS(&first, "pj");
	ORDERS(&second, "pj");
	LEAVE_SPARE(&self->reader, &first);
	ORDERS(&second, "a");
	EXPECT_FALSE(is_used(newest(&self->reader)));
	/* It is there, for the first one. */
	ORDERS(&first, "ja");
	EXPECT_TRUE(is_used(newest(&self->reader)));
	child_kill(&first);
	child_kill(&second);
	reader_drain(&self->reader);
	EXPECT_STREQ("", self->reader.defect);
}

TEST_F(spare, no_other_program_of_the_process_gets_it)
{
	struct child child;

	ASSERT_EQ(0, open_session(&self->reader, self->program.control, 0));
	ASSERT_EQ(0, child_start(&child, self->reader.config.token));
	ORDERS(&child, "pj");
	LEAVE_SPARE(&self->reader, &child);
	ASSERT_EQ(child.pid, attach_flags(self->reader.fd, child.pid, COROPROF_ATTACH_LATER) > 0 ?
		  child.pid : 0);
	ORDERS(&child, "cpja");
	ASSERT_EQ(2, newest(&self->reader) ? self->reader.nr_logs : 0);
	EXPECT_FALSE(is_used(newest(&self->reader)));
	child_kill(&child);
}

/* Nor the session with more rights that takes the process over, nor the first one after that. */
TEST_F(spare, no_other_session_gets_it)
{
	static struct reader weak;
	struct child child;

	ASSERT_EQ(0, setresgid(NOBODY, NOBODY, 0) | setresuid(NOBODY, NOBODY, 0));
	ASSERT_EQ(0, open_session(&weak, self->program.control, 0));
	ASSERT_EQ(0, setresuid(0, 0, 0) | setresgid(0, 0, 0));
	ASSERT_EQ(0, open_session(&self->reader, self->program.control, 0));
	ASSERT_EQ(0, child_start(&child, 0));
	ORDERS(&child, "pnD");
	ASSERT_EQ(0, attach(weak.fd, child.pid));
	ORDERS(&child, "j");
	LEAVE_SPARE(&weak, &child);
	ASSERT_EQ(0, attach(self->reader.fd, child.pid));
	ORDERS(&child, "ja");
	ASSERT_EQ(1, newest(&self->reader) ? self->reader.nr_logs : 0);
	EXPECT_FALSE(is_used(newest(&self->reader)));
	ORDERS(&child, SWITCHES "q");
	reader_drain(&weak);
	log_unmap(&self->reader, newest(&self->reader));
	close(self->reader.fd);
	self->reader.fd = -1;
	ASSERT_EQ(0, attach(weak.fd, child.pid));
	ORDERS(&child, "ja");
	ASSERT_EQ(2, newest(&weak) ? weak.nr_logs : 0);
	EXPECT_FALSE(is_used(newest(&weak)));
	child_kill(&child);
	reader_close(&weak);
}

/* ---------------------------------------------------------- what it is charged */

/* How many rings the session may have at once: of threads that end and are not forgotten. */
static int count_rings(FIXTURE_DATA(spare) *self, struct reader *reader)
{
	unsigned int first = reader->nr_logs, i, nr = 0;

	for (i = 0; i < 40; i++) {
		int ret = begin(self, false, 2);

		end(self);
		if (ret == -EDQUOT)
			break;
		if (ret)
			return ret;
		nr++;
	}
	reader_drain(reader);
	for (i = first; i < reader->nr_logs; i++)
		forget_log(reader, &reader->logs[i]);
	reader->nr_logs = 0;
	return nr;
}

/* A process of @reader's, which has none yet, gets so many rings at once. */
#define TAKES_RINGS(reader, child, nr) do { \
	ASSERT_EQ(0, child_start(child, (reader)->config.token)); \
	ORDERS(child, "pj"); \
	while ((reader)->nr_logs < (nr)) { \
		ORDERS(child, "aqj"); \
		ASSERT_NE(NULL, newest(reader)); \
		ASSERT_EQ(0, newest(reader)->record.error); \
	} \
	child_kill(child); \
} while (0)

TEST_F(spare, spare_rings_take_nothing_from_the_session)
{
	struct child child;
	int nr;

	self->reader.config.memory_mb = 4;
	ASSERT_EQ(0, record(self, 0));
	nr = count_rings(self, &self->reader);
	EXPECT_LE(8, nr);
	EXPECT_GE(16, nr);
	/* Of the same process they are taken over, ... */
	EXPECT_EQ(nr, count_rings(self, &self->reader));
	/* ... and make room for another one, which has no use for them. */
	TAKES_RINGS(&self->reader, &child, 8);
}

/* Nor from another session of the same user. */
TEST_F(spare, spare_rings_take_nothing_from_the_user)
{
	static struct reader other = { .config = { .memory_mb = 4 } };
	struct child child;

	ASSERT_EQ(0, number_write(MEMORY_MB, 4));
	self->reader.config.memory_mb = 4;
	EXPECT_EQ(0, record(self, 0));
	EXPECT_LE(8, count_rings(self, &self->reader));
	EXPECT_EQ(0, open_session(&other, self->program.control, 0));
	TAKES_RINGS(&other, &child, 8);
	reader_close(&other);
}

/* Whoever keeps a ring over the end of its session pays for it, and no longer. */
TEST_F(spare, rings_go_with_the_session)
{
	int nr, again;
	struct log *log;

	ASSERT_EQ(0, number_write(MEMORY_MB, 4));
	self->reader.config.memory_mb = 4;
	ASSERT_EQ(0, record(self, 0));
	nr = count_rings(self, &self->reader);
	EXPECT_EQ(0, begin(self, false, 100));
	end(self);
	log = newest(&self->reader);
	close(self->reader.fd);
	log_unmap(&self->reader, log);
	self->reader.nr_logs = 0;
	free(self->reader.slots);
	EXPECT_EQ(0, record(self, 0));
	again = count_rings(self, &self->reader);
	EXPECT_EQ(nr, again);
}

/* How many rings there are in the kernel; negative if it does not tell. */
static int rings_there_are(void)
{
	FILE *file = fopen("/proc/vmallocinfo", "r");
	char line[512];
	int nr = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		nr += strstr(line, "coroprof_ring_create") != NULL;
	fclose(file);
	return nr;
}

TEST_F(spare, nothing_is_left_when_process_and_session_have_ended)
{
	int before = rings_there_are();
	struct child child;

	ASSERT_EQ(0, record(self, 0));
	ASSERT_EQ(0, live(self, false));
	if (before < 0 || rings_there_are() == before)
		SKIP(return, "the kernel does not tell which rings there are");
	/* One that the thread has left, and one for the next thread. */
	EXPECT_EQ(before + 2, rings_there_are());
	ASSERT_EQ(0, child_start(&child, self->reader.config.token));
	ORDERS(&child, "pj");
	LEAVE_SPARE(&self->reader, &child);
	EXPECT_EQ(before + 4, rings_there_are());
	child_kill(&child);
	EXPECT_NE(NULL, newest(&self->reader));
	EXPECT_EQ(1, self->reader.nr_process_ends);
	EXPECT_EQ(before + 2, rings_there_are());
	close(self->reader.fd);
	self->reader.fd = -1;
	EXPECT_EQ(before, rings_there_are());
}

/* ------------------------------------------------------- how it is mapped */

/* The page faults that it takes to look at each page of the ring of this thread. */
static long faults_of_ring(FIXTURE_DATA(spare) *self, int *ret)
{
	size_t page = page_size(), all = page + 2 * RING_SIZE, at;
	const volatile unsigned char *ring;
	struct rusage before, after;
	unsigned int sum = 0;

	*ret = begin(self, true, 3);
	if (*ret)
		return 0;
	ring = (void *)self->s.producer;
	/* What getrusage() and this page of the stack take is no part of it. */
	getrusage(RUSAGE_THREAD, &after);
	getrusage(RUSAGE_THREAD, &before);
	for (at = 0; at < all; at += page)
		sum += ring[at];
	getrusage(RUSAGE_THREAD, &after);
	end(self);
	(void)sum;
	return after.ru_minflt - before.ru_minflt;
}

TEST_F(spare, ring_is_mapped_by_few_page_faults)
{
	long faults;
	int ret;

	ASSERT_EQ(0, record(self, COROPROF_SESSION_USER));
	faults = faults_of_ring(self, &ret);
	ASSERT_EQ(0, ret);
	/* The first one was at the first switch; each one doubles what is mapped. */
	EXPECT_LE(1, faults);
	EXPECT_GE(5, faults);
}

TEST_F(spare, ring_is_mapped_at_once_where_page_faults_are_counted)
{
	long faults;
	int ret;

	count_faults_and_cycles(&self->reader.config);
	self->reader.config.nr_counters = 1;
	ASSERT_EQ(0, record(self, COROPROF_SESSION_USER));
	faults = faults_of_ring(self, &ret);
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, faults);
}

TEST_F(spare, ring_is_mapped_at_once_where_the_kernel_is_counted)
{
	struct coroprof_counter *counter = &self->reader.config.counters[0];
	long faults;
	int ret;

	counter->type = PERF_TYPE_SOFTWARE;
	counter->config = PERF_COUNT_SW_TASK_CLOCK;
	counter->flags = COROPROF_COUNTER_KERNEL;
	self->reader.config.nr_counters = 1;
	ASSERT_EQ(0, record(self, COROPROF_SESSION_USER));
	faults = faults_of_ring(self, &ret);
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, faults);
}

TEST_F(spare, ring_is_mapped_at_once_where_the_kernel_is_sampled)
{
	struct coroprof_sampling *sampling = &self->reader.config.sampling;
	long faults;
	int ret;

	sampling->counter.type = PERF_TYPE_SOFTWARE;
	sampling->counter.config = PERF_COUNT_SW_CPU_CLOCK;
	sampling->counter.flags = COROPROF_COUNTER_KERNEL;
	sampling->period = 1000000000;
	ASSERT_EQ(0, record(self, COROPROF_SESSION_USER));
	faults = faults_of_ring(self, &ret);
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, faults);
}

TEST_F(spare, ring_is_mapped_at_once_where_memory_is_locked)
{
	long faults;
	int ret;

	ASSERT_EQ(0, record(self, COROPROF_SESSION_USER));
	if (mlockall(MCL_FUTURE))
		SKIP(return, "memory can't be locked here");
	faults = faults_of_ring(self, &ret);
	munlockall();
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, faults);
}

/* Far beyond what the first page fault maps, and around the end: each byte is the reader's, too. */
TEST_F(spare, records_are_the_same_on_both_sides)
{
	unsigned int round, i;
	struct log *log;

	ASSERT_EQ(0, record(self, COROPROF_SESSION_USER));
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, begin(self, true, 3));
		for (i = 0; i < 20000; i++) {
			ASSERT_EQ(0, switcher_switch(&self->s, i % 2 ? A : B));
			if (i % 1000 == 0)
				reader_drain(&self->reader);
		}
		log = newest(&self->reader);
		EXPECT_LT(RING_SIZE, log->tail);
		EXPECT_EQ(0, memcmp(data_of(&self->s), log->data, 2 * RING_SIZE));
		EXPECT_EQ(0, memcmp(log->data, log->data + RING_SIZE, RING_SIZE));
		EXPECT_LT(1000, self->s.switches);
		end(self);
		newest(&self->reader);
		EXPECT_STREQ("", self->reader.defect);
		ASSERT_EQ(0, forget_log(&self->reader, log));
	}
}

TEST_HARNESS_MAIN
