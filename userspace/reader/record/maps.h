/* SPDX-License-Identifier: GPL-2.0 */
/* Makes MAPS segments, see cprof/format.h, from /proc/PID/maps. */
#ifndef COROPROF_MAPS_H
#define COROPROF_MAPS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/util.h"
#include "symbols/buildid.h"

/*
 * Fills @payload with the executable mappings of a process. -ESRCH when the
 * process is gone, or may not be looked into.
 */
int maps_read(struct buffer *payload, uint32_t process_id, pid_t pid,
	      struct build_ids *ids, struct error *err);

/* The same from an open file in the form of /proc/PID/maps. */
int maps_parse(struct buffer *payload, FILE *file, pid_t pid,
	       struct build_ids *ids, struct error *err);

#endif /* COROPROF_MAPS_H */
