/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QEMU's coroutines. All begin with one function, and are used again for others:
 * what siglongjmp() returns says which of them begins and ends.
 */
#ifndef QEMU_H
#define QEMU_H

#include "../runtime.h"
#include "../stacks/stacks.h"

/* enum CoroutineAction of QEMU */
#define QEMU_TERMINATE 2
#define QEMU_ENTER 3

/* The program is QEMU, or a tool of it. */
extern bool qemu_program;
void qemu_init(void);
/* Reports its coroutines, from makecontext() on. */
extern struct adapter qemu_adapter;
/* The thread is about to go on there: as what QEMU's object says. */
void qemu_enter(struct cstack *stack);

#endif /* QEMU_H */
