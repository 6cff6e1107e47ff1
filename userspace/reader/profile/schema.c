// SPDX-License-Identifier: GPL-2.0
/*
 * What the rows of a model are, and how they are freed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/histogram.h"
#include "profile/model.h"
#include "profile/schema.h"
#include "profile/sums.h"

/* ---- rows */

#define MEMBER(role_, member)						\
	{ .name = #member, .at = offsetof(THIS, member),		\
	  .size = sizeof(((THIS *)0)->member), .role = (role_) }
/* Does not compile with a member of another type. */
#define TYPED(role, member, ...) \
	MEMBER(_Generic(((THIS *)0)->member, __VA_ARGS__) ? (role) : 0, member)

#define KEEP(member)		MEMBER(SCHEMA_KEEP, member)
#define HAND(member)		MEMBER(SCHEMA_HAND, member)
#define KEY(member)		MEMBER(SCHEMA_KEY, member)
#define KEY_TEXT(member)	TYPED(SCHEMA_KEY_TEXT, member, char *: 1)
#define TIME(member)		TYPED(SCHEMA_TIME, member, uint64_t: 1)
#define OWNED(member)		MEMBER(SCHEMA_OWNED, member)
#define HISTOGRAM(member)	MEMBER(SCHEMA_HISTOGRAM, member)
#define SUM(member)		TYPED(SCHEMA_SUM, member, uint32_t: 1, uint64_t: 1)
#define KNOWN			double: 1, struct model_cost: 1, struct model_cost *: 1
#define SUM_KNOWN(member)	TYPED(SCHEMA_SUM_KNOWN, member, KNOWN)
#define TIMES(member)		TYPED(SCHEMA_TIMES, member, struct model_times: 1)
#define PARTIAL(member)		TYPED(SCHEMA_PARTIAL, member, uint32_t: 1)
#define ANY(member)		TYPED(SCHEMA_ANY, member, bool: 1)
#define ALL(member)		TYPED(SCHEMA_ALL, member, bool: 1)
#define MOST(member)		TYPED(SCHEMA_MOST, member, uint32_t: 1, uint64_t: 1)
#define BEGIN(member)		TYPED(SCHEMA_BEGIN, member, uint64_t: 1)
#define END(member)		TYPED(SCHEMA_END, member, uint64_t: 1)
#define EQUAL(member)		TYPED(SCHEMA_EQUAL, member, uint32_t: 1, uint64_t: 1)
#define EQUAL_KNOWN(member)	TYPED(SCHEMA_EQUAL_KNOWN, member, KNOWN)
#define FIRST(member) \
	TYPED(SCHEMA_FIRST, member, int: 1, uint64_t: 1, const char *: 1)
#define FIRST_TEXT(member)	TYPED(SCHEMA_FIRST_TEXT, member, char *: 1)
#define TEXTS(member)		TYPED(SCHEMA_TEXTS, member, const char *: 1)
#define FACT(member)		TYPED(SCHEMA_FACT, member, const char *: 1)
#define ROW(member, of)							\
	{ .name = #member, .at = offsetof(THIS, member), .size = sizeof(uint32_t), \
	  .role = _Generic(((THIS *)0)->member, uint32_t: SCHEMA_ROW), .table = SCHEMA_##of }

#define THIS struct model_info
static const struct schema_member info[] = {
	OWNED(key), OWNED(value),
};
#undef THIS

/* What is compared byte by byte has none that mean nothing. */
_Static_assert(sizeof(struct coroprof_counter) == 2 * sizeof(uint32_t) + 3 * sizeof(uint64_t), "");

#define THIS struct model_counter
static const struct schema_member counter[] = {
	OWNED(name), KEY(counter), ANY(in_session), SUM(channels), SUM(failed),
	FIRST(error), FIRST(error_text),
};
#undef THIS

#define THIS struct model_mode_row
static const struct schema_member mode_row[] = {
	KEY(mode), KEY(reason), SUM(threads), KEEP(why), KEY_TEXT(found), KEY_TEXT(fix),
};
#undef THIS

#define THIS struct model_frame
static const struct schema_member frame[] = {
	KEY(kind), KEY_TEXT(name), KEY_TEXT(object), KEEP(unresolved), OWNED(file), KEEP(line),
	SUM(own), SUM(total),
};
#undef THIS

#define THIS struct model_location
static const struct schema_member location[] = {
	ROW(frame, FRAMES), KEY(frame), KEY(inlined), KEY_TEXT(file), KEY(line), SUM(own),
	SUM(total),
};
#undef THIS

#define THIS struct model_process
static const struct schema_member process[] = {
	PARTIAL(partial), KEEP(id), KEEP(pid), OWNED(comm), OWNED(root), OWNED(reported_by),
	OWNED(lacks), TIME(begin_ns), TIME(end_ns), KEEP(coroutines), HAND(recording), KEEP(cpu),
	KEEP(unrecorded), KEEP(others), KEEP(probed),
};
#undef THIS

/* Columns of a channel are bytes. */
_Static_assert(MODEL_COUNTERS_MAX < UINT8_MAX, "");

#define THIS struct model_channel
static const struct schema_member channel[] = {
	PARTIAL(partial), KEEP(id), ROW(process, PROCESSES), KEEP(tid), OWNED(comm),
	TIME(begin_ns), TIME(end_ns),
	KEEP(error), KEEP(error_text), KEEP(damaged), KEEP(mode), ROW(mode_row, MODES), KEEP(lost),
	KEEP(spans), KEEP(lost_spans), KEEP(samples), KEEP(lost_samples), KEEP(throttled),
	KEEP(sample_error), KEEP(sample_error_text), KEEP(sample_clock), KEEP(times), KEEP(pieces),
	KEEP(outside_ns), KEEP(tool_ns), HAND(counters), KEEP(nr_counters), KEEP(check),
	OWNED(check_text),
};
#undef THIS

#define THIS struct model_label
static const struct schema_member label[] = {
	ROW(process, PROCESSES), KEEP(kind), OWNED(name), OWNED(object), KEEP(address),
	KEEP(unresolved), KEEP(number), KEEP(coroutines), KEEP(renamed), KEEP(unreported),
	KEEP(unreported_ns), KEEP(samples), KEEP(calls), KEEP(probes_ns), KEEP(times), KEEP(min_ns), KEEP(max_ns),
	HISTOGRAM(histograms), KEEP(held), KEEP(side),
};
#undef THIS

/* There may be a million of them. */
_Static_assert(sizeof(struct model_coroutine) == 224, "");

#define THIS struct model_coroutine
static const struct schema_member coroutine[] = {
	ROW(process, PROCESSES), KEEP(id), ROW(label, LABELS), KEEP(flags), ROW(channel, CHANNELS),
	TIME(last_ns), KEEP(max_ns), HAND(threads), KEEP(migrations), KEEP(carried), KEEP(times),
	KEEP(parent), KEEP(tag), TIME(born_ns), TIME(first_ns),
	KEEP(samples), KEEP(calls),
};
#undef THIS

/* Likewise. */
_Static_assert(sizeof(struct model_slice) == 128, "");

#define THIS struct model_slice
static const struct schema_member slice[] = {
	ROW(label, LABELS), TIME(begin_ns), KEEP(duration_ns), KEEP(flags),
	ROW(coroutine, COROUTINES), KEEP(nr_slices), KEEP(longest_ns), ROW(channel, CHANNELS),
	HAND(valid), HAND(count), KEEP(preempted_ns), KEEP(blocked_ns), KEEP(idle_ns),
	TIME(wake_ns), KEEP(waker), ROW(waker_coroutine, COROUTINES),
};
#undef THIS

#define THIS struct model_timeline_span
static const struct schema_member timeline_span[] = {
	ROW(process, PROCESSES), TIME(end_ns), KEEP(duration_ns), KEEP(running_ns), KEEP(id),
	ROW(coroutine, COROUTINES), ROW(span, SPANS), ROW(channel, CHANNELS), KEEP(depth),
};
#undef THIS

#define THIS struct model_timeline_sample
static const struct schema_member timeline_sample[] = {
	TIME(time_ns), ROW(channel, CHANNELS), ROW(coroutine, COROUTINES), ROW(node, SAMPLE_NODES),
};
#undef THIS

#define THIS struct model_wake
static const struct schema_member wake[] = {
	ROW(woken, LABELS), ROW(waker, LABELS), KEEP(count), KEEP(ready_ns), KEEP(ready),
};
#undef THIS

#define THIS struct model_longest
static const struct schema_member longest[] = {
	ROW(process, PROCESSES), KEEP(what), KEEP(ns), TIME(begin_ns), TIME(end_ns), KEEP(id),
	KEEP(waker), ROW(label, LABELS), ROW(channel, CHANNELS),
	ROW(coroutine, COROUTINES), ROW(waker_coroutine, COROUTINES), KEEP(times),
};
#undef THIS

#define THIS struct model_heat_bucket
static const struct schema_member heat_bucket[] = {
	ROW(label, LABELS), TIME(begin_ns), TIME(end_ns), KEEP(from_ns), KEEP(below_ns),
	KEEP(slices),
};
#undef THIS

#define THIS struct model_sample_node
static const struct schema_member sample_node[] = {
	ROW(label, LABELS), ROW(frame, FRAMES), ROW(parent, SELF), KEEP(depth), KEEP(own),
	KEEP(total),
};
#undef THIS

#define THIS struct model_line_node
static const struct schema_member line_node[] = {
	ROW(node, SAMPLE_NODES), ROW(location, LOCATIONS), ROW(parent, SELF), KEEP(own), KEEP(total),
};
#undef THIS

#define THIS struct model_label_frame
static const struct schema_member label_frame[] = {
	ROW(label, LABELS), ROW(frame, FRAMES), KEEP(own), KEEP(total),
};
#undef THIS

#define THIS struct model_span
static const struct schema_member span[] = {
	ROW(process, PROCESSES), OWNED(name), OWNED(object), KEEP(address), KEEP(unresolved),
	KEEP(sums), HISTOGRAM(histogram),
};
#undef THIS

#define THIS struct model_label_span
static const struct schema_member label_span[] = {
	ROW(span, SPANS), ROW(label, LABELS), KEEP(sums),
};
#undef THIS

#define THIS struct model_span_node
static const struct schema_member span_node[] = {
	ROW(span, SPANS), ROW(label, LABELS), ROW(parent, SELF), KEEP(depth), KEEP(sums),
};
#undef THIS

#define THIS struct model_damage
static const struct schema_member damage[] = {
	ROW(channel, CHANNELS), KEEP(offset), OWNED(text),
};
#undef THIS

#define THIS struct model_finding
static const struct schema_member finding[] = {
	KEEP(kind), OWNED(text), ROW(label, LABELS), ROW(coroutine, COROUTINES),
	ROW(channel, CHANNELS), TIME(begin_ns), TIME(end_ns), KEEP(longest_ns),
};
#undef THIS

#define THIS struct model_change
static const struct schema_member change[] = {
	KEEP(of), OWNED(name), OWNED(label), OWNED(figure), KEEP(time), KEEP(side), KEEP(change),
	KEEP(typical), KEEP(standing), KEEP(p), KEEP(least), KEEP(alone), KEEP(modes), KEEP(drift),
	KEEP(factor), KEEP(freedom), KEEP(low), KEEP(high), KEEP(seen), KEEP(verdict), KEEP(why),
};
#undef THIS

#define THIS struct model_change_node
static const struct schema_member change_node[] = {
	KEEP(samples), OWNED(name), ROW(parent, SELF), KEEP(own), KEEP(total), KEEP(slices),
	KEEP(at_least),
};
#undef THIS

#define THIS struct model_answer
static const struct schema_member answer[] = {
	OWNED(text), OWNED(name), KEEP(share), KEEP(standing),
};
#undef THIS

#define THIS struct model_metadata
static const struct schema_member metadata[] = {
	KEEP(name), OWNED(text), KEEP(matters),
};
#undef THIS

#define THIS struct model_slow_of
static const struct schema_member slow_of[] = {
	OWNED(label), KEEP(lives), OWNED(by), OWNED(asked), KEEP(above), KEEP(time), KEEP(nr),
	KEEP(left_out), KEEP(at_least),
};
#undef THIS

#define ROWS(rows)	KEEP(rows), KEEP(nr_##rows)
#define THIS struct model
static const struct schema_member model[] = {
	OWNED(path),
	SUM(file_size),
	ROWS(info),
	FACT(command),
	HAND(note),
	OWNED(own_note),
	KEEP(part),
	KEEP(some_labels),
	KEEP(exact),
	HAND(recordings),
	OWNED(list),
	HAND(texts),
	HAND(nr_texts),
	FACT(host),
	FACT(kernel),
	FACT(arch),
	FACT(pmu),
	TEXTS(simulated),
	TEXTS(missing),
	ALL(without_pmu),
	ANY(hypervisor),
	EQUAL(cpus),
	HAND(realtime_offset_ns),
	ALL(realtime_known),
	MOST(clocks_ns),
	BEGIN(begin_ns),
	BEGIN(from_ns),
	END(end_ns),
	ALL(ended),
	HAND(exit_status),
	SUM(unread_bytes),
	SUM(unread_records),
	FIRST_TEXT(truncated),
	FIRST(truncated_offset),
	KEEP(kept),
	KEEP(kept_from_ns),
	KEEP(kept_ns),
	KEEP(dumped),
	KEEP(dumped_for),
	KEEP(dumped_figure),
	ROWS(damage),
	SUM(nr_damage_total),
	ROWS(counters),
	SUM(dropped_counters),
	HAND(cycles),
	HAND(instructions),
	ROWS(processes),
	ROWS(channels),
	ROWS(labels),
	ROWS(coroutines),
	SUM(nr_folded_coroutines),
	SUM(nr_coroutines_total),
	ROWS(timeline),
	OWNED(timeline_first),
	MOST(timeline_resolution_ns),
	ROWS(timeline_spans),
	MOST(timeline_spans_least_ns),
	ROWS(timeline_samples),
	ROWS(wakes),
	SUM(nr_dropped_wakes),
	ROWS(longest),
	ROWS(heat_map),
	ROWS(findings),
	OWNED(nothing),
	OWNED(remedy),
	OWNED(unrecorded),
	OWNED(unmeasured),
	ROWS(metrics),
	ROWS(modes),
	ANY(totals),
	ALL(all_threads),
	KEEP(some),
	ANY(sampled),
	TEXTS(sample_event),
	EQUAL(sample_period),
	EQUAL(sample_frequency),
	MOST(sample_stack_max),
	TEXTS(sample_note),
	SUM(samples),
	SUM(lost_samples),
	SUM(throttled),
	SUM(unsampled),
	SUM(clock_sampled),
	ROWS(frames),
	ROWS(sample_nodes),
	ROWS(label_frames),
	ROWS(locations),
	ROWS(line_nodes),
	FIRST(lines_fault),
	ANY(lines_sought),
	ROWS(spans),
	ROWS(label_spans),
	ROWS(span_nodes),
	SUM(nr_span_calls),
	SUM(lost_spans),
	SUM(dropped_spans),
	SUM(impossible_spans),
	ANY(calls_counted),
	KEEP(compared),
	ROWS(changes),
	ROWS(change_nodes),
	ROWS(answers),
	ROWS(metadata),
	ROWS(slow_of),
	ROWS(slow),
	ROWS(slow_nodes),
	TIMES(times),
	SUM(lost),
	PARTIAL(partial),
	SUM(unreported),
	SUM(unreported_ns),
	EQUAL_KNOWN(switch_cost),
	EQUAL_KNOWN(span_cost),
	EQUAL_KNOWN(join_cost),
	EQUAL_KNOWN(ring_cost),
	EQUAL_KNOWN(birth_cost),
	EQUAL_KNOWN(probe_cost),
	EQUAL_KNOWN(probe_birth_cost),
	SUM_KNOWN(naming),
	SUM_KNOWN(overhead_ns),
	ANY(overhead_at_least),
	ANY(overhead_estimated),
	HAND(overhead_share),
	SUM(failed_checks),
	OWNED(coroutine_sums),
	OWNED(label_sums),
	OWNED(channel_sums),
	OWNED(total_sums),
	OWNED(longest_sums),
	OWNED(span_sums),
	OWNED(label_span_sums),
	OWNED(label_span_squares),
	HAND(nr_squares),
	OWNED(span_node_sums),
};
#undef THIS

/* ---- tables */

#define TABLE(name, rows_, row)						\
	[SCHEMA_##name] = {						\
		.members = row,						\
		.nr_members = ARRAY_SIZE(row),				\
		.size = sizeof(((struct model *)0)->rows_[0]),		\
		.most = sizeof(((struct model *)0)->rows_) > sizeof(void *) ?	\
			MODEL_COUNTERS_MAX : 0,				\
		.rows = offsetof(struct model, rows_),			\
		.nr = offsetof(struct model, nr_##rows_),		\
	},

const struct schema_table schema_tables[SCHEMA_NR] = {
	SCHEMA_TABLES(TABLE)
	[SCHEMA_MODEL] = {
		.members = model, .nr_members = ARRAY_SIZE(model), .size = sizeof(struct model),
	},
};

#define SUMS(name, row, sums_)						\
	{ .table = SCHEMA_##name, .of_row = 1, .sums = offsetof(struct model, sums_), \
	  .running = { offsetof(struct row, times.running_ns) } }
#define SPAN_SUMS(name, row, sums_)						\
	{ .table = SCHEMA_##name, .of_row = 2, .sums = offsetof(struct model, sums_), \
	  .running = { offsetof(struct row, sums.running_ns),		\
		       offsetof(struct row, sums.own_running_ns) } }

const struct schema_sums schema_sums[SCHEMA_SUMS] = {
	SUMS(CHANNELS, model_channel, channel_sums),
	SUMS(LABELS, model_label, label_sums),
	SUMS(COROUTINES, model_coroutine, coroutine_sums),
	SUMS(LONGEST, model_longest, longest_sums),
	SPAN_SUMS(SPANS, model_span, span_sums),
	SPAN_SUMS(LABEL_SPANS, model_label_span, label_span_sums),
	SPAN_SUMS(SPAN_NODES, model_span_node, span_node_sums),
	SUMS(MODEL, model, total_sums),
};

uint32_t schema_nr(const struct model *m, enum schema_id table)
{
	return table == SCHEMA_MODEL ? 1 :
	       *(const uint32_t *)((const char *)m + schema_tables[table].nr);
}

void *schema_rows(const struct model *m, enum schema_id table)
{
	const struct schema_table *t = &schema_tables[table];
	char *at = (char *)m + t->rows, *rows;

	if (table == SCHEMA_MODEL || t->most)
		return at;
	memcpy(&rows, at, sizeof(rows));
	return rows;
}

void *schema_row(const struct model *m, enum schema_id table, uint32_t row)
{
	return (char *)schema_rows(m, table) + (size_t)row * schema_tables[table].size;
}

void schema_set(struct model *m, enum schema_id table, void *rows, uint32_t nr)
{
	const struct schema_table *t = &schema_tables[table];

	if (!t->most)
		memcpy((char *)m + t->rows, &rows, sizeof(rows));
	*(uint32_t *)((char *)m + t->nr) = nr;
}

uint32_t schema_partial(const struct model *m, enum schema_id table, const void *row)
{
	const struct schema_table *t = &schema_tables[table];

	for (uint32_t i = 0; i < t->nr_members; i++) {
		const struct schema_member *member = &t->members[i];
		const uint32_t *at = (const void *)((const char *)row + member->at);

		if (member->role == SCHEMA_PARTIAL)
			return *at;
		if (member->role == SCHEMA_ROW && member->table != SCHEMA_SELF && *at != MODEL_NONE)
			return schema_partial(m, member->table, schema_row(m, member->table, *at));
	}
	return m->partial;
}

/* ---- freeing */

static void free_member(const struct schema_member *member, char *row)
{
	for (size_t i = 0; i < member->size / sizeof(void *); i++) {
		void *memory;

		memcpy(&memory, row + member->at + i * sizeof(memory), sizeof(memory));
		if (member->role == SCHEMA_HISTOGRAM)
			histogram_free(memory);
		else
			free(memory);
	}
}

static void free_members(const struct model *m, enum schema_id table)
{
	const struct schema_table *t = &schema_tables[table];
	char *rows = schema_rows(m, table);

	for (uint32_t i = 0; i < t->nr_members; i++)
		if (schema_is_owned(&t->members[i]))
			for (uint32_t row = 0; row < schema_nr(m, table); row++)
				free_member(&t->members[i], rows + (size_t)row * t->size);
}

static void free_row(enum schema_id table, char *row)
{
	const struct schema_table *t = &schema_tables[table];

	for (uint32_t i = 0; i < t->nr_members; i++)
		if (schema_is_owned(&t->members[i]))
			free_member(&t->members[i], row);
}

/* ---- some rows of a table */

/* Calls @each with all that rows of any table have for rows of @of. */
static void for_references(const struct model *m, enum schema_id of,
			   void (*each)(void *context, uint32_t *row), void *context)
{
	for (enum schema_id table = SCHEMA_MODEL + 1; table < SCHEMA_NR; table++) {
		const struct schema_table *t = &schema_tables[table];
		uint32_t nr = schema_nr(m, table);

		for (uint32_t i = 0; nr && i < t->nr_members; i++) {
			const struct schema_member *member = &t->members[i];
			char *at = (char *)schema_rows(m, table) + member->at;

			if (member->role != SCHEMA_ROW ||
			    (member->table == SCHEMA_SELF ? table : member->table) != of)
				continue;
			for (uint32_t k = 0; k < nr; k++, at += t->size)
				if (*(uint32_t *)at != MODEL_NONE)
					each(context, (uint32_t *)at);
		}
	}
}

static void mark_row(void *context, uint32_t *row)
{
	((bool *)context)[*row] = true;
}

void schema_mark(const struct model *m, enum schema_id table, bool *rows)
{
	for_references(m, table, mark_row, rows);
}

static void move_reference(void *context, uint32_t *row)
{
	*row = ((const uint32_t *)context)[*row];
}

static void move_sums(const struct model *m, const struct schema_sums *of, uint32_t nr,
		      const uint32_t *to)
{
	size_t size = (size_t)of->of_row * (m->nr_counters ? m->nr_counters : 1) *
		      sizeof(struct model_sum);
	char *sums;

	memcpy(&sums, (const char *)m + of->sums, sizeof(sums));
	for (uint32_t i = 0; sums && i < nr; i++)
		if (to[i] != MODEL_NONE)
			memmove(sums + to[i] * size, sums + i * size, size);
}

bool schema_keep(struct model *m, enum schema_id table, const bool *keep)
{
	uint32_t nr = schema_nr(m, table), kept = 0;
	size_t size = schema_tables[table].size;
	uint32_t *to = calloc((size_t)nr + 1, sizeof(*to));

	if (!to)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		char *row = schema_row(m, table, i);

		to[i] = keep[i] ? kept++ : MODEL_NONE;
		if (!keep[i])
			free_row(table, row);
		else
			memmove(schema_row(m, table, to[i]), row, size);
	}
	for (unsigned int i = 0; i < SCHEMA_SUMS; i++)
		if (schema_sums[i].table == table)
			move_sums(m, &schema_sums[i], nr, to);
	schema_set(m, table, schema_rows(m, table), kept);
	for_references(m, table, move_reference, to);
	free(to);
	return true;
}

void schema_clear(struct model *m, enum schema_id table)
{
	free_members(m, table);
	if (!schema_tables[table].most)
		free(schema_rows(m, table));
	schema_set(m, table, NULL, 0);
}

void schema_free(struct model *m)
{
	for (enum schema_id table = SCHEMA_MODEL + 1; table < SCHEMA_NR; table++)
		schema_clear(m, table);
	free_members(m, SCHEMA_MODEL);
}
