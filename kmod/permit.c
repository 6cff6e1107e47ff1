// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "permit.h"

static bool group_may_count;
module_param(group_may_count, bool, 0644);
MODULE_PARM_DESC(group_may_count,
		 "Who may open the device may count user mode, whatever kernel.perf_event_paranoid says");

/*
 * The kernel keeps these from modules. So they are read as anybody reads them, from
 * files that were opened as the module was loaded, by who loaded it: what is mounted on
 * /proc for the calling task is of no matter.
 */
#define SETTING(name) "/proc/sys/kernel/" name

/* Of those without CAP_PERFMON nobody may count from here on, as documented by Debian. */
#define PARANOID_ALL	3
/* Nobody may count kernel mode. */
#define PARANOID_KERNEL	2

static struct file *paranoid_file;
static struct file *rate_file;

static struct file *open_setting(const char *path)
{
	struct file *file = filp_open(path, O_RDONLY, 0);

	if (!IS_ERR(file))
		return file;
	pr_notice("coroprof: can't open %s: error %ld. Mount /proc, then load the module anew\n",
		  path, PTR_ERR(file));
	return NULL;
}

void coroprof_permit_init(void)
{
	paranoid_file = open_setting(SETTING("perf_event_paranoid"));
	rate_file = open_setting(SETTING("perf_event_max_sample_rate"));
}

void coroprof_permit_exit(void)
{
	if (paranoid_file)
		filp_close(paranoid_file, NULL);
	if (rate_file)
		filp_close(rate_file, NULL);
}

static int read_setting(struct file *file, int unknown)
{
	char text[16] = "";
	loff_t pos = 0;
	int value;

	if (!file || kernel_read(file, text, sizeof(text) - 1, &pos) <= 0 ||
	    kstrtoint(strim(text), 10, &value))
		return unknown;
	return value;
}

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
	paranoid = read_setting(paranoid_file, PARANOID_ALL);
	if (kernel && paranoid >= PARANOID_KERNEL)
		return -EPERM;
	return paranoid >= PARANOID_ALL && !READ_ONCE(group_may_count) ? -EACCES : 0;
}

/* Samples a second, at most as many as perf takes. */
u32 coroprof_permit_frequency(u32 wanted)
{
	return min_t(u32, wanted, max(read_setting(rate_file, 1), 1));
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
