// SPDX-License-Identifier: GPL-2.0
/*
 * Writes INFO and COUNTERS segments: command, machine, limits, costs, clocks. Keys are those of
 * cprof/format.h.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/describe.h"

int describe_add(struct buffer *payload, const char *key, struct error *err,
	     const char *format, ...)
{
	char *value;
	va_list args;
	int n, ret;

	va_start(args, format);
	n = vasprintf(&value, format, args);
	va_end(args);
	if (n < 0)
		return error_set(err, ENOMEM, "out of memory");
	ret = buffer_append(payload, key, strlen(key) + 1, err);
	if (!ret)
		ret = buffer_append(payload, value, (size_t)n + 1, err);
	free(value);
	return ret;
}

static bool needs_quotes(const char *word)
{
	return !*word || strpbrk(word, " \t\n'\"\\$`*?[]{}()<>|&;#~!");
}

/* Quotes a word as one would type it into a shell. */
static int append_quoted_word(struct buffer *b, const char *word, struct error *err)
{
	bool quote = needs_quotes(word);
	int ret = 0;

	if (!quote)
		return buffer_append(b, word, strlen(word), err);
	ret = buffer_append(b, "'", 1, err);
	for (; !ret && *word; word++)
		ret = *word == '\'' ? buffer_append(b, "'\\''", 4, err) :
				      buffer_append(b, word, 1, err);
	return ret ? ret : buffer_append(b, "'", 1, err);
}

static int add_command(struct buffer *payload, const struct record_options *o,
		       struct error *err)
{
	int ret;

	ret = buffer_append(payload, "command", sizeof("command"), err);
	for (char **word = o->command; !ret && word && *word; word++) {
		if (word != o->command)
			ret = buffer_append(payload, " ", 1, err);
		if (!ret)
			ret = append_quoted_word(payload, *word, err);
	}
	for (unsigned int i = 0; !ret && i < o->nr_pids; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%s%d", i ? "," : "-p ",
			 o->pids[i]);
		ret = buffer_append(payload, text, strlen(text), err);
	}
	return ret ? ret : buffer_append(payload, "", 1, err);
}

static uint64_t timespec_ns(struct timespec ts)
{
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/*
 * Writes CLOCK_REALTIME and CLOCK_MONOTONIC of one moment: of the latter, the middle between
 * readings before and after.
 */
int describe_clocks(struct buffer *payload, struct error *err)
{
	struct timespec before, realtime, after;
	uint64_t monotonic;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &before);
	clock_gettime(CLOCK_REALTIME, &realtime);
	clock_gettime(CLOCK_MONOTONIC, &after);
	monotonic = timespec_ns(before) + (timespec_ns(after) - timespec_ns(before)) / 2;
	ret = describe_add(payload, "clock_monotonic_ns", err, "%llu",
		       (unsigned long long)monotonic);
	return ret ? ret : describe_add(payload, "clock_realtime_ns", err, "%llu",
				    (unsigned long long)timespec_ns(realtime));
}

static int add_machine(struct buffer *payload, const struct machine *m,
		       struct error *err)
{
	char boot_id[64];
	int ret;

	ret = describe_add(payload, "host", err, "%s", m->uts.nodename);
	if (!ret)
		ret = describe_add(payload, "kernel", err, "%s", m->uts.release);
	if (!ret)
		ret = describe_add(payload, "arch", err, "%s", m->uts.machine);
	if (!ret)
		ret = describe_add(payload, "cpus", err, "%ld",
			       sysconf(_SC_NPROCESSORS_ONLN));
	if (!ret)
		ret = describe_add(payload, "page_size", err, "%ld",
			       sysconf(_SC_PAGESIZE));
	if (!ret && read_text("/proc/sys/kernel/random/boot_id", boot_id,
			      sizeof(boot_id)))
		ret = describe_add(payload, "boot_id", err, "%s", boot_id);
	if (!ret)
		ret = describe_add(payload, "pmu", err, "%s", m->all_pmus);
	if (!ret && m->hypervisor)
		ret = describe_add(payload, "hypervisor", err, "yes");
	if (!ret && m->simulated)
		ret = describe_add(payload, "simulated", err, "%s", SIMULATED_PMU);
	return ret;
}

/* Adds the settings of the machine that decide how threads can switch. */
static int add_limits(struct buffer *payload, const struct machine *m,
		      struct error *err)
{
	const char *const limits[][2] = {
		{ "perf_event_paranoid", m->paranoid },
		{ "perf_event_mlock_kb", m->mlock_kb },
		{ "perf_user_access", m->user_access },
		{ "rdpmc", m->rdpmc },
		{ "cpu_pmu_types", m->cpu_pmu_types },
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(limits); i++)
		if (*limits[i][1])
			ret = describe_add(payload, limits[i][0], err, "%s",
					   limits[i][1]);
	return ret;
}

int describe_recording(struct buffer *payload, const struct record_options *options,
	      const struct machine *machine, unsigned int abi_level,
	      struct error *err)
{
	int ret;

	ret = describe_add(payload, "tool", err, "coroprof-read %s",
		       COROPROF_VERSION);
	if (!ret)
		ret = add_command(payload, options, err);
	if (!ret && options->totals)
		ret = describe_add(payload, "totals", err, "yes");
	if (!ret && options->threads)
		ret = describe_add(payload, "threads", err, "from their begin");
	if (!ret && options->note)
		ret = describe_add(payload, "note", err, "%s", options->note);
	if (!ret)
		ret = add_machine(payload, machine, err);
	if (!ret)
		ret = add_limits(payload, machine, err);
	if (!ret)
		ret = describe_clocks(payload, err);
	if (!ret)
		ret = describe_add(payload, "abi_level", err, "%u", abi_level);
	return ret ? ret : describe_add(payload, "uid", err, "%u", getuid());
}

static int add_cost(struct buffer *payload, const char *what,
		    const struct calibration_cost *cost, struct error *err)
{
	char key[64];
	int ret = 0;

	snprintf(key, sizeof(key), "%s_ns", what);
	if (cost->ns >= 0)
		ret = describe_add(payload, key, err, "%.1f", cost->ns);
	snprintf(key, sizeof(key), "%s_instructions", what);
	if (!ret && cost->instructions >= 0)
		ret = describe_add(payload, key, err, "%.1f",
				   cost->instructions);
	return ret;
}

int describe_cost(struct buffer *payload, const struct calibration *c,
		  struct error *err)
{
	int ret;

	ret = add_cost(payload, "switch", &c->cost[COROPROF_MODE_IOCTL], err);
	if (!ret)
		ret = add_cost(payload, "switch_user",
			       &c->cost[COROPROF_MODE_USER], err);
	if (!ret)
		ret = add_cost(payload, "span",
			       &c->span_cost[COROPROF_MODE_IOCTL], err);
	if (!ret)
		ret = add_cost(payload, "span_user",
			       &c->span_cost[COROPROF_MODE_USER], err);
	if (!ret)
		ret = add_cost(payload, "birth", &c->birth_cost, err);
	if (!ret)
		ret = add_cost(payload, "join", &c->join_cost[COROPROF_MODE_IOCTL], err);
	if (!ret)
		ret = add_cost(payload, "ring", &c->ring_cost, err);
	return ret ? ret : add_cost(payload, "join_user",
				    &c->join_cost[COROPROF_MODE_USER], err);
}

int describe_probes(struct buffer *payload, const struct calibration *c, struct error *err)
{
	int ret = add_cost(payload, "probe", &c->probe_cost, err);

	return ret ? ret : add_cost(payload, "probe_birth", &c->probe_birth_cost, err);
}

int describe_sampling(struct buffer *payload, const struct sampling *s,
		      const char *note, struct error *err)
{
	int ret;

	if (!s->period && !s->frequency)
		return 0;
	ret = describe_add(payload, "sample_event", err, "%s", s->event.name);
	if (!ret && s->period)
		ret = describe_add(payload, "sample_period", err, "%llu",
				   (unsigned long long)s->period);
	else if (!ret)
		ret = describe_add(payload, "sample_frequency", err, "%u",
				   s->frequency);
	if (!ret)
		ret = describe_add(payload, "sample_stack_max", err, "%u",
				   s->stack_max);
	if (!ret && *note)
		ret = describe_add(payload, "sample_note", err, "%s", note);
	return ret;
}

int describe_counters(struct buffer *payload, const struct event *events,
		  unsigned int nr, struct error *err)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < nr; i++) {
		ret = buffer_append(payload, &events[i].counter,
				    sizeof(events[i].counter), err);
		if (!ret)
			ret = buffer_append(payload, events[i].name,
					    strlen(events[i].name) + 1, err);
		if (!ret)
			ret = buffer_pad(payload, err);
	}
	return ret;
}
