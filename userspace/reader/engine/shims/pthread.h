/* SPDX-License-Identifier: GPL-2.0 */
/* There is one thread: who asks for another one gets none, and does the work itself. */
#ifndef ENGINE_PTHREAD_H
#define ENGINE_PTHREAD_H

#include <errno.h>
#include <sys/types.h>

static inline int pthread_create(pthread_t *thread, const void *attributes,
				 void *(*run)(void *context), void *context)
{
	(void)thread, (void)attributes, (void)run, (void)context;
	return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result)
{
	(void)thread, (void)result;
	return EINVAL;
}

#endif /* ENGINE_PTHREAD_H */
