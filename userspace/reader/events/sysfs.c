// SPDX-License-Identifier: GPL-2.0
/*
 * Events that a PMU describes in sysfs: PMU/type is its number, PMU/events/NAME
 * holds terms such as "event=0x3c,umask=0x1", and PMU/format/TERM says which
 * bits of which config word a term fills, such as "config:0-7,32-35".
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "events/events.h"

#define TERMS_MAX	512

const char *events_pmu_root = "/sys/bus/event_source/devices";

static bool read_pmu_file(const char *pmu, const char *folder, const char *name,
			  char *text, size_t capacity)
{
	char path[PATH_MAX];
	int n;

	n = snprintf(path, sizeof(path), "%s/%s/%s%s%s", events_pmu_root, pmu,
		     folder, *folder ? "/" : "", name);
	return n < (int)sizeof(path) && read_text(path, text, capacity);
}

/* A name becomes a part of a path, so it must not lead into another folder. */
static bool is_file_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* The member of @counter that a format names: "config", "config1", "config2". */
static __u64 *config_word(struct coroprof_counter *counter, const char *word,
			  size_t len)
{
	if (len == 6 && !strncmp(word, "config", len))
		return &counter->config;
	if (len == 7 && !strncmp(word, "config1", len))
		return &counter->config1;
	if (len == 7 && !strncmp(word, "config2", len))
		return &counter->config2;
	return NULL;
}

/* Spreads @value, lowest bit first, over bit ranges such as "0-7,32-35". */
static bool fill_bits(__u64 *word, const char *ranges, __u64 value)
{
	while (*ranges) {
		char *end;
		unsigned long first = strtoul(ranges, &end, 10), last = first;

		if (end == ranges)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (last > 63 || first > last || (*end && *end != ','))
			return false;
		for (; first <= last; first++, value >>= 1)
			*word = (*word & ~(1ULL << first)) |
				(value & 1) << first;
		ranges = *end ? end + 1 : end;
	}
	return value == 0;
}

static int set_term(struct coroprof_counter *counter, const char *pmu,
		    const char *name, __u64 value, struct error *err)
{
	__u64 *word = config_word(counter, name, strlen(name));
	char format[128];
	char *colon;

	if (word) {
		*word = value;
		return 0;
	}
	if (!is_file_name(name) ||
	    !read_pmu_file(pmu, "format", name, format, sizeof(format)))
		return error_set(err, EINVAL, "PMU %s has no event or term '%s'; see `ls %s/%s/events %s/%s/format`",
				 pmu, name, events_pmu_root, pmu,
				 events_pmu_root, pmu);
	colon = strchr(format, ':');
	word = colon ? config_word(counter, format, (size_t)(colon - format))
		     : NULL;
	if (!word)
		return error_set(err, EOPNOTSUPP, "term '%s' of PMU %s is in '%s', which can't be handed to the kernel module",
				 name, pmu, format);
	if (!fill_bits(word, colon + 1, value))
		return error_set(err, ERANGE, "term '%s' of PMU %s: %#llx does not fit '%s'",
				 name, pmu, (unsigned long long)value, format);
	return 0;
}

static int set_terms(struct coroprof_counter *counter, const char *pmu,
		     char *terms, bool events, struct error *err);

/* @term: "name=value", or a name alone: of an event, or of a term that is a single bit. */
static int set_named_term(struct coroprof_counter *counter, const char *pmu,
			  char *term, bool events, struct error *err)
{
	char *equals = strchr(term, '='), *end;
	char inner[TERMS_MAX];
	__u64 value;

	if (!equals) {
		if (events && is_file_name(term) &&
		    read_pmu_file(pmu, "events", term, inner, sizeof(inner)))
			return set_terms(counter, pmu, inner, false, err);
		return set_term(counter, pmu, term, 1, err);
	}
	*equals = '\0';
	value = strtoull(equals + 1, &end, 0);
	if (end == equals + 1 || *end)
		return error_set(err, EINVAL, "term '%s' of PMU %s: '%s' is not a number",
				 term, pmu, equals + 1);
	return set_term(counter, pmu, term, value, err);
}

static int set_terms(struct coroprof_counter *counter, const char *pmu,
		     char *terms, bool events, struct error *err)
{
	char *term;

	while ((term = strsep(&terms, ","))) {
		int ret = set_named_term(counter, pmu, term, events, err);

		if (ret)
			return ret;
	}
	return 0;
}

static int set_type(struct coroprof_counter *counter, const char *pmu,
		    struct error *err)
{
	char text[32];

	if (!is_file_name(pmu) ||
	    !read_pmu_file(pmu, "", "type", text, sizeof(text)))
		return error_set(err, EINVAL, "there is no PMU '%s' here; see `ls %s`",
				 pmu, events_pmu_root);
	counter->type = (__u32)strtoul(text, NULL, 10);
	return 0;
}

/* @name: "PMU/terms/". */
static int look_up_pmu(struct coroprof_counter *counter, const char *name,
		       struct error *err)
{
	char text[EVENT_NAME_MAX];
	char *terms;
	int ret;

	snprintf(text, sizeof(text), "%s", name);
	terms = strchr(text, '/');
	*terms++ = '\0';
	if (!*terms || terms[strlen(terms) - 1] != '/')
		return error_set(err, EINVAL, "event %s: a slash is missing at the end",
				 name);
	terms[strlen(terms) - 1] = '\0';
	ret = set_type(counter, text, err);
	if (ret || !*terms)
		return ret;
	return set_terms(counter, text, terms, true, err);
}

bool events_is_cpu_pmu(const char *name)
{
	/* arm64 boards name theirs after the core: armv8_cortex_a53 ... */
	return !strcmp(name, "cpu") || !strcmp(name, "cpu_core") ||
	       !strcmp(name, "cpu_atom") || !strncmp(name, "armv", 4);
}

static int select_cpu_pmu(const struct dirent *entry)
{
	return events_is_cpu_pmu(entry->d_name);
}

/* Calls @use for each PMU of a CPU until it returns true; returns whether it did. */
static bool for_each_cpu_pmu(bool (*use)(const char *pmu, void *arg), void *arg)
{
	struct dirent **entries;
	bool done = false;
	int n;

	n = scandir(events_pmu_root, &entries, select_cpu_pmu, alphasort);
	if (n < 0)
		return false;
	for (int i = 0; i < n; i++) {
		done = done || use(entries[i]->d_name, arg);
		free(entries[i]);
	}
	free(entries);
	return done;
}

struct event_search {
	struct coroprof_counter *counter;
	const char *name;
	struct error *err;
	int ret;
};

static bool use_if_pmu_has_event(const char *pmu, void *arg)
{
	struct event_search *search = arg;
	char terms[TERMS_MAX];

	if (!read_pmu_file(pmu, "events", search->name, terms, sizeof(terms)))
		return false;
	search->ret = set_type(search->counter, pmu, search->err);
	if (!search->ret)
		search->ret = set_terms(search->counter, pmu, terms, false,
					search->err);
	return true;
}

int events_sysfs(struct coroprof_counter *counter, const char *name,
		 struct error *err)
{
	struct event_search search = { counter, name, err, 0 };

	if (strchr(name, '/'))
		return look_up_pmu(counter, name, err);
	if (is_file_name(name) && for_each_cpu_pmu(use_if_pmu_has_event, &search))
		return search.ret;
	return error_set(err, ENOENT, "no CPU PMU has an event '%s'", name);
}

struct event_list {
	char *names;
	size_t capacity;
	unsigned int nr;
};

static bool append_pmu_name(const char *pmu, void *arg)
{
	struct event_list *list = arg;
	size_t used = strlen(list->names);

	snprintf(list->names + used, list->capacity - used, "%s%s",
		 used ? "," : "", pmu);
	list->nr++;
	return false;
}

unsigned int events_cpu_pmus(char *names, size_t capacity)
{
	struct event_list list = { names, capacity, 0 };

	names[0] = '\0';
	for_each_cpu_pmu(append_pmu_name, &list);
	return list.nr;
}
