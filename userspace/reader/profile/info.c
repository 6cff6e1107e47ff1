// SPDX-License-Identifier: GPL-2.0
/*
 * Reads INFO, COUNTERS and END segments into members of the model. Texts of the recorder are made
 * printable first; unknown keys are kept for the table of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "events/events.h"
#include "explain/reason.h"
#include "profile/build.h"
#include "profile/counters.h"
#include "profile/damage.h"
#include "profile/info.h"
#include "profile/streams.h"

/* More keys than any recorder writes. */
#define INFO_MAX	256

/* Of keys that are about the ring of a channel, before its number. */
#define TRUNCATED		"torn."

static struct model_info *info_find(const struct model *m, const char *key)
{
	for (uint32_t i = 0; i < m->nr_info; i++)
		if (!strcmp(m->info[i].key, key))
			return &m->info[i];
	return NULL;
}

const char *info_value(const struct model *m, const char *key)
{
	const struct model_info *info = info_find(m, key);

	return info ? info->value : NULL;
}

/* Sets or replaces the value of a key. Owns both texts; either may be NULL. */
static void info_set(struct build *b, char *key, char *value)
{
	struct model *m = b->model;
	struct model_info *old = key ? info_find(m, key) : NULL;

	if (!key || !value)
		goto drop;
	if (old) {
		free(old->value);
		old->value = value;
		free(key);
		return;
	}
	if (m->nr_info == INFO_MAX ||
	    !build_grow(b, &m->info, m->nr_info, sizeof(*m->info)))
		goto drop;
	m->info[m->nr_info++] = (struct model_info){ key, value };
	return;
drop:
	free(key);
	free(value);
}

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && !*end;
}

/*
 * Notes a ring that the recorder reports as torn: @id is the text of its channel's number, @text
 * the reason.
 */
static void add_truncated_ring(struct build *b, uint64_t offset, const char *id,
			       const char *text, size_t len)
{
	struct build_truncated *truncated;
	uint64_t channel_id;

	if (b->nr_truncated == BUILD_CHANNELS_MAX || !parse_number(id, &channel_id) ||
	    channel_id > UINT32_MAX ||
	    !build_grow(b, &b->truncated, b->nr_truncated, sizeof(*b->truncated)))
		return;
	truncated = &b->truncated[b->nr_truncated++];
	truncated->offset = offset;
	truncated->channel_id = (uint32_t)channel_id;
	truncated->text = build_text(b, text, len);
}

void info_truncated(struct build *b)
{
	for (uint32_t i = 0; i < b->nr_truncated; i++)
		if (b->truncated[i].text)
			damage_add(b, b->truncated[i].offset,
				   channel_find(b, b->truncated[i].channel_id), "%s",
				   b->truncated[i].text);
}

void info_add(struct build *b, uint64_t offset, const char *payload,
	      size_t size)
{
	const char *key = payload, *end = payload + size;

	while (key < end) {
		size_t key_len = strnlen(key, (size_t)(end - key));
		const char *value = key + key_len + 1;
		size_t value_len;

		if (value >= end)
			return;
		value_len = strnlen(value, (size_t)(end - value));
		if (!strncmp(key, TRUNCATED, strlen(TRUNCATED)))
			add_truncated_ring(b, offset, key + strlen(TRUNCATED), value,
					   value_len);
		else
			info_set(b, build_text(b, key, key_len),
				 build_text(b, value, value_len));
		key = value + value_len + 1;
	}
}

void info_counters(struct build *b, uint64_t offset, const void *payload,
		   size_t size)
{
	const char *p = payload;
	size_t left = size;

	while (left >= sizeof(struct coroprof_counter) + 8) {
		struct coroprof_counter counter;
		size_t len;

		memcpy(&counter, p, sizeof(counter));
		p += sizeof(counter);
		left -= sizeof(counter);
		len = strnlen(p, left);
		if (len == left)
			break;
		counter_of_session(b, &counter, p, len);
		len = ALIGN8(len + 1);
		if (len > left)
			break;
		p += len;
		left -= len;
	}
	if (left)
		damage_add(b, offset, MODEL_NONE,
			   "the list of counters ends within an entry");
}

void info_end(struct build *b, const void *payload, size_t size)
{
	struct cprof_end end;

	b->model->ended = true;
	if (size < sizeof(end))
		return;
	memcpy(&end, payload, sizeof(end));
	b->model->exit_status = end.exit_status;
	b->end_ns = end.clock_monotonic_ns;
}

/* Linux names a machine without a name "(none)": NULL for that. */
static const char *host_name(const char *host)
{
	return host && strcmp(host, "(none)") ? host : NULL;
}

/*
 * True if the recording lists the PMUs of its machine, and none is a CPU's. Without a list nothing
 * is known, so false.
 */
static bool lacks_cpu_pmu(const char *pmus)
{
	char *list = pmus && *pmus ? strdup(pmus) : NULL;
	char *rest = list, *name;
	bool lacks = list != NULL;

	while (lacks && (name = strsep(&rest, ",")))
		lacks = !events_is_cpu_pmu(name);
	free(list);
	return lacks;
}

void info_finish(struct build *b)
{
	struct model *m = b->model;
	uint64_t cpus = 0, stack_max = 0, monotonic, realtime;

	m->command = info_value(m, "command");
	m->note = info_value(m, "note");
	m->host = host_name(info_value(m, "host"));
	m->kernel = info_value(m, "kernel");
	m->arch = info_value(m, "arch");
	m->pmu = info_value(m, "pmu");
	m->simulated = info_value(m, "simulated");
	m->missing = info_value(m, "missing");
	m->totals = info_value(m, "totals") != NULL;
	m->all_threads = info_value(m, "threads") != NULL;
	m->without_pmu = lacks_cpu_pmu(m->pmu);
	m->hypervisor = info_value(m, "hypervisor") != NULL;
	if (parse_number(info_value(m, "cpus"), &cpus) && cpus <= UINT32_MAX)
		m->cpus = (uint32_t)cpus;
	if (parse_number(info_value(m, "clock_monotonic_ns"), &monotonic) &&
	    parse_number(info_value(m, "clock_realtime_ns"), &realtime)) {
		m->realtime_known = true;
		m->realtime_offset_ns = (int64_t)(realtime - monotonic);
		m->clocks_ns = realtime;
	}
	m->sample_event = info_value(m, "sample_event");
	m->sampled = m->sample_event != NULL;
	m->sample_note = info_value(m, "sample_note");
	parse_number(info_value(m, "sample_period"), &m->sample_period);
	parse_number(info_value(m, "sample_frequency"), &m->sample_frequency);
	if (parse_number(info_value(m, "sample_stack_max"), &stack_max) && stack_max <= UINT32_MAX)
		m->sample_stack_max = (uint32_t)stack_max;
}
