/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The C stacks of coroutines, by address. */
#ifndef STACKS_H
#define STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include <coroprof/coroprof.h>

/**
 * struct cstack - the C stack of a coroutine
 * @low:   where it begins
 * @high:  where it ends; 0 while it is nobody's
 * @co:    the coroutine
 * @inner: what ran on it when it was left: @co, or a coroutine of another
 *         runtime that needs no stack of its own, as Lua's
 * @gone:  of the adapter whose it is: called below the lock of the library when
 *         memory of it is used for something else; it is out of the tree by then
 * @left:  the stacks below it in the tree; next one in the list of free ones
 * @right: those above
 *
 * Memory for a stack is never given back, only used for another stack: whoever
 * holds a pointer to one that is gone may read it, and finds another interval.
 */
struct cstack {
	uintptr_t low;
	uintptr_t high;
	coroprof_co co;
	coroprof_co inner;
	void (*gone)(struct cstack *stack);
	struct cstack *left;
	struct cstack *right;
};

/* The stack that an address is on, or NULL. An empty stack's pointer is its end. */
struct cstack *stack_find(uintptr_t address);
/*
 * Below the lock of the library: from now on the interval is this one's, or, with
 * NULL, nobody's. Each that had any of it before is gone.
 */
void stack_take(uintptr_t low, uintptr_t high, struct cstack *stack);
void stack_leave(struct cstack *stack);
/* The memory is used for something else: coroutines that had any of it are gone. */
void stacks_forget(uintptr_t low, uintptr_t high);

/*
 * Whether the address is on that stack. Without a lock, and be the stack gone:
 * whoever makes it another's clears @high first and sets it last.
 */
static inline bool stack_holds(const struct cstack *stack, uintptr_t address)
{
	uintptr_t high = __atomic_load_n(&stack->high, __ATOMIC_ACQUIRE);
	uintptr_t low = __atomic_load_n(&stack->low, __ATOMIC_ACQUIRE);

	return address > low && address <= high &&
	       __atomic_load_n(&stack->high, __ATOMIC_RELAXED) == high;
}

/* All stacks there ever were lie in between. */
extern uintptr_t stack_lowest __attribute__((visibility("hidden")));
extern uintptr_t stack_highest __attribute__((visibility("hidden")));

/* False: the address is on none, be it looked for or not. */
static inline bool stack_possible(uintptr_t address)
{
	return address > __atomic_load_n(&stack_lowest, __ATOMIC_RELAXED) &&
	       address <= __atomic_load_n(&stack_highest, __ATOMIC_RELAXED);
}

#endif /* STACKS_H */
