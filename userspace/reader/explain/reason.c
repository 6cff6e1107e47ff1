// SPDX-License-Identifier: GPL-2.0
/*
 * Short texts for why an event is not counted, why a thread switches by ioctl, and what mends it.
 * Records, tables and `check` use the same words.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coroprof.h"
#include "explain/reason.h"

const char *reason_counter(int code)
{
	switch (code) {
	case ENOENT:
		return "this CPU, or its driver, has no such event (ENOENT)";
	case ENODEV:
		return "this CPU, or its driver, has no such event (ENODEV)";
	case ENXIO:
		return "this CPU, or its driver, has no such event (ENXIO)";
	case EOPNOTSUPP:
		return "the PMU can't count it for a thread in user mode (EOPNOTSUPP)";
	case EINVAL:
		return "the PMU refuses this event, or its terms (EINVAL)";
	case EPERM:
		return "no permission (EPERM)";
	case EACCES:
		return "no permission (EACCES)";
	case EBUSY:
		return "the PMU is taken by somebody else (EBUSY)";
	}
	return strerrordesc_np(code);
}

const char *reason_program(int code)
{
	switch (code) {
	case ENOENT:
		return "the kernel module, or the program's libcoroprof, is older than counters of the program's own (ENOENT)";
	case EOPNOTSUPP:
		return "the program can't count there: the thread has no slot of its own, or probes report it (EOPNOTSUPP)";
	}
	return reason_counter(code);
}

const char *reason_channel(int code)
{
	switch (code) {
	case EDQUOT:
		return "no more memory may be taken for rings; a smaller --ring-size takes less, and root may raise the limit: /sys/module/coroprof/parameters/user_memory_mb";
	case ENOMEM:
		return "there is no memory for its ring; a smaller --ring-size takes less";
	case EINTR:
		return "it was killed when its recording was to begin";
	case EACCES:
		return "its user or group, or its capabilities, are not yours";
	}
	return strerrordesc_np(code);
}

bool reason_no_such_event(int code)
{
	return code == ENOENT || code == ENODEV || code == ENXIO;
}

const char *reason_no_pmu(bool hypervisor)
{
	return hypervisor ?
	       "this virtual machine has no PMU; where its host allows, it can be given one (QEMU: -cpu host under KVM)" :
	       "the kernel has no PMU for this CPU";
}

const char *reason_mode(unsigned int reason)
{
	switch (reason) {
	case COROPROF_REASON_UNKNOWN:
		return "its library did not say why";
	case COROPROF_REASON_SESSION:
		return "the recording was not to use user mode";
	case COROPROF_REASON_DISABLED:
		return "user mode is turned off in the program";
	case COROPROF_REASON_OWN:
		return "the thread has counters of its own, which it asked for itself";
	case COROPROF_REASON_SECCOMP:
		return "a filter of system calls is in place";
	case COROPROF_REASON_PARANOID:
		return "perf_event_open() is not permitted";
	case COROPROF_REASON_ACCESS:
		return "the kernel lets no user mode read counters";
	case COROPROF_REASON_COUNTERS:
		return "the PMU has too few counters for all events at once, or not every CPU has it";
	case COROPROF_REASON_EVENT:
		return "an event can't be read from user mode";
	case COROPROF_REASON_MEMORY:
		return "no memory for the mappings of counters";
	case COROPROF_REASON_NESTED:
		return "a signal handler switched in the middle of a switch";
	case COROPROF_REASON_PROC:
		return "without /proc it is not known whether a filter of system calls is in place";
	case COROPROF_REASON_DELEGATED:
		return "until its events were opened for it; then from user mode";
	case COROPROF_REASON_PROBED:
		return "probes report it: the program knows nothing of coroprof";
	}
	return "for a reason that this program does not know";
}

static bool is_arm64(const struct reason_context *f)
{
	return f->arch && !strcmp(f->arch, "aarch64");
}

static bool access_found(char *text, const struct reason_context *f)
{
	if (is_arm64(f) && f->user_access)
		snprintf(text, REASON_SIZE, "kernel.perf_user_access is %s",
			 f->user_access);
	else if (is_arm64(f))
		snprintf(text, REASON_SIZE,
			 "there is no kernel.perf_user_access, which arm64 has from Linux 5.17 on");
	else if (f->rdpmc)
		snprintf(text, REASON_SIZE, "/sys/bus/event_source/devices/cpu/rdpmc is %s",
			 f->rdpmc);
	else
		snprintf(text, REASON_SIZE, "the CPU's PMU has no rdpmc");
	return true;
}

static bool access_fix(char *text, const struct reason_context *f)
{
	if (is_arm64(f) && f->user_access && atoi(f->user_access) == 0)
		snprintf(text, REASON_SIZE, "sudo sysctl kernel.perf_user_access=1");
	else if (!is_arm64(f) && f->rdpmc && atoi(f->rdpmc) == 0)
		snprintf(text, REASON_SIZE,
			 "echo 1 | sudo tee /sys/bus/event_source/devices/cpu/rdpmc");
	else
		return false;
	return true;
}

void reason_mode_risk(char *text, const struct reason_context *f)
{
	snprintf(
		text, REASON_SIZE,
		"leave %s as it is while a program is recorded that blocks %s: when that permission is taken back, its next read of a counter ends it; else the library catches the signal, and goes on by ioctl. Or record it with --switch=ioctl",
		is_arm64(f) ? "kernel.perf_user_access" : "/sys/bus/event_source/devices/cpu/rdpmc",
		is_arm64(f) ? "SIGILL" : "SIGSEGV");
}

bool reason_mode_found(char *text, unsigned int reason,
		       const struct reason_context *f)
{
	switch (reason) {
	case COROPROF_REASON_DISABLED:
		snprintf(text, REASON_SIZE, "COROPROF_SWITCH=ioctl was in its environment");
		return true;
	case COROPROF_REASON_PARANOID:
		if (f->paranoid)
			snprintf(text, REASON_SIZE, "kernel.perf_event_paranoid is %s",
				 f->paranoid);
		return f->paranoid;
	case COROPROF_REASON_ACCESS:
		return access_found(text, f);
	case COROPROF_REASON_COUNTERS:
		snprintf(text, REASON_SIZE, "%u events were asked for",
			 f->nr_counters);
		return true;
	case COROPROF_REASON_EVENT:
		if (*f->not_of_cpu)
			snprintf(text, REASON_SIZE, "not counted by the CPU's PMU: %s",
				 f->not_of_cpu);
		return *f->not_of_cpu;
	case COROPROF_REASON_MEMORY:
		if (f->mlock_kb)
			snprintf(text, REASON_SIZE, "kernel.perf_event_mlock_kb is %s",
				 f->mlock_kb);
		return f->mlock_kb;
	case COROPROF_REASON_PROC:
		snprintf(text, REASON_SIZE,
			 "/proc/thread-self/status can't be read in its root directory");
		return true;
	}
	return false;
}

bool reason_mode_fix(char *text, unsigned int reason,
		     const struct reason_context *f)
{
	switch (reason) {
	case COROPROF_REASON_UNKNOWN:
		snprintf(text, REASON_SIZE, "build it with libcoroprof of this version");
		return true;
	case COROPROF_REASON_SESSION:
		snprintf(text, REASON_SIZE, "record without --switch=ioctl");
		return true;
	case COROPROF_REASON_DISABLED:
		snprintf(text, REASON_SIZE, "unset COROPROF_SWITCH");
		return true;
	case COROPROF_REASON_SECCOMP:
		snprintf(
			text, REASON_SIZE,
			"record it as root; or run it without the filter, in Docker: --security-opt seccomp=unconfined");
		return true;
	case COROPROF_REASON_PARANOID:
		if (f->paranoid && atoi(f->paranoid) <= 2)
			snprintf(text, REASON_SIZE, "record it as root. Not that: 2 is enough, a container's filter or a security module forbids it");
		else
			snprintf(text, REASON_SIZE, "record it as root, or sudo sysctl kernel.perf_event_paranoid=2");
		return true;
	case COROPROF_REASON_ACCESS:
		return access_fix(text, f);
	case COROPROF_REASON_COUNTERS:
		snprintf(text, REASON_SIZE, "ask for fewer: -e cycles,instructions");
		return true;
	case COROPROF_REASON_EVENT:
		snprintf(text, REASON_SIZE, "leave %s out of -e",
			 *f->not_of_cpu ? f->not_of_cpu : "it");
		return true;
	case COROPROF_REASON_MEMORY:
		snprintf(text, REASON_SIZE, "sudo sysctl kernel.perf_event_mlock_kb=%d",
			 f->mlock_kb && atoi(f->mlock_kb) > 0 &&
			 atoi(f->mlock_kb) < 1 << 20 ?
			 4 * atoi(f->mlock_kb) : 4096);
		return true;
	case COROPROF_REASON_PROC:
		snprintf(text, REASON_SIZE, "mount it there: sudo mount -t proc proc ROOT/proc");
		return true;
	}
	return false;
}
