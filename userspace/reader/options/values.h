/* SPDX-License-Identifier: GPL-2.0 */
/* The arguments of options. */
#ifndef COROPROF_OPTIONS_VALUES_H
#define COROPROF_OPTIONS_VALUES_H

#include "options/options.h"

/* Of struct sampling: --stack-max was not given. */
#define STACK_MAX_UNSET	UINT32_MAX

/* An option that was given, with its argument. */
int option_set(struct options *o, enum option_number option, const char *argument,
	       struct error *err);

/* What is no option, but means the same as one. */
int options_add_pids(struct options *o, const char *list, struct error *err);
int options_add_output(struct options *o, const char *path, enum format format, struct error *err);
int options_set_format(struct options *o, const char *name, struct error *err);
int options_set_slow(struct options *o, const char *text, struct error *err);
/* How names of files of this form end. */
const char *options_form_end(enum format format);
/* What --format calls the form @i of our own; NULL behind the last. */
const char *options_form_name(unsigned int i);

#endif /* COROPROF_OPTIONS_VALUES_H */
