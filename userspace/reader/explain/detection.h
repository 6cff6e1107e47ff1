/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was detected of the programs that a command runs, as far as it explains why
 * nothing of them is recorded. A process that has ended can't be looked at any
 * more: so it is noted while they live.
 */
#ifndef COROPROF_DETECTION_H
#define COROPROF_DETECTION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "explain/runtime.h"

#define DETECTIONS_MAX	16
#define DETECTIONS_FILES	512
#define DETECTIONS_PARENTS	64

/* What explains most comes first. */
enum detection_kind {
	DETECTED_CLEARS,		/* runs others without the environment */
	DETECTED_PRIVILEGED,	/* runs with other rights */
	DETECTED_FILTER,		/* forbids itself what the library calls */
	DETECTED_ASAN,		/* ends at once, unless it is to bear the preload library */
	DETECTED_EMPTIED,		/* nothing of the environment came to it */
	DETECTED_REPLACED,		/* LD_PRELOAD did not */
	DETECTED_PRIVATE_DEV,	/* its /dev lacks the device */
	DETECTED_RIGHTS,		/* it may not open the device */
	DETECTED_ROOT_PRELOAD,	/* its root directory lacks the preload library */
	DETECTED_ROOT_DEVICE,	/* and this one the device */
	DETECTED_MUSL,
	DETECTED_RUNTIME,
	DETECTED_STATIC,
	DETECTED_STATIC_SHELL,	/* and what it starts need not be */
};

/**
 * struct detection - one explanation
 * @kind:    of it
 * @runtime: with DETECTED_RUNTIME
 * @pid:     process that was seen, 0 if only its file was
 * @bare:    that process has neither the preload library nor libcoroprof
 * @program: path of the executable; of the root directory, with DETECTED_ROOT_*
 * @file:    path of the file that shows it; what else shows it, as cause.c has it: LD_PRELOAD, who
 *           made the /dev, the user
 */
struct detection {
	enum detection_kind kind;
	const struct runtime *runtime;
	pid_t pid;
	bool bare;
	char program[PATH_MAX];
	char file[PATH_MAX];
};

/**
 * struct detections - all of them
 * @preload:  path of the preload library, "" if it is not used
 * @all:      no two that say the same
 * @nr:       how many
 * @device:   of files that need not be looked at again
 * @inode:    of these
 * @nr_files: how many
 * @recorded: programs of which a process is recorded
 * @nr_recorded: how many
 * @parents:  processes of such a program that have one among their descendants
 * @nr_parents: how many
 * @worked:   the command did not fail: what would have ended it at once has not
 * @loaded:   a process was seen with the preload library, or libcoroprof
 */
struct detections {
	char preload[PATH_MAX];
	struct detection all[DETECTIONS_MAX];
	unsigned int nr;
	uint64_t device[DETECTIONS_FILES];
	uint64_t inode[DETECTIONS_FILES];
	unsigned int nr_files;
	char recorded[DETECTIONS_MAX][PATH_MAX];
	unsigned int nr_recorded;
	pid_t parents[DETECTIONS_PARENTS];
	unsigned int nr_parents;
	bool worked;
	bool loaded;
};

/* Looks at a living process: its executable, its mappings, its root directory. */
void detect_process(struct detections *detections, pid_t pid);

/* Looks at an executable. */
void detect_program(struct detections *detections, const char *path);
/* Looks whether a root directory has the preload library and the device. @path: the program. */
void detect_root(struct detections *detections, const char *root, const char *path,
		 pid_t pid);

/*
 * A process has put a filter of system calls in place, and is recorded no more: it is reported in
 * any case.
 */
void detect_filter(struct detections *detections, pid_t pid, const char *comm);

/* A word in front of a command, such as "LD_PRELOAD=x". */
void detect_word(struct detections *detections, const char *word);

/*
 * A thread of @pid is recorded: forgets what was seen of it, and of the processes that it descends
 * from and that run the same program. A master has no coroutines of its own.
 */
void detections_forget(struct detections *detections, pid_t pid);

/*
 * Puts what explains most into @err, behind what is there. With @beside: only
 * what is not recorded beside others that are. False for nothing.
 */
bool detections_report(const struct detections *detections, bool beside, struct error *err);

#endif /* COROPROF_DETECTION_H */
