/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters of system calls (seccomp) that a process puts in place after it has made itself
 * known. One that refuses ioctl() may kill whoever calls: so the process learns it before that.
 */
#ifndef COROPROF_FILTER_H
#define COROPROF_FILTER_H

#include <linux/kconfig.h>

#if IS_ENABLED(CONFIG_SECCOMP_FILTER) && IS_ENABLED(CONFIG_KRETPROBES)
void coroprof_filter_init(void);
void coroprof_filter_exit(void);
#else
static inline void coroprof_filter_init(void)
{
}

static inline void coroprof_filter_exit(void)
{
}
#endif

#endif /* COROPROF_FILTER_H */
