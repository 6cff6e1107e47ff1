/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a test and the program caller know of each other. The test executes caller_32 or caller_64,
 * of the same source, with descriptors of the module; caller uses each of them, and writes down
 * what came of it.
 */
#ifndef _CALLER_H
#define _CALLER_H

/* The descriptors that caller inherits, by these numbers. */
enum {
	CALLER_ANSWERS = 40,	/* a pipe: struct caller_answers */
	CALLER_CONTROL,
	CALLER_PROCESS,
	CALLER_CHANNEL,
	CALLER_SESSION,		/* of which channel 1 has a ring */
	CALLER_VIEW,
};

/* What caller does. Of each the answer is 0, or a negative errno. */
enum {
	CALLER_OPEN,
	CALLER_INFO,
	CALLER_MAKE_PROCESS,
	CALLER_LABEL,
	CALLER_MAP_PROCESS,
	CALLER_SWITCH,
	CALLER_MAP_CHANNEL,
	CALLER_STOP,
	CALLER_READ,
	CALLER_MAP_RING,
	CALLER_TOUCHED,
	CALLER_MAP_VIEW,
	/* Of caller_64 on x86, by int $0x80; elsewhere, and of caller_32, 0. */
	CALLER_OPEN_32,
	CALLER_INFO_32,
	CALLER_CALLS
};

struct caller_answers {
	int calls[CALLER_CALLS];
	/* Of caller_visited(), after it was called: what is there if no probe is. */
	int no_probe;
};

/* Comes before the code of caller_visited() in the file. It is called before all else. */
#define CALLER_MARK	"caller_visited()"

#endif /* _CALLER_H */
