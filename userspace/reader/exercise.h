/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program that does nothing but switch between coroutines, to be recorded: a
 * child of this one, with libcoroprof, as any program that uses it.
 */
#ifndef COROPROF_EXERCISE_H
#define COROPROF_EXERCISE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

/**
 * struct exercise - what the child measured of itself
 * @switch_ns: the time of one switch
 * @counted:   @switch_count is
 * @switch_count: the last counter of the session, of one switch
 */
struct exercise {
	double switch_ns;
	bool counted;
	double switch_count;
};

/*
 * Runs it within the session of @token. @by_ioctl: it is not to switch from user
 * mode. @last: number of the session's last counter.
 */
int exercise_run(struct exercise *exercise, uint64_t token, bool by_ioctl,
		 unsigned int last, struct error *err);

#endif /* COROPROF_EXERCISE_H */
