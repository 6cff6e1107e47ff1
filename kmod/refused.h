/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_REFUSED_H
#define COROPROF_REFUSED_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* So many are remembered. A power of two. */
#define COROPROF_REFUSED_MAX 64

/**
 * struct coroprof_refused - programs that come to the probes of a session in vain
 *
 * To find out whether a session wants a thread takes coroprof_mutex, and a thread that it
 * refuses may come to the probe again at once. So it is remembered, until the session
 * begins to follow somebody or is started anew. One that was forgotten, as another took its
 * place, is looked at again.
 *
 * @lock: over @of; taken in handlers of probes alone, inside nothing
 * @age:  raised when what was refused has to be looked at again
 * @of:   by the thread group's id
 */
struct coroprof_refused {
	spinlock_t lock; /* over @of */
	atomic_t age;
	struct {
		pid_t tgid;
		u64 started;
		u64 exec_id;
		int age;
	} of[COROPROF_REFUSED_MAX];
};

void coroprof_refused_init(struct coroprof_refused *refused);

/* The program of the calling process. @age: of before it was looked at. */
void coroprof_refused_add(struct coroprof_refused *refused, int age);
bool coroprof_refused_has(struct coroprof_refused *refused);

static inline int coroprof_refused_age(const struct coroprof_refused *refused)
{
	return atomic_read(&refused->age);
}

/* After what is refused has changed. */
static inline void coroprof_refused_forget(struct coroprof_refused *refused)
{
	atomic_inc_return(&refused->age);
}

#endif /* COROPROF_REFUSED_H */
