/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JAVA_READY_H
#define JAVA_READY_H

#include "api.h"

/*
 * From now on it is told when a virtual thread is given to its scheduler: when it is
 * started, when what it waited for has come, when it gives way.
 */
void ready_begin(java_table *ti, java_table *jni);

/* The JVM asks what a class that it loads, or looks at again, is to be. */
void ready_class(java_table *ti, java_table *jni, java_ref redefined, java_ref loader,
		 const char *name, java_ref domain, int32_t size, const uint8_t *bytes,
		 int32_t *new_size, uint8_t **new_bytes);

/* What is called then. @class is that which the call is made by. */
void agent_ready(java_table *jni, java_ref class, java_ref thread);

#endif /* JAVA_READY_H */
