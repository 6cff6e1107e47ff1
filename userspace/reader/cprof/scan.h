/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the segments of a file: by its index; else from one header to the next,
 * and where that fails by looking for the next header that checks.
 */
#ifndef COROPROF_SCAN_H
#define COROPROF_SCAN_H

#include "cprof/file.h"

/* Fills the lists of segments and of corrupt ranges. The first header is at the offset @first. */
int scan(struct file *file, uint64_t first, struct error *err);

#endif /* COROPROF_SCAN_H */
