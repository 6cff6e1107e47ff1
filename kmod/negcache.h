/* SPDX-License-Identifier: GPL-2.0 */
/* A cache of programs that a session does not record. */
#ifndef COROPROF_NEGCACHE_H
#define COROPROF_NEGCACHE_H

#include <linux/spinlock.h>
#include <linux/types.h>

/* How many programs are remembered. A power of two. */
#define COROPROF_NEGCACHE_MAX 64

enum coroprof_refusal {
	COROPROF_NOT_REFUSED,
	COROPROF_UNWANTED,	/* the session does not record its process */
	COROPROF_NO_ROOM,	/* it does, but has no memory, or no slot, for the thread */
};

/**
 * struct coroprof_negcache - programs that a session does not record though they hit its probes
 *
 * Only under coroprof_mutex can the module find out whether a session wants a thread, and a
 * thread that is refused may hit the probe again at once. So the module remembers it, until
 * a session begins to follow a process, a session is started anew, or a process that probes
 * have hit ends. A program whose place another has taken is looked at again.
 *
 * @lock: protects @of; handlers and filters of probes take it, and no lock inside it
 * @of:   by the thread group's id; an entry counts only if its age is the present one
 */
struct coroprof_negcache {
	spinlock_t lock; /* over @of */
	struct {
		pid_t tgid;
		u64 started;
		u64 exec_id;
		int age;
		enum coroprof_refusal why;
	} of[COROPROF_NEGCACHE_MAX];
};

void coroprof_negcache_init(struct coroprof_negcache *negcache);

/*
 * About the program of the calling process. @age: what coroprof_negcache_age() returned before
 * the program was looked at.
 */
void coroprof_negcache_add(struct coroprof_negcache *negcache, enum coroprof_refusal why, int age);
enum coroprof_refusal coroprof_negcache_as(struct coroprof_negcache *negcache);

int coroprof_negcache_age(void);

/* Call it after anything has changed that may make a session want what it refused. */
void coroprof_negcache_forget(void);

#endif /* COROPROF_NEGCACHE_H */
