/* SPDX-License-Identifier: GPL-2.0 */
/* The forms in which profiles are given to other programs: exports. */
#ifndef COROPROF_FORM_H
#define COROPROF_FORM_H

#include <stdbool.h>
#include <stdio.h>

#include "output/output.h"
#include "profile/model.h"

#define FORM_ENDS	3

/**
 * struct form - one of them
 * @format: what enum format calls it
 * @name:   what --format calls it
 * @text:   what for, in a few words
 * @ends:   how names of such files end, NULL behind the last
 * @slices: it shows single slices: the model is to have as many as can be
 * @check:  whether it can be written here; NULL: it can
 * @write:  returns 0, or -1 with errno when @file could not be written
 */
struct form {
	enum format format;
	const char *name;
	const char *text;
	const char *ends[FORM_ENDS + 1];
	bool slices;
	int (*check)(struct error *err);
	int (*write)(const struct model *model, FILE *file);
};

/* The form whose ending the path has; NULL if there is none. */
const struct form *form_of_path(const char *path);
const struct form *form_of_name(const char *name);
const struct form *form_of(enum format format);

/* Number of forms, for form_at(). */
unsigned int form_count(void);
const struct form *form_at(unsigned int i);

/*
 * All of them in a sentence, separated by commas: what --format calls each, or how names of such
 * files end, and what --format calls those.
 */
#define FORM_LIST	512
void form_names(char list[FORM_LIST]);
void form_ends(char list[FORM_LIST]);

/* Prints a line for each form, for --help. */
void form_help(FILE *out);

#endif /* COROPROF_FORM_H */
