// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The lock of whatever is made or ended. No switch takes it. Signals are blocked meanwhile, as a
 * handler may call the library too.
 */
#include <pthread.h>

#include "internal.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sigset_t outside;

void coroprof_lock(void)
{
	sigset_t before = coroprof_signals_block();

	pthread_mutex_lock(&mutex);
	outside = before;
}

void coroprof_unlock(void)
{
	sigset_t before = outside;

	pthread_mutex_unlock(&mutex);
	coroprof_signals_restore(&before);
}

/* A child that was made behind the library's back may have got it locked. */
void coroprof_lock_renew(void)
{
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
