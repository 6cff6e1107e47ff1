// SPDX-License-Identifier: GPL-2.0
/*
 * An agent that has the JVM tell when virtual threads are mounted and unmounted, by the
 * events that HotSpot adds to JVMTI, and only counts: what the adapter could have used.
 * Prints the count as the JVM ends.
 */
#include <stdio.h>
#include <string.h>

#include "java/api.h"

enum {
	TI_GET_EXTENSION_EVENTS = 124,
	TI_SET_EXTENSION_EVENT_CALLBACK = 125,
	TI_CAN_SUPPORT_VIRTUAL_THREADS = 44,
};

struct extension_event {
	int32_t index;
	const char *id, *description;
	int32_t nr_params;
	const void *params;
};

/* One processor, as in the guest: it need not be atomic. */
static unsigned long mounts;

static void count(java_table *ti, java_table *jni, java_ref thread)
{
	(void)ti, (void)jni, (void)thread;
	mounts++;
}

static bool listen_to(java_table *ti, const struct extension_event *event)
{
	if (strcmp(event->id, "com.sun.hotspot.events.VirtualThreadMount") &&
	    strcmp(event->id, "com.sun.hotspot.events.VirtualThreadUnmount"))
		return false;
	return !JAVA_FUNCTION(ti, TI_SET_EXTENSION_EVENT_CALLBACK, int32_t, int32_t, void *)
		(ti, event->index, count) &&
	       !JAVA_FUNCTION(ti, TI_SET_EVENT_NOTIFICATION_MODE, int32_t, int32_t, int32_t, java_ref)
		(ti, 1, event->index, NULL);
}

static bool listen(java_table *ti)
{
	struct java_capabilities wanted = {
		.words[TI_CAN_SUPPORT_VIRTUAL_THREADS / 32] = 1U << TI_CAN_SUPPORT_VIRTUAL_THREADS % 32,
	};
	const struct extension_event *events;
	int32_t nr_events, heard = 0;

	if (JAVA_FUNCTION(ti, TI_ADD_CAPABILITIES, int32_t, const void *)(ti, &wanted) ||
	    JAVA_FUNCTION(ti, TI_GET_EXTENSION_EVENTS, int32_t, int32_t *, const void *)
		(ti, &nr_events, &events))
		return false;
	for (int32_t i = 0; i < nr_events; i++)
		heard += listen_to(ti, &events[i]);
	return heard == 2;
}

__attribute__((visibility("default")))
int32_t Agent_OnLoad(java_table *vm, char *options, void *reserved)
{
	java_table *ti = java_env(vm, JVMTI_VERSION);

	(void)options, (void)reserved;
	if (ti && listen(ti))
		return 0;
	fprintf(stderr, "mounts: this JVM does not tell of mounts\n");
	return 1;
}

__attribute__((visibility("default")))
void Agent_OnUnload(java_table *vm)
{
	(void)vm;
	printf("mounts %lu\n", mounts);
}
