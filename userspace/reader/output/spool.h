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
 * @temporary: nobody asked for it: it goes when the outputs are there
 */
struct spool {
	char path[PATH_MAX];
	bool temporary;
};

/*
 * The .cprof among the outputs; without outputs, SPOOL_DEFAULT; else a
 * temporary file beside the first of them, for which there is room then, too.
 */
int spool_choose(struct spool *spool, const struct output *outputs,
		 unsigned int nr, struct error *err);

#endif /* COROPROF_SPOOL_H */
