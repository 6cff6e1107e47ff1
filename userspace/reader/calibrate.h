/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What recording itself costs: this program switches between coroutines of its
 * own that do nothing.
 */
#ifndef COROPROF_CALIBRATE_H
#define COROPROF_CALIBRATE_H

#include "coroprof.h"
#include "error.h"

/**
 * struct calibration - the cost of one switch
 * @ns:           time
 * @instructions: in user and kernel mode; negative when they can't be counted,
 *                for which CAP_PERFMON is needed
 */
struct calibration {
	double ns;
	double instructions;
};

/* Measures it with the @nr counters of a session. */
int calibrate(struct calibration *calibration,
	      const struct coroprof_counter *counters, unsigned int nr,
	      struct error *err);

#endif /* COROPROF_CALIBRATE_H */
