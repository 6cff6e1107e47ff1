// SPDX-License-Identifier: GPL-2.0
/*
 * coroprof_simpmu: a simulated CPU PMU. For tests only.
 *
 * A virtual machine without a PMU gets one whose counters are driven by hand:
 *
 *   echo cycles 1000 cache-misses 3 > /dev/coroprof_simpmu
 *
 * makes every event that is active on this CPU at this moment count as if the
 * writing task had just caused 1000 cycles and 3 cache misses in user mode.
 * "cycles:k 10" is kernel mode, "r1a3 5" the raw event 0x1a3. One write is one
 * moment: nothing can be scheduled in between.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "simpmu.h"

#define SIMPMU_ADDS_MAX		32
#define SIMPMU_TEXT_MAX		1024

static ssize_t simpmu_write(struct file *file, const char __user *buf,
			    size_t size, loff_t *pos)
{
	struct simpmu_add adds[SIMPMU_ADDS_MAX];
	char *text;
	int nr;

	if (size > SIMPMU_TEXT_MAX)
		return -EINVAL;
	text = memdup_user_nul(buf, size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	nr = simpmu_parse(text, adds, SIMPMU_ADDS_MAX);
	kfree(text);
	if (nr < 0)
		return nr;
	simpmu_count(adds, nr);
	return size;
}

static const struct file_operations simpmu_fops = {
	.owner	= THIS_MODULE,
	.open	= nonseekable_open,
	.write	= simpmu_write,
};

static struct miscdevice simpmu_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "coroprof_simpmu",
	.mode	= 0600,
	.fops	= &simpmu_fops,
};

static int __init simpmu_init(void)
{
	int err;

	err = simpmu_pmu_init();
	if (err)
		return err;
	err = simpmu_defect_init();
	if (err)
		goto err_pmu;
	err = misc_register(&simpmu_device);
	if (err)
		goto err_defect;
	pr_warn("hardware events on this machine are SIMULATED from now on\n");
	return 0;

err_defect:
	simpmu_defect_exit();
err_pmu:
	simpmu_pmu_exit();
	return err;
}
module_init(simpmu_init);

static void __exit simpmu_exit(void)
{
	misc_deregister(&simpmu_device);
	simpmu_defect_exit();
	simpmu_pmu_exit();
}
module_exit(simpmu_exit);

MODULE_DESCRIPTION("Simulated CPU PMU, for tests only: its counts are not real");
MODULE_LICENSE("GPL");
