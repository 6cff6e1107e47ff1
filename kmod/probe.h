/* SPDX-License-Identifier: GPL-2.0 */
/* A probe of a session, and what its handlers may do. */
#ifndef COROPROF_PROBE_H
#define COROPROF_PROBE_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/uprobes.h>

#include "../uapi/coroprof.h"

struct coroprof_process;
struct coroprof_session;

/**
 * struct coroprof_place - struct coroprof_where, checked
 * @kind:   COROPROF_WHERE_*
 * @reg:    offset of the register in struct pt_regs
 * @offset: to be added to the register's value
 */
struct coroprof_place {
	u32 kind;
	int reg;
	s64 offset;
};

/**
 * struct coroprof_probed - a probe of a session
 *
 * PROBE makes it, the release of the session frees it: first the probe is unregistered and
 * all its handlers are waited for. So a handler always finds the session and what this
 * structure holds. Nothing in it changes but @next, once.
 *
 * The thread that hits the probe calls the handler, which may sleep. The handler allocates
 * memory, and takes locks, only for what it sees for the first time: a process, a thread, a
 * key, a label. It reads user memory only if the probe says that the key is in memory, and
 * for the label of a new coroutine, and only if the session's opener may trace the thread at that
 * moment. It trusts nothing that the program shows: it looks a number up, and does nothing else
 * with it.
 *
 * @consumer: registered, if it is the first one at its instruction
 * @node:     in session->probes; session->control_lock
 * @session:  the session
 * @file:     held; keeps the file system of @inode
 * @inode:    that has the instruction, when the probe came; held
 * @uprobe:   what coroprof_uprobe_register() returned; NULL of those that follow it
 * @next:     the next one at its instruction, or NULL; written with session->control_lock
 *            held, and published by a release
 * @role:     COROPROF_PROBE_*
 * @offset:   as in the ABI
 * @address:  as in the ABI
 * @key:      where the key is, as in the ABI
 * @label:    where the label is, as in the ABI
 * @when:     as in the ABI
 * @unless:   COROPROF_WHEN_UNLESS
 * @mask:     as in the ABI
 * @value:    as in the ABI
 * @len:      of @path
 * @path:     of @file, if there is a label
 */
struct coroprof_probed {
	struct uprobe_consumer consumer;
	struct list_head node;
	struct coroprof_session *session;
	struct file *file;
	struct inode *inode;
	void *uprobe;
	struct coroprof_probed *next;
	u32 role;
	u64 offset;
	u64 address;
	struct coroprof_place key;
	struct coroprof_place label;
	struct coroprof_place when;
	bool unless;
	u64 mask;
	u64 value;
	u32 len;
	char path[COROPROF_LABEL_TEXT_MAX];
};

/* May sleep. */
long coroprof_probe_add(struct coroprof_session *session, void __user *arg);
void coroprof_probes_remove(struct coroprof_session *session);
int coroprof_probes_init(void);
void coroprof_probes_exit(void);

#endif /* COROPROF_PROBE_H */
