/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may use the module: 64-bit programs, and to count what the settings of perf permit, which
 * hold here as they do for perf_event_open().
 */
#ifndef COROPROF_PERMIT_H
#define COROPROF_PERMIT_H

#include <linux/types.h>

/*
 * Both are about the calling task, and may sleep. The first returns 0 or an error; the second
 * returns the highest frequency permitted, at most @wanted.
 */
int coroprof_permit_counting(bool kernel);
u32 coroprof_permit_frequency(u32 wanted);

/*
 * The offsets of mmap() have more bits than a 32-bit task can pass. So it is refused as a whole,
 * with EOPNOTSUPP: each system call that is one of the 32-bit ABI, whoever makes it, but for
 * ioctl(), which the kernel itself refuses with ENOTTY as no file here has a compat_ioctl; and a
 * 32-bit program, which may come to a probe without any system call. The kernel log says so
 * once. Both are about the calling task.
 */
int coroprof_permit_call(void);
int coroprof_permit_program(void);

#endif /* COROPROF_PERMIT_H */
