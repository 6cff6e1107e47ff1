/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model: what a recording says, added up, for the outputs to show.
 *
 * model_load() reads a whole .cprof file once and fills plain arrays. An output
 * only reads them. Everything in a model is bounded by struct model_options,
 * whatever the file holds; what was folded away is counted here.
 *
 * Units and conventions
 *
 *  - Times called *_ns are nanoseconds. Points in time are CLOCK_MONOTONIC of
 *    the recording machine; those in the coroutine and timeline tables are
 *    absolute as well (subtract model.begin_ns to show them).
 *  - An index is a uint32_t into the array of that noun; MODEL_NONE for none.
 *  - What is not known is never 0: it has a standing or a struct model_ns that
 *    says MODEL_NA, or the member's comment says how it is reported. Strings that
 *    are not known are NULL.
 *  - All strings are valid UTF-8, NUL terminated and without control or
 *    direction-changing characters: those of the recording have been replaced
 *    by visible escapes (\x1b, \u202e) and bytes that are no UTF-8 by U+FFFD.
 *    They are not escaped for HTML or JSON.
 *
 * Time between slices
 *
 *  A gap is the time from the end of one slice of a coroutine to the begin of
 *  its next, on whatever thread. All rings are merged in order of time, so that
 *  next is next. A gap is
 *
 *    ready      all of it when the slice before it left READY, or when it was
 *               woken before that slice ended;
 *    awaiting   up to the wake time, and ready from there, when the slice after
 *               it was WOKEN within it;
 *    unknown    otherwise: suspended, awaiting or ready cannot be known.
 *
 *  A FRESH slice that was WOKEN has a ready gap from that time to its begin.
 *  A gap is not measured, only counted as unseen, when the coroutine may have
 *  run in it without a slice being seen: slices of its process were lost or
 *  damaged, a thread could not be recorded, or, if nothing of that is the case, the
 *  recording was interrupted during it, and it is one of cut_gaps. Time before a coroutine's first
 *  slice (but for the FRESH case) and after its last is in no gap.
 *  The gaps of a thread's own slot are not measured: the thread then ran
 *  coroutines. Such a slot is known by COROPROF_ID_THREAD in its id; it is no
 *  coroutine, and has MODEL_COROUTINE_THREAD and a label of its own kind,
 *  MODEL_LABEL_THREAD.
 */
#ifndef COROPROF_READER_MODEL_H
#define COROPROF_READER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/standing.h"
#include "coroprof.h"
#include "profile/changes.h"

struct index;

struct error;
struct file;
struct metric;
struct symbols_given;
struct histogram;

#define MODEL_NONE		UINT32_MAX

/* Different counters of session and channels together; more are not shown. */
#define MODEL_COUNTERS_MAX	16

/* So many slices are in a timeline, unless model_options say otherwise. */
#define MODEL_TIMELINE_SLICES	200000

/* Likewise so many spans, and samples, one by one. */
#define MODEL_TIMELINE_SPANS	50000
#define MODEL_TIMELINE_SAMPLES	50000

/* A timeline slice carries the counts of so many counters, the first ones. */
#define MODEL_SLICE_COUNTERS	4

/* ------------------------------------------------------------------------
 * values
 */

enum model_known {
	MODEL_NA,		/* nothing is known: show "n/a" */
	MODEL_AT_LEAST,		/* a part is known: show ">=" and the value */
	MODEL_EXACT,
};

struct model_ns {
	enum model_known known;
	uint64_t ns;		/* 0 when MODEL_NA */
};

static inline enum standing model_ns_standing(struct model_ns ns)
{
	return ns.known == MODEL_EXACT ? STANDING_COUNTED :
	       ns.known == MODEL_AT_LEAST ? STANDING_AT_LEAST : STANDING_NA;
}

/**
 * struct model_value - what one counter says about something
 * @standing: COROPROF_STANDING_*. UNSUPPORTED and NOT_SCHEDULED: there is no
 *            value, show that word. SCALED: show @estimate, marked with "~".
 *            COUNTED: @count is exact.
 * @present:  false: no slice carried this counter (no slices, or only those of
 *            channels that count other things): show "n/a"; the rest is 0
 * @at_least: some of it ran where there is no such counter: nobody knows what it would
 *            have counted there, so that @estimate is @count. Show ">="
 * @count:    the sum of what was counted, never scaled
 * @estimate: of the whole: count * running / (running - missing); the same as
 *            @count when COUNTED
 * @share:    of the running time the counter was on the PMU, 0..1
 * @shared:   some of @count is that of slices cut at an edge of a part, shared by time; or,
 *            not @present, it would be, and no shares were asked for
 */
struct model_value {
	uint8_t standing;
	bool present;
	bool at_least;
	bool shared;
	uint64_t count;
	uint64_t estimate;
	double share;
};

/**
 * struct model_times - sums over slices, and over the gaps between them
 * @slices:       how many slices
 * @running_ns:   on a CPU
 * @gaps:         gaps measured
 * @suspended_ns: the measured gaps; @awaiting_ns and @ready_ns are what is known
 *                of it, the rest is unknown
 * @awaiting_ns:  read it through model_awaiting()
 * @ready_ns:     read it through model_ready()
 * @unseen_gaps:  gaps not measured
 * @cut_gaps:     of these, those in which a thread was not recorded and no slice is missing
 * @preempted_ns: off the CPU inside slices while runnable
 * @blocked_ns:   off the CPU inside slices of coroutines, asleep in the kernel
 * @idle_ns:      asleep in the kernel outside any coroutine: no coroutine waits for it
 * @nr_preempted: how often
 * @nr_blocked:   how often
 * @nr_idle:      how often
 * @nr_cut:       slices of which only a part is in the part of the recording that is shown
 * @nr_shared:    of these, those that were off the CPU: how much of that was in the part is
 *                an estimate, and so are the times above but @suspended_ns
 *
 * What most slices have to do with comes first.
 */
struct model_times {
	uint64_t slices;
	uint64_t running_ns;
	uint64_t gaps;
	uint64_t suspended_ns;
	uint64_t awaiting_ns;
	uint64_t ready_ns;
	uint64_t unseen_gaps;
	uint64_t cut_gaps;
	uint64_t preempted_ns;
	uint64_t blocked_ns;
	uint64_t idle_ns;
	uint64_t nr_preempted;
	uint64_t nr_blocked;
	uint64_t nr_idle;
	uint32_t nr_cut;
	uint32_t nr_shared;
};

/* ------------------------------------------------------------------------
 * counters: those of the session and of all channels
 */

/**
 * struct model_counter - one of them
 * @name:        the name it was asked for by, or one made from type and config
 * @counter:     what it is
 * @in_session:  the session asked for it
 * @channels:    how many channels carry it
 * @failed:      for how many of those it is unsupported
 * @error:       errno of the first of those, or 0
 * @error_text:  why, in words, see reason.h; or NULL
 */
struct model_counter {
	char *name;
	struct coroprof_counter counter;
	bool in_session;
	uint32_t channels;
	uint32_t failed;
	int error;
	const char *error_text;
};

/* ------------------------------------------------------------------------
 * what is missing
 */

/*
 * Some of it is missing: lost, or not to be read, or there was no room for it; nobody knows of
 * which coroutines and labels it would be. So this is said of the recording, of its processes and
 * of its threads, and is so of all that is theirs: see schema_partial().
 */
#define MODEL_PARTIAL_SLICES	(1u << 0) /* and so may be coroutines */
#define MODEL_PARTIAL_SPANS	(1u << 1)
#define MODEL_PARTIAL_SAMPLES	(1u << 2)
#define MODEL_PARTIAL_WAKES	(1u << 3) /* of slices that are there */
#define MODEL_PARTIAL_LOSSES	(1u << 4) /* records of what was lost */

/* ------------------------------------------------------------------------
 * processes and channels
 */

/**
 * struct model_process - one recorded process
 * @id:         number of the process object
 * @pid:        its pid, 0 if unknown
 * @comm:       its name, "" if unknown
 * @begin_ns:   when it was attached, 0 if unknown
 * @end_ns:     when it ended, 0 if it had not, or unknown
 * @coroutines: how many were seen, thread slots not among them
 * @recording:  of several that were added up, which, from 0
 * @root:       its root directory, as the recorder saw it, "" if it could not;
 *              NULL: the same as the recorder's
 * @partial:    MODEL_PARTIAL_*
 * @lacks:      why slices may be missing; NULL: none are. tables/unmeasured.h makes it
 * @reported_by:    who reports its coroutines: adapters, and what these do not see;
 *              NULL if nobody says
 * @cpu:        what it used of the CPUs while it was recorded, by the kernel's clock of it
 * @unrecorded: of that, what is in no slice: of threads without coroutines, and of others
 *              before and after they were recorded
 * @others:     threads that were not recorded, as far as they were seen; only if @cpu is known
 * @probed:     the kernel's probes report its coroutines
 */
struct model_process {
	uint32_t id;
	int32_t pid;
	char *comm;
	char *root;
	char *reported_by;
	char *lacks;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t coroutines;
	uint32_t recording;
	uint32_t partial;
	struct model_ns cpu;
	struct model_ns unrecorded;
	uint32_t others;
	bool probed;
};

/* In model_channel.mode: the thread is not recorded. */
#define MODEL_MODE_UNKNOWN	UINT16_MAX

/**
 * struct model_mode_row - threads that switch in the same way, for one reason
 * @mode:    COROPROF_MODE_*
 * @reason:  COROPROF_REASON_*, with COROPROF_MODE_IOCTL
 * @threads: how many channels
 * @why:     with COROPROF_MODE_IOCTL: what that means, in a few words
 * @found:   what the recording machine had there, such as
 *           "kernel.perf_event_paranoid is 3"; NULL if nothing is to be said
 * @fix:     the command, or what else, that mends it; NULL if there is nothing
 *           to mend
 */
struct model_mode_row {
	uint16_t mode;
	uint16_t reason;
	uint32_t threads;
	const char *why;
	char *found;
	char *fix;
};

/* Do the slices of a channel sum to what the thread's own counters say? */
enum model_check {
	MODEL_NOT_CHECKED,	/* check_text says why it can't be */
	MODEL_CHECKED,		/* they do, to the count and to the nanosecond */
	MODEL_FAILED,		/* they don't; check_text says by how much */
};

/**
 * struct model_channel - the recording of one thread
 * @id:         number of the channel in the session
 * @process:    index
 * @tid:        the thread's id; channels with the same process and tid are the
 *              same thread, recorded again
 * @comm:       the thread's name, "" if unknown
 * @begin_ns:   when the recording began: that of the first slice if no record
 *              says; 0 if nothing does
 * @end_ns:     when it ended: that of the last slice if no record says
 * @error:      errno for which the thread is not recorded, or 0
 * @error_text: the same in words, or NULL
 * @damaged:    a part of its ring could not be read (see model.damage)
 * @mode:       how it switches: COROPROF_MODE_*, or MODEL_MODE_UNKNOWN
 * @mode_row:   index into model.modes, which says why; or MODEL_NONE
 * @lost:       slices that found the ring full; they are in no sum
 * @spans:      spans that ended on it
 * @lost_spans: spans that found the ring full
 * @samples:    samples of it in the file
 * @lost_samples: samples that found the ring of samples full
 * @throttled:  how often the kernel stopped sampling it for a while
 * @sample_error: errno for which the event that was to be sampled can't be, or 0
 * @sample_error_text: the same in words, or NULL
 * @sample_clock: with @sample_error: samples are of cpu-clock in its place, with
 *              the same frequency, or 1000 a second; else there are none
 * @times:      sums over its slices; its gaps are always 0
 * @pieces:     switches more than slices: to go on with one that MODEL_LABEL_TOOL parted
 * @partial:    MODEL_PARTIAL_*
 * @outside_ns: what of running_ns no coroutine ran: slices of the thread's own
 *              slot
 * @tool_ns:    what of running_ns coroprof itself ran: MODEL_LABEL_TOOL
 * @counters:   for each that its slices carry, the row in model.counters
 * @nr_counters: how many counters its slices carry
 * @check:      enum model_check
 * @check_text: see there, or NULL
 */
struct model_channel {
	uint32_t id;
	uint32_t process;
	int32_t tid;
	char *comm;
	uint64_t begin_ns;
	uint64_t end_ns;
	int error;
	const char *error_text;
	bool damaged;
	uint16_t mode;
	uint32_t mode_row;
	uint64_t lost;
	uint64_t spans;
	uint64_t lost_spans;
	uint64_t samples;
	uint64_t lost_samples;
	uint64_t throttled;
	int sample_error;
	const char *sample_error_text;
	bool sample_clock;
	struct model_times times;
	uint64_t pieces;
	uint32_t partial;
	uint64_t outside_ns;
	uint64_t tool_ns;
	uint8_t counters[COROPROF_COUNTERS_MAX];
	uint8_t nr_counters;
	enum model_check check;
	char *check_text;
};

/* ------------------------------------------------------------------------
 * labels
 */

enum model_label_kind {
	MODEL_LABEL_NONE,	/* coroutines without a label; one per process */
	MODEL_LABEL_TEXT,
	MODEL_LABEL_CODE,	/* a code address: object, address */
	MODEL_LABEL_THREAD,	/* threads outside any coroutine */
	MODEL_LABEL_OTHER,	/* all labels over the limit, of all processes */
	MODEL_LABEL_REST,	/* of totals: what threads of a process ran that is in
				 * no slot, nobody knows for which label */
	MODEL_LABEL_TOOL,	/* MODEL_NAMING: what coroprof did in the program. It is
				 * in the sums of threads, and in none of the program */
};

/* What it is that takes long: each label has lengths of each. */
enum model_latency {
	MODEL_LATENCY_RUNNING,	/* a slice: its time on a CPU */
	MODEL_LATENCY_HELD,	/* a slice of a coroutine: for how long it had its thread */
	MODEL_LATENCY_BLOCKED,	/* what of that its thread slept, if it did */
	MODEL_LATENCY_READY,	/* from being made ready to running */
	MODEL_LATENCY_AWAITING,	/* from the end of a slice to being made ready */
	MODEL_LATENCY_SUSPENDED, /* between slices, parts not known */
	MODEL_LATENCY_LIFETIME,	/* of a coroutine whose begin and end were seen */
	MODEL_LATENCY_NR
};

/* Slices are counted that held their thread for so long or longer: 10^4 ns and so on. */
#define MODEL_HELD_DECADES	6
#define MODEL_HELD_LEAST_NS	10000u

/*
 * How such lengths are reported: four buckets an octave. Bucket b
 * begins at model_bucket_ns(b) and ends where the next begins; the last has
 * no end. Quantiles are of what is finer: see profile/histogram.h.
 */
#define MODEL_HISTOGRAM_BUCKETS	168

/* Of a label that is made two: see profile/split.h. */
enum model_side_of {
	MODEL_SIDE_NONE,	/* it is not */
	MODEL_SIDE_REST,
	MODEL_SIDE_SLOW,
	MODEL_SIDE_UNKNOWN,	/* what may be on either */
	MODEL_SIDES
};

/**
 * struct model_label - all slices that carried one label of one process
 * @process:     index, MODEL_NONE for MODEL_LABEL_OTHER. The same text in two
 *               processes is two labels; twice in one process is one, unless
 *               both threads and coroutines have it.
 * @kind:        enum model_label_kind
 * @name:        to show: the text, the function, object+0xaddress, "(no label)",
 *               "(outside coroutines)" for threads without one, "(other labels)",
 *               "(in no slot)"
 * @object:      MODEL_LABEL_CODE: path of the object file, else NULL
 * @address:     MODEL_LABEL_CODE: the address in it
 * @unresolved:  MODEL_LABEL_CODE without a function name: why, else NULL
 * @number:      one that its records have
 * @coroutines:  how many coroutines have it, at the end of their recording; of
 *               MODEL_LABEL_THREAD: how many threads
 * @renamed:     how many coroutines left it for another label
 * @unreported:      slices in which switches of the thread were not reported: they may
 *               be of other coroutines in part. All figures have them
 * @unreported_ns:   their running time
 * @samples:     samples in it; n/a without model.sampled
 * @calls:       spans in it; n/a without model.calls_counted
 * @probes_ns:   how much of its running time probes took, at least; n/a unless its process is
 *               probed and model.probe_cost is known
 * @times:       sums over its slices, and over the gaps those slices ended
 * @min_ns:      shortest running time of a slice; meaningless without slices
 * @max_ns:      longest
 * @histograms:  by enum model_latency: NULL where there is none of it
 * @held:        by decade: slices that held their thread for so long or longer
 * @side:        enum model_side_of
 */
struct model_label {
	uint32_t process;
	enum model_label_kind kind;
	char *name;
	char *object;
	uint64_t address;
	const char *unresolved;
	uint32_t number;
	uint64_t coroutines;
	uint64_t renamed;
	uint64_t unreported;
	uint64_t unreported_ns;
	uint64_t samples;
	uint64_t calls;
	uint64_t probes_ns;
	struct model_times times;
	uint64_t min_ns;
	uint64_t max_ns;
	struct histogram *histograms[MODEL_LATENCY_NR];
	uint64_t held[MODEL_HELD_DECADES];
	uint8_t side;
};

/* What has it is no coroutine of the program: nothing between its slices is reported. */
static inline bool model_label_is_outside(const struct model_label *label)
{
	return label->kind == MODEL_LABEL_THREAD || label->kind == MODEL_LABEL_TOOL;
}

/* ------------------------------------------------------------------------
 * coroutines
 */

#define MODEL_COROUTINE_BORN	(1u << 0) /* its first slice was seen: FRESH */
#define MODEL_COROUTINE_ENDED	(1u << 1) /* its last slice was seen: END */
#define MODEL_COROUTINE_THREAD	(1u << 2) /* a thread's own slot, or coroprof itself */
#define MODEL_COROUTINE_OVERLAP	(1u << 3) /* two of its slices overlap: the
					     program reported switches late */
#define MODEL_COROUTINE_RENAMED	(1u << 4) /* its label changed */
#define MODEL_COROUTINE_TOOL	(1u << 5) /* coroprof itself: MODEL_LABEL_TOOL */

/**
 * struct model_coroutine - one coroutine
 * @id:         its number, unique in its process
 * @process:    index
 * @label:      index of its last label
 * @flags:      MODEL_COROUTINE_*
 * @channel:    index of the channel of its last slice
 * @last_ns:    end of its last slice seen
 * @max_ns:     longest running time of a slice
 * @threads:    bit n: it ran on a channel whose index is n modulo 64
 * @migrations: how often a slice was on another thread than the one before
 * @carried:    its first slice was seen, and is not kept: what that said of its birth is known
 * @times:      sums
 * @parent:     id of the coroutine that created it; 0: none, or unknown
 * @tag:        the program's own number; known with MODEL_COROUTINE_BORN or @carried only
 * @born_ns:    with MODEL_COROUTINE_BORN: when it was first ready, if that was
 *              reported, or else first ran
 * @first_ns:   begin of its first slice seen
 * @samples:    samples in it; n/a without model.sampled
 * @calls:      spans in it; n/a without model.calls_counted
 *
 * What each slice has to do with comes first, up to the middle of @times.
 */
struct model_coroutine {
	uint64_t id;
	uint32_t process;
	uint32_t label;
	uint32_t flags;
	uint32_t channel;
	uint64_t last_ns;
	uint64_t max_ns;
	uint64_t threads;
	uint32_t migrations;
	bool carried;
	struct model_times times;
	uint64_t parent;
	uint64_t tag;
	uint64_t born_ns;
	uint64_t first_ns;
	uint64_t samples;
	uint64_t calls;
};

/* ------------------------------------------------------------------------
 * timeline
 */

/* 0..8 are COROPROF_SLICE_*, of any slice in it */
#define MODEL_SLICE_MERGED	(1u << 16) /* several slices of one label, see
					      nr_slices */
#define MODEL_SLICE_LOST	(1u << 17) /* slices were lost here: what ran is
					      not known for (part of) this time */
#define MODEL_SLICE_BESIDE	(1u << 18) /* in the same bucket as the row before */
#define MODEL_SLICE_PARTED	(1u << 19) /* a slice in it reaches beyond the part that is
					      shown: its counts are shared by time */
#define MODEL_SLICE_GOES_ON	(1u << 20) /* a piece of the slice before of its coroutine, with
					      which that is counted: MODEL_LABEL_TOOL ran
					      between them. Of several: there is such a piece */

/**
 * struct model_slice - one slice, or slices of one label in one bucket of time
 *
 * A bucket is timeline_resolution_ns long, and has the slices shorter than that
 * that begin in it. Each of its labels has one row, with the exact sums of these
 * slices in one piece; the rows of a bucket follow each other, each but the first is
 * MODEL_SLICE_BESIDE the one before, and cover together what their slices covered.
 *
 * @begin_ns:     begin of the slice; of several, where they are shown
 * @duration_ns:  sum; the running time is this without preempted, blocked and idle time
 * @label:        index; MODEL_NONE for lost slices
 * @flags:        COROPROF_SLICE_*, MODEL_SLICE_*
 * @coroutine:    index; MODEL_NONE: several, or it has been folded away
 * @nr_slices:    how many slices this is; lost ones not among them, nor pieces that
 *                MODEL_SLICE_GOES_ON
 * @longest_ns:   running time of the one that ran for longest
 * @channel:      index
 * @valid:        bit n: counter n was COUNTED in all of it
 * @count:        sum of the first counters, never scaled; of use when @valid
 * @preempted_ns: sum
 * @blocked_ns:   sum
 * @idle_ns:      sum
 * @wake_ns:      with COROPROF_SLICE_WOKEN, of a single slice: when it was made ready
 * @waker:        likewise: id of the coroutine that did, or 0
 * @waker_coroutine: index of that; MODEL_NONE: none, or the table has no room for it
 */
struct model_slice {
	uint64_t begin_ns;
	uint64_t duration_ns;
	uint32_t label;
	uint32_t flags;
	uint32_t coroutine;
	uint32_t nr_slices;
	uint64_t longest_ns;
	uint32_t channel;
	uint32_t valid;
	uint64_t count[MODEL_SLICE_COUNTERS];
	uint64_t preempted_ns;
	uint64_t blocked_ns;
	uint64_t idle_ns;
	uint64_t wake_ns;
	uint64_t waker;
	uint32_t waker_coroutine;
};

/**
 * struct model_timeline_span - a span, from its begin to its end
 * @end_ns:      when it ended
 * @duration_ns: from its begin to that; the coroutine may have been suspended in it
 * @running_ns:  of that on a CPU
 * @id:          of the coroutine
 * @process:     index
 * @coroutine:   index
 * @span:        index
 * @channel:     index: where it ended
 * @depth:       in how many others it was, as reported
 */
struct model_timeline_span {
	uint64_t end_ns;
	uint64_t duration_ns;
	uint64_t running_ns;
	uint64_t id;
	uint32_t process;
	uint32_t coroutine;
	uint32_t span;
	uint32_t channel;
	uint32_t depth;
};

/**
 * struct model_timeline_sample - a sample
 * @time_ns:   when it was taken
 * @channel:   index
 * @coroutine: index; MODEL_NONE: the table has no room for it
 * @node:      index into model.sample_nodes: where in the program it was
 */
struct model_timeline_sample {
	uint64_t time_ns;
	uint32_t channel;
	uint32_t coroutine;
	uint32_t node;
};

/* ------------------------------------------------------------------------
 * wakes
 */

/**
 * struct model_wake - who makes whom ready
 * @waker:    label index; MODEL_NONE: not reported, or not a coroutine seen
 * @woken:    label index
 * @count:    how often
 * @ready_ns: time from being made ready to running, sum over those of @count
 *            for which it is known
 * @ready:    how many those are
 */
struct model_wake {
	uint32_t waker;
	uint32_t woken;
	uint64_t count;
	uint64_t ready_ns;
	uint64_t ready;
};

/* ------------------------------------------------------------------------
 * what took longest
 */

/**
 * struct model_longest - a slice, a wait, or a life that was among the longest
 * @what:      not MODEL_LATENCY_RUNNING
 * @ns:        for how long
 * @begin_ns:  when it began; of MODEL_LATENCY_BLOCKED the slice that it was in, as
 * @end_ns:    when it ended
 * @id:        of the coroutine
 * @waker:     id of the coroutine that woke it, ended the wait; 0 for none, or not reported
 * @process:   index
 * @label:     index: its label then
 * @channel:   index; of waits: where it ran afterwards, of lives: where it ended
 * @coroutine: index; MODEL_NONE: the table has no room for it, as
 * @waker_coroutine: for that one
 * @times:     of the slice, or of the whole life; a wait has none
 */
struct model_longest {
	enum model_latency what;
	uint64_t ns;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t id;
	uint64_t waker;
	uint32_t process;
	uint32_t label;
	uint32_t channel;
	uint32_t coroutine;
	uint32_t waker_coroutine;
	struct model_times times;
};

/**
 * struct model_heat_bucket - slices of coroutines of one label that began in one time and
 *                     held their thread for about as long: see profile/heat-map.h
 * @label:    index
 * @begin_ns: of that time; of the first it may be before the recording's
 * @end_ns:   likewise
 * @from_ns:  for so long or longer, and
 * @below_ns: for less
 * @slices:   how many
 */
struct model_heat_bucket {
	uint32_t label;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t from_ns;
	uint64_t below_ns;
	uint64_t slices;
};

/* ------------------------------------------------------------------------
 * findings: see tables/findings.h
 */

/**
 * struct model_finding - what is worth a look, in words
 * @kind:      enum finding
 * @text:      one line
 * @label:     index, or MODEL_NONE, as are
 * @coroutine: the worst of it, and
 * @channel:   where that was
 * @begin_ns:  when it was; 0: at no time in particular
 * @end_ns:    likewise
 * @longest_ns: for how long the longest of it kept others from running; 0: it does not
 */
struct model_finding {
	unsigned int kind;
	char *text;
	uint32_t label;
	uint32_t coroutine;
	uint32_t channel;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t longest_ns;
};

/* ------------------------------------------------------------------------
 * samples
 *
 * Frames are functions, not addresses: two addresses of one function are one
 * frame. Where samples were taken in which coroutines is a forest: a node is a
 * frame called by the frame of its parent; a root is the outermost frame of
 * samples, or what stands for callers that were not recorded.
 *
 *   for (n = 0; n < nr_sample_nodes; n++) -- parents come before children,
 *   all nodes of a label together
 */

enum model_frame_kind {
	MODEL_FRAME_FUNCTION,
	MODEL_FRAME_OBJECT,	/* some function of an object without symbols */
	MODEL_FRAME_UNKNOWN,	/* no object was mapped there */
	MODEL_FRAME_KERNEL,	/* innermost only: it was in the kernel */
	MODEL_FRAME_CUT,	/* outermost only: callers that were not recorded */
	MODEL_FRAME_OTHER,	/* frames for which there was no room */
};

/**
 * struct model_frame - a function that samples were taken in, or that called one
 * @kind:       enum model_frame_kind
 * @name:       to show: the function, "[libx.so]" without one, "[unknown]",
 *              "[kernel]", "[callers not recorded]", "[others]"
 * @object:     path of the object file, NULL if none is known
 * @unresolved: MODEL_FRAME_OBJECT: why there is no function, else NULL
 * @file:       source file that it begins in, NULL if that is not known
 * @line:       where it begins there, 0 if that is not known
 * @own:        samples taken in it, all labels
 * @total:      samples in which it was on the stack; each once, however often
 *              it was there
 */
struct model_frame {
	enum model_frame_kind kind;
	char *name;
	char *object;
	const char *unresolved;
	char *file;
	uint32_t line;
	uint64_t own;
	uint64_t total;
};

/**
 * struct model_sample_node - a node of the forest of samples
 * @label:  index, of the coroutines sampled
 * @frame:  index
 * @parent: index of the node of the caller; MODEL_NONE for a root
 * @depth:  how many callers it has
 * @own:    samples that were taken right here
 * @total:  these, and those of all nodes below
 */
struct model_sample_node {
	uint32_t label;
	uint32_t frame;
	uint32_t parent;
	uint32_t depth;
	uint64_t own;
	uint64_t total;
};

/**
 * struct model_location - a line of a function that samples were taken in, or called from
 * @frame:   index
 * @inlined: the compiler has put the function into its caller
 * @file:    of the source, NULL if it is not known
 * @line:    in it, 0 if it is not known
 * @own:     as in struct model_frame, of this line alone
 * @total:   likewise
 *
 * Where no line of any function is known, there are none.
 */
struct model_location {
	uint32_t frame;
	bool inlined;
	char *file;
	uint32_t line;
	uint64_t own;
	uint64_t total;
};

/**
 * struct model_line_node - a node of the forest of samples by line
 * @node:   index of the node it is a part of: what has the same function and
 *          callers is one node there, and here a node for each line
 * @location: index
 * @parent: index of the line node of the caller; MODEL_NONE for a root; less than its own
 * @own:    samples that were taken right here
 * @total:  these, and those of all nodes below
 *
 * There are none without locations.
 */
struct model_line_node {
	uint32_t node;
	uint32_t location;
	uint32_t parent;
	uint64_t own;
	uint64_t total;
};

/**
 * struct model_label_frame - one function in one label's coroutines
 * @label: index
 * @frame: index
 * @own:   as in struct model_frame, of this label alone
 * @total: likewise
 */
struct model_label_frame {
	uint32_t label;
	uint32_t frame;
	uint64_t own;
	uint64_t total;
};

/* ------------------------------------------------------------------------
 * spans
 *
 * Three tables have the same figures: of a span (wherever it was), of a span in
 * the coroutines of one label, and of a node of the call tree, which is a span
 * called within the span of its parent, in the coroutines of one label.
 *
 * Total is what lies between the begin and the end of spans; own is that without
 * the spans directly in them. A span within one of the same name, directly or
 * not, adds to calls and to own, but not to outermost and total: there it is in
 * the outer one's. In a node of the tree, every call is an outermost one.
 */

/* Whole, so that it does not depend on the order in which they are added. */
typedef unsigned __int128 model_squares;

/* What sums of squares are of: times, and behind these each counter, in all and own. */
enum model_square {
	MODEL_SQUARE_WALL,
	MODEL_SQUARE_OWN_WALL,
	MODEL_SQUARE_RUNNING,
	MODEL_SQUARE_OWN_RUNNING,
	MODEL_SQUARE_COUNTERS,
};

/**
 * struct model_span_sums - figures of spans
 * @calls:          how many
 * @outermost:      how many of these were in no span of the same name
 * @wall_ns:        total time from begin to end
 * @own_wall_ns:    own
 * @running_ns:     total time that the coroutine was on a CPU
 * @own_running_ns: own
 * @at_most:        own figures, the counters' as well, are upper bounds: spans
 *                  that may have been in some of these were lost, or had begun
 *                  before the recording. Show them with "<="
 *
 * Where spans are missing, one of them may be an outer call of the same name, so that @outermost
 * is no bound.
 */
struct model_span_sums {
	uint64_t calls;
	uint64_t outermost;
	uint64_t wall_ns;
	uint64_t own_wall_ns;
	uint64_t running_ns;
	uint64_t own_running_ns;
	bool at_most;
};

/**
 * struct model_span - all spans of one name, of one process
 * @process:    index
 * @name:       to show, as that of a label
 * @object:     if its name is a code address: path of the object, else NULL
 * @address:    the address in it
 * @unresolved: @object without a function name: why, else NULL
 * @sums:       figures
 * @histogram:  of its calls, from begin to end, those within itself as well
 */
struct model_span {
	uint32_t process;
	char *name;
	char *object;
	uint64_t address;
	const char *unresolved;
	struct model_span_sums sums;
	struct histogram *histogram;
};

/**
 * struct model_label_span - a span in the coroutines of one label
 * @label: index
 * @span:  index
 * @sums:  figures
 */
struct model_label_span {
	uint32_t label;
	uint32_t span;
	struct model_span_sums sums;
};

/**
 * struct model_span_node - a node of the call tree
 * @label:  index, of the coroutines
 * @span:   index; MODEL_NONE, in a root only: stands for spans that were not
 *          seen to end. Its total is that of those below, and own is nothing.
 * @parent: index of the node of the span it was in; MODEL_NONE for a root
 * @depth:  how many nodes it is in
 * @sums:   figures
 */
struct model_span_node {
	uint32_t label;
	uint32_t span;
	uint32_t parent;
	uint32_t depth;
	struct model_span_sums sums;
};

/* ------------------------------------------------------------------------
 * what recording costs
 */

/**
 * struct model_cost - of one operation, as the recorder has measured it
 * @ns:           negative if it has not
 * @instructions: likewise; by ioctl, in user and kernel mode; from user mode, in
 *                user mode alone
 */
struct model_cost {
	double ns;
	double instructions;
};

/* The label of an adapter's own coroutines: see userspace/runtimes. */
#define MODEL_NAMING	"(coroprof)"

/* ------------------------------------------------------------------------
 * damage
 */

/**
 * struct model_damage - something in the file that could not be read
 * @offset:  of the segment in the file
 * @channel: index if it is that channel's ring, else MODEL_NONE
 * @text:    what was found, where, and what was done about it; one line
 */
struct model_damage {
	uint64_t offset;
	uint32_t channel;
	char *text;
};

/**
 * struct model_info - one key of the INFO segments
 * @key:   as in cprof/format.h
 * @value: text
 */
struct model_info {
	char *key;
	char *value;
};

/* ------------------------------------------------------------------------
 * all of it
 */

/**
 * struct model_options - bounds and wishes; zero in any means the default
 * @coroutines:      rows in the coroutine table (1000000). The first ones seen
 *                   are kept, later ones are added to their label only.
 * @timeline_slices: in the timeline, all channels together (MODEL_TIMELINE_SLICES)
 * @timeline_spans:  likewise, (MODEL_TIMELINE_SPANS): the longest ones
 * @timeline_samples: likewise, (MODEL_TIMELINE_SAMPLES): all of them, or none
 * @labels:          rows in the label table (65536)
 * @frames:          rows in the frame table (65536)
 * @sample_nodes:    nodes of the forest of samples (1000000)
 * @span_nodes:      nodes of the call trees of spans (1000000)
 * @memory:          bytes for unpacked parts of the file (1 GiB)
 * @shards:          how many threads read it (as many as there are processors,
 *                   for a recording that is large enough)
 * @from_ns:         only what was so long after the begin of the
 *                   recording, or later: see @note
 * @to_ns:           and before that; 0 for all
 * @exact:           what a slice that is cut there would have a share of is not known
 * @symbol_root:     look for object files under this directory; NULL for "/"
 * @names:           answers what object files would be asked for; stays as long as the model
 * @note_names:      gets all that object files were asked for, to be @names another time
 * @no_symbols:      don't look up code labels
 * @no_inline:       don't look for source lines, nor for functions put into others
 * @no_timeline:     don't make the timeline, which takes time and memory
 * @squares:         sum squares of what calls of spans have, to compare recordings
 * @split:           make a label two: see profile/split.h. NULL: don't
 * @selected:        coroutines, by (id, row of the process), whose spans and samples are
 *                   wanted: those of others are counted, and in no table. NULL: all are
 * @selected_slices: so are their slices: no label has any of others, and there are no
 *                   others; threads have all
 * @chosen:          whose slices and samples: see profile/chosen.h. NULL: all
 * @ticks:           parts of it that were added up before, and will be again: see
 *                   profile/ticks.h. NULL: none are
 * @progress:        called now and then with @context, how many bytes of rings
 *                   have been added up, and of how many; NULL: nobody is
 * @context:         for @progress
 */
struct model_options {
	uint32_t coroutines;
	uint32_t timeline_slices;
	uint32_t timeline_spans;
	uint32_t timeline_samples;
	uint32_t labels;
	uint32_t frames;
	uint32_t sample_nodes;
	uint32_t span_nodes;
	uint64_t memory;
	uint32_t shards;
	uint64_t from_ns;
	uint64_t to_ns;
	bool exact;
	const char *symbol_root;
	const struct symbols_given *names;
	struct symbols_given *note_names;
	bool no_symbols;
	bool no_inline;
	bool no_timeline;
	bool squares;
	struct split *split;
	const struct index *selected;
	bool selected_slices;
	const struct model_chosen *chosen;
	struct ticks *ticks;
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/**
 * struct model - a recording
 *
 * @path:         of the file
 * @file_size:    its size in bytes
 * @info, @nr_info: everything INFO says, in order of first mention. The usual
 *                ones again, NULL if the file does not say:
 * @command, @host, @kernel, @arch, @pmu: text; a machine without a name has no
 *                @host
 * @note:         what the user had to say of it, and whether this is a part of it
 *                only; every output says it. NULL for nothing
 * @own_note:     its memory, where it is not in @info
 * @part:         only a part of it was asked for
 * @some_labels:  slices of these alone were asked for: what they sum to is no thread's time, of
 *                which figures could be shares
 * @exact:        and no shares of slices that are cut: see model_lacks_shares()
 * @kept:         the recorder kept only the last seconds, which @note says, too, and then:
 * @kept_from_ns: of each thread there is all that ended since then
 * @kept_ns:      so much time was to be kept
 * @dumped:       why that was written while the recording went on, which @note says, too; NULL:
 *                it is the end of the recording
 * @dumped_for:   the slice for which, if there is one: its text is NULL, and if it is not among
 *                what is kept its label MODEL_NONE
 * @dumped_figure: what of it was too long: "held", "blocked", "ready" or "running"; "IPC", of the
 *                longest slice of a second; "program": it asked for it, then; NULL: there is no
 *                slice
 * @recordings:   how many were added up, and, of more than one:
 * @list:         which
 * @texts, @nr_texts: memory of @command and what is like it
 * @simulated:    name of a simulated PMU: the counts then mean nothing about
 *                any hardware, which every output must say; NULL for none
 * @missing:      programs, or coroutines, that are not recorded, and why, as far
 *                as the recorder knew, which every output must say; NULL for none
 * @without_pmu:  no PMU of the machine counts what a CPU does
 * @hypervisor:   it was a virtual machine, as far as the recorder could say
 * @cpus:         0 if unknown
 * @realtime_offset_ns: add to a time for nanoseconds since 1970
 * @realtime_known: whether the file says so, and then:
 * @clocks_ns:    when the recorder read both clocks, which is as the recording began, in
 *                nanoseconds since 1970
 *
 * @begin_ns:     begin of the earliest channel, 0 in an empty recording: times are shown
 *                since then, of a part of it, too
 * @from_ns:      begin of what is shown: of a part later than @begin_ns
 * @end_ns:       its end: of the latest channel or slice, if it is not a part
 * @ended:        the recording was ended in order: the file has an END segment
 * @exit_status:  wait status of the command, -1 if there was none or unknown
 * @unread_bytes: how much of the file could not be read
 * @unread_records: likewise records, in what could be read of it
 * @truncated:    why nothing could be read from @truncated_offset on, or NULL; see
 *                model_cut()
 * @truncated_offset: see there
 * @damage, @nr_damage: other damage; the first 100
 * @nr_damage_total: how many there are
 *
 * @counters, @nr_counters: the counters
 * @dropped_counters: those for which there was no room
 * @cycles, @instructions: counters to make IPC of, or MODEL_NONE
 *
 * @processes, @nr_processes: in order of their appearance, as all below
 * @channels, @nr_channels: the threads
 * @labels, @nr_labels: those that have slices
 * @coroutines, @nr_coroutines: the coroutine table, thread slots included
 * @nr_folded_coroutines: how many were added to their label only
 * @nr_coroutines_total:  coroutines seen, kept or folded, thread slots excluded
 *
 * @timeline, @nr_timeline: sorted by channel, then time
 * @timeline_first: index of each channel's first; one more element than
 *                  channels, so that [c] to [c + 1] is channel c
 * @timeline_resolution_ns: size of its buckets, see struct model_slice; 0 if every
 *                  slice is there as it was
 *
 * @timeline_spans, @nr_timeline_spans: spans one by one, sorted by coroutine, depth,
 *                  then time
 * @timeline_spans_least_ns: shorter ones are not among them; 0 if all are
 * @timeline_samples, @nr_timeline_samples: samples one by one, sorted by channel, then
 *                  time; none if there are more than fit
 *
 * @wakes, @nr_wakes: sorted by count, largest first
 * @nr_dropped_wakes: wakes of pairs for which there was no room
 *
 * @longest, @nr_longest: what took longest, by kind: the first 100 of each recording
 *
 * @heat_map, @nr_heat_map: by label, then length, then time; none of several recordings, whose
 *                  times have no buckets in common, nor where there are too many labels
 *
 * @findings, @nr_findings: by findings_make(); none before
 * @nothing:      why there is no slice in it, by nothing_make(); NULL before, and where there is
 *  one
 * @remedy:       what to do about that, likewise
 * @unrecorded:   what threads without coroutines used, in words, by unrecorded_make(); NULL before
 * @unmeasured:   why gaps were not measured, in words, by unmeasured_make(); NULL: all were
 *
 * @metrics, @nr_metrics: columns of one's own, see tables/metric.h; not the model's
 *
 * @modes, @nr_modes: how threads switch and why, most threads first; those that
 *                  switch from user mode before all others
 *
 * @all_threads:  threads were recorded from their begin, by --threads
 * @totals:       it is of totals: without slices. What only they say is n/a; the
 *                times of channels are those that the kernel has of threads
 * @some:         spans and samples are those of model_options.only; all other sums are of
 *                the whole recording, but for model_options.selected_slices
 * @sampled:      the recording was to take samples. Without it all figures of
 *                samples are n/a, not 0, and there is none of these:
 * @sample_event: name of the event, NULL if the file does not say
 * @sample_period: one sample each so many counts, or 0
 * @sample_frequency: one so often a second, or 0
 * @sample_stack_max: at most so many callers were recorded
 * @sample_note:  why it is not the event that is usual, in words, or NULL
 * @samples:      in the file; exact
 * @lost_samples: that found a ring of samples full; they are in no figure
 * @throttled:    how often the kernel stopped sampling a thread for a while
 *                because samples came too fast: there is a part without any
 * @unsampled:    channels that could not be sampled
 * @clock_sampled: channels sampled by cpu-clock in place of @sample_event
 * @frames, @nr_frames: functions
 * @sample_nodes, @nr_sample_nodes: the forest, see there
 * @label_frames, @nr_label_frames: sorted by label, then most own samples first
 * @locations, @nr_locations: source lines
 * @line_nodes, @nr_line_nodes: the forest by line
 * @lines_fault:  why lines of some functions are not known although they may be
 *                there, or NULL
 * @lines_sought: somebody looked for lines
 *
 * @spans, @nr_spans: in order of appearance; 0 if there were none
 * @label_spans, @nr_label_spans: sorted by label, then by own running time,
 *                largest first
 * @label_span_squares: of each row of @label_spans @nr_squares sums, by enum model_square, of
 *                squares of what each call had: of own figures of all calls, of others of
 *                outermost ones. NULL unless they were asked for: model_options.squares
 * @span_nodes, @nr_span_nodes: the call trees: parents before children, all
 *                nodes of a label together
 * @nr_span_calls: spans in the file; exact
 * @lost_spans:   spans that found a ring full
 * @dropped_spans: spans for which there was no room in the call trees; they are
 *                in no figure
 * @impossible_spans: spans with less in them than the spans within have, which
 *                no honest program writes: their own figures are 0
 *
 * @compared:     with another recording, see diff/diff.h. Without it, there are
 *                none of these:
 * @changes, @nr_changes: figures of both
 * @change_nodes, @nr_change_nodes: call trees of both: parents before children
 * @metadata, @nr_metadata: what is said of both
 * @slow_of:      what is slow, if that was asked for, see diff/slow.h. Without it,
 *                there are none of these:
 * @slow, @nr_slow: figures of the slow ones, as the new side, and of the rest
 * @slow_nodes, @nr_slow_nodes: likewise, call trees
 *
 * @times:        sums over everything
 * @lost:         slices lost, all channels
 * @partial:      MODEL_PARTIAL_*
 * @unreported, @unreported_ns: sums of those of the labels
 * @switch_cost, @span_cost: of a switch and of a span, by COROPROF_MODE_*
 * @join_cost:      how much longer a thread runs that is recorded, by COROPROF_MODE_*, without what
 *                  of that is charged to MODEL_NAMING
 * @ring_cost:      what a thread's joining takes in addition if no ring is ready for it
 * @birth_cost:     of a coroutine's birth and end, without its switches
 * @probe_cost:     of a probe that reports a switch
 * @probe_birth_cost: of a coroutine's birth and end that probes report, without these
 * @naming:         what an adapter did to find names for coroutines, and threads to enter user
 *                  mode, all of it: what ran labelled MODEL_NAMING; negative where nothing did
 * @overhead_ns:    the sum of these over all slices, spans, threads and births, each at what
 *                  it costs in its thread's mode, and of naming without its switches,
 *                  which are among them; negative for n/a
 * @overhead_at_least: the cost of some is not known and not in it
 * @overhead_estimated: some of it is of probes: it may be less as well
 * @overhead_share: overhead_ns as a share of all time on a CPU, of threads without
 *                  coroutines, too, if that is known; negative for n/a. Samples are not
 *                  in it: with any it is @overhead_at_least
 * @failed_checks: how many channels are MODEL_FAILED
 */
struct model {
	char *path;
	uint64_t file_size;
	struct model_info *info;
	uint32_t nr_info;
	const char *command;
	const char *note;
	char *own_note;
	bool part;
	bool some_labels;
	bool exact;
	bool kept;
	uint64_t kept_from_ns;
	uint64_t kept_ns;
	const char *dumped;
	struct model_finding dumped_for;
	const char *dumped_figure;
	uint32_t recordings;
	char *list;
	char **texts;
	uint32_t nr_texts;
	const char *host;
	const char *kernel;
	const char *arch;
	const char *pmu;
	const char *simulated;
	const char *missing;
	bool without_pmu;
	bool hypervisor;
	uint32_t cpus;
	int64_t realtime_offset_ns;
	bool realtime_known;
	uint64_t clocks_ns;

	uint64_t begin_ns;
	uint64_t from_ns;
	uint64_t end_ns;
	bool ended;
	int exit_status;
	uint64_t unread_bytes;
	uint64_t unread_records;
	char *truncated;
	uint64_t truncated_offset;
	struct model_damage *damage;
	uint32_t nr_damage;
	uint64_t nr_damage_total;

	struct model_counter counters[MODEL_COUNTERS_MAX];
	uint32_t nr_counters;
	uint32_t dropped_counters;
	uint32_t cycles;
	uint32_t instructions;

	struct model_process *processes;
	uint32_t nr_processes;
	struct model_channel *channels;
	uint32_t nr_channels;
	struct model_label *labels;
	uint32_t nr_labels;
	struct model_coroutine *coroutines;
	uint32_t nr_coroutines;
	uint64_t nr_folded_coroutines;
	uint64_t nr_coroutines_total;

	struct model_slice *timeline;
	uint32_t nr_timeline;
	uint32_t *timeline_first;
	uint64_t timeline_resolution_ns;
	struct model_timeline_span *timeline_spans;
	uint32_t nr_timeline_spans;
	uint64_t timeline_spans_least_ns;
	struct model_timeline_sample *timeline_samples;
	uint32_t nr_timeline_samples;

	struct model_wake *wakes;
	uint32_t nr_wakes;
	uint64_t nr_dropped_wakes;

	struct model_longest *longest;
	uint32_t nr_longest;

	struct model_heat_bucket *heat_map;
	uint32_t nr_heat_map;

	struct model_finding *findings;
	uint32_t nr_findings;
	char *nothing;
	char *remedy;
	char *unrecorded;
	char *unmeasured;

	const struct metric *metrics;
	uint32_t nr_metrics;

	struct model_mode_row *modes;
	uint32_t nr_modes;

	bool totals;
	bool all_threads;
	bool some;
	bool sampled;
	const char *sample_event;
	uint64_t sample_period;
	uint64_t sample_frequency;
	uint32_t sample_stack_max;
	const char *sample_note;
	uint64_t samples;
	uint64_t lost_samples;
	uint64_t throttled;
	uint32_t unsampled;
	uint32_t clock_sampled;
	struct model_frame *frames;
	uint32_t nr_frames;
	struct model_sample_node *sample_nodes;
	uint32_t nr_sample_nodes;
	struct model_label_frame *label_frames;
	uint32_t nr_label_frames;
	struct model_location *locations;
	uint32_t nr_locations;
	struct model_line_node *line_nodes;
	uint32_t nr_line_nodes;
	const char *lines_fault;
	bool lines_sought;

	struct model_span *spans;
	uint32_t nr_spans;
	struct model_label_span *label_spans;
	uint32_t nr_label_spans;
	struct model_span_node *span_nodes;
	uint32_t nr_span_nodes;
	uint64_t nr_span_calls;
	uint64_t lost_spans;
	uint64_t dropped_spans;
	uint64_t impossible_spans;
	bool calls_counted;

	bool compared;
	struct model_change *changes;
	uint32_t nr_changes;
	struct model_change_node *change_nodes;
	uint32_t nr_change_nodes;
	struct model_answer *answers;
	uint32_t nr_answers;
	struct model_metadata *metadata;
	uint32_t nr_metadata;
	struct model_slow_of *slow_of;
	uint32_t nr_slow_of;
	struct model_change *slow;
	uint32_t nr_slow;
	struct model_change_node *slow_nodes;
	uint32_t nr_slow_nodes;

	struct model_times times;
	uint64_t lost;
	uint32_t partial;
	uint64_t unreported;
	uint64_t unreported_ns;
	struct model_cost switch_cost[2];
	struct model_cost span_cost[2];
	struct model_cost join_cost[2];
	struct model_cost ring_cost;
	struct model_cost birth_cost;
	struct model_cost probe_cost;
	struct model_cost probe_birth_cost;
	struct model_cost naming;
	double overhead_ns;
	bool overhead_at_least;
	bool overhead_estimated;
	double overhead_share;
	uint32_t failed_checks;

	/* Read them through model_*_value(). */
	struct model_sum *coroutine_sums;
	struct model_sum *label_sums;
	struct model_sum *channel_sums;
	struct model_sum *total_sums;
	struct model_sum *longest_sums;
	/* Two rows of each: total, own. */
	struct model_sum *span_sums;
	struct model_sum *label_span_sums;
	model_squares *label_span_squares;
	uint32_t nr_squares;
	struct model_sum *span_node_sums;
};

/*
 * Read a recording. Returns 0, or -1 with @error set: then it is no recording
 * this reader can read at all. A file that is truncated or damaged gives a model of
 * what could be read, which says so.
 */
int model_load(struct model **model, struct file *file,
	       const struct model_options *options, struct error *error);
void model_free(struct model *model);

/*
 * Adds another recording, of another machine for instance, to @to, and frees it.
 * The order in which recordings are added changes that of rows and nothing else.
 * Fails when out of memory.
 *
 *  - Processes, and all that is theirs, stay rows of their own. What no process
 *    has, as functions of samples, is one row.
 *  - Times are those of one clock where both recordings have the time of day.
 *  - A counter that one recording has not is n/a in its rows.
 *  - @note says which recordings it is made of, with what is known of each. What
 *    differs between them is reported of both: "web1 | web2"; numbers are unknown.
 */
int model_combine(struct model *to, struct model *from, struct error *error);

/* What counter @counter says about one row of a table, or about everything. */
struct model_value model_coroutine_value(const struct model *model,
					 uint32_t coroutine, uint32_t counter);
struct model_value model_label_value(const struct model *model, uint32_t label,
				     uint32_t counter);
struct model_value model_longest_value(const struct model *model, uint32_t longest,
				       uint32_t counter);
struct model_value model_channel_value(const struct model *model,
				       uint32_t channel, uint32_t counter);
/* In spans: @own is without the spans in them; mind model_span_sums.at_most. */
struct model_value model_span_value(const struct model *model, uint32_t span,
				    uint32_t counter, bool own);
struct model_value model_label_span_value(const struct model *model,
					  uint32_t label_span, uint32_t counter,
					  bool own);
struct model_value model_span_node_value(const struct model *model,
					 uint32_t node, uint32_t counter,
					 bool own);
/* What it counts are nanoseconds: task-clock, cpu-clock. */
bool model_counter_is_time(const struct model_counter *counter);
struct model_value model_total_value(const struct model *model,
				     uint32_t counter);

/* How far @estimate can be relied on. */
enum standing model_value_standing(struct model_value value);

/*
 * Instructions per cycle from two values; negative when either has none, or
 * when instructions are estimated to be 0: they were not on the PMU while this
 * ran. @part: slices are missing in both. @standing: how far it can be relied on, or
 * why there is none.
 */
double model_ipc(struct model_value instructions, struct model_value cycles, bool part,
		 enum standing *standing);

/* Below 0: @x comes before @y: by kind, then the longest first. */
int model_longest_order(const struct model_longest *x, const struct model_longest *y);

/* Time between slices, with how well it is known. */
struct model_ns model_suspended(const struct model_times *times);
struct model_ns model_awaiting(const struct model_times *times);
struct model_ns model_ready(const struct model_times *times);

/*
 * The running time that the share @quantile (0..1) of a label's slices do not
 * exceed: *@exact, or less than 1 % off. A label without slices gives 0.
 */
uint64_t model_label_quantile_ns(const struct model_label *label, double quantile,
				 bool *exact);

/* Probes report its coroutines; of MODEL_LABEL_OTHER: of those of all processes. */
bool model_label_probed(const struct model *model, const struct model_label *label);

uint64_t model_bucket_ns(unsigned int bucket);
/* How many are in a bucket; @histogram may be NULL. */
uint64_t model_bucket_count(const struct histogram *histogram, unsigned int bucket);

/*
 * From when it was first ready, or first ran, to its end; at least what was seen of
 * that if its first or its last slice was not, n/a if neither was.
 */
struct model_ns model_lifetime(const struct model_coroutine *coroutine);

/*
 * Not ended in order, and nothing shows where it was cut, for that is between two
 * segments; and what to say of it.
 */
bool model_cut(const struct model *model);

/* Of the whole recording. */
static inline bool model_lacks_slices(const struct model *model)
{
	return model->partial & MODEL_PARTIAL_SLICES;
}

/* These are times of slices that were cut while they were off the CPU, and no shares are wanted. */
static inline bool model_lacks_shares(const struct model *model, const struct model_times *times)
{
	return model->exact && times->nr_shared;
}

/* Of sums over slices; @part: some are missing. */
static inline enum standing model_times_standing(const struct model_times *times, bool part)
{
	return standing_lacking(times->nr_shared ? STANDING_SCALED : STANDING_COUNTED, part);
}

/* Of overhead_ns, if it is known. */
static inline enum standing model_overhead_standing(const struct model *m)
{
	return standing_lacking(m->overhead_estimated ? STANDING_SCALED : STANDING_COUNTED,
				m->overhead_at_least);
}

#define MODEL_CUT	"what came after its last byte is not in it; it may still be being written"

/* On how many threads at least it ran; exact in a recording of up to 64. */
unsigned int model_coroutine_threads(const struct model_coroutine *coroutine);

#endif /* COROPROF_READER_MODEL_H */
