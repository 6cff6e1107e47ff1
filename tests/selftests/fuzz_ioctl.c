// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that no order of commands, arguments, mappings and closes, from many
 * threads and from children, makes the kernel complain, hang or fall. Whatever
 * they return is right, as long as the device still works afterwards.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"

#include <linux/kcov.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#include "pass.h"
#include "probed.h"
#include "program.h"
#include "require.h"
#include "storm.h"
#include "user_mode.h"

/*
 *   COROPROF_TEST_CALLS  how many calls, in place of how long
 *
 * Where the kernel tells what it has executed (CONFIG_KCOV), what has reached a
 * place of the module that nothing had before is kept, and done again, bent.
 */
#define NR_FDS		24
#define NR_MAPS		16
#define NR_THREADS	4
#define NR_SLOTS	64U
#define NR_LIVES	2
#define SECONDS		5

/* Shared by all threads without a lock: that they race is the point. */
static int fds[NR_FDS];
static __u64 until;

/* Shared by all processes: calls made so far, and those that were refused for want of memory. */
static struct {
	__u64 made;
	__u64 no_memory;
} *calls;

/* Descriptors go from process to process here. */
static int post[2] = { -1, -1 };

struct map {
	void *at;
	size_t len;
};

/* What a few acts in a row drew: the same again makes the same acts. */
#define TAPE		256
#define NR_TAPES	512
#define TRACE		(1U << 14)
/* More bytes than the module has. */
#define NR_PLACES	(1U << 20)

struct tape {
	unsigned int length;
	unsigned int drawn[TAPE];
};

/* Shared by all processes, without a lock: a tape that two have written is another one. */
struct guide {
	unsigned int places;	/* of the module that were reached */
	unsigned int tapes;
	unsigned char seen[NR_PLACES];
	struct tape tape[NR_TAPES];
};

static struct guide *guide;

/* Where the module's code is; 0, 0 where the kernel does not say. */
static __u64 code_begin, code_end;

struct fuzzer {
	unsigned int seed;
	struct tape tape;
	unsigned int at;	/* the next draw of it */
	__u64 *trace;		/* how many addresses, and these; or NULL */
	int channel;	/* it joined as this, which may be anything by now */
	struct map maps[NR_MAPS];
	unsigned int calls;	/* not yet added to those of all */
};

static void count_calls(struct fuzzer *f, unsigned int nr)
{
	f->calls += nr;
	if (f->calls < 256)
		return;
	__atomic_fetch_add(&calls->made, f->calls, __ATOMIC_RELAXED);
	f->calls = 0;
}

/* As the tape has it, and on beyond its end. */
static unsigned int draw(struct fuzzer *f)
{
	unsigned int at = f->at++;

	if (at >= TAPE)
		return rand_r(&f->seed);
	if (at >= f->tape.length) {
		f->tape.drawn[at] = rand_r(&f->seed);
		f->tape.length = at + 1;
	}
	return f->tape.drawn[at];
}

static __u64 roll(struct fuzzer *f, __u64 below)
{
	if (below <= RAND_MAX)
		return draw(f) % below;
	return (((__u64)draw(f) << 31) ^ draw(f)) % below;
}

static bool once_in(struct fuzzer *f, unsigned int n)
{
	return !roll(f, n);
}

/* A number that somebody may have forgotten to check. */
static __u64 number(struct fuzzer *f)
{
	static const __u64 edges[] = {
		0, 1, 2, 7, 8, 255, 256, 4095, 4096, 65535, 65536, 1 << 20, 1 << 24,
		1ULL << 31, 0xffffffff, 1ULL << 32, 1ULL << 36, 1ULL << 63, ~0ULL,
	};

	if (once_in(f, 2))
		return roll(f, NR_SLOTS);
	if (once_in(f, 4))
		return roll(f, 1ULL << 62);
	return edges[roll(f, sizeof(edges) / sizeof(edges[0]))] + roll(f, 3) - 1;
}

static int any_fd(struct fuzzer *f)
{
	return __atomic_load_n(&fds[roll(f, NR_FDS)], __ATOMIC_RELAXED);
}

static void keep_fd(struct fuzzer *f, int fd)
{
	int old;

	/* Nor is what an unknown command returned taken for standard input. */
	if (fd < 3)
		return;
	if (once_in(f, 32))
		send_descriptors(post[0], 0, &fd, 1);
	old = __atomic_exchange_n(&fds[roll(f, NR_FDS)], fd, __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
}

/* The argument of a command: mostly well formed, then bent somewhere. */
union argument {
	__u32 size;
	struct coroprof_info info;
	struct coroprof_process_config process;
	struct coroprof_session_config session;
	struct coroprof_thread_config thread;
	struct coroprof_label label;
	struct coroprof_totals totals;
	struct coroprof_span span;
	struct coroprof_trace trace;
	struct coroprof_attach attach;
	struct coroprof_channel_status status;
	struct coroprof_wanted wanted;
	struct coroprof_user_mode user;
	struct coroprof_delegate give;
	struct coroprof_view view;
	struct coroprof_touched touched;
	struct coroprof_probe probe;
	unsigned char bytes[512];
	__u32 words[128];
};

static __u64 last_token;

/* One of perf's, or the program's own, mostly as it may be asked for. */
static void fill_counter(struct fuzzer *f, struct coroprof_counter *counter)
{
	if (once_in(f, 4)) {
		counter->type = COROPROF_TYPE_PROGRAM;
		counter->config = once_in(f, 20);
		return;
	}
	counter->type = roll(f, 6);
	counter->config = roll(f, 12);
	counter->flags = roll(f, 4);
	if (once_in(f, 10))
		counter->config1 = number(f);
}

static void fill_counters(struct fuzzer *f, struct coroprof_counter *counters, __u32 *nr)
{
	unsigned int i;

	*nr = roll(f, 5);
	for (i = 0; i < *nr; i++)
		fill_counter(f, &counters[i]);
}

static void fill_sampling(struct fuzzer *f, struct coroprof_sampling *sampling)
{
	fill_counter(f, &sampling->counter);
	sampling->stack_max = roll(f, COROPROF_STACK_MAX + 2);
	sampling->ring_size = 4096U << roll(f, 3);
	if (once_in(f, 2))
		sampling->frequency = 1 + roll(f, 20000);
	else
		sampling->period = once_in(f, 4) ? number(f) : 1 + roll(f, 1000000);
}

/* What was wanted last, by whoever asked. */
static struct coroprof_wanted last_wanted;

/* Events that are right, or not events at all, or not there. */
static void fill_offer(struct fuzzer *f, struct coroprof_user_mode *offer)
{
	unsigned int i;

	offer->epoch = last_wanted.epoch;
	offer->nr_counters = last_wanted.nr_counters;
	offer->reason = once_in(f, 8) ? roll(f, 12) : 0;
	for (i = 0; i < last_wanted.nr_counters && i < COROPROF_COUNTERS_MAX; i++) {
		if (once_in(f, 8))
			offer->event[i] = any_fd(f);
		else if (once_in(f, 4))
			offer->event[i] = -1 - (__s32)roll(f, 100);
		else if (last_wanted.counters[i].type == COROPROF_TYPE_PROGRAM || once_in(f, 16))
			offer->event[i] = COROPROF_EVENT_PROGRAM;
		else
			offer->event[i] = event_open(&last_wanted.counters[i]);
	}
}

/* From here on they may be closed at any time. */
static void keep_events(struct fuzzer *f, const struct coroprof_user_mode *offer)
{
	unsigned int i;

	for (i = 0; i < offer->nr_counters && i < COROPROF_COUNTERS_MAX; i++)
		keep_fd(f, offer->event[i]);
}

static void fill_where(struct fuzzer *f, struct coroprof_where *where)
{
	where->kind = roll(f, 4);
	where->reg = once_in(f, 4) ? roll(f, 40) : FIRST_ARGUMENT;
	where->offset = once_in(f, 8) ? number(f) : roll(f, 64);
}

/*
 * In this program only where a function begins: elsewhere, a probe breaks the program
 * that it is put into, which is what whoever may put it there asked for.
 */
static void fill_probe(struct fuzzer *f, struct coroprof_probe *probe)
{
	probe->role = roll(f, COROPROF_PROBE_UNREPORTED + 2);
	probe->fd = probed_file();
	probe->offset = probed_offset(once_in(f, 2) ? probed_switch : probed_other);
	probe->address = number(f);
	if (once_in(f, 8))
		probe->fd = any_fd(f);
	if (once_in(f, 16)) {
		probe->fd = open("/bin/busybox", O_RDONLY | O_CLOEXEC);
		probe->offset = number(f);
		keep_fd(f, probe->fd);
	}
	if (!once_in(f, 4))
		fill_where(f, &probe->key);
	if (once_in(f, 4))
		fill_where(f, &probe->label);
}

static size_t fill(struct fuzzer *f, unsigned long command, union argument *arg)
{
	memset(arg, 0, sizeof(*arg));
	switch (command) {
	case COROPROF_IOC_PROCESS:
		arg->process.slots = once_in(f, 4) ? number(f) : NR_SLOTS;
		arg->process.token = once_in(f, 2) ? last_token : 0;
		return sizeof(arg->process);
	case COROPROF_IOC_SESSION:
		arg->session.ring_size = 4096U << roll(f, 5);
		arg->session.flags = roll(f, 4);
		arg->session.watermark = once_in(f, 4) ? number(f) : 0;
		arg->session.memory_mb = once_in(f, 4) ? number(f) : 0;
		fill_counters(f, arg->session.counters, &arg->session.nr_counters);
		if (once_in(f, 2))
			fill_sampling(f, &arg->session.sampling);
		return sizeof(arg->session);
	case COROPROF_IOC_THREAD:
		arg->thread.slot = 1 + roll(f, NR_SLOTS - 1);
		if (once_in(f, 3))
			fill_counters(f, arg->thread.counters, &arg->thread.nr_counters);
		return sizeof(arg->thread);
	case COROPROF_IOC_LABEL:
		arg->label.text = once_in(f, 4) ? number(f) : (uintptr_t)"a label of some length";
		arg->label.text_len = once_in(f, 4) ? number(f) : roll(f, 20);
		arg->label.flags = roll(f, 4);
		arg->label.value = once_in(f, 2) ? roll(f, 16) : 0;
		return sizeof(arg->label);
	case COROPROF_IOC_ATTACH:
		arg->attach.pid = once_in(f, 4) ? (__s32)number(f) :
				  once_in(f, 4) ? getppid() : getpid();
		arg->attach.flags = roll(f, 4);
		return sizeof(arg->attach);
	case COROPROF_IOC_CHANNEL:
		arg->status.channel_id = 1 + roll(f, 20);
		return sizeof(arg->status);
	case COROPROF_IOC_READ:
		return sizeof(arg->totals);
	case COROPROF_IOC_WANTED:
		return sizeof(arg->wanted);
	case COROPROF_IOC_USER:
		fill_offer(f, &arg->user);
		return sizeof(arg->user);
	case COROPROF_IOC_DELEGATE:
		arg->give.channel_id = 1 + roll(f, 20);
		fill_offer(f, &arg->user);
		arg->give.nr_counters = last_wanted.nr_counters;
		memmove(arg->give.event, arg->user.event, sizeof(arg->give.event));
		return sizeof(arg->give);
	case COROPROF_IOC_VIEW:
		arg->view.process_id = 1 + roll(f, 20);
		return sizeof(arg->view);
	case COROPROF_IOC_TOUCHED:
		arg->touched.slot = number(f);
		return sizeof(arg->touched);
	case COROPROF_IOC_PROBE:
		fill_probe(f, &arg->probe);
		return sizeof(arg->probe);
	case COROPROF_IOC_SPAN:
		arg->span.label = number(f);
		arg->span.running_ns = number(f);
		arg->span.missing_ns[0] = number(f);
		return sizeof(arg->span);
	case COROPROF_IOC_TRACE:
		arg->trace.trace_flags = roll(f, 300);
		arg->trace.trace_id[0] = roll(f, 2);
		return sizeof(arg->trace);
	default:
		return sizeof(arg->info);
	}
}

static void do_structure(struct fuzzer *f)
{
	static const unsigned long commands[] = {
		COROPROF_IOC_INFO, COROPROF_IOC_PROCESS, COROPROF_IOC_SESSION,
		COROPROF_IOC_THREAD, COROPROF_IOC_LABEL, COROPROF_IOC_READ,
		COROPROF_IOC_ATTACH, COROPROF_IOC_CHANNEL, COROPROF_IOC_SPAN,
		COROPROF_IOC_WANTED, COROPROF_IOC_USER, COROPROF_IOC_DELEGATE,
		COROPROF_IOC_VIEW, COROPROF_IOC_TOUCHED, COROPROF_IOC_PROBE,
		COROPROF_IOC_TRACE,
	};
	unsigned long command = commands[roll(f, sizeof(commands) / sizeof(commands[0]))];
	union argument arg;
	int ret;

	arg.size = fill(f, command, &arg);
	if (once_in(f, 16))
		arg.words[roll(f, 128)] = number(f);
	ret = call(any_fd(f), command, once_in(f, 64) ? (void *)number(f) : &arg);
	if (command == COROPROF_IOC_USER)
		keep_events(f, &arg.user);
	if (ret == -ENOMEM)
		__atomic_fetch_add(&calls->no_memory, 1, __ATOMIC_RELAXED);
	if (ret < 0)
		return;
	if (command == COROPROF_IOC_THREAD)
		f->channel = ret;
	if (command == COROPROF_IOC_WANTED)
		last_wanted = arg.wanted;
	if (command == COROPROF_IOC_SESSION)
		last_token = arg.session.token;
	if (command == COROPROF_IOC_PROCESS || command == COROPROF_IOC_SESSION ||
	    command == COROPROF_IOC_THREAD || command == COROPROF_IOC_VIEW) {
		fcntl(ret, F_SETFL, O_RDWR | O_NONBLOCK);
		keep_fd(f, ret);
	}
}

static void do_value(struct fuzzer *f)
{
	static const unsigned long commands[] = {
		COROPROF_IOC_START, COROPROF_IOC_STOP, COROPROF_IOC_FORGET, COROPROF_IOC_LEAVE,
	};

	call_value(any_fd(f), commands[roll(f, 4)],
		   once_in(f, 8) ? number(f) : roll(f, 20));
}

static void do_switches(struct fuzzer *f)
{
	int fd = any_fd(f);
	unsigned int i, nr = roll(f, 50);

	count_calls(f, nr);
	for (i = nr; i; i--)
		switch_to(fd, once_in(f, 16) ? number(f) :
			  roll(f, NR_SLOTS) | roll(f, 16) << 24);
}

static void do_any_command(struct fuzzer *f)
{
	unsigned long command = _IOC(roll(f, 4), once_in(f, 8) ? roll(f, 256) :
				     COROPROF_IOC_MAGIC, roll(f, 64), roll(f, 1 << 14));
	union argument arg;
	unsigned int i;

	for (i = 0; i < 128; i++)
		arg.words[i] = number(f);
	keep_fd(f, call(any_fd(f), command, &arg));
}

static void do_read_and_poll(struct fuzzer *f)
{
	struct pollfd pollfd = { .fd = any_fd(f), .events = POLLIN | POLLOUT };
	char buffer[4096];
	ssize_t got;

	poll(&pollfd, 1, 0);
	got = read(any_fd(f), buffer, once_in(f, 2) ? sizeof(buffer) : roll(f, 1024));
	if (got > (ssize_t)sizeof(buffer))
		abort();
}

static void keep_map(struct fuzzer *f, void *at, size_t len)
{
	struct map *map = &f->maps[roll(f, NR_MAPS)];

	if (!at)
		return;
	if (map->at)
		munmap(map->at, map->len);
	map->len = len;
	map->at = at;
}

static void do_map(struct fuzzer *f)
{
	static const __u64 offsets[] = {
		COROPROF_MMAP_PROCESS_PAGE, COROPROF_MMAP_SLOTS, COROPROF_MMAP_RING(1),
		COROPROF_MMAP_RING(2), COROPROF_MMAP_RING(3), COROPROF_MMAP_RING(9),
		COROPROF_MMAP_SAMPLES(1), COROPROF_MMAP_SAMPLES(2), COROPROF_MMAP_CHANNEL_EVENT(0),
	};
	size_t len = (1 + roll(f, 20)) * page_size();
	__u64 offset = offsets[roll(f, sizeof(offsets) / sizeof(offsets[0]))] + roll(f, 4) * page_size();

	keep_map(f, map_at(any_fd(f), len, once_in(f, 3) ? roll(f, 8) : PROT_READ,
			   once_in(f, 8) ? MAP_PRIVATE : MAP_SHARED, offset), len);
}

/* All that it takes, in the right order; others are at it at the same time. */
static void do_into_user_mode(struct fuzzer *f)
{
	int channel = once_in(f, 4) ? any_fd(f) : f->channel;
	struct coroprof_user_mode offer = { .reason = 0 };
	size_t len;

	if (wanted(channel, &last_wanted))
		return;
	fill_offer(f, &offer);
	offer_user(channel, &offer);
	keep_events(f, &offer);
	switch_to(channel, 1 + roll(f, NR_SLOTS - 1));
	keep_map(f, map_at(channel, page_size(), PROT_READ, MAP_SHARED,
			   COROPROF_MMAP_CHANNEL_PAGE), page_size());
	len = page_size() + 2 * (size_t)last_wanted.ring_size;
	keep_map(f, map_at(channel, len, PROT_READ | PROT_WRITE, MAP_SHARED,
			   COROPROF_MMAP_CHANNEL_RING), len);
}

/* By system call, so that what is not there is an error and not a signal. */
static void do_touch(struct fuzzer *f)
{
	struct map *map = &f->maps[roll(f, NR_MAPS)];
	__u64 buffer[16];
	struct iovec here = { buffer, sizeof(buffer) }, there;
	unsigned int i;

	if (!map->at)
		return;
	/* The first page is what the other side looks at. */
	there.iov_base = map->at + roll(f, (once_in(f, 2) ? page_size() : map->len) / 8 - 16) * 8;
	there.iov_len = sizeof(buffer);
	if (once_in(f, 2)) {
		process_vm_readv(getpid(), &here, 1, &there, 1, 0);
		return;
	}
	for (i = 0; i < 16; i++)
		buffer[i] = number(f);
	process_vm_writev(getpid(), &here, 1, &there, 1, 0);
}

static void do_change_map(struct fuzzer *f)
{
	struct map *map = &f->maps[roll(f, NR_MAPS)];

	if (!map->at)
		return;
	switch (roll(f, 4)) {
	case 0:
		mprotect(map->at, map->len, roll(f, 8));
		break;
	case 1:
		madvise(map->at, map->len, roll(f, 24));
		break;
	case 2:
		munmap(map->at + map->len - page_size(), page_size());
		break;
	default:
		munmap(map->at, map->len);
		map->at = NULL;
		break;
	}
}

/* The fds of one recording that is made as it should be, but for what is bent. */
struct whole {
	int control;
	int process;
	int session;
	int channel;
	__u32 channel_id;
};

enum whole_step {
	WHOLE_PROCESS, WHOLE_SLOTS, WHOLE_PAGE, WHOLE_LABEL, WHOLE_SESSION, WHOLE_ATTACH,
	WHOLE_START, WHOLE_THREAD, WHOLE_SWITCH, WHOLE_READ, WHOLE_RING, WHOLE_SWITCH_MORE,
	WHOLE_STATUS, WHOLE_STOP, WHOLE_FORGET, WHOLE_LEAVE, WHOLE_STEPS,
};

static void do_whole_step(struct fuzzer *f, struct whole *w, enum whole_step step)
{
	struct coroprof_session_config config = { .ring_size = 4096, .flags = roll(f, 8) };
	struct coroprof_channel_status status;
	char buffer[4096];
	unsigned int i;

	switch (step) {
	case WHOLE_PROCESS:
		w->process = make_process(w->control, NR_SLOTS, last_token);
		return;
	case WHOLE_SLOTS:
		keep_map(f, map_slots(w->process, NR_SLOTS),
			 page_align(NR_SLOTS * sizeof(struct coroprof_slot)));
		return;
	case WHOLE_PAGE:
		keep_map(f, (void *)map_process_page(w->process), page_size());
		return;
	case WHOLE_LABEL:
		make_label(w->process, "whole", 5);
		return;
	case WHOLE_SESSION:
		w->session = make_session(w->control, &config);
		fcntl(w->session, F_SETFL, O_RDWR | O_NONBLOCK);
		last_token = config.token;
		return;
	case WHOLE_ATTACH:
		attach(w->session, getpid());
		return;
	case WHOLE_START:
		start(w->session);
		return;
	case WHOLE_THREAD:
		w->channel = join(w->process, THREAD_SLOT);
		return;
	case WHOLE_SWITCH:
	case WHOLE_SWITCH_MORE:
		count_calls(f, 20);
		for (i = 0; i < 20; i++)
			switch_to(w->channel, 2 + roll(f, NR_SLOTS - 2));
		return;
	case WHOLE_READ:
		i = read(w->session, buffer, sizeof(buffer)) < 0;
		return;
	case WHOLE_RING:
		keep_map(f, map_at(w->session, 2 * page_size(), PROT_READ, MAP_SHARED,
				   COROPROF_MMAP_RING(w->channel_id)), 2 * page_size());
		return;
	case WHOLE_STATUS:
		channel_status(w->session, w->channel_id, &status);
		return;
	case WHOLE_STOP:
		stop(w->session);
		return;
	case WHOLE_FORGET:
		forget(w->session, w->channel_id);
		return;
	default:
		leave(w->channel);
		return;
	}
}

/*
 * A recording from the first call to the last one. Now and then a step is left
 * out, done twice, or another one in its place, or it is done with the descriptor
 * of somebody else.
 */
static void do_whole(struct fuzzer *f)
{
	struct whole w = { open_control(), -1, -1, -1, 1 };
	enum whole_step step;

	for (step = 0; step < WHOLE_STEPS; step++) {
		count_calls(f, 1);
		if (once_in(f, 16))
			continue;
		if (once_in(f, 16))
			do_whole_step(f, &w, roll(f, WHOLE_STEPS));
		if (once_in(f, 32))
			keep_fd(f, dup(w.session));
		if (once_in(f, 32))
			w.channel = any_fd(f);
		do_whole_step(f, &w, step);
	}
	keep_fd(f, w.session);
	keep_fd(f, w.process);
	keep_fd(f, w.channel);
	keep_fd(f, w.control);
}

static void do_hit(void)
{
	static struct { void *self, *other; } cos[4];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		cos[i].self = &cos[i];
		probed_switch(&cos[i]);
		probed_other(cos[i].self);
	}
}

/* Probes, in a process that need not have made itself known. */
static void do_probed(struct fuzzer *f)
{
	struct coroprof_session_config config = { .ring_size = 4096 };
	int session = make_session(open_control(), &config);
	struct coroprof_probe probe;
	unsigned int i;

	fcntl(session, F_SETFL, O_RDWR | O_NONBLOCK);
	for (i = 1 + roll(f, 4); i; i--) {
		memset(&probe, 0, sizeof(probe));
		fill_probe(f, &probe);
		add_probe(session, &probe);
	}
	attach_flags(session, getpid(), roll(f, 4));
	start(session);
	count_calls(f, 5);
	for (i = roll(f, 10); i; i--)
		do_hit();
	keep_fd(f, session);
}

static void do_receive(struct fuzzer *f)
{
	char what;
	int fd;

	if (!receive_descriptors(post[1], &what, &fd, 1))
		keep_fd(f, fd);
}

static void act(struct fuzzer *f);

/* A child with what it inherited, and with all its threads gone. */
static void do_child(struct fuzzer *f)
{
	unsigned int i;
	pid_t pid = fork();

	if (pid < 0)
		return;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		f->trace = NULL;
		if (once_in(f, 2))
			do_probed(f);
		for (i = 0; i < 100; i++)
			act(f);
		_exit(0);
	}
	if (once_in(f, 2))
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	f->seed++;
}

static void act(struct fuzzer *f)
{
	count_calls(f, 1);
	switch (roll(f, 38)) {
	case 37:
		do_hit();
		break;
	case 36:
		do_receive(f);
		break;
	case 35:
		do_probed(f);
		break;
	case 34:
		do_whole(f);
		break;
	case 32 ... 33:
		do_into_user_mode(f);
		break;
	case 0 ... 7:
		do_structure(f);
		break;
	case 8 ... 15:
		do_switches(f);
		break;
	case 16 ... 19:
		do_value(f);
		break;
	case 20:
		do_any_command(f);
		break;
	case 21 ... 22:
		do_read_and_poll(f);
		break;
	case 23 ... 24:
		do_map(f);
		break;
	case 25 ... 26:
		do_touch(f);
		break;
	case 27:
		do_change_map(f);
		break;
	case 28:
		if (once_in(f, 4))
			close(any_fd(f));
		break;
	case 29:
		keep_fd(f, dup(any_fd(f)));
		break;
	default:
		keep_fd(f, open_control());
		break;
	}
}

/* ---- what guides it */

/* Of the calling thread; NULL where the kernel has none of it. */
static __u64 *trace_open(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	__u64 *trace;

	if (fd < 0)
		return NULL;
	trace = ioctl(fd, KCOV_INIT_TRACE, TRACE) ? NULL :
		map_at(fd, TRACE * sizeof(*trace), PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	if (trace && ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC)) {
		munmap(trace, TRACE * sizeof(*trace));
		trace = NULL;
	}
	/* The mapping keeps it. */
	close(fd);
	return trace;
}

static void find_module(void)
{
	unsigned long long begin, size;
	FILE *modules = fopen("/proc/modules", "r");
	char line[512];

	while (modules && fgets(line, sizeof(line), modules)) {
		if (sscanf(line, "coroprof %llu %*s %*s %*s 0x%llx", &size, &begin) == 2) {
			code_begin = begin;
			code_end = begin + size;
		}
	}
	if (modules)
		fclose(modules);
}

/* How many places of the module were reached since that nothing had reached before. */
static unsigned int new_places(const __u64 *trace)
{
	__u64 i, nr = __atomic_load_n(&trace[0], __ATOMIC_RELAXED);
	unsigned int found = 0;

	for (i = 1; i <= nr && i < TRACE; i++) {
		if (trace[i] < code_begin || trace[i] >= code_end)
			continue;
		if (!__atomic_exchange_n(&guide->seen[trace[i] - code_begin], 1, __ATOMIC_RELAXED))
			found++;
	}
	return found;
}

/* Half of the time something new; else something that was worth it once, with a few draws bent. */
static void choose_tape(struct fuzzer *f)
{
	unsigned int i, kept = __atomic_load_n(&guide->tapes, __ATOMIC_RELAXED);

	f->at = 0;
	f->tape.length = 0;
	if (!f->trace || !kept || rand_r(&f->seed) % 2)
		return;
	f->tape = guide->tape[rand_r(&f->seed) % kept % NR_TAPES];
	if (!f->tape.length || f->tape.length > TAPE) {
		f->tape.length = 0;
		return;
	}
	for (i = rand_r(&f->seed) % 4; i; i--)
		f->tape.drawn[rand_r(&f->seed) % f->tape.length] = rand_r(&f->seed);
	if (rand_r(&f->seed) % 4 == 0)
		f->tape.length = 1 + rand_r(&f->seed) % f->tape.length;
}

static void keep_tape(struct fuzzer *f, unsigned int found)
{
	unsigned int at = __atomic_fetch_add(&guide->tapes, 1, __ATOMIC_RELAXED);

	guide->tape[at % NR_TAPES] = f->tape;
	__atomic_fetch_add(&guide->places, found, __ATOMIC_RELAXED);
}

/* A few acts in a row. */
static void act_guided(struct fuzzer *f)
{
	unsigned int i, found = 0;

	choose_tape(f);
	if (f->trace)
		__atomic_store_n(&f->trace[0], 0, __ATOMIC_RELAXED);
	for (i = 0; i < 8; i++)
		act(f);
	if (f->trace)
		found = new_places(f->trace);
	if (found)
		keep_tape(f, found);
}

static void *fuzz(void *arg)
{
	struct fuzzer *f = arg;

	f->trace = trace_open();
	while (wall_ns() < until) {
		act_guided(f);
		if (once_in(f, 250))
			do_child(f);
	}
	return NULL;
}

static void fuzz_threads(unsigned int seed)
{
	struct fuzzer fuzzers[NR_THREADS] = { 0 };
	pthread_t threads[NR_THREADS];
	unsigned int i;

	for (i = 0; i < NR_FDS; i++)
		fds[i] = -1;
	for (i = 0; i < NR_THREADS; i++) {
		fuzzers[i].seed = seed + i;
		threads[i] = run_thread(fuzz, &fuzzers[i]);
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

static bool ended(pid_t pid, unsigned int ms)
{
	while (waitpid(pid, NULL, WNOHANG) != pid) {
		if (!ms--)
			return false;
		sleep_ms(1);
	}
	return true;
}

/* So long, or so many calls. */
struct extent {
	__u64 end;
	__u64 calls;
};

static bool goes_on(const struct extent *extent)
{
	if (extent->calls)
		return __atomic_load_n(&calls->made, __ATOMIC_RELAXED) < extent->calls;
	return wall_ns() < extent->end;
}

/*
 * One life after the other: some end well, some by SIGKILL, and some have to be
 * killed because a read waits for ever. Returns how many not even that ended.
 */
static unsigned int fuzz_lives(unsigned int seed, const struct extent *extent)
{
	unsigned int life, stuck = 0;
	pid_t pid;

	for (life = 0; goes_on(extent) && !stuck; life++) {
		fflush(NULL);
		pid = fork();
		if (!pid) {
			/* With a group of its own, to be killed as one. */
			setpgid(0, 0);
			enter_cgroup();
			until = wall_ns() + 1000000000;
			fuzz_threads(seed + life * 100);
			_exit(0);
		}
		if (ended(pid, life % 2 ? 300 + (seed + life) % 500 : 3000))
			continue;
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		stuck += !ended(pid, 20000);
	}
	return stuck;
}

struct lives {
	unsigned int seed;
	struct extent extent;
};

static int fuzz_lives_apart(void *arg)
{
	const struct lives *lives = arg;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return fuzz_lives(lives->seed, &lives->extent);
}

static void *in_a_process(void *arg)
{
	return (void *)(long)in_child(fuzz_lives_apart, arg);
}

/* Several lives at a time, in processes that know nothing of each other. */
static unsigned int fuzz_processes(unsigned int seed, const struct extent *extent)
{
	struct lives lives[NR_LIVES];
	pthread_t threads[NR_LIVES];
	unsigned int i, stuck = 0;
	void *ret;

	for (i = 0; i < NR_LIVES; i++) {
		lives[i] = (struct lives){ seed + i * 1000003, *extent };
		threads[i] = run_thread(in_a_process, &lives[i]);
	}
	for (i = 0; i < NR_LIVES; i++) {
		pthread_join(threads[i], &ret);
		stuck += ret != NULL;
	}
	return stuck;
}

static int works(void *arg)
{
	struct program program;
	int channel;

	(void)arg;
	if (program_open(&program, NR_SLOTS, 0))
		return 1;
	channel = join(program.process, THREAD_SLOT);
	if (channel < 0 || switch_to(channel, 2) || switch_to(channel, 3))
		return 2;
	return leave(channel) ? 3 : 0;
}

FIXTURE(fuzz)
{
	int kernel_log;
};

FIXTURE_SETUP(fuzz)
{
	guide = mmap(NULL, sizeof(*guide), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	ASSERT_NE(MAP_FAILED, (void *)guide);
	find_module();
	ASSERT_GE(NR_PLACES, code_end - code_begin);
	calls = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)calls);
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, post));
	ASSERT_LE(0, probed_file());
	self->kernel_log = kernel_log_open();
	ASSERT_LE(0, self->kernel_log);
}

FIXTURE_TEARDOWN(fuzz)
{
	close(post[0]);
	close(post[1]);
	close(self->kernel_log);
}

TEST_F_TIMEOUT(fuzz, nothing_the_kernel_minds, 86000)
{
	struct extent extent = {
		.end = wall_ns() + storm_seconds(SECONDS) * 1000000000ULL,
		.calls = from_environment("COROPROF_TEST_CALLS", 0),
	};

	EXPECT_EQ(0, fuzz_processes(storm_seed(), &extent));
	fprintf(stderr, "# ran: %llu calls\n", (unsigned long long)calls->made);
	if (in_cgroup()) {
		fprintf(stderr, "# ran: %llu were refused for want of memory\n",
			(unsigned long long)calls->no_memory);
		EXPECT_LT(0, calls->no_memory);
	}
	if (guide->places)
		fprintf(stderr, "# ran: guided by %u places that they reached in the module\n",
			guide->places);
	EXPECT_EQ(!access("/sys/kernel/debug/kcov", R_OK), !!guide->places);
	EXPECT_EQ(0, in_child(works, NULL));
	EXPECT_EQ(0, kernel_log_complaints(self->kernel_log));
}

TEST_HARNESS_MAIN
