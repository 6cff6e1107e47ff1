/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What stacks weigh: samples, times, counters. A stack is a label, and below it
 *
 *  - the functions of a call chain, for samples;
 *  - nested spans, for running time and counters: what a span weighs is its own
 *    figure, and the label alone what was in no span, so that the sum is the figure
 *    of the label;
 *  - nested spans alone, for their wall time and calls;
 *  - nothing, for what is known by label only.
 *
 * Where several processes were recorded, a stack begins with the process.
 */
#ifndef COROPROF_WEIGHTS_H
#define COROPROF_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "profile/model.h"

enum weight_of {
	WEIGHT_SAMPLES,
	WEIGHT_RUNNING,
	WEIGHT_PREEMPTED,
	WEIGHT_BLOCKED,
	WEIGHT_IDLE,
	WEIGHT_SUSPENDED,
	WEIGHT_AWAITING,
	WEIGHT_READY,
	WEIGHT_SLICES,
	WEIGHT_WALL,
	WEIGHT_CALLS,
	WEIGHT_COUNTER,
};

#define WEIGHTS_MAX	(WEIGHT_COUNTER + MODEL_COUNTERS_MAX)

/**
 * struct weight - one of them
 * @of:     enum weight_of
 * @counter: WEIGHT_COUNTER: which one
 * @name:   "running", "cycles"
 * @time:   it is nanoseconds
 */
struct weight {
	enum weight_of of;
	uint32_t counter;
	const char *name;
	bool time;
};

/* Lists the weights of which the recording has something; returns their number. */
unsigned int weights_list(const struct model *model, struct weight list[WEIGHTS_MAX]);

/* The weight of this name; else an error that lists the names. */
int weight_named(struct weight *weight, const struct model *model, const char *name,
		 struct error *err);

/*
 * The standing of a weight's total, as the header of text has it: "scaled", or what is known in
 * part; NULL if it is exact.
 */
const char *weight_standing(const struct model *model, const struct weight *weight);

/*
 * True if the labels' estimates of a counter do not sum to that of all of them, as labels were
 * counted for different parts of their time; writes a sentence with both.
 */
bool weight_sum_differs(const struct model *model, uint32_t counter, char *to, size_t capacity);

/* Numbers of frames are below this. */
uint32_t stack_frames_nr(const struct model *model);
/* Likewise, with source lines. */
uint32_t stack_frames_nr_lines(const struct model *model);
/* The function in which a line is; of any other frame, the frame itself. */
uint32_t stack_frame_function(const struct model *model, uint32_t frame);
bool stack_frame_is_inlined(const struct model *model, uint32_t frame);
/*
 * The source file of a frame, and a line: of a function, where it begins. NULL if it is not known.
 */
const char *stack_frame_source(const struct model *model, uint32_t frame, uint32_t *line);
/*
 * Process names are written into @text: with that of a recording's file, if there are several.
 */
#define FRAME_NAME_SIZE	320
const char *stack_frame_name(const struct model *model, uint32_t frame,
			     char text[FRAME_NAME_SIZE]);
/* The object file of a frame; NULL if it is not known. */
const char *stack_frame_object(const struct model *model, uint32_t frame);

/**
 * struct stack - one, and what it weighs
 * @frames: from the outermost
 * @nr:     how many
 * @value:  its weight, never 0
 */
struct stack {
	const uint32_t *frames;
	uint32_t nr;
	uint64_t value;
};

/*
 * Calls @use for each stack; those without a value are left out. Returns 0, or -1
 * with errno when out of memory.
 */
int weights_walk(const struct model *model, const struct weight *weight,
		 void (*use)(void *context, const struct stack *stack), void *context);

/* Likewise, and stacks of samples are of lines where these are known. */
int weights_walk_lines(const struct model *model, const struct weight *weight,
		       void (*use)(void *context, const struct stack *stack), void *context);

#endif /* COROPROF_WEIGHTS_H */
