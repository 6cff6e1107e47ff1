/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Each kind of row that a model stores, described once: what its members refer to, which of them
 * are points in time, own memory, or are summed where two recordings have the row in common.
 * Adding recordings up (combine.c) and freeing go by it. Storage stays plain structs, and what
 * reads single rows does not come by here.
 *
 * A member has one line. Without it, tests/unit/profile/test-schema.c fails; if its type is not
 * that of its line, schema.c does not compile.
 */
#ifndef COROPROF_SCHEMA_H
#define COROPROF_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;

/*
 * The tables: X(name, member of struct model, struct model_ROW). One with keys comes behind those
 * that it refers to: which rows two recordings have in common can be said once these are known.
 */
#define SCHEMA_TABLES(X)						\
	X(INFO, info, info)						\
	X(COUNTERS, counters, counter)					\
	X(MODES, modes, mode_row)					\
	X(FRAMES, frames, frame)					\
	X(LOCATIONS, locations, location)				\
	X(PROCESSES, processes, process)				\
	X(CHANNELS, channels, channel)					\
	X(LABELS, labels, label)					\
	X(COROUTINES, coroutines, coroutine)				\
	X(TIMELINE, timeline, slice)					\
	X(TIMELINE_SPANS, timeline_spans, timeline_span)		\
	X(TIMELINE_SAMPLES, timeline_samples, timeline_sample)		\
	X(WAKES, wakes, wake)						\
	X(LONGEST, longest, longest)					\
	X(HEAT_MAP, heat_map, heat_bucket)				\
	X(SAMPLE_NODES, sample_nodes, sample_node)			\
	X(LINE_NODES, line_nodes, line_node)				\
	X(LABEL_FRAMES, label_frames, label_frame)			\
	X(SPANS, spans, span)						\
	X(LABEL_SPANS, label_spans, label_span)				\
	X(SPAN_NODES, span_nodes, span_node)				\
	X(DAMAGE, damage, damage)					\
	X(FINDINGS, findings, finding)					\
	X(CHANGES, changes, change)					\
	X(CHANGE_NODES, change_nodes, change_node)			\
	X(ANSWERS, answers, answer)					\
	X(METADATA, metadata, metadata)					\
	X(SLOW_OF, slow_of, slow_of)					\
	X(SLOW, slow, change)						\
	X(SLOW_NODES, slow_nodes, change_node)

#define SCHEMA_NAME(name, rows, row)	SCHEMA_##name,
enum schema_id {
	SCHEMA_MODEL,	/* struct model itself, a table of one row */
	SCHEMA_TABLES(SCHEMA_NAME)
	SCHEMA_NR,
	SCHEMA_SELF	/* as @table of a member: the table that the member is in */
};
#undef SCHEMA_NAME

/*
 * What a member is. Rows are in common if all their keys are equal; so are those of SCHEMA_MODEL.
 * Roles from SCHEMA_SUM on say what becomes of the member of such a row. The first reference in a
 * description is the one to the row's owner.
 */
enum schema_role {
	SCHEMA_KEEP,		/* it stays as it is; of rows in common, that of the first */
	SCHEMA_HAND,		/* likewise, and combine.c knows more */
	SCHEMA_ROW,		/* row of a table, or MODEL_NONE */
	SCHEMA_TIME,		/* when something was; 0: not known */
	SCHEMA_OWNED,		/* pointers to memory of this row */
	SCHEMA_HISTOGRAM,	/* likewise, to struct histogram */
	SCHEMA_KEY,
	SCHEMA_KEY_TEXT,	/* owned */
	SCHEMA_SUM,
	SCHEMA_SUM_KNOWN,	/* what is below 0 is not known, and not in it */
	SCHEMA_TIMES,		/* struct model_times */
	SCHEMA_PARTIAL,		/* MODEL_PARTIAL_* */
	SCHEMA_ANY,
	SCHEMA_ALL,
	SCHEMA_MOST,
	SCHEMA_BEGIN,		/* a time as well: the first that is known */
	SCHEMA_END,		/* likewise the last */
	SCHEMA_EQUAL,		/* 0 if they differ */
	SCHEMA_EQUAL_KNOWN,	/* -1 if they differ */
	SCHEMA_FIRST,		/* that is not 0, or NULL */
	SCHEMA_FIRST_TEXT,	/* likewise, and owned */
	SCHEMA_TEXTS,		/* both, if they differ */
	SCHEMA_FACT,		/* likewise; what is not known of one is n/a */
};

/**
 * struct schema_member - a member of a row
 * @name:  its name
 * @at:    where it is in the row
 * @size:  how large it is: of an array, all of it
 * @role:  enum schema_role
 * @table: SCHEMA_ROW: of which one
 */
struct schema_member {
	const char *name;
	uint16_t at;
	uint16_t size;
	uint8_t role;
	uint8_t table;
};

/**
 * struct schema_table - a table of a model
 * @members:    of its rows
 * @nr_members: how many
 * @size:       of a row
 * @most:       its rows are in struct model itself, which has room for so many; 0: they are
 *              behind a pointer
 * @rows:       where in struct model its rows are
 * @nr:         where their number is
 */
struct schema_table {
	const struct schema_member *members;
	uint32_t nr_members;
	uint32_t size;
	uint32_t most;
	size_t rows;
	size_t nr;
};

static inline bool schema_is_owned(const struct schema_member *member)
{
	return member->role == SCHEMA_OWNED || member->role == SCHEMA_HISTOGRAM ||
	       member->role == SCHEMA_KEY_TEXT || member->role == SCHEMA_FIRST_TEXT;
}

static inline bool schema_is_key(const struct schema_member *member)
{
	return member->role == SCHEMA_KEY || member->role == SCHEMA_KEY_TEXT;
}

static inline bool schema_is_time(const struct schema_member *member)
{
	return member->role == SCHEMA_TIME || member->role == SCHEMA_BEGIN ||
	       member->role == SCHEMA_END;
}

extern const struct schema_table schema_tables[SCHEMA_NR];

/**
 * struct schema_sums - sums of counters that the rows of a table have
 * @table:   of which
 * @of_row:  so many rows of sums has each
 * @running: where the running time of each of these is in the row
 * @sums:    where in struct model they are
 */
struct schema_sums {
	enum schema_id table;
	uint32_t of_row;
	size_t running[2];
	size_t sums;
};

#define SCHEMA_SUMS	8
extern const struct schema_sums schema_sums[SCHEMA_SUMS];

void *schema_rows(const struct model *model, enum schema_id table);
void *schema_row(const struct model *model, enum schema_id table, uint32_t row);
uint32_t schema_nr(const struct model *model, enum schema_id table);
/*
 * MODEL_PARTIAL_* of the owner of a row: of what it refers to first, and what that does, until one
 * has them; of the recording, if there is none.
 */
uint32_t schema_partial(const struct model *model, enum schema_id table, const void *row);
static inline bool schema_lacks(const struct model *model, enum schema_id table, const void *row,
				uint32_t what)
{
	return schema_partial(model, table, row) & what;
}

/* The rows, and how many: what was there before is the caller's. */
void schema_set(struct model *model, enum schema_id table, void *rows, uint32_t nr);
/* Sets those of @rows that a row of any table refers to. */
void schema_mark(const struct model *model, enum schema_id table, bool *rows);
/*
 * Frees the rows that are not to be kept, with their sums of counters; what refers to one then
 * refers to none. False when out of memory: nothing is changed.
 */
bool schema_keep(struct model *model, enum schema_id table, const bool *keep);
/* Frees the rows of a table, and all that is theirs; it then has none. */
void schema_clear(struct model *model, enum schema_id table);
/* All tables, and other memory of the model, but for model.texts. */
void schema_free(struct model *model);

#endif /* COROPROF_SCHEMA_H */
