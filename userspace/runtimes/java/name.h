/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels of virtual threads. */
#ifndef JAVA_NAME_H
#define JAVA_NAME_H

#include "api.h"

/* False if the JVM keeps names elsewhere. */
bool name_begin(java_table *jni);

/* Labels of a virtual thread: */

/* by the name that the program gave it, without the number at its end. 0: none. */
uint32_t name_given(java_table *jni, java_ref thread);

/*
 * by the outermost function on the stack that is not of the JDK, if it is the calling one. 0: none.
 */
uint32_t name_on_stack(java_table *ti);

/* by the class of what it is to run. 0: this JVM keeps it elsewhere. */
uint32_t name_of_task(java_table *ti, java_table *jni, java_ref thread);

#endif /* JAVA_NAME_H */
