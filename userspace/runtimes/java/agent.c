// SPDX-License-Identifier: LGPL-2.1-or-later
/* Virtual threads of the JVM, as its own code reports them once hooks.c has changed it. */
#include "../preload/charge.h"
#include "../runtime.h"
#include "agent.h"
#include "hooks.h"
#include "name.h"
#include "threads.h"

static bool began;
static java_table *tools;

/* What the state of a virtual thread is as it runs; known once there is one. */
static int32_t running;
static bool running_known;

/* Of the calling thread, which is the platform thread. NULL: it runs none that is known. */
static __thread struct vthread *mounted __attribute__((tls_model("initial-exec")));

/* As there is one its class is initialized, and may be asked. */
static bool find_running(java_table *jni, java_ref thread)
{
	java_ref class = java_class_of(jni, thread);
	java_id constant = JAVA_FUNCTION(jni, JNI_GET_STATIC_FIELD_ID, java_id, java_ref,
					 const char *, const char *)(jni, class, "RUNNING", "I");

	if (!constant) {
		java_clear(jni);
		return false;
	}
	running = JAVA_FUNCTION(jni, JNI_GET_STATIC_INT_FIELD, int32_t, java_ref, java_id)
		(jni, class, constant);
	__atomic_store_n(&running_known, true, __ATOMIC_RELEASE);
	return true;
}

static inline struct vthread *known(java_table *jni, int64_t tid, java_ref thread)
{
	if (unlikely(!__atomic_load_n(&running_known, __ATOMIC_ACQUIRE)) &&
	    !find_running(jni, thread))
		return NULL;
	return vthread_get(tid);
}

static void hear(java_table *jni, struct vthread *vthread, bool whether)
{
	if (vthread->heard == whether)
		return;
	vthread->heard = whether;
	hooks_hear_yields(jni, whether ? 1 : -1);
}

/*
 * What it is called from its first slice on, unless its stack says more, which is read as it
 * waits.
 */
static void label_first(java_table *jni, java_ref thread, struct vthread *vthread)
{
	uint32_t label = name_given(jni, thread);

	vthread->labelled = label != 0;
	coroprof_set_label(vthread->co, label ? label : name_of_task(tools, jni, thread));
	if (!label)
		hear(jni, vthread, true);
}

void hook_mount(java_table *jni, java_ref class, int64_t tid, java_ref thread)
{
	struct vthread *vthread = known(jni, tid, thread);

	(void)class;
	mounted = vthread;
	if (unlikely(!vthread))
		return;
	if (unlikely(runtime_recorded() && !vthread->labelled)) {
		charge();
		label_first(jni, thread, vthread);
	}
	runtime_switch(vthread->co);
}

/* A label goes with the slice that ends next: this one is looked up in it. */
void hook_yield(java_table *jni, java_ref class, java_ref thread)
{
	struct vthread *vthread = mounted;
	uint32_t label;

	(void)class;
	if (!vthread || vthread->labelled)
		return;
	/* The next recording hears it again. */
	if (!runtime_recorded()) {
		hear(jni, vthread, false);
		return;
	}
	label = name_given(jni, thread);
	if (!label)
		label = name_on_stack(tools);
	if (label)
		coroprof_set_label(vthread->co, label);
	vthread->labelled = true;
	hear(jni, vthread, false);
}

/* One that waits or gives way has said so: its state is another. */
void hook_unmount(java_table *jni, java_ref class, int32_t state, java_ref thread)
{
	struct vthread *vthread = mounted;

	(void)class;
	if (unlikely(!vthread))
		return;
	mounted = NULL;
	/* It ran already when the recording began. */
	if (unlikely(runtime_recorded() && !vthread->labelled && !vthread->heard))
		label_first(jni, thread, vthread);
	if (unlikely(state == running)) {
		hear(jni, vthread, false);
		vthread_forget(vthread);
		coroprof_switch_done(COROPROF_THREAD);
	} else {
		runtime_switch(COROPROF_THREAD);
	}
}

void hook_ready(java_table *jni, java_ref class, int64_t tid, java_ref thread)
{
	struct vthread *vthread = known(jni, tid, thread);

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

	add(&capabilities, TI_CAN_GET_SOURCE_FILE_NAME);
	add(&capabilities, TI_CAN_GET_LINE_NUMBERS);
	add(&capabilities, TI_CAN_GET_CONSTANT_POOL);
	add(&capabilities, TI_CAN_RETRANSFORM_CLASSES);
	return !JAVA_FUNCTION(ti, TI_ADD_CAPABILITIES, int32_t, const struct java_capabilities *)
		(ti, &capabilities);
}

static bool set_callbacks(java_table *ti, const struct java_callbacks *callbacks)
{
	return !JAVA_FUNCTION(ti, TI_SET_EVENT_CALLBACKS, int32_t, const struct java_callbacks *,
			      int32_t)(ti, callbacks, sizeof(*callbacks));
}

static void begin(java_table *ti, java_table *jni)
{
	static const struct java_callbacks callbacks = { .of = {
		[TI_EVENT_CLASS_FILE_LOAD_HOOK - TI_EVENT_FIRST] = (java_callback *)hooks_class,
	} };

	tools = ti;
	if (!name_begin(jni) || !set_callbacks(ti, &callbacks) || !hooks_begin(ti, jni))
		coroprof_debug("this JVM is not known: its virtual threads are not recorded");
}

/*
 * One JVM is all that a process can have. NULL: it is reported already, or has no virtual threads.
 */
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
