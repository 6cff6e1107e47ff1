/* SPDX-License-Identifier: GPL-2.0 */
/* The descriptor of a session. */
#ifndef COROPROF_SESSION_FILE_H
#define COROPROF_SESSION_FILE_H

/* COROPROF_IOC_SESSION */
long coroprof_session_open(void __user *arg);

#endif /* COROPROF_SESSION_FILE_H */
