/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_REFUSED_H
#define COROPROF_REFUSED_H

#include <linux/spinlock.h>
#include <linux/types.h>

/* So many are remembered. A power of two. */
#define COROPROF_REFUSED_MAX 64

enum coroprof_refusal {
	COROPROF_NOT_REFUSED,
	COROPROF_UNWANTED,	/* the session does not take its process */
	COROPROF_NO_ROOM,	/* it does, but there is no memory, or no slot, for the thread */
};

/**
 * struct coroprof_refused - programs that come to the probes of a session in vain
 *
 * To find out whether a session wants a thread takes coroprof_mutex, and a thread that it
 * refuses may come to the probe again at once. So it is remembered, until a session
 * begins to follow somebody or is started anew, or a process that probes have met ends. One
 * that was forgotten, as another took its place, is looked at again.
 *
 * @lock: over @of; taken in handlers of probes alone, inside nothing
 * @of:   by the thread group's id; of an age before the present one nothing is known any more
 */
struct coroprof_refused {
	spinlock_t lock; /* over @of */
	struct {
		pid_t tgid;
		u64 started;
		u64 exec_id;
		int age;
		enum coroprof_refusal why;
	} of[COROPROF_REFUSED_MAX];
};

void coroprof_refused_init(struct coroprof_refused *refused);

/* The program of the calling process. @age: of before it was looked at. */
void coroprof_refused_add(struct coroprof_refused *refused, enum coroprof_refusal why, int age);
enum coroprof_refusal coroprof_refused_as(struct coroprof_refused *refused);

int coroprof_refused_age(void);

/* After what any session refuses may have changed. */
void coroprof_refused_forget(void);

#endif /* COROPROF_REFUSED_H */
