// SPDX-License-Identifier: GPL-2.0
/* The Portable Coroutine Library, unmodified. */
#include "watch.h"

#include <pcl.h>

static void body(void *sum)
{
	for (int i = 0; i < 3; i++) {
		*(int *)sum += i;
		co_resume();
	}
}

int main(void)
{
	const struct mock_event *event;
	int sum = 0, slices = 0, fresh = 0, named = 0;
	coroutine_t co;

	record(true);
	co_thread_init();
	co = co_create(body, &sum, NULL, 32768);
	watch_from_here();
	for (int i = 0; i < 3; i++)
		co_call(co);
	is(sum, 3, "the coroutine ran");
	while ((event = next_switch())) {
		slices += strncmp(event->label, "(thread", 7) != 0;
		named += is_function(event, (void *)body);
		fresh += strncmp(event->label, "(thread", 7) != 0 &&
			 event->arg & COROPROF_SWITCH_FRESH;
	}
	is(slices, 3, "in three slices");
	is(fresh, 1, "of one coroutine");
	is(named, 3, "with the name of the program's function");
	co_delete(co);
	return tap_done();
}
