/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libcoroprof: what a runtime calls to have its coroutines counted.
 *
 * A program says which coroutines there are and which of them a thread runs;
 * coroprof-read records them, whenever it is started and as often as it is.
 * With no recording under way coroprof_switch() costs a load, a compare and a
 * store. Nothing here can make the program fail: where the kernel module is
 * missing or refuses, the calls do their bookkeeping and no more.
 *
 * See coroprof(3).
 */
#ifndef COROPROF_COROPROF_H
#define COROPROF_COROPROF_H

#include <stddef.h>
#include <stdint.h>

#include <coroprof/uapi.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What holds for all functions, unless one says otherwise:
 *
 *  - Any thread may call them, all at once; from constructors, too, and in a
 *    child of fork(), which goes on with copies of its parent's coroutines.
 *  - Not from a signal handler. Those that may say so: "Signal handlers: yes".
 *    A handler that switches must switch back, one that begins a span must end
 *    it, before it returns.
 *  - They do not fail, and keep errno. Those that return int return 0, or a
 *    negative error number, for coroprof_strerror().
 *  - A handle is COROPROF_THREAD, or that of a coroutine that has not ended. One
 *    that has ended means nothing, or whichever coroutine has the number now.
 *  - Off is: no recording of the process is under way. Instructions, where they
 *    are given, include the return.
 */

/* A coroutine. Valid from coroprof_new() to its end, then used again. */
typedef uint32_t coroprof_co;

/* The calling thread itself, outside any coroutine. */
#define COROPROF_THREAD 0u

/* ------------------------------------------------------------------------
 * Coroutines
 */

/**
 * coroprof_new() - a coroutine begins to exist; it does not run yet
 * @label:  what it is one of, from coroprof_label(); 0 for none
 * @parent: who created it, usually coroprof_current(). COROPROF_THREAD: nobody
 * @tag:    any number; it is shown beside the coroutine
 *
 * Returns a handle, always. As many coroutines as COROPROF_SLOTS says may live
 * at once; more share one handle, and are counted together: coroprof_slotless().
 *
 * Cost: takes a number from a list of the thread's own, off or recorded. At
 * most one call in 32 takes them from all threads' list, without a lock, and
 * may make a system call. The first of all makes the process known.
 */
coroprof_co coroprof_new(uint32_t label, coroprof_co parent, uint64_t tag);

/**
 * coroprof_done() - a coroutine has ended that does not run, such as a cancelled one
 * @co: it must run on no other thread; if the calling thread runs it, this is
 *      coroprof_switch_done(COROPROF_THREAD)
 *
 * Cost: puts the number back on a list, off or recorded.
 */
void coroprof_done(coroprof_co co);

/**
 * coroprof_set_label() - a coroutine has another label, its present slice included
 * @co:    COROPROF_THREAD: the thread itself, once it was recorded or has joined;
 *         nothing happens before
 * @label: 0 for none
 *
 * Cost: a store; recorded, two.
 */
void coroprof_set_label(coroprof_co co, uint32_t label);

/**
 * coroprof_set_tag() - a coroutine has another tag than coroprof_new() was given
 * @co:  nothing happens to a thread
 * @tag: any number
 *
 * Recordings say it with the first slice: it counts if that has not ended yet. A
 * coroutine may so set its own before it first waits.
 *
 * Cost: a store; recorded, two.
 */
void coroprof_set_tag(coroprof_co co, uint64_t tag);

/**
 * coroprof_id() - the number by which recordings know a coroutine
 * @co: COROPROF_THREAD: the thread itself, once it was recorded or has joined
 *
 * Returns a number that nothing else in the process ever has; with
 * COROPROF_ID_THREAD in it if it is a thread's. 0 for what is no coroutine.
 *
 * Signal handlers: yes.
 */
uint64_t coroprof_id(coroprof_co co);

/* ------------------------------------------------------------------------
 * Switches: the calling thread runs @to from now on. The coroutine it leaves
 * waits, or stays ready to run, or is done.
 *
 * To be called on the thread that runs it, by one thread at a time for each
 * coroutine. A thread that switches while a recording is under way is recorded.
 *
 * To what runs already there is no switch: its slice goes on, whatever else the thread
 * says meanwhile. Whoever wakes or makes twenty others in one step has one slice.
 *
 * Signal handlers: yes, but coroprof_switch_done(). What the thread spends from a
 * switch in a handler that came in the middle of a switch, to its next one, may
 * be charged to the coroutine that it was leaving.
 *
 * Cost: off, a load, a compare and a store: 6 instructions on x86-64, 9 on arm64.
 * Recorded, no system call where the thread reads its counters in user mode, else
 * one ioctl(); no lock and no allocation in either. The first switch of a thread
 * after a recording has begun makes several system calls, with signals blocked:
 * it joins, opens counters, and has its ring allocated.
 */

/* It waits for something: until coroprof_wake() it is awaiting. */
void coroprof_switch(coroprof_co to);

/* It gave way, and is ready. */
void coroprof_switch_ready(coroprof_co to);

/*
 * It has ended, and its handle with it. Does nothing if the thread runs @to
 * already. Signal handlers: no.
 */
void coroprof_switch_done(coroprof_co to);

/**
 * coroprof_wake() - a coroutine is ready to run
 * @co: what waited. COROPROF_THREAD is nothing to wake
 *
 * To be called before the coroutine can be switched to; of several calls the
 * last counts. Time from here to the switch is "ready", before it "awaiting";
 * without any call there is but their sum, "suspended".
 *
 * Signal handlers: yes. Cost: off, a load and a compare; recorded, a look at the
 * clock and a few stores.
 */
void coroprof_wake(coroprof_co co);

/* What the calling thread runs. Signal handlers: yes. Cost: a load. */
coroprof_co coroprof_current(void);

/* ------------------------------------------------------------------------
 * Labels: a name for all coroutines of one kind. They last as long as the
 * process, and there are at most 65535: name kinds, not single coroutines.
 */

/**
 * coroprof_label() - the number of a label
 * @text: UTF-8. What is beyond 255 bytes is cut off
 *
 * Returns the same number for the same text, at all times; 0 for NULL, or
 * without memory. When there is no number left, that of "(no label left)".
 *
 * Cost: of a label that exists, a hash of the text and a comparison; no lock.
 * Of a new one, a lock, and a system call.
 */
uint32_t coroprof_label(const char *text);

/**
 * coroprof_label_code() - the number of the label that stands for code
 * @address: usually a function's. coroprof-read shows its name, and its line
 *
 * Returns as coroprof_label() does.
 *
 * Cost: looks through all loaded objects, under the dynamic linker's lock. Keep
 * the number where the same code is labelled often.
 */
uint32_t coroprof_label_code(const void *address);

/**
 * coroprof_adapter() - who reports coroutines, to be shown as "reported by"
 * @name: of the runtime, as its users call it: UTF-8, of at most 255 bytes. NULL: nothing is
 *  reported
 * @sees: COROPROF_SEES_BIRTHS, _NAMES, _WAKES, _ENDS: what is reported of all its coroutines
 *
 * For what stands between a runtime and this library, whatever program it is part of. May be
 * called at any time, and again. Of a process in which nobody calls it, the program itself
 * says.
 *
 * Cost: as coroprof_label().
 */
void coroprof_adapter(const char *name, uint32_t sees);

/* ------------------------------------------------------------------------
 * Spans: what the running coroutine does from here to there. They nest, belong
 * to the coroutine, and go with it from thread to thread. Outside any coroutine
 * they are the thread's. Each end must be in the coroutine of its beginning. A
 * span is recorded if it has begun and ended in one recording, and is at most
 * 1024 deep. In a child of fork() spans that are open are not recorded.
 *
 * Signal handlers: yes. Cost: off, 27 instructions for both on x86-64, 46 on
 * arm64. Recorded, no system call where the thread reads its counters in user
 * mode, else an ioctl() each.
 */
void coroprof_span_begin(uint32_t label);

/* Ends the one that began last. Without an open span, does nothing. */
void coroprof_span_end(void);

/**
 * coroprof_dump() - a flight recorder is to write what it keeps
 * @why: one line, which the file will have; up to 241 bytes of it. Each text that differs
 *       is a label of the process, of which there are at most COROPROF_LABELS_MAX
 *
 * Where nobody records the process with coroprof record --keep and --dump-on program, this is a
 * span of no length with a name of its own; where nobody records spans, nothing.
 *
 * Signal handlers: no.
 */
void coroprof_dump(const char *why);

/* ------------------------------------------------------------------------
 * A counter of the program's own, in whatever unit it likes: rows, bytes, hits of a
 * cache. A recording that asks for it (coroprof-read -e program) sums it like any
 * other counter: each coroutine gets what was counted while it ran.
 */

/**
 * coroprof_count() - the calling thread has counted so much more
 * @value: is added, modulo 2^64
 *
 * What the running coroutine is charged with. Counts from the thread's first switch in a
 * recording on, or from coroprof_thread_join(), until the recording ends: before that,
 * and in a thread that never switches, or shares its slot (coroprof_slotless()), nothing
 * happens. There is one such counter.
 *
 * Signal handlers: yes. Cost: at most 8 instructions until the thread has switched in a
 * recording; from then on at most 10 on x86, about 25 on arm64; no system call. A switch costs
 * more where it is recorded.
 */
void coroprof_count(uint64_t value);

/* ------------------------------------------------------------------------
 * Threads. Joining is never needed to be recorded. It makes the thread count
 * at all times, so that coroutines can read their own counters. While a thread
 * of the process has joined, switches on none of its threads are off.
 */

/**
 * struct coroprof_join - how a thread joins
 * @size:        sizeof(struct coroprof_join)
 * @label:       of the thread itself, or 0: a name made from the thread's own
 * @nr_counters: how many there are in @counters, or 0: cycles, instructions
 *               and cache misses, all of user mode
 * @reserved:    0
 * @counters:    what to count
 */
struct coroprof_join {
	uint32_t size;
	uint32_t label;
	uint32_t nr_counters;
	uint32_t reserved;
	struct coroprof_counter counters[COROPROF_COUNTERS_MAX];
};

/**
 * coroprof_thread_join() - the calling thread counts, recorded or not
 * @join: NULL: as if zero filled
 *
 * Until coroprof_thread_leave(), or until it exits. If it has joined before it
 * leaves first, also when this fails then. A child of fork() has not joined.
 *
 * Returns 0; -EINVAL a wrong argument; -EPERM kernel mode needs CAP_PERFMON;
 * -EDQUOT, -ENOMEM, -EMFILE no room for another channel; -ESRCH the thread is
 * about to exit; or as coroprof_status(). A counter that the machine does not
 * have is no error here: coroprof_estimate() says.
 *
 * Cost: several system calls, and one for each switch of the thread from then on.
 */
int coroprof_thread_join(const struct coroprof_join *join);

/* The contrary. Returns 0, or -ESRCH: there was nothing to leave. */
int coroprof_thread_leave(void);

/**
 * coroprof_read_self() - what the running coroutine has used up to now
 * @totals: its @size is set by the caller, to sizeof(struct coroprof_totals)
 *
 * Times in nanoseconds and counts as counted, since the coroutine began, or
 * since it first ran where these counters count. On a thread that has joined; or
 * that is recorded, then of what the recording counts. Does not end the slice.
 *
 * Returns 0; -ENODATA nothing counts here; -EINVAL a wrong size; or as
 * coroprof_status(). Coroutines that share a handle read their common totals.
 *
 * Cost: an ioctl().
 */
int coroprof_read_self(struct coroprof_totals *totals);

/**
 * coroprof_estimate() - a single counter of what was read
 * @totals:  from coroprof_read_self()
 * @counter: from 0 up, in the order of the join or of the recording
 * @value:   set only when the result is not negative
 *
 * Returns COROPROF_STANDING_COUNTED: @value is exact; COROPROF_STANDING_SCALED: the
 * counter was on the PMU for part of the time, @value is an estimate for all of
 * it; -ENODATA it was there for none of the time; -EOPNOTSUPP the machine does
 * not have it; -EINVAL there is no such counter in @totals.
 *
 * Signal handlers: yes.
 */
int coroprof_estimate(const struct coroprof_totals *totals, uint32_t counter, uint64_t *value);

/* ------------------------------------------------------------------------
 * Recording oneself, by a coroprof-read beside. All three may block for long.
 */

/**
 * coroprof_start() - run coroprof-read, and return once it records
 * @output: where to; the name says in which form, as of coroprof-read -o
 *
 * Returns 0; -EINVAL no @output; -EBUSY the process records itself already;
 * -ENOENT there is no coroprof-read; -EIO it failed, and has said why on standard
 * error; or as coroprof_status(). A child of fork() records nothing yet.
 *
 * coroprof-read is a child of the process, in a process group of its own.
 */
int coroprof_start(const char *output);

/*
 * End it, and return once the output is complete. Returns 0; -EALREADY nothing
 * was started; -EIO coroprof-read failed, and has said why; -ECHILD the program has
 * waited for it itself, so that the result is not known.
 */
int coroprof_stop(void);

/* Start, call @fn, stop. If it can't start, @fn is not called. */
int coroprof_go(void (*fn)(void *arg), void *arg, const char *output);

/* ------------------------------------------------------------------------
 * What is wrong
 */

/*
 * Whether the process can be recorded, as of the last attempt to make it known.
 * Returns 0; -ENODEV there is no /dev/coroprof (it is looked for again); -EACCES
 * the process may not open it; -ECANCELED COROPROF_DISABLE is set; -EEXIST another
 * copy of the library has made the process known; -EDQUOT, -ENOMEM over a limit;
 * -EBADF the program closes the library's descriptors.
 */
int coroprof_status(void);

/* How many coroutines, and threads, have found no slot left and share one. */
uint64_t coroprof_slotless(void);

/* What an error number, negative or not, means and what mends it. Not to be freed. */
const char *coroprof_strerror(int error);

#ifdef __cplusplus
}
#endif

#endif /* COROPROF_COROPROF_H */
