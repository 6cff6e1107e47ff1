/* SPDX-License-Identifier: GPL-2.0 */
/* Why an event can't be counted, in words: for who records and who reads. */
#ifndef COROPROF_READER_REASON_H
#define COROPROF_READER_REASON_H

/*
 * Of the errno @code that perf gave for a counter. What the machine at hand is
 * like plays no part: a recording is read on another. NULL for a number that
 * is no errno.
 */
const char *reason_counter(int code);

#endif /* COROPROF_READER_REASON_H */
