// SPDX-License-Identifier: GPL-2.0
/* The one lock of the module's objects. */
#include "lock.h"

/* Described in lock.h. */
DEFINE_MUTEX(coroprof_mutex);
