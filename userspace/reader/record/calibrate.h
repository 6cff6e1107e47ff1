/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What recording itself costs, and what works here: a child that does nothing
 * but switch is recorded, see exercise.h.
 */
#ifndef COROPROF_CALIBRATE_H
#define COROPROF_CALIBRATE_H

#include <stdint.h>

#include "base/error.h"
#include "coroprof.h"

/**
 * struct calibration_cost - of one switch, of begin and end of a span or of what else there is
 * @ns:           time; negative when it was not measured
 * @instructions: by ioctl, in user and kernel mode, for which CAP_PERFMON is
 *                needed; from user mode, in user mode alone; negative when they
 *                can't be counted
 */
struct calibration_cost {
	double ns;
	double instructions;
};

/**
 * struct calibration - what it costs, and what can be had
 * @cost:         of a switch, by COROPROF_MODE_*
 * @span_cost:    of a span, likewise
 * @birth_cost:   of a coroutine's birth and end, without its switches; of @mode
 * @join_cost:    of a thread that begins and ends being recorded, by COROPROF_MODE_*, with a ring
 *                that was ready
 * @ring_cost:    of a ring that is new; of @mode
 * @probe_cost:   of a probe that reports a switch, by calibrate_probes()
 * @probe_birth_cost: likewise what a coroutine's birth takes that probes report, without them
 * @mode:         which the child had when it could choose
 * @reason:       COROPROF_REASON_*, why so
 * @errors:       for each counter, the errno for which it is unsupported, or 0
 * @sample_error: likewise the sampling
 */
struct calibration {
	struct calibration_cost cost[2];
	struct calibration_cost span_cost[2];
	struct calibration_cost birth_cost;
	struct calibration_cost join_cost[2];
	struct calibration_cost ring_cost;
	struct calibration_cost probe_cost;
	struct calibration_cost probe_birth_cost;
	uint16_t mode;
	uint16_t reason;
	int errors[COROPROF_COUNTERS_MAX];
	int sample_error;
};

/* Measures what recording costs with the counters, flags and sampling of a session. */
int calibrate(struct calibration *calibration,
	      const struct coroprof_session_config *config, struct error *err);

/*
 * Measures, after calibrate(), what a probe costs; leaves the cost unknown if no probe can be
 * placed.
 */
void calibrate_probes(struct calibration *calibration,
		      const struct coroprof_session_config *config);

#endif /* COROPROF_CALIBRATE_H */
