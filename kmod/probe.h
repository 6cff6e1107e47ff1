/* SPDX-License-Identifier: GPL-2.0 */
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
 * @reg:    where the register is in struct pt_regs
 * @offset: added to it
 */
struct coroprof_place {
	u32 kind;
	int reg;
	s64 offset;
};

/**
 * struct coroprof_probed - a probe of a session
 *
 * Made by PROBE, and gone when the session is released: first it is unregistered, and its
 * handlers are waited for; so a handler finds the session, and all that this holds. None of
 * it changes.
 *
 * The handler is called by the thread that has come to the probe, which may sleep. It
 * allocates only for what it meets first (a process, a thread, a key, a label), takes no
 * lock but then, and reads user memory only where the probe says that the key is in memory, and
 * for the label of a coroutine that is new. What the program shows it is believed in nothing:
 * a number is looked up, and that is all.
 *
 * @consumer: registered
 * @node:     in session->probes; session->control_lock
 * @session:  whose
 * @file:     held
 * @uprobe:   coroprof_uprobe_register()
 * @role:     COROPROF_PROBE_*
 * @offset:   as in the ABI; these four
 * @address:  likewise
 * @key:      likewise
 * @label:    likewise
 * @len:      of @path
 * @path:     the file's, if there is a label
 */
struct coroprof_probed {
	struct uprobe_consumer consumer;
	struct list_head node;
	struct coroprof_session *session;
	struct file *file;
	void *uprobe;
	u32 role;
	u64 offset;
	u64 address;
	struct coroprof_place key;
	struct coroprof_place label;
	u32 len;
	char path[COROPROF_LABEL_TEXT_MAX];
};

/* May sleep. */
long coroprof_probe_add(struct coroprof_session *session, void __user *arg);
void coroprof_probes_remove(struct coroprof_session *session);
void coroprof_probes_leave(struct coroprof_process *process);

#endif /* COROPROF_PROBE_H */
