/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ENGINE_SYS_RANDOM_H
#define ENGINE_SYS_RANDOM_H

#include <sys/types.h>

/* Of what the page gave: see engine_open(). */
ssize_t getrandom(void *to, size_t size, unsigned int flags);

#endif /* ENGINE_SYS_RANDOM_H */
