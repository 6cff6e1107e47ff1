// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that everything lets go of everything, in whatever order it ends:
 * killed, exec'd, forked, closed, passed to others; and that the module can be removed when, and
 * only when, nothing uses it.
 *
 *   COROPROF_MODULE      path of coroprof.ko; without it the module is not removed
 *   COROPROF_TEST_KILLS  how often somebody is killed, in place of how long
 *   COROPROF_TEST_FORKS  how many children come and go, 100 by default
 */
#include "kselftest_harness.h"

#include <poll.h>
#include <sys/prctl.h>

#include "conserve.h"
#include "parameter.h"
#include "pass.h"
#include "require.h"
#include "storm.h"
#include "user_mode.h"

#define NR_SLOTS	64U
/* Targets, readers, and one that others pass their descriptors to. */
#define NR_TARGETS	3
#define NR_ACTORS	7
#define FRIEND		(NR_ACTORS - 1)
#define SECONDS		5
#define FORKS		100
#define AFTER_EXEC	"COROPROF_TEST_AFTER_EXEC"
/* What the work queue of the module has for it. */
#define SETTLE_MS	3000

/* What all of them can see. */
struct stage {
	pid_t targets[NR_ACTORS];
	__u64 token;
	char defect[256];	/* the first that any reader found */
	unsigned int channels;	/* how many they looked at */
	unsigned int passed;	/* descriptors of others that were used */
	unsigned int no_memory;	/* threads that were not recorded for want of it */
};

static struct stage *stage;

/* What is sent into one of these can be had from the other, by whoever takes it: in the storm. */
static int post[2] = { -1, -1 };

/* What was passed. A gift is a session that its reader has closed. */
enum what { PASSED_PROCESS, PASSED_CHANNEL, PASSED_SESSION, PASSED_GIFT };

static void tell_defect(const char *text)
{
	if (text[0] && !stage->defect[0])
		snprintf(stage->defect, sizeof(stage->defect), "%s", text);
}

__attribute__((constructor))
static void after_exec(void)
{
	if (getenv(AFTER_EXEC))
		_exit(0);
}

struct target_thread {
	struct program *program;
	unsigned int seed;
	bool forever;
};

static void *run_target_thread(void *arg)
{
	struct target_thread *thread = arg;
	unsigned int i = 200 + rand_r(&thread->seed) % 3000;
	struct switcher s;

	switcher_join(&s, thread->program, 1 + rand_r(&thread->seed) % 8,
		      rand_r(&thread->seed) % 2);
	if (s.channel >= 0 && rand_r(&thread->seed) % 4 == 0)
		send_descriptors(post[0], PASSED_CHANNEL, &s.channel, 1);
	while (s.channel >= 0 && (thread->forever || i--)) {
		unsigned long slot = 1 + rand_r(&thread->seed) % (NR_SLOTS - 1);

		switcher_switch(&s, slot | (unsigned long)(rand_r(&thread->seed) % 8) << 24);
		if (rand_r(&thread->seed) % 500 == 0)
			sleep_ns(rand_r(&thread->seed) % 2000000);
	}
	/* What is left mapped stays so until the process ends. */
	if (rand_r(&thread->seed) % 3 == 0)
		leave(s.channel);
	if (rand_r(&thread->seed) % 3 == 0)
		switcher_unmap(&s);
	if (rand_r(&thread->seed) % 3)
		close(s.channel);
	return NULL;
}

static void churn_threads(struct program *program, unsigned int *seed)
{
	struct target_thread threads[4];
	pthread_t ids[4];
	unsigned int i, nr = 1 + rand_r(seed) % 4;

	for (i = 0; i < nr; i++) {
		threads[i] = (struct target_thread){ program, rand_r(seed), false };
		ids[i] = run_thread(run_target_thread, &threads[i]);
	}
	for (i = 0; i < nr; i++)
		pthread_join(ids[i], NULL);
}

/*
 * What the kernel has mapped goes, and so is the process known no more; threads
 * that look there meanwhile find zeroes.
 */
static void lose_process(struct program *program)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	mmap(program->slots, page_align(program->nr_slots * sizeof(*program->slots)),
	     PROT_READ | PROT_WRITE, flags, -1, 0);
	mmap((void *)program->page, page_size(), PROT_READ, flags, -1, 0);
	close(program->process);
	close(program->control);
}

/* Ends in one of the ways a program can, while its threads still switch. */
static void end_somehow(struct program *program, unsigned int *seed)
{
	static struct target_thread threads[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		threads[i] = (struct target_thread){ program, rand_r(seed), true };
		run_thread(run_target_thread, &threads[i]);
	}
	sleep_ms(rand_r(seed) % 20);
	switch (rand_r(seed) % 5) {
	case 0:
		setenv(AFTER_EXEC, "1", 1);
		execl("/proc/self/exe", "lifetime", NULL);
		_exit(1);
	case 1:
		abort();
	case 2:
		lose_process(program);
		sleep_ms(rand_r(seed) % 10);
		break;
	case 3: /* a child keeps all it inherited for a while */
		if (!fork()) {
			sleep_ms(rand_r(seed) % 50);
			_exit(0);
		}
		break;
	default:
		break;
	}
	_exit(0);
}

static void run_target(unsigned int seed)
{
	struct program program;
	unsigned int i;

	if (program_open(&program, NR_SLOTS, rand_r(&seed) % 2 ? stage->token : 0))
		_exit(1);
	if (rand_r(&seed) % 2)
		send_descriptors(post[0], PASSED_PROCESS, &program.process, 1);
	for (i = rand_r(&seed) % 10; i; i--) {
		make_label(program.process, "storm", 5);
		churn_threads(&program, &seed);
	}
	end_somehow(&program, &seed);
}

/* Reads what is there, and now and then stops to see that it adds up. */
static void read_for_a_while(struct reader *reader, unsigned int *seed)
{
	unsigned int i, k;

	for (i = rand_r(seed) % 40; i; i--) {
		attach(reader->fd, stage->targets[rand_r(seed) % NR_ACTORS]);
		reader_drain(reader);
		sleep_ms(rand_r(seed) % 5);
		if (rand_r(seed) % 8)
			continue;
		if (!stop(reader->fd)) {
			reader_drain(reader);
			conservation(reader);
			__atomic_fetch_add(&stage->channels, reader->nr_logs, __ATOMIC_RELAXED);
			for (k = 0; k < reader->nr_logs; k++) {
				forget(reader->fd, reader->logs[k].record.channel_id);
				log_unmap(reader, &reader->logs[k]);
			}
			reader->nr_logs = 0;
		}
		start(reader->fd);
		if (reader->nr_logs > READER_CHANNELS_MAX - 32)
			break;
	}
}

/* Clocks, and what comes from within the thread's own faults and switches. */
static void sample_something(struct coroprof_sampling *sampling, unsigned int *seed)
{
	static const __u64 events[] = {
		PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
	};
	unsigned int i = rand_r(seed) % 4;

	sampling->counter.type = PERF_TYPE_SOFTWARE;
	sampling->counter.config = events[i];
	sampling->counter.flags = rand_r(seed) % 2 ? COROPROF_COUNTER_KERNEL : 0;
	sampling->stack_max = rand_r(seed) % (COROPROF_STACK_MAX + 1);
	sampling->ring_size = page_size() << rand_r(seed) % 4;
	if (i < 2)
		sampling->frequency = 1000 + rand_r(seed) % 20000;
	else
		sampling->period = 1 + rand_r(seed) % 3;
}

/* From here on it ends when the one it was passed to closes it, or is killed. */
static void give_session_away(int control, unsigned int *seed)
{
	struct coroprof_session_config config = {
		.ring_size = page_size() << rand_r(seed) % 4,
		.flags = rand_r(seed) % 2 ? COROPROF_SESSION_USER : 0,
	};
	int session = make_session(control, &config);

	if (session < 0)
		return;
	fcntl(session, F_SETFL, O_RDWR | O_NONBLOCK);
	attach(session, stage->targets[rand_r(seed) % NR_TARGETS]);
	start(session);
	send_descriptors(post[0], PASSED_GIFT, &session, 1);
	close(session);
}

static void run_reader(unsigned int seed)
{
	static struct reader reader;
	int control = open_control();

	reader.config.ring_size = page_size() << rand_r(&seed) % 8;
	reader.config.flags = rand_r(&seed) % 4 ? COROPROF_SESSION_USER : 0;
	reader.config.nr_counters = rand_r(&seed) % 3;
	reader.config.counters[0].type = PERF_TYPE_SOFTWARE;
	reader.config.counters[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	reader.config.counters[1].type = PERF_TYPE_HARDWARE;
	reader.config.counters[1].config = PERF_COUNT_HW_INSTRUCTIONS;
	if (rand_r(&seed) % 2)
		sample_something(&reader.config.sampling, &seed);
	if (reader_open(&reader, control, NR_SLOTS))
		_exit(1);
	stage->token = reader.config.token;
	if (rand_r(&seed) % 2)
		send_descriptors(post[0], PASSED_SESSION, &reader.fd, 1);
	if (rand_r(&seed) % 2)
		give_session_away(control, &seed);
	if (rand_r(&seed) % 4)
		start(reader.fd);
	read_for_a_while(&reader, &seed);
	__atomic_fetch_add(&stage->no_memory, reader.nr_no_memory + reader.unrecorded,
			   __ATOMIC_RELAXED);
	/* More channels than there is room for, or less memory, is not the module's fault. */
	if (reader.nr_logs < READER_CHANNELS_MAX && !(in_cgroup() && reader.out_of_memory))
		tell_defect(reader.defect);
	_exit(0);
}

struct passed {
	char what;
	int fd;
};

/* Now and then it stays mapped when the descriptor has gone. */
static void look_at(int fd, size_t len, __u64 offset, unsigned int *seed)
{
	const volatile __u64 *at = map_at(fd, len, PROT_READ, MAP_SHARED, offset);

	if (!at)
		return;
	(void)*at;
	if (rand_r(seed) % 2)
		munmap((void *)at, len);
}

/* Its thread alone may use it. */
static void use_channel(int channel, unsigned int *seed)
{
	struct coroprof_totals totals;
	struct coroprof_wanted w;

	if (!switch_to(channel, 2))
		tell_defect("another process has switched a channel");
	if (!read_totals(channel, &totals) || !wanted(channel, &w) || !leave(channel))
		tell_defect("another process has used a channel");
	look_at(channel, page_size(), COROPROF_MMAP_CHANNEL_PAGE, seed);
}

static void use_process(int process, unsigned int *seed)
{
	if (make_label(process, "passed", 6) >= 0 || join(process, THREAD_SLOT) >= 0)
		tell_defect("another process has used what one has made itself known by");
	look_at(process, page_size(), COROPROF_MMAP_PROCESS_PAGE, seed);
	look_at(process, page_align(NR_SLOTS * sizeof(struct coroprof_slot)),
		COROPROF_MMAP_SLOTS, seed);
}

/* Whoever has a session may use it, but here the reader holds it against what it recorded. */
static void use_session(int session, unsigned int *seed)
{
	struct pollfd ready = { .fd = session, .events = POLLIN };
	struct coroprof_channel_status status;

	poll(&ready, 1, 0);
	channel_status(session, 1 + rand_r(seed) % 4, &status);
	attach(session, stage->targets[rand_r(seed) % NR_TARGETS]);
	look_at(session, page_size(), COROPROF_MMAP_RING(1 + rand_r(seed) % 4), seed);
}

static void use_gift(int session, unsigned int *seed)
{
	char buffer[4096];

	use_session(session, seed);
	while (read(session, buffer, sizeof(buffer)) > 0)
		;
	if (rand_r(seed) % 4 == 0)
		stop(session);
	if (rand_r(seed) % 4 == 0)
		start(session);
	forget(session, 1 + rand_r(seed) % 4);
}

static void use_passed(const struct passed *passed, unsigned int *seed)
{
	__atomic_fetch_add(&stage->passed, 1, __ATOMIC_RELAXED);
	switch (passed->what) {
	case PASSED_PROCESS:
		use_process(passed->fd, seed);
		break;
	case PASSED_CHANNEL:
		use_channel(passed->fd, seed);
		break;
	case PASSED_SESSION:
		use_session(passed->fd, seed);
		break;
	default:
		use_gift(passed->fd, seed);
		break;
	}
}

/* Has some of what was passed at a time, while those who passed it go on, end, or are killed. */
static void run_friend(unsigned int seed)
{
	struct passed has[8];
	unsigned int i, k;

	for (k = 0; k < 8; k++)
		has[k].fd = -1;
	for (i = 50 + rand_r(&seed) % 200; i; i--) {
		k = rand_r(&seed) % 8;
		if (has[k].fd >= 0)
			use_passed(&has[k], &seed);
		if (has[k].fd >= 0 && rand_r(&seed) % 2) {
			close(has[k].fd);
			has[k].fd = -1;
		}
		if (has[k].fd < 0 && receive_descriptors(post[1], &has[k].what, &has[k].fd, 1))
			has[k].fd = -1;
		sleep_ms(rand_r(&seed) % 3);
	}
	_exit(0);
}

/* What nobody took. */
static void empty_post(void)
{
	char what;
	int fd;

	while (!receive_descriptors(post[1], &what, &fd, 1))
		close(fd);
}

static pid_t enter(unsigned int actor, unsigned int seed)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	enter_cgroup();
	if (actor < NR_TARGETS)
		run_target(seed);
	if (actor == FRIEND)
		run_friend(seed);
	run_reader(seed);
	return 0;
}

/* Whether it got to what the test is about: readers that looked, and descriptors that were used. */
static bool storm_was_seen(void)
{
	return __atomic_load_n(&stage->channels, __ATOMIC_RELAXED) &&
	       __atomic_load_n(&stage->passed, __ATOMIC_RELAXED);
}

/* Until then, or until so many were killed. Returns how many were. */
static unsigned int storm(unsigned int seed, __u64 until, unsigned int kills)
{
	pid_t actors[NR_ACTORS] = { 0 };
	unsigned int i, killed = 0;

	while (kills ? killed < kills : storm_goes_on(until, storm_was_seen())) {
		i = rand_r(&seed) % NR_ACTORS;
		if (actors[i] && (rand_r(&seed) % 4 == 0)) {
			killed++;
			kill(-actors[i], SIGKILL);
			kill(actors[i], SIGKILL);
			waitpid(actors[i], NULL, 0);
			actors[i] = 0;
		}
		if (actors[i] && waitpid(actors[i], NULL, WNOHANG) == actors[i])
			actors[i] = 0;
		if (!actors[i])
			actors[i] = enter(i, rand_r(&seed));
		stage->targets[i] = actors[i];
		sleep_ms(rand_r(&seed) % 15);
	}
	for (i = 0; i < NR_ACTORS; i++) {
		if (!actors[i])
			continue;
		kill(-actors[i], SIGKILL);
		kill(actors[i], SIGKILL);
		waitpid(actors[i], NULL, 0);
	}
	empty_post();
	return killed;
}

FIXTURE(lifetime)
{
	int kernel_log;
};

FIXTURE_SETUP(lifetime)
{
	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)stage);
	self->kernel_log = kernel_log_open();
	ASSERT_LE(0, self->kernel_log);
}

FIXTURE_TEARDOWN(lifetime)
{
	EXPECT_EQ(0, kernel_log_complaints(self->kernel_log));
	close(self->kernel_log);
}

TEST_F_TIMEOUT(lifetime, storm, 86000)
{
	unsigned int killed;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, post));
	killed = storm(storm_seed(), wall_ns() + storm_seconds(SECONDS) * 1000000000ULL,
		       from_environment("COROPROF_TEST_KILLS", 0));
	fprintf(stderr, "# ran: %u kills of targets and readers\n", killed);
	fprintf(stderr, "# ran: descriptors of others used %u times\n", stage->passed);
	if (in_cgroup()) {
		fprintf(stderr, "# ran: %u threads were not recorded for want of memory\n",
			stage->no_memory);
		EXPECT_LT(0, stage->no_memory);
	}
	EXPECT_STREQ("", stage->defect);
	EXPECT_LT(0, stage->passed);
	EXPECT_LT(0, stage->channels);
	/* No reference is left behind: the module could go. */
	EXPECT_EQ(0, references_after_all(0, SETTLE_MS));
}

/* Its parent's channel is of no use to a child; one of its own is. */
static int use_in_child(int channel, bool own)
{
	struct program program;

	if (!switch_to(channel, 2))
		return 1;
	if (!own)
		return 0;
	if (program_open(&program, NR_SLOTS, 0))
		return 2;
	channel = join(program.process, THREAD_SLOT);
	return channel < 0 || switch_to(channel, 2) ? 3 : 0;
}

static int fork_and_use(void *arg)
{
	unsigned int i, failed = 0, forks = *(unsigned int *)arg;
	struct program program;
	int channel, status;
	pid_t pid;

	if (program_open(&program, NR_SLOTS, 0))
		return 1;
	channel = join(program.process, THREAD_SLOT);
	for (i = 0; i < forks; i++) {
		pid = fork();
		if (!pid)
			_exit(use_in_child(channel, i % 2));
		failed += switch_to(channel, 2 + i % 8) != 0;
		if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status))
			failed++;
	}
	return failed ? 2 : 0;
}

TEST_F_TIMEOUT(lifetime, forks, 600)
{
	unsigned int forks = from_environment("COROPROF_TEST_FORKS", FORKS);

	EXPECT_EQ(0, in_child(fork_and_use, &forks));
	fprintf(stderr, "# ran: %u forks\n", forks);
	EXPECT_EQ(0, references_after_all(0, SETTLE_MS));
}

static int unload(void)
{
	return syscall(SYS_delete_module, "coroprof", O_NONBLOCK) ? -errno : 0;
}

static int load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

#define MODULE_OR_SKIP							\
	const char *module = getenv("COROPROF_MODULE");			\
									\
	if (!module)							\
		SKIP(return, "COROPROF_MODULE does not say where coroprof.ko is")

static int close_descriptor(void *arg)
{
	return close(*(int *)arg);
}

static void *join_and_wait(void *arg)
{
	unsigned int *state = arg;
	struct program program;
	int channel;

	program_open(&program, NR_SLOTS, 0);
	channel = join(program.process, THREAD_SLOT);
	program_close(&program);
	/* Not even the descriptor is left, only the thread's own hook. */
	if (channel >= 0)
		on_thread(close_descriptor, &channel);
	__atomic_store_n(state, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(state, __ATOMIC_ACQUIRE) == 1)
		;
	return NULL;
}

TEST_F(lifetime, not_removed_while_busy)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	struct program program;
	struct log *log;
	static struct reader reader;
	int session, channel;
	MODULE_OR_SKIP;

	ASSERT_EQ(0, program_open(&program, NR_SLOTS, 0));
	channel = join(program.process, THREAD_SLOT);
	session = make_session(program.control, &config);
	close(program.control);
	EXPECT_EQ(-EAGAIN, unload()) TH_LOG("a process, a channel, a session");
	close(session);
	EXPECT_EQ(-EAGAIN, unload()) TH_LOG("a process and a channel");
	close(program.process);
	munmap(program.slots, page_align(NR_SLOTS * sizeof(struct coroprof_slot)));
	munmap((void *)program.page, page_size());
	EXPECT_EQ(-EAGAIN, unload()) TH_LOG("a channel alone");
	close(channel);

	ASSERT_EQ(0, program_open(&program, NR_SLOTS, 0));
	ASSERT_EQ(0, reader_open(&reader, program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(reader.fd, getpid()));
	ASSERT_EQ(0, start(reader.fd));
	channel = join(program.process, THREAD_SLOT);
	ASSERT_EQ(0, switch_to(channel, 2));
	reader_drain(&reader);
	ASSERT_EQ(1, reader.nr_logs);
	log = &reader.logs[0];
	close(channel);
	close(reader.fd);
	close(program.control);
	close(program.process);
	munmap((void *)program.page, page_size());
	EXPECT_EQ(-EAGAIN, unload()) TH_LOG("mappings of slots and of a ring");
	munmap(program.slots, page_align(NR_SLOTS * sizeof(struct coroprof_slot)));
	EXPECT_EQ(-EAGAIN, unload()) TH_LOG("the mapping of a ring");
	log->consumer->tail = 1;
	log_unmap(&reader, log);
	EXPECT_EQ(0, references_after_all(0, SETTLE_MS));
	EXPECT_EQ(0, unload());
	ASSERT_EQ(0, load(module));
}

/* A thread that never leaves its CPU can't be unhooked by others. */
TEST_F(lifetime, not_removed_under_a_running_thread)
{
	unsigned int state = 0;
	pthread_t thread;
	MODULE_OR_SKIP;

	thread = run_thread(join_and_wait, &state);
	ASSERT_TRUE(wait_until(&state, 1));
	/* It is unhooked when it is next scheduled, or not yet: never a crash. */
	unload();
	__atomic_store_n(&state, 2, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	EXPECT_LE(references_after_all(0, SETTLE_MS), 0);
	if (access(COROPROF_DEVICE, F_OK))
		ASSERT_EQ(0, load(module));
}

static int use_a_little(void *arg)
{
	unsigned int seed = *(unsigned int *)arg;
	struct program program;

	if (program_open(&program, NR_SLOTS, 0))
		return 1;
	churn_threads(&program, &seed);
	/* Most of it is left to exit. */
	return 0;
}

TEST_F(lifetime, load_use_remove)
{
	unsigned int seed = storm_seed(), i;
	MODULE_OR_SKIP;

	for (i = 0; i < 10; i++) {
		seed++;
		ASSERT_EQ(0, in_child(use_a_little, &seed));
		ASSERT_EQ(0, references_after_all(0, SETTLE_MS));
		ASSERT_EQ(0, unload());
		ASSERT_NE(0, access(COROPROF_DEVICE, F_OK));
		ASSERT_EQ(0, load(module));
		ASSERT_EQ(0, access(COROPROF_DEVICE, F_OK));
	}
}

TEST_HARNESS_MAIN
