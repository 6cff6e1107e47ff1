/* SPDX-License-Identifier: GPL-2.0 */
/* A recording of which only the last seconds were kept: what is said of it. */
#ifndef COROPROF_PROFILE_KEPT_H
#define COROPROF_PROFILE_KEPT_H

struct build;

/* Marks slices and spans before the kept records as missing, in the profile that begins. */
void bases_begin(struct build *b);
/* Sets whether only the last seconds were kept, and since when. */
void kept_begin(struct build *b);
/* Writes the note: when the kept records begin, and for what the file was written. */
void kept_finish(struct build *b);

#endif /* COROPROF_PROFILE_KEPT_H */
