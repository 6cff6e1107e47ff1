/* SPDX-License-Identifier: GPL-2.0 */
/* What can be found out about the machine from /proc and /sys. */
#ifndef COROPROF_MACHINE_H
#define COROPROF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/utsname.h>

#define SIMULATED_PMU	"coroprof_simpmu"

/**
 * struct machine - what was found
 * @uts:         uname()
 * @pmus:        PMUs that count what a CPU does, comma separated; "" for none
 * @nr_pmus:     how many
 * @all_pmus:    all of /sys/bus/event_source/devices, comma separated
 * @simulated:   a PMU is the simulated one of the tests
 * @loaded:      the kernel module is loaded
 * @built:       the kernel module is installed for this kernel
 * @dkms:        DKMS has the kernel module's sources
 * @headers:     the files to build a module for this kernel with are there
 * @secure_boot: the firmware's Secure Boot is on
 * @signatures:  the kernel refuses modules without a signature it trusts
 * @hypervisor:  this is a virtual machine
 * @container:   this is (likely) a container
 * @paranoid:    kernel.perf_event_paranoid; "" where there is none, as below
 * @mlock_kb:    kernel.perf_event_mlock_kb
 * @user_access: kernel.perf_user_access
 * @rdpmc:       of the CPU's PMU
 * @cpu_pmu_types: types of its PMUs, comma separated
 */
struct machine {
	struct utsname uts;
	char pmus[256];
	unsigned int nr_pmus;
	char all_pmus[2048];
	bool simulated;
	bool loaded;
	bool built;
	bool dkms;
	bool headers;
	bool secure_boot;
	bool signatures;
	bool hypervisor;
	bool container;
	char paranoid[16];
	char mlock_kb[16];
	char user_access[16];
	char rdpmc[16];
	char cpu_pmu_types[64];
};

/* Fills in all of struct machine. */
void machine_look(struct machine *machine);

#endif /* COROPROF_MACHINE_H */
