/* SPDX-License-Identifier: GPL-2.0 */
/* --fail-if: a condition on what differs between two recordings. */
#ifndef COROPROF_GATE_H
#define COROPROF_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "profile/model.h"

/**
 * struct gate - "instructions/slice > +5%"
 * @text:   what it was given as
 * @figure: as struct model_change has it, @length bytes of @text
 * @length: see there
 * @less:   it is met by what is less than @limit, else by what is more
 * @limit:  share of the old figure: 0.05
 */
struct gate {
	const char *text;
	const char *figure;
	size_t length;
	bool less;
	double limit;
};

/* Fails with what a condition looks like. */
int gate_parse(struct gate *gate, const char *text, struct error *err);

/*
 * Figures that conditions are of get their verdicts anew, corrected for each other alone: what
 * nobody asks about does not weigh on them. Returns 0, or -1 when out of memory.
 */
int gates_judge(const struct gate *gates, unsigned int nr, struct model *model);

/*
 * *@met is set if it holds for a label, a span or a function, beyond noise; @report is called
 * with a text for each such one, and for each that has the figure for it and no verdict.
 * Fails where none has the figure in both recordings, or none could be tested: then nothing
 * is known.
 */
int gate_check(const struct gate *gate, const struct model *model, bool *met,
	       void (*report)(const char *text), struct error *err);

/*
 * Whether each label that has much to do is in both recordings: what is in one can be held
 * against nothing, so that no condition says anything of it. @report: as above.
 */
bool gate_paired(const struct model *model, void (*report)(const char *text));

#endif /* COROPROF_GATE_H */
