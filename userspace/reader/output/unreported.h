/* SPDX-License-Identifier: GPL-2.0 */
/* What to say of a recording in which not all switches were reported. */
#ifndef COROPROF_UNREPORTED_H
#define COROPROF_UNREPORTED_H

#include "profile/model.h"

/*
 * "12 slices, running 3.20 s, ...": how much of it may be wrong, and where. To be
 * freed; NULL when out of memory. Of a model in which some were missed.
 */
char *unreported_text(const struct model *m);

#endif /* COROPROF_UNREPORTED_H */
