/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the JVM calls when a virtual thread begins, runs, waits or ends. */
#ifndef JAVA_HOOKS_H
#define JAVA_HOOKS_H

#include "api.h"

/*
 * From now on virtual threads call the functions below. False if this JVM is not known: nothing
 * is called then.
 */
bool hooks_begin(java_table *ti, java_table *jni);

/* The JVM asks what a class that it loads, or looks at again, is to be. */
void hooks_class(java_table *ti, java_table *jni, java_ref redefined, java_ref loader,
		 const char *name, java_ref domain, int32_t size, const uint8_t *bytes,
		 int32_t *new_size, uint8_t **new_bytes);

/*
 * So many more threads, or fewer, are to be heard as they wait: hook_yield() is called while there
 * is one.
 */
void hooks_hear_yields(java_table *jni, int more);

/* Of each, @class is that which the call is made by. */

/* It goes on, on the calling thread. */
void hook_mount(java_table *jni, java_ref class, int64_t tid, java_ref thread);
/* It is the calling thread, and wants to wait or to give way. */
void hook_yield(java_table *jni, java_ref class, java_ref thread);
/* It has left the calling thread, or has ended: @state is the JVM's. */
void hook_unmount(java_table *jni, java_ref class, int32_t state, java_ref thread);
/* It is given to its scheduler: started, given way, or what it waited for has come. */
void hook_ready(java_table *jni, java_ref class, int64_t tid, java_ref thread);

#endif /* JAVA_HOOKS_H */
