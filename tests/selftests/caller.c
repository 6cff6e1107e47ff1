// SPDX-License-Identifier: GPL-2.0
/*
 * A program that is executed with descriptors of the module, and uses them: see caller.h. It is
 * built for 32 and for 64 bits, without a library, so that a compiler is all that takes.
 */
#include <asm/errno.h>
#include <stddef.h>
#include <stdint.h>

#if __has_include(<coroprof.h>)
#include <coroprof.h>
#else
#include <linux/coroprof.h>
#endif

#include "caller.h"

#define AT_FDCWD	(-100)
#define O_RDWR		2
#define PROT_READ	1
#define MAP_SHARED	1
#define UNIT		4096	/* of the offset of mmap2() */

/* mmap2() if there is one: what it takes is counted by UNIT. */
#if defined(__x86_64__)
enum { NR_EXIT = 60, NR_READ = 0, NR_WRITE = 1, NR_IOCTL = 16, NR_MMAP = 9, NR_OPENAT = 257 };
#elif defined(__i386__)
enum { NR_EXIT = 1, NR_READ = 3, NR_WRITE = 4, NR_IOCTL = 54, NR_MMAP = 192, NR_OPENAT = 295 };
#elif defined(__aarch64__)
enum { NR_EXIT = 93, NR_READ = 63, NR_WRITE = 64, NR_IOCTL = 29, NR_MMAP = 222, NR_OPENAT = 56 };
#elif defined(__arm__)
enum { NR_EXIT = 1, NR_READ = 3, NR_WRITE = 4, NR_IOCTL = 54, NR_MMAP = 192, NR_OPENAT = 322 };
#endif

#if defined(__x86_64__)
#define VISITED	"nop; ret"
#define START	"and $-16, %rsp; call caller_main"

static long system_call(long nr, const long *a)
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];

	__asm__ volatile("syscall"
			 : "+a"(nr)
			 : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return nr;
}

/* As a 32-bit program would call. The pointers are to this program's own memory, which is low. */
static long system_call_32(int nr, long first, long second, long third)
{
	long ret = nr;

	__asm__ volatile("int $0x80"
			 : "+a"(ret)
			 : "b"(first), "c"(second), "d"(third)
			 : "r8", "r9", "r10", "r11", "memory");
	return (int)ret;
}

#elif defined(__i386__)
#define VISITED	"nop; ret"
#define START	"and $-16, %esp; call caller_main"

static long system_call(long nr, const long *a)
{
	__asm__ volatile("push %%ebp\n\t"
			 "push %%eax\n\t"
			 "mov 0(%%edi), %%ebx\n\t"
			 "mov 4(%%edi), %%ecx\n\t"
			 "mov 8(%%edi), %%edx\n\t"
			 "mov 12(%%edi), %%esi\n\t"
			 "mov 20(%%edi), %%ebp\n\t"
			 "mov 16(%%edi), %%edi\n\t"
			 "pop %%eax\n\t"
			 "int $0x80\n\t"
			 "pop %%ebp"
			 : "+a"(nr), "+D"(a)
			 :
			 : "ebx", "ecx", "edx", "esi", "memory");
	return nr;
}

#elif defined(__aarch64__)
#define VISITED	"nop; ret"
#define START	"bl caller_main"

static long system_call(long nr, const long *a)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a[0];
	register long x1 __asm__("x1") = a[1];
	register long x2 __asm__("x2") = a[2];
	register long x3 __asm__("x3") = a[3];
	register long x4 __asm__("x4") = a[4];
	register long x5 __asm__("x5") = a[5];

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

#elif defined(__arm__)
#define VISITED	"nop; bx lr"
#define START	"bl caller_main"

static long system_call(long nr, const long *a)
{
	register long r7 __asm__("r7") = nr;
	register long r0 __asm__("r0") = a[0];
	register long r1 __asm__("r1") = a[1];
	register long r2 __asm__("r2") = a[2];
	register long r3 __asm__("r3") = a[3];
	register long r4 __asm__("r4") = a[4];
	register long r5 __asm__("r5") = a[5];

	__asm__ volatile("svc #0"
			 : "+r"(r0)
			 : "r"(r7), "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5)
			 : "memory");
	return r0;
}
#endif

__asm__(".text\n"
	".balign 16\n"
	".ascii \"" CALLER_MARK "\"\n"
	".globl caller_visited\n"
	"caller_visited:\n"
	VISITED "\n"
	".globl _start\n"
	"_start:\n"
	START "\n");

void caller_visited(void);
void caller_main(void);

static char device[] = COROPROF_DEVICE;
static struct caller_answers answers;
static struct coroprof_info info = { .size = sizeof(info) };

static int call(long nr, long first, long second, long third)
{
	const long a[6] = { first, second, third };

	return system_call(nr, a);
}

static int command(int fd, unsigned long cmd, void *arg)
{
	return call(NR_IOCTL, fd, cmd, (long)arg);
}

/* One page. Not called again for what it maps: that goes with the program. */
static int map(int fd, uint64_t offset)
{
	uint64_t by = NR_MMAP == 192 ? UNIT : 1;
	const long a[6] = { 0, UNIT, PROT_READ, MAP_SHARED, fd, (long)(offset / by) };
	long at = system_call(NR_MMAP, a);

	return at < 0 && at > -4096 ? at : 0;
}

static void use(int *answer)
{
	struct coroprof_process_config process = { .size = sizeof(process), .slots = 2 };
	struct coroprof_label label = { .size = sizeof(label) };
	struct coroprof_touched touched = { .size = sizeof(touched) };
	static char records[4096];

	answer[CALLER_OPEN] = call(NR_OPENAT, AT_FDCWD, (long)device, O_RDWR);
	answer[CALLER_INFO] = command(CALLER_CONTROL, COROPROF_IOC_INFO, &info);
	answer[CALLER_MAKE_PROCESS] = command(CALLER_CONTROL, COROPROF_IOC_PROCESS, &process);
	answer[CALLER_LABEL] = command(CALLER_PROCESS, COROPROF_IOC_LABEL, &label);
	answer[CALLER_MAP_PROCESS] = map(CALLER_PROCESS, COROPROF_MMAP_SLOTS);
	answer[CALLER_SWITCH] = command(CALLER_CHANNEL, COROPROF_IOC_SWITCH, (void *)2);
	answer[CALLER_MAP_CHANNEL] = map(CALLER_CHANNEL, 0);
	answer[CALLER_STOP] = command(CALLER_SESSION, COROPROF_IOC_STOP, NULL);
	answer[CALLER_READ] = call(NR_READ, CALLER_SESSION, (long)records, sizeof(records));
	answer[CALLER_MAP_RING] = map(CALLER_SESSION, COROPROF_MMAP_RING(1));
	answer[CALLER_TOUCHED] = command(CALLER_VIEW, COROPROF_IOC_TOUCHED, &touched);
	answer[CALLER_MAP_VIEW] = map(CALLER_VIEW, COROPROF_MMAP_SLOTS);
#if defined(__x86_64__)
	answer[CALLER_OPEN_32] = system_call_32(5, (long)device, O_RDWR, 0);
	answer[CALLER_INFO_32] = system_call_32(54, CALLER_CONTROL, COROPROF_IOC_INFO, (long)&info);
#endif
}

static int code_of(void (*function)(void))
{
	return *(volatile unsigned char *)(uintptr_t)function;
}

void caller_main(void)
{
	int i;

	for (i = 0; i < 3; i++)
		caller_visited();
	use(answers.calls);
	/* A descriptor, or how much was read: it has succeeded. */
	for (i = 0; i < CALLER_CALLS; i++)
		if (answers.calls[i] > 0)
			answers.calls[i] = 0;
	answers.no_probe = code_of(caller_visited);
	call(NR_WRITE, CALLER_ANSWERS, (long)&answers, sizeof(answers));
	call(NR_EXIT, 0, 0, 0);
}
