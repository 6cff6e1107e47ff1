// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a sample is of the coroutine that ran, where it ran, and that
 * none is missing that is not counted. What needs a PMU that says when it
 * overflows is skipped without one; all else goes by the clock.
 */
#include "kselftest_harness.h"

#include <grp.h>

#include "conserve.h"
#include "parameter.h"
#include "program.h"
#include "require.h"
#include "samples.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"
#define SIMPMU		"/dev/coroprof_simpmu"
#define NR_SLOTS	16U
#define A		4U
#define B		5U
#define NOBODY		65534
/* A guest has as much time as its host lets it have. */
#define PATIENCE_NS	(PATIENCE_MS * 1000000ULL)
#define RATE_LIMIT	"/proc/sys/kernel/perf_event_max_sample_rate"

/*
 * run_a(channel, SWITCH, slot, n): a loop of two instructions, n times, then
 * SWITCH to the slot. From run_a to run_a_end it is the coroutine that was left.
 */
#if defined(__aarch64__)
#define RUN(name)							\
	asm(".pushsection .text." name ",\"ax\"\n"			\
	    ".globl " name "\n.globl " name "_end\n"			\
	    ".type " name ", %function\n"				\
	    name ": subs x3, x3, #1\n\tb.ne " name "\n"			\
	    "\tmov x8, #29\n\tsvc #0\n"					\
	    name "_end: ret\n.popsection")
#define LOOP	".globl loop_begin, loop_end\n" \
		"loop_begin: subs %0, %0, #1\n\tb.ne loop_begin\nloop_end:"
#elif defined(__x86_64__)
#define RUN(name)							\
	asm(".pushsection .text." name ",\"ax\"\n"			\
	    ".globl " name "\n.globl " name "_end\n"			\
	    ".type " name ", @function\n"				\
	    name ": sub $1, %rcx\n\tjnz " name "\n"			\
	    "\tmov $16, %eax\n\tsyscall\n"				\
	    name "_end: ret\n.popsection")
#define LOOP	".globl loop_begin, loop_end\n" \
		"loop_begin: sub $1, %0\n\tjnz loop_begin\nloop_end:"
#else
#error write the same for this machine
#endif

RUN("run_a");
RUN("run_b");

extern const char run_a_end[], run_b_end[], loop_begin[], loop_end[];

long run_a(long channel, unsigned long command, unsigned long slot, unsigned long n);
long run_b(long channel, unsigned long command, unsigned long slot, unsigned long n);

static void busy(unsigned long n)
{
	while (n--)
		asm volatile("" : : : "memory");
}

/* Its frame is there in the loop, as it calls. */
__attribute__((noinline, noclone, section("text_chain")))
static void chain(unsigned int depth, unsigned long n)
{
	if (depth)
		chain(depth - 1, n);
	else
		asm volatile(LOOP : "+r"(n) : : "cc", "memory");
	asm volatile("" : : : "memory");
}

extern const char __start_text_chain[], __stop_text_chain[];

static const struct coroprof_counter cpu_clock = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
};

static const struct coroprof_counter cycles = {
	.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
};

static const struct coroprof_counter instructions = {
	.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS,
};

static int open_event(const struct coroprof_counter *counter, __u64 period)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = counter->type,
		.config = counter->config,
		.sample_period = period,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * Returns 0 or why the event can't be sampled, a negative errno. The simulated
 * PMU overflows only when it is told to count.
 */
static int can_sample(const struct coroprof_counter *counter)
{
	int event = open_event(counter, 1000000);

	if (event < 0)
		return event;
	close(event);
	return access(SIMPMU, F_OK) ? 0 : -EBUSY;
}

/* A cycle for each of these instructions, as only a simulated machine has it. */
static bool is_exact(void)
{
	const struct coroprof_counter *counters[] = { &cycles, &instructions };
	__u64 count[2] = { 0 };
	int events[2], i;

	for (i = 0; i < 2; i++)
		events[i] = open_event(counters[i], 0);
	chain(0, 100000);
	for (i = 0; i < 2; i++) {
		if (read(events[i], &count[i], sizeof(count[i])) != sizeof(count[i]))
			count[i] = 0;
		close(events[i]);
	}
	return count[0] / 1000 == 200 && count[1] / 1000 == 200;
}

FIXTURE(sample)
{
	struct program program;
	struct reader reader;
	struct samples samples;
	int channel;
};

FIXTURE_SETUP(sample)
{
	/* A slow machine has lowered it in the test before, and a session asks for no more. */
	ASSERT_EQ(0, number_write(MAX_RATE, 100000));
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_LE(0, self->channel);
	self->reader.fd = -1;
	self->reader.config.sampling = (struct coroprof_sampling){
		.counter = cpu_clock,
		.frequency = 2000,
		.stack_max = 16,
	};
}

FIXTURE_TEARDOWN(sample)
{
	samples_unmap(&self->samples);
	close(self->channel);
	reader_close(&self->reader);
	program_close(&self->program);
}

/* The main thread is recorded, in A. */
static void begin(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self)
{
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, A));
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	ASSERT_NE(0, self->reader.logs[0].record.sample_ring_size);
	ASSERT_EQ(0, samples_map(&self->samples, &self->reader, &self->reader.logs[0]));
}

/* All of it agrees in the end. */
static void finish(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self)
{
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", samples_agree(&self->samples));
	EXPECT_STREQ("", conservation(&self->reader));
}

static struct coroprof_channel_status status_of(FIXTURE_DATA(sample) *self)
{
	struct coroprof_channel_status status;

	channel_status(self->reader.fd, self->reader.logs[0].record.channel_id, &status);
	return status;
}

/* Keep busy until there are so many. */
static void run_for_samples(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self,
			    __u64 samples)
{
	__u64 until = wall_ns() + PATIENCE_NS;

	while (wall_ns() < until && status_of(self).samples < samples)
		busy(100000);
	EXPECT_LE(samples, status_of(self).samples);
}

/* ------------------------------------------------------------- configuration */

static int try_config(FIXTURE_DATA(sample) *self, const struct coroprof_sampling *sampling)
{
	struct coroprof_session_config config = { .sampling = *sampling };
	int fd = make_session(self->program.control, &config);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* Of cycles if nothing else is said. */
#define CLOCK	.counter.type = PERF_TYPE_SOFTWARE
#define EXPECT_CONFIG(result, ...) do {					\
	struct coroprof_sampling sampling = { __VA_ARGS__ };	\
	EXPECT_EQ(result, try_config(self, &sampling));			\
} while (0)

TEST_F(sample, configurations)
{
	EXPECT_CONFIG(0, CLOCK, .frequency = 1);
	EXPECT_CONFIG(0, .frequency = COROPROF_SAMPLE_FREQUENCY_MAX);
	EXPECT_CONFIG(0, CLOCK, .period = 10000, .stack_max = COROPROF_STACK_MAX);
	EXPECT_CONFIG(0, .period = (1ULL << 63) - 1, .ring_size = page_size());
	EXPECT_CONFIG(0, .period = 1);

	EXPECT_CONFIG(-EINVAL, .period = 10000, .frequency = 1);
	EXPECT_CONFIG(-EINVAL, .period = 1ULL << 63);
	EXPECT_CONFIG(-EINVAL, CLOCK, .period = 9999);
	EXPECT_CONFIG(-EINVAL, .frequency = COROPROF_SAMPLE_FREQUENCY_MAX + 1);
	EXPECT_CONFIG(-EINVAL, .frequency = 1, .stack_max = COROPROF_STACK_MAX + 1);
	EXPECT_CONFIG(-EINVAL, .frequency = 1, .reserved = 1);
	EXPECT_CONFIG(-EINVAL, .frequency = 1, .ring_size = page_size() - 1);
	EXPECT_CONFIG(-EINVAL, .frequency = 1, .ring_size = page_size() + 8);
	EXPECT_CONFIG(-EINVAL, .frequency = 1, .ring_size = 1U << 31);
	EXPECT_CONFIG(-EINVAL, .frequency = 1, .counter.flags = 1U << 31);
	/* Something that nobody will look at. */
	EXPECT_CONFIG(-EINVAL, .stack_max = 1);
}

TEST_F(sample, what_will_be_used)
{
	struct coroprof_session_config config = { .sampling = self->reader.config.sampling };
	int fd = make_session(self->program.control, &config);

	ASSERT_LE(0, fd);
	EXPECT_EQ(1U << 20, config.sampling.ring_size);
	close(fd);
}

static int config_of_nobody(void *arg)
{
	FIXTURE_DATA(sample) *self = arg;
	struct coroprof_sampling sampling = self->reader.config.sampling;

	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	if (try_config(self, &sampling))
		return 2;
	sampling.counter.flags = COROPROF_COUNTER_KERNEL;
	return try_config(self, &sampling) == -EPERM ? 0 : 3;
}

TEST_F(sample, kernel_mode_needs_the_right)
{
	long before = number_read(PARANOID);

	self->reader.config.sampling.counter.flags = COROPROF_COUNTER_KERNEL;
	EXPECT_EQ(0, try_config(self, &self->reader.config.sampling));
	self->reader.config.sampling.counter.flags = 0;
	ASSERT_EQ(0, number_write(PARANOID, 2));
	EXPECT_EQ(0, in_child(config_of_nobody, self));
	number_write(PARANOID, before);
}

TEST_F(sample, told_as_a_feature)
{
	struct coroprof_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, call(self->program.control, COROPROF_IOC_INFO, &info));
	EXPECT_TRUE(info.features & COROPROF_FEATURE_SAMPLES);
}

/* ---------------------------------------------------------------- no samples */

TEST_F(sample, none_unless_asked_for)
{
	struct coroprof_channel_status status;

	memset(&self->reader.config.sampling, 0, sizeof(self->reader.config.sampling));
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, A));
	reader_drain(&self->reader);
	EXPECT_EQ(0, self->reader.logs[0].record.sample_ring_size);
	EXPECT_EQ(0, self->reader.logs[0].record.sample_error);
	EXPECT_EQ(-EINVAL, samples_map(&self->samples, &self->reader, &self->reader.logs[0]));
	spin_cpu(10000000);
	ASSERT_EQ(0, channel_status(self->reader.fd, 1, &status));
	EXPECT_EQ(0, status.samples);
}

/* The recording goes on without them. */
TEST_F(sample, no_memory_for_the_ring)
{
	self->reader.config.sampling.ring_size = 1U << 30;
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, A));
	ASSERT_EQ(0, switch_to(self->channel, B));
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_EQ(0, self->reader.logs[0].record.sample_ring_size);
	EXPECT_EQ(EDQUOT, self->reader.logs[0].record.sample_error);
	EXPECT_EQ(0, self->reader.logs[0].record.error);
	EXPECT_EQ(2, self->reader.logs[0].sums.slices);
	EXPECT_STREQ("", conservation(&self->reader));
}

/* ---------------------------------------------------------- what has no PMU */

TEST_F(sample, a_clock_in_place_of_what_is_not_there)
{
	const struct coroprof_counter rare = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_REF_CPU_CYCLES,
	};
	int err = can_sample(&rare);
	__u64 ran;

	if (err != -ENOENT && err != -EOPNOTSUPP)
		SKIP(return, "reference cycles can be sampled here");
	self->reader.config.sampling.counter = rare;
	self->reader.config.sampling.frequency = 0;
	self->reader.config.sampling.period = 12345678;
	ran = cpu_ns();
	begin(_metadata, self);
	EXPECT_EQ(-err, self->reader.logs[0].record.sample_error);
	run_for_samples(_metadata, self, 10);
	finish(_metadata, self);
	/* A thousand a second, or less where the clock is late. */
	EXPECT_GE((cpu_ns() - ran) / 1000000 + 1, self->samples.taken);
}

/* What would never give a sample, or is no counter, is not left at that. */
static void expect_clock_for(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self,
			     __u64 config)
{
	self->reader.config.sampling.counter.config = config;
	begin(_metadata, self);
	EXPECT_EQ(EOPNOTSUPP, self->reader.logs[0].record.sample_error);
	run_for_samples(_metadata, self, 3);
	finish(_metadata, self);
}

TEST_F(sample, a_clock_in_place_of_migrations)
{
	expect_clock_for(_metadata, self, PERF_COUNT_SW_CPU_MIGRATIONS);
}

TEST_F(sample, a_clock_in_place_of_nothing)
{
	expect_clock_for(_metadata, self, PERF_COUNT_SW_DUMMY);
}

TEST_F(sample, a_clock_in_place_of_bpf_output)
{
	expect_clock_for(_metadata, self, PERF_COUNT_SW_BPF_OUTPUT);
}

TEST_F(sample, so_many_a_second)
{
	__u64 ran = cpu_ns();

	begin(_metadata, self);
	EXPECT_EQ(0, self->reader.logs[0].record.sample_error);
	run_for_samples(_metadata, self, 100);
	finish(_metadata, self);
	EXPECT_GE((cpu_ns() - ran) / 500000 + 1, self->samples.taken);
}

/* -------------------------------------------------------------- attribution */

struct places {
	unsigned int in[2];		/* in the loop of A, of B */
	unsigned int at_switch[2];	/* in the kernel, called from there */
	unsigned int wrong;
	char what[160];
};

static void place(void *arg, const struct sample *sample)
{
	const __u64 begins[2] = { (uintptr_t)run_a, (uintptr_t)run_b };
	const __u64 ends[2] = { (uintptr_t)run_a_end, (uintptr_t)run_b_end };
	bool in_kernel = sample->record->flags & COROPROF_SAMPLE_IN_KERNEL;
	const __u32 slots[2] = { A, B };
	__u64 ip = sample->addresses[0];
	struct places *places = arg;
	__u32 expected;
	int i;

	for (i = 0; i < 2; i++)
		if (ip >= begins[i] && ip <= ends[i])
			break;
	if (i == 2)
		return;
	/* At its end, in user mode, the switch has been. */
	expected = ip == ends[i] && !in_kernel ? slots[!i] : slots[i];
	if (sample->record->slot != expected || sample->record->id != ID_OF(expected)) {
		places->wrong++;
		snprintf(places->what, sizeof(places->what),
			 "%s + %llu%s: slot %u, id %llu, not %u", i ? "run_b" : "run_a",
			 ip - begins[i], in_kernel ? " in the kernel" : "",
			 sample->record->slot, sample->record->id, expected);
	}
	if (in_kernel && ip == ends[i])
		places->at_switch[i]++;
	else
		places->in[i]++;
}

/* Two coroutines take turns, each so often, with so much work. */
static void take_turns(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self,
		       unsigned int times, unsigned long n)
{
	while (times--) {
		if (run_a(self->channel, COROPROF_IOC_SWITCH, B, n) ||
		    run_b(self->channel, COROPROF_IOC_SWITCH, A, n))
			break;
		if (!(times % 64))
			samples_drain(&self->samples);
	}
	ASSERT_EQ(-1U, times);
}

static void expect_places(struct __test_metadata *_metadata, struct places *places,
			  unsigned int least)
{
	EXPECT_EQ(0, places->wrong) {
		TH_LOG("%s", places->what);
	}
	EXPECT_LE(least, places->in[0]);
	EXPECT_LE(least, places->in[1]);
}

TEST_F(sample, of_the_coroutine_that_ran)
{
	struct places places = { 0 };
	__u64 until = wall_ns() + PATIENCE_NS;

	self->reader.config.sampling.frequency = 5000;
	begin(_metadata, self);
	self->samples.each = place;
	self->samples.arg = &places;
	while (wall_ns() < until && (places.in[0] < 50 || places.in[1] < 50))
		take_turns(_metadata, self, 200, 200);
	finish(_metadata, self);
	expect_places(_metadata, &places, 50);
}

/* A few instructions between switches, with every place hit in turn. */
TEST_F(sample, of_the_coroutine_that_ran_at_every_instruction)
{
	struct places places = { 0 };

	if (can_sample(&cycles))
		SKIP(return, "no PMU here that says when it overflows");
	self->reader.config.sampling = (struct coroprof_sampling){
		.counter = cycles, .period = 1499, .stack_max = 2,
	};
	begin(_metadata, self);
	self->samples.each = place;
	self->samples.arg = &places;
	take_turns(_metadata, self, 30000, 10);
	finish(_metadata, self);
	expect_places(_metadata, &places, 100);
	/* Overflows at the last instruction before the switch come in it. */
	EXPECT_LT(0, places.at_switch[0] + places.at_switch[1]);
	TH_LOG("%u and %u in the loops, %u and %u at the switch", places.in[0], places.in[1],
	       places.at_switch[0], places.at_switch[1]);
}

/*
 * As many as the period goes into the instructions: where they are counted
 * exactly, each takes a cycle. QEMU has one counter that overflows in the middle
 * of user mode, that of cycles, so that nothing else may count these.
 */
TEST_F(sample, one_for_each_period)
{
	const __u64 period = 100003;
	__u64 count;

	if (can_sample(&cycles) || !is_exact())
		SKIP(return, "no PMU here that counts exactly");
	self->reader.config.nr_counters = 1;
	self->reader.config.counters[0] = instructions;
	self->reader.config.sampling = (struct coroprof_sampling){
		.counter = cycles, .period = period,
	};
	begin(_metadata, self);
	busy(20000000);
	finish(_metadata, self);
	count = status_of(self).count[0];
	EXPECT_EQ(0, status_of(self).throttled);
	EXPECT_LE(count / period, self->samples.taken + 1);
	EXPECT_GE(count / period + 1, self->samples.taken);
}

/* ------------------------------------------------ switches from user mode */

__attribute__((noinline, noclone, section("text_in_a")))
static void in_a(unsigned long n)
{
	while (n--)
		asm volatile("" : : : "memory");
}

__attribute__((noinline, noclone, section("text_in_b")))
static void in_b(unsigned long n)
{
	while (n--)
		asm volatile("" : : : "memory");
}

extern const char __start_text_in_a[], __stop_text_in_a[];
extern const char __start_text_in_b[], __stop_text_in_b[];

static void place_in_section(void *arg, const struct sample *sample)
{
	struct places *places = arg;
	__u64 ip = sample->addresses[0];
	bool b;

	if (ip >= (uintptr_t)__start_text_in_a && ip < (uintptr_t)__stop_text_in_a)
		b = false;
	else if (ip >= (uintptr_t)__start_text_in_b && ip < (uintptr_t)__stop_text_in_b)
		b = true;
	else
		return;
	places->in[b]++;
	if (sample->record->slot == (b ? B : A) && sample->record->id == ID_OF(b ? B : A))
		return;
	places->wrong++;
	snprintf(places->what, sizeof(places->what), "in_%c: slot %u", b ? 'b' : 'a',
		 sample->record->slot);
}

/* The thread's side, without any counters. */
struct user {
	int channel;
	const volatile struct coroprof_channel_page *page;
	struct coroprof_ring_producer *producer;
	unsigned char *data;
	__u32 ring_size;
	__u64 switches;
};

static int user_begin(struct user *user, int channel, __u32 ring_size)
{
	struct coroprof_user_mode mode = { .size = sizeof(mode) };
	struct coroprof_wanted wanted = { .size = sizeof(wanted) };
	int ret = call(channel, COROPROF_IOC_WANTED, &wanted);

	if (ret || !(wanted.flags & COROPROF_WANTED_USER))
		return ret ?: -ENODATA;
	mode.epoch = wanted.epoch;
	ret = call(channel, COROPROF_IOC_USER, &mode) ?: switch_to(channel, A);
	if (ret)
		return ret;
	*user = (struct user){ .channel = channel, .ring_size = ring_size };
	user->page = map_at(channel, page_size(), PROT_READ, MAP_SHARED,
			    COROPROF_MMAP_CHANNEL_PAGE);
	user->producer = map_at(channel, page_size() + 2 * (size_t)ring_size,
				PROT_READ | PROT_WRITE, MAP_SHARED, COROPROF_MMAP_CHANNEL_RING);
	if (!user->page || !user->producer)
		return -errno;
	user->data = (unsigned char *)user->producer + page_size();
	return 0;
}

static int user_switch(struct user *user, const struct program *program, __u32 slot)
{
	__u64 head = user->producer->head, at = head & ~1ULL, now = wall_ns();
	const struct coroprof_open_slice *open = &user->producer->open[head & 1];
	struct coroprof_open_slice *next = &user->producer->open[!(head & 1)];
	struct coroprof_record_slice *record = (void *)(user->data + at % user->ring_size);

	if (user->page->attention || at + sizeof(*record) > user->page->until ||
	    now < open->began)
		return switch_to(user->channel, slot);
	*record = (struct coroprof_record_slice){
		.type = COROPROF_RECORD_SLICE, .size = sizeof(*record), .slot = open->slot,
		.time = now, .duration = now - open->began, .id = program->slots[open->slot].id,
		.flags = open->flags,
	};
	next->began = now;
	next->slot = slot;
	next->slices = open->slices + 1;
	next->flags = 0;
	__atomic_store_n(&user->producer->head, (at + sizeof(*record)) | !(head & 1),
			 __ATOMIC_RELEASE);
	user->switches++;
	return 0;
}

TEST_F(sample, of_the_coroutine_that_ran_in_user_mode)
{
	__u64 until = wall_ns() + PATIENCE_NS;
	struct places places = { 0 };
	struct user user;
	int ret = 0;

	self->reader.config.flags = COROPROF_SESSION_USER;
	self->reader.config.sampling.frequency = 5000;
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, user_begin(&user, self->channel, self->reader.config.ring_size));
	reader_drain(&self->reader);
	ASSERT_EQ(COROPROF_MODE_USER, self->reader.logs[0].record.mode);
	ASSERT_EQ(0, samples_map(&self->samples, &self->reader, &self->reader.logs[0]));
	self->samples.each = place_in_section;
	self->samples.arg = &places;
	while (!ret && wall_ns() < until && (places.in[0] < 50 || places.in[1] < 50)) {
		unsigned int i;

		for (i = 0; !ret && i < 100; i++) {
			in_a(100);
			ret = user_switch(&user, &self->program, B);
			in_b(100);
			ret = ret ?: user_switch(&user, &self->program, A);
		}
		reader_drain(&self->reader);
		samples_drain(&self->samples);
	}
	EXPECT_EQ(0, ret);
	ASSERT_EQ(0, stop(self->reader.fd));
	reader_drain(&self->reader);
	EXPECT_STREQ("", samples_agree(&self->samples));
	EXPECT_EQ(0, places.wrong) {
		TH_LOG("%s", places.what);
	}
	EXPECT_LE(50, places.in[0]);
	EXPECT_LE(50, places.in[1]);
	/* The most of them, or nothing has been shown. */
	EXPECT_LT(1000, user.switches);
	munmap((void *)user.page, page_size());
	munmap(user.producer, page_size() + 2 * (size_t)user.ring_size);
}

/* ------------------------------------------------- what can be foretold exactly */

static void count_slots(void *arg, const struct sample *sample)
{
	unsigned int *in = arg;

	in[sample->record->slot]++;
}

/* A sample for each page that is touched, by the coroutine that does. */
TEST_F(sample, each_page_fault)
{
	unsigned int in[NR_SLOTS] = { 0 }, nr = 400, i;
	volatile char *pages;

	self->reader.config.sampling = (struct coroprof_sampling){
		.counter = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
		.period = 1,
		.stack_max = COROPROF_STACK_MAX,
	};
	pages = mmap(NULL, nr * page_size(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)pages);
	madvise((void *)pages, nr * page_size(), MADV_NOHUGEPAGE);
	begin(_metadata, self);
	self->samples.each = count_slots;
	self->samples.arg = in;
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, switch_to(self->channel, i % 4 ? A : B));
		pages[i * page_size()] = 1;
		ASSERT_EQ(0, switch_to(self->channel, THREAD_SLOT));
	}
	finish(_metadata, self);
	munmap((void *)pages, nr * page_size());
	EXPECT_EQ(0, self->samples.lost);
	EXPECT_LE(nr * 3 / 4, in[A]);
	EXPECT_GE(nr * 3 / 4 + 5, in[A]);
	EXPECT_LE(nr / 4, in[B]);
	EXPECT_GE(nr / 4 + 5, in[B]);
}

/* One each time the thread goes to sleep, in the kernel, where it has called it. */
TEST_F(sample, each_context_switch)
{
	unsigned int slept, i;

	self->reader.config.sampling = (struct coroprof_sampling){
		.counter = { .type = PERF_TYPE_SOFTWARE,
			     .config = PERF_COUNT_SW_CONTEXT_SWITCHES },
		.period = 1,
		.stack_max = 4,
	};
	begin(_metadata, self);
	slept = times_slept();
	for (i = 0; i < 20; i++)
		sleep_ns(1000000);
	slept = times_slept() - slept;
	finish(_metadata, self);
	EXPECT_LT(0, slept);
	EXPECT_LE(slept, self->samples.taken);
}

/* ------------------------------------------------------------------ callers */

#define DEPTH	9U

struct callers {
	unsigned int seen;
	unsigned int wrong;
	__u32 stack_max;
	char what[160];
};

static bool in_chain(__u64 address)
{
	return address > (uintptr_t)__start_text_chain &&
	       address <= (uintptr_t)__stop_text_chain;
}

static void check_callers(void *arg, const struct sample *sample)
{
	const struct coroprof_record_sample *record = sample->record;
	struct callers *callers = arg;
	__u64 ip = sample->addresses[0];
	unsigned int in = 0, i;
	bool cut = record->flags & COROPROF_SAMPLE_CUT;

	if (ip < (uintptr_t)loop_begin || ip >= (uintptr_t)loop_end)
		return;
	callers->seen++;
	for (i = 1; i < record->nr; i++)
		in += in_chain(sample->addresses[i]);
	if (in == (callers->stack_max < DEPTH ? callers->stack_max : DEPTH) &&
	    (!in || in_chain(sample->addresses[in])) &&
	    cut == (callers->stack_max <= DEPTH))
		return;
	callers->wrong++;
	snprintf(callers->what, sizeof(callers->what),
		 "%u addresses, %u of them in the chain, flags %#x", record->nr, in, record->flags);
}

/* chain() calls itself so often; then there is the test, and whoever called it. */
static void expect_callers(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self,
			   __u32 stack_max)
{
	struct callers callers = { .stack_max = stack_max };
	__u64 until = wall_ns() + PATIENCE_NS;

	self->reader.config.sampling.stack_max = stack_max;
	begin(_metadata, self);
	self->samples.each = check_callers;
	self->samples.arg = &callers;
	while (wall_ns() < until && callers.seen < 20) {
		chain(DEPTH, 1000000);
		samples_drain(&self->samples);
	}
	finish(_metadata, self);
	EXPECT_LE(20, callers.seen);
	EXPECT_EQ(0, callers.wrong) {
		TH_LOG("%s", callers.what);
	}
}

TEST_F(sample, all_callers)
{
	expect_callers(_metadata, self, COROPROF_STACK_MAX);
}

TEST_F(sample, some_callers)
{
	expect_callers(_metadata, self, 4);
}

TEST_F(sample, no_callers)
{
	expect_callers(_metadata, self, 0);
}

/* What the samples in framed() had after their instruction pointer. */
struct framed {
	unsigned int seen;
	unsigned int wrong;
	unsigned int nr;
	__u64 caller;
};

__attribute__((noinline, noclone, section("text_framed")))
static void framed(unsigned long frame, unsigned long n)
{
#if defined(__aarch64__)
	asm volatile("mov x9, x29\n\tmov x29, %1\n"
		     ".globl framed_begin, framed_end\n"
		     "framed_begin: subs %0, %0, #1\n\tb.ne framed_begin\n"
		     "framed_end: mov x29, x9" : "+r"(n) : "r"(frame) : "cc", "memory", "x9");
#else
	asm volatile("mov %%rbp, %%r9\n\tmov %1, %%rbp\n"
		     ".globl framed_begin, framed_end\n"
		     "framed_begin: sub $1, %0\n\tjnz framed_begin\n"
		     "framed_end: mov %%r9, %%rbp" : "+r"(n) : "r"(frame) : "cc", "memory", "r9");
#endif
}

extern const char framed_begin[], framed_end[];

static void check_framed(void *arg, const struct sample *sample)
{
	const struct coroprof_record_sample *record = sample->record;
	struct framed *expected = arg;
	__u64 ip = sample->addresses[0];

	if (ip < (uintptr_t)framed_begin || ip >= (uintptr_t)framed_end)
		return;
	expected->seen++;
	if (record->nr != expected->nr || record->flags & COROPROF_SAMPLE_CUT ||
	    (record->nr > 1 && sample->addresses[1] != expected->caller))
		expected->wrong++;
}

static void expect_framed(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self,
			  unsigned long frame, struct framed expected)
{
	__u64 until = wall_ns() + PATIENCE_NS;

	self->samples.each = check_framed;
	self->samples.arg = &expected;
	while (wall_ns() < until && expected.seen < 5) {
		framed(frame, 100000);
		samples_drain(&self->samples);
	}
	self->samples.each = NULL;
	EXPECT_LE(5, expected.seen);
	EXPECT_EQ(0, expected.wrong) {
		TH_LOG("frame pointer %#lx", frame);
	}
}

/* What a frame pointer points to may be anything. */
TEST_F(sample, a_frame_pointer_to_nowhere)
{
	static const unsigned long nowhere[] = {
		0, 1, 8, -1UL, -8UL, -4096UL, 1UL << 47, 1UL << 55, 1UL << 63,
	};
	unsigned int i;

	begin(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(nowhere); i++)
		expect_framed(_metadata, self, nowhere[i], (struct framed){ .nr = 1 });
	finish(_metadata, self);
}

/* Frames only ever lie higher: one that points down is the last one. */
TEST_F(sample, frames_in_a_circle)
{
	unsigned long frames[4];

	frames[0] = (unsigned long)&frames[2];
	frames[1] = 0x1111;
	frames[2] = (unsigned long)&frames[0];
	frames[3] = 0x2222;
	self->reader.config.sampling.stack_max = COROPROF_STACK_MAX;
	begin(_metadata, self);
	expect_framed(_metadata, self, (unsigned long)&frames[2],
		      (struct framed){ .nr = 2, .caller = 0x2222 });
	/* Nor is what lies below the stack pointer one. */
	expect_framed(_metadata, self, (unsigned long)__builtin_frame_address(0) - 65536,
		      (struct framed){ .nr = 1 });
	finish(_metadata, self);
}

/* The signature of an address, where the machine has that, is no part of it. */
TEST_F(sample, what_is_above_an_address)
{
	unsigned long frames[2] = { 0, 0x3333 };

#if defined(__aarch64__)
	frames[1] |= 7UL << 52;
#endif
	begin(_metadata, self);
	expect_framed(_metadata, self, (unsigned long)frames,
		      (struct framed){ .nr = 2, .caller = 0x3333 });
	finish(_metadata, self);
}

/* ------------------------------------------------------------ in the kernel */

struct modes {
	unsigned int in_kernel;
	unsigned int in_user;
};

static void count_modes(void *arg, const struct sample *sample)
{
	struct modes *modes = arg;

	if (sample->record->flags & COROPROF_SAMPLE_IN_KERNEL)
		modes->in_kernel++;
	else
		modes->in_user++;
}

/* Where in user mode it was is told all the same, and never more than that. */
static void sample_in_kernel(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self,
			     struct modes *modes)
{
	__u64 until = wall_ns() + PATIENCE_NS;
	char buffer[4096];
	int fd;

	fd = open("/dev/zero", O_RDONLY);
	ASSERT_LE(0, fd);
	begin(_metadata, self);
	self->samples.each = count_modes;
	self->samples.arg = modes;
	while (wall_ns() < until && (!modes->in_kernel || !modes->in_user)) {
		__u64 pause = cpu_ns() + 5000000;

		while (cpu_ns() < pause)
			ASSERT_EQ(sizeof(buffer), read(fd, buffer, sizeof(buffer)));
		busy(100000);
		samples_drain(&self->samples);
	}
	finish(_metadata, self);
	close(fd);
}

TEST_F(sample, kernel_mode_when_asked_for)
{
	struct modes modes = { 0 };

	self->reader.config.sampling.counter.flags = COROPROF_COUNTER_KERNEL;
	sample_in_kernel(_metadata, self, &modes);
	EXPECT_LT(0, modes.in_kernel);
	EXPECT_LT(0, modes.in_user);
}

/* ---------------------------------------------------------- rings and counts */

TEST_F(sample, what_finds_the_ring_full)
{
	__u64 until = wall_ns() + PATIENCE_NS;

	self->reader.config.sampling.ring_size = page_size();
	self->reader.config.sampling.frequency = 10000;
	self->reader.config.sampling.stack_max = 0;
	begin(_metadata, self);
	while (wall_ns() < until && self->samples.producer->lost < 20)
		busy(1000000);
	EXPECT_LE(20, self->samples.producer->lost);
	samples_drain(&self->samples);
	EXPECT_EQ(0, self->samples.lost);
	/* The next sample is behind a LOST. */
	while (wall_ns() < until && !self->samples.lost) {
		busy(100000);
		samples_drain(&self->samples);
	}
	EXPECT_LE(20, self->samples.lost);
	finish(_metadata, self);
}

/* Those lost at the very end are told as well, as there is room again. */
TEST_F(sample, lost_at_the_end)
{
	__u64 until = wall_ns() + PATIENCE_NS;

	self->reader.config.sampling.ring_size = page_size();
	self->reader.config.sampling.frequency = 10000;
	self->reader.config.sampling.stack_max = 0;
	begin(_metadata, self);
	while (wall_ns() < until && !self->samples.producer->lost)
		busy(1000000);
	ASSERT_EQ(0, switch_to(self->channel, B));
	EXPECT_EQ(0, self->samples.lost);
	samples_drain(&self->samples);
	finish(_metadata, self);
	EXPECT_LT(0, self->samples.lost);
}

static bool readable(int fd, int ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, ms) == 1 && (pollfd.revents & POLLIN);
}

struct sampled {
	FIXTURE_DATA(sample) *self;
	unsigned int ready;
	unsigned int stop;
	int err;
};

/* A thread that keeps busy, recorded, and exits as it is. */
static void *keep_busy(void *arg)
{
	struct sampled *sampled = arg;
	int channel = join(sampled->self->program.process, THREAD_SLOT + 1);

	sampled->err = channel < 0 ? channel : switch_to(channel, B);
	__atomic_store_n(&sampled->ready, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&sampled->stop, __ATOMIC_ACQUIRE))
		busy(100000);
	return NULL;
}

/* Of a thread beside: it has a channel of its own, the second. */
static void begin_beside(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self,
			 struct sampled *sampled, pthread_t *thread)
{
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	sampled->self = self;
	*thread = run_thread(keep_busy, sampled);
	ASSERT_TRUE(wait_until(&sampled->ready, 1));
	ASSERT_EQ(0, sampled->err);
	reader_drain(&self->reader);
	ASSERT_EQ(1, self->reader.nr_logs);
	ASSERT_EQ(0, samples_map(&self->samples, &self->reader, &self->reader.logs[0]));
}

TEST_F(sample, the_reader_is_woken_at_the_watermark)
{
	struct sampled sampled = { 0 };
	pthread_t thread;

	self->reader.config.ring_size = 1U << 20;
	self->reader.config.watermark = 1U << 19;
	self->reader.config.sampling.ring_size = 1U << 16;
	self->reader.config.sampling.frequency = 10000;
	self->reader.config.sampling.stack_max = 0;
	begin_beside(_metadata, self, &sampled, &thread);
	EXPECT_TRUE(readable(self->reader.fd, PATIENCE_MS));
	EXPECT_LE(1U << 15, self->samples.producer->head);
	sampled.stop = 1;
	pthread_join(thread, NULL);
	finish(_metadata, self);
}

TEST_F(sample, samples_outlive_the_thread)
{
	struct sampled sampled = { 0 };
	struct coroprof_channel_status status;
	pthread_t thread;
	__u64 until;

	begin_beside(_metadata, self, &sampled, &thread);
	/* Not by CHANNEL: that would interrupt the thread all the time, in the kernel. */
	until = wall_ns() + PATIENCE_NS;
	while (wall_ns() < until && !self->samples.producer->head)
		sleep_ms(5);
	EXPECT_NE(0, self->samples.producer->head);
	sampled.stop = 1;
	pthread_join(thread, NULL);
	until = wall_ns() + PATIENCE_NS;
	while (!self->reader.logs[0].ended && wall_ns() < until)
		reader_drain(&self->reader);
	EXPECT_TRUE(self->reader.logs[0].ended);
	EXPECT_STREQ("", samples_agree(&self->samples));
	EXPECT_LT(0, self->samples.taken);
	EXPECT_EQ(0, forget(self->reader.fd, 1));
	EXPECT_EQ(-ENOENT, channel_status(self->reader.fd, 1, &status));
	/* What is mapped stays, but can't be mapped again. */
	EXPECT_NE(0, self->samples.producer->head);
	EXPECT_EQ(NULL, map_at(self->reader.fd, page_size(), PROT_READ, MAP_SHARED,
			       COROPROF_MMAP_SAMPLES(1) + page_size()));
}

TEST_F(sample, stop_and_start_again)
{
	__u64 until = wall_ns() + PATIENCE_NS, head;

	begin(_metadata, self);
	run_for_samples(_metadata, self, 1);
	finish(_metadata, self);
	head = self->samples.producer->head;
	EXPECT_LT(0, head);
	spin_cpu(20000000);
	EXPECT_EQ(head, self->samples.producer->head);
	EXPECT_EQ(self->samples.taken, status_of(self).samples);

	samples_unmap(&self->samples);
	memset(&self->samples, 0, sizeof(self->samples));
	ASSERT_EQ(0, start(self->reader.fd));
	ASSERT_EQ(0, switch_to(self->channel, B));
	reader_drain(&self->reader);
	ASSERT_EQ(2, self->reader.nr_logs);
	ASSERT_EQ(0, samples_map(&self->samples, &self->reader, &self->reader.logs[1]));
	while (wall_ns() < until && !self->samples.producer->head)
		busy(100000);
	finish(_metadata, self);
	EXPECT_LT(0, self->samples.taken);
}

/* The reader writes its tail there, and nothing else. */
TEST_F(sample, the_ring_can_only_be_read)
{
	__u64 at = COROPROF_MMAP_SAMPLES(1);

	begin(_metadata, self);
	EXPECT_EQ(NULL, map_at(self->reader.fd, page_size(), PROT_READ | PROT_WRITE,
			       MAP_SHARED, at + page_size()));
	EXPECT_EQ(NULL, map_at(self->reader.fd, page_size(), PROT_READ,
			       MAP_PRIVATE, at + page_size()));
	EXPECT_EQ(NULL, map_at(self->reader.fd, page_size(), PROT_READ | PROT_EXEC,
			       MAP_SHARED, at + page_size()));
	EXPECT_EQ(NULL, map_at(self->reader.fd, page_size(), PROT_READ, MAP_SHARED,
			       COROPROF_MMAP_SAMPLES(2)));
	/* A tail that can't be: the ring counts as full, and nothing else happens. */
	self->samples.consumer->tail = 1ULL << 63;
	run_for_samples(_metadata, self, status_of(self).samples + 2);
	EXPECT_LT(0, self->samples.producer->lost);
	self->samples.consumer->tail = self->samples.tail;
	finish(_metadata, self);
	EXPECT_LT(0, self->samples.lost);
}

/* --------------------------------------------------------------- throttling */

static unsigned long rate_limit(unsigned long rate)
{
	unsigned long old = 0;
	char text[32];
	ssize_t len;
	int fd = open(RATE_LIMIT, O_RDWR);

	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	if (len > 0) {
		text[len] = '\0';
		old = strtoul(text, NULL, 10);
	}
	len = snprintf(text, sizeof(text), "%lu\n", rate);
	if (pwrite(fd, text, len, 0) != len)
		old = 0;
	close(fd);
	return old;
}

static void sample_too_fast(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self)
{
	__u64 until = wall_ns() + PATIENCE_NS;
	struct coroprof_channel_status status;
	unsigned long rate;

	/* Its session may ask for as much as the limit is when it is opened. */
	begin(_metadata, self);
	rate = rate_limit(1000);
	ASSERT_NE(0, rate);
	while (wall_ns() < until && status_of(self).throttled < 5)
		busy(100000);
	rate_limit(rate);
	finish(_metadata, self);
	/* It went on each time. */
	status = status_of(self);
	EXPECT_LE(5, status.throttled);
	EXPECT_LE(status.throttled, status.samples);
}

TEST_F(sample, a_clock_that_is_too_fast)
{
	self->reader.config.sampling.frequency = 50000;
	sample_too_fast(_metadata, self);
}

TEST_F(sample, a_counter_that_is_too_fast)
{
	if (can_sample(&cycles))
		SKIP(return, "no PMU here that says when it overflows");
	self->reader.config.sampling = (struct coroprof_sampling){
		.counter = cycles, .period = 1000,
	};
	sample_too_fast(_metadata, self);
}

TEST_HARNESS_MAIN
