// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Virtual threads of the JVM, as JVMTI tells of them: each time that one is mounted on
 * a platform thread and unmounted from it, by events that are extensions of HotSpot's. For
 * JVMTI it is the calling thread in both.
 */
#include <string.h>

#include "../preload/charge.h"
#include "../runtime.h"
#include "agent.h"
#include "name.h"
#include "ready.h"
#include "threads.h"

static bool began;

/* What is read of a thread; the last two once there is one that is virtual. */
static java_id tid, state;
static int32_t running;

/* Of the calling thread, which is the platform thread. NULL: it runs none that is known. */
static __thread struct vthread *mounted __attribute__((tls_model("initial-exec")));

static inline uint64_t tid_of(java_table *jni, java_ref thread)
{
	return JAVA_FUNCTION(jni, JNI_GET_LONG_FIELD, uint64_t, java_ref, java_id)(jni, thread, tid);
}

static bool find_state(java_table *jni, java_ref thread)
{
	java_ref class = java_class_of(jni, thread);
	java_id constant, found = java_field(jni, class, "state", "I");

	constant = found ? JAVA_FUNCTION(jni, JNI_GET_STATIC_FIELD_ID, java_id, java_ref, const char *,
					 const char *)(jni, class, "RUNNING", "I") : NULL;
	if (!constant) {
		java_clear(jni);
		return false;
	}
	running = JAVA_FUNCTION(jni, JNI_GET_STATIC_INT_FIELD, int32_t, java_ref, java_id)
		(jni, class, constant);
	__atomic_store_n(&state, found, __ATOMIC_RELEASE);
	return true;
}

/* What it is called from its first slice on, unless its stack tells more. */
static void label_first(java_table *ti, java_table *jni, java_ref thread, struct vthread *vthread)
{
	uint32_t label;

	charge();
	label = name_given(ti);
	vthread->labelled = label != 0;
	coroprof_set_label(vthread->co, label ? label : name_of_task(ti, jni, thread));
}

/* A label goes with the slice that ends next: this one is looked up in it. */
static void label_better(java_table *ti, struct vthread *vthread)
{
	uint32_t label = name_given(ti);

	if (!label)
		label = name_on_stack(ti);
	if (label)
		coroprof_set_label(vthread->co, label);
	vthread->labelled = true;
}

static void mount(java_table *ti, java_table *jni, java_ref thread)
{
	struct vthread *vthread;

	if (unlikely(!__atomic_load_n(&state, __ATOMIC_ACQUIRE)) && !find_state(jni, thread))
		return;
	vthread = vthread_get(tid_of(jni, thread));
	mounted = vthread;
	if (unlikely(!vthread))
		return;
	if (unlikely(runtime_recorded() && !vthread->labelled))
		label_first(ti, jni, thread, vthread);
	runtime_switch(vthread->co);
}

/* What the JVM has on the stack of a virtual thread whose task has returned, at most. */
#define FRAMES_AT_END 4

/*
 * One that parks or gives way has said so before it is unmounted. One that has to wait for a
 * monitor has not, but is in the middle of something.
 */
static bool ends(java_table *ti, java_table *jni, java_ref thread)
{
	int32_t now, frames;

	now = JAVA_FUNCTION(jni, JNI_GET_INT_FIELD, int32_t, java_ref, java_id)(jni, thread, state);
	return now == running &&
	       !JAVA_FUNCTION(ti, TI_GET_FRAME_COUNT, int32_t, java_ref, int32_t *)
		       (ti, NULL, &frames) && frames <= FRAMES_AT_END;
}

static void unmount(java_table *ti, java_table *jni, java_ref thread)
{
	struct vthread *vthread = mounted;

	if (unlikely(!vthread))
		return;
	mounted = NULL;
	if (unlikely(runtime_recorded() && !vthread->labelled))
		label_better(ti, vthread);
	if (unlikely(ends(ti, jni, thread))) {
		vthread_forget(vthread);
		coroprof_switch_done(COROPROF_THREAD);
	} else {
		runtime_switch(COROPROF_THREAD);
	}
}

void agent_ready(java_table *jni, java_ref class, java_ref thread)
{
	struct vthread *vthread = vthread_get(tid_of(jni, thread));

	(void)class;
	if (likely(vthread != NULL))
		coroprof_wake(vthread->co);
}

static void add(struct java_capabilities *to, enum java_capability capability)
{
	to->words[capability / 32] |= 1u << capability % 32;
}

static bool add_capabilities(java_table *ti)
{
	struct java_capabilities capabilities = { .words = { 0 } };

	add(&capabilities, TI_CAN_SUPPORT_VIRTUAL_THREADS);
	add(&capabilities, TI_CAN_GET_SOURCE_FILE_NAME);
	add(&capabilities, TI_CAN_GET_LINE_NUMBERS);
	add(&capabilities, TI_CAN_RETRANSFORM_CLASSES);
	return !JAVA_FUNCTION(ti, TI_ADD_CAPABILITIES, int32_t, const struct java_capabilities *)
		(ti, &capabilities);
}

static void free_event(java_table *ti, struct java_extension_event *event)
{
	for (int32_t i = 0; i < event->nr_parameters; i++)
		java_free(ti, event->parameters[i].name);
	java_free(ti, event->parameters);
	java_free(ti, event->description);
	java_free(ti, event->id);
}

static java_callback *extension_callback(const char *id)
{
	if (!strcmp(id, "com.sun.hotspot.events.VirtualThreadMount"))
		return (java_callback *)mount;
	if (!strcmp(id, "com.sun.hotspot.events.VirtualThreadUnmount"))
		return (java_callback *)unmount;
	return NULL;
}

static bool listen_extension(java_table *ti, const struct java_extension_event *event)
{
	java_callback *callback = extension_callback(event->id);

	return callback &&
	       !JAVA_FUNCTION(ti, TI_SET_EXTENSION_EVENT_CALLBACK, int32_t, int32_t, java_callback *)
		       (ti, event->index, callback) &&
	       java_listen(ti, event->index, true);
}

/* Both of them. */
static bool listen_extensions(java_table *ti)
{
	struct java_extension_event *events;
	int32_t count, heard = 0;

	if (JAVA_FUNCTION(ti, TI_GET_EXTENSION_EVENTS, int32_t, int32_t *, struct java_extension_event **)
	    (ti, &count, &events))
		return false;
	for (int32_t i = 0; i < count; i++) {
		heard += listen_extension(ti, &events[i]);
		free_event(ti, &events[i]);
	}
	java_free(ti, events);
	return heard == 2;
}

static bool set_callbacks(java_table *ti, const struct java_callbacks *callbacks)
{
	return !JAVA_FUNCTION(ti, TI_SET_EVENT_CALLBACKS, int32_t, const struct java_callbacks *, int32_t)
		(ti, callbacks, sizeof(*callbacks));
}

static bool find_tid(java_table *jni)
{
	java_ref class = java_class(jni, "java/lang/Thread");

	tid = class ? java_field(jni, class, "tid", "J") : NULL;
	if (!tid)
		java_clear(jni);
	return tid;
}

static bool listen(java_table *ti)
{
	static const struct java_callbacks callbacks = { .of = {
		[TI_EVENT_CLASS_FILE_LOAD_HOOK - TI_EVENT_FIRST] = (java_callback *)ready_class,
	} };

	return set_callbacks(ti, &callbacks) && listen_extensions(ti);
}

static void begin(java_table *ti, java_table *jni)
{
	if (!find_tid(jni) || !listen(ti)) {
		coroprof_debug("this JVM is not known: its virtual threads are not told");
		return;
	}
	ready_begin(ti, jni);
}

/* One JVM is all that a process can have. NULL: it is told already, or has no virtual threads. */
static java_table *begin_once(java_table *vm)
{
	java_table *ti;

	if (__atomic_exchange_n(&began, true, __ATOMIC_ACQ_REL))
		return NULL;
	ti = java_env(vm, JVMTI_VERSION);
	if (ti && add_capabilities(ti))
		return ti;
	coroprof_debug("this JVM has no virtual threads");
	return NULL;
}

void agent_begin(java_table *vm, java_table *jni)
{
	java_table *ti = begin_once(vm);

	if (ti)
		begin(ti, jni);
}

static void runs(java_table *ti, java_table *jni, java_ref thread)
{
	(void)thread;
	begin(ti, jni);
}

void agent_begin_later(java_table *vm)
{
	static const struct java_callbacks callbacks = { .of = {
		[TI_EVENT_VM_INIT - TI_EVENT_FIRST] = (java_callback *)runs,
	} };
	java_table *ti = begin_once(vm);

	if (ti && set_callbacks(ti, &callbacks))
		java_listen(ti, TI_EVENT_VM_INIT, true);
}
