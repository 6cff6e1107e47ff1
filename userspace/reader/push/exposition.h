/* SPDX-License-Identifier: GPL-2.0 */
/* A book of sums since the begin, as counters and histograms of OpenMetrics, without times. */
#ifndef COROPROF_EXPOSITION_H
#define COROPROF_EXPOSITION_H

#include <stdio.h>

#include "push/book.h"

#define EXPOSITION_TYPE	"application/openmetrics-text; version=1.0.0; charset=utf-8"

void exposition_write(FILE *to, const struct book *book);

#endif /* COROPROF_EXPOSITION_H */
