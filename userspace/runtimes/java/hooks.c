// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where java.lang.VirtualThread goes on, waits and becomes ready, it is made to call functions of
 * ours first, by a class that has nothing but these functions.
 */
#include <string.h>

#include "../runtime.h"
#include "classfile.h"
#include "hooks.h"

#define VIRTUAL_THREAD "java/lang/VirtualThread"

enum { CALLS = 4 };

static const struct classfile_call each[CALLS] = {
	{ "mount", true, "mounts" },
	{ "unmount", true, "unmounts" },
	{ "yieldContinuation", true, "yields" },
	/*
	 * submitRunContinuation(), lazySubmit...() and the like: more or less of them, by version.
	 */
	{ "ubmitRunContinuation", false, "ready" },
};

static const struct classfile_calls calls = {
	.class = "coroprof/Hooks", .signature = "(Ljava/lang/Thread;)V",
	.count = CALLS, .calls = each,
};

/* The class has all of them now. */
static bool changed;

static hook_fn *const functions[CALLS] = { hook_mount, hook_unmount, hook_yield, hook_ready };

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
	uint8_t class[512];
	java_ref made;

	for (int i = 0; i < CALLS; i++)
		natives[i] = (struct java_native){ each[i].name, calls.signature,
						   (void *)functions[i] };
	made = JAVA_FUNCTION(jni, JNI_DEFINE_CLASS, java_ref, const char *, java_ref,
			     const uint8_t *, int32_t)(jni, calls.class, NULL, class,
						       (int32_t)classfile_make(&calls, class));
	if (!made || JAVA_FUNCTION(jni, JNI_REGISTER_NATIVES, int32_t, java_ref,
				   const struct java_native *, int32_t)(jni, made, natives, CALLS))
		return NULL;
	return made;
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
