/* SPDX-License-Identifier: GPL-2.0 */
/* The order in which coroutines made by makecontext() were switched to, by their stacks. */
#ifndef ORDER_H
#define ORDER_H

#include "watch.h"

#define STACK 65536
#define STACKS 4

static char stacks[STACKS][STACK] __attribute__((aligned(16)));

static inline char letter(const struct mock_event *event)
{
	if (!strncmp(event->label, "(thread", 7))
		return '-';
	for (int i = 0; i < STACKS; i++) {
		if (event->tag == (uintptr_t)stacks[i] + STACK)
			return (char)('A' + i);
	}
	return '?';
}

/*
 * Of the switches not looked at before: '-' for the thread, 'A' for the one on the
 * first stack and so on; before that '!' if the one left has ended, '~' if switches
 * before it were not reported, '*' if it is the first of a coroutine.
 */
static inline const char *order(void)
{
	static char text[4096];
	const struct mock_event *event;
	size_t used = 0;

	while ((event = next_reported_switch()) && used < sizeof(text) - 8) {
		if (event->error)
			continue;
		if (event->arg & COROPROF_SWITCH_END)
			text[used++] = '!';
		if (event->arg & COROPROF_SWITCH_UNREPORTED)
			text[used++] = '~';
		if (event->arg & COROPROF_SWITCH_FRESH && letter(event) != '-')
			text[used++] = '*';
		text[used++] = letter(event);
	}
	text[used] = '\0';
	return text;
}

#define in_order(expected, ...) do { \
	const char *order_got = order(); \
	ok(!strcmp(order_got, expected), __VA_ARGS__); \
	if (strcmp(order_got, expected)) \
		printf("# got:      %s\n# expected: %s\n", order_got, expected); \
} while (0)

#endif /* ORDER_H */
