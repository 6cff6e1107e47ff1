/* SPDX-License-Identifier: GPL-2.0 */
/* Errors have the numbers of Linux, which recordings have, and not those of WASI. */
#ifndef ENGINE_ERRNO_H
#define ENGINE_ERRNO_H

#include <asm/errno.h>

#define ENOTSUP	EOPNOTSUPP

extern _Thread_local int errno;

#endif /* ENGINE_ERRNO_H */
