// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps the processes of a session: reads maps when code has changed, clocks at intervals, and what
 * is detected of those that record nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cprof/format.h"
#include "explain/detection.h"
#include "record/processes.h"
#include "record/used.h"

/* Reading the mappings of a process holds up its mmap() calls. */
#define MAPS_INTERVAL_NS	250000000ull

/* A thread that lives shorter may not be seen. */
#define LOOK_INTERVAL_NS	250000000ull

/**
 * struct process - one process
 * @id:       its number
 * @pid:      its pid, 0 for none here
 * @comm:     its name
 * @recorded: a thread of it is
 * @touched:  its mappings may have changed
 * @maps_at:  when they were read last
 * @maps_crc: of what was written last
 * @used:     what it has used of the CPUs
 */
struct process {
	__u32 id;
	pid_t pid;
	char comm[17];
	bool recorded;
	bool touched;
	uint64_t maps_at;
	uLong maps_crc;
	struct used used;
};

static struct process *find_process(struct processes *ps, __u32 id)
{
	for (size_t i = 0; i < ps->nr; i++) {
		if (ps->all[i].id == id)
			return &ps->all[i];
	}
	return NULL;
}

static int reserve_process(struct processes *ps, struct error *err)
{
	size_t capacity = ps->capacity ? 2 * ps->capacity : 8;
	void *all;

	if (ps->nr < ps->capacity)
		return 0;
	all = reallocarray(ps->all, capacity, sizeof(*ps->all));
	if (!all)
		return error_set(err, ENOMEM, "out of memory for %zu processes",
				 capacity);
	ps->all = all;
	ps->capacity = capacity;
	return 0;
}

static int write_maps(struct processes *ps, struct process *p,
		      struct error *err)
{
	const size_t header = sizeof(struct cprof_maps);
	struct error why;
	uLong crc;

	p->touched = false;
	p->maps_at = monotonic_ns();
	/* It may be gone by now, or be another user's: then there are none. */
	if (maps_read(&ps->payload, p->id, p->pid, &ps->ids, &why))
		return 0;
	crc = crc32(0, (void *)(ps->payload.data + header),
		    (uInt)(ps->payload.size - header));
	if (crc == p->maps_crc)
		return 0;
	p->maps_crc = crc;
	return writer_segment(ps->writer, CPROF_SEGMENT_MAPS, ps->payload.data,
			      ps->payload.size, err);
}

void processes_start(struct processes *ps)
{
	ps->since = used_ticks();
}

/* Remembers the CPU time in ns that the process had used by now. */
static void note_clock(struct processes *ps, pid_t pid, uint64_t ns)
{
	ps->earlier[ps->nr_earlier++ % EARLIER_MAX] = (struct earlier){ pid, ns };
}

void processes_expect(struct processes *ps, pid_t pid)
{
	uint64_t ns;

	if (used_clock(pid, &ns))
		note_clock(ps, pid, ns);
}

/*
 * The CPU time in ns that a process had used before it was recorded; UINT64_MAX if that is not
 * known. A process that executes another program keeps its clock, and is a new process here.
 */
static uint64_t clock_at_begin(const struct processes *ps, pid_t pid)
{
	uint64_t now, began;

	for (size_t i = 0; i < ps->nr; i++)
		if (ps->all[i].used.pid == pid && used_clock(pid, &now))
			return now;
	for (unsigned int i = ps->nr_earlier; i && ps->nr_earlier - i < EARLIER_MAX; i--) {
		const struct earlier *e = &ps->earlier[(i - 1) % EARLIER_MAX];

		if (e->pid == pid)
			return e->ns;
	}
	return used_began(pid, &began) && began < ps->since ? UINT64_MAX : 0;
}

int processes_begin(struct processes *ps,
		    const struct coroprof_record_process *record,
		    struct error *err)
{
	struct process *p;
	uint64_t earlier;
	int ret = reserve_process(ps, err);

	if (ret)
		return ret;
	earlier = clock_at_begin(ps, record->pid);
	p = &ps->all[ps->nr++];
	*p = (struct process){ .id = record->process_id, .pid = record->pid };
	memcpy(p->comm, record->comm, sizeof(record->comm));
	ps->seen++;
	if (p->pid <= 0)
		return 0;
	/* At once: it may not live long. */
	used_begin(&p->used, p->pid, earlier);
	executables_add(&ps->executables, p->pid);
	return write_maps(ps, p, err);
}

static int write_used(struct processes *ps, const struct process *p, uint32_t flags,
		      struct error *err)
{
	struct cprof_cpu cpu;

	if (!used_report(&p->used, p->id, &cpu))
		return 0;
	cpu.flags = flags;
	return writer_segment(ps->writer, CPROF_SEGMENT_CPU, &cpu, sizeof(cpu), err);
}

void processes_look(struct processes *ps, bool now)
{
	uint64_t time = monotonic_ns();

	if (!now && time - ps->looked_at < LOOK_INTERVAL_NS)
		return;
	ps->looked_at = time;
	for (size_t i = 0; i < ps->nr; i++)
		used_look(&ps->all[i].used);
}

int processes_write_used(struct processes *ps, struct error *err)
{
	int ret = 0;

	processes_look(ps, true);
	for (size_t i = 0; !ret && i < ps->nr; i++)
		ret = write_used(ps, &ps->all[i], 0, err);
	return ret;
}

/*
 * PROCESS_END comes when the last thread of the process is about to end, or when it executes
 * another program: its clock can be read then, unless the process is gone already.
 */
int processes_end(struct processes *ps, __u32 id, struct error *err)
{
	struct process *p = find_process(ps, id);
	uint64_t now;
	bool whole;
	int ret;

	if (!p)
		return 0;
	whole = p->used.ended || used_clock(p->pid, &now);
	used_look(&p->used);
	if (p->used.known)
		note_clock(ps, p->pid, p->used.ns);
	ret = write_used(ps, p, whole ? 0 : CPROF_CPU_AT_LEAST, err);
	used_free(&p->used);
	*p = ps->all[--ps->nr];
	return ret;
}

void processes_touch(struct processes *ps, __u32 id)
{
	struct process *p = find_process(ps, id);

	if (p)
		p->touched = true;
}

static void clear_detections_of_recorded(const struct processes *ps, const struct process *p)
{
	if (p->recorded && p->pid > 0)
		detections_forget(ps->detections, p->pid);
}

/*
 * Looks at the process while it lives, so that its executable is known as one that needs no
 * explanation.
 */
static void detect_recorded_process(struct processes *ps, const struct process *p)
{
	if (p->pid > 0)
		detect_process(ps->detections, p->pid);
	clear_detections_of_recorded(ps, p);
}

void processes_recorded(struct processes *ps, __u32 id, pid_t tid)
{
	struct process *p = find_process(ps, id);

	if (p)
		used_recorded(&p->used, tid);
	if (!p || p->recorded)
		return;
	p->recorded = true;
	detect_recorded_process(ps, p);
}

void processes_report(const struct processes *ps)
{
	for (size_t i = 0; i < ps->nr; i++)
		clear_detections_of_recorded(ps, &ps->all[i]);
}

int processes_write_maps(struct processes *ps, bool last, struct error *err)
{
	uint64_t now = monotonic_ns();
	int ret = 0;

	for (size_t i = 0; !ret && i < ps->nr; i++) {
		struct process *p = &ps->all[i];

		if (p->pid > 0 && (last || (p->touched &&
		    now - p->maps_at >= MAPS_INTERVAL_NS)))
			ret = write_maps(ps, p, err);
	}
	return ret;
}

void processes_name(struct processes *ps, __u32 id, char *text, size_t capacity)
{
	const struct process *p = find_process(ps, id);

	text[0] = '\0';
	if (p)
		snprintf(text, capacity, "%d (%s)", p->pid, p->comm);
}

void processes_list(const struct processes *ps, char *text, size_t capacity)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < ps->nr && used < capacity; i++) {
		if (i == 5) {
			snprintf(text + used, capacity - used, " and %zu more",
				 ps->nr - i);
			return;
		}
		used += (size_t)snprintf(text + used, capacity - used,
					 "%spid %d (%s)", i ? ", " : "",
					 ps->all[i].pid, ps->all[i].comm);
	}
}

void processes_free(struct processes *ps)
{
	for (size_t i = 0; i < ps->nr; i++)
		used_free(&ps->all[i].used);
	free(ps->all);
	build_ids_free(&ps->ids);
	buffer_free(&ps->payload);
	ps->all = NULL;
	ps->nr = 0;
}
