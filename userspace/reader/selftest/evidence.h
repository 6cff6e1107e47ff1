/* SPDX-License-Identifier: GPL-2.0 */
/* One recording of the program of known work, and what is known of it. */
#ifndef COROPROF_SELFTEST_EVIDENCE_H
#define COROPROF_SELFTEST_EVIDENCE_H

#include "profile/model.h"
#include "selftest/result.h"
#include "selftest/truth.h"

/**
 * struct evidence - one recording, and what is known of it
 * @results: where to say what comes of it
 * @how:     the program was to switch
 * @user:    that was: from user mode
 * @model:   the recording
 * @truth:   what is known
 * @near_far: why memory that no cache holds was left out, or NULL
 * @row:     of each coroutine that is known, the index in the model; MODEL_NONE: it is
 *           not there
 */
struct evidence {
	struct results *results;
	const char *how;
	bool user;
	const struct model *model;
	const struct truth *truth;
	const char *near_far;
	uint32_t row[TRUTH_COROUTINES];
};

/* The index in @truth of the first coroutine of a kind; MODEL_NONE if there is none. */
uint32_t evidence_find(const struct evidence *e, enum truth_kind kind);

/* The row of a counter in @model; MODEL_NONE if there is none. */
uint32_t evidence_counter(const struct evidence *e, const char *name);

/**
 * struct measured - what a counter counted in a coroutine
 * @count: exactly; of use if there is no:
 * @why:   nothing exact is known, in words, or NULL
 */
struct measured {
	uint64_t count;
	const char *why;
};

/* What a counter, row @counter of the model, counted of coroutine @i of the truth. */
struct measured measure(const struct evidence *e, uint32_t i, uint32_t counter);

/*
 * True if a count of loops is the known number, plus at most what switches and reads of clocks
 * take.
 */
bool instructions_fit(uint64_t measured, uint64_t known, uint64_t slices);

/* By how many percent the count exceeds the known number. */
double excess(uint64_t measured, uint64_t known);

#define COUNTER_NONE	"no hardware counter"

/* Two switches, and four looks at three clocks, take some hundreds of a slice. */
#define SLICE_EXTRA	2000

/* For a format. */
#define TOLERANCE_TEXT	"0.2 %%"

#endif /* COROPROF_SELFTEST_EVIDENCE_H */
