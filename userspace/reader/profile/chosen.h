/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Some threads, or labels, of a recording: their slices are added up, and no others. Those that are
 * passed over are still looked at, as what is between the slices of a coroutine depends on all of
 * them: a gap ends with the slice that it is before, and begins where the coroutine ran last,
 * wherever that was. So a figure of a chosen thread and label is the same whatever else is chosen.
 *
 *   in it      slices of the threads and labels, with what they counted, the gaps and wakes before
 *              them, whether they were on another thread than the slice before, and samples
 *   whole      what a coroutine is: when it was born, ran first and last, on how many threads; how
 *              many left a label for another one; and what is of threads, such as what was lost
 *   left out   spans, unless all threads of a process are chosen: one may end in another slice than
 *              those in it; what recording cost, which is of threads as a whole; and rows
 *              without anything in it that nothing refers to
 *
 * Slices are looked at in the order of time, by one thread.
 */
#ifndef COROPROF_CHOSEN_H
#define COROPROF_CHOSEN_H

#include <stdbool.h>
#include <stdint.h>

struct build;
struct error;
struct record;

/**
 * struct model_chosen_label - a label of one process
 * @process:   row
 * @number:    as model_label.number
 * @of_thread: it is of threads, and none of coroutines
 */
struct model_chosen_label {
	uint32_t process;
	uint32_t number;
	bool of_thread;
};

/**
 * struct model_chosen - what is chosen, by rows of the recording, which are the same in all of it
 * @text:        for the note of each output: "thread 12"
 * @channels:    rows
 * @nr_channels: how many; 0: all
 * @labels:      of these processes
 * @nr_labels:   how many; 0: all
 */
struct model_chosen {
	const char *text;
	const uint32_t *channels;
	uint32_t nr_channels;
	const struct model_chosen_label *labels;
	uint32_t nr_labels;
};

/*
 * For model_chosen.text, what is chosen in words, to be freed; 0 and NULL: not by that. NULL when
 * out of memory.
 */
char *chosen_text(const char *label, int32_t tid, int32_t pid);

/* Once it is known what there is; sets build.chosen where the options choose. */
void chosen_begin(struct build *b);
void chosen_free(struct build *b);
/* Whether slices of it are; @of_thread: the slice is of a thread outside coroutines. */
bool chosen_has(const struct build *b, uint32_t channel, uint32_t label, bool of_thread);
/* Whether spans that ended on the channel are; that one of a chosen one is not is remembered. */
bool chosen_has_span(struct build *b, uint32_t channel);
/* Once the sums are the model's: takes out rows without anything. */
void chosen_finish(struct build *b);
/* Whether there were spans, and they are not in it. */
bool chosen_lacks_spans(const struct build *b);
/* Once nothing is beside the rows any more: takes out threads and processes that are not chosen. */
void chosen_end(struct build *b);
/* Fails if there are more coroutines than can be followed. */
int chosen_check(const struct build *b, struct error *err);

#endif /* COROPROF_CHOSEN_H */
