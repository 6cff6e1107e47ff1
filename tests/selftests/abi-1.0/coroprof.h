/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * coroprof: hardware counters for every coroutine. The ABI of /dev/coroprof.
 *
 * Objects are file descriptors, as in KVM:
 *
 *   /dev/coroprof   control   INFO, PROCESS, SESSION
 *   PROCESS    ->   process   one recorded thread group: THREAD, LABEL; mmap of
 *                             its page and of its slots
 *   THREAD     ->   channel   one thread: SWITCH, READ, LEAVE, SPAN, TRACE;
 *                             WANTED, USER and mmap() to switch without a
 *                             system call
 *   SESSION    ->   session   a reader: ATTACH, START, STOP, CHANNEL, FORGET,
 *                             DELEGATE, VIEW, PROBE; read() of what exists,
 *                             mmap() of rings, poll()
 *   VIEW       ->   view      slots of a process that is attached: TOUCHED;
 *                             mmap() of them
 *
 * Level 2 added switches from user mode, spans and samples; level 3
 * COROPROF_SWITCH_UNREPORTED, COROPROF_ATTACH_LATER, COROPROF_ATTACH_CHILDREN,
 * COROPROF_SESSION_TOTALS and probes; level 4 counters of the program's own
 * (COROPROF_TYPE_PROGRAM), COROPROF_LABEL_ADAPTER, conditions of probes and
 * COROPROF_PROCESS_REFUSES and _AGAIN; level 5 the open slice in CHANNEL, VIEW in sessions
 * with slices, wakes in one piece (COROPROF_PROCESS_WAKES), wakers that are threads, and TRACE.
 *
 * Version 1.0 of coroprof has level 5; no level before it was released. What is in the header
 * of 1.0 (tests/selftests/abi-1.0/coroprof.h in the sources) stays as it is there, for ever:
 * numbers, values, the place, type and meaning of every member, and all rules below. So
 *
 *  - a program that was built with any header since 1.0 works with any later module, as
 *    it did. What is added has to be asked for: by a flag, by a value that was refused
 *    before, or by a member behind those that the program knows;
 *  - a program that was built with a later header works with a module since 1.0 that is
 *    older, if it leaves what it asks for at 0 where @abi_level or @features of INFO say
 *    that the module does not know it. What was asked for and is not known is refused
 *    (EINVAL, E2BIG, ENOTTY), never ignored. A release that adds something has a higher level;
 *    what a kernel or a machine may lack has a bit of @features as well;
 *  - structures grow at their end only: those that start with @size, and those that are
 *    mapped at the beginning of a page. All others, among them the parts that records
 *    are made of, and struct coroprof_slot, keep their sizes. A reserved member may get a
 *    meaning, and then keeps its name beside the new one, in a union. A new command gets a new
 *    number. New types of records may come, and new flags of SLICE, SPAN, TRACE and SAMPLE with
 *    data behind what there is now: each only in sessions that ask for it;
 *  - bits of flags, features and standings, reasons, modes and errors that a reader does
 *    not know may come in what it reads: it says so, and goes on.
 *
 * Rules that hold for all of it:
 *
 *  - Times are CLOCK_MONOTONIC nanoseconds, as outside of any time namespace: a
 *    process in one adds clock_offset of its process page to what it reads.
 *    Durations are nanoseconds.
 *  - Structures that may grow start with @size, which the caller sets to what
 *    it was compiled with. A shorter structure is read as if zero filled, a
 *    longer one is accepted when what the kernel does not know is zero, and
 *    refused with E2BIG otherwise. Sizes below the first published one:
 *    EINVAL. What the kernel returns is cut to @size.
 *  - Programs are of 64 bits. The offsets of mmap() have more bits than a 32-bit program can
 *    pass. So it is refused, and so is a 64-bit program that uses the 32-bit way of a system
 *    call (int $0x80): open() of the device, and read() and mmap() on any descriptor, fail
 *    with EOPNOTSUPP; ioctl() fails with ENOTTY. The kernel log says so once.
 *  - A caller passes the members that are "in"; the kernel returns those that are "out", and
 *    does not read them, but where a member is both. Nor does it read entries of an array behind
 *    the counters that there are, or the argument of START, STOP and LEAVE.
 *  - Unknown flags and non-zero reserved members that are "in": EINVAL. Unknown commands:
 *    ENOTTY. A command on the wrong kind of descriptor: ENOTTY. Memory that can't be read or
 *    written: EFAULT. An errno in a member is positive, but for those that @event passes.
 *  - Reserved members of records and mapped memory are written as 0, and readers ignore them.
 *  - Every command may sleep, except a SWITCH to a slot that has been touched by
 *    a thread that has synchronised with the session (its first SWITCH after
 *    who records it has changed does that).
 */
#ifndef _UAPI_COROPROF_H
#define _UAPI_COROPROF_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* The level of this ABI. Raised when something is added. */
#define COROPROF_ABI_LEVEL		5

#define COROPROF_DEVICE			"/dev/coroprof"

/*
 * At most so many counters in a session, and in a channel: for ever, as struct
 * coroprof_slot and the standing of a SLICE have room for no more.
 */
#define COROPROF_COUNTERS_MAX		8

/* A slot number has 24 bits. Slot 0 is never valid. */
#define COROPROF_SLOTS_MAX		(1U << 24)

/* The longest label text, without a terminating NUL. */
#define COROPROF_LABEL_TEXT_MAX		255

/* At most so many labels in a process. Label 0 is "no label". */
#define COROPROF_LABELS_MAX		65536

/* ------------------------------------------------------------------------
 * control
 */

/* Features, coroprof_info.features */
#define COROPROF_FEATURE_SWITCH_IOCTL	(1ULL << 0) /* SWITCH by ioctl */
#define COROPROF_FEATURE_SWITCH_USER	(1ULL << 1) /* USER: no system call */
#define COROPROF_FEATURE_SPANS		(1ULL << 2) /* SPAN */
#define COROPROF_FEATURE_SAMPLES	(1ULL << 3) /* coroprof_sampling */
#define COROPROF_FEATURE_TOTALS		(1ULL << 4) /* COROPROF_SESSION_TOTALS, VIEW */
#define COROPROF_FEATURE_PROBES		(1ULL << 5) /* PROBE: the kernel has uprobes (level 3) */
#define COROPROF_FEATURE_PROGRAM	(1ULL << 6) /* COROPROF_TYPE_PROGRAM (level 4) */
#define COROPROF_FEATURE_ADAPTERS	(1ULL << 7) /* COROPROF_LABEL_ADAPTER (level 4) */
#define COROPROF_FEATURE_CONDITIONS	(1ULL << 8) /* coroprof_probe.when (level 4) */
#define COROPROF_FEATURE_TRACES		(1ULL << 9) /* TRACE (level 5) */

/**
 * struct coroprof_info - what this module is and can do
 * @size:         in: sizeof(struct coroprof_info)
 * @abi_level:    out: COROPROF_ABI_LEVEL the module was built with
 * @features:     out: COROPROF_FEATURE_*
 * @slot_size:    out: sizeof(struct coroprof_slot)
 * @page_size:    out: the kernel's page size in bytes
 * @counters_max: out: COROPROF_COUNTERS_MAX of the module
 * @flags:        out: COROPROF_INFO_*
 */
struct coroprof_info {
	__u32 size;
	__u32 abi_level;
	__u64 features;
	__u32 slot_size;
	__u32 page_size;
	__u32 counters_max;
	__u32 flags;
};

/*
 * The caller may count and sample kernel mode: the caller has CAP_PERFMON, or
 * kernel.perf_event_paranoid is below 2.
 */
#define COROPROF_INFO_KERNEL_ALLOWED	(1U << 0)
/*
 * The caller may count and sample user mode (level 3): the caller has CAP_PERFMON, or
 * kernel.perf_event_paranoid is below 3, or the module's parameter group_may_count is set.
 */
#define COROPROF_INFO_COUNTING_ALLOWED	(1U << 1)

/**
 * struct coroprof_process_config - make the calling process known
 * @size:       in: sizeof(struct coroprof_process_config)
 * @flags:      in: COROPROF_PROCESS_AGAIN (level 4), or 0
 * @token:      in: token of the session this process consents to be recorded
 *              by, as handed down by COROPROF_SESSION in the environment, or 0
 * @slots:      in: how many slots to make room for, 2..COROPROF_SLOTS_MAX, or
 *              0 for 65536; out: what was given. Memory is only taken for
 *              slots that are touched.
 * @process_id: out: number of this process object. No other one has it as long as anything
 *              keeps this one: its descriptors and mappings, or a session
 *
 * PROCESS returns a process descriptor (close-on-exec). It belongs to the
 * calling thread group and its present address space. After fork() the child
 * gets EPERM from it, and calls PROCESS itself. After execve() nobody can use it.
 *
 * The process is known until the descriptor is closed, or until the process unmaps
 * its last mapping of the process page, as exit and execve() do. Then the recordings
 * of its threads end, and no thread can join any more. execve() ends them also if
 * another process shares the address space and has copies of the descriptors. If the
 * program has in addition cleared the close-on-exec flags of the descriptors, a
 * recording ends when the kernel next schedules the thread, or when the thread calls
 * PROCESS again. If that is before execve() has returned, the recording ends there;
 * else it ends with the last whole slice (CHANNEL_END with ESTALE).
 *
 * Errors: EEXIST the process is known already; ENOENT it is not, with
 * COROPROF_PROCESS_AGAIN; EINVAL; EDQUOT over a limit of the user;
 * ENOMEM; EMFILE.
 *
 * An unknown @token is not an error, as the session may be over: the process is
 * known then, and nobody records it.
 */
struct coroprof_process_config {
	__u32 size;
	__u32 flags;
	__u64 token;
	__u32 slots;
	__u32 process_id;
};

/*
 * Another descriptor of the calling process as it is known: for a program that has closed the
 * first one, as daemons do that close all, but has its mappings still. @token and @slots are
 * not looked at; @slots and @process_id are returned as PROCESS first did. The process is known
 * until the last of its descriptors is closed, mappings of closed ones included.
 */
#define COROPROF_PROCESS_AGAIN		(1U << 0)

/* Environment variable that hands a session's token (decimal) to a process. */
#define COROPROF_ENV_TOKEN		"COROPROF_SESSION"

/**
 * struct coroprof_counter - one hardware or software counter, or one of the program's own
 * @type:    as perf_event_attr.type, or COROPROF_TYPE_PROGRAM
 * @flags:   COROPROF_COUNTER_KERNEL, _PINNED
 * @config:  as perf_event_attr.config
 * @config1: as perf_event_attr.config1
 * @config2: as perf_event_attr.config2
 */
struct coroprof_counter {
	__u32 type;
	__u32 flags;
	__u64 config;
	__u64 config1;
	__u64 config2;
};

/*
 * Count kernel mode as well. Needs COROPROF_INFO_KERNEL_ALLOWED: EPERM without. The
 * process that is recorded sees these counts in its slots.
 */
#define COROPROF_COUNTER_KERNEL		(1U << 0)
/* Never multiplexed. If the PMU has no room for it, its standing is NOT_SCHEDULED. */
#define COROPROF_COUNTER_PINNED		(1U << 1)

/*
 * As @type, which no type of perf's is: a counter of the program's own (level 4). All other
 * members are 0. It counts what the thread adds to mark[1] of the slot that it began with
 * (THREAD), in whatever unit the program likes: the kernel reads the word where it reads the
 * other counters. The program may write anything there: what a slice has counted is a
 * difference modulo 2^64.
 *
 * The id of that slot must have COROPROF_ID_THREAD when the recording, or the counting,
 * begins; from user mode, at the call of USER or DELEGATE before that. Else, as of a process that
 * probes have made known, the counter is UNSUPPORTED (EOPNOTSUPP). It needs no
 * COROPROF_INFO_COUNTING_ALLOWED, and can't be sampled (EINVAL).
 * Without COROPROF_FEATURE_PROGRAM it is UNSUPPORTED (ENOENT).
 */
#define COROPROF_TYPE_PROGRAM		(1U << 31)

/*
 * The standing of a counter: two bits for each counter, those of counter 0 are the
 * lowest. Memory that is all zero claims nothing: UNSUPPORTED.
 */
#define COROPROF_STANDING_UNSUPPORTED	0U /* this kernel or PMU has no such event */
#define COROPROF_STANDING_NOT_SCHEDULED	1U /* it was on the PMU for none of the time */
#define COROPROF_STANDING_SCALED	2U /* for part of the time: missing_ns says */
#define COROPROF_STANDING_COUNTED	3U /* for all of the time: exact */
#define COROPROF_STANDING(word, n)	(((word) >> (2 * (n))) & 3U)
/*
 * The standing over two stretches of time: if both have the same standing, that one; else
 * if one of them is UNSUPPORTED, UNSUPPORTED; else SCALED. The first slice of a slot sets
 * the standing of its totals, and each later slice is added by this rule.
 */

/* ------------------------------------------------------------------------
 * process
 */

/*
 * Set in coroprof_slot.id: the slot stands for a thread outside any coroutine.
 * A custom between library and reader; the kernel makes nothing of it.
 */
#define COROPROF_ID_THREAD		(1ULL << 63)

/*
 * Likewise a custom: the slot stands for all coroutines of its label that have ended, and
 * whose slots other coroutines got while a session of totals recorded. The library adds
 * their totals to those of this slot, which never shrink; @tag is the number of these
 * coroutines. With COROPROF_ID_THREAD as well: threads that have ended.
 */
#define COROPROF_ID_ENDED		(1ULL << 62)

/* mmap() offsets on a process descriptor */
#define COROPROF_MMAP_PROCESS_PAGE	0ULL		/* read-only, one page */
#define COROPROF_MMAP_SLOTS		(1ULL << 32)	/* read-write, shared */

/**
 * struct coroprof_process_page - what the kernel shows a process
 * @active: COROPROF_ACTIVE_* (level 3; before that, 1) while a session records this
 *          process: each switch must be reported by SWITCH. 0 while none does: no switch
 *          needs to be reported
 * @epoch:  raised whenever who records the process, or whether, changes
 * @clock_offset: what to add to the process's CLOCK_MONOTONIC to have a time of
 *          this ABI, in ns: 0 but in a time namespace (level 3)
 * @flags:  COROPROF_PROCESS_REFUSES, _WAKES (level 4; before that, what follows @clock_offset
 *          reads as 0). Bits that nobody knows yet may come
 * @reserved: 0
 *
 * Only the kernel writes it. A thread that has read @active before it changed loses at
 * most the slices until it reads it again.
 */
struct coroprof_process_page {
	__u32 active;
	__u32 epoch;
	__s64 clock_offset;
	__u32 flags;
	__u32 reserved;
};

/*
 * The process has put a filter of system calls (seccomp) in place, or is about to, that
 * refuses a command of this ABI, other than TRACE, to a thread of it; it may kill whoever
 * calls. The process, and what it forks, makes no further call of ioctl() here. It is known
 * no longer: recordings of its threads end, with COROPROF_SLICE_UNREPORTED, and PROCESS_END
 * has EPERM. A filter that permits these commands changes nothing. Not seen are filters that
 * are there when the process makes itself known, and SECCOMP_MODE_STRICT; nor any where the
 * kernel has no kretprobes. A thread that is about to call while another one puts a filter in
 * place for all threads (TSYNC) may call once more.
 */
#define COROPROF_PROCESS_REFUSES	(1U << 0)

/*
 * Set for good (level 5): who wakes a coroutine may put the wake into coroprof_slot.wake, as
 * struct coroprof_wake says.
 */
#define COROPROF_PROCESS_WAKES		(1U << 1)

#define COROPROF_ACTIVE			(1U << 0) /* always, while non-zero */
/*
 * The session is one of totals: no span needs to be reported. Before the library
 * gives a slot to another coroutine it adds the slot's totals to another slot
 * (COROPROF_ID_ENDED).
 */
#define COROPROF_ACTIVE_TOTALS		(1U << 1)
/*
 * The session wants traces (level 5), and no filter of system calls that the process has put in
 * place refuses TRACE: threads call it.
 */
#define COROPROF_ACTIVE_TRACES		(1U << 2)

/**
 * struct coroprof_wake - a wake in one piece (level 5)
 * @time:  when; 0 for no wake
 * @waker: as coroprof_slot.waker
 *
 * Many threads may wake a coroutine while another one switches to it, so that time and waker
 * of a wake must not come apart, and none may be lost. With COROPROF_PROCESS_WAKES, who wakes
 * puts both into coroprof_slot.wake by one atomic exchange of these 16 bytes, and then
 * stores COROPROF_WAKE_WHOLE to @wake_time of the slot, with release semantics. The switch
 * into the slot stores 0 there, and then takes both by one such exchange for zeroes, with
 * release semantics as well. If that brings out none, the slice is not woken: an earlier
 * switch has taken the wake, just before it was announced. What an exchange by who wakes
 * brings out is a wake that no switch has taken: the later one stands for both. So each
 * wake is in one slice, or another one stands for it.
 *
 * Without that flag, or where the machine can't exchange 16 bytes, who wakes stores @waker
 * and then the time to @wake_time, with release semantics. A switch takes such a wake as
 * well; of several at the same time, it may take the time of one and the waker of another.
 */
struct coroprof_wake {
	__u64 time;
	__u64 waker;
};

/* In coroprof_slot.wake_time, where it is no time: there may be a wake in coroprof_slot.wake. */
#define COROPROF_WAKE_WHOLE		1ULL

/**
 * struct coroprof_slot - one coroutine's saved, continuing totals
 * @id:           number of the coroutine, unique in the process for its whole
 *                life, never 0
 * @parent:       @id of the coroutine that created it, 0 for none or unknown
 * @tag:          any number the program wants to see beside it
 * @wake_time:    when it was last made ready, 0 for unknown; the switch into
 *                it takes and clears this. Or COROPROF_WAKE_WHOLE (level 5)
 * @waker:        @id of the coroutine that made it ready; outside any, of the slot that stands
 *                for the thread (COROPROF_ID_THREAD; probes named none before level 5). 0 for
 *                unknown
 * @label:        its label, 0 for none
 * @reserved:     0
 * @mark:         for whatever the process likes; the kernel makes nothing of it, but
 *                reads mark[1] for COROPROF_TYPE_PROGRAM
 * @slices:       how many slices it has had
 * @running_ns:   time on a CPU
 * @preempted_ns: time off the CPU while it could have run
 * @blocked_ns:   time off the CPU because it slept in the kernel; from the
 *                moment it went to sleep to the moment it ran again
 * @nr_preempted: how often the OS took the CPU away, modulo 2^32
 * @nr_blocked:   how often it blocked its thread, modulo 2^32
 * @standing:     of each counter over all of its slices, COROPROF_STANDING;
 *                meaningful once @slices is not 0
 * @since:        coroprof_process_page.epoch when the totals were last zero; of
 *                COROPROF_ID_ENDED, when @standing was (level 3)
 * @wake:         when and by whom it was last made ready, as struct coroprof_wake says; before
 *                level 5, 0
 * @count:        counter values, as counted; never scaled
 * @missing_ns:   for each counter, how much of @running_ns it was not on the
 *                PMU. Estimate of the whole, as perf scales:
 *                count * running_ns / (running_ns - missing_ns)
 *
 * The process writes the first 64 bytes; whoever performs the switch, the kernel or the
 * thread itself, writes the rest, but who wakes writes @wake. A SWITCH with
 * COROPROF_SWITCH_FRESH zeroes that rest, except @wake, and sets @since; a process that
 * zeroes it by itself sets @since as well. All of it is plain data of the process: the
 * kernel never relies on it. Totals go on over all sessions.
 * @count is of the counters that the last session, or the thread, counts with; where
 * earlier ones were other counters, it is a mixture.
 */
struct coroprof_slot {
	__u64 id;
	__u64 parent;
	__u64 tag;
	__u64 wake_time;
	__u64 waker;
	__u32 label;
	__u32 reserved;
	__u64 mark[2];

	__u64 slices;
	__u64 running_ns;
	__u64 preempted_ns;
	__u64 blocked_ns;
	__u32 nr_preempted;
	__u32 nr_blocked;
	__u32 standing;
	__u32 since;

	struct coroprof_wake wake;

	__u64 count[COROPROF_COUNTERS_MAX];
	__u64 missing_ns[COROPROF_COUNTERS_MAX];
};

/**
 * struct coroprof_thread_config - join: the calling thread gets a channel
 * @size:        in: sizeof(struct coroprof_thread_config)
 * @flags:       in: must be 0
 * @slot:        in: the slot that is current from now on; by custom the one
 *               that stands for the thread while it is outside any coroutine
 * @nr_counters: in: 0: count what a session asks for, while there is one;
 *               1..COROPROF_COUNTERS_MAX: count these, at all times, session
 *               or not
 * @reserved:    in: must be 0
 * @counters:    in: the counters
 *
 * THREAD returns a channel descriptor (close-on-exec) for the calling thread.
 * Only that thread can use it. The channel ends with LEAVE, with the thread, or when
 * the descriptor is closed and no mapping of it is left. A counter that the machine
 * does not have is not an error: its standing is UNSUPPORTED.
 *
 * Errors: EPERM the process descriptor belongs to another process, or to a process
 * that is no longer known, or a counter asks for kernel mode, which the caller may not
 * count; EACCES there are counters, and the caller lacks COROPROF_INFO_COUNTING_ALLOWED;
 * EEXIST the thread has a channel, even if it is of an earlier process descriptor;
 * EINVAL @slot is 0 or not below the number of slots; EDQUOT; ENOMEM; EMFILE.
 */
struct coroprof_thread_config {
	__u32 size;
	__u32 flags;
	__u32 slot;
	__u32 nr_counters;
	__u64 reserved;
	struct coroprof_counter counters[COROPROF_COUNTERS_MAX];
};

/**
 * struct coroprof_label - a name that groups coroutines of one kind
 * @size:      in: sizeof(struct coroprof_label)
 * @flags:     in: COROPROF_LABEL_*
 * @text:      in: address of the text; UTF-8, no NUL needed, not checked
 * @text_len:  in: its length in bytes, 0..COROPROF_LABEL_TEXT_MAX
 * @label:     out: number of the label, 1..COROPROF_LABELS_MAX - 1
 * @value:     in: with COROPROF_LABEL_CODE, the address within the object
 *             named by the text, as in that object's symbol table; with
 *             COROPROF_LABEL_ADAPTER, COROPROF_SEES_*; else 0
 *
 * Labels live as long as their process object. The kernel makes a new one at each call:
 * it is the library that looks for one with the same text. A call that fails makes none.
 *
 * Errors: ENOSPC no more labels; EINVAL; EFAULT; EPERM not this process.
 */
struct coroprof_label {
	__u32 size;
	__u32 flags;
	__u64 text;
	__u32 text_len;
	__u32 label;
	__u64 value;
};

/* The label is a code address: text names the object file, value the address. */
#define COROPROF_LABEL_CODE		(1U << 0)
/*
 * The label is of no coroutine (level 4). It says who reports the process's coroutines: text
 * names the adapter that brings a runtime and the library together, value says what the
 * adapter sees. Who calls the library by itself makes none. Not with COROPROF_LABEL_CODE.
 */
#define COROPROF_LABEL_ADAPTER		(1U << 1)

/* What an adapter sees of its runtime's coroutines; bits that nobody knows yet may come. */
#define COROPROF_SEES_BIRTHS		(1U << 0) /* when they are made, and by whom */
#define COROPROF_SEES_NAMES		(1U << 1) /* what they are called, or which code they run */
#define COROPROF_SEES_WAKES		(1U << 2) /* when they become ready: awaiting, ready */
#define COROPROF_SEES_ENDS		(1U << 3) /* when they end */
#define COROPROF_SEES_TRACES		(1U << 4) /* which traces they work for (level 5) */

/* ------------------------------------------------------------------------
 * channel
 */

/*
 * SWITCH takes its argument by value: a slot number in the low 24 bits and
 * these flags. It ends the slice of the slot that was current, and begins one
 * of the slot given. It returns 0; or 1, when the session has delegated events (DELEGATE)
 * to a thread that has asked for them (COROPROF_USER_LATER).
 *
 * If who records the process changes faster than the thread gets ready to be recorded, the
 * switch is done without, and the next one looks anew: a SWITCH always comes to its end.
 *
 * Errors: EPERM another thread's channel, or one it has left, or the thread's
 * process has called execve(); EINVAL slot 0, slot out of range, unknown flag;
 * ENOMEM, EDQUOT there is no memory, or the user may have no more. If it was for a slot
 * that was never touched, nothing has happened. If it was for the thread's counters and
 * ring, at the first SWITCH after a START, the switch was done, but the thread stays
 * unrecorded until the next START, and the session learns it (CHANNEL with an error, or
 * UNRECORDED).
 */
#define COROPROF_SWITCH_SLOT_MASK	0x00ffffffUL
#define COROPROF_SWITCH_FRESH		(1UL << 24) /* a new coroutine's first slice */
#define COROPROF_SWITCH_END		(1UL << 25) /* the outgoing one has ended */
#define COROPROF_SWITCH_READY		(1UL << 26) /* the outgoing one stays ready */
/*
 * A signal handler has interrupted a switch from user mode: the kernel ends the recording
 * and begins another one, by ioctl. All later recordings of the channel are by ioctl, and
 * this flag changes nothing any more.
 */
#define COROPROF_SWITCH_KERNEL		(1UL << 27)
/* Since its last SWITCH the thread has switched, and did not report it (level 3). */
#define COROPROF_SWITCH_UNREPORTED	(1UL << 28)
#define COROPROF_SWITCH_FLAGS		(COROPROF_SWITCH_FRESH | \
					 COROPROF_SWITCH_END | \
					 COROPROF_SWITCH_READY | \
					 COROPROF_SWITCH_KERNEL | \
					 COROPROF_SWITCH_UNREPORTED)

/**
 * struct coroprof_totals - the running coroutine's totals up to now
 * @size:         in: sizeof(struct coroprof_totals)
 * @flags:        in: must be 0
 * @slot:         out: the slot that is current
 * @nr_counters:  out: how many counters the channel has; 0 if it counts nothing
 *                now, and the times and counts are as of when it last did
 * @standing:     out: COROPROF_STANDING of each counter over all of it
 * @reserved:     in: must be 0
 * @id:           out: coroprof_slot.id
 * @slices:       out: finished slices and the one running
 * @running_ns:   out: as in struct coroprof_slot, here and below
 * @preempted_ns: out
 * @blocked_ns:   out
 * @count:        out
 * @missing_ns:   out
 * @time:         out: now (level 2)
 *
 * READ does not end the slice.
 *
 * Errors: EPERM not this thread's channel; EINVAL; EFAULT.
 */
struct coroprof_totals {
	__u32 size;
	__u32 flags;
	__u32 slot;
	__u32 nr_counters;
	__u32 standing;
	__u32 reserved;
	__u64 id;
	__u64 slices;
	__u64 running_ns;
	__u64 preempted_ns;
	__u64 blocked_ns;
	__u64 count[COROPROF_COUNTERS_MAX];
	__u64 missing_ns[COROPROF_COUNTERS_MAX];
	__u64 time;
};

#define COROPROF_TOTALS_SIZE_LEVEL1	192U

/**
 * struct coroprof_span - a span of the running coroutine has ended
 * @size:       in: sizeof(struct coroprof_span)
 * @flags:      in: must be 0
 * @label:      in: what it is a span of
 * @depth:      in: how many spans of the coroutine it is in, 0 for none
 * @time:       in: coroprof_totals.time of a READ when it began; this and what
 * @running_ns: in: follows. Nothing else of that READ is needed
 * @count:      in
 * @missing_ns: in
 *
 * SPAN takes the coroutine's totals as they are now, and writes the difference to those
 * of @time to the ring, as a struct coroprof_record_span.
 *
 * Errors: EPERM not this thread's channel; ENODATA the thread is not recorded, or
 * by a session of totals; EINVAL; EFAULT.
 */
struct coroprof_span {
	__u32 size;
	__u32 flags;
	__u32 label;
	__u32 depth;
	__u64 time;
	__u64 running_ns;
	__u64 count[COROPROF_COUNTERS_MAX];
	__u64 missing_ns[COROPROF_COUNTERS_MAX];
};

/**
 * struct coroprof_trace - the running coroutine works for a trace (level 5)
 * @size:        in: sizeof(struct coroprof_trace)
 * @flags:       in: must be 0
 * @trace_id:    in: the trace, as in the W3C's Trace Context, the most significant byte first.
 *               All 0: the coroutine works for none; then @span_id and @trace_flags are 0
 * @span_id:     in: the span of the trace in which the coroutine works, which it would hand on
 *               as its parent-id; the most significant byte first. All 0: not known
 * @trace_flags: in: trace-flags of the Trace Context, 0..255
 * @reserved:    in: must be 0
 *
 * TRACE writes it to the ring, as a struct coroprof_record_trace, for the coroutine of the slot
 * that is current, and the slice goes on. The slice that goes on is of this trace as a whole,
 * and so is each later slice of the coroutine in the same ring, until the next TRACE. To have
 * one slice end with one trace and another one begin with the next, a thread calls SWITCH to the
 * slot that is current between them.
 *
 * While COROPROF_ACTIVE_TRACES is set, a thread calls TRACE before a slice ends if the coroutine
 * works for another trace, or in another ring, than when TRACE last succeeded for it; a coroutine
 * that has had no TRACE yet needs none until it works for a trace. So it is enough to remember
 * the last trace and the last ring of each coroutine. Best is to call as soon as the trace
 * changes, as the kernel may end the slice at any time (COROPROF_SLICE_CUT). A ring is another
 * one on another thread; when epoch of the process page, as read before the call, has changed;
 * and after a USER, or a SWITCH with COROPROF_SWITCH_KERNEL, of the thread. TRACE is not called
 * in a slot that coroutines share.
 *
 * Errors: EPERM not this thread's channel; ENODATA the thread is not recorded, or its next
 * SWITCH begins another recording, or the session wants no traces; ENOSPC the ring is full;
 * EINVAL @flags, @trace_flags or @reserved, or there is no @trace_id, but @span_id or
 * @trace_flags; EFAULT. After ENODATA and ENOSPC the trace is still to be reported.
 */
struct coroprof_trace {
	__u32 size;
	__u32 flags;
	__u8 trace_id[16];
	__u8 span_id[8];
	__u32 trace_flags;
	__u32 reserved;
};

/*
 * Switching from user mode
 *
 * A thread may read its counters itself, and write its slices, spans and traces to its
 * ring itself, if the session lets it (COROPROF_SESSION_USER). After a START,
 * before its first SWITCH, it asks for what the session counts (WANTED), opens
 * and maps such perf events for itself, and hands them over (USER). The SWITCH
 * then begins a recording with these events; mmap() on the channel descriptor
 * shows the thread
 *
 *   COROPROF_MMAP_CHANNEL_PAGE  one page, read-only: the channel page
 *   COROPROF_MMAP_CHANNEL_RING  one page and twice the ring's size, read-write:
 *                               the producer page and the data, as the session
 *                               sees them
 *
 * (ENODATA: it is not recorded so). From then on it may end a slice and begin
 * another without a system call, if all of this holds:
 *
 *  - attention of the channel page is 0, as read after the counters and the
 *    clock;
 *  - each counter was on the PMU, undisturbed, since the slice began: the lock
 *    of its event's page is what it was around the SWITCH, or the user-mode
 *    switch, that began it. The program's own counter always is;
 *  - the record ends at or before until;
 *  - somebody has touched the slot that is switched to. If the coroutine is new
 *    (COROPROF_SLICE_FRESH), the thread zeroes the totals of the slot, and sets @since,
 *    before it stores the head.
 *
 * It then writes the record at the head, fills in the one of the two open
 * slices that bit 0 of the head does not name, and stores the new head, with
 * that bit changed, with release semantics. If attention is not 0 by then, and
 * closed of the channel page is less than the position, the kernel has ended the
 * recording meanwhile, and the slice with it: the record does not count, the kernel
 * has added the slice to the totals, and the thread calls SWITCH to the same slot. Else
 * the thread adds the slice to its slot's totals.
 *
 * While the ring is full the thread may drop slices: when all of this holds except that
 * there is room, and drop_until of the channel page is not @dropped of the open slice. It
 * then writes no record, counts the slice in @dropped as well as in @slices, and
 * stores the same head with bit 0 changed. If attention is not 0 by then, closed
 * is not all ones, and closed_slices is not the new @slices, the slice does not
 * count; else the thread adds it to the totals. After a drop the thread calls SWITCH,
 * SPAN or TRACE before it writes a record, as LOST comes first: until lets no record end there
 * meanwhile. The kernel lets a thread drop a few hundred slices at a time, then looks
 * whether there is room again. In a session of totals the ring has no data, so that it
 * is always full, and the thread drops all slices: there this is no loss, and has no
 * bound.
 *
 * In all other cases the thread calls SWITCH, READ, SPAN or TRACE, and may do so at any time:
 * the kernel goes on from the open slice, and leaves one for the thread to go
 * on from. A signal handler that has interrupted such a call, a switch from user mode, or the
 * writing of a span or a trace must not write to the ring, nor call SPAN or TRACE: to switch, it
 * calls SWITCH with COROPROF_SWITCH_KERNEL, which ends the recording and begins another one, by
 * ioctl.
 *
 * A thread that may not open events says so with COROPROF_USER_LATER in its USER. It
 * is recorded by ioctl then, and the session may open events of that thread with its
 * own rights, and hand them over (DELEGATE). A SWITCH that returns 1 announces it to the
 * thread: it maps the pages of these events,
 *
 *   COROPROF_MMAP_CHANNEL_EVENT(n)  one page, read-only: as mmap() on the n-th
 *                               event itself would show it
 *
 * (ENODATA: nothing was given, or this counter is UNSUPPORTED, or the program's own), and
 * takes them by USER
 * with COROPROF_USER_DELEGATED. That ends the recording, and the next SWITCH begins one in
 * user mode. The thread never gets descriptors of these events. If it can't use them it
 * unmaps the pages, and says so by USER with a reason: else they take counters of the PMU
 * from the recording by ioctl, which goes on. Nothing is switched then, and the slice that
 * was open stays open.
 *
 * The kernel believes nothing that the thread writes. When it makes no sense, or a
 * counter has gone down because the thread has reset its event, the recording ends
 * there with EBADMSG (COROPROF_IOC_CHANNEL), until the next START.
 */
#define COROPROF_MMAP_CHANNEL_PAGE	0ULL
#define COROPROF_MMAP_CHANNEL_RING	(1ULL << 32)
#define COROPROF_MMAP_CHANNEL_EVENT(n)	((__u64)(16 + (n)) << 32)

/**
 * struct coroprof_channel_page - what the kernel shows a thread that switches
 *                                from user mode
 * @attention: non-zero: call SWITCH to switch. The thread was off the CPU in
 *             this slice, or the recording has ended, or a counter does not
 *             count
 * @drop_until: while it differs from the open slice's @dropped, the ring is full:
 *             a slice may end without a record (level 3)
 * @until:     no slice may end beyond this position without a SWITCH; 0 while
 *             @attention is not 0. A span, or a trace, may end up to where the last SWITCH,
 *             SPAN or TRACE left this, even if there was attention since then: its record
 *             goes to the head, which keeps bit 0, and the open slice stays. If closed is
 *             less than the new head by then, the record does not count
 * @closed:    position of the ring at which the recording ended, all ones while
 *             it goes on
 * @off_ns:    how long the thread was off the CPU in this slice
 * @closed_slices: once the recording has ended: @slices of the open slice in which
 *             it did (level 3)
 * @reserved:  0
 *
 * Only the kernel writes it.
 */
struct coroprof_channel_page {
	__u32 attention;
	__u32 drop_until;
	__u64 until;
	__u64 closed;
	__u64 off_ns;
	__u32 closed_slices;
	__u32 reserved;
};

/**
 * struct coroprof_open_slice - the slice that goes on, of a thread that switches
 *                              from user mode
 * @began:     when it began
 * @slot:      its slot
 * @slices:    how many slices the thread has ended from user mode, modulo 2^32
 * @flags:     COROPROF_SLICE_FRESH, _WOKEN, _FIRST
 * @dropped:   how many of these it has ended without a record, modulo 2^32 (level 3)
 * @wake_time: as in struct coroprof_slice_woken, with COROPROF_SLICE_WOKEN
 * @waker:     likewise
 * @count:     what each counter read when it began, as read() of its perf event
 *             would have shown it, or the word of COROPROF_TYPE_PROGRAM
 * @reserved:  0
 */
struct coroprof_open_slice {
	__u64 began;
	__u32 slot;
	__u32 slices;
	__u32 flags;
	__u32 dropped;
	__u64 wake_time;
	__u64 waker;
	__u64 count[COROPROF_COUNTERS_MAX];
	__u64 reserved[3];
};

/**
 * struct coroprof_wanted - what the session that records the thread wants
 * @size:        in: sizeof(struct coroprof_wanted)
 * @flags:       out: COROPROF_WANTED_*
 * @epoch:       out: coroprof_process_page.epoch as of which this holds
 * @nr_counters: out: how many counters
 * @ring_size:   out: bytes of data the ring will have; 0 in a session of totals
 * @reserved:    out: 0
 * @counters:    out: these
 *
 * Errors: EPERM not this thread's channel; ENODATA nobody records.
 */
struct coroprof_wanted {
	__u32 size;
	__u32 flags;
	__u32 epoch;
	__u32 nr_counters;
	__u32 ring_size;
	__u32 reserved;
	struct coroprof_counter counters[COROPROF_COUNTERS_MAX];
};

/* The session lets threads switch from user mode, and this one may. */
#define COROPROF_WANTED_USER		(1U << 0)
/* With USER: no filter looks at the thread's system calls (level 4); older modules do not say. */
#define COROPROF_WANTED_UNFILTERED	(1U << 1)

/**
 * struct coroprof_user_mode - switch from user mode, or why not
 * @size:        in: sizeof(struct coroprof_user_mode)
 * @flags:       in: COROPROF_USER_LATER, or COROPROF_USER_DELEGATED, or 0 (level 3)
 * @epoch:       in: coroprof_wanted.epoch
 * @reason:      in: 0, or COROPROF_REASON_*: the thread can't; the session
 *               learns it, of this START and later ones until the next USER, and no
 *               events are looked at. A recording in user mode ends; the next
 *               SWITCH begins another, by ioctl (level 3)
 * @nr_counters: in: coroprof_wanted.nr_counters
 * @reserved:    in: must be 0
 * @event:       in: for each counter a descriptor of a perf event of the calling
 *               thread, or the errno, negative, with which perf_event_open()
 *               said that there is no such event: its standing is UNSUPPORTED.
 *               They may be closed afterwards. For COROPROF_TYPE_PROGRAM
 *               COROPROF_EVENT_PROGRAM (level 4)
 *
 * The events count what WANTED said, for this thread alone. In the perf_event_attr of
 * each, type, config, config1 and config2 are those of the counter, but for bits 0 and 1
 * of config1 on arm64, which say how it is read; exclude_hv and exclude_guest are 1,
 * exclude_user and exclude_idle 0; exclude_kernel is 0 with COROPROF_COUNTER_KERNEL, and
 * for the software events context-switches and cpu-migrations, which only the kernel
 * causes, and 1 otherwise; pinned is 1 with COROPROF_COUNTER_PINNED, and 0 otherwise. It
 * has no sample_period, frequency, inherit or group, and was opened for the thread on
 * any CPU.
 *
 * An offer is for one recording: after each START the thread asks (WANTED), and offers,
 * again.
 *
 * Errors: EPERM not this thread's channel; ESTALE @epoch is over; EINVAL an
 * event is not what was wanted; EBADF; EBUSY the thread is being recorded;
 * ENODATA nothing was given; EOPNOTSUPP not without COROPROF_WANTED_USER; ENOMEM;
 * EDQUOT.
 */
struct coroprof_user_mode {
	__u32 size;
	__u32 flags;
	__u32 epoch;
	__u32 reason;
	__u32 nr_counters;
	__u32 reserved;
	__s32 event[COROPROF_COUNTERS_MAX];
};

/* With a @reason: it would take events that the session opens. */
#define COROPROF_USER_LATER		(1U << 0)
/* The events are those that the session has given; @event is not looked at. */
#define COROPROF_USER_DELEGATED	(1U << 1)

/* In @event, here and in DELEGATE: the program's own counter, which has no descriptor (level 4). */
#define COROPROF_EVENT_PROGRAM		0x7fffffff

/* Why a thread does not switch from user mode */
#define COROPROF_REASON_UNKNOWN		0U /* the thread did not say */
#define COROPROF_REASON_SESSION		1U /* the session does not want it */
#define COROPROF_REASON_DISABLED	2U /* the program was configured not to */
#define COROPROF_REASON_OWN		3U /* it has counters of its own (THREAD) */
#define COROPROF_REASON_SECCOMP		4U /* a filter of system calls is in place */
#define COROPROF_REASON_PARANOID	5U /* perf_event_open() is not permitted */
#define COROPROF_REASON_ACCESS		6U /* the kernel lets no user mode read counters */
#define COROPROF_REASON_COUNTERS	7U /* the PMU has too few counters */
#define COROPROF_REASON_EVENT		8U /* a counter that is not of the PMU's */
#define COROPROF_REASON_MEMORY		9U /* no memory for the mappings */
#define COROPROF_REASON_NESTED		10U /* a signal handler switched in a switch; the
					     * channel stays by ioctl for its life
					     */
#define COROPROF_REASON_PROC		11U /* no /proc to see whether a filter is in place */
/* As reported by CHANNEL_END: it goes on in user mode, with events that were given. */
#define COROPROF_REASON_DELEGATED	12U
#define COROPROF_REASON_PROBED		13U /* probes report it: it knows nothing of coroprof */

/* ------------------------------------------------------------------------
 * session
 */

/**
 * struct coroprof_sampling - samples: where the counts come from
 * @counter:   what overflows; any counter that can sample
 * @period:    one sample each so many counts, or 0
 * @frequency: or so many a second, up to COROPROF_SAMPLE_FREQUENCY_MAX, or 0; out:
 *             no more than kernel.perf_event_max_sample_rate is now (level 3).
 *             Both 0: no samples, and the rest is 0 as well
 * @stack_max: at most so many return addresses of each sample,
 *             0..COROPROF_STACK_MAX
 * @ring_size: bytes of data in each channel's ring of samples, as ring_size of
 *             the session; 0 as there; out: the most that will be used. Its watermark is
 *             the same part of it as that of the session is of ring_size
 * @reserved:  in: must be 0
 *
 * A clock has a period of at least 10000 ns. Where the machine can't sample the
 * counter, cpu-clock takes its place, with the same frequency, or with 1000 Hz
 * in place of a period: struct coroprof_record_channel has it.
 */
struct coroprof_sampling {
	struct coroprof_counter counter;
	__u64 period;
	__u32 frequency;
	__u32 stack_max;
	__u32 ring_size;
	__u32 reserved;
};

#define COROPROF_STACK_MAX		48U
#define COROPROF_SAMPLE_FREQUENCY_MAX	100000U

/**
 * struct coroprof_session_config - open a session
 * @size:        in: sizeof(struct coroprof_session_config)
 * @flags:       in: COROPROF_SESSION_*
 * @token:       out: a random number; a process that hands it to PROCESS is
 *               attached, if the session may attach to it at all
 * @ring_size:   in: bytes of data in each channel's ring, a power of two, at
 *               least a page and at most 1 GiB, or 0 for 1 MiB, and less where
 *               there are many threads, or little memory: CHANNEL has the size of each;
 *               out: the most that will be used
 * @watermark:   in: wake the reader when so many bytes are in a ring, or 0 for
 *               a quarter of @ring_size; out: what will be used. Of a smaller ring it
 *               is the same part
 * @nr_counters: in: 0..COROPROF_COUNTERS_MAX
 * @memory_mb:   in: at most so many MiB of kernel memory for the session, with all
 *               rings and recordings until they are forgotten; or 0 for half of what
 *               the user may have (user_memory_mb of the module). Out: what the bound
 *               is; it is never more than the user's (level 3)
 * @counters:    in: what channels without counters of their own count
 * @sampling:    in: samples (level 2); out: with what was filled in
 *
 * SESSION returns a session descriptor (close-on-exec). Its rights are those
 * of the caller at this moment. The session lasts until the descriptor is closed and no
 * mapping of it is left.
 *
 * read() gives as many whole records as there are and fit, never part of one. If the next
 * record does not fit it fails with EINVAL; COROPROF_RECORD_MAX bytes are always enough.
 * If there is none it waits, or with O_NONBLOCK fails with EAGAIN; it never returns 0. The
 * kernel makes a record when the reader asks for it, so that none gets lost. poll() reports
 * POLLIN when there is a record, or when a ring holds as much as its watermark. Of a ring
 * that the reader has read in part, it does so at the latest when the ring has taken as
 * much again, or is full.
 *
 * Errors: EINVAL; EPERM a counter asks for kernel mode, which is not allowed; EACCES
 * there are counters, or samples, without COROPROF_INFO_COUNTING_ALLOWED: times alone
 * need nothing of perf; EDQUOT the user has as many sessions, or as much memory,
 * as a user may have; ENOMEM; EMFILE.
 */
struct coroprof_session_config {
	__u32 size;
	__u32 flags;
	__u64 token;
	__u32 ring_size;
	__u32 watermark;
	__u32 nr_counters;
	__u32 memory_mb;
	struct coroprof_counter counters[COROPROF_COUNTERS_MAX];
	struct coroprof_sampling sampling;
};

#define COROPROF_SESSION_CONFIG_SIZE_LEVEL1	288U

/* Threads may switch from user mode, and write their rings. */
#define COROPROF_SESSION_USER		(1U << 0)
/*
 * A session of totals (level 3): no slice is written, only added to its coroutine's
 * slot, which the reader sees by VIEW. @ring_size, @watermark and @sampling are 0,
 * channels have no rings, and nothing is lost. All else is as in other sessions: what
 * read() reports, less CHANNEL_LAST, and the totals of threads (CHANNEL).
 */
#define COROPROF_SESSION_TOTALS		(1U << 1)
/* Rings have COROPROF_RECORD_TRACE as well (level 5). Not with COROPROF_SESSION_TOTALS. */
#define COROPROF_SESSION_TRACES		(1U << 2)

/**
 * struct coroprof_attach - record a process
 * @size:       in: sizeof(struct coroprof_attach)
 * @flags:      in: COROPROF_ATTACH_* (level 3)
 * @pid:        in: id of the process in the caller's pid namespace
 * @process_id: out: number of the process object, 0 if it has none yet
 *
 * With flags the session follows the process, until the session is closed. A second
 * call for the same process is no error, and its flags replace those of the first.
 * Whenever a process that is followed makes itself known (PROCESS), the kernel attaches
 * it, as if by ATTACH at that moment: with the rights that the session has had from its
 * beginning, and the ids and capabilities that the process has then. If that fails, the
 * session gets COROPROF_RECORD_PROCESS_REFUSED. If the process has a token, the
 * session of that token comes first.
 *
 * A process is its thread group: it stays the same after execve(), and another
 * one that gets its id later is not followed.
 *
 * A session may attach a process that perf_event_open() and ptrace
 * (PTRACE_MODE_READ_REALCREDS) would let its opener look at. One of these must hold:
 *
 *  - the opener had CAP_PERFMON in the initial user namespace. The session is then one of
 *    more rights;
 *  - the real, effective and saved user and group ids of the process are the opener's
 *    real ones, the process is in the opener's user namespace, it is permitted no
 *    capability that the opener was not permitted, and it may be dumped
 *    (PR_SET_DUMPABLE);
 *  - the opener had CAP_SYS_PTRACE in the process's user namespace, as the user has who
 *    made that namespace.
 *
 * The kernel asks no security module. It looks at each thread again when the recording of
 * the thread begins, and does not record one that has other rights (CHANNEL with EACCES).
 *
 * A session of more rights takes a process over from a session that has not: that one
 * gets PROCESS_END with EBUSY, and may not attach the process again before it has
 * read that record.
 *
 * Errors: ESRCH no such process; ENODEV it has not made itself known (it does
 * not use coroprof, or not yet), and LATER is not set; EPERM the session may not
 * attach it; EBUSY a session has it attached; EDQUOT over a limit of the user, or
 * the session follows 1024 processes that live; ENOMEM; EFAULT. After an error
 * nothing has changed.
 */
struct coroprof_attach {
	__u32 size;
	__u32 flags;
	__s32 pid;
	__u32 process_id;
};

/*
 * Attach the process also when it makes itself known later: for the first time,
 * or anew after execve().
 */
#define COROPROF_ATTACH_LATER		(1U << 0)
/*
 * Follow its descendants, those that live and those born later: one that makes
 * itself known is attached, and followed with LATER and CHILDREN from then on.
 * The kernel looks at its parents, at most 32 generations of them, as they are at that
 * moment; the nearest one that is followed decides. When a process ends before its
 * child has made itself known, the child belongs to init, or to a subreaper, and is
 * not found.
 */
#define COROPROF_ATTACH_CHILDREN	(1U << 1)

/**
 * struct coroprof_delegate - events for a thread that may not open any (level 3)
 * @size:        in: sizeof(struct coroprof_delegate)
 * @flags:       in: must be 0
 * @channel_id:  in: the channel, recorded by ioctl
 * @nr_counters: in: as many as the session has
 * @event:       in: as in struct coroprof_user_mode, of that thread. They may be
 *               closed afterwards
 *
 * perf_event_open() looks whether the caller may open an event of the thread. The thread
 * can only read what these events count. But on x86 a process that has mapped an event may
 * read any counter of the processor that it runs on (rdpmc), also one that counts something
 * else for another process.
 *
 * Errors: ENOENT the session has no such channel; ESRCH it has ended; EOPNOTSUPP its
 * thread did not ask (COROPROF_USER_LATER), or is in user mode, or the session does not
 * want that; EINVAL an event is not what the session counts; EBADF; ENOMEM; EFAULT.
 */
struct coroprof_delegate {
	__u32 size;
	__u32 flags;
	__u32 channel_id;
	__u32 nr_counters;
	__s32 event[COROPROF_COUNTERS_MAX];
};

/**
 * struct coroprof_view - see the slots of a process (level 3)
 * @size:       in: sizeof(struct coroprof_view)
 * @flags:      in: must be 0
 * @process_id: in: the process object; the session has it attached
 * @epoch:      out: coroprof_process_page.epoch of the last START, or of when the
 *              process was attached if that was later
 * @nr_slots:   out: how many slots it has room for
 * @reserved:   in: must be 0
 *
 * VIEW returns a view descriptor (close-on-exec). mmap() on it at COROPROF_MMAP_SLOTS,
 * MAP_SHARED and read-only for ever, shows the slots as the process has them; an access
 * to what nobody has touched raises SIGBUS (TOUCHED says which are). Descriptor and mappings keep
 * the slots: longer than the process, and than the session, if need be. No child
 * inherits a mapping; MADV_DOFORK fails with EINVAL.
 *
 * A session of totals has nothing but this. One that gets slices as well (level 5; before that,
 * EOPNOTSUPP) sees here the coroutines of which there is no slice yet.
 *
 * Slots are the process's own memory. The process may write anything there, so that a
 * reader checks each figure: only the totals of threads (CHANNEL) are the kernel's own. A
 * slot is of the session's recording if its @since is at or after @epoch, as a difference
 * of 32 bits. Of a slot with COROPROF_ID_ENDED, what it has grown by since START is. The
 * slots of all labels, those of threads among them, sum to the channels, but for
 * coroutines that share a slot, threads that have counted by themselves since before the
 * recording, and coroutines whose totals the process did not add up when they ended: it need
 * not do that for a session that gets slices.
 *
 * Slots are written while they are read: what is read of one may lack a part of
 * the slice that ends at that moment. After STOP no kernel writes there any more; a
 * thread that STOP has found between the end of a slice and its totals adds these when
 * it runs next.
 *
 * Errors: ENOENT the session has no such process attached, or another has taken it over;
 * EINVAL; EDQUOT; ENOMEM; EMFILE; EFAULT.
 */
struct coroprof_view {
	__u32 size;
	__u32 flags;
	__u32 process_id;
	__u32 epoch;
	__u32 nr_slots;
	__u32 reserved;
};

/**
 * struct coroprof_touched - which slots there is memory for (level 3)
 * @size:  in: sizeof(struct coroprof_touched)
 * @flags: in: must be 0
 * @slot:  in: look from here on; out: the first there is
 * @nr:    out: how many there are in a row from there; 0: none
 *
 * TOUCHED, on a view. What is there stays there.
 *
 * Errors: EINVAL; EFAULT.
 */
struct coroprof_touched {
	__u32 size;
	__u32 flags;
	__u32 slot;
	__u32 nr;
};

/**
 * struct coroprof_where - where a probe finds a number, when it is hit
 * @kind:   COROPROF_WHERE_*
 * @reg:    a register, as numbered in asm/perf_regs.h: on x86-64 0 to 23 but segments
 *          and flags, on arm64 0 to 32
 * @offset: with COROPROF_WHERE_MEMORY: added to the register; the eight bytes there
 *
 * A number in memory can be read only if the opener of the session may trace the thread
 * (PTRACE_MODE_READ_REALCREDS, with the rights that the opener had when it opened the session, and
 * that the thread has at that moment).
 * CAP_PERFMON, which PROBE needs, is no right to that. CAP_SYS_PTRACE is; without it, as said at
 * ATTACH, ids and capabilities have to be those of the opener, and the process has to be dumpable.
 */
struct coroprof_where {
	__u32 kind;
	__u32 reg;
	__s64 offset;
};

#define COROPROF_WHERE_NONE		0U
#define COROPROF_WHERE_REGISTER		1U
#define COROPROF_WHERE_MEMORY		2U

/**
 * struct coroprof_probe - an instruction that reports coroutines (level 3)
 * @size:    in: sizeof(struct coroprof_probe)
 * @flags:   in: COROPROF_WHEN_UNLESS, or 0
 * @fd:      in: a regular file, executable code; may be closed afterwards
 * @role:    in: COROPROF_PROBE_SWITCH to COROPROF_PROBE_UNREPORTED: what is reported of a thread
 *           that comes to the instruction
 * @offset:  in: of the instruction in the file: its first byte, mostly of a function
 * @address: in: the same in the file's symbol table
 * @key:     in: the coroutine, by a number that is the program's own: its address, say. Not
 *           with COROPROF_PROBE_OUT and COROPROF_PROBE_UNREPORTED, whose kind is NONE
 * @label:   in: with COROPROF_PROBE_SWITCH: an address in the same file, by which coroutines
 *           are labelled when they are seen first (COROPROF_LABEL_CODE, with the path of
 *           the file); or NONE
 * @when:    in: a number on which it depends whether the probe reports anything (level 4); or
 *           NONE, and @mask and @value 0: it always does
 * @mask:    in: with @when: the bits that matter, not 0
 * @value:   in: with @when: what they must be; no other bits
 *
 * Several probes at one instruction report one after the other, in the order in which they were
 * added. One whose @when can't be read is as COROPROF_PROBE_UNREPORTED if it may report where the
 * thread goes on, and else reports nothing.
 *
 * Probes are for programs that know nothing of coroprof, and that may run already. The
 * session follows a process (ATTACH with COROPROF_ATTACH_LATER, and maybe
 * COROPROF_ATTACH_CHILDREN). When a thread of it comes to a probe while the session is
 * started, the kernel makes process, channel and slots for it, as PROCESS and THREAD do, and
 * switches as SWITCH does. The reason in CHANNEL is COROPROF_REASON_PROBED. Probes leave
 * alone a process that has made itself known, as it reports by itself. A process that the
 * kernel has made known by a probe can't do so itself (EEXIST). A 32-bit program is not
 * recorded: at its first hit the session gets COROPROF_RECORD_PROCESS_REFUSED with EOPNOTSUPP,
 * and the process runs on without the probes.
 *
 * The first slice of a coroutine is COROPROF_SLICE_FRESH in these cases: a coroutine of the
 * same key had ended before; or the process has called execve() since its ATTACH; or it was
 * born, and has called execve(), since the last PROBE. Of other coroutines nobody knows when
 * they were born. A thread's own slot stands for it while it is outside any coroutine.
 *
 * A process has at most 983040 slots for coroutines, and 65536 for its threads. When they are
 * used up, or there is no memory, or the kernel can't read the key, the coroutine is not
 * recorded: its slices are those of the thread outside, with COROPROF_SLICE_UNREPORTED. The
 * kernel reads a key in memory if the opener may trace the thread (struct coroprof_where) and its
 * page is present; if it is not present, only if it is private anonymous memory that no
 * userfaultfd serves, and no thread changes the program's mappings at that moment. It reads label
 * and condition likewise: without its label a coroutine has none.
 *
 * A process that the session does not follow runs on without the probes after its first hit
 * of one; to have them, it is attached before START.
 *
 * PROBE reads the instruction. If whoever serves the file (FUSE, a network) withholds the page,
 * PROBE waits until it comes, or until the caller is killed; nobody else waits.
 *
 * PROBE comes before ATTACH and START. The probes are gone when the session is closed. A
 * thread that sleeps in one at that moment keeps the module in use until it runs again. The
 * kernel charges what it makes for a process to the session.
 *
 * The opener of the session, and the caller, need CAP_PERFMON in the initial user namespace.
 *
 * Errors: EPERM one of them lacks it; EBUSY the session follows a process, or has one attached,
 * or is started, or servers withhold 16 pages already; EBADF @fd is not open for reading; ENODEV
 * @fd is no regular file; EINVAL;
 * ENOSPC there are COROPROF_PROBES_MAX; ENAMETOOLONG the path is too long for a label;
 * EOPNOTSUPP the kernel has no uprobes; EIO, ENOTSUPP (524) as the kernel's uprobes say: the
 * file system or the instruction can't have any; what reading the file gave; EDQUOT; ENOMEM;
 * EFAULT.
 */
struct coroprof_probe {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 role;
	__u64 offset;
	__u64 address;
	struct coroprof_where key;
	struct coroprof_where label;
	struct coroprof_where when;
	__u64 mask;
	__u64 value;
};

/* The structure's size in level 3. */
#define COROPROF_PROBE_SIZE_LEVEL3	64U

/* The probe reports something unless the number at @when is as said (level 4). */
#define COROPROF_WHEN_UNLESS		(1U << 0)

/* The thread goes on as the coroutine. */
#define COROPROF_PROBE_SWITCH		1U
/* The thread is outside any coroutine from here on. */
#define COROPROF_PROBE_OUT		2U
/* Likewise. If the coroutine that it leaves is the one of the key, that one stays ready. */
#define COROPROF_PROBE_YIELD		3U
/* The coroutine is over. If the thread is in it, it is outside from here on. */
#define COROPROF_PROBE_END		4U
/*
 * The thread makes the coroutine ready: as the coroutine that it runs, or by itself (level 5),
 * as coroprof_slot.waker has it.
 */
#define COROPROF_PROBE_WAKE		5U
/* The thread goes on as a coroutine that no probe reports: outside, COROPROF_SLICE_UNREPORTED. */
#define COROPROF_PROBE_UNREPORTED	6U

/* At most so many in a session. */
#define COROPROF_PROBES_MAX		64

/**
 * struct coroprof_channel_status - a channel's totals, from the thread's side
 * @size:         in: sizeof(struct coroprof_channel_status)
 * @channel_id:   in: the channel
 * @flags:        out: COROPROF_CHANNEL_*
 * @nr_counters:  out: how many counters it has
 * @standing:     out: of each counter over the recording, COROPROF_STANDING
 * @error:        out: why the thread could not be recorded, an errno, or 0
 * @begin:        out: when its recording began
 * @end:          out: when it ended; 0 while it goes on
 * @slices:       out: slices recorded or lost
 * @lost:         out: slices that found the ring full
 * @running_ns:   out: the thread's own sums since @begin, up to the end of the
 * @preempted_ns: last slice; running + preempted + blocked is the time from
 * @blocked_ns:   @begin to that point
 * @count:        out: what each counter read at that point less what it read at
 *                @begin, from the counter alone
 * @missing_ns:   out: likewise
 * @ring_head:    out: bytes ever written to the ring
 * @samples:      out: samples taken, lost ones included (level 2). If the kernel can't
 *                find where in user mode the thread was, an overflow is no sample
 * @samples_lost: out: of these, how many found the ring of samples full
 * @throttled:    out: how often the kernel stopped sampling for a while, because
 *                it came too fast
 * @open_begin:   out: with COROPROF_CHANNEL_OPEN: when the slice that goes on began (level 5)
 * @open_id:      out: likewise, its coroutine: coroprof_slot.id (level 5)
 * @open_since:   out: likewise, since when the thread is in @open_state; not before @open_begin
 *                (level 5)
 * @open_slot:    out: likewise, its slot (level 5)
 * @open_label:   out: likewise, the coroutine's label: coroprof_slot.label (level 5)
 * @open_state:   out: likewise, COROPROF_OPEN_*: what the thread does (level 5)
 * @ring_made:    out: 1 if the thread has waited for its ring to be made when it began to be
 *                recorded; 0 if another thread has left that ring, or the kernel had made it
 *                ahead, in START or in read(); 0 with @error (level 5)
 *
 * This is the other side of the conservation law: the slices of a channel,
 * those counted as lost included, sum to these figures.
 *
 * The open slice is what the thread was in at one moment during the call, be it running or not;
 * asking costs its switches nothing. The record of that slice, or of its loss, comes with its
 * end, and has the same begin. A thread in user mode that is held up in the middle of a switch
 * is in the slice that it is about to end: that may end, by its record, before the thread left
 * the CPU. What the slots have added up, up to their last slices, VIEW shows. A caller of an
 * earlier level, whose @size has no room for @open_*, gets no flag of them.
 *
 * Errors: ENOENT the session has no such channel.
 */
struct coroprof_channel_status {
	__u32 size;
	__u32 channel_id;
	__u32 flags;
	__u32 nr_counters;
	__u32 standing;
	__s32 error;
	__u64 begin;
	__u64 end;
	__u64 slices;
	__u64 lost;
	__u64 running_ns;
	__u64 preempted_ns;
	__u64 blocked_ns;
	__u64 count[COROPROF_COUNTERS_MAX];
	__u64 missing_ns[COROPROF_COUNTERS_MAX];
	__u64 ring_head;
	__u64 samples;
	__u64 samples_lost;
	__u64 throttled;
	__u64 open_begin;
	__u64 open_id;
	__u64 open_since;
	__u32 open_slot;
	__u32 open_label;
	__u32 open_state;
	__u32 ring_made;
};

#define COROPROF_CHANNEL_STATUS_SIZE_LEVEL1	216U
#define COROPROF_CHANNEL_STATUS_SIZE_LEVEL2	240U

/* The recording has ended; the ring will not grow any more. */
#define COROPROF_CHANNEL_ENDED		(1U << 0)
/* A slice goes on, and @open_* say which (level 5). */
#define COROPROF_CHANNEL_OPEN		(1U << 1)
/*
 * Without COROPROF_CHANNEL_OPEN: the thread runs another program since execve(), or is about to,
 * and nobody has ended its recording yet (level 5). Of that program nothing is shown.
 */
#define COROPROF_CHANNEL_OPEN_UNKNOWN	(1U << 2)
/*
 * With COROPROF_CHANNEL_OPEN: the thread has switched in this slice without a report, so that it
 * may be in another coroutine (level 5).
 */
#define COROPROF_CHANNEL_OPEN_UNREPORTED	(1U << 3)

/* The thread is on a CPU. */
#define COROPROF_OPEN_RUNNING		1U
/* The OS has taken its CPU away. */
#define COROPROF_OPEN_PREEMPTED		2U
/* It went to sleep in the kernel, and has not run since; it may have been woken. */
#define COROPROF_OPEN_BLOCKED		3U

/*
 * Rings. mmap() on the session descriptor, MAP_SHARED, at
 *
 *   COROPROF_MMAP_RING(channel)              one page, read-write: the
 *                                            consumer page
 *   COROPROF_MMAP_RING(channel) + page_size  one page and twice ring_size,
 *                                            read-only: the producer page,
 *                                            then the data, twice, so that a
 *                                            record never wraps
 *
 * Positions are bytes ever written or read; the place in the data is the
 * position modulo ring_size. The reader reads @head with acquire semantics
 * (pairs with the producer's release), consumes the records between @tail and
 * @head, and stores the new @tail with release semantics (pairs with the
 * producer's acquire). The producer looks at the tail when the room that it saw
 * there last is used up. A tail beyond head, or more than ring_size behind it,
 * then makes the ring count as full.
 *
 * The ring of a thread that switches from user mode is written by that thread,
 * which may write anything. Bit 0 of its head is not part of the position. Once
 * the kernel has ended the recording, only what is before @closed counts. The
 * reader reads @closed after the head. That is enough: what the thread writes too
 * late it writes after the kernel has set @closed. The slice that was open then
 * comes by read(), in CHANNEL_LAST.
 *
 * A channel's samples are in a ring of their own, of the same layout, at
 * COROPROF_MMAP_SAMPLES(channel), if the session samples.
 */
/* At most so many channels in a session, as offsets have 63 bits. Threads after that: EOVERFLOW. */
#define COROPROF_CHANNELS_MAX		((1U << 27) - 1)

#define COROPROF_MMAP_RING(channel)	((__u64)(channel) << 36)
#define COROPROF_MMAP_SAMPLES(channel)	(((__u64)(channel) << 36) | (1ULL << 35))

/**
 * struct coroprof_ring_producer - the producer page of a ring
 * @head:      bytes ever written
 * @lost:      slices, or samples, that found the ring full, so far
 * @reserved:  0
 * @open:      the slice that goes on, when the thread switches from user mode:
 *             the one named by bit 0 of @head
 */
struct coroprof_ring_producer {
	__u64 head;
	__u64 lost;
	__u64 reserved[30];
	struct coroprof_open_slice open[2];
};

/**
 * struct coroprof_ring_consumer - the consumer page of a ring
 * @tail:   bytes ever read; the reader's
 * @closed: position at which the recording ended, all ones before that; the
 *          kernel's (level 2)
 */
struct coroprof_ring_consumer {
	__u64 tail;
	__u64 closed;
};

/* ------------------------------------------------------------------------
 * Records, in rings and from read() on a session. All start alike, are a
 * multiple of 8 bytes long and at most COROPROF_RECORD_MAX. Skip a type you
 * do not know.
 */
#define COROPROF_RECORD_MAX		512

/**
 * struct coroprof_record - what all records start with
 * @type: COROPROF_RECORD_*
 * @size: bytes of the whole record, this header included
 * @data: by the type: the slot of SLICE, SPAN, TRACE and SAMPLE, the spans of LOST, the
 *        process_id or channel_id of the others
 */
struct coroprof_record {
	__u16 type;
	__u16 size;
	__u32 data;
};

/* in rings */
#define COROPROF_RECORD_SLICE		1
#define COROPROF_RECORD_LOST		2
#define COROPROF_RECORD_SPAN		3
#define COROPROF_RECORD_TRACE		5
/* in rings of samples, LOST and */
#define COROPROF_RECORD_SAMPLE		4
/* from read() */
#define COROPROF_RECORD_PROCESS		16
#define COROPROF_RECORD_PROCESS_END	17
#define COROPROF_RECORD_LABEL		18
#define COROPROF_RECORD_CHANNEL		19
#define COROPROF_RECORD_CHANNEL_END	20
#define COROPROF_RECORD_CHANNEL_LAST	21
#define COROPROF_RECORD_PROCESS_REFUSED	22
#define COROPROF_RECORD_UNRECORDED	23

/**
 * struct coroprof_record_slice - one stay of a coroutine on a thread
 * @type:     COROPROF_RECORD_SLICE
 * @size:     bytes, with all that follows
 * @slot:     its slot
 * @time:     when it ended
 * @duration: how long it was; it began at @time - @duration
 * @id:       the coroutine, unique in its process
 * @label:    the coroutine's label at @time
 * @flags:    COROPROF_SLICE_*
 * @standing: of each counter in this slice, COROPROF_STANDING
 *
 * Followed by the count of each counter of the channel, then by these, each
 * there when its flag is set, in this order:
 *
 *   COROPROF_SLICE_OFFCPU  struct coroprof_slice_offcpu
 *   COROPROF_SLICE_FRESH   struct coroprof_slice_fresh
 *   COROPROF_SLICE_WOKEN   struct coroprof_slice_woken
 *   COROPROF_SLICE_SCALED  __u64 missing_ns, for each counter; 0 for those that are
 *                          COUNTED or UNSUPPORTED
 *
 * Running time is @duration less the off-CPU times; all of @duration without
 * COROPROF_SLICE_OFFCPU. The slices of a channel follow each other without a
 * gap: each begins when the one before ended, lost ones included. Each channel has a ring of
 * its own, so that a slice need not say whose it is.
 */
struct coroprof_record_slice {
	__u16 type;
	__u16 size;
	__u32 slot;
	__u64 time;
	__u64 duration;
	__u64 id;
	__u32 label;
	__u16 flags;
	__u16 standing;
};

#define COROPROF_SLICE_OFFCPU		(1U << 0) /* the thread was off the CPU */
#define COROPROF_SLICE_FRESH		(1U << 1) /* the coroutine's first slice */
#define COROPROF_SLICE_WOKEN		(1U << 2) /* it had been made ready */
#define COROPROF_SLICE_SCALED		(1U << 3) /* a counter is SCALED or NOT_SCHEDULED */
#define COROPROF_SLICE_END		(1U << 4) /* the coroutine's last slice */
#define COROPROF_SLICE_READY		(1U << 5) /* it left, but stays ready */
#define COROPROF_SLICE_FIRST		(1U << 6) /* the recording began in it */
#define COROPROF_SLICE_CUT		(1U << 7) /* the recording ended in it */
/* The thread switched in it without a report: part of it may be another coroutine's (level 3). */
#define COROPROF_SLICE_UNREPORTED	(1U << 8)

/**
 * struct coroprof_slice_offcpu - when the thread was off the CPU in a slice
 * @preempted_ns: off the CPU while runnable
 * @blocked_ns:   off the CPU after going to sleep in the kernel
 * @nr_preempted: how often
 * @nr_blocked:   how often
 */
struct coroprof_slice_offcpu {
	__u64 preempted_ns;
	__u64 blocked_ns;
	__u32 nr_preempted;
	__u32 nr_blocked;
};

/**
 * struct coroprof_slice_fresh - the birth of a coroutine
 * @parent: coroprof_slot.parent
 * @tag:    coroprof_slot.tag
 */
struct coroprof_slice_fresh {
	__u64 parent;
	__u64 tag;
};

/**
 * struct coroprof_slice_woken - how a coroutine became ready for this slice
 * @wake_time: coroprof_slot.wake_time
 * @waker:     coroprof_slot.waker
 */
struct coroprof_slice_woken {
	__u64 wake_time;
	__u64 waker;
};

/**
 * coroprof_slice_size() - bytes of a SLICE record
 * @flags:       COROPROF_SLICE_*
 * @nr_counters: of the channel
 */
static __inline__ __u32 coroprof_slice_size(__u32 flags, __u32 nr_counters)
{
	__u32 size = sizeof(struct coroprof_record_slice) + nr_counters * sizeof(__u64);

	if (flags & COROPROF_SLICE_OFFCPU)
		size += sizeof(struct coroprof_slice_offcpu);
	if (flags & COROPROF_SLICE_FRESH)
		size += sizeof(struct coroprof_slice_fresh);
	if (flags & COROPROF_SLICE_WOKEN)
		size += sizeof(struct coroprof_slice_woken);
	if (flags & COROPROF_SLICE_SCALED)
		size += nr_counters * sizeof(__u64);
	return size;
}

/**
 * struct coroprof_record_lost - records are missing here
 * @type:  COROPROF_RECORD_LOST
 * @size:  sizeof(struct coroprof_record_lost)
 * @spans: how many spans found the ring full
 * @time:  when the last lost slice, or sample, ended, and slices go on from here; if only
 *         spans and traces were lost, the time of the last of these
 * @full:  how many slices, or samples, found the ring full
 *
 * Traces are not counted: whoever reports one learns that the ring is full (ENOSPC). So both
 * numbers may be 0.
 *
 * A ring that is full when the recording ends has no room for this record:
 * COROPROF_IOC_CHANNEL says how much was lost in all. In user mode it is in CHANNEL_LAST.
 */
struct coroprof_record_lost {
	__u16 type;
	__u16 size;
	__u32 spans;
	__u64 time;
	__u64 full;
};

/**
 * struct coroprof_record_span - a span of a coroutine has ended
 * @type:       COROPROF_RECORD_SPAN
 * @size:       bytes, with all that follows
 * @slot:       its slot
 * @time:       when it ended
 * @duration:   wall time: it began at @time - @duration, maybe on another thread
 * @id:         the coroutine
 * @label:      of the span
 * @flags:      COROPROF_SPAN_*
 * @standing:   of each counter in the span, COROPROF_STANDING
 * @running_ns: how long the coroutine was on a CPU in it
 * @depth:      how many spans it is in
 * @reserved:   0
 *
 * Followed by the count of each counter of the channel; with
 * COROPROF_SPAN_SCALED then by __u64 missing_ns, for each counter. All figures
 * include the spans within it, whose records come before this one.
 */
struct coroprof_record_span {
	__u16 type;
	__u16 size;
	__u32 slot;
	__u64 time;
	__u64 duration;
	__u64 id;
	__u32 label;
	__u16 flags;
	__u16 standing;
	__u64 running_ns;
	__u32 depth;
	__u32 reserved;
};

#define COROPROF_SPAN_SCALED		(1U << 0) /* a counter is SCALED or NOT_SCHEDULED */

/**
 * struct coroprof_record_trace - a coroutine works for a trace (level 5)
 * @type:        COROPROF_RECORD_TRACE
 * @size:        bytes, with all that follows
 * @slot:        the coroutine's slot
 * @time:        when it was reported
 * @id:          the coroutine
 * @trace_id:    as in struct coroprof_trace
 * @span_id:     likewise
 * @trace_flags: likewise, in the low 8 bits
 * @flags:       COROPROF_TRACE_*, of which there is none yet: 0
 *
 * A slice is of the trace in the last of these records that comes before the slice in its ring
 * and has its @id. A span is of the trace of the slice in which it ends. Neither records of
 * other rings nor @time matter. The trace of a slice is not known
 *
 *  - if there is no such record: the coroutine works for none, or nobody reports its traces
 *    (COROPROF_SEES_TRACES);
 *  - of the first slice after a LOST, of one with COROPROF_SLICE_CUT, and of one with
 *    COROPROF_SLICE_UNREPORTED, unless such a record comes after the slice before it in the ring,
 *    and after LOST: a record may have been lost, or not been written yet. In user mode that
 *    slice may be in CHANNEL_LAST.
 */
struct coroprof_record_trace {
	__u16 type;
	__u16 size;
	__u32 slot;
	__u64 time;
	__u64 id;
	__u8 trace_id[16];
	__u8 span_id[8];
	__u32 trace_flags;
	__u32 flags;
};

/**
 * struct coroprof_record_sample - a counter has overflowed
 * @type:  COROPROF_RECORD_SAMPLE
 * @size:  bytes, with the addresses that follow
 * @slot:  of the coroutine that ran
 * @time:  when
 * @id:    the coroutine
 * @label: its label at @time
 * @flags: COROPROF_SAMPLE_*
 * @nr:    how many addresses follow, 1..1 + COROPROF_STACK_MAX
 *
 * Followed by @nr __u64: the instruction pointer in user mode, then return
 * addresses by frame pointers, the innermost first.
 */
struct coroprof_record_sample {
	__u16 type;
	__u16 size;
	__u32 slot;
	__u64 time;
	__u64 id;
	__u32 label;
	__u16 flags;
	__u16 nr;
};

#define COROPROF_SAMPLE_IN_KERNEL	(1U << 0) /* the thread was in the kernel */
#define COROPROF_SAMPLE_CUT		(1U << 1) /* there are more callers */

/**
 * struct coroprof_record_process - a process is attached
 * @type:       COROPROF_RECORD_PROCESS; or COROPROF_RECORD_PROCESS_END: it is
 *              gone, or another session has taken it over, and no record of it
 *              will follow; or COROPROF_RECORD_PROCESS_REFUSED: the session
 *              follows it, and it has made itself known, or has hit a probe of
 *              the session, but was not attached
 *              (level 3). Of several such records the last one may stand for all
 * @size:       bytes
 * @process_id: number of the process object, 0 with EOPNOTSUPP
 * @time:       when it was attached, or ended, or refused
 * @pid:        its process id in the session's pid namespace, 0 if it has none
 *              there
 * @error:      why it was not attached, an errno of ATTACH, or EOPNOTSUPP: a probe has
 *              found that it is a 32-bit program (level 5); or 0; of PROCESS_END
 *              EBUSY: a session of more rights has taken it over (level 3); EPERM:
 *              COROPROF_PROCESS_REFUSES (level 4)
 * @comm:       its name, NUL padded
 */
struct coroprof_record_process {
	__u16 type;
	__u16 size;
	__u32 process_id;
	__u64 time;
	__s32 pid;
	__s32 error;
	char comm[16];
};

/**
 * struct coroprof_record_label - a label
 * @type:       COROPROF_RECORD_LABEL
 * @size:       bytes, with the text that follows, NUL padded to 8 bytes
 * @process_id: the process it belongs to
 * @label:      its number
 * @flags:      COROPROF_LABEL_*
 * @value:      coroprof_label.value
 * @text_len:   bytes of text
 * @reserved:   0
 */
struct coroprof_record_label {
	__u16 type;
	__u16 size;
	__u32 process_id;
	__u32 label;
	__u32 flags;
	__u64 value;
	__u32 text_len;
	__u32 reserved;
};

/**
 * struct coroprof_counter_state - a counter as it was made for a channel
 * @counter:  what was asked for
 * @error:    0, or the errno for which it is UNSUPPORTED
 * @reserved: 0
 */
struct coroprof_counter_state {
	struct coroprof_counter counter;
	__s32 error;
	__u32 reserved;
};

/**
 * struct coroprof_record_channel - a thread is being recorded
 * @type:        COROPROF_RECORD_CHANNEL, or COROPROF_RECORD_CHANNEL_END: its
 *               recording has ended (COROPROF_IOC_CHANNEL has the totals)
 * @size:        bytes, with a struct coroprof_counter_state for each counter
 * @channel_id:  number of the channel in this session: each gets a higher one than those
 *               before it, the first one 1. A number may be left out, of a recording that
 *               there was no memory for. A thread whose recording stops and starts again gets
 *               a new one
 * @time:        when the recording began, or ended
 * @process_id:  the process it belongs to
 * @tid:         the thread's id in the session's pid namespace, 0 if it has none there
 * @nr_counters: how many counters its slices carry
 * @ring_size:   bytes of data of its ring, 0 if it has none (then @error, or a session
 *               of totals)
 * @error:       why it is not recorded, or no longer, an errno, or 0: ENOMEM,
 *               EDQUOT; EINTR it was killed when its recording was to begin; EACCES
 *               the session may not attach to this thread; EBADMSG what it wrote in
 *               user mode makes no sense; ESTALE it runs another program since its
 *               last whole slice
 * @mode:        COROPROF_MODE_* (level 2)
 * @reason:      COROPROF_REASON_*: why it is COROPROF_MODE_IOCTL
 * @sample_error: why the counter that the session wants can't be sampled, an
 *               errno, or 0. With a @sample_ring_size cpu-clock takes its place,
 *               without one there are no samples
 * @sample_ring_size: bytes of data of its ring of samples, 0 if it has none
 * @comm:        the thread's name, NUL padded
 */
struct coroprof_record_channel {
	__u16 type;
	__u16 size;
	__u32 channel_id;
	__u64 time;
	__u32 process_id;
	__s32 tid;
	__u32 nr_counters;
	__u32 ring_size;
	__s32 error;
	__u16 mode;
	__u16 reason;
	__s32 sample_error;
	__u32 sample_ring_size;
	char comm[16];
};

#define COROPROF_MODE_IOCTL		0U /* it calls SWITCH */
#define COROPROF_MODE_USER		1U /* it switches from user mode */

/**
 * struct coroprof_record_channel_last - the end of a ring that its thread wrote
 * @type:       COROPROF_RECORD_CHANNEL_LAST
 * @size:       bytes, with the records that follow
 * @channel_id: of which channel
 *
 * Followed by the records that come after what is in the ring up to @closed: a
 * LOST if anything was lost there, and the slice in which the recording ended.
 * Comes ahead of CHANNEL_END.
 */
struct coroprof_record_channel_last {
	__u16 type;
	__u16 size;
	__u32 channel_id;
};

/**
 * struct coroprof_record_unrecorded - threads are not recorded (level 3)
 * @type:     COROPROF_RECORD_UNRECORDED
 * @size:     sizeof(struct coroprof_record_unrecorded)
 * @reserved: 0
 * @time:     when that last happened
 * @nr:       how many recordings there would be more, since the session was opened
 *
 * The session is at its bound (memory_mb), or the user's quota is used up, or there is
 * no memory: not even for a CHANNEL with an error. FORGET makes room.
 */
struct coroprof_record_unrecorded {
	__u16 type;
	__u16 size;
	__u32 reserved;
	__u64 time;
	__u64 nr;
};

/* ------------------------------------------------------------------------
 * commands
 */
#define COROPROF_IOC_MAGIC		0xC7

/* on the control descriptor */
#define COROPROF_IOC_INFO	_IOWR(COROPROF_IOC_MAGIC, 0x00, struct coroprof_info)
#define COROPROF_IOC_PROCESS	_IOWR(COROPROF_IOC_MAGIC, 0x01, struct coroprof_process_config)
#define COROPROF_IOC_SESSION	_IOWR(COROPROF_IOC_MAGIC, 0x02, struct coroprof_session_config)

/* on a process descriptor */
#define COROPROF_IOC_THREAD	_IOWR(COROPROF_IOC_MAGIC, 0x10, struct coroprof_thread_config)
#define COROPROF_IOC_LABEL	_IOWR(COROPROF_IOC_MAGIC, 0x11, struct coroprof_label)

/*
 * on a channel descriptor
 *
 * LEAVE ends the recording of the thread, with the slice that is open, and its counting. The
 * thread may join again (THREAD). Errors: EPERM not this thread's channel, or one it has left.
 */
#define COROPROF_IOC_SWITCH	_IO(COROPROF_IOC_MAGIC, 0x20)
#define COROPROF_IOC_READ	_IOWR(COROPROF_IOC_MAGIC, 0x21, struct coroprof_totals)
#define COROPROF_IOC_LEAVE	_IO(COROPROF_IOC_MAGIC, 0x22)
#define COROPROF_IOC_WANTED	_IOWR(COROPROF_IOC_MAGIC, 0x23, struct coroprof_wanted)
#define COROPROF_IOC_USER	_IOW(COROPROF_IOC_MAGIC, 0x24, struct coroprof_user_mode)
#define COROPROF_IOC_SPAN	_IOW(COROPROF_IOC_MAGIC, 0x25, struct coroprof_span)
#define COROPROF_IOC_TRACE	_IOW(COROPROF_IOC_MAGIC, 0x26, struct coroprof_trace)

/*
 * on a session descriptor
 *
 * START begins, STOP ends the recording of all attached processes, and of
 * those attached later while it is started; both may be repeated (EALREADY
 * when nothing changes). STOP returns when every slice that was open has been
 * written, cut, to its ring. Closing the descriptor stops as well.
 *
 * FORGET, with a channel number by value, lets go of the rings of a channel that
 * has ended: EBUSY before, ENOENT unknown. Once no mapping of a ring is left either,
 * the ring is free, or waits for another thread of the same process in the same session,
 * with its old data behind what is written anew: nothing from the head on is a record. A
 * ring that waits is charged to the session, and goes as soon as anything else needs the
 * room, at the latest with PROCESS_END or the session.
 */
#define COROPROF_IOC_ATTACH	_IOWR(COROPROF_IOC_MAGIC, 0x30, struct coroprof_attach)
#define COROPROF_IOC_START	_IO(COROPROF_IOC_MAGIC, 0x31)
#define COROPROF_IOC_STOP	_IO(COROPROF_IOC_MAGIC, 0x32)
#define COROPROF_IOC_CHANNEL	_IOWR(COROPROF_IOC_MAGIC, 0x33, struct coroprof_channel_status)
#define COROPROF_IOC_FORGET	_IO(COROPROF_IOC_MAGIC, 0x34)
#define COROPROF_IOC_DELEGATE	_IOW(COROPROF_IOC_MAGIC, 0x35, struct coroprof_delegate)
#define COROPROF_IOC_VIEW	_IOWR(COROPROF_IOC_MAGIC, 0x36, struct coroprof_view)
#define COROPROF_IOC_PROBE	_IOW(COROPROF_IOC_MAGIC, 0x37, struct coroprof_probe)

/* on a view descriptor */
#define COROPROF_IOC_TOUCHED	_IOWR(COROPROF_IOC_MAGIC, 0x40, struct coroprof_touched)

#endif /* _UAPI_COROPROF_H */
