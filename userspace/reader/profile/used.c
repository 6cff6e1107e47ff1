// SPDX-License-Identifier: GPL-2.0
/*
 * CPU time that processes used beside what was recorded: threads that never have a coroutine have
 * no slices. The kernel's clock of a process has all of its threads.
 */
#include <string.h>

#include "profile/build.h"
#include "profile/part.h"
#include "profile/used.h"

void used_add(struct build *b, const void *payload, size_t size)
{
	const char *p = payload;
	struct cprof_cpu cpu;

	for (; size >= sizeof(cpu); p += sizeof(cpu), size -= sizeof(cpu)) {
		uint32_t row;

		memcpy(&cpu, p, sizeof(cpu));
		row = index_get(&b->process_index, cpu.process_id, 0);
		if (row == INDEX_NONE)
			continue;
		b->processes[row].cpu = cpu;
		b->processes[row].has_cpu = true;
	}
}

/*
 * Sets the CPU time of processes, and how much of it no channel has. It is known of whole
 * recordings only.
 */
void used_finish(struct build *b)
{
	struct model *m = b->model;

	for (uint32_t i = 0; i < m->nr_processes && !is_part(b); i++) {
		const struct build_process *bp = &b->processes[i];
		struct model_process *p = &m->processes[i];

		if (!bp->has_cpu)
			continue;
		p->cpu.known = bp->cpu.flags & CPROF_CPU_AT_LEAST ? MODEL_AT_LEAST : MODEL_EXACT;
		p->cpu.ns = bp->cpu.ns;
		p->unrecorded = p->cpu;
		p->others = bp->cpu.threads;
	}
	/* Threads that could not be recorded are in no slice, either. */
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		struct model_ns *left = &m->processes[m->channels[i].process].unrecorded;
		const struct build_channel *bc = &b->channels[i];

		if (!bc->has_status)
			*left = (struct model_ns){ MODEL_NA, 0 };
		else if (left->ns > bc->status.running_ns)
			left->ns -= bc->status.running_ns;
		else
			left->ns = 0;
	}
}
