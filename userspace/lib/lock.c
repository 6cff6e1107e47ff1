// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pthread.h>
#include <signal.h>

#include "internal.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sigset_t outside;

void coroprof_lock(void)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_mutex_lock(&mutex);
	outside = before;
}

void coroprof_unlock(void)
{
	sigset_t before = outside;

	pthread_mutex_unlock(&mutex);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A child that was made behind the library's back may have got it locked. */
void coroprof_lock_renew(void)
{
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
