// SPDX-License-Identifier: GPL-2.0
#include "lock.h"

/* Described in lock.h. */
DEFINE_MUTEX(coroprof_mutex);
