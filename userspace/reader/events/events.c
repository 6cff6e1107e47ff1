// SPDX-License-Identifier: GPL-2.0
/*
 * Splits a list of events as perf writes it, and asks generic names, sysfs and libpfm in turn for
 * the counter of each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "events/events.h"

static int set_modifiers(struct event *event, const char *letters,
			 struct error *err)
{
	for (; *letters; letters++) {
		if (*letters == 'k')
			event->counter.flags |= COROPROF_COUNTER_KERNEL;
		else if (*letters == 'P')
			event->counter.flags |= COROPROF_COUNTER_PINNED;
		else if (*letters != 'u')
			return error_set(err, EINVAL, "event %s: unknown modifier '%c'; there are u, k (kernel mode as well) and P (pinned)",
					 event->name, *letters);
	}
	return 0;
}

/*
 * Cuts the modifiers off @name and returns them. Names of libpfm4 may have colons, too, so only
 * letters of modifiers behind the last one count.
 */
static const char *cut_modifiers(char *name)
{
	char *last = strrchr(name, '/');

	if (last && last != strchr(name, '/')) {
		char *letters = last + 1;

		if (*letters == ':')
			letters++;
		memmove(last + 2, letters, strlen(letters) + 1);
		last[1] = '\0';
		return last + 2;
	}
	last = strrchr(name, ':');
	if (!last || strspn(last + 1, "ukP") != strlen(last + 1))
		return "";
	*last = '\0';
	return last + 1;
}

static int not_found(const char *name, struct error *err)
{
	error_set(err, ENOENT, "there is no event '%s' here", name);
	return error_hint(err, "Events have perf's names: cycles, instructions, cache-misses, branch-misses, task-clock, L1-dcache-load-misses, rNNN, PMU/EVENT/; `ls %s/*/events` shows this machine's own.",
			  events_pmu_root);
}

static int look_up(struct coroprof_counter *counter, const char *name,
		   struct error *err)
{
	int (*const ways[])(struct coroprof_counter *, const char *,
			    struct error *) = {
		events_builtin, events_sysfs, events_libpfm,
	};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		int ret = ways[i](counter, name, err);

		if (ret != -ENOENT)
			return ret;
	}
	return not_found(name, err);
}

static int parse_one(struct event *event, const char *text, size_t len,
		     struct error *err)
{
	/* cut_modifiers() may need one byte more than the text has. */
	char name[EVENT_NAME_MAX + 1];
	const char *letters;
	int ret;

	memset(event, 0, sizeof(*event));
	if (!len)
		return error_set(err, EINVAL, "an event in the list has no name");
	if (len >= EVENT_NAME_MAX)
		return error_set(err, EINVAL, "event %.40s...: the name is too long",
				 text);
	memcpy(event->name, text, len);
	memcpy(name, event->name, len + 1);
	letters = cut_modifiers(name);
	ret = set_modifiers(event, letters, err);
	if (ret)
		return ret;
	ret = look_up(&event->counter, name, err);
	if (!ret && event_is_program(&event->counter) && event->counter.flags)
		return error_set(err, EINVAL, "event %s: k and P are for what the kernel counts; the program counts this one itself",
				 event->name);
	return ret;
}

/* True if @text, of @len bytes, is @name. */
static bool is_name(const char *text, size_t len, const char *name)
{
	return len == strlen(name) && !strncmp(text, name, len);
}

static int add_event(struct event *events, unsigned int *nr, const char *text,
		     size_t len, struct error *err)
{
	struct event event;
	int ret;

	if (is_name(text, len, "rusage"))
		return events_parse(events, nr, EVENTS_RUSAGE, err);
	if (is_name(text, len, "hw"))
		return events_parse(events, nr, EVENTS_DEFAULT, err);
	/* Each recording has the time: that is all, of this one. */
	if (is_name(text, len, "tsc"))
		return 0;
	ret = parse_one(&event, text, len, err);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < *nr; i++) {
		if (!memcmp(&events[i].counter, &event.counter,
			    sizeof(event.counter)))
			return error_set(err, EINVAL, "event %s is the same as %s",
					 event.name, events[i].name);
	}
	if (*nr == COROPROF_COUNTERS_MAX)
		return error_set(err, E2BIG, "more than %d events; the kernel module counts at most so many at once",
				 COROPROF_COUNTERS_MAX);
	events[(*nr)++] = event;
	return 0;
}

/* The bytes up to the next comma that is not between slashes. */
static size_t event_length(const char *text)
{
	bool inside = false;
	size_t len = 0;

	for (; text[len]; len++) {
		if (text[len] == '/')
			inside = !inside;
		else if (text[len] == ',' && !inside)
			break;
	}
	return len;
}

int events_parse(struct event *events, unsigned int *nr, const char *list,
		 struct error *err)
{
	for (;;) {
		size_t len = event_length(list);
		int ret = add_event(events, nr, list, len, err);

		if (ret || !list[len])
			return ret;
		list += len + 1;
	}
}
