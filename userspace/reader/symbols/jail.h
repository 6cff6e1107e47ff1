/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that reads what somebody may have written to harm its reader. It has no rights:
 * not the user's where that is root, no capability, no descriptor but one socket, no system
 * call by which it could open, send or start anything, and so much processor time and memory.
 * It asks by the socket for each file, and gets those that are ELF files, open for reading.
 * It dies with its parent.
 */
#ifndef COROPROF_JAIL_H
#define COROPROF_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/util.h"

/**
 * struct jail_limits - what it may take
 * @seconds: of processor time; also how long an answer may take at most
 * @answer_seconds: of processor time for one answer; 0: that is not bounded by itself
 * @bytes:   of memory, beside what the parent has
 */
struct jail_limits {
	unsigned int seconds;
	unsigned int answer_seconds;
	uint64_t bytes;
};

/**
 * struct jail - such a process
 * @pid:    its number; 0: there is none
 * @socket: to it
 * @limits: see there
 * @used_ns: of a processor, up to its last answer; also when it has ended
 */
struct jail {
	pid_t pid;
	int socket;
	struct jail_limits limits;
	uint64_t used_ns;
};

/* Answers @size bytes at @request; false ends the process. */
typedef bool (*jail_service)(void *context, const char *request, size_t size,
			     struct buffer *answer);

/* Starts the process with a copy of @context as it is at this time. False with errno. */
bool jail_start(struct jail *jail, const struct jail_limits *limits, jail_service service,
		void *context);

/*
 * Asks for the answer to a request. Returns NULL, or a constant text, why there is none: then the
 * process has ended. The content of the answer is not to be trusted.
 */
const char *jail_ask(struct jail *jail, const struct buffer *request, struct buffer *answer);

/* Ends the process, if there is one. */
void jail_end(struct jail *jail);

#endif /* COROPROF_JAIL_H */
