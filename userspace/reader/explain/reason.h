/* SPDX-License-Identifier: GPL-2.0 */
/* Why an event can't be counted, in words: for who records and who reads. */
#ifndef COROPROF_READER_REASON_H
#define COROPROF_READER_REASON_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Why perf did not open a counter, by its errno @code. Does not look at this machine, as a
 * recording may be read on another. NULL for a number that is no errno.
 */
const char *reason_counter(int code);
/* Likewise, of the program's own counter. */
const char *reason_program(int code);

/* Why a thread is not recorded, by an errno. */
const char *reason_channel(int code);

/* True if the errno means that there is no such event. */
bool reason_no_such_event(int code);

/* Why no event of a CPU can be counted on a machine without a PMU. */
const char *reason_no_pmu(bool hypervisor);

/**
 * struct reason_context - what decides whether threads can switch from user mode
 * @arch:        machine, as of uname()
 * @paranoid:    kernel.perf_event_paranoid; NULL if unknown, as for those below
 * @mlock_kb:    kernel.perf_event_mlock_kb
 * @user_access: kernel.perf_user_access (arm64)
 * @rdpmc:       the file of that name of the CPU's PMU (x86)
 * @nr_counters: how many the session asks for
 * @not_of_cpu:  names of those that the CPU's PMU does not count, or ""
 *
 * All texts are of the machine that records.
 */
struct reason_context {
	const char *arch;
	const char *paranoid;
	const char *mlock_kb;
	const char *user_access;
	const char *rdpmc;
	unsigned int nr_counters;
	const char *not_of_cpu;
};

#define REASON_SIZE	512

/* What COROPROF_REASON_* means, in a few words. */
const char *reason_mode(unsigned int reason);

/*
 * What was found there, and the command, or what else, that mends it: false when
 * there is nothing to say. @text has room for REASON_SIZE.
 */
bool reason_mode_found(char *text, unsigned int reason,
		       const struct reason_context *context);
bool reason_mode_fix(char *text, unsigned int reason,
		     const struct reason_context *context);

/* Writes what may kill a program that switches from user mode, and how to prevent that. */
void reason_mode_risk(char *text, const struct reason_context *context);

#endif /* COROPROF_READER_REASON_H */
