/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel that has the module, as far as the library can say: open() of
 * /dev/coroprof and ioctl() on what came of it. Its state is shared by forked
 * processes. Linked into a program, or preloaded.
 *
 * Environment: MOCK_RECORD: a recording is under way from the start.
 * MOCK_NO_DEVICE: there is no module yet. MOCK_SLOTS: so many slots a process
 * may have. MOCK_LOG: a file to append a line for each event to. MOCK_SLICES: and for each
 * slice that ends. MOCK_FINDS_NAMES: names are found in the middle of slices.
 *
 * A SWITCH that parts a slice for nothing ends the program: a switch to what runs already is no
 * record.
 */
#ifndef MOCK_H
#define MOCK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <coroprof/uapi.h>

/* Something a process asked for. */
struct mock_event {
	int pid;
	int tid;
	uint32_t command;	/* _IOC_NR */
	int error;
	unsigned long arg;	/* of SWITCH; of LABEL its flags */
	uint64_t token;		/* of PROCESS */
	uint32_t slot;
	uint32_t nr_counters;	/* of THREAD */
	uint64_t woken;		/* the wake_time that SWITCH found */
	uint64_t waker;		/* and who had set it */
	uint64_t id;		/* of LABEL its value; the rest: of the slot switched to */
	uint64_t parent;
	uint64_t tag;
	char label[64];
	struct coroprof_span span;	/* of SPAN; label is its label */
};

/* Start or stop a recording of all processes. */
void mock_record(bool on);
/* All processes have a filter of system calls that refuses ioctl(), from now on. */
void mock_refuse(void);
/* From now on open() of the device fails with this, if not 0. */
void mock_open_error(int error);
/* The next @times of a command (_IOC_NR) fail with @error. */
void mock_fail(uint32_t command, int error, int times);

uint32_t mock_events(void);
const struct mock_event *mock_event(uint32_t n);
/* How many of them are of this command. */
uint32_t mock_count(uint32_t command);
/* The last one of this command, or NULL. */
const struct mock_event *mock_last(uint32_t command);
void mock_forget(void);

/* How many descriptors this process has. */
int mock_descriptors(void);
/*
 * From now on SIGUSR1 comes all the time, from a process that is returned; @handled is not 0 once
 * the first has. Nothing of before is an event.
 */
pid_t mock_storm(void (*handler)(int), const volatile sig_atomic_t *handled);
void mock_storm_end(pid_t storm);

/* Of the kernel's clock to the process's: it is in a time namespace. */
#define MOCK_CLOCK_OFFSET	3600000000000ll

#define MOCK_PROCESS	_IOC_NR(COROPROF_IOC_PROCESS)
#define MOCK_THREAD	_IOC_NR(COROPROF_IOC_THREAD)
#define MOCK_LABEL	_IOC_NR(COROPROF_IOC_LABEL)
#define MOCK_SWITCH	_IOC_NR(COROPROF_IOC_SWITCH)
#define MOCK_READ	_IOC_NR(COROPROF_IOC_READ)
#define MOCK_SPAN	_IOC_NR(COROPROF_IOC_SPAN)
#define MOCK_LEAVE	_IOC_NR(COROPROF_IOC_LEAVE)

#endif /* MOCK_H */
