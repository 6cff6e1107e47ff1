/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures of tables as OpenMetrics, for Prometheus and what reads its format.
 *
 * A metric is a column, coroprof_TABLE_COLUMN, times in seconds; its labels are what
 * names the row. All are gauges, for what a recording adds up to does not count on.
 * A cell without a value is left out, and its reason reported by coroprof_absent where
 * it is one of the whole recording; what is no plain number has a label "standing".
 * Each line has the time at which the recording ended, or, with nothing in it, began.
 * coroprof_recording_info has what the header of a text table says.
 */
#ifndef COROPROF_OPENMETRICS_H
#define COROPROF_OPENMETRICS_H

#include <stdio.h>

#include "profile/model.h"

/* Returns 0, or -1 with errno when @file could not be written. */
int openmetrics_write(const struct model *model, FILE *file);

#endif /* COROPROF_OPENMETRICS_H */
