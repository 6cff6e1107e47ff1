/* SPDX-License-Identifier: GPL-2.0 */
/* Sysctls of perf: kernel.perf_event_paranoid, kernel.perf_event_max_sample_rate. */
#ifndef COROPROF_SETTINGS_H
#define COROPROF_SETTINGS_H

/* Of those without CAP_PERFMON nobody may count from here on, as documented by Debian. */
#define COROPROF_PARANOID_ALL		3
/* Nobody may count kernel mode. */
#define COROPROF_PARANOID_KERNEL	2

/* May sleep. What can't be read is as strict as it can be. */
#ifdef COROPROF_PERF_EXPORTS
#include <linux/perf_event.h>

static inline void coroprof_settings_init(void)
{
}

static inline void coroprof_settings_exit(void)
{
}

static inline int coroprof_setting_paranoid(void)
{
	return perf_event_paranoid();
}

static inline int coroprof_setting_max_rate(void)
{
	return perf_event_max_sample_rate();
}
#else
void coroprof_settings_init(void);
void coroprof_settings_exit(void);
int coroprof_setting_paranoid(void);
int coroprof_setting_max_rate(void);
#endif

#endif /* COROPROF_SETTINGS_H */
