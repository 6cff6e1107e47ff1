/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ENGINE_STRING_H
#define ENGINE_STRING_H

#include_next <string.h>

/* In the words of the C library of the machine that this was built on. */
const char *strerrordesc_np(int error);

#endif /* ENGINE_STRING_H */
