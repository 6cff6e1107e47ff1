/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --snapshot: another coroprof asks a flight recorder, by its pid, for what it keeps, and is
 * reported where that is. They meet at a socket that has a name but no file. The recorder hears its
 * own user and root.
 */
#ifndef COROPROF_SNAPSHOT_H
#define COROPROF_SNAPSHOT_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/**
 * struct snapshot - the recorder's end
 * @fd:    where others come; -1: nobody can
 * @asker: who waits for an answer; -1: nobody
 */
struct snapshot {
	int fd;
	int asker;
};

/* Opens the socket. Without it a recorder still works, and a warning says so. */
void snapshot_begin(struct snapshot *snapshot);

/* True if a request has come that is to be answered. */
bool snapshot_asked(struct snapshot *snapshot);

/* Answers the request: @path of the file, or NULL and the reason, @why. */
void snapshot_answer(struct snapshot *snapshot, const char *path, const char *why);

void snapshot_end(struct snapshot *snapshot);

/* The other side: asks the recorder @pid for a file, and waits for its @path. */
int snapshot_take(pid_t pid, char *path, size_t capacity, struct error *err);

#endif /* COROPROF_SNAPSHOT_H */
