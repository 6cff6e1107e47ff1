/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What recording itself costs, and whether the counters can be had: this program
 * records itself as it switches between coroutines that do nothing.
 */
#ifndef COROPROF_CALIBRATE_H
#define COROPROF_CALIBRATE_H

#include "coroprof.h"
#include "error.h"

/**
 * struct calibration - what it costs, and what can be counted
 * @ns:           time of one switch
 * @instructions: of one switch, in user and kernel mode; negative when they
 *                can't be counted, for which CAP_PERFMON is needed
 * @errors:       for each counter, the errno for which it is unsupported, or 0
 */
struct calibration {
	double ns;
	double instructions;
	int errors[COROPROF_COUNTERS_MAX];
};

/* Measures it with the @nr counters of a session. */
int calibrate(struct calibration *calibration,
	      const struct coroprof_counter *counters, unsigned int nr,
	      struct error *err);

#endif /* COROPROF_CALIBRATE_H */
