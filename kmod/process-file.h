/* SPDX-License-Identifier: GPL-2.0 */
/* The descriptor of a process. */
#ifndef COROPROF_PROCESS_FILE_H
#define COROPROF_PROCESS_FILE_H

/* COROPROF_IOC_PROCESS */
long coroprof_process_open(void __user *arg);

#endif /* COROPROF_PROCESS_FILE_H */
