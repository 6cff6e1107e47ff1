/* SPDX-License-Identifier: GPL-2.0 */
/* The trace context of the coroutine that runs. */
#ifndef COROPROF_CONTEXT_H
#define COROPROF_CONTEXT_H

struct coroprof_channel;

/* The context of a distributed trace that the running coroutine works in: COROPROF_IOC_TRACE. */
long coroprof_context(struct coroprof_channel *channel, void __user *arg);

#endif /* COROPROF_CONTEXT_H */
