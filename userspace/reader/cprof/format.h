/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The .cprof file: what a session gave, as it gave it, with what is needed to
 * understand it on another machine. cprof(5) describes it for users.
 *
 * A file is one header and then segments, each with its own checksums. The
 * writer only ever appends, so a file that ends early or is damaged is good up
 * to the first segment whose checksum does not match. All integers are in the
 * byte order of the machine that recorded; @endian tells which.
 */
#ifndef COROPROF_CPROF_H
#define COROPROF_CPROF_H

#include <stdint.h>

#define CPROF_MAGIC	"\x89" "CPROF\r\n"
#define CPROF_VERSION	2
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
	char magic[8];
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
 * @flags:       CPROF_FLAG_ZSTD: the payload is zstd frames, one after the other
 * @stored_size: bytes of payload in the file; the next segment starts after
 *               them, rounded up to 8 with zeroes
 * @size:        bytes of payload once unpacked
 * @payload_crc: crc32 of the stored payload
 * @header_crc:  crc32 of this header before this member
 */
struct cprof_segment {
	uint32_t magic;
	uint16_t type;
	uint16_t flags;
	uint32_t stored_size;
	uint32_t size;
	uint32_t payload_crc;
	uint32_t header_crc;
};

#define CPROF_FLAG_ZSTD		1u

/*
 * Payloads.
 *
 * INFO      "key\0value\0" pairs, text. Keys: tool, command, host, kernel,
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
 *           span_user_instructions, which are those in user mode alone. With samples: sample_event, sample_period or
 *           sample_frequency, sample_stack_max, and sample_note (why it is not
 *           the usual event, only if it is not). torn.N: what was wrong in the
 *           ring of channel N, of which nothing more was read. Several INFO
 *           segments add up; a later value replaces an earlier one.
 * COUNTERS  for each counter of the session: struct coroprof_counter, then its
 *           name, NUL terminated and padded to a multiple of 8.
 * STREAM    bytes of read() on the session: whole records.
 * RING      struct cprof_ring, then whole records of one channel's ring. When
 *           packed, the struct is a frame of its own: whose ring it is can be
 *           seen without unpacking it. A reader must not rely on it. The
 *           records of CHANNEL_LAST follow as one more of them.
 * STATUS    struct coroprof_channel_status, one or more, full size.
 * MAPS      struct cprof_maps, then entries: struct cprof_map, path, NUL
 *           padded to a multiple of 8.
 * END       struct cprof_end: the recording was ended in order.
 * SAMPLES   as RING, of one channel's ring of samples.
 */
#define CPROF_SEGMENT_INFO	1
#define CPROF_SEGMENT_COUNTERS	2
#define CPROF_SEGMENT_STREAM	3
#define CPROF_SEGMENT_RING	4
#define CPROF_SEGMENT_STATUS	5
#define CPROF_SEGMENT_MAPS	6
#define CPROF_SEGMENT_END	7
#define CPROF_SEGMENT_SAMPLES	8

struct cprof_ring {
	uint32_t channel_id;
	uint32_t reserved;
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
 * @start:        address
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
