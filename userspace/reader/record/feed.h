/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Somebody who gets what is recorded part by part while it is, beside the file, or the view, that is
 * made of it. All that is called here but @end is called by the thread that reads rings, and must not
 * wait for anything.
 */
#ifndef COROPROF_FEED_H
#define COROPROF_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct flight;

/**
 * struct record_feed - who gets it
 * @every_ns: so often
 * @begin:    the recording runs; a negative errno ends it
 * @look:     of a flight recorder: rings have been read, and perhaps a tick has begun. @last: no more
 *            will be, and this may wait
 * @totals:   of a session of totals, each @every_ns: a recording of all since the begin is at @path
 * @dumped:   of a flight recorder: what it kept has been written to @path, which stays
 * @end:      it has all: called once, if @begin was. May wait
 * @context:  handed to them
 */
struct record_feed {
	uint64_t every_ns;
	int (*begin)(void *context, struct error *err);
	void (*look)(void *context, struct flight *flight, bool last);
	void (*totals)(void *context, const char *path, bool last);
	void (*dumped)(void *context, const char *path);
	void (*end)(void *context);
	void *context;
};

#endif /* COROPROF_FEED_H */
