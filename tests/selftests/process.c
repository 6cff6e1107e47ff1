// SPDX-License-Identifier: GPL-2.0
/*
 * Proves what a process object is: one to a process, of no use to children,
 * other processes or after exec, with slots and labels within their limits.
 */
#include "kselftest_harness.h"

#include <sys/socket.h>

#include "call.h"
#include "pass.h"
#include "program.h"
#include "require.h"

#define AFTER_EXEC	"COROPROF_TEST_AFTER_EXEC"

FIXTURE(process)
{
	struct program program;
	int channel;
};

FIXTURE_SETUP(process)
{
	ASSERT_EQ(0, program_open(&self->program, 16, 0));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_LE(0, self->channel);
}

FIXTURE_TEARDOWN(process)
{
	close(self->channel);
	program_close(&self->program);
}

TEST_F(process, once)
{
	EXPECT_EQ(-EEXIST, make_process(self->program.control, 16, 0));
	EXPECT_EQ(0, switch_to(self->channel, 2));
}

static void unmap_all(struct program *program)
{
	munmap(program->slots, page_align(program->nr_slots * sizeof(*program->slots)));
	munmap((void *)program->page, page_size());
	program->slots = NULL;
	program->page = NULL;
}

/* A mapping holds on to the descriptor, as mappings do. */
TEST_F(process, mapping_keeps_it_known)
{
	close(self->channel);
	close(self->program.process);
	self->program.process = -1;
	EXPECT_EQ(-EEXIST, make_process(self->program.control, 16, 0));
	unmap_all(&self->program);
	self->program.process = make_process(self->program.control, 16, 0);
	EXPECT_LE(0, self->program.process);
}

static int open_again(struct coroprof_process_config *config, int control)
{
	*config = (struct coroprof_process_config){
		.size = sizeof(*config), .flags = COROPROF_PROCESS_AGAIN, .slots = 1,
	};
	return call(control, COROPROF_IOC_PROCESS, config);
}

static int can_join(void *process)
{
	int channel = join(*(int *)process, 3);

	if (channel < 0)
		return channel;
	close(channel);
	return 0;
}

/* One that closes all descriptors is the same process with the next one. */
TEST_F(process, closed_and_mapped_is_opened_again)
{
	struct coroprof_process_config config;
	int channel, first;

	close(self->channel);
	close(self->program.process);
	self->program.process = open_again(&config, self->program.control);
	ASSERT_LE(0, self->program.process);
	EXPECT_EQ(16, config.slots);
	first = config.process_id;
	channel = join(self->program.process, THREAD_SLOT);
	ASSERT_LE(0, channel);
	EXPECT_EQ(0, switch_to(channel, 2));
	EXPECT_LT(0, make_label(self->program.process, "again", 5));
	/* What is mapped by the first one may go: the page alone is what it takes. */
	munmap(self->program.slots, page_align(16 * sizeof(*self->program.slots)));
	self->program.slots = map_slots(self->program.process, 16);
	ASSERT_NE(NULL, self->program.slots);
	EXPECT_EQ(ID_OF(2), self->program.slots[2].id);
	EXPECT_EQ(0, switch_to(channel, 3));
	close(channel);
	/* With the last of them it is over, and another one is a new process. */
	program_close(&self->program);
	ASSERT_EQ(0, program_open(&self->program, 16, 0));
	EXPECT_EQ(-EEXIST, make_process(self->program.control, 16, 0));
	close(open_again(&config, self->program.control));
	EXPECT_NE(first, (int)config.process_id);
	EXPECT_EQ(0, on_thread(can_join, &self->program.process));
}

TEST_F(process, who_is_not_known_is_not_opened_again)
{
	struct coroprof_process_config config;
	pid_t pid;
	int status;

	pid = fork();
	if (!pid)
		_exit(open_again(&config, self->program.control) == -ENOENT ? 0 : 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	munmap((void *)self->program.page, page_size());
	self->program.page = NULL;
	EXPECT_EQ(-ENOENT, open_again(&config, self->program.control));
}

static int join_here(void *arg)
{
	return join(*(int *)arg, 3);
}

/* As at exit, while a child still has the descriptor. */
TEST_F(process, unmapping_the_page_ends_it)
{
	int new;

	munmap((void *)self->program.page, page_size());
	self->program.page = NULL;
	EXPECT_EQ(-EPERM, on_thread(join_here, &self->program.process));
	EXPECT_EQ(0, switch_to(self->channel, 2));
	new = make_process(self->program.control, 16, 0);
	EXPECT_LE(0, new);
	close(new);
}

TEST_F(process, closed_is_forgotten)
{
	close(self->channel);
	program_close(&self->program);
	EXPECT_EQ(0, program_open(&self->program, 16, 0));
}

static int slots_given(int control, __u32 wanted, __u32 *given, __u32 *id)
{
	struct coroprof_process_config config = { .size = sizeof(config), .slots = wanted };
	int fd = call(control, COROPROF_IOC_PROCESS, &config);

	*given = config.slots;
	*id = config.process_id;
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

TEST(slots)
{
	int control = open_control();
	__u32 given, id, last;

	ASSERT_EQ(0, slots_given(control, 0, &given, &last));
	EXPECT_EQ(65536, given);
	ASSERT_EQ(0, slots_given(control, COROPROF_SLOTS_MAX, &given, &id));
	EXPECT_EQ(COROPROF_SLOTS_MAX, given);
	EXPECT_NE(last, id);
	ASSERT_EQ(0, slots_given(control, 2, &given, &id));
	EXPECT_LE(2, given);
	EXPECT_EQ(-EINVAL, slots_given(control, 1, &given, &id));
	EXPECT_EQ(-EINVAL, slots_given(control, COROPROF_SLOTS_MAX + 1, &given, &id));
	EXPECT_EQ(-EINVAL, slots_given(control, ~0U, &given, &id));
}

/* Returns the number of the line that failed, folded into an exit status. */
#define CHILD_EXPECT(condition) do {					\
	if (!(condition)) {						\
		fprintf(stderr, "# %s:%d: not so: %s\n", __FILE__,	\
			__LINE__, #condition);				\
		return 1;						\
	}								\
} while (0)

static int use_what_was_inherited(void *arg)
{
	FIXTURE_DATA(process) *self = arg;
	struct coroprof_totals totals;
	int process = self->program.process;

	CHILD_EXPECT(join(process, 2) == -EPERM);
	CHILD_EXPECT(make_label(process, "x", 1) == -EPERM);
	CHILD_EXPECT(switch_to(self->channel, 2) == -EPERM);
	CHILD_EXPECT(read_totals(self->channel, &totals) == -EPERM);
	CHILD_EXPECT(leave(self->channel) == -EPERM);
	CHILD_EXPECT(!map_slots(process, 16) && errno == EPERM);
	CHILD_EXPECT(!map_process_page(process) && errno == EPERM);
	return 0;
}

TEST_F(process, child_gets_eperm)
{
	EXPECT_EQ(0, in_child(use_what_was_inherited, self));
	EXPECT_EQ(0, switch_to(self->channel, 2));
}

static int make_own(void *arg)
{
	struct program program;
	int channel;

	(void)arg;
	CHILD_EXPECT(!program_open(&program, 16, 0));
	channel = join(program.process, THREAD_SLOT);
	CHILD_EXPECT(channel >= 0);
	CHILD_EXPECT(!switch_to(channel, 2));
	CHILD_EXPECT(!leave(channel));
	program_close(&program);
	return 0;
}

TEST_F(process, child_makes_its_own)
{
	EXPECT_EQ(0, in_child(make_own, NULL));
	EXPECT_EQ(0, switch_to(self->channel, 2));
}

/* A child that only closes what it inherited must not end the parent's. */
static int close_what_was_inherited(void *arg)
{
	FIXTURE_DATA(process) *self = arg;

	close(self->channel);
	program_close(&self->program);
	return 0;
}

TEST_F(process, child_closes)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	int session = make_session(self->program.control, &config);

	EXPECT_EQ(0, in_child(close_what_was_inherited, self));
	EXPECT_EQ(0, switch_to(self->channel, 3));
	EXPECT_EQ(-EEXIST, make_process(self->program.control, 16, 0));
	EXPECT_EQ(0, attach(session, getpid()));
	close(session);
}

/*
 * Starts the test program anew, which ends up in after_exec(), with the
 * descriptors left open on purpose.
 */
static int exec_with_descriptors(void *arg)
{
	struct program program;
	char numbers[64];
	int channel;

	(void)arg;
	CHILD_EXPECT(!program_open(&program, 16, 0));
	channel = join(program.process, THREAD_SLOT);
	CHILD_EXPECT(!switch_to(channel, 2));
	fcntl(channel, F_SETFD, 0);
	fcntl(program.process, F_SETFD, 0);
	snprintf(numbers, sizeof(numbers), "%d %d", program.process, channel);
	setenv(AFTER_EXEC, numbers, 1);
	execl("/proc/self/exe", "process", NULL);
	CHILD_EXPECT(!"execl");
	return 1;
}

static int check_after_exec(int process, int channel)
{
	struct coroprof_totals totals;

	CHILD_EXPECT(switch_to(channel, 3) == -EPERM);
	CHILD_EXPECT(read_totals(channel, &totals) == -EPERM);
	CHILD_EXPECT(join(process, 2) == -EPERM);
	CHILD_EXPECT(make_label(process, "x", 1) == -EPERM);
	CHILD_EXPECT(!map_slots(process, 16) && errno == EPERM);
	/* The new program can make itself known beside the dead one. */
	CHILD_EXPECT(!make_own(NULL));
	return 0;
}

__attribute__((constructor))
static void after_exec(void)
{
	const char *numbers = getenv(AFTER_EXEC);
	int process, channel;

	if (!numbers)
		return;
	if (sscanf(numbers, "%d %d", &process, &channel) != 2)
		_exit(2);
	_exit(check_after_exec(process, channel));
}

TEST_F(process, exec_ends_it)
{
	EXPECT_EQ(0, in_child(exec_with_descriptors, NULL));
}

static int use_what_was_received(void *arg)
{
	FIXTURE_DATA(process) passed = { .channel = -1 };
	int fds[2];
	char what;

	CHILD_EXPECT(!receive_descriptors(*(int *)arg, &what, fds, 2));
	passed.program.process = fds[0];
	passed.channel = fds[1];
	return use_what_was_inherited(&passed);
}

TEST_F(process, passed_to_another_process)
{
	int sockets[2], fds[2] = { self->program.process, self->channel };

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	ASSERT_EQ(0, send_descriptors(sockets[0], 0, fds, 2));
	EXPECT_EQ(0, in_child(use_what_was_received, &sockets[1]));
	EXPECT_EQ(0, switch_to(self->channel, 2));
	close(sockets[0]);
	close(sockets[1]);
}

static int label_with(int process, __u32 flags, __u64 text, __u32 len, __u64 value)
{
	struct coroprof_label label = {
		.size = sizeof(label),
		.flags = flags,
		.text = text,
		.text_len = len,
		.value = value,
	};
	int ret = call(process, COROPROF_IOC_LABEL, &label);

	return ret ? ret : (int)label.label;
}

TEST_F(process, labels_are_numbered_from_one)
{
	int process = self->program.process;

	EXPECT_EQ(1, make_label(process, "reader", 6));
	EXPECT_EQ(2, make_label(process, "writer", 6));
	/* The kernel does not look for one with the same text. */
	EXPECT_EQ(3, make_label(process, "reader", 6));
	EXPECT_EQ(4, make_label(process, "", 0));
	EXPECT_EQ(5, label_with(process, 0, 0, 0, 0));
	EXPECT_EQ(6, label_with(process, COROPROF_LABEL_CODE, (uintptr_t)"/bin/x", 6, 0x1234));
	EXPECT_EQ(7, label_with(process, COROPROF_LABEL_ADAPTER, (uintptr_t)"a runtime", 9,
				COROPROF_SEES_WAKES));
	/* What it sees is not checked: more may be known to somebody. */
	EXPECT_EQ(8, label_with(process, COROPROF_LABEL_ADAPTER, (uintptr_t)"b", 1, ~0ULL));
	EXPECT_EQ(-EINVAL, label_with(process, COROPROF_LABEL_ADAPTER | COROPROF_LABEL_CODE,
				      (uintptr_t)"c", 1, 0));
	EXPECT_EQ(-EINVAL, label_with(process, COROPROF_LABEL_ADAPTER << 1, (uintptr_t)"c", 1, 0));
}

TEST_F(process, label_limits)
{
	char text[COROPROF_LABEL_TEXT_MAX + 1];
	int process = self->program.process;

	memset(text, 'x', sizeof(text));
	EXPECT_EQ(1, make_label(process, text, COROPROF_LABEL_TEXT_MAX));
	EXPECT_EQ(-EINVAL, make_label(process, text, COROPROF_LABEL_TEXT_MAX + 1));
	EXPECT_EQ(-EINVAL, label_with(process, 0, (uintptr_t)text, ~0U, 0));
	/* A value without CODE means nothing, so it must be 0. */
	EXPECT_EQ(-EINVAL, label_with(process, 0, (uintptr_t)text, 4, 1));
	EXPECT_EQ(2, make_label(process, text, 1));
}

TEST_F(process, label_text_at_bad_addresses)
{
	size_t page = page_size();
	char *text = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int process = self->program.process;

	ASSERT_NE(MAP_FAILED, (void *)text);
	ASSERT_EQ(0, munmap(text + page, page));
	EXPECT_EQ(-EFAULT, label_with(process, 0, 0, 1, 0));
	EXPECT_EQ(-EFAULT, make_label(process, text + page, 1));
	EXPECT_EQ(-EFAULT, make_label(process, text + page - 4, 5));
	EXPECT_EQ(-EFAULT, label_with(process, 0, 1ULL << 63, 8, 0));
	EXPECT_EQ(-EFAULT, label_with(process, 0, ~0ULL - 3, 8, 0));
	/* No NUL is needed, and nothing behind the length is touched. */
	text[page - 1] = 'y';
	EXPECT_EQ(1, make_label(process, text + page - 1, 1));
}

/* Else the reader would see a label that the program knows nothing of. */
TEST_F(process, label_that_cannot_be_reported_is_not_made)
{
	struct coroprof_label *label = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, label);
	label->size = sizeof(*label);
	ASSERT_EQ(0, mprotect(label, page_size(), PROT_READ));
	EXPECT_EQ(-EFAULT, call(self->program.process, COROPROF_IOC_LABEL, label));
	EXPECT_EQ(1, make_label(self->program.process, "the first", 9));
	munmap(label, page_size());
}

TEST_F(process, labels_run_out)
{
	int process = self->program.process, i;

	for (i = 1; i < (int)COROPROF_LABELS_MAX; i++)
		ASSERT_EQ(i, make_label(process, "label", 5));
	EXPECT_EQ(-ENOSPC, make_label(process, "label", 5));
	EXPECT_EQ(-ENOSPC, make_label(process, "", 0));
}

static int label_from_thread(void *arg)
{
	return make_label(*(int *)arg, "thread", 6);
}

TEST_F(process, any_thread_makes_labels)
{
	EXPECT_EQ(1, on_thread(label_from_thread, &self->program.process));
	EXPECT_EQ(2, make_label(self->program.process, "main", 4));
}

#define RACERS		4
#define RACE		500
#define RACE_ALL	(RACERS * RACE)

static unsigned char raced[RACE_ALL + 1];

static void *race_for_labels(void *arg)
{
	int i, label;

	for (i = 0; i < RACE; i++) {
		label = make_label(*(int *)arg, "raced", 5);
		if (label > 0 && label <= RACE_ALL)
			__atomic_add_fetch(&raced[label], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

TEST_F(process, labels_of_threads_at_once_have_each_number_once)
{
	pthread_t threads[RACERS];
	int i, once = 0;

	for (i = 0; i < RACERS; i++)
		threads[i] = run_thread(race_for_labels, &self->program.process);
	for (i = 0; i < RACERS; i++)
		pthread_join(threads[i], NULL);
	for (i = 1; i <= RACE_ALL; i++)
		once += raced[i] == 1;
	EXPECT_EQ(RACE_ALL, once);
}

TEST_HARNESS_MAIN
