/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a process uses of the CPUs, and which threads it has: of those that are not
 * recorded nobody else says.
 */
#ifndef COROPROF_USED_H
#define COROPROF_USED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cprof_cpu;

/**
 * struct used_thread - a thread that was seen
 */
struct used_thread {
	pid_t tid;
	bool recorded;
};

/**
 * struct used - of one process
 * @pid:      the process
 * @known:    its clock has been read
 * @ended:    it had ended when it was looked at last: nothing came after
 * @begin_ns: its clock when the recording began
 * @ns:       its clock when it was looked at last
 * @threads:  that were seen, by their number
 * @nr:       how many
 */
struct used {
	pid_t pid;
	bool known;
	bool ended;
	uint64_t begin_ns;
	uint64_t ns;
	struct used_thread *threads;
	size_t nr;
};

/* Reads the CPU clock of a process, in ns. False if the process does not exist any more. */
bool used_clock(pid_t pid, uint64_t *ns);

/* @begin_ns: the CPU time before the recording; UINT64_MAX: what the process has used by now. */
void used_begin(struct used *used, pid_t pid, uint64_t begin_ns);
void used_look(struct used *used);
void used_recorded(struct used *used, pid_t tid);

/* Fills in a record of a CPU segment. False if nothing is known of the process. */
bool used_report(const struct used *used, uint32_t process_id, struct cprof_cpu *to);

void used_free(struct used *used);

/* Clock ticks from the start of the machine until now. */
uint64_t used_ticks(void);
bool used_began(pid_t pid, uint64_t *ticks);

#endif /* COROPROF_USED_H */
