/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sends what is in a queue, the first of it at a time, until it is taken: what becomes of each, and when
 * it is tried again. Times are of CLOCK_BOOTTIME, which nobody sets.
 */
#ifndef COROPROF_DELIVERY_H
#define COROPROF_DELIVERY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "push/queue.h"
#include "push/sender.h"

/**
 * struct delivery_times - how often it is tried again
 * @first_ns: after so long, then less and less often; 0: the default, as below
 * @most_ns:  at least so often
 * @wrong_ns: where somebody has to mend something
 */
struct delivery_times {
	uint64_t first_ns;
	uint64_t most_ns;
	uint64_t wrong_ns;
};

/**
 * struct delivery - see above
 * @sender:   NULL: nothing is sent
 * @dumps:    each begins with its name and a newline
 * @rejected: points of requests that were taken, since somebody asked
 * @body:     that is being sent
 * @due:      not before
 * @delay_ns: before it is tried again
 * @told:     the last trouble that was reported; SENDER_TAKEN: there is none
 * @told_never, @told_rejected: it was reported
 */
struct delivery {
	struct sender *sender;
	struct queue queue;
	struct delivery_times times;
	bool dumps;
	uint64_t rejected;
	void *body;
	uint64_t due;
	uint64_t delay_ns;
	enum sender_verdict told;
	bool told_never;
	bool told_rejected;
};

/* Takes what the receiver has answered, and sends what is due. */
void delivery_step(struct delivery *delivery);
/* Until @fd is readable, there may be an answer, or something is due. */
void delivery_wait(struct delivery *delivery, int fd);
/* Each once more, as long as they are taken, and for so long. @fd: is not waited for. */
void delivery_last(struct delivery *delivery, uint64_t most_ns, int fd);
void delivery_end(struct delivery *delivery);

/* A thread that sends, and takes no signal that others wait for. */
int delivery_thread(pthread_t *thread, void *(*run)(void *), void *context, struct error *err);

#endif /* COROPROF_DELIVERY_H */
