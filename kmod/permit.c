// SPDX-License-Identifier: GPL-2.0
/*
 * What the calling task may do by its rights and by the kernel's settings: count, sample, call from
 * a program of 32 bits. Decides about no other task; attach.c does.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "permit.h"
#include "settings.h"

static bool group_may_count;
module_param(group_may_count, bool, 0644);
MODULE_PARM_DESC(group_may_count,
		 "Who may open the device may count user mode, whatever kernel.perf_event_paranoid says");

/**
 * coroprof_permit_counting() - may the calling task count, and sample, tasks?
 * @kernel: kernel mode, too
 *
 * Whose tasks is another question, see attach.c.
 */
int coroprof_permit_counting(bool kernel)
{
	int paranoid;

	if (perfmon_capable())
		return 0;
	paranoid = coroprof_setting_paranoid();
	if (kernel && paranoid >= COROPROF_PARANOID_KERNEL)
		return -EPERM;
	return paranoid >= COROPROF_PARANOID_ALL && !READ_ONCE(group_may_count) ? -EACCES : 0;
}

/* Samples a second, at most as many as perf takes. */
u32 coroprof_permit_frequency(u32 wanted)
{
	return min_t(u32, wanted, max(coroprof_setting_max_rate(), 1));
}

/* Of the calling task's program, whatever the task is doing right now. */
static bool is_32bit(void)
{
#if IS_ENABLED(CONFIG_X86)
	return test_thread_flag(TIF_ADDR32);
#else
	return is_compat_task();
#endif
}

static int refuse_32bit(void)
{
	pr_notice_once("coroprof: %s[%d] is refused, as the module serves no 32-bit program, nor 32-bit system calls of a 64-bit one. Build the program for 64 bits. Others are refused without a message\n",
		       current->comm, task_tgid_nr(current));
	return -EOPNOTSUPP;
}

int coroprof_permit_call(void)
{
	return in_compat_syscall() ? refuse_32bit() : 0;
}

int coroprof_permit_program(void)
{
	return is_32bit() ? refuse_32bit() : 0;
}
