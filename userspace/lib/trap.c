// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel may take back the permission to read counters at any time, for instance
 * by "sysctl --system". From then on each read ends in a signal that ends the program.
 * While a thread is in user mode a handler stands in front of the program's action for that
 * signal, whatever that is: it answers the read, and has the next switch leave user mode. All
 * else it passes on. A handler that the program sets later is seen when a thread next comes into
 * user mode: to look in between would cost system calls, which a filter may refuse by then, and be
 * counted. Until then, and where the thread blocks the signal, there is none of ours: the man page
 * says so.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <ucontext.h>

#include "user.h"

#if defined(__x86_64__)

#define TRAP SIGSEGV

/* No access to memory has failed, so that the code can be looked at. */
static bool may_be_read(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL;
}

/* Returns the counter that is read, or UINT32_MAX; and where to go on behind that. */
static uint32_t counter_read(const ucontext_t *at, unsigned int *skip)
{
	const uint8_t *code = (const uint8_t *)at->uc_mcontext.gregs[REG_RIP];

	if (code[0] != 0x0f || code[1] != 0x33)
		return UINT32_MAX;
	*skip = 2;
	return (uint32_t)at->uc_mcontext.gregs[REG_RCX];
}

static void set_result(ucontext_t *at, uint64_t value, unsigned int skip)
{
	at->uc_mcontext.gregs[REG_RAX] = (uint32_t)value;
	at->uc_mcontext.gregs[REG_RDX] = (uint32_t)(value >> 32);
	at->uc_mcontext.gregs[REG_RIP] += skip;
}

#elif defined(__aarch64__)

#define TRAP SIGILL

/* What was executed can be looked at. */
static bool may_be_read(const siginfo_t *info)
{
	return info->si_code == ILL_ILLOPC;
}

#define REGISTER 0x1fu
#define MRS_CYCLES 0xd53b9d00u		/* mrs x0, pmccntr_el0 */
#define MSR_SELECT 0xd51b9ca0u		/* msr pmselr_el0, x0 */
#define MRS_SELECTED 0xd53b9d40u	/* mrs x0, pmxevcntr_el0 */

/* As arch_counter() has them: select, isb, read; or the cycles alone. */
static uint32_t counter_read(const ucontext_t *at, unsigned int *skip)
{
	const uint32_t *code = (const uint32_t *)at->uc_mcontext.pc;

	*skip = 4;
	if ((*code & ~REGISTER) == MRS_CYCLES)
		return ARCH_COUNTER_CYCLES;
	if ((*code & ~REGISTER) == MRS_SELECTED && (code[-2] & ~REGISTER) == MSR_SELECT)
		return (uint32_t)at->uc_mcontext.regs[code[-2] & REGISTER];
	*skip = 12;
	if ((*code & ~REGISTER) == MSR_SELECT && (code[2] & ~REGISTER) == MRS_SELECTED)
		return (uint32_t)at->uc_mcontext.regs[*code & REGISTER];
	return UINT32_MAX;
}

static void set_result(ucontext_t *at, uint64_t value, unsigned int skip)
{
	const uint32_t *last = (const uint32_t *)(at->uc_mcontext.pc + skip) - 1;

	at->uc_mcontext.regs[*last & REGISTER] = value;
	at->uc_mcontext.pc += skip;
}

#endif

#ifdef TRAP

/* What counter @i has counted in the slice that goes on. READ writes nothing anywhere. */
static uint64_t counted(const struct user *user, uint32_t i)
{
	struct coroprof_totals totals = { .size = sizeof(totals) };

	if (ioctl(this_thread.channel, COROPROF_IOC_READ, &totals) || totals.nr_counters <= i)
		return 0;
	return totals.count[i] - user->current->count[i];
}

/* Not ours, or of somebody who reads counters by himself. */
static bool answer(const siginfo_t *info, ucontext_t *at)
{
	const struct user *user = this_thread.own;
	unsigned int skip;
	uint32_t number, i;

	/* Only in the middle of a switch or span is this_thread.user taken. */
	if (!this_thread.user_mode || this_thread.user || !user || this_thread.reporting ||
	    !may_be_read(info))
		return false;
	number = counter_read(at, &skip);
	for (i = 0; i < user->nr; i++) {
		if (user->counter[i].page && user->counter[i].number == number)
			break;
	}
	if (number == UINT32_MAX || i == user->nr)
		return false;
	set_result(at, user->open->count[i] + counted(user, i) - user->counter[i].offset, skip);
	return true;
}

/**
 * struct place - an action of the program's, and the handler of ours that stands in for it
 * @state:  PLACE_*
 * @theirs: the action; once it is there, it stays as it is
 *
 * A program may keep our handler as "the one before", set one of its own, and later put ours
 * back, or call it from its own. So each of our handlers goes on with the one action in whose
 * place it was put, whatever came after it.
 */
struct place {
	uint32_t state;
	struct sigaction theirs;
};

enum { PLACE_FREE, PLACE_TAKEN, PLACE_READY };

#define PLACES 8
static struct place places[PLACES];

static bool is_sent(const siginfo_t *info)
{
	return info->si_code <= 0;
}

static bool is_plain(const struct sigaction *action, __sighandler_t handler)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == handler;
}

/* As if there were no handler: what was executed is executed again, what was sent is sent. */
static void be_default(const siginfo_t *info)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	sigaction(TRAP, &action, NULL);
	if (is_sent(info))
		raise(TRAP);
}

/*
 * What the program would have seen without us. Mask, stack and the other flags are those of its
 * action, as the kernel has them from us. It ignores only what is sent; a fault ends it.
 */
static void pass_on(const struct sigaction *theirs, int signal, siginfo_t *info, void *at)
{
	struct sigaction none = { .sa_handler = SIG_DFL };

	if (is_plain(theirs, SIG_IGN) && is_sent(info))
		return;
	if (is_plain(theirs, SIG_DFL) || is_plain(theirs, SIG_IGN)) {
		be_default(info);
		return;
	}
	if (theirs->sa_flags & SA_RESETHAND)
		sigaction(TRAP, &none, NULL);
	if (theirs->sa_flags & SA_SIGINFO)
		theirs->sa_sigaction(signal, info, at);
	else
		theirs->sa_handler(signal);
}

/*
 * A program may set the same handler twice, and take ours, which it finds there the second time,
 * for the one before it: ours and its own would call each other for ever. For the same signal ours
 * is called a second time from within the first. Its frame is further down then
 * than the first one's, which it is not if a handler has jumped out of the first.
 */
static void pass_on_once(const struct place *place, int signal, siginfo_t *info, void *at)
{
	static _Thread_local struct passing {
		const struct place *place;
		const siginfo_t *info;
		uintptr_t frame;
	} passing;
	const struct passing before = passing;
	uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

	if (before.place == place && before.info == info && frame < before.frame) {
		be_default(info);
		return;
	}
	passing = (struct passing){ place, info, frame };
	pass_on(&place->theirs, signal, info, at);
	passing = before;
}

static void trapped(const struct place *place, int signal, siginfo_t *info, void *at)
{
	int saved = errno;
	bool ours = answer(info, at);

	if (ours) {
		this_thread.own->denied = COROPROF_REASON_ACCESS;
		this_thread.path = coroprof_user_deny;
	}
	errno = saved;
	if (!ours)
		pass_on_once(place, signal, info, at);
}

#define ALL_PLACES(of) of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7)
#define HANDLER(n)							\
	static void on_trap_##n(int signal, siginfo_t *info, void *at)	\
	{								\
		trapped(&places[n], signal, info, at);			\
	}
#define NAME(n) on_trap_##n,

ALL_PLACES(HANDLER)

static void (*const handlers[PLACES])(int signal, siginfo_t *info, void *at) = {
	ALL_PLACES(NAME)
};

/* The place whose handler the action has, or NULL. */
static const struct place *ours(const struct sigaction *action)
{
	for (unsigned int i = 0; i < PLACES; i++) {
		if (action->sa_flags & SA_SIGINFO && action->sa_sigaction == handlers[i])
			return &places[i];
	}
	return NULL;
}

/* Set by the libc; of a mask the kernel has only the first words, the rest is anything. */
#define LIBC_FLAGS 0x04000000
#define MASK_BYTES (64 / 8)

static bool same(const struct sigaction *a, const struct sigaction *b)
{
	return !((a->sa_flags ^ b->sa_flags) & ~LIBC_FLAGS) && a->sa_handler == b->sa_handler &&
	       !memcmp(&a->sa_mask, &b->sa_mask, MASK_BYTES);
}

/* The place for an action of theirs; PLACES if none is left. */
static unsigned int place_for(const struct sigaction *theirs)
{
	uint32_t was;

	for (unsigned int i = 0; i < PLACES; i++) {
		was = PLACE_FREE;
		if (__atomic_compare_exchange_n(&places[i].state, &was, PLACE_TAKEN, false,
						__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			places[i].theirs = *theirs;
			__atomic_store_n(&places[i].state, PLACE_READY, __ATOMIC_RELEASE);
			return i;
		}
		if (was == PLACE_READY && same(&places[i].theirs, theirs))
			return i;
	}
	return PLACES;
}

/*
 * What stands in for @theirs: with its mask and flags, so that the kernel does for it what it
 * would. SA_RESETHAND is left to pass_on(), as a read of a counter is not the signal that the
 * program waits for. Without a handler of theirs, the stack may be a coroutine's, and short; and
 * what they ignore interrupts no system call that can go on. Without a place it is @theirs.
 */
static struct sigaction stand_in(const struct sigaction *theirs)
{
	struct sigaction action = *theirs;
	unsigned int place = place_for(theirs);

	if (place == PLACES)
		return action;
	if (is_plain(theirs, SIG_DFL) || is_plain(theirs, SIG_IGN)) {
		action.sa_flags = SA_ONSTACK | SA_RESTART;
		sigemptyset(&action.sa_mask);
	}
	action.sa_flags &= ~SA_RESETHAND;
	action.sa_flags |= SA_SIGINFO;
	action.sa_sigaction = handlers[place];
	return action;
}

/*
 * Has a handler of ours in front of what the program has. Another thread may set one meanwhile,
 * of ours or of the program's: what comes out of the place is then not what was seen there. It
 * goes back, with ours in front; but not over one that came later still.
 */
void coroprof_trap_catch(void)
{
	struct sigaction expected, put, found;
	int saved = errno;

	if (!sigaction(TRAP, NULL, &expected) && !ours(&expected)) {
		put = stand_in(&expected);
		while (!sigaction(TRAP, &put, &found) && !same(&found, &expected)) {
			expected = put;
			put = ours(&found) ? found : stand_in(&found);
		}
	}
	errno = saved;
}

/* In a forked child nobody is in user mode: it, and what it executes, has what the program had. */
void coroprof_trap_child(void)
{
	const struct place *place;
	struct sigaction action;

	if (__atomic_load_n(&places[0].state, __ATOMIC_RELAXED) == PLACE_FREE ||
	    sigaction(TRAP, NULL, &action))
		return;
	place = ours(&action);
	if (place)
		sigaction(TRAP, &place->theirs, NULL);
}

#else

void coroprof_trap_catch(void)
{
}

void coroprof_trap_child(void)
{
}

#endif

/* In place of the fast case: leave user mode for good, and switch by ioctl. */
void coroprof_user_deny(coroprof_co to, unsigned long flags, struct user *user, struct thread *self)
{
	struct coroprof_user_mode mode = {
		.size = sizeof(mode), .reason = user->denied,
	};
	int saved = errno;

	ioctl(self->channel, COROPROF_IOC_USER, &mode);
	coroprof_debug("counters can't be read from user mode any more: reason %u, on by ioctl",
		       mode.reason);
	coroprof_user_leave();
	errno = saved;
	coroprof_switch_ioctl(to, flags);
}
