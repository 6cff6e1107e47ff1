/* SPDX-License-Identifier: GPL-2.0 */
/* The slots of a process, for a reader that gets no slices. */
#ifndef COROPROF_VIEW_H
#define COROPROF_VIEW_H

struct coroprof_session;

long coroprof_view_open(struct coroprof_session *session, void __user *arg);

#endif /* COROPROF_VIEW_H */
