// SPDX-License-Identifier: GPL-2.0
/*
 * Samples: the event that overflows, and its handler, which writes where the thread was. The
 * handler may be an NMI: it takes no lock, allocates nothing, and is the only producer of its ring.
 */
#include <linux/cred.h>
#include <linux/hardirq.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "channel-layout.h"
#include "compat.h"
#include "counters.h"
#include "permit.h"
#include "process.h"
#include "recording.h"
#include "ring.h"
#include "sample.h"
#include "session.h"
#include "shared.h"
#include "spare.h"

/* In place of a period of an event that can't be had. */
#define CLOCK_FREQUENCY		1000

/* perf's clocks do not overflow more often than that, whatever they are asked. */
#define CLOCK_PERIOD_MIN	10000

/* What perf has in hw.interrupts of an event that it throttles. */
#define THROTTLED		(~0ULL)

/* ------------------------------------------------------- what the session asks */

static bool is_clock(const struct coroprof_counter *counter)
{
	return counter->type == PERF_TYPE_SOFTWARE &&
	       (counter->config == PERF_COUNT_SW_CPU_CLOCK ||
		counter->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* May the caller ask for this? Its ring is the session's to check. */
int coroprof_sampling_check(const struct coroprof_sampling *sampling)
{
	if (sampling->period && sampling->frequency)
		return -EINVAL;
	if (sampling->period >> 63 || sampling->frequency > COROPROF_SAMPLE_FREQUENCY_MAX)
		return -EINVAL;
	if (sampling->period && sampling->period < CLOCK_PERIOD_MIN &&
	    is_clock(&sampling->counter))
		return -EINVAL;
	if (sampling->stack_max > COROPROF_STACK_MAX || sampling->reserved)
		return -EINVAL;
	/* It has no event, nor needs a permission, as what takes its place would. */
	if (coroprof_counter_is_program(&sampling->counter))
		return -EINVAL;
	return coroprof_counters_check(&sampling->counter, 1);
}

/* --------------------------------------------------- where the thread is */

/**
 * struct user_at - where in user mode a thread is
 * @ip:   instruction pointer
 * @fp:   frame pointer
 * @sp:   stack pointer, 0 for unknown: frames are above it
 * @walk: frames are of 64 bits
 */
struct user_at {
	u64 ip;
	u64 fp;
	u64 sp;
	bool walk;
};

/* What a frame pointer points to. */
struct frame {
	u64 next;
	u64 ret;
};

#if defined(CONFIG_X86_64)

/*
 * An NMI may come before the entry into the kernel has saved what user mode had
 * in its registers. A system call then still has it in them, and its address in
 * rcx. Any other entry is on a stack of its own in the meantime.
 */
static bool user_at_entry(struct pt_regs *regs, struct pt_regs *user,
			  struct user_at *at)
{
	bool unswitched = regs->sp < TASK_SIZE_MAX;

	if (!unswitched &&
	    (regs->sp <= (unsigned long)user || regs->sp > (unsigned long)(user + 1)))
		return false;
	if (test_thread_flag(TIF_ADDR32))
		return false;

	at->ip = !unswitched && regs->sp <= (unsigned long)&user->ip ? user->ip : regs->cx;
	at->fp = regs->bp;
	at->sp = unswitched ? regs->sp : 0;
	at->walk = true;
	return true;
}

static bool user_saved(struct pt_regs *regs, struct pt_regs *user)
{
	unsigned long stack = (unsigned long)task_stack_page(current);

	if (!in_nmi() || hardirq_count() || in_serving_softirq())
		return true;
	return regs->sp >= stack && regs->sp <= (unsigned long)user;
}

/* False if it can't be known. */
static bool user_at(struct pt_regs *regs, struct user_at *at)
{
	struct pt_regs *user = user_mode(regs) ? regs : task_pt_regs(current);

	if (user != regs && !user_saved(regs, user))
		return user_at_entry(regs, user, at);
	at->ip = user->ip;
	at->fp = user->bp;
	at->sp = user->sp;
	at->walk = user->cs != __USER32_CS;
	return true;
}

static u64 code_address(u64 address)
{
	return address;
}

#elif defined(CONFIG_ARM64)

static bool user_at(struct pt_regs *regs, struct user_at *at)
{
	struct pt_regs *user = user_mode(regs) ? regs : task_pt_regs(current);

	at->ip = user->pc;
	at->fp = user->regs[29];
	at->sp = user->sp;
	at->walk = !compat_user_mode(user);
	return true;
}

/* What is above the address space may be a signature of the address. */
static u64 code_address(u64 address)
{
	return address & (TASK_SIZE_64 - 1);
}

#else
#error "coroprof does not know this machine's frames"
#endif

static bool frame_read(u64 fp, u64 above, struct frame *frame)
{
	if (fp <= above || !IS_ALIGNED(fp, sizeof(u64)) || !coroprof_user_mapped())
		return false;
	return !copy_from_user_nofault(frame, (void __user *)(unsigned long)fp,
				       sizeof(*frame)) && frame->ret;
}

/*
 * The instruction pointer and up to @max callers. Each frame lies above the one
 * before, so that this ends whatever is on the stack. Returns how many there
 * are; @cut: there are more callers.
 */
static u32 walk(const struct user_at *at, u32 max, u64 *addresses, bool *cut)
{
	u64 fp = at->fp, above = at->sp ? at->sp - 1 : 0;
	struct frame frame;
	u32 nr = 0;

	*cut = false;
	addresses[nr++] = at->ip;
	if (!at->walk)
		return nr;

	/* Before 6.1 the copy looks whether it may before it says that it won't fault. */
	pagefault_disable();
	while (frame_read(fp, above, &frame)) {
		if (nr > max) {
			*cut = true;
			break;
		}
		addresses[nr++] = code_address(frame.ret);
		above = fp;
		fp = frame.next;
	}
	pagefault_enable();
	return nr;
}

/* ------------------------------------------------------------- a sample */

/*
 * Which slot a sample is of. An event that does not count kernel mode has
 * overflowed before the thread entered the kernel: its interrupt may come as
 * late as after a switch in there, but is of the slot that was left.
 */
static u32 sampled_slot(const struct coroprof_sampler *sampler,
			const struct coroprof_channel *channel, bool before_entry)
{
	const struct coroprof_recording *recording =
		container_of(sampler, struct coroprof_recording, sampler);
	u32 left = READ_ONCE(channel->left);

	if (before_entry && left)
		return left;
	return recording->user_mode ? coroprof_shared_slot(recording) : READ_ONCE(channel->slot_nr);
}

static void *sample_reserve(struct coroprof_ring *ring, u32 size)
{
	if (unlikely(ring->pending))
		coroprof_ring_tell_lost(ring);
	return ring->pending ? NULL : coroprof_ring_reserve(ring, size);
}

/* As coroprof_recording_look(). */
static void look_at_reader(struct coroprof_sampler *sampler)
{
	const struct coroprof_recording *recording =
		container_of(sampler, struct coroprof_recording, sampler);
	struct coroprof_ring *ring = sampler->ring;
	u64 used;

	used = coroprof_ring_used(ring);
	if (used >= sampler->watermark) {
		if (ring->head >= sampler->wake_at ||
		    coroprof_recording_unlisted(recording, ring, sampler->watermark)) {
			sampler->wake_at = ring->head + sampler->watermark;
			irq_work_queue(sampler->wake);
		}
	} else if (ring->head >= sampler->wake_at) {
		sampler->wake_at = ring->head + sampler->watermark - used;
	}
}

static void take(struct coroprof_sampler *sampler, const struct coroprof_channel *channel,
		 const struct perf_event *event, struct pt_regs *regs)
{
	bool in_kernel = !user_mode(regs), cut;
	u32 slot_nr = sampled_slot(sampler, channel, in_kernel && event->attr.exclude_kernel);
	const struct coroprof_slot *slot =
		slot_nr ? coroprof_process_slot(channel->process, slot_nr) : NULL;
	u64 addresses[1 + COROPROF_STACK_MAX], now = ktime_get_mono_fast_ns();
	struct coroprof_record_sample *sample;
	struct user_at at;
	u32 nr, size;

	if (!slot || !user_at(regs, &at))
		return;
	nr = walk(&at, sampler->stack_max, addresses, &cut);
	size = sizeof(*sample) + nr * sizeof(u64);

	sampler->taken++;
	sample = sample_reserve(sampler->ring, size);
	if (!sample) {
		coroprof_ring_drop(sampler->ring, now);
		look_at_reader(sampler);
		return;
	}
	sample->type = COROPROF_RECORD_SAMPLE;
	sample->size = size;
	sample->slot = slot_nr;
	sample->time = now;
	sample->id = READ_ONCE(slot->id);
	sample->label = READ_ONCE(slot->label);
	sample->flags = (in_kernel ? COROPROF_SAMPLE_IN_KERNEL : 0) |
			(cut ? COROPROF_SAMPLE_CUT : 0);
	sample->nr = nr;
	memcpy(sample + 1, addresses, nr * sizeof(u64));
	coroprof_ring_commit(sampler->ring, size);
	look_at_reader(sampler);
}

/*
 * The thread is where its channel says, in the address space of its slots.
 * Between perf's own part of a context switch and the channel's hook, and once
 * it has no memory any more, there is nothing to sample.
 */
static bool is_here(const struct coroprof_channel *channel)
{
	return current == channel->task && current->mm == channel->mm &&
	       channel->off == COROPROF_ON;
}

/* Any context, NMI included. */
static void overflow(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	struct coroprof_sampler *sampler = event->overflow_handler_context;
	struct coroprof_channel *channel;
	unsigned long flags;

	local_irq_save(flags);
	channel = READ_ONCE(sampler->channel);
	if (channel && is_here(channel)) {
		/* perf decides on this before it calls, in all releases alike. */
		if (event->hw.interrupts == THROTTLED)
			sampler->throttled++;
		take(sampler, channel, event, regs);
	}
	local_irq_restore(flags);
}

/* ------------------------------------------------------------- life */

/* No such event here, or none that says when it overflows. */
static bool has_no_overflow(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP;
}

/* The event wanted, or a clock where the machine can't sample that. */
static struct perf_event *event_create(struct coroprof_sampler *sampler,
				       const struct coroprof_sampling *wanted)
{
	struct coroprof_sampling clock = {
		.counter = {
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK,
			.flags = wanted->counter.flags & COROPROF_COUNTER_KERNEL,
		},
		.frequency = wanted->frequency ?: coroprof_permit_frequency(CLOCK_FREQUENCY),
	};
	struct perf_event *event;

	event = coroprof_event_create(&wanted->counter, wanted, overflow, sampler);
	if (!IS_ERR(event))
		return event;
	sampler->error = -PTR_ERR(event);
	if (!has_no_overflow(PTR_ERR(event)))
		return event;
	return coroprof_event_create(&clock.counter, &clock, overflow, sampler);
}

/**
 * coroprof_sampler_create() - sample the calling thread
 * @sampler: zeroed
 * @session: for whom
 * @spares:  of the thread's process
 * @wake:    wakes it
 *
 * Without it the recording goes on; @error says why. No sample is taken before
 * coroprof_sampler_begin(). May sleep.
 */
void coroprof_sampler_create(struct coroprof_sampler *sampler,
			     const struct coroprof_session *session,
			     struct coroprof_spares *spares, struct irq_work *wake)
{
	const struct cred *own;
	struct perf_event *event;
	struct coroprof_ring *ring;

	ring = coroprof_spares_ring(spares, coroprof_session_samples_size(session, 0), true);
	if (IS_ERR(ring)) {
		sampler->error = -PTR_ERR(ring);
		return;
	}

	sampler->wake = wake;
	sampler->stack_max = session->sampling.stack_max;
	sampler->watermark = coroprof_watermark(session->sample_watermark,
						session->sampling.ring_size, ring->size);
	sampler->wake_at = sampler->watermark;

	own = override_creds(session->cred);
	event = event_create(sampler, &session->sampling);
	revert_creds(own);
	if (IS_ERR(event)) {
		coroprof_ring_put(ring);
		return;
	}
	sampler->event = event;
	sampler->ring = ring;
}

/* Nothing overflows any more. May sleep. */
void coroprof_sampler_release(struct coroprof_sampler *sampler)
{
	if (sampler->event)
		perf_event_release_kernel(sampler->event);
	sampler->event = NULL;
}

/* May sleep. */
void coroprof_sampler_destroy(struct coroprof_sampler *sampler)
{
	coroprof_sampler_release(sampler);
	if (sampler->ring)
		coroprof_ring_put(sampler->ring);
}

/* The calling thread's recording begins. */
void coroprof_sampler_begin(struct coroprof_sampler *sampler,
			    struct coroprof_channel *channel)
{
	if (sampler->ring)
		WRITE_ONCE(sampler->channel, channel);
}

/* No samples are taken any more, and the ring is as it stays. */
void coroprof_sampler_end(struct coroprof_sampler *sampler)
{
	if (!sampler->channel)
		return;
	WRITE_ONCE(sampler->channel, NULL);
	/* An NMI on this CPU is the producer until here, and not from here on. */
	barrier();
	if (sampler->ring->pending)
		coroprof_ring_tell_lost(sampler->ring);
	coroprof_ring_close(sampler->ring);
}

void coroprof_sampler_status(const struct coroprof_sampler *sampler,
			     struct coroprof_channel_status *status)
{
	if (!sampler->ring)
		return;
	status->samples = READ_ONCE(sampler->taken);
	status->samples_lost = READ_ONCE(sampler->ring->full);
	status->throttled = READ_ONCE(sampler->throttled);
}
