/* SPDX-License-Identifier: GPL-2.0 */
/* A recording of which only the last seconds were kept: what is said of it. */
#ifndef COROPROF_PROFILE_KEPT_H
#define COROPROF_PROFILE_KEPT_H

struct build;

/* Of the profile that begins: what is missing before it. */
void bases_begin(struct build *b);
/* Sets whether it is such a recording, and of what. */
void kept_begin(struct build *b);
/* Says when its records begin, and for what it was written, in a note. */
void kept_finish(struct build *b);

#endif /* COROPROF_PROFILE_KEPT_H */
