// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that every command keeps the rules at the top of coroprof.h: sizes
 * that may grow, unknown flags, reserved members, bad pointers, and commands
 * that a descriptor does not have. The layout is pinned at compile time.
 */
#include "kselftest_harness.h"

#include "call.h"
#include "layout.h"
#include "program.h"
#include "parameter.h"
#include "require.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

enum kind { CONTROL, PROCESS, CHANNEL, SESSION, NR_KINDS };

static const char * const kind_names[] = { "control", "process", "channel", "session" };

/* One of each, without the one that @without would make. */
static void open_kinds(struct __test_metadata *_metadata, int *fds, unsigned long without)
{
	struct coroprof_session_config session = { .ring_size = 0 };

	fds[CONTROL] = open_control();
	ASSERT_LE(0, fds[CONTROL]);
	fds[SESSION] = make_session(fds[CONTROL], &session);
	ASSERT_LE(0, fds[SESSION]);
	fds[PROCESS] = -1;
	fds[CHANNEL] = -1;
	if (without == COROPROF_IOC_PROCESS)
		return;
	fds[PROCESS] = make_process(fds[CONTROL], 16, 0);
	ASSERT_LE(0, fds[PROCESS]);
	if (without == COROPROF_IOC_THREAD)
		return;
	fds[CHANNEL] = join(fds[PROCESS], THREAD_SLOT);
	ASSERT_LE(0, fds[CHANNEL]);
}

/* The commands that take a structure: one variant each. */
FIXTURE(structure)
{
	int fds[NR_KINDS];
	unsigned char *arg;	/* two zeroed pages; none after them */
};

FIXTURE_VARIANT(structure)
{
	unsigned long command;
	enum kind kind;
	size_t size;
	size_t first;		/* the size first published, if that was another */
	int accepted;		/* what it returns when nothing is wrong with it */
	int accepted_flag;	/* with a flag, if that is another */
	bool makes_descriptor;
	size_t flags_at;
	bool flags_are_output;
	__u32 known_flags;
	size_t reserved_at;	/* what must be 0, if there is any */
	size_t reserved_len;
	bool has_output;	/* when it succeeds as it does here */
	size_t set_at;		/* a member that can't be 0: offset and value */
	__u32 set_to;
};

FIXTURE_VARIANT_ADD(structure, info)
{
	.command = COROPROF_IOC_INFO, .kind = CONTROL,
	.size = sizeof(struct coroprof_info),
	.flags_at = offsetof(struct coroprof_info, flags), .flags_are_output = true,
	.has_output = true,
};

FIXTURE_VARIANT_ADD(structure, process)
{
	.command = COROPROF_IOC_PROCESS, .kind = CONTROL,
	.size = sizeof(struct coroprof_process_config),
	.flags_at = offsetof(struct coroprof_process_config, flags),
	.known_flags = COROPROF_PROCESS_AGAIN, .accepted_flag = -ENOENT,
	.has_output = true, .makes_descriptor = true,
};

FIXTURE_VARIANT_ADD(structure, session)
{
	.command = COROPROF_IOC_SESSION, .kind = CONTROL,
	.size = sizeof(struct coroprof_session_config),
	.first = COROPROF_SESSION_CONFIG_SIZE_LEVEL1,
	.known_flags = COROPROF_SESSION_USER | COROPROF_SESSION_TOTALS | COROPROF_SESSION_TRACES,
	.flags_at = offsetof(struct coroprof_session_config, flags),
	.has_output = true, .makes_descriptor = true,
	.reserved_at = offsetof(struct coroprof_session_config, sampling.reserved), .reserved_len = 4,
};

FIXTURE_VARIANT_ADD(structure, thread)
{
	.command = COROPROF_IOC_THREAD, .kind = PROCESS,
	.size = sizeof(struct coroprof_thread_config),
	.flags_at = offsetof(struct coroprof_thread_config, flags),
	.makes_descriptor = true,
	.reserved_at = offsetof(struct coroprof_thread_config, reserved), .reserved_len = 8,
	.set_at = offsetof(struct coroprof_thread_config, slot),
	.set_to = THREAD_SLOT,
};

FIXTURE_VARIANT_ADD(structure, label)
{
	.command = COROPROF_IOC_LABEL, .kind = PROCESS,
	.size = sizeof(struct coroprof_label),
	.flags_at = offsetof(struct coroprof_label, flags),
	.has_output = true, .known_flags = COROPROF_LABEL_CODE | COROPROF_LABEL_ADAPTER,
};

FIXTURE_VARIANT_ADD(structure, read)
{
	.command = COROPROF_IOC_READ, .kind = CHANNEL,
	.size = sizeof(struct coroprof_totals), .first = COROPROF_TOTALS_SIZE_LEVEL1,
	.flags_at = offsetof(struct coroprof_totals, flags),
	.reserved_at = offsetof(struct coroprof_totals, reserved), .reserved_len = 4,
	.has_output = true,
};

FIXTURE_VARIANT_ADD(structure, wanted)
{
	.command = COROPROF_IOC_WANTED, .kind = CHANNEL,
	.size = sizeof(struct coroprof_wanted),
	.flags_at = offsetof(struct coroprof_wanted, flags), .flags_are_output = true,
	.accepted = -ENODATA,
};

FIXTURE_VARIANT_ADD(structure, user)
{
	.command = COROPROF_IOC_USER, .kind = CHANNEL,
	.size = sizeof(struct coroprof_user_mode),
	.known_flags = COROPROF_USER_LATER,
	.flags_at = offsetof(struct coroprof_user_mode, flags),
	.reserved_at = offsetof(struct coroprof_user_mode, reserved), .reserved_len = 4,
	.set_at = offsetof(struct coroprof_user_mode, reason),
	.set_to = COROPROF_REASON_DISABLED,
};

FIXTURE_VARIANT_ADD(structure, delegate)
{
	.command = COROPROF_IOC_DELEGATE, .kind = SESSION,
	.size = sizeof(struct coroprof_delegate),
	.flags_at = offsetof(struct coroprof_delegate, flags),
	.accepted = -ENOENT,
};

FIXTURE_VARIANT_ADD(structure, view)
{
	.command = COROPROF_IOC_VIEW, .kind = SESSION,
	.size = sizeof(struct coroprof_view),
	.flags_at = offsetof(struct coroprof_view, flags),
	.reserved_at = offsetof(struct coroprof_view, reserved), .reserved_len = 4,
	.accepted = -ENOENT,
};

/* Of the test's standard input, which has no code. */
FIXTURE_VARIANT_ADD(structure, probe)
{
	.command = COROPROF_IOC_PROBE, .kind = SESSION,
	.size = sizeof(struct coroprof_probe),
	.first = COROPROF_PROBE_SIZE_LEVEL3,
	.flags_at = offsetof(struct coroprof_probe, flags),
	.set_at = offsetof(struct coroprof_probe, role), .set_to = COROPROF_PROBE_OUT,
	.accepted = -ENODEV,
};

FIXTURE_VARIANT_ADD(structure, span)
{
	.command = COROPROF_IOC_SPAN, .kind = CHANNEL,
	.size = sizeof(struct coroprof_span),
	.flags_at = offsetof(struct coroprof_span, flags),
	.accepted = -ENODATA,
};

FIXTURE_VARIANT_ADD(structure, trace)
{
	.command = COROPROF_IOC_TRACE, .kind = CHANNEL,
	.size = sizeof(struct coroprof_trace),
	.flags_at = offsetof(struct coroprof_trace, flags),
	.reserved_at = offsetof(struct coroprof_trace, reserved), .reserved_len = 4,
	.accepted = -ENODATA,
};

FIXTURE_VARIANT_ADD(structure, attach)
{
	.command = COROPROF_IOC_ATTACH, .kind = SESSION,
	.size = sizeof(struct coroprof_attach),
	.flags_at = offsetof(struct coroprof_attach, flags),
	.known_flags = COROPROF_ATTACH_LATER | COROPROF_ATTACH_CHILDREN,
	.accepted = -ESRCH,
	.set_at = offsetof(struct coroprof_attach, pid), .set_to = 0x3fffffff,
};

FIXTURE_VARIANT_ADD(structure, channel)
{
	.command = COROPROF_IOC_CHANNEL, .kind = SESSION,
	.size = sizeof(struct coroprof_channel_status),
	.first = COROPROF_CHANNEL_STATUS_SIZE_LEVEL1,
	.flags_at = offsetof(struct coroprof_channel_status, flags), .flags_are_output = true,
	.accepted = -ENOENT,
	.set_at = offsetof(struct coroprof_channel_status, channel_id), .set_to = 12345,
};

FIXTURE_SETUP(structure)
{
	size_t page = page_size();

	open_kinds(_metadata, self->fds, variant->command);
	self->arg = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->arg);
	ASSERT_EQ(0, munmap(self->arg + 2 * page, page));
}

FIXTURE_TEARDOWN(structure)
{
}

static void fill(const FIXTURE_VARIANT(structure) *variant, unsigned char *arg, __u32 size)
{
	memcpy(arg, &size, sizeof(size));
	if (variant->set_at)
		memcpy(arg + variant->set_at, &variant->set_to, sizeof(variant->set_to));
}

/* A descriptor that comes out is closed, which undoes the command. */
static int attempt_on(int fd, const FIXTURE_VARIANT(structure) *variant, const void *arg)
{
	int ret = call(fd, variant->command, arg);

	if (ret >= 0 && variant->makes_descriptor) {
		close(ret);
		ret = 0;
	}
	return ret;
}

static int attempt(FIXTURE_DATA(structure) *self,
		   const FIXTURE_VARIANT(structure) *variant, const void *arg)
{
	return attempt_on(self->fds[variant->kind], variant, arg);
}

static int attempt_size(FIXTURE_DATA(structure) *self,
			const FIXTURE_VARIANT(structure) *variant, __u32 size)
{
	fill(variant, self->arg, size);
	return attempt(self, variant, self->arg);
}

TEST_F(structure, shorter_than_first_published)
{
	size_t first = variant->first ? variant->first : variant->size;

	EXPECT_EQ(-EINVAL, attempt_size(self, variant, 0));
	EXPECT_EQ(-EINVAL, attempt_size(self, variant, 4));
	EXPECT_EQ(-EINVAL, attempt_size(self, variant, first - 8));
	EXPECT_EQ(-EINVAL, attempt_size(self, variant, first - 1));
}

/* A program of an earlier level: nothing is written beyond what it knows. */
TEST_F(structure, as_first_published)
{
	size_t at;

	if (!variant->first)
		return;
	memset(self->arg + variant->first, 0xa5, page_size() - variant->first);
	EXPECT_EQ(variant->accepted, attempt_size(self, variant, variant->first));
	for (at = variant->first; at < page_size(); at++)
		ASSERT_EQ(0xa5, self->arg[at]);
}

TEST_F(structure, exact)
{
	EXPECT_EQ(variant->accepted, attempt_size(self, variant, variant->size));
}

TEST_F(structure, longer_and_zero)
{
	const size_t sizes[] = { variant->size + 1, variant->size + 8, page_size() };
	unsigned int i;
	size_t at;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(self->arg, 0, page_size());
		EXPECT_EQ(variant->accepted, attempt_size(self, variant, sizes[i]));
		for (at = variant->size; at < page_size(); at++)
			ASSERT_EQ(0, self->arg[at]);
	}
}

TEST_F(structure, longer_and_not_zero)
{
	const size_t last[] = { variant->size, variant->size + 7, page_size() - 1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(last); i++) {
		memset(self->arg, 0, page_size());
		self->arg[last[i]] = 1;
		EXPECT_EQ(-E2BIG, attempt_size(self, variant, last[i] + 1));
	}
}

TEST_F(structure, absurdly_long)
{
	const __u32 sizes[] = { 0x00100000, 0x7fffffff, 0x80000000, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		int ret = attempt_size(self, variant, sizes[i]);

		EXPECT_TRUE(ret == -E2BIG || ret == -EFAULT) TH_LOG("%d", ret);
	}
}

static int attempt_word(FIXTURE_DATA(structure) *self,
			const FIXTURE_VARIANT(structure) *variant, size_t at, __u32 word)
{
	memset(self->arg, 0, variant->size);
	fill(variant, self->arg, variant->size);
	memcpy(self->arg + at, &word, sizeof(word));
	return attempt(self, variant, self->arg);
}

/* Where the flags are output, what the caller left there is of no interest. */
TEST_F(structure, flags_and_reserved_members)
{
	size_t at;
	__u32 bit;

	for (bit = 1; bit; bit <<= 1) {
		bool fine = variant->flags_are_output || (bit & variant->known_flags);

		EXPECT_EQ(fine ? variant->accepted_flag ?: variant->accepted : -EINVAL,
			  attempt_word(self, variant, variant->flags_at, bit))
			TH_LOG("flag %#x", bit);
		for (at = 0; at < variant->reserved_len; at += sizeof(bit))
			EXPECT_EQ(-EINVAL, attempt_word(self, variant,
							variant->reserved_at + at, bit))
				TH_LOG("reserved bit %#x", bit);
	}
}

TEST_F(structure, bad_pointers)
{
	unsigned char *end = self->arg + 2 * page_size();
	unsigned char *cut = end - (variant->size - 8);

	EXPECT_EQ(-EFAULT, attempt(self, variant, NULL));
	EXPECT_EQ(-EFAULT, attempt(self, variant, end));
	EXPECT_EQ(-EFAULT, attempt(self, variant, (void *)-1L));
	EXPECT_EQ(-EFAULT, attempt(self, variant, (void *)(1UL << 63)));
	memcpy(cut, &(__u32){ variant->size }, sizeof(__u32));
	EXPECT_EQ(-EFAULT, attempt(self, variant, cut));
}

static int next_descriptor(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* What can't be told to the caller must not have happened. */
TEST_F(structure, output_that_cannot_be_written)
{
	int next = next_descriptor(), ret;

	fill(variant, self->arg, variant->size);
	ASSERT_EQ(0, mprotect(self->arg, page_size(), PROT_READ));
	ret = attempt(self, variant, self->arg);
	ASSERT_EQ(0, mprotect(self->arg, page_size(), PROT_READ | PROT_WRITE));
	EXPECT_EQ(variant->has_output ? -EFAULT : variant->accepted, ret);
	EXPECT_EQ(next, next_descriptor());
	EXPECT_EQ(variant->accepted, attempt(self, variant, self->arg));
	EXPECT_EQ(next, next_descriptor());
}

TEST_F(structure, on_the_wrong_descriptor)
{
	int kind;

	for (kind = 0; kind < NR_KINDS; kind++) {
		if (kind == (int)variant->kind || self->fds[kind] < 0)
			continue;
		fill(variant, self->arg, variant->size);
		EXPECT_EQ(-ENOTTY, attempt_on(self->fds[kind], variant, self->arg))
			TH_LOG("on a %s descriptor", kind_names[kind]);
	}
}

/* The size in the command's number may grow; the number decides. */
TEST_F(structure, another_size_in_the_command)
{
	FIXTURE_VARIANT(structure) other = *variant;

	other.command = _IOC(_IOC_READ | _IOC_WRITE, COROPROF_IOC_MAGIC,
			     _IOC_NR(variant->command), variant->size + 64);
	fill(variant, self->arg, variant->size);
	EXPECT_EQ(variant->accepted, attempt(self, &other, self->arg));
}

FIXTURE(kinds)
{
	int fds[NR_KINDS];
};

FIXTURE_SETUP(kinds)
{
	open_kinds(_metadata, self->fds, 0);
}

FIXTURE_TEARDOWN(kinds)
{
}

static const struct {
	enum kind kind;
	unsigned long command;
} commands[] = {
	{ CONTROL, COROPROF_IOC_INFO },
	{ CONTROL, COROPROF_IOC_PROCESS },
	{ CONTROL, COROPROF_IOC_SESSION },
	{ PROCESS, COROPROF_IOC_THREAD },
	{ PROCESS, COROPROF_IOC_LABEL },
	{ CHANNEL, COROPROF_IOC_SWITCH },
	{ CHANNEL, COROPROF_IOC_READ },
	{ CHANNEL, COROPROF_IOC_LEAVE },
	{ CHANNEL, COROPROF_IOC_SPAN },
	{ CHANNEL, COROPROF_IOC_TRACE },
	{ SESSION, COROPROF_IOC_ATTACH },
	{ SESSION, COROPROF_IOC_START },
	{ CHANNEL, COROPROF_IOC_WANTED },
	{ CHANNEL, COROPROF_IOC_USER },
	{ SESSION, COROPROF_IOC_STOP },
	{ SESSION, COROPROF_IOC_CHANNEL },
	{ SESSION, COROPROF_IOC_FORGET },
	{ SESSION, COROPROF_IOC_DELEGATE },
	{ SESSION, COROPROF_IOC_VIEW },
	{ SESSION, COROPROF_IOC_PROBE },
};

static bool has_command(enum kind kind, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].kind == kind && _IOC_NR(commands[i].command) == nr)
			return true;
	return false;
}

TEST_F(kinds, unknown_commands)
{
	unsigned long zeros[64] = { 0 };
	unsigned int kind, nr;

	for (kind = 0; kind < NR_KINDS; kind++) {
		for (nr = 0; nr < 256; nr++) {
			unsigned long command = _IOC(_IOC_READ | _IOC_WRITE,
						     COROPROF_IOC_MAGIC, nr, 256);

			if (has_command(kind, nr))
				continue;
			EXPECT_EQ(-ENOTTY, call(self->fds[kind], command, zeros))
				TH_LOG("%#x on a %s descriptor", nr, kind_names[kind]);
		}
	}
}

TEST_F(kinds, another_magic)
{
	unsigned long zeros[64] = { 0 };
	unsigned int i, magic;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		for (magic = 0xC0; magic < 0xE0; magic++) {
			unsigned long command = _IOC(_IOC_DIR(commands[i].command), magic,
						     _IOC_NR(commands[i].command),
						     _IOC_SIZE(commands[i].command));

			if (magic == COROPROF_IOC_MAGIC)
				continue;
			EXPECT_EQ(-ENOTTY, call(self->fds[commands[i].kind], command, zeros))
				TH_LOG("%#lx", command);
		}
	}
}

/* None of these descriptors can be written, and only a session be read. */
TEST_F(kinds, read_and_write)
{
	char byte = 0;
	int kind;

	for (kind = 0; kind < NR_KINDS; kind++) {
		EXPECT_EQ(-1, write(self->fds[kind], &byte, 1));
		if (kind != SESSION)
			EXPECT_EQ(-1, read(self->fds[kind], &byte, 1));
	}
}

TEST_F(kinds, close_on_exec)
{
	int kind;

	for (kind = PROCESS; kind < NR_KINDS; kind++)
		EXPECT_EQ(FD_CLOEXEC, fcntl(self->fds[kind], F_GETFD))
			TH_LOG("kind %d", kind);
}

/* Every kernel has it. */
static const struct coroprof_counter page_faults = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
};

static int session_with(int control, const struct coroprof_counter *counter, __u32 nr)
{
	struct coroprof_session_config config = { .nr_counters = nr };
	int fd;

	config.counters[0] = *counter;
	fd = make_session(control, &config);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int thread_with(int process, const struct coroprof_counter *counter, __u32 nr)
{
	struct coroprof_thread_config config = {
		.size = sizeof(config),
		.slot = THREAD_SLOT,
		.nr_counters = nr,
		.counters[0] = *counter,
	};
	int fd = call(process, COROPROF_IOC_THREAD, &config);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

TEST_F(kinds, counters)
{
	struct coroprof_counter counter = page_faults;
	__u32 flag;

	ASSERT_EQ(0, leave(self->fds[CHANNEL]));
	EXPECT_EQ(0, session_with(self->fds[CONTROL], &counter, 1));
	EXPECT_EQ(0, thread_with(self->fds[PROCESS], &counter, 1));
	EXPECT_EQ(-EINVAL, session_with(self->fds[CONTROL], &counter, COROPROF_COUNTERS_MAX + 1));
	EXPECT_EQ(-EINVAL, thread_with(self->fds[PROCESS], &counter, COROPROF_COUNTERS_MAX + 1));
	EXPECT_EQ(-EINVAL, session_with(self->fds[CONTROL], &counter, ~0U));
	EXPECT_EQ(-EINVAL, thread_with(self->fds[PROCESS], &counter, ~0U));
	for (flag = 4; flag; flag <<= 1) {
		counter.flags = flag;
		EXPECT_EQ(-EINVAL, session_with(self->fds[CONTROL], &counter, 1));
		EXPECT_EQ(-EINVAL, thread_with(self->fds[PROCESS], &counter, 1));
	}
}

static int ask_as_nobody(void *arg)
{
	struct coroprof_info info = { .size = sizeof(info) };
	struct coroprof_counter kernel = page_faults;
	int *fds = arg;
	int process;

	kernel.flags = COROPROF_COUNTER_KERNEL;
	if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
		return 1;
	if (call(fds[CONTROL], COROPROF_IOC_INFO, &info))
		return 2;
	if (info.flags & COROPROF_INFO_KERNEL_ALLOWED)
		return 3;
	if (session_with(fds[CONTROL], &page_faults, 1))
		return 4;
	if (session_with(fds[CONTROL], &kernel, 1) != -EPERM)
		return 5;
	process = make_process(fds[CONTROL], 16, 0);
	if (thread_with(process, &page_faults, 1))
		return 6;
	if (thread_with(process, &kernel, 1) != -EPERM)
		return 7;
	return 0;
}

TEST_F(kinds, kernel_mode_needs_a_capability)
{
	struct coroprof_info info = { .size = sizeof(info) };
	long before = number_read(PARANOID);

	ASSERT_EQ(0, call(self->fds[CONTROL], COROPROF_IOC_INFO, &info));
	EXPECT_EQ(COROPROF_INFO_KERNEL_ALLOWED | COROPROF_INFO_COUNTING_ALLOWED, info.flags);
	/* With what mainline has by default; the test of rights has the others. */
	ASSERT_EQ(0, number_write(PARANOID, 2));
	EXPECT_EQ(0, in_child(ask_as_nobody, self->fds)) TH_LOG("see ask_as_nobody()");
	number_write(PARANOID, before);
}

TEST_F(kinds, info)
{
	struct coroprof_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, call(self->fds[CONTROL], COROPROF_IOC_INFO, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_LE(COROPROF_ABI_LEVEL, info.abi_level);
	EXPECT_TRUE(info.features & COROPROF_FEATURE_SWITCH_IOCTL);
	EXPECT_TRUE(info.features & COROPROF_FEATURE_SPANS);
	EXPECT_TRUE(info.features & COROPROF_FEATURE_TRACES);
	EXPECT_TRUE(info.features & COROPROF_FEATURE_PROGRAM);
	EXPECT_TRUE(info.features & COROPROF_FEATURE_ADAPTERS);
	EXPECT_EQ(sizeof(struct coroprof_slot), info.slot_size);
	EXPECT_EQ(page_size(), info.page_size);
	EXPECT_EQ(COROPROF_COUNTERS_MAX, info.counters_max);
}

static int session_ring(int control, __u32 ring_size, struct coroprof_session_config *config)
{
	int fd;

	memset(config, 0, sizeof(*config));
	config->ring_size = ring_size;
	fd = make_session(control, config);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

TEST_F(kinds, ring_sizes)
{
	struct coroprof_session_config config;
	int control = self->fds[CONTROL];

	EXPECT_EQ(0, session_ring(control, 0, &config));
	EXPECT_EQ(1 << 20, config.ring_size);
	EXPECT_EQ(1 << 18, config.watermark);
	EXPECT_EQ(0, session_ring(control, page_size(), &config));
	EXPECT_EQ(page_size(), config.ring_size);
	EXPECT_EQ(0, session_ring(control, 1 << 30, &config));
	EXPECT_EQ(-EINVAL, session_ring(control, 1, &config));
	EXPECT_EQ(-EINVAL, session_ring(control, page_size() / 2, &config));
	EXPECT_EQ(-EINVAL, session_ring(control, page_size() * 3, &config));
	EXPECT_EQ(-EINVAL, session_ring(control, (1 << 20) + 8, &config));
	EXPECT_EQ(-EINVAL, session_ring(control, 1U << 31, &config));
	EXPECT_EQ(-EINVAL, session_ring(control, ~0U, &config));
}

TEST_F(kinds, tokens_are_random)
{
	struct coroprof_session_config a, b;

	ASSERT_EQ(0, session_ring(self->fds[CONTROL], 0, &a));
	ASSERT_EQ(0, session_ring(self->fds[CONTROL], 0, &b));
	EXPECT_NE(0, a.token);
	EXPECT_NE(a.token, b.token);
	/* A counter in disguise would differ in few bits. */
	EXPECT_LT(8, __builtin_popcountll(a.token ^ b.token));
}

TEST_HARNESS_MAIN
