/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the program's tokio is known. */
#ifndef TOKIO_VERSION_H
#define TOKIO_VERSION_H

#include "symbols.h"

/*
 * Whether the program has tokio in it, and only of versions whose tasks are known. A program
 * with others is reported (COROPROF_DEBUG=1). The versions are in the paths of tokio's source,
 * which panics print.
 */
bool version_is_known(const struct symbols *symbols);

#endif /* TOKIO_VERSION_H */
