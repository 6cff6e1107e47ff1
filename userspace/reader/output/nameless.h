/* SPDX-License-Identifier: GPL-2.0 */
/* Object files whose functions have no names, because their symbols are not here. */
#ifndef COROPROF_NAMELESS_H
#define COROPROF_NAMELESS_H

#include "profile/model.h"

/* Warns of each object file without symbols, with the command that gets these. */
void nameless_report(const struct model *model);

#endif /* COROPROF_NAMELESS_H */
