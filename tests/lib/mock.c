// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock.h"

#define EVENTS 65536
#define OBJECTS 4096
#define LABELS 1024

enum kind { CONTROL = 1, PROCESS, CHANNEL };

/* A descriptor is known by the file behind it, whatever its number. */
struct object {
	enum kind kind;
	ino_t inode;
	int pid;
	int tid;
	uint32_t process;	/* of a channel: its process object */
	uint32_t slots;		/* of a process */
	int spare;		/* of a process: a descriptor that programs leave alone; or 0 */
	uint32_t slot;		/* of a channel: the one that is current */
	uint32_t left;		/* the one that was before it */
	uint32_t reported;		/* epoch of its last SWITCH, plus one; 0: that failed */
	uint32_t nr_counters;
	uint32_t nr_labels;
	char labels[LABELS][64];
};

struct state {
	pthread_mutex_t mutex;
	bool recording;
	bool refused;
	uint64_t time;
	uint32_t epoch;
	int open_error;
	uint32_t slots;
	uint32_t fail_command;
	int fail_error;
	int fail_times;
	uint32_t nr_events;
	struct mock_event events[EVENTS];
	uint32_t nr_objects;
	struct object objects[OBJECTS];
};

static struct state *state;

static void init(void)
{
	pthread_mutexattr_t attr;
	void *memory;

	if (state)
		return;
	memory = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		abort();
	state = memory;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&state->mutex, &attr);
	state->recording = getenv("MOCK_RECORD") != NULL;
	state->slots = getenv("MOCK_SLOTS") ? (uint32_t)atoi(getenv("MOCK_SLOTS")) : 0;
	state->open_error = getenv("MOCK_NO_DEVICE") ? ENOENT : 0;
}

static int gettid_now(void)
{
	return (int)syscall(SYS_gettid);
}

static struct object *object_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	for (uint32_t i = 0; i < state->nr_objects; i++) {
		if (state->objects[i].inode == st.st_ino)
			return &state->objects[i];
	}
	return NULL;
}

static int object_new(enum kind kind, struct object **object)
{
	int fd = memfd_create("coroprof", MFD_CLOEXEC);
	struct object *new;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || state->nr_objects == OBJECTS)
		abort();
	new = &state->objects[state->nr_objects++];
	new->kind = kind;
	new->inode = st.st_ino;
	new->pid = getpid();
	new->tid = gettid_now();
	*object = new;
	return fd;
}

static void show_page(int fd)
{
	struct coroprof_process_page page = {
		.active = state->recording && !state->refused,
		.epoch = state->epoch,
		.clock_offset = MOCK_CLOCK_OFFSET,
		.flags = (state->refused ? COROPROF_PROCESS_REFUSES : 0) |
			 (getenv("MOCK_LEVEL4") ? 0 : COROPROF_PROCESS_WAKES),
	};

	if (pwrite(fd, &page, sizeof(page), 0) != sizeof(page))
		abort();
}

static struct object *process_of(const struct object *channel)
{
	return &state->objects[channel->process];
}

static off_t slot_offset(uint32_t slot)
{
	return (off_t)(COROPROF_MMAP_SLOTS + (uint64_t)slot * sizeof(struct coroprof_slot));
}

/*
 * A descriptor of the process that a channel of the calling process belongs to; mostly the one that
 * the last call was of. Thousands of switches would look through a thousand numbers each,
 * otherwise.
 */
static int process_fd(const struct object *process)
{
	static _Atomic int last;

	if (object_of(last) == process)
		return last;
	for (int fd = 0; fd < 1024; fd++) {
		if (object_of(fd) == process) {
			last = fd;
			return fd;
		}
	}
	return -1;
}

/* Programs here close all numbers below 1024. */
static int spare(int fd)
{
	struct rlimit limit;

	if (!getenv("MOCK_AGAIN"))
		return 0;
	if (getrlimit(RLIMIT_NOFILE, &limit))
		abort();
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		abort();
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 1024);
	if (fd < 0)
		abort();
	return fd;
}

/* Without MOCK_AGAIN as a module before level 4: all is made anew. */
static int do_process_again(struct coroprof_process_config *config)
{
	const struct object *process;

	if (!getenv("MOCK_AGAIN"))
		return -EINVAL;
	for (uint32_t i = state->nr_objects; i--; ) {
		process = &state->objects[i];
		if (process->kind != PROCESS || process->pid != getpid())
			continue;
		config->slots = process->slots;
		return fcntl(process->spare, F_DUPFD_CLOEXEC, 0);
	}
	return -ENOENT;
}

static int do_process(struct coroprof_process_config *config, struct mock_event *event)
{
	struct object *process;
	int fd;

	if (config->flags)
		return do_process_again(config);
	event->token = config->token;
	if (state->slots && config->slots > state->slots)
		return -EDQUOT;
	if (!config->slots)
		config->slots = state->slots ? state->slots : 65536;
	fd = object_new(PROCESS, &process);
	process->slots = config->slots;
	process->spare = spare(fd);
	if (ftruncate(fd, slot_offset(config->slots)))
		abort();
	show_page(fd);
	return fd;
}

static int do_thread(struct object *process, struct coroprof_thread_config *config,
		     struct mock_event *event)
{
	struct object *channel;
	int fd;

	if (process->pid != getpid())
		return -EPERM;
	if (!config->slot || config->slot >= process->slots)
		return -EINVAL;
	fd = object_new(CHANNEL, &channel);
	channel->process = (uint32_t)(process - state->objects);
	channel->slot = config->slot;
	channel->nr_counters = config->nr_counters;
	event->slot = config->slot;
	event->nr_counters = config->nr_counters;
	return fd;
}

static int do_label(struct object *process, struct coroprof_label *label,
		    struct mock_event *event)
{
	if (process->pid != getpid())
		return -EPERM;
	/* Valgrind would report a fault to the program. */
	if (!label)
		abort();
	if (!label->size)
		return -EINVAL;
	if (label->text_len > COROPROF_LABEL_TEXT_MAX)
		return -EINVAL;
	if (process->nr_labels == LABELS - 1)
		return -ENOSPC;
	label->label = ++process->nr_labels;
	event->arg = label->flags;
	event->id = label->value;
	snprintf(event->label, sizeof(event->label), "%.*s", (int)label->text_len,
		 (const char *)(uintptr_t)label->text);
	if (label->flags & COROPROF_LABEL_CODE)
		snprintf(event->label, sizeof(event->label), "%.40s+0x%llx",
			 strrchr((const char *)(uintptr_t)label->text, '/') ?: "",
			 (unsigned long long)label->value);
	strcpy(process->labels[label->label], event->label);
	return 0;
}

static void describe(struct mock_event *event, const struct object *process,
		     const struct coroprof_slot *slot)
{
	event->id = slot->id;
	event->parent = slot->parent;
	event->tag = slot->tag;
	if (slot->label < LABELS)
		strcpy(event->label, process->labels[slot->label]);
}

static struct coroprof_slot slot_read(int fd, uint32_t number)
{
	struct coroprof_slot slot;

	if (pread(fd, &slot, sizeof(slot), slot_offset(number)) != sizeof(slot))
		abort();
	return slot;
}

/* What the one who performs the switch may write. */
static void slot_write(int fd, uint32_t number, const struct coroprof_slot *slot)
{
	size_t first = offsetof(struct coroprof_slot, slices), size = sizeof(*slot) - first;

	if (pwrite(fd, (const char *)slot + first, size, slot_offset(number) + first) !=
	    (ssize_t)size)
		abort();
}

static void slot_charge(int fd, uint32_t number)
{
	struct coroprof_slot slot = slot_read(fd, number);

	slot.slices++;
	slot.running_ns += 1000;
	slot_write(fd, number, &slot);
}

static void slot_zero(int fd, uint32_t number, size_t member, size_t size)
{
	static const struct coroprof_slot zero;

	if (pwrite(fd, &zero, size, slot_offset(number) + (off_t)member) != (ssize_t)size)
		abort();
}

/* In a module before level 5 a wake is never whole. */
static void slot_take_wake(int fd, uint32_t number, struct mock_event *event)
{
	struct coroprof_slot slot = slot_read(fd, number);

	event->woken = slot.wake_time;
	event->waker = slot.wake_time ? slot.waker : 0;
	if (slot.wake_time)
		slot_zero(fd, number, offsetof(struct coroprof_slot, wake_time),
			  sizeof(slot.wake_time));
	if (getenv("MOCK_LEVEL4") || slot.wake_time != COROPROF_WAKE_WHOLE)
		return;
	event->woken = slot.wake.time;
	event->waker = slot.wake.waker;
	slot_zero(fd, number, offsetof(struct coroprof_slot, wake), sizeof(slot.wake));
}

static bool is_of_adapter(int fd, const struct object *process, uint32_t number)
{
	uint32_t label = slot_read(fd, number).label;

	return label < LABELS && !strcmp(process->labels[label], "(coroprof)");
}

/*
 * What runs goes on until another coroutine of the program runs. A SWITCH to it that reports
 * nothing else would part its slice, and so would one to the adapter's own coroutine and back,
 * but where the test says that a name is found there, once for a piece of code.
 */
static void check_whole(int fd, const struct object *channel, uint32_t number, unsigned long arg)
{
	const char *how = NULL;

	/* The first slot is shared by all coroutines that have none of their own. */
	if (number == 1 || arg & (COROPROF_SWITCH_UNREPORTED | COROPROF_SWITCH_FRESH) ||
	    channel->reported != state->epoch + 1)
		return;
	if (number == channel->slot)
		how = "to what runs already";
	else if (number == channel->left && !getenv("MOCK_FINDS_NAMES") &&
		 is_of_adapter(fd, process_of(channel), channel->slot))
		how = "back to what ran, from the adapter's own coroutine";
	if (!how)
		return;
	fprintf(stderr, "not ok - SWITCH of slot %u %s: its slice is parted\n", number, how);
	abort();
}

static void append(const char *line, int n)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, getenv("MOCK_LOG"),
			      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		abort();
	close(fd);
}

/* What a switch does not say: the label that the slice ends with. */
static void print_slice(int fd, const struct object *process, uint32_t number)
{
	struct mock_event event = { .command = 0 };
	struct coroprof_slot slot;
	char line[128];

	if (!number || !getenv("MOCK_SLICES"))
		return;
	slot = slot_read(fd, number);
	describe(&event, process, &slot);
	append(line, snprintf(line, sizeof(line), "slice id=%llu %s\n",
			      (unsigned long long)event.id, event.label));
}

static int do_switch(struct object *channel, unsigned long arg, struct mock_event *event)
{
	struct object *process = process_of(channel);
	struct coroprof_slot fresh = { 0 };
	uint32_t number = arg & COROPROF_SWITCH_SLOT_MASK;
	struct coroprof_slot slot;
	int fd;

	if (channel->pid != getpid() || channel->tid != gettid_now())
		return -EPERM;
	if (!number || number >= process->slots)
		return -EINVAL;
	event->slot = number;
	event->arg = arg;
	fd = process_fd(process);
	if (fd < 0)
		return 0;
	check_whole(fd, channel, number, arg);
	slot_charge(fd, channel->slot);
	print_slice(fd, process, channel->slot);
	if (arg & COROPROF_SWITCH_FRESH) {
		fresh.wake = slot_read(fd, number).wake;
		slot_write(fd, number, &fresh);
	}
	slot_take_wake(fd, number, event);
	slot = slot_read(fd, number);
	describe(event, process, &slot);
	channel->left = channel->slot;
	channel->slot = number;
	channel->reported = state->epoch + 1;
	return 0;
}

/* Time goes on by one with each call. */
static int do_read(const struct object *channel, struct coroprof_totals *totals)
{
	struct coroprof_slot slot;

	if (channel->pid != getpid() || channel->tid != gettid_now())
		return -EPERM;
	if (totals->flags || totals->reserved)
		return -EINVAL;
	slot = slot_read(process_fd(process_of(channel)), channel->slot);
	totals->time = ++state->time;
	totals->slot = channel->slot;
	totals->nr_counters = channel->nr_counters ? channel->nr_counters :
			      state->recording ? 2 : 0;
	totals->id = slot.id;
	totals->slices = slot.slices + 1;
	totals->running_ns = slot.running_ns;
	totals->standing = 3 | 2 << 2 | 1 << 4;
	for (uint32_t i = 0; i < totals->nr_counters; i++)
		totals->count[i] = 100 * totals->slices;
	totals->missing_ns[1] = totals->running_ns / 2;
	return 0;
}

static int do_span(const struct object *channel, const struct coroprof_span *span,
		   struct mock_event *event)
{
	struct object *process = process_of(channel);
	struct coroprof_slot slot;

	event->span = *span;
	if (channel->pid != getpid() || channel->tid != gettid_now())
		return -EPERM;
	if (!state->recording)
		return -ENODATA;
	state->time++;
	slot = slot_read(process_fd(process), channel->slot);
	describe(event, process, &slot);
	event->slot = channel->slot;
	event->label[0] = '\0';
	if (span->label < LABELS)
		strcpy(event->label, process->labels[span->label]);
	return 0;
}

static int do_leave(const struct object *channel)
{
	return channel->pid != getpid() || channel->tid != gettid_now() ? -EPERM : 0;
}

static int dispatch(struct object *object, uint32_t command, void *arg, struct mock_event *event)
{
	if (state->fail_times && state->fail_command == command) {
		state->fail_times--;
		object->reported = 0;
		return -state->fail_error;
	}
	if (object->kind == CONTROL && command == MOCK_PROCESS)
		return do_process(arg, event);
	if (object->kind == PROCESS && command == MOCK_THREAD)
		return do_thread(object, arg, event);
	if (object->kind == PROCESS && command == MOCK_LABEL)
		return do_label(object, arg, event);
	if (object->kind == CHANNEL && command == MOCK_SWITCH)
		return do_switch(object, (unsigned long)arg, event);
	if (object->kind == CHANNEL && command == MOCK_READ)
		return do_read(object, arg);
	if (object->kind == CHANNEL && command == MOCK_SPAN)
		return do_span(object, arg, event);
	if (object->kind == CHANNEL && command == MOCK_LEAVE)
		return do_leave(object);
	return -ENOTTY;
}

/* One line an event, for those who run the mock preloaded. */
static void print(const struct mock_event *event)
{
	static const char *const names[] = {
		[MOCK_PROCESS] = "process", [MOCK_THREAD] = "thread", [MOCK_LABEL] = "label",
		[MOCK_SWITCH] = "switch", [MOCK_READ] = "read", [MOCK_LEAVE] = "leave",
		[MOCK_SPAN] = "span",
	};
	char line[256];
	int n;

	if (!getenv("MOCK_LOG"))
		return;
	n = snprintf(line, sizeof(line), "%s id=%llu parent=%llu%s%s%s%s error=%d %s\n",
		     names[event->command], (unsigned long long)event->id,
		     (unsigned long long)event->parent,
		     event->arg & COROPROF_SWITCH_FRESH ? " FRESH" : "",
		     event->arg & COROPROF_SWITCH_END ? " END" : "",
		     event->arg & COROPROF_SWITCH_READY ? " READY" : "",
		     event->woken ? " WOKEN" : "", event->error, event->label);
	append(line, n);
}

static int mock_ioctl(struct object *object, unsigned long request, void *arg)
{
	struct mock_event *event;
	int ret;

	/* It knows no user mode. */
	if (_IOC_TYPE(request) != COROPROF_IOC_MAGIC ||
	    _IOC_NR(request) == _IOC_NR(COROPROF_IOC_WANTED) ||
	    _IOC_NR(request) == _IOC_NR(COROPROF_IOC_USER))
		return -ENOTTY;
	if (state->nr_events == EVENTS)
		state->nr_events = 0;
	event = &state->events[state->nr_events++];
	memset(event, 0, sizeof(*event));
	event->pid = getpid();
	event->tid = gettid_now();
	event->command = _IOC_NR(request);
	ret = dispatch(object, event->command, arg, event);
	event->error = ret < 0 ? -ret : 0;
	print(event);
	return ret;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct object *object;
	sigset_t all, before;
	va_list args;
	void *arg;
	int ret;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);

	init();
	/* As in a kernel, no handler runs in the middle of it. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_mutex_lock(&state->mutex);
	object = object_of(fd);
	ret = object ? mock_ioctl(object, request, arg) : 0;
	pthread_mutex_unlock(&state->mutex);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!object)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	if (ret < 0)
		errno = -ret;
	return ret < 0 ? -1 : ret;
}

static int open_device(void)
{
	struct object *object;
	int fd;

	init();
	if (state->open_error) {
		errno = state->open_error;
		return -1;
	}
	pthread_mutex_lock(&state->mutex);
	fd = object_new(CONTROL, &object);
	pthread_mutex_unlock(&state->mutex);
	return fd;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (!strcmp(path, COROPROF_DEVICE))
		return open_device();
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void show_pages(void)
{
	int fd;

	for (uint32_t i = 0; i < state->nr_objects; i++) {
		if (state->objects[i].kind != PROCESS || state->objects[i].pid != getpid())
			continue;
		fd = process_fd(&state->objects[i]);
		if (fd >= 0)
			show_page(fd);
	}
}

void mock_record(bool on)
{
	init();
	pthread_mutex_lock(&state->mutex);
	state->recording = on;
	state->epoch++;
	show_pages();
	pthread_mutex_unlock(&state->mutex);
}

void mock_refuse(void)
{
	init();
	pthread_mutex_lock(&state->mutex);
	state->refused = true;
	show_pages();
	pthread_mutex_unlock(&state->mutex);
}

void mock_open_error(int error)
{
	init();
	state->open_error = error;
}

void mock_fail(uint32_t command, int error, int times)
{
	init();
	state->fail_command = command;
	state->fail_error = error;
	state->fail_times = times;
}

uint32_t mock_events(void)
{
	init();
	return state->nr_events;
}

const struct mock_event *mock_event(uint32_t n)
{
	return &state->events[n];
}

uint32_t mock_count(uint32_t command)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < mock_events(); i++)
		count += mock_event(i)->command == command;
	return count;
}

const struct mock_event *mock_last(uint32_t command)
{
	for (uint32_t i = mock_events(); i--; ) {
		if (mock_event(i)->command == command)
			return mock_event(i);
	}
	return NULL;
}

void mock_forget(void)
{
	init();
	state->nr_events = 0;
}

int mock_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

pid_t mock_storm(void (*handler)(int), const volatile sig_atomic_t *handled)
{
	struct sigaction action = { .sa_handler = handler };
	pid_t storm, parent = getpid();

	sigaction(SIGUSR1, &action, NULL);
	storm = fork();
	if (!storm) {
		for (;; usleep(3000))
			kill(parent, SIGUSR1);
	}
	/* Killed before that, in fork()'s handlers, it would keep the mock's lock. */
	while (!*handled)
		usleep(1000);
	mock_forget();
	return storm;
}

void mock_storm_end(pid_t storm)
{
	kill(storm, SIGKILL);
	waitpid(storm, NULL, 0);
}
