/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes in programs that know nothing of coroprof: those that --probe describes, and those
 * of a runtime that is known.
 */
#ifndef COROPROF_PROBES_H
#define COROPROF_PROBES_H

#include <stdbool.h>

#include "record/options.h"
#include "record/session.h"

/* Fails if the text of --probe has an error. */
int probes_check(const char *text, struct error *err);

/*
 * Places probes in the programs that are to be recorded, before any is attached. If a runtime that
 * was not asked for can't be probed, a warning says so. @any: there are probes.
 */
int probes_add(struct session *session, const struct record_options *options, bool *any,
	       struct error *err);

#endif /* COROPROF_PROBES_H */
