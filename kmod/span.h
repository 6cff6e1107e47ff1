/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COROPROF_SPAN_H
#define COROPROF_SPAN_H

struct coroprof_channel;

/* By the thread itself: records in the middle of a slice, which goes on. They may sleep. */
long coroprof_span(struct coroprof_channel *channel, void __user *arg);
long coroprof_trace(struct coroprof_channel *channel, void __user *arg);

#endif /* COROPROF_SPAN_H */
