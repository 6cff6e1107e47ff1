/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an adapter is, and all that it knows of coroprof besides coroprof(3).
 *
 * An adapter is a folder beside this file. It says what the coroutines of one
 * runtime do, by hooks that stand before functions of that runtime or by what the
 * runtime calls of itself. It uses this header, what preload/ and stacks/ offer,
 * and nothing of another adapter. list.h names it.
 */
#ifndef RUNTIME_H
#define RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include <coroprof/coroprof.h>

#include "list.h"

#define EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#pragma GCC visibility push(hidden)

/**
 * struct runtime - an adapter
 * @begin: the library is loaded: is the runtime here, and what does it need?
 *         Called once, before main(), unless @off. NULL: hooks are all there is
 * @begin_off: the same if @off: another program of the user's, which was not, may
 *         have prepared this one. NULL: there is nothing to put back
 * @off:   hooks only pass on what they are called with. Set before @begin would
 *         be called and never after
 */
struct runtime {
	void (*begin)(void);
	void (*begin_off)(void);
	bool off;
};

/* Each adapter has one of these: lua_runtime, and so on. */
#define RUNTIME_DECLARE(name) extern struct runtime name##_runtime;
RUNTIMES(RUNTIME_DECLARE)
#undef RUNTIME_DECLARE

/*
 * What the library keeps of the calling thread, and of the process, seen without
 * a call: a hook runs each time that a program switches. To store what runs is
 * to switch, while nobody records.
 */
extern __thread coroprof_co runtime_current
	__asm__("coroprof_this_thread") __attribute__((tls_model("initial-exec")));
extern const volatile uint32_t runtime_active __asm__("coroprof_page_area");

/* Whether switches must be reported: a recording is under way, or a thread counts by itself. */
static inline bool runtime_recorded(void)
{
	return runtime_active != 0;
}

/*
 * coroprof_switch(), from where it must cost next to nothing while nobody records.
 *
 * A slice is one step of the program's, whatever is done in it for us: to what runs already
 * there is no switch, and nobody leaves it for the adapter's own work to come back to it
 * (preload/charge.h). The mock of the module ends the program of a test in which that happens.
 */
static inline void runtime_switch(coroprof_co to)
{
	if (likely(!runtime_recorded()))
		runtime_current = to;
	else
		coroprof_switch(to);
}

/**
 * struct adapter - who reports coroutines, for the reader to show
 * @name: of the runtime, as its users call it
 * @sees: COROPROF_SEES_*: of all its coroutines, not only of some
 * @reported: the kernel knows
 */
struct adapter {
	const char *name;
	uint32_t sees;
	bool reported;
};

void runtime_report(struct adapter *adapter);

/* coroprof_new(), by an adapter. */
static inline coroprof_co runtime_new(struct adapter *by, uint32_t label, coroprof_co parent,
				      uint64_t tag)
{
	if (unlikely(!__atomic_load_n(&by->reported, __ATOMIC_RELAXED)))
		runtime_report(by);
	return coroprof_new(label, parent, tag);
}

/* What the thread runs, as a number that stays: coroprof_id(), or 0 for a thread. */
uint64_t runtime_current_id(void);
/* A coroutine was created by the one of that number. Before it first runs. */
void runtime_set_parent(coroprof_co co, uint64_t parent);

/* The thread has another name now: what it runs outside of coroutines is labelled by that. */
void runtime_name_thread(void);

/* As coroprof_switch(), when switches before this one were not reported. */
void coroprof_switch_unreported(coroprof_co to);

/* The coroutine, one for each thread, that what an adapter does is charged to. */
coroprof_co coroprof_thread_tool(void);

/*
 * A function is called in what the thread runs, and it returns: a span. @code stands
 * for the function, so that an end finds its beginning. While nobody records, nothing.
 */
void coroprof_call_begin(const void *code, uint32_t label);
void coroprof_call_end(const void *code);

/*
 * Makes the process known, as its first coroutine does: for what a program without
 * any is asked to report. Returns 0, or as coroprof_status().
 */
int coroprof_process_need(void);

/*
 * A lock for what an adapter keeps. Signals are blocked meanwhile, so that a
 * handler that switches can't wait for its own thread. Never taken to switch.
 */
void coroprof_lock(void);
void coroprof_unlock(void);

/* Said if COROPROF_DEBUG is set. */
void coroprof_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#pragma GCC visibility pop

#endif /* RUNTIME_H */
