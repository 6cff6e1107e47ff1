/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Begins to report the virtual threads of a JVM. */
#ifndef JAVA_AGENT_H
#define JAVA_AGENT_H

#include "api.h"

/*
 * From now on virtual threads are reported, of a JVM that runs: @jni is the calling thread's.
 * Does nothing if they are already, or if this JVM has none.
 */
void agent_begin(java_table *vm, java_table *jni);

/* The same, once a JVM that is being made runs. */
void agent_begin_later(java_table *vm);

#endif /* JAVA_AGENT_H */
