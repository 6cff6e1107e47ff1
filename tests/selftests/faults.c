// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that whatever the kernel asks for in a command, and does not get, is
 * survived: each allocation and each copy of user memory in each step of a
 * recording fails once (/proc/self/fail-nth), and each of those that load the
 * module. Afterwards everything works, and nothing is left behind. Needs a
 * kernel with CONFIG_FAULT_INJECTION.
 *
 *   COROPROF_MODULE     path of coroprof.ko; without it loading it is not tried
 *   COROPROF_TEST_LONG  1: all of it, which takes minutes; else the first scene alone
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"

#include <poll.h>
#include <sys/uio.h>

#include "parameter.h"
#include "probed.h"
#include "program.h"
#include "require.h"
#include "storm.h"
#include "user_mode.h"

#define NR_SLOTS	16U
#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define SETTLE_MS	30000
/* No step asks for so much. */
#define MOST		2000

/* What a step of a scene needs of those before it. */
struct scene {
	int control;
	int process;
	int channel;
	int session;
	int view;
	int event;
	int file;
	__u32 process_id;
	struct coroprof_wanted wanted;
	void *page;
	void *slots;
	void *ring;
	void *samples;
	struct coroprof_span span;
};

#define NOTHING_YET { .process = -1, .channel = -1, .session = -1 }

static int do_open(struct scene *s)
{
	return s->control = open_control();
}

static int do_info(struct scene *s)
{
	struct coroprof_info info = { .size = sizeof(info) };

	return call(s->control, COROPROF_IOC_INFO, &info);
}

static int do_process(struct scene *s)
{
	return s->process = make_process(s->control, NR_SLOTS, 0);
}

static int mapped(void **at, int fd, size_t len, int prot, __u64 offset)
{
	*at = map_at(fd, len, prot, MAP_SHARED, offset);
	return *at ? 0 : -errno;
}

static int do_map_page(struct scene *s)
{
	return mapped(&s->page, s->process, page_size(), PROT_READ, COROPROF_MMAP_PROCESS_PAGE);
}

static int do_map_slots(struct scene *s)
{
	return mapped(&s->slots, s->process, page_align(NR_SLOTS * sizeof(struct coroprof_slot)),
		      PROT_READ | PROT_WRITE, COROPROF_MMAP_SLOTS);
}

static const struct coroprof_counter page_faults = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
};

static const struct coroprof_counter own = { .type = COROPROF_TYPE_PROGRAM };

/* By system call, so that what can't be had is an error and not a signal. */
static int do_touch_slots(struct scene *s)
{
	__u64 id = ID_OF(2);
	struct iovec from = { &id, sizeof(id) };
	struct iovec to = { s->slots + 2 * sizeof(struct coroprof_slot), sizeof(id) };

	return process_vm_writev(getpid(), &from, 1, &to, 1, 0) < 0 ? -errno : 0;
}

static int do_label(struct scene *s)
{
	return make_label(s->process, "a label", 7);
}

static int do_adapter(struct scene *s)
{
	struct coroprof_label label = {
		.size = sizeof(label),
		.flags = COROPROF_LABEL_ADAPTER,
		.text = (uintptr_t)"a runtime",
		.text_len = 9,
		.value = COROPROF_SEES_WAKES,
	};

	return call(s->process, COROPROF_IOC_LABEL, &label);
}

static int do_thread(struct scene *s)
{
	return s->channel = join(s->process, THREAD_SLOT);
}

static int do_session(struct scene *s)
{
	struct coroprof_session_config config = {
		.size = sizeof(config),
		.flags = COROPROF_SESSION_USER | COROPROF_SESSION_TRACES,
		.nr_counters = 3,
		.ring_size = page_size(),
		.counters[0] = page_faults,
		.counters[1] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
		.counters[2] = own,
		.sampling = {
			.counter = { .type = PERF_TYPE_SOFTWARE,
				     .config = PERF_COUNT_SW_CPU_CLOCK },
			.frequency = 100,
			.ring_size = page_size(),
		},
	};

	return s->session = make_session(s->control, &config);
}

static int do_attach(struct scene *s)
{
	int ret = attach_flags(s->session, getpid(), 0);

	s->process_id = ret;
	return ret;
}

static int do_start(struct scene *s)
{
	return start(s->session);
}

static int do_wanted(struct scene *s)
{
	return wanted(s->channel, &s->wanted);
}

static int do_user(struct scene *s)
{
	struct coroprof_user_mode offer = { .reason = COROPROF_REASON_DISABLED };

	return offer_user(s->channel, &offer);
}

static int do_first_switch(struct scene *s)
{
	return switch_to(s->channel, 2 | COROPROF_SWITCH_FRESH);
}

static int do_switch(struct scene *s)
{
	return switch_to(s->channel, 3);
}

static int do_span(struct scene *s)
{
	return begin_span(s->channel, &s->span);
}

static int do_end_span(struct scene *s)
{
	return end_span(s->channel, &s->span);
}

static int do_trace(struct scene *s)
{
	return set_trace(s->channel, 1, 2);
}

static int do_totals(struct scene *s)
{
	struct coroprof_totals totals;

	return read_totals(s->channel, &totals);
}

static int do_poll(struct scene *s)
{
	struct pollfd pollfd = { .fd = s->session, .events = POLLIN };

	return poll(&pollfd, 1, 0) < 0 ? -errno : 0;
}

static int do_read(struct scene *s)
{
	char buffer[4096];

	return read(s->session, buffer, sizeof(buffer)) < 0 ? -errno : 0;
}

static int do_map_ring(struct scene *s)
{
	return mapped(&s->ring, s->session, page_size(), PROT_READ, COROPROF_MMAP_RING(1));
}

static int do_map_samples(struct scene *s)
{
	return mapped(&s->samples, s->session, page_size(), PROT_READ, COROPROF_MMAP_SAMPLES(1));
}

static int do_status(struct scene *s)
{
	struct coroprof_channel_status status;

	return channel_status(s->session, 1, &status);
}

static int do_fork(struct scene *s)
{
	pid_t pid = fork();

	(void)s;
	if (!pid)
		_exit(0);
	if (pid < 0)
		return -errno;
	waitpid(pid, NULL, 0);
	return 0;
}

static int do_stop(struct scene *s)
{
	return stop(s->session);
}

static int do_forget(struct scene *s)
{
	return forget(s->session, 1);
}

static int do_leave(struct scene *s)
{
	return leave(s->channel);
}

/* Not each scene has all of them. */
static int closed(int fd)
{
	return fd < 0 ? 0 : close(fd);
}

static int do_close(struct scene *s)
{
	return closed(s->session) | closed(s->channel) | closed(s->process);
}

/* ---- user mode, with an event that the session gives */

static int do_user_session(struct scene *s)
{
	struct coroprof_session_config config = {
		.flags = COROPROF_SESSION_USER,
		.nr_counters = 2,
		.ring_size = page_size(),
		.counters[0] = page_faults,
		.counters[1] = own,
	};

	return s->session = make_session(s->control, &config);
}

static int do_ask(struct scene *s)
{
	struct coroprof_user_mode ask = {
		.reason = COROPROF_REASON_PARANOID, .flags = COROPROF_USER_LATER,
	};

	return offer_user(s->channel, &ask);
}

static int do_event(struct scene *s)
{
	return s->event = event_open(&page_faults);
}

static int do_give(struct scene *s)
{
	const int events[] = { s->event, COROPROF_EVENT_PROGRAM };

	return delegate_events(s->session, 1, events, 2);
}

static int do_map_event(struct scene *s)
{
	void *at;

	return mapped(&at, s->channel, page_size(), PROT_READ, COROPROF_MMAP_CHANNEL_EVENT(0));
}

static int do_take(struct scene *s)
{
	struct coroprof_user_mode take = {
		.nr_counters = 2, .flags = COROPROF_USER_DELEGATED, .epoch = s->wanted.epoch,
	};

	return offer_user(s->channel, &take);
}

static int do_map_channel_page(struct scene *s)
{
	return mapped(&s->page, s->channel, page_size(), PROT_READ, COROPROF_MMAP_CHANNEL_PAGE);
}

static int do_map_channel_ring(struct scene *s)
{
	return mapped(&s->ring, s->channel, page_size() + 2 * (size_t)s->wanted.ring_size,
		      PROT_READ | PROT_WRITE, COROPROF_MMAP_CHANNEL_RING);
}

static int do_switch_in_kernel(struct scene *s)
{
	return switch_to(s->channel, 2 | COROPROF_SWITCH_KERNEL);
}

/* ---- totals alone */

static int do_totals_session(struct scene *s)
{
	struct coroprof_session_config config = {
		.flags = COROPROF_SESSION_TOTALS,
		.nr_counters = 2,
		.counters[0] = page_faults,
		.counters[1] = own,
	};

	return s->session = make_session(s->control, &config);
}

static int do_view(struct scene *s)
{
	struct coroprof_view view;

	return s->view = open_view(s->session, s->process_id, &view);
}

static int do_map_viewed_slots(struct scene *s)
{
	return mapped(&s->slots, s->view, page_align(NR_SLOTS * sizeof(struct coroprof_slot)),
		      PROT_READ, COROPROF_MMAP_SLOTS);
}

static int do_touched(struct scene *s)
{
	__u32 slot = 0, nr;

	return find_touched(s->view, &slot, &nr);
}

/* ---- probes, of a program that knows nothing of them: this one */

static int do_probe(struct scene *s)
{
	struct coroprof_probe probe = {
		.fd = probed_file(),
		.role = COROPROF_PROBE_SWITCH,
		.offset = probed_offset(probed_switch),
		.key = { .kind = COROPROF_WHERE_REGISTER, .reg = FIRST_ARGUMENT },
	};

	return add_probe(s->session, &probe);
}

static int do_follow(struct scene *s)
{
	return attach_flags(s->session, getpid(), COROPROF_ATTACH_LATER);
}

static int do_hit(struct scene *s)
{
	probed_switch(s);
	return 0;
}

static int do_hit_another(struct scene *s)
{
	probed_switch(&s->span);
	return 0;
}

/* ---- the scenes */

struct step {
	const char *name;
	int (*act)(struct scene *s);
	/* When it fails, nothing was done: it can be done again. */
	bool again;
};

#define STEPS_MAX 32

static const struct {
	const char *name;
	struct step steps[STEPS_MAX];
} scenes[] = {
	{ "a recording", {
		{ "open", do_open, true },
		{ "INFO", do_info, true },
		{ "PROCESS", do_process, true },
		{ "mmap of the process page", do_map_page, true },
		{ "mmap of the slots", do_map_slots, true },
		{ "a slot touched", do_touch_slots, true },
		{ "LABEL", do_label, true },
		{ "LABEL of an adapter", do_adapter, true },
		{ "THREAD", do_thread, true },
		{ "SESSION", do_session, true },
		/* In this order nobody makes a ring before the first SWITCH. */
		{ "START", do_start, true },
		{ "ATTACH", do_attach, true },
		{ "WANTED", do_wanted, true },
		{ "USER", do_user, true },
		{ "the first SWITCH", do_first_switch, false },
		{ "SWITCH", do_switch, true },
		{ "SPAN", do_span, true },
		{ "the end of a SPAN", do_end_span, true },
		{ "TRACE", do_trace, true },
		{ "READ", do_totals, true },
		{ "poll", do_poll, true },
		{ "read", do_read, true },
		{ "mmap of a ring", do_map_ring, false },
		{ "mmap of a ring of samples", do_map_samples, true },
		{ "CHANNEL", do_status, true },
		{ "fork", do_fork, true },
		{ "STOP", do_stop, true },
		{ "FORGET", do_forget, false },
		{ "LEAVE", do_leave, true },
		{ "close", do_close, false },
	} },
	{ "user mode", {
		{ "open", do_open, true },
		{ "PROCESS", do_process, true },
		{ "THREAD", do_thread, true },
		{ "SESSION", do_user_session, true },
		{ "ATTACH", do_attach, true },
		{ "START", do_start, true },
		{ "USER that asks for events", do_ask, true },
		{ "the first SWITCH", do_first_switch, false },
		{ "perf_event_open", do_event, true },
		{ "DELEGATE", do_give, false },
		{ "the SWITCH that tells of it", do_switch, false },
		{ "mmap of an event", do_map_event, false },
		{ "WANTED", do_wanted, true },
		{ "USER that takes it", do_take, false },
		{ "the SWITCH into user mode", do_switch, false },
		{ "mmap of the channel page", do_map_channel_page, false },
		{ "mmap of the channel's ring", do_map_channel_ring, false },
		{ "the SWITCH out of user mode", do_switch_in_kernel, false },
		{ "STOP", do_stop, true },
		{ "close", do_close, false },
	} },
	{ "totals", {
		{ "open", do_open, true },
		{ "PROCESS", do_process, true },
		{ "THREAD", do_thread, true },
		{ "SESSION", do_totals_session, true },
		{ "ATTACH", do_attach, true },
		{ "START", do_start, true },
		{ "the first SWITCH", do_first_switch, false },
		{ "SWITCH", do_switch, true },
		{ "VIEW", do_view, true },
		{ "mmap of a view's slots", do_map_viewed_slots, true },
		{ "TOUCHED", do_touched, true },
		{ "STOP", do_stop, true },
		{ "close", do_close, false },
	} },
	{ "probes", {
		{ "open", do_open, true },
		{ "SESSION", do_user_session, true },
		{ "PROBE", do_probe, true },
		{ "ATTACH", do_follow, true },
		{ "START", do_start, true },
		{ "the first hit", do_hit, true },
		{ "a hit", do_hit_another, true },
		{ "read", do_read, true },
		{ "STOP", do_stop, true },
		{ "START once more", do_start, true },
		{ "a hit after it", do_hit, true },
		{ "close", do_close, false },
	} },
};

#define NR_SCENES (sizeof(scenes) / sizeof(scenes[0]))

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = strlen(text);
	bool done = fd >= 0 && write(fd, text, len) == len;

	if (fd >= 0)
		close(fd);
	return done;
}

/* What is asked for with GFP_KERNEL may fail, too; and nothing is said of it. */
static bool faults_wanted(void)
{
	static const char *const each[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	char path[128];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", each[i]);
		if (!write_text(path, "0"))
			return false;
	}
	return write_text("/sys/kernel/debug/failslab/ignore-gfp-wait", "0") &&
	       write_text("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "0") &&
	       write_text("/sys/kernel/debug/fail_page_alloc/min-order", "0");
}

/* Does a step with its nth fault. Returns what is left of the number: 0 if there was one. */
static unsigned long left_of(unsigned int nth, const struct step *step, struct scene *s, int *ret)
{
	int fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	unsigned long left = nth;
	char text[16] = "";

	snprintf(text, sizeof(text), "%u", nth);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	*ret = step->act(s);
	memset(text, 0, sizeof(text));
	/* What is left may hit the reading itself, and the writing: then it did not hit the step. */
	if (pread(fd, text, sizeof(text) - 1, 0) > 0)
		left = strtoul(text, NULL, 10);
	while (pwrite(fd, "0", 1, 0) != 1)
		;
	close(fd);
	return left;
}

static bool with_fault(const struct step *step, struct scene *s, unsigned int nth, int *ret)
{
	return !left_of(nth, step, s, ret);
}

static bool may_fail_with(int err)
{
	return !err || err == -ENOMEM || err == -EFAULT || err == -EAGAIN || err == -EINTR ||
	       err == -ENFILE || err == -EDQUOT;
}

/* What the child that played the scene has to say. */
enum played {
	NO_FAULT,	/* there are fewer of them */
	SURVIVED,
	WRONG_ERROR,
	NOT_AGAIN,
};

static enum played play(const struct step *steps, unsigned int which, unsigned int nth)
{
	struct scene s = NOTHING_YET;
	enum played played = NO_FAULT;
	unsigned int i;
	int ret;

	for (i = 0; steps[i].act; i++) {
		if (i != which) {
			steps[i].act(&s);
			continue;
		}
		if (with_fault(&steps[i], &s, nth, &ret))
			played = SURVIVED;
		if (played == SURVIVED && ret < 0 && !may_fail_with(ret))
			return WRONG_ERROR;
		if (played == SURVIVED && ret < 0 && steps[i].again && steps[i].act(&s) < 0)
			return NOT_AGAIN;
	}
	return played;
}

struct part {
	const struct step *steps;
	unsigned int step;
	unsigned int nth;
};

static int play_part(void *arg)
{
	const struct part *part = arg;

	return play(part->steps, part->step, part->nth);
}

static int do_all(void *arg)
{
	const struct step *steps = arg;
	struct scene s = NOTHING_YET;
	unsigned int i;

	for (i = 0; steps[i].act; i++)
		if (steps[i].act(&s) < 0)
			return 1 + i;
	return 0;
}

FIXTURE(faults)
{
	int kernel_log;
};

/* In each test, as the harness of older kernels runs the test after a SKIP in its setup. */
#define FAULTS_OR_SKIP do {						\
	if (access(FAIL_NTH, F_OK))					\
		SKIP(return, "this kernel injects no faults: it is built without CONFIG_FAULT_INJECTION"); \
	ASSERT_TRUE(faults_wanted());					\
} while (0)

FIXTURE_SETUP(faults)
{
	self->kernel_log = kernel_log_open();
	ASSERT_LE(0, self->kernel_log);
}

FIXTURE_TEARDOWN(faults)
{
	close(self->kernel_log);
}

/* Returns how many faults there were in a step. */
static unsigned int each_fault(struct __test_metadata *_metadata, struct part *part)
{
	const struct step *step = &part->steps[part->step];
	int played;

	for (part->nth = 1; part->nth < MOST; part->nth++) {
		played = in_child(play_part, part);
		if (played == NO_FAULT)
			break;
		EXPECT_EQ(SURVIVED, played)
			TH_LOG("fault %u in %s", part->nth, step->name);
	}
	EXPECT_GT(MOST, part->nth);
	fprintf(stderr, "# %u faults in %s\n", part->nth - 1, step->name);
	return part->nth - 1;
}

TEST_F_TIMEOUT(faults, each_survived, 7200)
{
	unsigned int scenes_wanted = from_environment("COROPROF_TEST_LONG", 0) ? NR_SCENES : 1;
	unsigned int i, faults, all = 0;
	struct part part;

	FAULTS_OR_SKIP;
	/* Not in a scene: how the kernel opens a file, or does not, is its own affair. */
	ASSERT_LE(0, probed_file());
	for (i = 0; i < scenes_wanted; i++) {
		part.steps = scenes[i].steps;
		faults = 0;
		ASSERT_EQ(0, in_child(do_all, (void *)part.steps))
			TH_LOG("%s, without any fault", scenes[i].name);
		for (part.step = 0; part.steps[part.step].act; part.step++)
			faults += each_fault(_metadata, &part);
		EXPECT_LT(part.step, faults);
		EXPECT_EQ(0, in_child(do_all, (void *)part.steps))
			TH_LOG("%s, after all faults", scenes[i].name);
		all += faults;
	}
	fprintf(stderr, "# ran: %u faults injected into %u scenes\n", all, scenes_wanted);
	if (!access(REFERENCES, F_OK))
		EXPECT_EQ(0, references_after_all(0, SETTLE_MS));
	EXPECT_EQ(0, kernel_log_complaints(self->kernel_log));
}

/* ---- the module is loaded */

struct load {
	int file;
	unsigned int nth;
};

static int do_load(struct scene *s)
{
	return syscall(SYS_finit_module, s->file, "", 0) ? -errno : 0;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "coroprof", O_NONBLOCK) ? -errno : 0;
}

/* The kernel tells of it when all that is left to do is to call the module's own init. */
#define TRACING		"/sys/kernel/tracing/"
#define REACHED_INIT	TRACING "events/module/module_load/enable"

static const struct step insmod = { "insmod", do_load, false };

static bool reached_init(void)
{
	char text[65536];
	int fd = open(TRACING "trace", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* To open it like this empties it. */
	close(open(TRACING "trace", O_WRONLY | O_TRUNC | O_CLOEXEC));
	return strstr(text, "module_load: coroprof");
}

/* What a child says of its try. */
enum loading {
	LOADED,		/* what failed was of no importance */
	REFUSED,
	NOT_HIT,
	HALF_LOADED,	/* an error, and yet it is there */
	WRONGLY_REFUSED,
};

static int try_to_load(void *arg)
{
	const struct load *load = arg;
	struct scene s = { .file = load->file };
	int ret;

	if (!with_fault(&insmod, &s, load->nth, &ret))
		return ret ? WRONGLY_REFUSED : NOT_HIT;
	if (!ret)
		return LOADED;
	if (!access("/sys/module/coroprof", F_OK))
		return HALF_LOADED;
	return may_fail_with(ret) ? REFUSED : WRONGLY_REFUSED;
}

#define PLENTY 1000000U

/* Loads it, and says how many allocations that took. */
static int count_load(void *arg)
{
	struct load *load = arg;
	struct scene s = { .file = load->file };
	int ret;

	load->nth = PLENTY - left_of(PLENTY, &insmod, &s, &ret);
	return -ret;
}

/*
 * The last allocation fails, then the one before, until one that the kernel's loader asks
 * for before it calls the module's init. What that one does about it is its own affair.
 * Page allocations are left alone: the module asks for none. Whoever runs the test looks for
 * what the kernel says of its own bugs; it also says, and should, what it did not get here.
 */
TEST_F_TIMEOUT(faults, module_is_loaded_or_not_at_all, 7200)
{
	struct load load = { .nth = 0 };
	unsigned int refused = 0, tries = 0;
	int loading;

	FAULTS_OR_SKIP;
	if (!from_environment("COROPROF_TEST_LONG", 0))
		SKIP(return, "it takes minutes; to have it: COROPROF_TEST_LONG=1");
	if (!getenv("COROPROF_MODULE"))
		SKIP(return, "COROPROF_MODULE does not say where coroprof.ko is");
	if (!write_text(REACHED_INIT, "1"))
		SKIP(return, "the kernel does not tell when it calls the init of a module: " REACHED_INIT);
	load.file = open(getenv("COROPROF_MODULE"), O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, load.file);
	ASSERT_TRUE(write_text("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "1"));
	ASSERT_EQ(0, references_after_all(0, SETTLE_MS));
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, count_load(&load));
	for (reached_init(); load.nth; load.nth--) {
		ASSERT_EQ(0, unload()) TH_LOG("before fault %u", load.nth);
		loading = in_child(try_to_load, &load);
		if (!reached_init())
			break;
		tries += loading != NOT_HIT;
		refused += loading == REFUSED;
		EXPECT_GE(NOT_HIT, loading) TH_LOG("fault %u", load.nth);
		if (loading == REFUSED)
			ASSERT_EQ(0, do_load(&(struct scene){ .file = load.file }))
				TH_LOG("after fault %u", load.nth);
		ASSERT_EQ(0, in_child(do_all, (void *)scenes[0].steps))
			TH_LOG("after fault %u", load.nth);
		ASSERT_EQ(0, references_after_all(0, SETTLE_MS));
		reached_init();
	}
	write_text(REACHED_INIT, "0");
	fprintf(stderr, "# ran: %u faults injected into insmod, which refused %u times\n", tries,
		refused);
	EXPECT_LT(0, refused);
	if (access("/sys/module/coroprof", F_OK))
		ASSERT_EQ(0, do_load(&(struct scene){ .file = load.file }));
	close(load.file);
}

TEST_HARNESS_MAIN
