/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the library share.
 *
 * Each coroutine has an entry: what the program said about it, in private memory that fork()
 * copies. It also has a slot, in memory shared with the kernel. The library fills the slot
 * from the entry when the kernel is to see the coroutine for the first time. So a program
 * that nobody records never touches a slot; and nothing has to be copied for a forked child, whose
 * new process object has empty slots.
 */
#ifndef COROPROF_INTERNAL_H
#define COROPROF_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <coroprof/coroprof.h>

#define EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Calls of what is declared here need no table of the linker. */
#pragma GCC visibility push(hidden)

/* ---- entries: coroutine.c, entries.c */

/* The entry that all coroutines without a slot of their own share. The first slot. */
#define ENTRY_SLOTLESS 1u

/**
 * struct coroutine - the entry of a coroutine
 * @id:         its number; 0 while the entry is free
 * @parent:     @id of its parent; while the entry is free, the next free one (entries.c)
 * @tag:        the program's
 * @label:      the library's number of its label
 * @generation: coroprof_generation_low() when the kernel first saw it
 * @epoch:      epoch, modulo 2^16, in which the slot's wake_time was last right
 * @counters:   which counters the slot's totals are of: thread.counters
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

/* A list of free entries, linked by their @parent: its first entry, and how many there are. */
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
uint32_t coroprof_thread_label(void);
uint32_t coroprof_entry_for_tool(void);
uint32_t coroprof_entry_slotless(void);
void coroprof_entry_free(uint32_t number);
uint32_t coroprof_entries_limit(void);
void coroprof_entries_flush(void);

/* ---- spans: span.c, calls.c, frames.c */

/**
 * struct frame - an open span; the size of a cache line, or of several
 * @stamp: coroprof_span_stamp() when it began, 0 if it will not be recorded
 * @code:  of a function call: the function
 * @span:  what is recorded when it ends. Its @depth counts the spans around it that will be
 *         recorded; who makes the record sets @size and @flags
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
 * @frames: memory for them, allocated only while the process is recorded
 * @depth:  how many are open
 * @room:   how many @frames has room for. A span without room is not recorded
 */
struct stack {
	struct frames *frames;
	uint32_t depth;
	uint32_t room;
};

/**
 * struct stacks - the open spans of both kinds; either kind may nest in the other
 * @spans: counted at all times, so that each end finds its beginning
 * @calls: of functions; only while recorded, because an end names its function
 */
struct stacks {
	struct stack spans;
	struct stack calls;
};

/**
 * struct stack_table - the stacks of all coroutines
 * @limit: how many coroutines can have some, less the first ones, which can't; 0 before the
 *         table is made
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

/* @index: of a frame that the stack has room for. */
static inline struct frame *coroprof_frame_at(const struct stack *stack, uint32_t index)
{
	unsigned int top;

	if (likely(index < FRAMES_FIRST))
		return &stack->frames->first[index];
	top = 31 - __builtin_clz(index);
	return &stack->frames->other[top - FRAMES_FIRST_SHIFT][index - (1u << top)];
}

/* A new coroutine has got the handle. As long as there is no table, there is nothing to do. */
static inline void coroprof_spans_reset(uint32_t number)
{
	if (likely(!__atomic_load_n(&coroprof_stacks.limit, __ATOMIC_ACQUIRE)))
		return;
	coroprof_stacks.of[number].spans.depth = 0;
	coroprof_stacks.of[number].calls.depth = 0;
}

/* libcoroprof-instrument calls these, in this copy of the library or in another. */
EXPORT void coroprof_call_enter_(const void *code);
EXPORT void coroprof_call_exit_(const void *code);
/* The same for adapters: @code stands for a function, which has a label. */
void coroprof_call_begin(const void *code, uint32_t label);
void coroprof_call_end(const void *code);

uint64_t coroprof_span_stamp(void);
bool coroprof_span_recorded(void);
bool coroprof_frame_begin(struct stacks *stacks, struct frame *frame, uint32_t label);
void coroprof_frame_end(struct frame *frame);

/* ---- the calling thread: thread.c, switch.c */

/**
 * struct thread - what the library knows about the calling thread
 * @current:  the coroutine that it runs
 * @slot:     the entry that stands for the thread itself; 0 before it joins
 * @tool:     the coroutine that this library's own work is charged to; 0 before there is any
 * @user:     what it needs to switch from user mode; NULL while the thread may not, and while
 *            a function is using it
 * @path:     switches from user mode in the fast case
 * @begin:    begins a span from user mode
 * @end:      ends a span from user mode
 * @own:      what @user is when it is not NULL; NULL before the first time
 * @user_mode: its recording is in user mode (user.h); the members @reporting, @given and
 *            @interrupted are about that
 * @reporting: it is calling the kernel to switch
 * @interrupted: a signal handler switched in the middle of a switch: no user mode any more
 * @synced:   stamp() up to which the kernel knows what the thread runs
 * @given:    the stamp at which it heard that the session has opened events for it, or 0
 * @channel:  its channel, or -1
 * @group:    coroprof_generation in which the channel was made
 * @counters: a number for the counters it has
 * @losses:   how often it has found its channel gone
 * @counting: it counts by itself, with a session or without
 * @leaving:  it is about to exit, and joins no more
 * @keyed:    its destructor is set
 * @free:     entries to take from and to give back to
 * @spare:    another list of them, full or empty
 * @next_id:  the next id that it may give out
 * @ids:      how many such ids are left
 * @stacks:   spans of the thread outside any coroutine
 * @in_call:  the library is recording a function call, so it records none that this makes
 * @word:     the program's own counter, in the slot that stands for the thread; NULL while it
 *            has no channel, or shares that slot
 */
struct thread {
	coroprof_co current;
	uint32_t slot;
	coroprof_co tool;
	struct user *user;
	void (*path)(coroprof_co to, unsigned long flags, struct user *user,
		     struct thread *self);
	void (*begin)(uint32_t label, struct stacks *stacks, struct frame *frame,
		      struct user *user, struct thread *self, uint32_t depth);
	void (*end)(struct stacks *stacks, struct frame *frame, struct user *user,
		    struct thread *self, uint32_t depth);
	struct user *own;
	bool user_mode;
	bool reporting;
	bool interrupted;
	uint64_t synced;
	uint64_t given;
	int channel;
	uint32_t group;
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
	uint64_t *word;
};

extern __thread struct thread coroprof_this_thread __attribute__((tls_model("initial-exec")));
#define this_thread coroprof_this_thread

/*
 * The spans of what @self, the calling thread, runs. Returns false if the caller has to ask
 * coroprof_stacks_of().
 */
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

/* The spans of what the calling thread runs; NULL if that can have none. */
static inline struct stacks *coroprof_stacks_own(void)
{
	struct stacks *stacks;

	return likely(coroprof_stacks_quick(&stacks, &this_thread)) ?
		       stacks :
		       coroprof_stacks_of(this_thread.current);
}

bool coroprof_thread_sync(void);
void coroprof_thread_keep(void);
bool coroprof_thread_lost(int error);
void coroprof_thread_child(void);
void coroprof_threads_init(void);
bool coroprof_report(coroprof_co co);
coroprof_co coroprof_thread_tool(void);
uint64_t coroprof_thread_id(void);
/* As coroprof_switch(), when the library has missed switches before this one. */
void coroprof_switch_unreported(coroprof_co to);

/* ---- the process: process.c, page.c, generation.c */

/*
 * The library maps the kernel's process page over this area, so that the linker knows its
 * address. Until then, and without the module, the area is zero, which means off. It must
 * cover a whole page, whatever the page size.
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
 * The process page at its other address. It says what the kernel says; "active" in the page
 * area is also set while a thread counts by itself.
 */
extern const struct coroprof_process_page *coroprof_page_kernel;

static inline bool recorded(void)
{
	return __atomic_load_n(&coroprof_page_kernel->active, __ATOMIC_RELAXED) != 0;
}

/* Whether a session of totals records the process: it gets no slices, spans or samples. */
static inline bool recorded_totals(void)
{
	return __atomic_load_n(&coroprof_page_kernel->active, __ATOMIC_RELAXED) &
	       COROPROF_ACTIVE_TOTALS;
}

/*
 * The program has put a filter of system calls in place that refuses ioctl(), for ever: it may be
 * killed for a call. Nobody records it then, so that no switch looks at this.
 */
static inline bool refused(void)
{
	return unlikely(__atomic_load_n(&coroprof_page_kernel->flags, __ATOMIC_RELAXED) &
			COROPROF_PROCESS_REFUSES);
}

static inline uint32_t epoch(void)
{
	return __atomic_load_n(&coroprof_page_kernel->epoch, __ATOMIC_RELAXED);
}

/*
 * To be added to CLOCK_MONOTONIC to get the kernel's, in nanoseconds: not 0 in a time namespace.
 */
static inline uint64_t clock_offset(void)
{
	return (uint64_t)__atomic_load_n(&coroprof_page_kernel->clock_offset, __ATOMIC_RELAXED);
}

/*
 * Counts process objects, of this process and of the parents it was forked from; what would end
 * in 16 bits of 0 is left out. Entries and slots keep the lower 16 bits, and forget them all when
 * these begin again. A thread that makes no call meanwhile can't be informed: it keeps all of it,
 * so that its channel is known to be of an earlier object until 2^32 others were made.
 */
extern uint32_t coroprof_generation;
/* Where it is in a page of its own, which a child finds zeroed. */
extern uint32_t *coroprof_generation_ours;
/* No generation has seen any entry, or found memory of any slot. */
void coroprof_entries_unseen(void);
void coroprof_slots_unseen(void);
/* There is another process object. The lock is held. */
void coroprof_generation_raise(void);

/*
 * coroprof_generation; but 0, which none is, in a child that was made behind the library's back
 * (a bare clone()): until it finds out, at its first switch, slots are the parent's.
 */
static inline uint32_t coroprof_generation_here(void)
{
	return __atomic_load_n(__atomic_load_n(&coroprof_generation_ours, __ATOMIC_RELAXED),
			       __ATOMIC_RELAXED);
}

/* What an entry keeps of it; never 0. */
static inline uint16_t coroprof_generation_low(void)
{
	return (uint16_t)__atomic_load_n(&coroprof_generation, __ATOMIC_RELAXED);
}

/* Names a moment between two STARTs or STOPs; it is never 0. */
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
void coroprof_slot_clear(struct coroprof_slot *slot);
void coroprof_slot_forget(uint32_t number);
void coroprof_slot_renew(uint32_t number, struct coroutine *entry);

/* ---- coroutines that have ended: ended.c */

void coroprof_ended_add(struct coroprof_slot *slot);

/* ---- labels: labels.c */

uint32_t coroprof_label_intern(uint32_t flags, const char *text, size_t len, uint64_t value);
/* By the library's number of a label, the kernel's number, or 0. */
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
 * struct settings - what the environment said when the library was loaded
 * @token:    of the session that may record the process, or 0
 * @slots:    how many coroutines get a slot of their own; 0 for the default
 * @switch_ioctl: do not switch from user mode
 * @disabled: the library is off
 * @debug:    say on stderr what the library does
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
 * Protects the registration of the process and the making of labels. All signals are blocked
 * while it is held, so that a signal handler that switches never waits for its own thread. A
 * switch does not take it.
 */
void coroprof_lock(void);
void coroprof_unlock(void);
void coroprof_lock_renew(void);

/*
 * No signal handler of the thread runs from here on, until the mask that this returns is restored.
 */
static inline sigset_t coroprof_signals_block(void)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	return before;
}

static inline void coroprof_signals_restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

#pragma GCC visibility pop

#endif /* COROPROF_INTERNAL_H */
