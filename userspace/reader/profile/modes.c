// SPDX-License-Identifier: GPL-2.0
/* Groups threads by how they switch and why, in words of explain/reason.h. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "explain/reason.h"
#include "profile/build.h"
#include "profile/info.h"
#include "profile/modes.h"

static uint32_t mode_row(struct build *b, uint16_t mode, uint16_t reason)
{
	struct model *m = b->model;
	uint32_t i;

	for (i = 0; i < m->nr_modes; i++)
		if (m->modes[i].mode == mode && m->modes[i].reason == reason)
			return i;
	if (!build_grow(b, &m->modes, i, sizeof(*m->modes)))
		return MODEL_NONE;
	m->modes[i] = (struct model_mode_row){ .mode = mode, .reason = reason };
	m->nr_modes++;
	return i;
}

static void count_threads_by_mode(struct build *b)
{
	struct model *m = b->model;

	for (uint32_t i = 0; i < m->nr_channels; i++) {
		struct model_channel *c = &m->channels[i];
		uint32_t row;

		if (c->mode == MODEL_MODE_UNKNOWN)
			continue;
		row = mode_row(b, c->mode, c->mode == COROPROF_MODE_USER ? 0 :
			       b->channels[i].reason);
		if (row == MODEL_NONE)
			return;
		m->modes[row].threads++;
	}
}

int mode_order(const struct model_mode_row *x, const struct model_mode_row *y)
{
	if (x->mode != y->mode)
		return x->mode < y->mode ? 1 : -1;
	if (x->threads != y->threads)
		return x->threads < y->threads ? 1 : -1;
	return (x->reason > y->reason) - (x->reason < y->reason);
}

static int compare_modes(const void *a, const void *b)
{
	return mode_order(a, b);
}

/* Sets in each channel which row of model.modes it is counted in. */
static void set_mode_rows(struct build *b)
{
	struct model *m = b->model;

	for (uint32_t i = 0; i < m->nr_channels; i++) {
		struct model_channel *c = &m->channels[i];

		c->mode_row = MODEL_NONE;
		for (uint32_t k = 0; k < m->nr_modes; k++)
			if (m->modes[k].mode == c->mode &&
			    (c->mode == COROPROF_MODE_USER ||
			     m->modes[k].reason == b->channels[i].reason))
				c->mode_row = k;
	}
}

/*
 * True if events of perf's @type are of no PMU of a CPU, as far as the recording lists the types of
 * these.
 */
static bool is_no_cpu_event(const struct model *m, uint32_t type)
{
	const char *types = info_value(m, "cpu_pmu_types");
	char *end;

	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
	    type == PERF_TYPE_RAW || type == COROPROF_TYPE_PROGRAM)
		return false;
	while (types && *types) {
		if (strtoul(types, &end, 10) == type)
			return false;
		types = *end == ',' ? end + 1 : "";
	}
	return true;
}

/*
 * Writes the names of the session's counters that can't be read from user mode, divided by commas,
 * or "".
 */
static void list_no_cpu_events(const struct model *m, char *names, size_t capacity)
{
	size_t used = 0;

	*names = '\0';
	for (uint32_t i = 0; i < m->nr_counters && used < capacity; i++)
		if (m->counters[i].in_session &&
		    is_no_cpu_event(m, m->counters[i].counter.type))
			used += (size_t)snprintf(names + used, capacity - used,
						 "%s%s", used ? "," : "",
						 m->counters[i].name);
}

/* Sets why threads in this row switch by ioctl: reason, finding and fix. */
static void explain_ioctl_mode(struct build *b, struct model_mode_row *row,
			       const struct reason_context *context)
{
	char text[REASON_SIZE];

	row->why = reason_mode(row->reason);
	if (reason_mode_found(text, row->reason, context))
		row->found = build_format(b, "%s", text);
	if (reason_mode_fix(text, row->reason, context))
		row->fix = build_format(b, "%s", text);
}

void modes_finish(struct build *b)
{
	struct model *m = b->model;
	struct reason_context context = {
		.arch = m->arch,
		.paranoid = info_value(m, "perf_event_paranoid"),
		.mlock_kb = info_value(m, "perf_event_mlock_kb"),
		.user_access = info_value(m, "perf_user_access"),
		.rdpmc = info_value(m, "rdpmc"),
	};
	char names[REASON_SIZE / 2];

	count_threads_by_mode(b);
	if (m->nr_modes)
		qsort(m->modes, m->nr_modes, sizeof(*m->modes), compare_modes);
	set_mode_rows(b);
	for (uint32_t i = 0; i < m->nr_counters; i++)
		context.nr_counters += m->counters[i].in_session;
	list_no_cpu_events(m, names, sizeof(names));
	context.not_of_cpu = names;
	for (uint32_t i = 0; i < m->nr_modes; i++)
		if (m->modes[i].mode == COROPROF_MODE_IOCTL)
			explain_ioctl_mode(b, &m->modes[i], &context);
}
