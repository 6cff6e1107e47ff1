// SPDX-License-Identifier: GPL-2.0
/* GNU Pth, unmodified. */
#include "watch.h"

#include <pth.h>

static void *body(void *sum)
{
	for (int i = 0; i < 3; i++) {
		++*(int *)sum;
		pth_yield(NULL);
	}
	return sum;
}

int main(void)
{
	const struct mock_event *event;
	uint64_t ids[64];
	pth_t threads[4];
	int sum = 0, distinct = 0, named = 0;

	record(true);
	pth_init();
	watch_from_here();
	for (int i = 0; i < 4; i++)
		threads[i] = pth_spawn(PTH_ATTR_DEFAULT, body, &sum);
	for (int i = 0; i < 4; i++)
		pth_join(threads[i], NULL);
	is(sum, 12, "the threads ran");
	while ((event = next_switch())) {
		named += is_function(event, (void *)body) && event->arg & COROPROF_SWITCH_FRESH;
		if (event->arg & COROPROF_SWITCH_FRESH && distinct < 64 &&
		    strncmp(event->label, "(thread", 7))
			ids[distinct++] = event->id;
	}
	ok(distinct >= 4, "each was a coroutine, %d with the scheduler", distinct);
	for (int i = 1; i < distinct; i++)
		distinct -= ids[i] == ids[i - 1];
	ok(distinct >= 4, "of its own");
	is(named, 4, "with the name of the program's function");
	return tap_done();
}
