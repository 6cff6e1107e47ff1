// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that whatever the kernel asks for in a command, and does not get, is
 * survived: each allocation and each copy of user memory in each step of a
 * recording fails once (/proc/self/fail-nth). Afterwards everything works, and
 * nothing is left behind. Needs a kernel with CONFIG_FAULT_INJECTION.
 */
#include "kselftest_harness.h"

#include <poll.h>
#include <sys/uio.h>

#include "parameter.h"
#include "program.h"
#include "require.h"
#include "storm.h"
#include "user_mode.h"

#define NR_SLOTS	16U
#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define SETTLE_MS	30000
/* No step asks for so much. */
#define MOST		500

/* What a step of a recording needs of those before it. */
struct scene {
	int control;
	int process;
	int channel;
	int session;
	void *page;
	void *slots;
	void *ring;
	struct coroprof_span span;
};

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

static int do_thread(struct scene *s)
{
	return s->channel = join(s->process, THREAD_SLOT);
}

static int do_session(struct scene *s)
{
	struct coroprof_session_config config = {
		.size = sizeof(config),
		.flags = COROPROF_SESSION_USER,
		.nr_counters = 2,
		.ring_size = page_size(),
		.counters[0] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
		.counters[1] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
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
	return attach(s->session, getpid());
}

static int do_start(struct scene *s)
{
	return start(s->session);
}

static int do_wanted(struct scene *s)
{
	struct coroprof_wanted w;

	return wanted(s->channel, &w);
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

static int do_close(struct scene *s)
{
	return close(s->session) | close(s->channel) | close(s->process);
}

static const struct step {
	const char *name;
	int (*act)(struct scene *s);
	/* When it fails, nothing was done: it can be done again. */
	bool again;
} steps[] = {
	{ "open", do_open, true },
	{ "INFO", do_info, true },
	{ "PROCESS", do_process, true },
	{ "mmap of the process page", do_map_page, true },
	{ "mmap of the slots", do_map_slots, true },
	{ "a slot touched", do_touch_slots, true },
	{ "LABEL", do_label, true },
	{ "THREAD", do_thread, true },
	{ "SESSION", do_session, true },
	{ "ATTACH", do_attach, true },
	{ "START", do_start, true },
	{ "WANTED", do_wanted, true },
	{ "USER", do_user, true },
	{ "the first SWITCH", do_first_switch, false },
	{ "SWITCH", do_switch, true },
	{ "SPAN", do_span, true },
	{ "the end of a SPAN", do_end_span, true },
	{ "READ", do_totals, true },
	{ "poll", do_poll, true },
	{ "read", do_read, true },
	{ "mmap of a ring", do_map_ring, false },
	{ "CHANNEL", do_status, true },
	{ "fork", do_fork, true },
	{ "STOP", do_stop, true },
	{ "FORGET", do_forget, false },
	{ "LEAVE", do_leave, true },
	{ "close", do_close, false },
};

#define NR_STEPS (sizeof(steps) / sizeof(steps[0]))

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

/*
 * Does a step with its nth fault. Whether there was one: what is left of the
 * number is then 0.
 */
static bool with_fault(const struct step *step, struct scene *s, unsigned int nth, int *ret)
{
	int fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	char text[16] = "";
	bool failed;

	snprintf(text, sizeof(text), "%u", nth);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		abort();
	*ret = step->act(s);
	memset(text, 0, sizeof(text));
	/* What is left may hit the reading itself, and the writing: then it did not hit the step. */
	failed = pread(fd, text, sizeof(text) - 1, 0) > 0 && !strtoul(text, NULL, 10);
	while (pwrite(fd, "0", 1, 0) != 1)
		;
	close(fd);
	return failed;
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

static enum played play(unsigned int which, unsigned int nth)
{
	struct scene s = { .ring = NULL };
	enum played played = NO_FAULT;
	unsigned int i;
	int ret;

	for (i = 0; i < NR_STEPS; i++) {
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
	unsigned int step;
	unsigned int nth;
};

static int play_part(void *arg)
{
	const struct part *part = arg;

	return play(part->step, part->nth);
}

static int do_all(void *arg)
{
	struct scene s = { .ring = NULL };
	unsigned int i;

	(void)arg;
	for (i = 0; i < NR_STEPS; i++)
		if (steps[i].act(&s) < 0)
			return 1 + i;
	return 0;
}

FIXTURE(faults)
{
	int kernel_log;
};

FIXTURE_SETUP(faults)
{
	self->kernel_log = kernel_log_open();
	ASSERT_LE(0, self->kernel_log);
}

FIXTURE_TEARDOWN(faults)
{
	close(self->kernel_log);
}

TEST_F_TIMEOUT(faults, each_survived, 3600)
{
	struct part part;
	unsigned int all = 0, in_step;
	int played;

	/* Not at the set-up, after which the harness would go on with the test. */
	if (access(FAIL_NTH, F_OK))
		SKIP(return, "this kernel injects no faults: it is built without CONFIG_FAULT_INJECTION");
	ASSERT_TRUE(faults_wanted());
	ASSERT_EQ(0, in_child(do_all, NULL)) TH_LOG("without any fault");
	for (part.step = 0; part.step < NR_STEPS; part.step++) {
		in_step = 0;
		for (part.nth = 1; part.nth < MOST; part.nth++) {
			played = in_child(play_part, &part);
			if (played == NO_FAULT)
				break;
			in_step++;
			EXPECT_EQ(SURVIVED, played)
				TH_LOG("fault %u in %s", part.nth, steps[part.step].name);
		}
		EXPECT_GT(MOST, part.nth);
		fprintf(stderr, "# %u faults in %s\n", in_step, steps[part.step].name);
		all += in_step;
	}
	fprintf(stderr, "# ran: %u faults injected\n", all);
	EXPECT_LT(NR_STEPS, all);
	EXPECT_EQ(0, in_child(do_all, NULL)) TH_LOG("after all faults");
	if (!access(REFERENCES, F_OK))
		EXPECT_EQ(0, references_after_all(0, SETTLE_MS));
	EXPECT_EQ(0, kernel_log_complaints(self->kernel_log));
}

TEST_HARNESS_MAIN
