/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

/* @class is that which the call is made by. */
typedef void hook_fn(java_table *jni, java_ref class, java_ref thread);

/* It goes on, on the calling thread. */
hook_fn hook_mount;
/* It is the calling thread, and wants to wait or to give way. */
hook_fn hook_yield;
/* It has left the calling thread, or has ended. */
hook_fn hook_unmount;
/* It is given to its scheduler: started, given way, or what it waited for has come. */
hook_fn hook_ready;

#endif /* JAVA_HOOKS_H */
