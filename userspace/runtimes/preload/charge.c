// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pthread.h>

#include "../runtime.h"
#include "charge.h"

static __thread coroprof_co own __attribute__((tls_model("initial-exec")));

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool key_made;

static void at_exit(void *unused)
{
	(void)unused;
	coroprof_done(own);
	own = COROPROF_THREAD;
}

static void make_key(void)
{
	key_made = pthread_key_create(&key, at_exit) == 0;
}

static coroprof_co own_new(void)
{
	pthread_once(&once, make_key);
	if (key_made)
		pthread_setspecific(key, &own);
	return coroprof_new(coroprof_label("(coroprof)"), COROPROF_THREAD, 0);
}

void charge(void)
{
	if (likely(!runtime_recorded()))
		return;
	if (unlikely(own == COROPROF_THREAD))
		own = own_new();
	coroprof_switch(own);
}
