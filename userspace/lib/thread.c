// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the library has of a thread: its slot, its channel, how it joins and leaves a recording.
 * Only the thread itself changes it, and a signal handler may be in between.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"
#include "user.h"

/* So often a thread whose channel was closed under it gets another. */
#define LOSSES_MAX 3

__thread struct thread coroprof_this_thread __attribute__((tls_model("initial-exec"))) = {
	.channel = -1,
};

static pthread_key_t key;
static bool key_made;

/* Descriptors of channels plus one, so that a forked child can close its copies. */
static int channels[256];

static void channels_replace(int from, int to)
{
	int expected;

	for (unsigned int i = 0; i < sizeof(channels) / sizeof(channels[0]); i++) {
		expected = from;
		if (__atomic_load_n(&channels[i], __ATOMIC_RELAXED) == from &&
		    __atomic_compare_exchange_n(&channels[i], &expected, to, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
}

static void set_channel(int fd)
{
	if (this_thread.channel >= 0)
		channels_replace(this_thread.channel + 1, 0);
	if (fd >= 0)
		channels_replace(0, fd + 1);
	this_thread.channel = fd;
	this_thread.word = fd >= 0 && this_thread.slot > ENTRY_SLOTLESS ?
		    (uint64_t *)&coroprof_slots()[this_thread.slot].mark[1] : NULL;
}

/* Leave for good, as another destructor may still switch. */
static void at_exit(void *unused)
{
	(void)unused;
	coroprof_thread_leave();
	this_thread.leaving = true;
	if (this_thread.slot > ENTRY_SLOTLESS)
		coroprof_entry_free(this_thread.slot);
	this_thread.slot = 0;
	if (this_thread.tool > ENTRY_SLOTLESS)
		coroprof_entry_free(this_thread.tool);
	this_thread.tool = 0;
	coroprof_entries_flush();
	coroprof_user_free();
	coroprof_spans_free();
}

void coroprof_threads_init(void)
{
	key_made = pthread_key_create(&key, at_exit) == 0;
}

/* The thread has something to be given back when it exits. */
void coroprof_thread_keep(void)
{
	if (key_made && !this_thread.leaving)
		pthread_setspecific(key, &this_thread);
	this_thread.keyed = true;
}

/* For a signal handler too. A thread that leaves has none any more. */
coroprof_co coroprof_thread_tool(void)
{
	if (unlikely(!this_thread.tool && !this_thread.leaving))
		this_thread.tool = coroprof_entry_for_tool();
	return this_thread.tool ? this_thread.tool : COROPROF_THREAD;
}

/*
 * By its name, without a number at the end: threads of a pool have one label, and a program that names
 * each of its threads anew does not use up all labels there are.
 */
uint32_t coroprof_thread_label(void)
{
	char name[17] = "", text[32];
	size_t len, kind;

	prctl(PR_GET_NAME, name);
	len = kind = strlen(name);
	while (kind && name[kind - 1] >= '0' && name[kind - 1] <= '9')
		kind--;
	/* "python3" is no python with a number. */
	if (kind > 1 && kind < len && strchr("-_#.:/ ", name[kind - 1]))
		name[kind - 1] = '\0';
	snprintf(text, sizeof(text), "(thread %s)", name);
	return coroprof_label(text);
}

static bool has_memory(uint32_t number)
{
	return coroprof_slot(number, &coroprof_entries[number]) != NULL;
}

/* Gives the thread a slot, or the one that all share who find none. */
static int give_slot(uint32_t label)
{
	if (!this_thread.slot)
		this_thread.slot = coroprof_entry_for_thread(label ? label : coroprof_thread_label(),
							     syscall(SYS_gettid));
	else if (label)
		coroprof_set_label(COROPROF_THREAD, label);
	if (has_memory(this_thread.slot))
		return 0;
	if (this_thread.slot != ENTRY_SLOTLESS)
		coroprof_entry_free(this_thread.slot);
	this_thread.slot = coroprof_entry_slotless();
	return has_memory(this_thread.slot) ? 0 : -ENOMEM;
}

/*
 * A number for a set of counters, the same for the same: coroutines move among
 * threads that count alike. What a session counts may be other things each time.
 */
static uint16_t number_of(const struct coroprof_thread_config *config)
{
	static struct coroprof_thread_config known[64];
	static uint16_t nr;
	uint16_t i;

	if (!config->nr_counters)
		return 0x8000 | (uint16_t)epoch();
	coroprof_lock();
	for (i = 0; i < nr; i++) {
		if (known[i].nr_counters == config->nr_counters &&
		    !memcmp(known[i].counters, config->counters, sizeof(config->counters)))
			break;
	}
	if (i == nr && nr < sizeof(known) / sizeof(known[0]))
		known[nr++] = *config;
	coroprof_unlock();
	return i;
}

/* A descriptor, or a negative errno. */
static int ask_channel(struct coroprof_thread_config *config)
{
	int fd = ioctl(coroprof_process_descriptor(), COROPROF_IOC_THREAD, config);

	return fd < 0 ? -errno : fd;
}

/* Of a process that is made anew, the thread's slot is another one: then it tries again later. */
static int open_channel(const struct coroprof_thread_config *wanted)
{
	struct coroprof_thread_config config = *wanted;
	uint32_t generation = coroprof_generation;
	int fd;

	if (refused())
		return -EPERM;
	config.size = sizeof(config);
	config.slot = this_thread.slot;
	fd = ask_channel(&config);
	if (fd == -EBADF || fd == -ENOTTY) {
		coroprof_process_lost();
		if (coroprof_process_descriptor() >= 0 && generation == coroprof_generation)
			fd = ask_channel(&config);
	}
	if (fd < 0) {
		coroprof_debug("can't join thread %ld: errno %d", (long)syscall(SYS_gettid), -fd);
		return fd;
	}
	set_channel(coroprof_descriptor_raise(fd));
	this_thread.group = coroprof_generation;
	return 0;
}

/* The id of what the thread runs: outside any coroutine its own, whether it has joined or not. */
uint64_t coroprof_thread_id(void)
{
	sigset_t before;

	if (unlikely(this_thread.current == COROPROF_THREAD && !this_thread.slot &&
		     !this_thread.leaving)) {
		before = coroprof_signals_block();
		if (!give_slot(0) && !this_thread.keyed)
			coroprof_thread_keep();
		coroprof_signals_restore(&before);
	}
	return coroprof_id(this_thread.current);
}

static int join(const struct coroprof_thread_config *config, uint32_t label)
{
	int err;

	if (this_thread.leaving)
		return -ESRCH;
	err = give_slot(label);
	if (err)
		return err;
	if (!this_thread.keyed)
		coroprof_thread_keep();
	return open_channel(config);
}

/* In a signal handler what it has interrupted may be about to write to the ring. */
static void leave_user_mode(void)
{
	if (this_thread.user_mode && !this_thread.user)
		this_thread.interrupted = true;
	this_thread.user_mode = false;
	this_thread.user = NULL;
}

/*
 * Has the recording begin. What it takes to get into user mode then is charged to nothing that the
 * program runs.
 */
static bool begin(bool in_user_mode)
{
	if (!in_user_mode)
		return coroprof_report(this_thread.current);
	if (!coroprof_report(coroprof_thread_tool()))
		return false;
	coroprof_user_enter();
	return coroprof_report(this_thread.current);
}

static bool sync_thread(void)
{
	static const struct coroprof_thread_config lazily;
	bool anew, in_user_mode = false;
	uint64_t now = stamp();

	if (this_thread.channel >= 0 && this_thread.group != coroprof_generation)
		set_channel(-1);
	leave_user_mode();
	coroprof_user_leave();
	if (this_thread.channel < 0)
		join(&lazily, 0);
	do {
		/* What has failed is tried again when anything has changed since. */
		this_thread.synced = this_thread.channel < 0 ? now : stamp();
		if (!this_thread.counting)
			this_thread.counters = number_of(&lazily);
		if (this_thread.channel < 0)
			return false;
		anew = coroprof_user_delegate(&in_user_mode);
	} while (unlikely(this_thread.synced != stamp()));
	/* To report again would cut a slice in two where nothing has switched. */
	return anew && begin(in_user_mode);
}

/*
 * The kernel does not know what the thread runs: it has not joined yet, or it
 * has switched without reporting while nobody recorded. Joins, and reports; in one
 * piece, as a signal handler may want to switch, too. Returns whether it has reported.
 */
bool coroprof_thread_sync(void)
{
	sigset_t before = coroprof_signals_block();
	bool reported = sync_thread();

	coroprof_signals_restore(&before);
	return reported;
}

/*
 * SWITCH has failed. The descriptor may be anybody's by now, so it is not even
 * closed. Returns false, for the caller to return.
 */
bool coroprof_thread_lost(int error)
{
	if (error == ENOMEM || error == EDQUOT)
		return false;
	if (error == EPERM && coroprof_process_foreign()) {
		coroprof_process_child();
		return false;
	}

	coroprof_user_leave();
	set_channel(-1);
	if (++this_thread.losses <= LOSSES_MAX)
		this_thread.synced = 0;
	coroprof_debug("thread %ld has lost its channel: errno %d", (long)syscall(SYS_gettid),
		       error);
	return false;
}

/* In a forked child: what was inherited is of no use. */
void coroprof_thread_child(void)
{
	for (unsigned int i = 0; i < sizeof(channels) / sizeof(channels[0]); i++) {
		/* EPERM shows that it is a channel, and the parent's. */
		if (channels[i] && !refused() && ioctl(channels[i] - 1, COROPROF_IOC_LEAVE) &&
		    errno == EPERM)
			close(channels[i] - 1);
		channels[i] = 0;
	}
	coroprof_user_child();
	this_thread.channel = -1;
	this_thread.word = NULL;
	this_thread.synced = 0;
	this_thread.losses = 0;
	this_thread.counting = false;
}

static void use_default(struct coroprof_thread_config *config)
{
	static const uint64_t events[] = {
		PERF_COUNT_HW_CPU_CYCLES,
		PERF_COUNT_HW_INSTRUCTIONS,
		PERF_COUNT_HW_CACHE_MISSES,
	};

	config->nr_counters = sizeof(events) / sizeof(events[0]);
	for (uint32_t i = 0; i < config->nr_counters; i++)
		config->counters[i] = (struct coroprof_counter){
			.type = PERF_TYPE_HARDWARE,
			.config = events[i],
		};
}

static int use_chosen(struct coroprof_thread_config *config, const struct coroprof_join *chosen)
{
	if (chosen->size < sizeof(*chosen) || chosen->reserved ||
	    chosen->nr_counters > COROPROF_COUNTERS_MAX)
		return -EINVAL;
	if (!chosen->nr_counters) {
		use_default(config);
		return 0;
	}
	config->nr_counters = chosen->nr_counters;
	memcpy(config->counters, chosen->counters,
	       chosen->nr_counters * sizeof(chosen->counters[0]));
	return 0;
}

static int join_counting(const struct coroprof_thread_config *config, uint32_t label)
{
	int err;

	coroprof_thread_leave();
	err = join(config, label);
	if (err)
		return err;
	err = coroprof_page_force();
	if (err) {
		coroprof_thread_leave();
		return err;
	}
	this_thread.counting = true;
	this_thread.counters = number_of(config);
	this_thread.losses = 0;
	this_thread.synced = stamp();
	coroprof_report(this_thread.current);
	return 0;
}

EXPORT int coroprof_thread_join(const struct coroprof_join *chosen)
{
	struct coroprof_thread_config config = { .size = 0 };
	int saved = errno, err = 0;

	if (chosen)
		err = use_chosen(&config, chosen);
	else
		use_default(&config);
	if (!err)
		err = coroprof_process_need();
	if (!err)
		err = join_counting(&config, chosen ? chosen->label : 0);
	errno = saved;
	return err;
}

/* All signals are blocked, as a handler would use what goes away here; so nothing may cancel. */
static int leave(void)
{
	int err = 0;

	if (this_thread.counting) {
		this_thread.counting = false;
		coroprof_page_release(coroprof_process_descriptor());
	}
	leave_user_mode();
	/* What is given back then is no part of what the thread runs. */
	if (this_thread.channel < 0) {
		err = -ESRCH;
	} else {
		/*
		 * Where it can't be asked the number may be another file's by now: it stays open.
		 */
		if (!refused()) {
			if (ioctl(this_thread.channel, COROPROF_IOC_LEAVE))
				err = -errno;
			else
				syscall(SYS_close, this_thread.channel);
		}
		set_channel(-1);
		this_thread.synced = 0;
	}
	coroprof_user_leave();
	return err;
}

EXPORT int coroprof_thread_leave(void)
{
	int saved = errno, err;
	sigset_t before = coroprof_signals_block();

	err = leave();
	coroprof_signals_restore(&before);
	errno = saved;
	return err;
}
