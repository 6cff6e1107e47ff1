/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JAVA_NAME_H
#define JAVA_NAME_H

#include "api.h"

/* The label of a virtual thread, which is the calling one. */
uint32_t name_of(java_table *ti, java_table *jni, java_ref thread);

#endif /* JAVA_NAME_H */
