/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --push-dumps: each file that a flight recorder writes while it goes on is sent, too: as a profile of
 * pprof to Pyroscope, or as it is. A thread of its own reads them, makes profiles and sends, and has a
 * queue of its own, beside that of sums: a dump is a thousand times as large as a request.
 */
#ifndef COROPROF_UPLOAD_H
#define COROPROF_UPLOAD_H

#include "base/error.h"

struct push_options;
struct upload;

/* @options stay the caller's. */
int upload_begin(struct upload **upload, const struct push_options *options, struct error *err);
void upload_end(struct upload *upload);

/* ---- the thread that records, which waits for nothing */

int upload_start(struct upload *upload, struct error *err);
/* That file is there now. */
void upload_add(struct upload *upload, const char *path);
/* No more will be. Waits until all are sent, or for as long as UPLOAD_LAST_NS. */
void upload_stop(struct upload *upload);

#endif /* COROPROF_UPLOAD_H */
