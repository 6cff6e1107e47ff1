// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a program which may write its ring can spoil nothing but what is
 * said of itself: whatever it writes there, the kernel ends the recording with
 * EBADMSG or goes on, and is right about everybody else.
 */
#include "kselftest_harness.h"

#include <sys/prctl.h>

#include "conserve.h"
#include "require.h"
#include "storm.h"
#include "user_mode.h"

#define NR_SLOTS	16U	/* that are mapped and touched */
#define ALL_SLOTS	1024U
#define RING_SIZE	65536U
#define A		8U
#define B		9U
#define SECONDS		3

/* As program_open(), with slots that nobody has touched. */
static int program_open_larger(struct program *program)
{
	__u32 slot;

	memset(program, 0, sizeof(*program));
	program->nr_slots = NR_SLOTS;
	program->control = open_control();
	program->process = make_process(program->control, ALL_SLOTS, 0);
	if (program->process < 0)
		return program->process;
	program->slots = map_slots(program->process, NR_SLOTS);
	program->page = map_process_page(program->process);
	if (!program->slots || !program->page)
		return -errno;
	for (slot = 1; slot < NR_SLOTS; slot++)
		program->slots[slot].id = ID_OF(slot);
	return 0;
}

static int session_open(struct reader *reader, int control, pid_t pid)
{
	int ret;

	reader->config.flags = COROPROF_SESSION_USER;
	reader->config.ring_size = RING_SIZE;
	count_faults_and_cycles(&reader->config);
	ret = reader_open(reader, control, NR_SLOTS);
	return ret ?: attach(reader->fd, pid) ?: start(reader->fd);
}

FIXTURE(hostile)
{
	struct program program;
	struct reader reader;
	struct switcher s;
	int kernel_log;
};

FIXTURE_SETUP(hostile)
{
	self->kernel_log = kernel_log_open();
	ASSERT_LE(0, self->kernel_log);
	allow_user_access();
	ASSERT_EQ(0, program_open_larger(&self->program));
	ASSERT_EQ(0, session_open(&self->reader, self->program.control, getpid()));
	ASSERT_LE(0, switcher_join(&self->s, &self->program, THREAD_SLOT, true));
}

FIXTURE_TEARDOWN(hostile)
{
	switcher_close(&self->s);
	reader_close(&self->reader);
	program_close(&self->program);
	EXPECT_EQ(0, kernel_log_complaints(self->kernel_log));
	close(self->kernel_log);
}

static void into_user_mode(struct __test_metadata *_metadata, struct switcher *s)
{
	unsigned long before = s->switches;
	unsigned int i;

	for (i = 0; i < 1000 && s->switches < before + 3; i++)
		ASSERT_EQ(0, switcher_switch(s, i % 2 ? A : B));
	ASSERT_LE(before + 3, s->switches);
}

/* ------------------------------------------------------------- one lie each */

#define RECORD(nr)	((__u64)coroprof_slice_size(0, nr))

/* Where an honest switch would leave the head, and what it would leave open. */
struct lie {
	struct switcher *s;
	struct coroprof_open_slice *next;
	__u64 head;
};

static void lie_begin(struct lie *lie, struct switcher *s)
{
	__u64 head = s->producer->head;

	lie->s = s;
	lie->head = (head + RECORD(s->nr)) ^ 1;
	lie->next = &s->producer->open[lie->head & 1];
	*lie->next = s->producer->open[head & 1];
	lie->next->began = wall_ns();
	lie->next->slices++;
	lie->next->slot = A;
	lie->next->flags = 0;
}

static void lie_tell(struct lie *lie)
{
	__atomic_store_n(&lie->s->producer->head, lie->head, __ATOMIC_RELEASE);
}

/* Returns what it is, or NULL: there are no more. */
static const char *tell(struct lie *lie, unsigned int which)
{
	struct coroprof_open_slice *next = lie->next;
	__u64 head = lie->s->producer->head & ~1ULL;

	switch (which) {
	case 0:
		lie->head = head - RECORD(lie->s->nr);
		return "head one record back";
	case 1:
		lie->head = 0;
		return "head at the beginning";
	case 2:
		lie->head = head + 8ULL * RING_SIZE;
		return "head farther than the ring is long";
	case 3:
		lie->head = ~0ULL;
		return "head at the end of all positions";
	case 4:
		lie->head = 1ULL << 63;
		return "head half way round";
	case 5:
		lie->head = head + 4;
		return "head within a word";
	case 6:
		lie->head = (head + RECORD(lie->s->nr) + 2) | 1;
		return "head within a word, of the other slice";
	case 7:
		lie->head = lie->s->page->until + 8;
		return "head beyond until";
	case 8:
		next->slot = 0;
		return "slot 0";
	case 9:
		next->slot = ALL_SLOTS;
		return "a slot out of range";
	case 10:
		next->slot = ~0U;
		return "a slot far out of range";
	case 11:
		next->slot = ALL_SLOTS - 1;
		return "a slot that nobody has touched";
	case 12:
		next->began = wall_ns() + 3600000000000ULL;
		return "begins in an hour";
	case 13:
		next->began = ~0ULL;
		return "begins at the end of time";
	case 14:
		next->began = 0;
		return "began before anything";
	case 15:
		next->began = open_slice(lie->s)->began - 1;
		return "began before the one before";
	case 16:
		next->flags = COROPROF_SLICE_CUT;
		return "a flag of the end";
	case 17:
		next->flags = COROPROF_SLICE_OFFCPU;
		return "off the CPU";
	case 18:
		next->flags = ~0U;
		return "all flags";
	case 19:
		next->slices += 1000;
		return "more slices than fit";
	case 20:
		next->slices -= 2;
		return "slices taken back";
	case 21:
		next->slices += 1U << 31;
		return "slices half way round";
	case 22:
		lie->head = head + 8;
		next = &lie->s->producer->open[0];
		next->slices++;
		return "a slice in eight bytes";
	case 23:
		next->count[1]--;
		return "a counter that went down by one";
	case 24:
		next->count[1] += 1ULL << 63;
		return "a counter half way round";
	case 25:
		next->dropped++;
		lie->head = head ^ (~lie->s->producer->head & 1);
		return "a drop while there is room";
	case 26:
		next->dropped++;
		return "a record and a drop";
	case 27:
		next->dropped--;
		return "a drop taken back";
	case 28:
		next->dropped += 1000;
		next->slices += 999;
		lie->head = head ^ (~lie->s->producer->head & 1);
		return "more drops than were let";
	default:
		return NULL;
	}
}

/* Nothing of the lie is believed, and no slice that was told before is lost. */
TEST_F(hostile, one_lie)
{
	struct coroprof_channel_status before, after;
	struct lie lie;
	const char *what;
	unsigned int i;
	__u32 id;

	for (i = 0;; i++) {
		into_user_mode(_metadata, &self->s);
		lie_begin(&lie, &self->s);
		what = tell(&lie, i);
		if (!what)
			break;
		reader_stream(&self->reader);
		ASSERT_LT(0, self->reader.nr_logs);
		id = self->reader.logs[self->reader.nr_logs - 1].record.channel_id;
		ASSERT_EQ(0, channel_status(self->reader.fd, id, &before));
		lie_tell(&lie);
		EXPECT_EQ(0, switch_to(self->s.channel, B)) TH_LOG("%s", what);
		ASSERT_EQ(0, channel_status(self->reader.fd, id, &after));
		EXPECT_EQ(COROPROF_CHANNEL_ENDED, after.flags) TH_LOG("%s", what);
		EXPECT_EQ(EBADMSG, after.error) TH_LOG("%s", what);
		EXPECT_EQ(before.slices, after.slices) TH_LOG("%s", what);
		EXPECT_EQ(before.ring_head, after.ring_head) TH_LOG("%s", what);
		EXPECT_EQ(before.running_ns, after.running_ns) TH_LOG("%s", what);
		EXPECT_EQ(before.count[0], after.count[0]) TH_LOG("%s", what);
		EXPECT_EQ(after.ring_head, self->s.page->closed) TH_LOG("%s", what);
		EXPECT_EQ(1, self->s.page->attention) TH_LOG("%s", what);
		/* It is recorded again from the next START on, not before. */
		EXPECT_EQ(0, switch_to(self->s.channel, A)) TH_LOG("%s", what);
		ASSERT_EQ(0, stop(self->reader.fd));
		ASSERT_EQ(0, start(self->reader.fd));
		reader_stream(&self->reader);
		EXPECT_EQ(i + 1, self->reader.nr_logs) TH_LOG("%s", what);
		EXPECT_TRUE(self->reader.logs[i].ended) TH_LOG("%s", what);
		ASSERT_EQ(0, forget(self->reader.fd, id));
	}
	EXPECT_EQ(29, i);
	ASSERT_EQ(0, stop(self->reader.fd));
}

/* Each way the kernel comes to look at it. */
static int look_by_switch(struct switcher *s, int session)
{
	(void)session;
	return switch_to(s->channel, B);
}

static int look_by_read(struct switcher *s, int session)
{
	struct coroprof_totals totals;

	(void)session;
	return read_totals(s->channel, &totals);
}

static int look_by_status(struct switcher *s, int session)
{
	struct coroprof_channel_status status;

	(void)s;
	return channel_status(session, 1, &status);
}

static int look_by_sleep(struct switcher *s, int session)
{
	(void)s;
	(void)session;
	sleep_ms(1);
	return 0;
}

static int look_by_stop(struct switcher *s, int session)
{
	(void)s;
	return stop(session);
}

static int look_by_leave(struct switcher *s, int session)
{
	(void)session;
	return leave(s->channel);
}

static int look_by_kernel(struct switcher *s, int session)
{
	(void)session;
	return switch_to(s->channel, B | COROPROF_SWITCH_KERNEL);
}

struct look {
	FIXTURE_DATA(hostile) *self;
	int (*how)(struct switcher *s, int session);
};

static int lie_and_look(void *arg)
{
	struct look *look = arg;
	struct lie lie;
	struct program program;
	struct reader reader = { 0 };
	struct switcher s;
	struct coroprof_channel_status status;
	unsigned int i;

	if (program_open_larger(&program) ||
	    session_open(&reader, program.control, getpid()) ||
	    switcher_join(&s, &program, THREAD_SLOT, true) < 0)
		return 1;
	for (i = 0; i < 1000 && s.switches < 3; i++)
		switcher_switch(&s, i % 2 ? A : B);
	lie_begin(&lie, &s);
	lie.next->slot = ~0U;
	lie_tell(&lie);
	if (look->how(&s, reader.fd) || channel_status(reader.fd, 1, &status))
		return 2;
	return status.flags == COROPROF_CHANNEL_ENDED && status.error == EBADMSG ? 0 : 3;
}

TEST_F(hostile, whoever_looks)
{
	int (*const looks[])(struct switcher *s, int session) = {
		look_by_switch, look_by_read, look_by_status, look_by_sleep,
		look_by_stop, look_by_leave, look_by_kernel,
	};
	unsigned int i;

	for (i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		struct look look = { self, looks[i] };

		EXPECT_EQ(0, in_child(lie_and_look, &look)) TH_LOG("look %u", i);
	}
}

/* ----------------------------------------------------- events that do not keep still */

struct meddler {
	struct switcher *s;
	volatile bool end;
};

static void *meddle_with_events(void *arg)
{
	struct meddler *meddler = arg;
	unsigned int i;

	while (!meddler->end) {
		for (i = 0; i < meddler->s->nr; i++) {
			int fd = meddler->s->event[i].fd;

			ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
			ioctl(fd, PERF_EVENT_IOC_RESET, 0);
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		}
		sleep_ns(30000);
	}
	return NULL;
}

/* What it counted before the reset is not known, so that the recording ends there. */
static void ends_with_nonsense(struct __test_metadata *_metadata, FIXTURE_DATA(hostile) *self)
{
	const struct log *log = &self->reader.logs[self->reader.nr_logs - 1];
	struct coroprof_channel_status status;
	unsigned int i;

	ASSERT_EQ(0, channel_status(self->reader.fd, log->record.channel_id, &status));
	EXPECT_EQ(EBADMSG, status.error);
	EXPECT_EQ(COROPROF_CHANNEL_ENDED, status.flags);
	for (i = 0; i < COUNTERS_MAX; i++) {
		EXPECT_LT(status.count[i], 1ULL << 62);
		EXPECT_LT(log->sums.count[i], 1ULL << 62);
	}
	EXPECT_STREQ("", conservation(&self->reader));
}

/* Each way the kernel comes to read it. */
TEST_F(hostile, event_reset)
{
	int (*const looks[])(struct switcher *s, int session) = {
		look_by_switch, look_by_read, look_by_stop, look_by_leave,
	};
	unsigned int i;

	for (i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		into_user_mode(_metadata, &self->s);
		/* So that there is something to go back from. */
		fault_pages(1000);
		into_user_mode(_metadata, &self->s);
		ASSERT_EQ(0, ioctl(self->s.event[0].fd, PERF_EVENT_IOC_RESET, 0));
		ASSERT_EQ(0, looks[i](&self->s, self->reader.fd));
		reader_drain(&self->reader);
		ends_with_nonsense(_metadata, self);
		stop(self->reader.fd);
		ASSERT_EQ(0, start(self->reader.fd));
	}
}

/* Either all that was told holds, or the recording has ended with EBADMSG. */
TEST_F(hostile, events_disabled_and_reset)
{
	struct meddler meddler = { .s = &self->s };
	pthread_t thread;
	unsigned int i;

	into_user_mode(_metadata, &self->s);
	thread = run_thread(meddle_with_events, &meddler);
	for (i = 0; i < 3000; i++) {
		fault_pages(1);
		ASSERT_EQ(0, switcher_switch(&self->s, i % 2 ? A : B));
		if (!(i % 256))
			reader_drain(&self->reader);
	}
	meddler.end = true;
	pthread_join(thread, NULL);
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	ends_with_nonsense(_metadata, self);
}

/* ------------------------------------------------------------- scribbling */

struct scribbler {
	struct switcher s;
	struct program *program;
	void *volatile ring;	/* what is scribbled on, as it comes and goes */
	unsigned int seed;
	__u64 until;
};

static __u64 any_word(unsigned int *seed)
{
	return (__u64)rand_r(seed) << 42 ^ (__u64)rand_r(seed) << 21 ^ rand_r(seed);
}

/* Half of it where it hurts, at the head and the open slices. */
static void scribble_once(unsigned char *ring, unsigned int *seed)
{
	struct coroprof_ring_producer *producer = (void *)ring;
	struct coroprof_open_slice *open = &producer->open[rand_r(seed) % 2];

	switch ((rand_r(seed) >> 4) % 8) {
	case 0:
		producer->head += 8 * (rand_r(seed) % 64);
		break;
	case 1:
		producer->head ^= 1;
		break;
	case 2:
		producer->head = any_word(seed);
		break;
	case 3:
		open->slices += rand_r(seed) % 3;
		open->slot = rand_r(seed) % (NR_SLOTS + 2);
		open->began = wall_ns() + rand_r(seed) % 4000000 - 2000000;
		break;
	case 4:
		((volatile __u64 *)open)[rand_r(seed) % 16] = any_word(seed);
		break;
	default:
		((volatile __u64 *)ring)[rand_r(seed) % ((page_size() + RING_SIZE) / 8)] =
			any_word(seed);
		break;
	}
}

static void *scribble(void *arg)
{
	struct scribbler *scribbler = arg;
	unsigned int seed = scribbler->seed;
	void *ring;

	while (wall_ns() < scribbler->until) {
		ring = __atomic_load_n(&scribbler->ring, __ATOMIC_ACQUIRE);
		if (ring)
			scribble_once(ring, &seed);
	}
	return NULL;
}

/*
 * What is scribbled on stays mapped, at one place: a second sight of the ring
 * that the thread has, for as long as the scribbler may look.
 */
static void show_ring(struct scribbler *scribbler)
{
	size_t len = page_size() + 2 * RING_SIZE;
	void *at = scribbler->ring;

	if (!in_user_mode(&scribbler->s))
		return;
	at = mmap(at, len, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0),
		  scribbler->s.channel, COROPROF_MMAP_CHANNEL_RING);
	if (at != MAP_FAILED)
		__atomic_store_n(&scribbler->ring, at, __ATOMIC_RELEASE);
}

static void act(struct scribbler *scribbler)
{
	struct switcher *s = &scribbler->s;
	struct coroprof_totals totals;
	__u32 to = 1 + (rand_r(&scribbler->seed) >> 4) % (NR_SLOTS - 1);

	switch ((rand_r(&scribbler->seed) >> 4) % 32) {
	case 0:
		read_totals(s->channel, &totals);
		break;
	case 1:
		sleep_ns(rand_r(&scribbler->seed) % 100000);
		break;
	case 2:
		switch_to(s->channel, to | COROPROF_SWITCH_END);
		break;
	case 3:
		pin_to(rand_r(&scribbler->seed) % nr_cpus());
		break;
	case 4:
		spin_wall(rand_r(&scribbler->seed) % 100000);
		break;
	default:
		/* What it finds in its own open slice may be anything by now. */
		if (s->epoch != s->program->page->epoch || !in_user_mode(s) || (open_slice(s)->slot && open_slice(s)->slot < NR_SLOTS &&
					 (s->producer->head & ~1ULL) % 8 == 0))
			switcher_switch(s, to);
		else
			switch_to(s->channel, to);
		break;
	}
}

/* One thread's life: it joins, is recorded again and again, and ends somehow. */
static void *live(void *arg)
{
	struct scribbler *scribbler = arg;
	struct switcher *s = &scribbler->s;
	unsigned int i, acts = 500 + rand_r(&scribbler->seed) % 3000;
	__u32 epoch = 0;

	if (switcher_join(s, scribbler->program, THREAD_SLOT, true) < 0)
		return NULL;
	for (i = 0; i < acts && wall_ns() < scribbler->until; i++) {
		act(scribbler);
		if (s->epoch != epoch) {
			epoch = s->epoch;
			show_ring(scribbler);
		}
	}
	if (rand_r(&scribbler->seed) % 2)
		switcher_leave(s);
	if (rand_r(&scribbler->seed) % 2)
		switcher_close(s);
	return NULL;
}

static int scribble_and_live(struct program *program, unsigned int seed, __u64 until)
{
	struct scribbler scribbler = { .program = program, .seed = seed, .until = until };
	pthread_t thread;

	thread = run_thread(scribble, &scribbler);
	while (wall_ns() < until)
		pthread_join(run_thread(live, &scribbler), NULL);
	pthread_join(thread, NULL);
	return 0;
}

/* It may well crash of what it does to itself, which is one more way to end. */
static pid_t start_hostile(unsigned int seed, __u64 until)
{
	struct program program;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGSEGV, SIG_DFL);
	if (program_open(&program, NR_SLOTS, 0))
		_exit(1);
	_exit(scribble_and_live(&program, seed, until));
}

/* ------------------------------------- and what others make of it meanwhile */

struct seen {
	__u32 last;		/* channel */
	unsigned int user;	/* recordings in user mode */
	unsigned int rejected;	/* of these, ended with EBADMSG */
	unsigned int restarts;	/* of the hostile process */
	char defect[80];	/* of the stream, if it made no sense */
};

static void stream_defect(struct seen *seen, const char *what, unsigned int found)
{
	if (!seen->defect[0])
		snprintf(seen->defect, sizeof(seen->defect), "%s %u", what, found);
}

/* Takes the stream as it comes. */
static void take_stream(int session, struct seen *seen)
{
	__u64 buffer[8192 / 8];
	ssize_t got, at;

	while ((got = read(session, buffer, sizeof(buffer))) > 0) {
		for (at = 0; at < got;) {
			const struct coroprof_record_channel *record = (void *)buffer + at;

			if (record->size < sizeof(struct coroprof_record) || record->size % 8 ||
			    record->size > got - at || record->size > COROPROF_RECORD_MAX) {
				stream_defect(seen, "a record of a size of", record->size);
				return;
			}
			if (record->type == COROPROF_RECORD_CHANNEL) {
				seen->last = record->channel_id;
				seen->user += record->mode == COROPROF_MODE_USER;
			}
			if (record->type == COROPROF_RECORD_CHANNEL_END) {
				if (record->error && record->error != EBADMSG &&
				    record->error != EINTR)
					stream_defect(seen, "a recording ended with the error",
						      record->error);
				seen->rejected += record->error == EBADMSG;
				forget(session, record->channel_id);
			}
			at += record->size;
		}
	}
}

/* Until a thread is in user mode, or not for long. */
static void wait_for_user_mode(int session, struct seen *seen)
{
	unsigned int i, before = seen->user;

	for (i = 0; i < 40 && seen->user == before; i++) {
		take_stream(session, seen);
		sleep_ns(500000);
	}
}

/* Reads a hostile ring as a reader would, and believes none of it. */
static void peek(int session, __u32 channel, unsigned int *seed)
{
	size_t len = page_size() + 2 * RING_SIZE;
	__u64 offset = COROPROF_MMAP_RING(channel);
	struct coroprof_ring_consumer *consumer;
	const volatile __u64 *data;
	size_t i;

	consumer = map_at(session, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, offset);
	data = map_at(session, len, PROT_READ, MAP_SHARED, offset + page_size());
	if (data)
		for (i = 0; i < len / sizeof(*data); i += 512)
			(void)data[i];
	if (consumer && rand_r(seed) % 2)
		consumer->tail = data ? data[0] & ~7ULL : any_word(seed);
	if (consumer)
		munmap(consumer, page_size());
	if (data)
		munmap((void *)data, len);
}

/* An honest program beside it, with a session and a thread of its own. */
struct honest {
	FIXTURE_DATA(hostile) *self;
	bool stop;
	int ret;
};

static void *be_honest(void *arg)
{
	struct honest *honest = arg;
	struct switcher s;
	unsigned int i;
	int ret = switcher_join(&s, &honest->self->program, 2, true);

	for (i = 0; ret >= 0 && !__atomic_load_n(&honest->stop, __ATOMIC_RELAXED); i++) {
		ret = switcher_switch(&s, i % 2 ? A : B);
		if (!(i % 16))
			sleep_ns(50000);
	}
	honest->ret = ret < 0 ? ret : 0;
	switcher_leave(&s);
	return NULL;
}

static int session_for_anybody(void)
{
	struct coroprof_session_config config = {
		.flags = COROPROF_SESSION_USER,
		.ring_size = RING_SIZE,
		.nr_counters = 1,
		.counters[0] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
	};
	int control = open_control(), fd = make_session(control, &config);

	close(control);
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
	return fd;
}

TEST_F_TIMEOUT(hostile, scribbles_while_all_goes_on, 600)
{
	__u64 until = wall_ns() + storm_seconds(SECONDS) * 1000000000ULL;
	__u64 late = until + STORM_LATE_NS;
	struct honest honest = { .self = self };
	int session = session_for_anybody();
	unsigned int seed = storm_seed(), rounds;
	struct coroprof_channel_status status;
	struct seen seen = { 0 };
	pthread_t thread;
	pid_t pid;

	ASSERT_LE(0, session);
	pid = start_hostile(seed, late);
	thread = run_thread(be_honest, &honest);
	for (rounds = 0; storm_goes_on(until, seen.rejected); rounds++) {
		if (waitpid(pid, NULL, WNOHANG) == pid) {
			pid = start_hostile(seed + rounds, late);
			seen.restarts++;
		}
		attach(session, pid);
		start(session);
		wait_for_user_mode(session, &seen);
		sleep_ns(rand_r(&seed) % 5000000);
		channel_status(session, seen.last, &status);
		peek(session, seen.last, &seed);
		if (rand_r(&seed) % 4)
			stop(session);
		take_stream(session, &seen);
		ASSERT_STREQ("", seen.defect);
		reader_drain(&self->reader);
		ASSERT_STREQ("", self->reader.defect);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(session);
	__atomic_store_n(&honest.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, honest.ret);
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", conservation(&self->reader));
	EXPECT_LT(0, seen.rejected);
	TH_LOG("%u rounds: %u recordings in user mode, %u of them rejected; %u crashes of its own",
	       rounds, seen.user, seen.rejected, seen.restarts);
}

TEST_HARNESS_MAIN
