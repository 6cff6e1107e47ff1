/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the parts of the library know of each other.
 *
 * A coroutine is an entry: what the program said of it, in private memory that
 * fork() copies. Its slot, in memory shared with the kernel, is filled from the
 * entry when the kernel is to see the coroutine for the first time, so that an
 * idle program never touches slots, and a forked child, whose new process
 * object has empty ones, needs nothing copied.
 */
#ifndef COROPROF_INTERNAL_H
#define COROPROF_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <coroprof/coroprof.h>

#define EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* All that is declared here is found without a detour by tables. */
#pragma GCC visibility push(hidden)

/* ---- entries: coroutine.c, entries.c */

/* What coroutines that found no slot share. The first slot there is. */
#define ENTRY_SLOTLESS 1u

/**
 * struct coroutine - a coroutine
 * @id:         number of it, 0 while the entry is free
 * @parent:     @id of its parent; in a free entry, entries.c's
 * @tag:        the program's
 * @label:      the library's number of its label
 * @generation: coroprof_generation in which the kernel saw it first
 * @epoch:      modulo 2^16, in which the slot's wake_time was last right
 * @counters:   what the slot's totals are of: thread.counters
 */
struct coroutine {
	uint64_t id;
	uint64_t parent;
	uint64_t tag;
	uint16_t label;
	uint16_t generation;
	uint16_t epoch;
	uint16_t counters;
};

/* Some free entries, the first of them, linked by their @parent. */
struct chain {
	uint32_t first;
	uint32_t length;
};

extern struct coroutine *coroprof_entries;
uint32_t coroprof_entry_alloc(void);
uint32_t coroprof_entry_alloc_shared(void);
uint32_t coroprof_entry_alloc_unused(void);
void coroprof_entry_free_shared(uint32_t number);
uint32_t coroprof_entry_for_thread(uint32_t label, uint64_t tid);
uint32_t coroprof_entry_slotless(void);
void coroprof_entry_free(uint32_t number);
uint32_t coroprof_entries_limit(void);
void coroprof_entries_flush(void);

/* ---- spans: span.c, calls.c, frames.c */

/**
 * struct frame - an open span, in lines of the cache
 * @stamp: coroprof_span_stamp() of when it began, 0 if it can't be told
 * @code:  of a function call: the function
 * @span:  what to tell when it ends. @depth counts spans that will be told;
 *         @size and @flags are set by who tells the kernel
 */
struct frame {
	uint64_t stamp;
	const void *code;
	struct coroprof_span span;
} __attribute__((aligned(64)));

#define FRAMES_FIRST_SHIFT 2
#define FRAMES_FIRST (1u << FRAMES_FIRST_SHIFT)
/* 1024 frames in all. */
#define FRAME_PIECES 8

struct frames {
	struct frame first[FRAMES_FIRST];
	struct frame *other[FRAME_PIECES];
};

/**
 * struct stack - the open spans of a coroutine
 * @frames: memory for them; taken only while recorded
 * @depth:  how many are open
 * @room:   how many @frames has room for. A span without room is not told
 */
struct stack {
	struct frames *frames;
	uint32_t depth;
	uint32_t room;
};

/**
 * struct stacks - the same, of both kinds: each may nest in the other
 * @spans: counted at all times, so that each end finds its beginning
 * @calls: of functions; only while recorded, as an end knows its function
 */
struct stacks {
	struct stack spans;
	struct stack calls;
};

/**
 * struct stack_table - the stacks of all coroutines
 * @limit: how many there are, less those that can't have any; 0 before there is
 *         a table
 * @of:    by coroutine
 */
struct stack_table {
	uint32_t limit;
	struct stacks *of;
};

extern struct stack_table coroprof_stacks;
struct stacks *coroprof_stacks_of(coroprof_co co);
bool coroprof_stack_grow(struct stack *stack, uint32_t index);
void coroprof_spans_forget(uint32_t number);
void coroprof_spans_free(void);

/* Of a stack that has room for it. */
static inline struct frame *coroprof_frame_at(const struct stack *stack, uint32_t index)
{
	unsigned int top;

	if (likely(index < FRAMES_FIRST))
		return &stack->frames->first[index];
	top = 31 - __builtin_clz(index);
	return &stack->frames->other[top - FRAMES_FIRST_SHIFT][index - (1u << top)];
}

/* A new coroutine has the handle. A table that is yet to be made is empty. */
static inline void coroprof_spans_reset(uint32_t number)
{
	if (likely(!__atomic_load_n(&coroprof_stacks.limit, __ATOMIC_ACQUIRE)))
		return;
	coroprof_stacks.of[number].spans.depth = 0;
	coroprof_stacks.of[number].calls.depth = 0;
}

/* What libcoroprof-instrument calls, of this copy of the library or another. */
EXPORT void coroprof_call_enter_(const void *code);
EXPORT void coroprof_call_exit_(const void *code);

uint64_t coroprof_span_stamp(void);
bool coroprof_span_recorded(void);
bool coroprof_frame_begin(struct stacks *stacks, struct frame *frame, uint32_t label);
void coroprof_frame_end(struct frame *frame);

/* ---- the calling thread: thread.c, switch.c */

/**
 * struct thread - what the library knows of the calling thread
 * @current:  the coroutine it runs
 * @slot:     the entry that stands for the thread itself, 0 before it joins
 * @synced:   stamp() up to which the kernel knows what it runs
 * @channel:  its channel, or -1
 * @group:    coroprof_generation the channel was made in
 * @losses:   how often it has found its channel gone
 * @counters: a number for what it counts
 * @counting: it counts by itself, session or not
 * @user_mode: its recording is in user mode (user.h), and the next three are
 *            about that
 * @telling:  it is calling the kernel to switch
 * @given:    the stamp at which it heard that the session has opened events for it, or 0
 * @interrupted: a signal handler switched in the middle of a switch: no more
 *            user mode
 * @path:     how to switch from user mode in the fast case
 * @begin:    how to begin a span from user mode
 * @end:      how to end one
 * @user:     what it takes to switch from user mode, while nobody is at it
 * @own:      the same, always; NULL before the first time
 * @leaving:  it is about to exit: it joins no more
 * @keyed:    its destructor is set
 * @free:     entries to take from and give to
 * @spare:    a full chain of them, or an empty one
 * @next_id:  of the ids it may give out
 * @ids:      how many of them are left
 * @stacks:   spans of the thread outside any coroutine
 * @in_call:  it is busy with a function call that is told
 */
struct thread {
	coroprof_co current;
	uint32_t slot;
	struct user *user;
	void (*path)(coroprof_co to, unsigned long flags, struct user *user,
		     struct thread *self);
	void (*begin)(uint32_t label, struct stacks *stacks, struct frame *frame,
		      struct user *user, struct thread *self, uint32_t depth);
	void (*end)(struct stacks *stacks, struct frame *frame, struct user *user,
		    struct thread *self, uint32_t depth);
	struct user *own;
	bool user_mode;
	bool telling;
	bool interrupted;
	uint64_t synced;
	uint64_t given;
	int channel;
	uint16_t group;
	uint16_t counters;
	uint8_t losses;
	bool counting;
	bool leaving;
	bool keyed;
	struct chain free;
	struct chain spare;
	uint64_t next_id;
	uint32_t ids;
	struct stacks stacks;
	bool in_call;
};

extern __thread struct thread coroprof_here __attribute__((tls_model("initial-exec")));
#define here coroprof_here

/* The spans of what @self, the calling thread, runs. False: ask coroprof_stacks_of(). */
static inline bool coroprof_stacks_quick(struct stacks **stacks, struct thread *self)
{
	struct stack_table *table = &coroprof_stacks;
	coroprof_co co = self->current;

	__asm__("" : "+r"(table));
	if (likely(co - ENTRY_SLOTLESS - 1 < __atomic_load_n(&table->limit, __ATOMIC_ACQUIRE)))
		*stacks = &table->of[co];
	else if (likely(co == COROPROF_THREAD))
		*stacks = &self->stacks;
	else
		return false;
	return true;
}

/* NULL: it can't have any. */
static inline struct stacks *coroprof_stacks_own(void)
{
	struct stacks *stacks;

	return likely(coroprof_stacks_quick(&stacks, &here)) ? stacks :
							      coroprof_stacks_of(here.current);
}

void coroprof_thread_sync(void);
void coroprof_thread_keep(void);
bool coroprof_thread_lost(int error);
void coroprof_thread_child(void);
void coroprof_threads_init(void);
bool coroprof_tell_current(void);
/* As coroprof_switch(), when switches before this one were not told. */
void coroprof_switch_missed(coroprof_co to);

/* ---- the process: process.c, page.c */

/*
 * The kernel's page of the process is mapped over this, so that its address is
 * known when the library is linked; until then, and without the module, it is
 * zero: idle. It must cover a whole page, whatever the page size.
 */
#if defined(__x86_64__) || defined(__i386__)
#define PAGE_AREA 4096
#else
#define PAGE_AREA 65536
#endif

union page_area {
	struct coroprof_process_page page;
	char bytes[PAGE_AREA];
};

extern union page_area coroprof_page_area __attribute__((aligned(PAGE_AREA)));

static inline bool active(void)
{
	/* Not an atomic built-in: it would cost an instruction more. */
	return *(const volatile __u32 *)&coroprof_page_area.page.active != 0;
}

/*
 * The same page, wherever else it is mapped: page_area shows "active" as well
 * while a thread counts by itself.
 */
extern const struct coroprof_process_page *coroprof_page_kernel;

static inline bool recorded(void)
{
	return __atomic_load_n(&coroprof_page_kernel->active, __ATOMIC_RELAXED) != 0;
}

/* By a session of totals, which no slices, spans and so on are told. */
static inline bool recorded_totals(void)
{
	return __atomic_load_n(&coroprof_page_kernel->active, __ATOMIC_RELAXED) &
	       COROPROF_ACTIVE_TOTALS;
}

static inline uint32_t epoch(void)
{
	return __atomic_load_n(&coroprof_page_kernel->epoch, __ATOMIC_RELAXED);
}

/* To be added to CLOCK_MONOTONIC: in a time namespace that is not the kernel's. */
static inline uint64_t clock_offset(void)
{
	return (uint64_t)__atomic_load_n(&coroprof_page_kernel->clock_offset, __ATOMIC_RELAXED);
}

/* Counts process objects: this process's own and, inherited, its parents'. */
extern uint16_t coroprof_generation;

/* Of a moment between two STARTs or STOPs; 0 is of none. */
static inline uint64_t stamp(void)
{
	return (uint64_t)__atomic_load_n(&coroprof_generation, __ATOMIC_RELAXED) << 32 | epoch();
}

int coroprof_process_need(void);
void coroprof_process_check(void);
void coroprof_process_lost(void);
void coroprof_process_child(void);
bool coroprof_process_foreign(void);
int coroprof_process_descriptor(void);
EXPORT void coroprof_init_(int early);
extern const int coroprof_early;

int coroprof_page_map(int process);
void coroprof_page_hide(void);
int coroprof_page_force(void);
void coroprof_page_release(int process);
void coroprof_page_child(void);

/* ---- slots: slots.c */

int coroprof_slots_map(int process, uint32_t wanted);
void coroprof_slots_hide(void);
uint32_t coroprof_process_slots(void);
struct coroprof_slot *coroprof_slot(uint32_t number, struct coroutine *entry);
struct coroprof_slot *coroprof_slot_filled(uint32_t number, const struct coroutine *entry);
struct coroprof_slot *coroprof_slots(void);
void coroprof_slot_forget(uint32_t number);
void coroprof_slot_renew(uint32_t number, struct coroutine *entry);

/* ---- coroutines that have ended: ended.c */

void coroprof_ended_add(struct coroprof_slot *slot);

/* ---- labels: labels.c */

uint32_t coroprof_label_intern(uint32_t flags, const char *text, size_t len, uint64_t value);
/* The kernel's number of a label, or 0. */
extern uint32_t coroprof_label_numbers[COROPROF_LABELS_MAX];

static inline uint32_t coroprof_label_number(uint32_t label)
{
	if (unlikely(label >= COROPROF_LABELS_MAX))
		return 0;
	/* Not an atomic built-in: it would cost an instruction more. */
	return *(const volatile uint32_t *)&coroprof_label_numbers[label];
}
void coroprof_labels_register(int process);

/* ---- the environment: settings.c */

/**
 * struct settings - what it said when the library was loaded
 * @token:    of the session that may record the process, or 0
 * @slots:    how many coroutines are to be told apart, 0 for the default
 * @switch_ioctl: no switches from user mode
 * @disabled: the library is off
 * @debug:    say what it does
 */
struct settings {
	uint64_t token;
	uint64_t slots;
	bool switch_ioctl;
	bool disabled;
	bool debug;
};

const struct settings *coroprof_settings(void);

/* ---- descriptors, errors, the lock */

int coroprof_descriptor_raise(int fd);
void coroprof_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Guards registration and the making of labels. Signals are blocked meanwhile,
 * so that a handler that switches can't wait for its own thread. Never taken
 * to switch.
 */
void coroprof_lock(void);
void coroprof_unlock(void);
void coroprof_lock_renew(void);

#pragma GCC visibility pop

#endif /* COROPROF_INTERNAL_H */
