// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Coroutines as programs name them: a handle is the number of an entry, from coroprof_new() to
 * coroprof_done(). Threads take ids in blocks, so that making one needs no lock.
 */
#include "internal.h"

#define IDS 64

static uint64_t last_id;
static uint64_t slotless;

static uint64_t id_new(void)
{
	if (!this_thread.ids) {
		this_thread.next_id = __atomic_fetch_add(&last_id, IDS, __ATOMIC_RELAXED) + 1;
		this_thread.ids = IDS;
	}
	this_thread.ids--;
	return this_thread.next_id++;
}

static struct coroutine *entry(coroprof_co co)
{
	return &coroprof_entries[co];
}

/* A handle that a coroutine of its own may have. */
static bool valid(coroprof_co co)
{
	return co > ENTRY_SLOTLESS && co < coroprof_entries_limit() && entry(co)->id;
}

/* What has no slot of its own is counted with all others like it. */
uint32_t coroprof_entry_slotless(void)
{
	struct coroutine *shared = entry(ENTRY_SLOTLESS);
	uint64_t none = 0;

	__atomic_store_n(&shared->label, coroprof_label("(no slot left)"), __ATOMIC_RELAXED);
	__atomic_compare_exchange_n(&shared->id, &none, id_new(), false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	if (__atomic_fetch_add(&slotless, 1, __ATOMIC_RELAXED) == 0)
		coroprof_debug("all %u slots are taken; more coroutines are counted together (COROPROF_SLOTS=n makes room for n)",
			       coroprof_entries_limit());
	return ENTRY_SLOTLESS;
}

EXPORT coroprof_co coroprof_new(uint32_t label, coroprof_co parent, uint64_t tag)
{
	uint32_t number = coroprof_entry_alloc();
	struct coroutine *new = entry(number);

	if (unlikely(!number))
		return coroprof_entry_slotless();

	new->parent = parent == COROPROF_THREAD ? 0 : coroprof_id(parent);
	__atomic_store_n(&new->tag, tag, __ATOMIC_RELAXED);
	new->label = (uint16_t)label;
	new->generation = 0;
	new->id = id_new();
	coroprof_spans_reset(number);
	return number;
}

EXPORT void coroprof_done(coroprof_co co)
{
	if (co == this_thread.current)
		coroprof_switch_done(COROPROF_THREAD);
	else if (valid(co))
		coroprof_entry_free(co);
}

EXPORT void coroprof_set_label(coroprof_co co, uint32_t label)
{
	struct coroprof_slot *slot;

	if (co == COROPROF_THREAD)
		co = this_thread.slot;
	if (!valid(co))
		return;
	entry(co)->label = (uint16_t)label;
	slot = coroprof_slot_filled(co, entry(co));
	if (slot)
		__atomic_store_n(&slot->label, coroprof_label_number(label), __ATOMIC_RELAXED);
}

EXPORT void coroprof_set_tag(coroprof_co co, uint64_t tag)
{
	struct coroprof_slot *slot;

	if (co == COROPROF_THREAD || !valid(co))
		return;
	__atomic_store_n(&entry(co)->tag, tag, __ATOMIC_RELAXED);
	slot = coroprof_slot_filled(co, entry(co));
	if (slot)
		__atomic_store_n(&slot->tag, tag, __ATOMIC_RELAXED);
}

EXPORT uint64_t coroprof_id(coroprof_co co)
{
	if (co == COROPROF_THREAD)
		co = this_thread.slot;
	return co && co < coroprof_entries_limit() ? entry(co)->id : 0;
}

EXPORT uint64_t coroprof_slotless(void)
{
	return __atomic_load_n(&slotless, __ATOMIC_RELAXED);
}

/* Not from the thread's own chains, nor of its own ids, as a signal handler may be asking. */
static uint32_t entry_new(uint32_t label, uint64_t tag, uint64_t kind)
{
	uint32_t number = coroprof_entry_alloc_shared();

	if (!number)
		return coroprof_entry_slotless();
	*entry(number) = (struct coroutine){
		.id = (__atomic_fetch_add(&last_id, 1, __ATOMIC_RELAXED) + 1) | kind,
		.tag = tag,
		.label = (uint16_t)label,
	};
	return number;
}

uint32_t coroprof_entry_for_thread(uint32_t label, uint64_t tid)
{
	return entry_new(label, tid, COROPROF_ID_THREAD);
}

uint32_t coroprof_entry_for_tool(void)
{
	return entry_new(coroprof_label("(coroprof)"), 0, 0);
}
