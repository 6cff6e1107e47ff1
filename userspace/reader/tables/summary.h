/* SPDX-License-Identifier: GPL-2.0 */
/* The recording in one line, which every output begins with. */
#ifndef COROPROF_TABLES_SUMMARY_H
#define COROPROF_TABLES_SUMMARY_H

#include "profile/model.h"

#define SUMMARY_SIZE	256

/* "event loop busy 24.1 %, idle 74.0 %; coroutines blocked 0 ns" */
void summary_write(const struct model *model, char to[SUMMARY_SIZE]);

#endif /* COROPROF_TABLES_SUMMARY_H */
