/* SPDX-License-Identifier: GPL-2.0 */
/* What the C library of WASI lacks, or asks its host for, as the engine has none. */
#ifndef COROPROF_SHIMS_H
#define COROPROF_SHIMS_H

/* Chance for the seeds of hash tables, before there is one. */
void shims_seed(double seed);

#endif /* COROPROF_SHIMS_H */
