/* SPDX-License-Identifier: GPL-2.0 */
/* Recordings made and read by the tests. Includes what cmocka needs. */
#ifndef COROPROF_TESTS_RECORDING_H
#define COROPROF_TESTS_RECORDING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <linux/perf_event.h>

#include "cprof/file.h"
#include "gen/gen.h"
#include "profile/model.h"

#define THREAD(n)	(COROPROF_ID_THREAD | (n))

/* A slice from @begin_ to @end_; more members may follow. */
#define SLICE(g, channel, id_, begin_, end_, ...)			\
	gen_slice(g, channel, &(struct gen_slice){			\
		.id = (id_), .time = (end_),				\
		.duration = (end_) - (begin_), __VA_ARGS__ })

#define HW(event) { .type = PERF_TYPE_HARDWARE, .config = (event) }

extern const struct coroprof_counter cycles, instructions;

/* Where the tests write; one file at a time. */
extern char recording_path[64];

/* What is there when the program ends, for instance where a test has failed, is removed. */
void name_recording(void);
struct gen *begin_file(void);
/* Two counters, process 1 with labels 1 "a" and 2 "b". */
struct gen *begin_recording(void);
void channel(struct gen *g, uint32_t id, uint64_t begin);

/* An object file, 64 KiB of it, in the memory of process 1. */
void map_object(struct gen *g, const char *path, uint64_t start);

/* The model of a file; of one under way, which is ended and removed. */
struct model *load_path(const char *path, const struct model_options *options);
struct model *load_with(struct gen *g, const struct model_options *options);
struct model *load(struct gen *g);

/* These fail the test if there is none. The last is of process 1. */
const struct model_coroutine *coroutine(const struct model *m,
					uint32_t process_id, uint64_t id);
uint32_t label_row(const struct model *m, uint32_t process_id,
		   const char *name);
const struct model_label *label(const struct model *m, const char *name);

void assert_ns(struct model_ns ns, enum model_known known, uint64_t value);

struct view_options;
typedef int (*write_fn)(const struct model *model, const struct view_options *view, FILE *file);

/* What an output writes of the model, which is used up; to be freed. */
char *written_by(struct model *m, write_fn write, const struct view_options *view);

#endif /* COROPROF_TESTS_RECORDING_H */
