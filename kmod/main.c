// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/coroprof: begin and end of the module, and the commands of the node itself. Each step of the
 * beginning is undone in the reverse order.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#include "../uapi/coroprof.h"
#include "args.h"
#include "channel.h"
#include "file-page.h"
#include "filter.h"
#include "lock.h"
#include "permit.h"
#include "probe.h"
#include "process-file.h"
#include "process.h"
#include "quota.h"
#include "session-file.h"
#include "settings.h"

#define FEATURES (COROPROF_FEATURE_SWITCH_IOCTL | COROPROF_FEATURE_SWITCH_USER | \
		  COROPROF_FEATURE_SPANS | COROPROF_FEATURE_SAMPLES | \
		  COROPROF_FEATURE_TOTALS | COROPROF_FEATURE_PROGRAM | COROPROF_FEATURE_ADAPTERS | \
		  COROPROF_FEATURE_TRACES | \
		  (IS_ENABLED(CONFIG_UPROBES) ? \
		   COROPROF_FEATURE_PROBES | COROPROF_FEATURE_CONDITIONS : 0))

static long control_info(void __user *arg)
{
	struct coroprof_info info;
	int err;

	err = coroprof_args_in(&info, sizeof(info), sizeof(info), arg);
	if (err)
		return err;

	info.abi_level = COROPROF_ABI_LEVEL;
	info.features = FEATURES;
	info.slot_size = sizeof(struct coroprof_slot);
	info.page_size = PAGE_SIZE;
	info.counters_max = COROPROF_COUNTERS_MAX;
	info.flags = coroprof_permit_counting(true) ? 0 : COROPROF_INFO_KERNEL_ALLOWED;
	info.flags |= coroprof_permit_counting(false) ? 0 : COROPROF_INFO_COUNTING_ALLOWED;
	return coroprof_args_out(arg, &info, sizeof(info));
}

static long control_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *argp = (void __user *)arg;

	if (_IOC_TYPE(cmd) != COROPROF_IOC_MAGIC)
		return -ENOTTY;

	switch (_IOC_NR(cmd)) {
	case _IOC_NR(COROPROF_IOC_INFO):
		return control_info(argp);
	case _IOC_NR(COROPROF_IOC_PROCESS):
		return coroprof_process_open(argp);
	case _IOC_NR(COROPROF_IOC_SESSION):
		return coroprof_session_open(argp);
	default:
		return -ENOTTY;
	}
}

static int control_open(struct inode *inode, struct file *file)
{
	return coroprof_permit_call();
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.open = control_open,
	.unlocked_ioctl = control_ioctl,
};

/* A udev rule gives the node to the group coroprof: opening it is the first gate. */
static struct miscdevice control = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "coroprof",
	.fops = &control_fops,
	.mode = 0600,
};

static int __init coroprof_init(void)
{
	int err;

	coroprof_never_allocate_under(&coroprof_mutex);
	coroprof_quotas_init();
	err = coroprof_channels_init();
	if (err)
		return err;
	err = coroprof_processes_init();
	if (err)
		goto err_channels;
	err = coroprof_file_pages_init();
	if (err)
		goto err_processes;
	err = coroprof_probes_init();
	if (err)
		goto err_pages;

	coroprof_settings_init();
	coroprof_filter_init();
	err = misc_register(&control);
	if (err)
		goto err_filter;
	return 0;

err_filter:
	coroprof_filter_exit();
	coroprof_settings_exit();
	coroprof_probes_exit();
err_pages:
	coroprof_file_pages_exit();
err_processes:
	coroprof_processes_exit();
err_channels:
	coroprof_channels_exit();
	return err;
}

static void __exit coroprof_exit(void)
{
	misc_deregister(&control);
	coroprof_filter_exit();
	coroprof_settings_exit();
	coroprof_probes_exit();
	coroprof_file_pages_exit();
	coroprof_processes_exit();
	coroprof_channels_exit();
}

module_init(coroprof_init);
module_exit(coroprof_exit);

MODULE_DESCRIPTION("Hardware counters for every coroutine");
MODULE_AUTHOR("The coroprof authors");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
