/* SPDX-License-Identifier: GPL-2.0 */
/* Makes INFO and COUNTERS segments, see cprof/format.h. */
#ifndef COROPROF_DESCRIBE_H
#define COROPROF_DESCRIBE_H

#include "base/util.h"
#include "events/events.h"
#include "explain/machine.h"
#include "record/calibrate.h"
#include "record/options.h"

/* Appends one key and its value. */
int describe_add(struct buffer *payload, const char *key, struct error *err,
	     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Appends CLOCK_MONOTONIC and CLOCK_REALTIME of one moment. */
int describe_clocks(struct buffer *payload, struct error *err);

/* Appends all that is known when a recording begins. */
int describe_recording(struct buffer *payload, const struct record_options *options,
	      const struct machine *machine, unsigned int abi_level,
	      struct error *err);

int describe_cost(struct buffer *payload, const struct calibration *cost,
		  struct error *err);
/* Appends what a probe costs. */
int describe_probes(struct buffer *payload, const struct calibration *cost,
		    struct error *err);

/* Appends nothing without samples. @note: why the event is another one than asked for, or "". */
int describe_sampling(struct buffer *payload, const struct sampling *sampling,
		      const char *note, struct error *err);

int describe_counters(struct buffer *payload, const struct event *events,
		  unsigned int nr, struct error *err);

#endif /* COROPROF_DESCRIBE_H */
