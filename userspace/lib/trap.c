// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel may take back the permission to read counters at any time, for instance
 * by "sysctl --system". From then on each read ends in a signal that ends the program.
 * While a thread is in user mode a handler stands in for the default action of that
 * signal: it answers the read, and has the next switch leave user mode. Where the
 * program has a handler of its own there is none of ours, nor where the thread blocks
 * the signal; the man page says so.
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

	if (ioctl(here.channel, COROPROF_IOC_READ, &totals) || totals.nr_counters <= i)
		return 0;
	return totals.count[i] - user->current->count[i];
}

/* Not ours, or of somebody who reads counters by himself. */
static bool answer(ucontext_t *at)
{
	const struct user *user = here.own;
	unsigned int skip;
	uint32_t number, i;

	/* Only in the middle of a switch or span is here.user taken. */
	if (!here.user_mode || here.user || !user || here.telling)
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

/* As if there were no handler: what was executed is executed again, what was sent is sent. */
static void be_default(const siginfo_t *info)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	sigaction(TRAP, &action, NULL);
	if (info->si_code <= 0)
		raise(TRAP);
}

static void on_trap(int signal, siginfo_t *info, void *at)
{
	int saved = errno;

	(void)signal;
	if (answer(at)) {
		here.own->denied = COROPROF_REASON_ACCESS;
		here.path = coroprof_user_deny;
	} else {
		be_default(info);
	}
	errno = saved;
}

static bool is_default(const struct sigaction *action)
{
	return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

static bool is_ours(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_trap;
}

/*
 * Another thread may set a handler of the program's meanwhile. What is in the place of
 * ours is told by who puts it there: it goes back, but not over one that came later.
 */
static void put_back(struct sigaction *theirs)
{
	struct sigaction found;

	while (!sigaction(TRAP, theirs, &found) && !is_ours(&found))
		*theirs = found;
}

void coroprof_trap_catch(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction old;

	if (sigaction(TRAP, NULL, &old) || !is_default(&old))
		return;
	sigemptyset(&action.sa_mask);
	if (!sigaction(TRAP, &action, &old) && !is_default(&old) && !is_ours(&old))
		put_back(&old);
}

#else

void coroprof_trap_catch(void)
{
}

#endif

/* In place of the fast case: leave user mode for good, and switch by ioctl. */
void coroprof_user_deny(coroprof_co to, unsigned long flags, struct user *user, struct thread *self)
{
	struct coroprof_user_mode offer = {
		.size = sizeof(offer), .reason = user->denied,
	};
	int saved = errno;

	ioctl(self->channel, COROPROF_IOC_USER, &offer);
	coroprof_debug("counters can't be read from user mode any more: reason %u, on by ioctl",
		       offer.reason);
	coroprof_user_leave();
	errno = saved;
	coroprof_switch_ioctl(to, flags);
}
