// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The stacks of coroutines: a tree of intervals that do not overlap, balanced by
 * chance (a treap). A program does not say that it gives a coroutine up: it uses
 * the stack for another.
 *
 * Whoever changes it has the lock of the library. Readers take none: they read
 * again if @changes was odd, or is another by then.
 */
#include "../runtime.h"
#include "stacks.h"

/* Those found last, by the page that the address was on. */
#define RECENT_SHIFT 12
#define PAGE_SHIFT 12

/* Deeper than the tree gets with all the coroutines there can be. */
#define DEPTH_MAX 256
#define TRIES 64

static struct cstack *root;
static unsigned int changes;
static struct cstack *recent[1 << RECENT_SHIFT];
uintptr_t stack_lowest = UINTPTR_MAX, stack_highest;

#define get(from) __atomic_load_n(&(from), __ATOMIC_RELAXED)
#define set(to, value) __atomic_store_n(&(to), value, __ATOMIC_RELAXED)

static void change_begin(void)
{
	set(changes, changes + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void change_end(void)
{
	__atomic_store_n(&changes, changes + 1, __ATOMIC_RELEASE);
}

/* One that has anything in common with the interval. */
static struct cstack *overlapping(uintptr_t low, uintptr_t high)
{
	struct cstack *at = get(root);

	for (int depth = 0; at && depth < DEPTH_MAX; depth++) {
		if (high <= get(at->low))
			at = get(at->left);
		else if (low >= get(at->high))
			at = get(at->right);
		else
			return at;
	}
	return NULL;
}

static bool try_find(uintptr_t address, struct cstack **stack)
{
	unsigned int before = __atomic_load_n(&changes, __ATOMIC_ACQUIRE);

	*stack = overlapping(address - 1, address);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(before & 1) && get(changes) == before;
}

static struct cstack *search(uintptr_t address)
{
	struct cstack *stack;

	for (int i = 0; i < TRIES; i++) {
		if (try_find(address, &stack))
			return stack;
	}
	coroprof_lock();
	stack = overlapping(address - 1, address);
	coroprof_unlock();
	return stack;
}

static struct cstack **recent_of(uintptr_t address)
{
	return &recent[(address >> PAGE_SHIFT) * 0x9e3779b97f4a7c15ull >> (64 - RECENT_SHIFT)];
}

/* A program with many coroutines leaves each near where it left it before. */
struct cstack *stack_find(uintptr_t address)
{
	struct cstack **last, *stack;

	if (!stack_possible(address))
		return NULL;
	last = recent_of(address);
	stack = get(*last);
	if (likely(stack && stack_holds(stack, address)))
		return stack;
	stack = search(address);
	if (stack)
		set(*last, stack);
	return stack;
}

/* Which of two is above the other, as if by chance: by its address, well mixed. */
static uint64_t rank(const struct cstack *stack)
{
	uint64_t mixed = (uintptr_t)stack * 0x9e3779b97f4a7c15ull;

	mixed ^= mixed >> 32;
	mixed *= 0xd6e8feb86659fd93ull;
	return mixed ^ mixed >> 32;
}

/* Those of a tree that are below @middle, and those that are above. */
static void split(struct cstack *tree, uintptr_t middle, struct cstack **below,
		  struct cstack **above)
{
	while (tree) {
		if (tree->low < middle) {
			set(*below, tree);
			below = &tree->right;
			tree = tree->right;
		} else {
			set(*above, tree);
			above = &tree->left;
			tree = tree->left;
		}
	}
	set(*below, NULL);
	set(*above, NULL);
}

static void insert(struct cstack *stack)
{
	struct cstack **at = &root;

	while (*at && rank(*at) > rank(stack))
		at = stack->low < (*at)->low ? &(*at)->left : &(*at)->right;
	split(*at, stack->low, &stack->left, &stack->right);
	set(*at, stack);
}

static void erase(struct cstack *stack)
{
	struct cstack *below = stack->left, *above = stack->right, **at = &root;

	while (*at != stack)
		at = stack->low < (*at)->low ? &(*at)->left : &(*at)->right;
	while (below && above) {
		if (rank(below) > rank(above)) {
			set(*at, below);
			at = &below->right;
			below = below->right;
		} else {
			set(*at, above);
			at = &above->left;
			above = above->left;
		}
	}
	set(*at, below ? below : above);
	set(stack->high, 0);
}

static void put(uintptr_t low, uintptr_t high, struct cstack *stack)
{
	__atomic_store_n(&stack->low, low, __ATOMIC_RELEASE);
	__atomic_store_n(&stack->high, high, __ATOMIC_RELEASE);
	insert(stack);
	if (low < stack_lowest)
		set(stack_lowest, low);
	if (high > stack_highest)
		set(stack_highest, high);
}

void stack_take(uintptr_t low, uintptr_t high, struct cstack *stack)
{
	struct cstack *old;

	while ((old = overlapping(low, high))) {
		stack_leave(old);
		old->gone(old);
	}
	if (!stack || low >= high)
		return;
	change_begin();
	put(low, high, stack);
	change_end();
}

void stack_leave(struct cstack *stack)
{
	if (!stack->high)
		return;
	change_begin();
	erase(stack);
	change_end();
}

void stacks_forget(uintptr_t low, uintptr_t high)
{
	coroprof_lock();
	stack_take(low, high, NULL);
	coroprof_unlock();
}
