// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where entries come from. Each thread keeps up to two chains of free ones;
 * full chains wait on a stack that all threads share. No locks: a coroutine
 * may end, and its entry be freed, on the switch path.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "internal.h"

#define CHAIN 32
#define ENTRIES_DEFAULT (1u << 20)

/* What there is before, or without, memory for more: no entry, and the shared one. */
static struct coroutine few[2];
struct coroutine *coroprof_entries = few;

/* 0 before memory has been asked for. */
static uint32_t limit;
static uint32_t carved = ENTRY_SLOTLESS + 1;

/* First entry of the topmost chain; above it a tag, against ABA. */
static uint64_t stack;

static uint32_t limit_wanted(void)
{
	uint64_t wanted = coroprof_settings()->slots;

	if (!wanted)
		return ENTRIES_DEFAULT;
	if (wanted < 2 * CHAIN)
		return 2 * CHAIN;
	return wanted < COROPROF_SLOTS_MAX ? wanted : COROPROF_SLOTS_MAX;
}

/* How many there may be. The first to ask reserves their memory. */
uint32_t coroprof_entries_limit(void)
{
	uint32_t now = __atomic_load_n(&limit, __ATOMIC_ACQUIRE);
	uint32_t wanted;
	void *memory;

	if (now)
		return now;

	coroprof_lock();
	if (!limit) {
		wanted = limit_wanted();
		memory = mmap(NULL, wanted * sizeof(struct coroutine), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED) {
			coroprof_debug("no memory for %u coroutines", wanted);
			wanted = ENTRY_SLOTLESS + 1;
		} else {
			coroprof_entries = memory;
		}
		__atomic_store_n(&limit, wanted, __ATOMIC_RELEASE);
	}
	coroprof_unlock();
	return limit;
}

static struct coroutine *at(uint32_t number)
{
	return &coroprof_entries[number];
}

void coroprof_entries_unseen(void)
{
	uint32_t end = __atomic_load_n(&carved, __ATOMIC_RELAXED);

	for (uint32_t number = 0; number < end; number++)
		__atomic_store_n(&at(number)->generation, 0, __ATOMIC_RELAXED);
}

static void stack_push(struct chain chain)
{
	uint64_t head = __atomic_load_n(&stack, __ATOMIC_RELAXED), new;

	if (!chain.length)
		return;
	at(chain.first)->label = (uint16_t)chain.length;
	do {
		__atomic_store_n(&at(chain.first)->tag, (uint32_t)head, __ATOMIC_RELAXED);
		new = ((head >> 32) + 1) << 32 | chain.first;
	} while (!__atomic_compare_exchange_n(&stack, &head, new, true,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static struct chain stack_pop(void)
{
	uint64_t head = __atomic_load_n(&stack, __ATOMIC_ACQUIRE), new;
	uint32_t first;

	do {
		first = (uint32_t)head;
		if (!first)
			return (struct chain){ 0, 0 };
		/* What is read of an entry somebody else takes meanwhile, the tag discards. */
		new = ((head >> 32) + 1) << 32 |
		      (uint32_t)__atomic_load_n(&at(first)->tag, __ATOMIC_RELAXED);
	} while (!__atomic_compare_exchange_n(&stack, &head, new, true,
					      __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
	return (struct chain){ first, at(first)->label };
}

static void chain_push(struct chain *chain, uint32_t number)
{
	at(number)->parent = chain->first;
	chain->first = number;
	chain->length++;
}

static uint32_t chain_pop(struct chain *chain)
{
	uint32_t number = chain->first;

	chain->first = (uint32_t)at(number)->parent;
	chain->length--;
	return number;
}

/* Entries that nobody has had yet. */
static struct chain carve(uint32_t count)
{
	uint32_t end = coroprof_entries_limit();
	struct chain chain = { 0, 0 };
	uint32_t first, i;

	first = __atomic_load_n(&carved, __ATOMIC_RELAXED);
	do {
		if (first >= end)
			return chain;
		if (count > end - first)
			count = end - first;
	} while (!__atomic_compare_exchange_n(&carved, &first, first + count, true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));

	for (i = count; i--; )
		chain_push(&chain, first + i);
	return chain;
}

static bool refill(void)
{
	this_thread.free = this_thread.spare;
	this_thread.spare = (struct chain){ 0, 0 };
	if (!this_thread.free.length)
		this_thread.free = stack_pop();
	if (!this_thread.free.length) {
		coroprof_process_need();
		coroprof_process_check();
		this_thread.free = carve(CHAIN);
	}
	return this_thread.free.length;
}

/* Returns 0 when there is none left. */
uint32_t coroprof_entry_alloc(void)
{
	if (unlikely(!this_thread.keyed))
		coroprof_thread_keep();
	if (unlikely(this_thread.leaving))
		return coroprof_entry_alloc_shared();
	if (unlikely(!this_thread.free.length) && !refill())
		return 0;
	return chain_pop(&this_thread.free);
}

/* The same, without the thread's own chains: for a signal handler too. */
uint32_t coroprof_entry_alloc_shared(void)
{
	struct chain chain = stack_pop();
	uint32_t number;

	if (!chain.length)
		chain = carve(1);
	if (!chain.length)
		return 0;
	number = chain_pop(&chain);
	stack_push(chain);
	return number;
}

/* One that nobody has had yet: its slot is zero. Returns 0 when there is none left. */
uint32_t coroprof_entry_alloc_unused(void)
{
	return carve(1).first;
}

/* Of what coroprof_entry_alloc_shared() or _unused() gave: for a signal handler too. */
void coroprof_entry_free_shared(uint32_t number)
{
	struct chain alone = { 0, 0 };

	at(number)->id = 0;
	chain_push(&alone, number);
	stack_push(alone);
}

void coroprof_entry_free(uint32_t number)
{
	struct chain alone = { 0, 0 };

	at(number)->id = 0;
	if (active())
		coroprof_slot_forget(number);
	if (unlikely(this_thread.leaving)) {
		chain_push(&alone, number);
		stack_push(alone);
		return;
	}
	if (unlikely(!this_thread.keyed))
		coroprof_thread_keep();
	if (this_thread.free.length == CHAIN) {
		stack_push(this_thread.spare);
		this_thread.spare = this_thread.free;
		this_thread.free = alone;
	}
	chain_push(&this_thread.free, number);
}

/* The thread keeps none from now on. */
void coroprof_entries_flush(void)
{
	stack_push(this_thread.free);
	stack_push(this_thread.spare);
	this_thread.free = (struct chain){ 0, 0 };
	this_thread.spare = (struct chain){ 0, 0 };
}
