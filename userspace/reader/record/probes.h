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

/* Whether the text of --probe makes sense; it does if @err is as it was. */
int probes_check(const char *text, struct error *err);

/*
 * Has @session probe what is to be recorded, before anything of it is attached. Of a runtime
 * that was not asked for by name, only a warning says that it can't be probed. @any: there
 * are probes now.
 */
int probes_add(struct session *session, const struct record_options *options, bool *any,
	       struct error *err);

#endif /* COROPROF_PROBES_H */
