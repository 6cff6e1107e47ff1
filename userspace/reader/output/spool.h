/* SPDX-License-Identifier: GPL-2.0 */
/* Where a recording is kept until the outputs have been made of it. */
#ifndef COROPROF_SPOOL_H
#define COROPROF_SPOOL_H

#include <limits.h>
#include <stdbool.h>

#include "output/output.h"

#define SPOOL_DEFAULT	"coroprof.cprof"

/**
 * struct spool - the file of a recording
 * @path:      its name
 * @name:      the one it takes when it has ended, or nothing. What was recorded under that
 *             name before stays until then
 * @temporary: nobody asked for it: it goes when the outputs are there
 */
struct spool {
	char path[PATH_MAX];
	char name[PATH_MAX];
	bool temporary;
};

/*
 * The .cprof among the outputs, with ".part" behind it; without outputs, SPOOL_DEFAULT; else a
 * temporary file beside the first of them, for which there is room then, too.
 */
int spool_choose(struct spool *spool, const struct output *outputs,
		 unsigned int nr, struct error *err);

/* Gives a recording that has ended its name; with @sync it is on the disk before. */
int spool_finish(struct spool *spool, bool sync, struct error *err);

#endif /* COROPROF_SPOOL_H */
