/* SPDX-License-Identifier: GPL-2.0 */
/* MAPS segments: which object file was where in a process. */
#ifndef COROPROF_PROFILE_MAPS_H
#define COROPROF_PROFILE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build;
struct cprof_map;

/* @map: what was mapped; @path: of the file. */
typedef void (*maps_take)(struct build *b, void *context, uint32_t process,
			  const struct cprof_map *map, const char *path);
/* Calls @take for each mapping, in the order of the file. The path does not end with a NUL. */
void maps_for_each(struct build *b, maps_take take, void *context);

/*
 * Why the file of an object can't be known, or NULL: by its name alone it may be
 * another one where the process has another root directory. After maps_for_each().
 */
const char *maps_object_fault(const struct build *b, uint32_t process,
			      bool mapped, size_t build_id_len);

#endif /* COROPROF_PROFILE_MAPS_H */
