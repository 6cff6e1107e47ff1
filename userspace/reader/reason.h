/* SPDX-License-Identifier: GPL-2.0 */
/* Why an event can't be counted, in words: for who records and who reads. */
#ifndef COROPROF_READER_REASON_H
#define COROPROF_READER_REASON_H

#include <stdbool.h>

/*
 * Of the errno @code that perf gave for a counter. What the machine at hand is
 * like plays no part: a recording is read on another. NULL for a number that
 * is no errno.
 */
const char *reason_counter(int code);

/* It says that there is no such event. */
bool reason_no_such_event(int code);

/* Why no event of a CPU can be counted where no PMU counts them. */
const char *reason_no_pmu(bool hypervisor);

/* Whether a PMU called so counts what a CPU does. */
bool reason_is_cpu_pmu(const char *name);

#endif /* COROPROF_READER_REASON_H */
