/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of a test's own program to put probes at, and where in its file they are. */
#ifndef _PROBED_H
#define _PROBED_H

#include <asm/perf_regs.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>

#if defined(__x86_64__)
#define FIRST_ARGUMENT	PERF_REG_X86_DI
#define SECOND_ARGUMENT	PERF_REG_X86_SI
#define THIRD_ARGUMENT	PERF_REG_X86_DX
#else
#define FIRST_ARGUMENT	PERF_REG_ARM64_X0
#define SECOND_ARGUMENT	PERF_REG_ARM64_X1
#define THIRD_ARGUMENT	PERF_REG_ARM64_X2
#endif

#define PROBED __attribute__((noinline, noclone, unused, patchable_function_entry(1)))

PROBED static void probed_switch(void *co) { __asm__ volatile("" : : "r"(co) : "memory"); }
PROBED static void probed_other(void *co) { __asm__ volatile("" : : "r"(co) : "memory"); }

static inline int probed_find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t *bias = arg;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			*bias = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr -
				info->dlpi_phdr[i].p_offset;
	return 1;
}

static inline uintptr_t probed_offset(void (*function)(void *))
{
	static uintptr_t bias;

	if (!bias)
		dl_iterate_phdr(probed_find_code, &bias);
	return (uintptr_t)function - bias;
}

/* The program itself; opened once. */
static inline int probed_file(void)
{
	static int file = -1;

	if (file < 0)
		file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	return file;
}

#endif /* _PROBED_H */
