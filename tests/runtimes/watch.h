/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For programs that run with the mock of the module and the preload library
 * preloaded: what was reported to the kernel, as the mock saw it.
 */
#ifndef WATCH_H
#define WATCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"
#include "tap.h"

static uint32_t watched;

static inline void *mock_symbol(const char *name)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	if (!symbol) {
		printf("Bail out! not run with the mock preloaded\n");
		exit(1);
	}
	return symbol;
}

static inline void record(bool on)
{
	((void (*)(bool))mock_symbol("mock_record"))(on);
}

/* The next reported switch that was not looked at before, or NULL. */
static inline const struct mock_event *next_switch(void)
{
	uint32_t n = ((uint32_t (*)(void))mock_symbol("mock_events"))();
	const struct mock_event *event;

	while (watched < n) {
		event = ((const struct mock_event *(*)(uint32_t))
			 mock_symbol("mock_event"))(watched++);
		if (event->command == MOCK_SWITCH)
			return event;
	}
	return NULL;
}

/* The same, less those by which the adapter says that it is at work itself. */
static inline const struct mock_event *next_switch_of_program(void)
{
	const struct mock_event *event;

	do {
		event = next_switch();
	} while (event && !strcmp(event->label, "(coroprof)"));
	return event;
}

/* The same, and less those back from there to what had run. */
static inline const struct mock_event *next_reported_switch(void)
{
	const struct mock_event *event = next_switch();

	while (event && !strcmp(event->label, "(coroprof)")) {
		next_switch();
		event = next_switch();
	}
	return event;
}

/* Forget what has not been looked at. */
static inline void watch_from_here(void)
{
	while (next_switch())
		;
}

/* Whether the coroutine switched to has the label of that function. */
static inline bool is_function(const struct mock_event *event, void *fn)
{
	const char *plus = event ? strrchr(event->label, '+') : NULL;
	Dl_info info;

	dladdr(fn, &info);
	return plus && strtoul(plus + 1, NULL, 16) == (uintptr_t)fn - (uintptr_t)info.dli_fbase;
}

/*
 * Of switches, in short: the label up to its first '@', '<' or '+', each with
 * '*' in front if fresh and '!' if the one left has ended, and blanks between.
 */
static inline const char *switches(void)
{
	static char text[4096];
	const struct mock_event *event;
	size_t used = 0;

	text[0] = '\0';
	while ((event = next_switch()) && used < sizeof(text) - 100)
		used += (size_t)sprintf(text + used, "%s%s%s%.*s", used ? " " : "",
					event->arg & COROPROF_SWITCH_END ? "!" : "",
					event->arg & COROPROF_SWITCH_FRESH ? "*" : "",
					!strncmp(event->label, "(thread", 7) ? 7 :
					(int)strcspn(event->label, "@+"), event->label);
	return text;
}

#define reported(expected, ...) do { \
	const char *reported_got = switches(); \
	ok(!strcmp(reported_got, expected), __VA_ARGS__); \
	if (strcmp(reported_got, expected)) \
		printf("# got:      %s\n# expected: %s\n", reported_got, expected); \
} while (0)

#endif /* WATCH_H */
