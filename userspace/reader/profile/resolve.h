/* SPDX-License-Identifier: GPL-2.0 */
/* Names for labels and spans that are code addresses. */
#ifndef COROPROF_PROFILE_RESOLVE_H
#define COROPROF_PROFILE_RESOLVE_H

struct build;
struct symbols;

/* NULL when out of memory. */
struct symbols *build_symbols(struct build *b);
/* Sets names of labels and spans that have an address alone. */
void names_resolve(struct build *b);

#endif /* COROPROF_PROFILE_RESOLVE_H */
