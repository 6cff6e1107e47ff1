/* SPDX-License-Identifier: GPL-2.0 */
/* A part of a coroutine that the program has measured. */
#ifndef COROPROF_SPAN_H
#define COROPROF_SPAN_H

struct coroprof_channel;

long coroprof_span(struct coroprof_channel *channel, void __user *arg);

#endif /* COROPROF_SPAN_H */
