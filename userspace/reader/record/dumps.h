/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a flight recorder keeps becomes files while it goes on: NAME-1.cprof, NAME-2.cprof and so
 * on, of which those are left out that are there. A child writes them: it has what was kept as it
 * was when it was forked, while the recorder reads rings and drops what is old. If it can't write
 * the file, it tries again, some times, with the same. A file appears whole or not at all.
 */
#ifndef COROPROF_DUMPS_H
#define COROPROF_DUMPS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/util.h"

struct keep;
struct keep_part;

/**
 * struct dumps - files that are written
 * @name:     how their names begin
 * @quiet:    only failures are said
 * @nr:       number of the last
 * @fd:       says how it goes with the one that is being written; -1: none is
 * @path:     of that, or of the last one
 * @why:      it could not be written; its code is 0 if it was
 * @written:  so many were
 * @failed:   so many could not be
 */
struct dumps {
	const char *name;
	bool quiet;
	unsigned int nr;
	int fd;
	char path[PATH_MAX];
	struct error why;
	unsigned int written;
	unsigned int failed;
};

void dumps_begin(struct dumps *dumps, const char *name, bool quiet);

/* True while a file is being written. */
static inline bool dumps_busy(const struct dumps *d)
{
	return d->fd >= 0;
}

/*
 * Begins to write a file, while none is being written. @part: the part of what is kept, or NULL for
 * all. @info: keys and values for INFO. Fails if no child can be created.
 */
int dumps_take(struct dumps *dumps, struct keep *keep, const struct keep_part *part,
	       const struct buffer *info, struct error *err);

/*
 * Reads the progress of the child, and reports it on standard error. True once it is over: @path is
 * written, or @why has the reason.
 */
bool dumps_look(struct dumps *dumps);

/* Waits until no file is being written. */
void dumps_end(struct dumps *dumps);

#endif /* COROPROF_DUMPS_H */
