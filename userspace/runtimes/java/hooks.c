// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where java.lang.VirtualThread goes on, waits and becomes ready, it is made to call functions of
 * ours first, by a class that has nothing but these functions.
 */
#include <pthread.h>
#include <string.h>

#include "../runtime.h"
#include "classfile.h"
#include "hooks.h"

#define VIRTUAL_THREAD "java/lang/VirtualThread"

enum { CALLS = 4 };

#define THREAD "Ljava/lang/Thread;"

/*
 * What is read of the thread is given by the code of the JVM, which reads it in some instructions:
 * for us to read it would take a call of the JVM.
 */
static const struct classfile_call each[CALLS] = {
	{ "mount", true, "mounts", "(J" THREAD ")V", { "threadId", "()J" }, NULL },
	{ "unmount", true, "unmounts", "(I" THREAD ")V", { "state", "I" }, NULL },
	{ "yieldContinuation", true, "yields", "(" THREAD ")V", { NULL, NULL }, "asked" },
	/*
	 * submitRunContinuation(), lazySubmit...() and the like: more or less of them, by version.
	 */
	{ "ubmitRunContinuation", false, "ready", "(J" THREAD ")V", { "threadId", "()J" }, NULL },
};

static const struct classfile_calls calls = {
	.class = "coroprof/Hooks", .count = CALLS, .calls = each,
};

/* The class has all of them now. */
static bool changed;

static void *const functions[CALLS] = {
	(void *)hook_mount, (void *)hook_unmount, (void *)hook_yield, (void *)hook_ready,
};

/* The class that is called, and its field that has yields heard. */
static java_ref made;
static java_id guard;

void hooks_class(java_table *ti, java_table *jni, java_ref redefined, java_ref loader,
		 const char *name, java_ref domain, int32_t size, const uint8_t *bytes,
		 int32_t *new_size, uint8_t **new_bytes)
{
	uint8_t *memory;
	size_t made;

	(void)jni;
	(void)loader;
	(void)domain;
	if (!redefined || !name || strcmp(name, VIRTUAL_THREAD) ||
	    JAVA_FUNCTION(ti, TI_ALLOCATE, int32_t, int64_t, uint8_t **)
	    (ti, (int64_t)classfile_room(size), &memory))
		return;
	made = classfile_insert(&calls, bytes, size, memory);
	if (!made) {
		java_free(ti, memory);
		return;
	}
	*new_size = (int32_t)made;
	*new_bytes = memory;
	changed = true;
}

/*
 * Of the JDK's own loader, but of no module: into a module's class the JVM lets code link
 * functions only with a warning.
 */
static java_ref define(java_table *jni)
{
	struct java_native natives[CALLS];
	uint8_t class[1024];
	java_ref local;

	for (int i = 0; i < CALLS; i++) {
		const char *name = each[i].guarded ? each[i].guarded : each[i].name;

		natives[i] = (struct java_native){ name, each[i].signature, functions[i] };
	}
	local = JAVA_FUNCTION(jni, JNI_DEFINE_CLASS, java_ref, const char *, java_ref,
			      const uint8_t *, int32_t)(jni, calls.class, NULL, class,
							(int32_t)classfile_make(&calls, class));
	if (!local ||
	    JAVA_FUNCTION(jni, JNI_REGISTER_NATIVES, int32_t, java_ref, const struct java_native *,
			  int32_t)(jni, local, natives, CALLS))
		return NULL;
	made = java_keep(jni, local);
	guard = JAVA_FUNCTION(jni, JNI_GET_STATIC_FIELD_ID, java_id, java_ref, const char *,
			      const char *)(jni, local, CLASSFILE_GUARD, "I");
	return made && guard ? local : NULL;
}

/*
 * Without a lock: the JVM may stop a thread at any call here, for as long as a debugger wants, and
 * others call from where they must not wait. Who stores last looks again.
 */
void hooks_hear_yields(java_table *jni, int more)
{
	static int wanted;
	int now = __atomic_add_fetch(&wanted, more, __ATOMIC_SEQ_CST), stored;

	do {
		stored = now;
		JAVA_FUNCTION(jni, JNI_SET_STATIC_INT_FIELD, void, java_ref, java_id, int32_t)
		(jni, made, guard, stored);
		now = __atomic_load_n(&wanted, __ATOMIC_SEQ_CST);
	} while (now != stored);
}

static java_ref module_of(java_table *jni, java_ref class)
{
	return JAVA_FUNCTION(jni, JNI_GET_MODULE, java_ref, java_ref)(jni, class);
}

/* Else code of the one may not call the other. */
static bool connect(java_table *ti, java_table *jni, java_ref from, java_ref to)
{
	return !JAVA_FUNCTION(ti, TI_ADD_MODULE_READS, int32_t, java_ref, java_ref)
		(ti, module_of(jni, from), module_of(jni, to));
}

static bool is_virtual_thread(java_table *ti, java_ref class)
{
	char *signature;
	bool is;

	if (JAVA_FUNCTION(ti, TI_GET_CLASS_SIGNATURE, int32_t, java_ref, char **, char **)
	    (ti, class, &signature, NULL))
		return false;
	is = !strcmp(signature, "L" VIRTUAL_THREAD ";");
	java_free(ti, signature);
	return is;
}

/*
 * It is loaded from the beginning. To ask for it by name would initialize it: with properties
 * that the program may be about to set.
 */
static java_ref find(java_table *ti)
{
	java_ref *classes, found = NULL;
	int32_t count;

	if (JAVA_FUNCTION(ti, TI_GET_LOADED_CLASSES, int32_t, int32_t *, java_ref **)
	    (ti, &count, &classes))
		return NULL;
	for (int32_t i = 0; i < count && !found; i++) {
		if (is_virtual_thread(ti, classes[i]))
			found = classes[i];
	}
	java_free(ti, classes);
	return found;
}

static bool change(java_table *ti, java_ref class)
{
	bool done;

	if (!java_listen(ti, TI_EVENT_CLASS_FILE_LOAD_HOOK, true))
		return false;
	done = !JAVA_FUNCTION(ti, TI_RETRANSFORM_CLASSES, int32_t, int32_t, const java_ref *)
		(ti, 1, &class);
	java_listen(ti, TI_EVENT_CLASS_FILE_LOAD_HOOK, false);
	return done && changed;
}

bool hooks_begin(java_table *ti, java_table *jni)
{
	java_ref class = find(ti), called = class ? define(jni) : NULL;

	if (called && connect(ti, jni, class, called) && change(ti, class))
		return true;
	java_clear(jni);
	return false;
}
