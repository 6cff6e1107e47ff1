/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The .cprof file: what a session gave, as it gave it, with what is needed to
 * understand it on another machine. cprof(5) describes it for users.
 *
 * A file is one header and then segments, each with its own checksums. The
 * writer only ever appends. A segment that is damaged costs itself alone: its
 * header says where the next one begins; where that is damaged, too, the next
 * one is found by its magic and its checksum. All integers are in the byte order
 * of the machine that recorded; @endian says which.
 */
#ifndef COROPROF_CPROF_H
#define COROPROF_CPROF_H

#include <stdint.h>

#define CPROF_MAGIC	"\x89" "CPROF\r\n"
#define CPROF_MAGIC_SIZE	8	/* without the NUL */
#define CPROF_VERSION	3
#define CPROF_ENDIAN	0x01020304u

/**
 * struct cprof_header - the first bytes of a file
 * @magic:   CPROF_MAGIC, without its NUL
 * @endian:  CPROF_ENDIAN
 * @version: CPROF_VERSION; a reader refuses a version it does not know
 * @size:    bytes of this header; segments start there
 * @crc:     crc32 (zlib's) of the bytes before it
 */
struct cprof_header {
	char magic[CPROF_MAGIC_SIZE];
	uint32_t endian;
	uint32_t version;
	uint32_t size;
	uint32_t crc;
};

#define CPROF_SEGMENT_MAGIC	0x47455343u	/* "CSEG" in little endian */

/* The largest payload a writer makes and a reader accepts, stored or not. */
#define CPROF_PAYLOAD_MAX	(16u << 20)

/**
 * struct cprof_segment - what precedes each payload
 * @magic:       CPROF_SEGMENT_MAGIC
 * @type:        CPROF_SEGMENT_*; a reader skips what it does not know
 * @flags:       CPROF_FLAG_*
 * @stored_size: bytes of payload in the file; the next segment starts after
 *               them, rounded up to 8 with zeroes
 * @size:        bytes of payload once unpacked
 * @payload_sum: payload_sum() of the stored payload, see cprof/sum.h
 * @channel_id:  of RING and SAMPLES: whose ring; else 0
 * @first_time:  of RING and SAMPLES: time of the first record; else 0
 * @last_time:   likewise of the last record
 * @records:     likewise: how many records
 * @header_crc:  crc32 of this header before this member
 */
struct cprof_segment {
	uint32_t magic;
	uint16_t type;
	uint16_t flags;
	uint32_t stored_size;
	uint32_t size;
	uint32_t payload_sum;
	uint32_t channel_id;
	uint64_t first_time;
	uint64_t last_time;
	uint32_t records;
	uint32_t header_crc;
};

/* The payload is stored as one zstd frame. */
#define CPROF_FLAG_ZSTD		(1u << 0)
/* The payload is records of a RING, stored by column: struct cprof_columns. Not both. */
#define CPROF_FLAG_COLUMNS	(1u << 1)
#define CPROF_FLAGS		(CPROF_FLAG_ZSTD | CPROF_FLAG_COLUMNS)

/*
 * Payloads.
 *
 * INFO      "key\0value\0" pairs, text. Keys: tool, command, note (what the
 *           user has to say of the recording, only if something), host, kernel,
 *           arch, cpus, page_size, boot_id, clock_monotonic_ns and
 *           clock_realtime_ns (read together), abi_level, pmu (names from
 *           /sys/bus/event_source/devices, comma separated), hypervisor
 *           ("yes", only on a virtual machine), simulated (name of a
 *           simulated PMU, only if there is one), uid. What decides whether
 *           threads can switch from user mode, each only if the machine has it:
 *           perf_event_paranoid, perf_event_mlock_kb, perf_user_access (of
 *           /proc/sys/kernel), rdpmc (of the CPU's PMU), cpu_pmu_types
 *           (perf_event_attr.type of these, comma separated). What operations
 *           cost, as measured when the recording began, decimal, each only if it
 *           could be: switch_ns, switch_instructions (by ioctl), span_ns,
 *           span_instructions (a span's begin and end, by ioctl), and from user
 *           mode switch_user_ns, switch_user_instructions, span_user_ns,
 *           span_user_instructions, which are those in user mode alone; join_ns,
 *           join_user_ns (a thread that begins and ends being recorded), ring_ns (in
 *           addition, one for which no ring is ready), birth_ns
 *           (a coroutine's, without its switches), and with probes probe_ns and
 *           probe_birth_ns. With samples: sample_event, sample_period or
 *           sample_frequency, sample_stack_max, and sample_note (why it is not
 *           the usual event, only if it is not). missing: what is
 *           not recorded, and why. totals ("yes", only if so): no slices were
 *           recorded, but totals. torn.N: what was wrong in the
 *           ring of channel N, of which nothing more was read. Of a recording that keeps
 *           only the last seconds: kept_from (CLOCK_MONOTONIC: of each thread there is all
 *           that ended since then, slices whole), kept_ns (so much was to be kept, decimal);
 *           of one that was written while the recording went on: dumped (why), of a slice
 *           for which: dumped_channel, dumped_process, dumped_id, dumped_begin, dumped_ns
 *           and dumped_figure (held, blocked, ready, running, IPC; program: it asked for it),
 *           and dumped_beside (for so many conditions that were met none was written).
 *           Several INFO segments add up; a later value replaces an earlier one.
 * COUNTERS  for each counter of the session: struct coroprof_counter, then its
 *           name, NUL terminated and padded to a multiple of 8.
 * STREAM    bytes of read() on the session: whole records.
 * RING      whole records of one channel's ring. The records of CHANNEL_LAST
 *           follow as one more of them.
 * STATUS    struct coroprof_channel_status, one or more, full size.
 * MAPS      struct cprof_maps, then entries: struct cprof_map, path, NUL
 *           padded to a multiple of 8.
 * END       struct cprof_end: the recording was ended in order.
 * SAMPLES   as RING, of one channel's ring of samples.
 * TOTALS    of a session of totals, at its end: struct cprof_totals, then slots of one
 *           process as they were, struct coroprof_slot, those that the recording has
 *           changed. Of COROPROF_ID_ENDED only what they have grown since it began,
 *           @tag too. A process may have several. INFO then has the key totals.
 * CPU       struct cprof_cpu, one or more: what processes have used of the CPUs. A later
 *           one of the same process replaces.
 * BASE      of a recording that keeps only the last seconds: struct coroprof_channel_status, one
 *           or more, full size: what the totals of channels were where their records begin.
 *           STATUS less BASE is what the records add up to. Of a channel without BASE they begin
 *           with its recording. INFO then has the key kept_from, and the last record of a
 *           channel that goes on is the last that its STATUS has.
 * COROUTINES likewise: struct cprof_coroutines, then struct cprof_coroutine: coroutines of one
 *           process that were there when the records begin. A process may have several.
 * INDEX     where each segment before it is: struct cprof_index_entry, then one
 *           struct cprof_trailer, which is the end of the file. It is there when
 *           the recording was ended in order, is not packed, and spares a
 *           reader the way along all segments.
 */
#define CPROF_NOTE_MAX		1000	/* bytes of a note */

#define CPROF_SEGMENT_INFO	1
#define CPROF_SEGMENT_COUNTERS	2
#define CPROF_SEGMENT_STREAM	3
#define CPROF_SEGMENT_RING	4
#define CPROF_SEGMENT_STATUS	5
#define CPROF_SEGMENT_MAPS	6
#define CPROF_SEGMENT_END	7
#define CPROF_SEGMENT_SAMPLES	8
#define CPROF_SEGMENT_INDEX	9
#define CPROF_SEGMENT_TOTALS	10
#define CPROF_SEGMENT_CPU	11
#define CPROF_SEGMENT_BASE	12
#define CPROF_SEGMENT_COROUTINES	13

/**
 * struct cprof_index_entry - one segment
 * @offset: where in the file its header is
 * @header: the same as there, but for its magic, which is 0: whoever searches a
 *          file for headers is not to find these
 */
struct cprof_index_entry {
	uint64_t offset;
	struct cprof_segment header;
};

#define CPROF_TRAILER_MAGIC	0x58444943u	/* "CIDX" in little endian */

/**
 * struct cprof_trailer - the end of a file that has an index
 * @index: where in the file the header of the INDEX segment is
 * @magic: CPROF_TRAILER_MAGIC
 * @crc:   crc32 of the bytes of this struct before this member
 */
struct cprof_trailer {
	uint64_t index;
	uint32_t magic;
	uint32_t crc;
};

/*
 * Records stored by column
 *
 * struct cprof_columns, then its kinds, then its labels, then the columns one
 * behind the other. Each figure of a record is in the column of its meaning; a
 * figure that follows from records before it is in none. Only segments of which
 * each record is a SLICE, SPAN or LOST of exactly the size that its type, its
 * flags and the counters make, with nothing in its reserved members, are stored
 * so.
 *
 * A column is groups of at most CPROF_GROUP numbers. A column of nothing but zeroes
 * has no bytes. A group is struct cprof_group, and then
 *
 *   base        8 bytes, with CPROF_GROUP_BASE: what is to be added to all numbers
 *   words       vectors of four 32-bit integers. Number n is in integer n % 4 of
 *               them: read as one long integer, the first vector being the lowest,
 *               its bits begin at n / 4 * width. No more vectors than are needed
 *   exceptions  for each one byte, which number of the group has more bits than
 *               width; then for each what it has more: the number shifted right by
 *               width, in as many bytes as more says
 *
 * KIND has the number of its kind for each record, in order. The other figures
 * follow in this order. Those with a * are there if the kind says so
 * (CPROF_STORED_*), those with a + if the flags of the kind do:
 *
 *   TIME        less the time of the record before
 * of a SLICE or SPAN:
 *   SLOT        * else it is the slot that followed last on the slot of the
 *               SLICE or SPAN before
 *   ID          * rotated left by one bit; else it is the last one of that slot
 *   LABEL       of a SLICE with ID and of every SPAN: which of the labels of the
 *               segment; else it is the last one of a SLICE of that slot
 *   DURATION    * else it began at the time of the SLICE before
 * of a SLICE:
 *   PREEMPTED   *, BLOCKED *; each 0 if not
 *   TIMES       * nr_preempted, then nr_blocked; else each is 1 if the time for
 *               it is stored, and 0 if not
 * of a SPAN:
 *   DEPTH, and OFF: how much less than its duration it ran
 * of both:
 *   COUNT + n   less what is predicted, the sign moved to the lowest bit (zigzag)
 *   PARENT      + rotated, and TAG
 *   WAKE        + when it began, less wake_time
 *   WAKER       * rotated; else it is the last one
 *   MISSING     + missing_ns of each counter
 * of LOST:
 *   LOST        spans, then full
 *
 * "That slot" is the slot modulo CPROF_SLOTS. What the first record of a segment
 * follows is all zero. Sums and differences are modulo 2^64.
 *
 * Count 0 is predicted from the running time, the others from count 0: the lower
 * 32 bits of what it is predicted from, times the rate of the counter and the
 * label, shifted right by CPROF_RATE_SHIFT.
 */
enum cprof_column {
	CPROF_COLUMN_KIND,
	CPROF_COLUMN_TIME,
	CPROF_COLUMN_SLOT,
	CPROF_COLUMN_ID,
	CPROF_COLUMN_LABEL,
	CPROF_COLUMN_DURATION,
	CPROF_COLUMN_PREEMPTED,
	CPROF_COLUMN_BLOCKED,
	CPROF_COLUMN_TIMES,
	CPROF_COLUMN_DEPTH,
	CPROF_COLUMN_OFF,
	CPROF_COLUMN_COUNT,
	CPROF_COLUMN_PARENT = CPROF_COLUMN_COUNT + 8,
	CPROF_COLUMN_TAG,
	CPROF_COLUMN_WAKE,
	CPROF_COLUMN_WAKER,
	CPROF_COLUMN_MISSING,
	CPROF_COLUMN_LOST,
	CPROF_COLUMNS,
};

#define CPROF_GROUP		128u
#define CPROF_SLOTS		1024u
#define CPROF_KINDS_MAX		255u
#define CPROF_RATE_SHIFT	20

/**
 * struct cprof_columns - the beginning of records stored by column
 * @records:     how many there are
 * @nr_kinds:    of how many kinds, at most CPROF_KINDS_MAX
 * @nr_labels:   how many labels they have
 * @nr_counters: how many counters
 * @nr_columns:  CPROF_COLUMNS
 * @size:        bytes of each column
 */
struct cprof_columns {
	uint32_t records;
	uint32_t nr_kinds;
	uint32_t nr_labels;
	uint16_t nr_counters;
	uint16_t nr_columns;
	uint32_t size[CPROF_COLUMNS];
};

/**
 * struct cprof_group - what precedes the numbers of a group
 * @width:      bits of each number in the words: 0 to 32
 * @nr:         how many numbers: 1 to CPROF_GROUP
 * @exceptions: how many of them have more bits
 * @more:       in how many bytes that is: 0 to 8, and CPROF_GROUP_BASE
 */
struct cprof_group {
	uint8_t width;
	uint8_t nr;
	uint8_t exceptions;
	uint8_t more;
};

#define CPROF_GROUP_BASE	(1u << 7)

#define CPROF_STORED_SLOT	(1u << 0)
#define CPROF_STORED_ID		(1u << 1)
#define CPROF_STORED_DURATION	(1u << 2)
#define CPROF_STORED_WAKER	(1u << 3)
#define CPROF_STORED_PREEMPTED	(1u << 4)
#define CPROF_STORED_BLOCKED	(1u << 5)
#define CPROF_STORED_TIMES	(1u << 6)

/**
 * struct cprof_kind - what records have in common
 * @type:     as in struct coroprof_record
 * @stored:   CPROF_STORED_*
 * @flags:    of SLICE and SPAN: as there, and
 * @standing: likewise; else both are 0
 */
struct cprof_kind {
	uint16_t type;
	uint16_t stored;
	uint16_t flags;
	uint16_t standing;
};

/**
 * struct cprof_label - a label of a segment
 * @label: as in struct coroprof_record_slice
 * @rate:  of each counter; only as many are stored as there are counters
 */
struct cprof_label {
	uint32_t label;
	uint32_t rate[8];
};

/**
 * struct cprof_maps - executable mappings of one process, at one time
 * @process_id: coroprof_record_process.process_id
 * @pid:        its pid
 * @time:       CLOCK_MONOTONIC; a later list for the same process replaces
 */
struct cprof_maps {
	uint32_t process_id;
	int32_t pid;
	uint64_t time;
};

/**
 * struct cprof_map - one executable mapping
 * @size:         bytes of the entry, path included
 * @path_len:     bytes of path, without NUL
 * @build_id_len: 0 for none found
 * @start:        address. The same as @end: @path is the root directory of the
 *                process, which is not the recorder's; "" if no path of the
 *                recorder leads there. It comes first, or not at all
 * @end:          address
 * @offset:       in the file
 */
struct cprof_map {
	uint32_t size;
	uint16_t path_len;
	uint16_t build_id_len;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint8_t build_id[32];
};

/**
 * struct cprof_totals - slots of one process
 * @process_id: coroprof_record_process.process_id
 * @slot_size:  bytes of each that follows: those of struct coroprof_slot, or more
 */
struct cprof_totals {
	uint32_t process_id;
	uint32_t slot_size;
};

/**
 * struct cprof_cpu - what one process has used of the CPUs, by the kernel's clock of it
 * @process_id: coroprof_record_process.process_id
 * @flags:      CPROF_CPU_*
 * @ns:         of all its threads, those that have ended too, while it was recorded
 * @threads:    how many were seen that were not recorded. One that lived between two
 *              looks is not among them
 * @reserved:   0
 */
struct cprof_cpu {
	uint32_t process_id;
	uint32_t flags;
	uint64_t ns;
	uint32_t threads;
	uint32_t reserved;
};

/* The process has ended since, and nobody knows what it used after that look. */
#define CPROF_CPU_AT_LEAST	(1u << 0)

/**
 * struct cprof_coroutines - coroutines of one process
 * @process_id: coroprof_record_process.process_id
 * @size:       bytes of each that follows: those of struct cprof_coroutine, or more
 */
struct cprof_coroutines {
	uint32_t process_id;
	uint32_t size;
};

/**
 * struct cprof_coroutine - one that began before the records do
 * @id:     as in struct coroprof_record_slice
 * @parent: as in struct coroprof_slice_fresh; with CPROF_COROUTINE_BORN
 * @tag:    likewise
 * @born:   when its first slice began; with CPROF_COROUTINE_BORN
 * @label:  its last one that the recorder has seen
 * @flags:  CPROF_COROUTINE_*
 */
struct cprof_coroutine {
	uint64_t id;
	uint64_t parent;
	uint64_t tag;
	uint64_t born;
	uint32_t label;
	uint32_t flags;
};

/* Its first slice was recorded, and is not among the records any more. */
#define CPROF_COROUTINE_BORN	(1u << 0)

/**
 * struct cprof_end - how the recording ended
 * @clock_monotonic_ns: when
 * @exit_status:        wait status of the command, or -1 when there was none
 * @reserved:           0
 */
struct cprof_end {
	uint64_t clock_monotonic_ns;
	int32_t exit_status;
	uint32_t reserved;
};

#endif /* COROPROF_CPROF_H */
