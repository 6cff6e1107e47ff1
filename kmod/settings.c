// SPDX-License-Identifier: GPL-2.0
/*
 * Most kernels keep these from modules, and then this file is built. They are read as anybody
 * reads them, from files that were opened as the module was loaded, by who loaded it: what is
 * mounted on /proc for the calling task is of no matter.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "settings.h"

#define SETTING(name) "/proc/sys/kernel/" name

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

void coroprof_settings_init(void)
{
	paranoid_file = open_setting(SETTING("perf_event_paranoid"));
	rate_file = open_setting(SETTING("perf_event_max_sample_rate"));
}

void coroprof_settings_exit(void)
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

int coroprof_setting_paranoid(void)
{
	return read_setting(paranoid_file, COROPROF_PARANOID_ALL);
}

int coroprof_setting_max_rate(void)
{
	return read_setting(rate_file, 1);
}
