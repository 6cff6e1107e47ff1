// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel keeps what a filter says from modules, and a task that has one can't be asked
 * what it permits. But each is made by one function of the kernel. When that returns, the
 * filter is not in place yet: it is asked here about the calls that a known process makes.
 */
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <linux/filter.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/ptrace.h>
#include <linux/seccomp.h>

#include "../uapi/coroprof.h"
#include "compat.h"
#include "filter.h"
#include "process.h"

#if IS_ENABLED(CONFIG_SECCOMP_FILTER) && IS_ENABLED(CONFIG_KRETPROBES)

/* So many tasks of known processes may be making filters at once: more would not be seen. */
#define MAKING_MAX 128

/* Its descriptors may have any number. */
#define DESCRIPTOR S32_MAX

/* Without any of these a process can't be recorded; without TRACE it has no traces. */
static const u32 calls[] = {
	COROPROF_IOC_PROCESS, COROPROF_IOC_THREAD, COROPROF_IOC_LABEL, COROPROF_IOC_SWITCH,
	COROPROF_IOC_READ, COROPROF_IOC_LEAVE, COROPROF_IOC_WANTED, COROPROF_IOC_USER,
	COROPROF_IOC_SPAN,
};

/**
 * struct making - the calling task makes a filter
 * @to: where it will be
 */
struct making {
	struct bpf_prog **to;
};

static bool permits(const struct bpf_prog *filter, u32 command)
{
	struct seccomp_data data = {
		.nr = __NR_ioctl,
		.arch = syscall_get_arch(current),
		.args = { DESCRIPTOR, command },
	};
	u32 action = coroprof_bpf_run(filter, &data) & SECCOMP_RET_ACTION_FULL;

	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

static bool permits_all(const struct bpf_prog *filter)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (!permits(filter, calls[i]))
			return false;
	}
	return true;
}

/*
 * Only seccomp has the instructions checked in a way of its own, by its third argument. Other
 * filters are of packets, and must not be asked about calls. Nor does anybody else's matter: who
 * made many and had the kernel wait for their instructions would hide those of all others.
 * Returns whether to leave it alone.
 */
static int filter_begin(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct making *making = (void *)instance->data;

	making->to = (struct bpf_prog **)regs_get_kernel_argument(regs, 0);
	return !regs_get_kernel_argument(regs, 2) || !coroprof_process_may_refuse();
}

static int filter_made(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct making *making = (void *)instance->data;

	if ((int)regs_return_value(regs))
		return 0;
	if (!permits_all(*making->to))
		coroprof_process_refuse(false);
	else if (!permits(*making->to, COROPROF_IOC_TRACE))
		coroprof_process_refuse(true);
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name = "bpf_prog_create_from_user",
	.entry_handler = filter_begin,
	.handler = filter_made,
	.data_size = sizeof(struct making),
	.maxactive = MAKING_MAX,
};

static bool probed;

/* Without it all else works. */
void coroprof_filter_init(void)
{
	int err = register_kretprobe(&probe);

	probed = !err;
	if (err)
		pr_notice("coroprof: can't see filters of system calls: error %d. A program that forbids itself ioctl() while it is recorded may be killed\n",
			  err);
}

void coroprof_filter_exit(void)
{
	if (probed)
		unregister_kretprobe(&probe);
}

#endif
