// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The slots, in memory that the kernel shares with the process: mapping, filling and clearing them.
 * The address stays, and no write may meet memory that the kernel refuses.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "wake.h"

/* So many slots are in one page, at least. */
#define UNIT (4096 / sizeof(struct coroprof_slot))

static struct coroprof_slot *slots;
static size_t bytes;
static uint32_t count;

/* coroprof_generation_low() in which a unit's memory was last found to be there. */
static uint16_t backed[COROPROF_SLOTS_MAX / UNIT];

uint32_t coroprof_process_slots(void)
{
	return __atomic_load_n(&count, __ATOMIC_RELAXED);
}

/* Other threads may be at them: the address stays, and what is written is lost. */
void coroprof_slots_hide(void)
{
	if (slots && mmap(slots, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
			     MAP_FAILED)
		coroprof_debug("can't let go of slots: errno %d", errno);
}

int coroprof_slots_map(int process, uint32_t wanted)
{
	size_t need = wanted * sizeof(*slots);
	void *memory;

	if (slots && need > bytes) {
		need = bytes;
		wanted = need / sizeof(*slots);
	}
	coroprof_slots_hide();
	memory = mmap(slots, need, PROT_READ | PROT_WRITE, MAP_SHARED | (slots ? MAP_FIXED : 0),
		      process, COROPROF_MMAP_SLOTS);
	if (memory == MAP_FAILED)
		return -errno;
	if (!slots)
		bytes = need;
	slots = memory;
	__atomic_store_n(&count, wanted, __ATOMIC_RELEASE);
	return 0;
}

void coroprof_slots_unseen(void)
{
	for (uint32_t unit = 0; unit < COROPROF_SLOTS_MAX / UNIT; unit++)
		__atomic_store_n(&backed[unit], 0, __ATOMIC_RELAXED);
}

static inline bool has_memory(uint32_t number)
{
	uint16_t generation = (uint16_t)coroprof_generation_here();

	return generation && number < count &&
	       __atomic_load_n(&backed[number / UNIT], __ATOMIC_RELAXED) == generation;
}

/*
 * Memory for slots is charged to the user and may be refused; a store would
 * then raise SIGBUS. So the first to write there is a system call: to a mark,
 * which nobody has made yet.
 */
static __attribute__((noinline)) bool back(uint32_t number)
{
	struct timespec *where = (struct timespec *)&slots[number].mark;
	uint16_t generation = (uint16_t)coroprof_generation_here();
	int saved = errno;

	if (!generation || number >= count)
		return false;
	if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, where)) {
		errno = saved;
		return false;
	}
	where->tv_sec = 0;
	where->tv_nsec = 0;
	__atomic_store_n(&backed[number / UNIT], generation, __ATOMIC_RELAXED);
	return true;
}

static __attribute__((noinline)) void fill(struct coroprof_slot *slot, const struct coroutine *entry)
{
	if (recorded_totals())
		coroprof_ended_add(slot);
	slot->parent = entry->parent;
	slot->tag = entry->tag;
	wake_take(slot);
	slot->label = coroprof_label_number(entry->label);
	__atomic_store_n(&slot->id, entry->id, __ATOMIC_RELEASE);
}

/* The slot of an entry, saying what the entry says; NULL: no memory for it, or not ours. */
struct coroprof_slot *coroprof_slot(uint32_t number, struct coroutine *entry)
{
	struct coroprof_slot *slot = &slots[number];

	if (unlikely(!has_memory(number)) && !back(number))
		return NULL;
	if (unlikely(__atomic_load_n(&slot->id, __ATOMIC_RELAXED) != entry->id))
		fill(slot, entry);
	return slot;
}

/* All totals, as the kernel does it for a new coroutine: not what says that it was made ready. */
void coroprof_slot_clear(struct coroprof_slot *slot)
{
	memset(&slot->slices, 0,
	       offsetof(struct coroprof_slot, wake) - offsetof(struct coroprof_slot, slices));
	memset(slot->count, 0, sizeof(slot->count));
	memset(slot->missing_ns, 0, sizeof(slot->missing_ns));
	slot->since = epoch();
}

struct coroprof_slot *coroprof_slots(void)
{
	return slots;
}

/* The slot of an entry, if a switch or a wake-up has filled it; else NULL. */
struct coroprof_slot *coroprof_slot_filled(uint32_t number, const struct coroutine *entry)
{
	if (!has_memory(number) ||
	    __atomic_load_n(&slots[number].id, __ATOMIC_RELAXED) != entry->id)
		return NULL;
	return &slots[number];
}

/* The coroutine is no more. Another may get the slot before anybody looks. */
void coroprof_slot_forget(uint32_t number)
{
	if (has_memory(number))
		__atomic_store_n(&slots[number].mark[0], 0, __ATOMIC_RELAXED);
}

/*
 * Before the switch to a coroutine that was last reported under other
 * conditions. A wake-up of an earlier recording, which nobody took, is dropped;
 * totals of other counters are not to be added to.
 */
void coroprof_slot_renew(uint32_t number, struct coroutine *entry)
{
	struct coroprof_slot *slot = &slots[number];
	uint16_t now = (uint16_t)epoch();

	if (unlikely(!coroprof_generation_here()))
		return;
	if (entry->epoch != now)
		wake_take(slot);
	entry->epoch = now;
	__atomic_store_n(&slot->mark[0], 0, __ATOMIC_RELAXED);
	if (number != ENTRY_SLOTLESS && entry->counters != this_thread.counters) {
		coroprof_slot_clear(slot);
		coroprof_spans_forget(number);
	}
	entry->counters = this_thread.counters;
}
