/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stores into data that may only be read. */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>

/*
 * Stores a pointer in data of a loaded object, also where that may only be read,
 * as tables of functions are. False if the kernel refuses.
 */
bool store(void **slot, void *value);

#endif /* STORE_H */
