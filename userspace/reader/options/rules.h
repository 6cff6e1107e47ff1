/* SPDX-License-Identifier: GPL-2.0 */
/* Which options need or exclude each other. */
#ifndef COROPROF_OPTIONS_RULES_H
#define COROPROF_OPTIONS_RULES_H

#include "options/options.h"

/* After the last word: refuses what does not go together, and sets what was not given. */
int options_finish(struct options *o, struct error *err);

#endif /* COROPROF_OPTIONS_RULES_H */
