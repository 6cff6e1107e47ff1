// SPDX-License-Identifier: GPL-2.0
/*
 * Divides the slices of one label by side (slow or rest, see split.h) before they are added up:
 * they get another label for each side. Counts threads, and which labels held them before, for both
 * sides.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"
#include "profile/coroutines.h"
#include "profile/gaps.h"
#include "profile/histogram.h"
#include "profile/losses.h"
#include "profile/part.h"
#include "profile/split.h"

/* ------------------------------------------------------------------------
 * names
 */

bool split_is(const struct split *s, const struct model_label *l)
{
	return (l->kind == MODEL_LABEL_TEXT || l->kind == MODEL_LABEL_CODE) &&
	       !strcmp(l->name, s->label);
}

/*
 * True if @name is that of @l, which is a row of split.model. Of code, the address is compared: its
 * text comes from symbols.
 */
static bool is_name_of_label(const struct build_name *name, const struct model_label *l)
{
	bool code = name->flags & COROPROF_LABEL_CODE;

	if (code != (l->kind == MODEL_LABEL_CODE))
		return false;
	return code ? name->value == l->address && !strcmp(name->text, l->object) :
		      !strcmp(name->text, l->name);
}

/* The rows of the labels to divide, which are few; names may be very many. */
static uint32_t *list_split_labels(struct build *b, uint32_t *nr)
{
	const struct split *s = b->split;
	uint32_t *rows = calloc((size_t)s->model->nr_labels + 1, sizeof(*rows));

	*nr = 0;
	if (!rows)
		b->out_of_memory = true;
	for (uint32_t i = 0; rows && i < s->model->nr_labels; i++)
		if (split_is(s, &s->model->labels[i]))
			rows[(*nr)++] = i;
	return rows;
}

/*
 * True if the entry of build.name_index is the name of a label to divide, one of @rows of
 * split.model.
 */
static bool is_name_to_split(const struct build *b, const struct index_entry *e,
			     const uint32_t *rows, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		const struct model_label *l = &b->split->model->labels[rows[i]];

		if (l->process == e->tag && is_name_of_label(&b->names[e->value], l))
			return true;
	}
	return false;
}

/*
 * Returns the number of a new label with the text of @like, which stands for the slices of one
 * side; 0 if there is no memory.
 */
static uint32_t make_side_name(struct build *b, uint32_t process, const struct build_name *like,
			       enum model_side_of side)
{
	uint32_t number = UINT32_MAX, n = b->nr_names;
	char *text = build_format(b, "%s", like->text);
	struct build_name name = *like;

	/* One that no label of the process has; runtimes count theirs from 1. */
	while (index_get(&b->name_index, number, process) != INDEX_NONE)
		number--;
	if (!text || !build_grow(b, &b->names, n, sizeof(*b->names)) ||
	    !index_put(&b->name_index, number, process, n)) {
		free(text);
		b->out_of_memory = true;
		return 0;
	}
	name.text = text;
	name.first = n;
	name.side = (uint8_t)side;
	b->names[n] = name;
	b->nr_names++;
	return number;
}

/* Other numbers of the same name in the process get the same labels. */
static void add_split_name(struct build *b, uint32_t process, uint32_t label, uint32_t name)
{
	struct split *s = b->split;
	struct split_name add = { .process = process, .label = label };
	uint32_t first = b->names[name].first, same = index_get(&s->same, first, process);

	if (!build_grow(b, &s->names, s->nr_names, sizeof(*s->names)) ||
	    !index_put(&s->index, label, process, s->nr_names))
		return;
	if (same == INDEX_NONE && !index_put(&s->same, first, process, s->nr_names))
		b->out_of_memory = true;
	b->names[first].side = MODEL_SIDE_REST;
	for (unsigned int side = MODEL_SIDE_SLOW; side < MODEL_SIDES; side++) {
		/* The array of names may move. */
		const struct build_name like = b->names[name];

		add.to[side] = same != INDEX_NONE ? s->names[same].to[side] :
			       make_side_name(b, process, &like, (enum model_side_of)side);
	}
	add.to[MODEL_SIDE_REST] = label;
	s->names[s->nr_names++] = add;
}

/* Works on a copy of the index's entries: making names adds entries, and may move them. */
static void find_split_names(struct build *b)
{
	uint32_t slots = b->name_index.entries ? b->name_index.mask + 1 : 0, nr = 0, nr_rows;
	struct index_entry *found = calloc((size_t)slots + 1, sizeof(*found));
	uint32_t *rows = list_split_labels(b, &nr_rows);

	if (!found)
		b->out_of_memory = true;
	for (uint32_t i = 0; found && i < slots; i++) {
		const struct index_entry *e = &b->name_index.entries[i];

		if (e->value != INDEX_NONE && is_name_to_split(b, e, rows, nr_rows))
			found[nr++] = *e;
	}
	for (uint32_t i = 0; i < nr; i++)
		add_split_name(b, found[i].tag, (uint32_t)found[i].key, found[i].value);
	free(rows);
	free(found);
}

void split_begin(struct build *b)
{
	struct split *s = b->split;

	uint64_t labels = b->options.labels;

	find_split_names(b);
	/* Other labels have the rows that they have where nothing is divided. */
	labels += (MODEL_SIDES - 2) * (uint64_t)s->nr_names;
	b->options.labels = labels < UINT32_MAX ? (uint32_t)labels : UINT32_MAX;
	s->nr_marks = b->model->nr_channels;
	s->marks = calloc((size_t)s->nr_marks + 1, sizeof(*s->marks));
	s->steps = calloc((size_t)s->nr_marks + 1, sizeof(*s->steps));
	split_free_counts(s);
	s->counts.threads = calloc((size_t)s->nr_marks + 1, sizeof(*s->counts.threads));
	s->counts.nr_threads = s->counts.threads ? s->nr_marks : 0;
	if (!s->marks || !s->steps || !s->counts.threads)
		b->out_of_memory = true;
}

void split_end(struct split *s)
{
	for (uint32_t i = 0; s->marks && i < s->nr_marks; i++)
		free(s->marks[i].list);
	for (uint32_t i = 0; s->steps && i < s->nr_marks; i++)
		free(s->steps[i].list);
	free(s->marks);
	free(s->steps);
	s->steps = NULL;
	free(s->names);
	index_free(&s->index);
	index_free(&s->same);
	s->marks = NULL;
	s->names = NULL;
	s->nr_names = 0;
}

void split_free_counts(struct split *s)
{
	for (uint32_t i = 0; i < s->counts.nr_threads; i++)
		free(s->counts.threads[i].recent);
	free(s->counts.threads);
	free(s->counts.holders);
	index_free(&s->counts.index);
	s->counts = (struct split_counts){ 0 };
}

/* The labels that slices of @label get by side; NULL if it is not divided. */
static const struct split_name *split_name_of(const struct build *b, uint32_t channel, uint64_t id,
					      uint32_t label)
{
	const struct split *s = b->split;
	uint32_t n;

	if (id & COROPROF_ID_THREAD)
		return NULL;
	n = index_get(&s->index, label, b->model->channels[channel].process);
	return n == INDEX_NONE ? NULL : &s->names[n];
}

/* ------------------------------------------------------------------------
 * what a slice has
 */

/* The gap before slice @s; not measured if there is no room to track its coroutine. */
static struct gap gap_before(struct build *b, uint32_t channel, const struct record *s)
{
	const struct profile *p = b->profile;
	uint32_t process = b->model->channels[channel].process, entry;
	const struct model_coroutine *c;
	struct gap_end end;

	process_pass_restarts(b, process, s->time);
	entry = coroutine_search(b, process, s->id);
	if (entry == MODEL_NONE)
		return (struct gap){ 0 };
	c = &p->coroutines[entry];
	end = (struct gap_end){
		s->time - s->duration, s->woken.wake_time, p->processes[process].lost_until,
		p->processes[process].missing_until, s->flags,
	};
	return gap_of(c, p->beside[entry].left, &end);
}

/* Sets the duration (ns) that split.by names of the gap before @s. False if it is not known. */
static bool value_of_gap(struct build *b, uint32_t channel, const struct record *s,
			 uint64_t *value)
{
	struct gap gap = gap_before(b, channel, s);

	switch (b->split->by) {
	case SPLIT_SUSPENDED:
		*value = gap.suspended_ns;
		return gap.measured;
	case SPLIT_AWAITING:
		*value = gap.awaiting_ns;
		break;
	default:
		*value = gap.ready_ns;
		break;
	}
	return gap.measured && (gap.ready_known || !gap.suspended_ns);
}

/*
 * False unless the counter was on the PMU all of the time: an estimate would be of no use for a
 * single slice.
 */
static bool value_of_counter(const struct build *b, uint32_t channel, const struct record *s,
			     uint64_t *value)
{
	const struct model_channel *c = &b->model->channels[channel];

	for (uint32_t i = 0; i < c->nr_counters; i++)
		if (c->counters[i] == b->split->counter) {
			*value = s->count[i];
			return COROPROF_STANDING(s->standing, i) == COROPROF_STANDING_COUNTED;
		}
	return false;
}

/*
 * Sets the figure of record @s that split.by names. False if it is not known: of an UNREPORTED
 * slice a part may be another coroutine's.
 */
static bool value_of_record(struct build *b, uint32_t channel, const struct record *s,
			    uint64_t *value)
{
	bool offcpu = s->flags & COROPROF_SLICE_OFFCPU;

	if (s->flags & COROPROF_SLICE_UNREPORTED)
		return false;
	switch (b->split->by) {
	case SPLIT_WALL:
		*value = s->duration;
		return true;
	case SPLIT_RUNNING:
		*value = s->running_ns;
		return true;
	case SPLIT_PREEMPTED:
		*value = offcpu ? s->offcpu.preempted_ns : 0;
		return true;
	case SPLIT_BLOCKED:
		*value = offcpu ? s->offcpu.blocked_ns : 0;
		return true;
	case SPLIT_COUNTER:
		return value_of_counter(b, channel, s, value);
	default:
		return value_of_gap(b, channel, s, value);
	}
}

static bool divides_by_gap(const struct split *split)
{
	return split->by >= SPLIT_SUSPENDED && split->by <= SPLIT_READY;
}

/*
 * True if a slice has its figure or more, as the recording began or ended in it. Gaps, which are
 * before it, are not affected.
 */
static bool is_lower_bound(const struct split *split, uint16_t flags)
{
	return !divides_by_gap(split) && flags & (COROPROF_SLICE_FIRST | COROPROF_SLICE_CUT);
}

/* ------------------------------------------------------------------------
 * slices in pieces
 */

void split_step(struct build *b, uint32_t channel, uint64_t begin_ns, const struct record *sum)
{
	struct split_steps *steps = &b->split->steps[channel];
	struct split_step step = {
		.begin_ns = begin_ns, .end_ns = sum->time, .id = sum->id, .flags = sum->flags,
	};

	if (!b->split->finds_steps || !split_name_of(b, channel, sum->id, sum->label) ||
	    !build_grow(b, &steps->list, steps->nr, sizeof(*steps->list)))
		return;
	if (!divides_by_gap(b->split))
		step.known = value_of_record(b, channel, sum, &step.value);
	steps->list[steps->nr++] = step;
}

/* The slice of several pieces that the record @s is a piece of, or NULL. */
static struct split_step *step_of(struct build *b, uint32_t channel, const struct record *s)
{
	struct split_steps *steps = &b->split->steps[channel];

	while (steps->at < steps->nr && steps->list[steps->at].end_ns < s->time)
		steps->at++;
	if (steps->at == steps->nr || steps->list[steps->at].begin_ns > s->time - s->duration ||
	    steps->list[steps->at].id != s->id)
		return NULL;
	return &steps->list[steps->at];
}

/* ------------------------------------------------------------------------
 * threads, and who held them
 */

/* The row in split.model of the label @label of a process. */
static uint32_t model_row_of_label(const struct build *b, uint32_t process, uint32_t label)
{
	const struct model *m = b->split->model;
	uint32_t n = index_get(&b->name_index, label, process);

	for (uint32_t i = 0; n != INDEX_NONE && i < m->nr_labels; i++)
		if (m->labels[i].process == process &&
		    is_name_of_label(&b->names[n], &m->labels[i]))
			return i;
	return MODEL_NONE;
}

/* The row of split.counts.holders for a label, a new one if need be; MODEL_NONE without memory. */
static uint32_t holder_row(struct build *b, uint32_t channel, uint32_t label)
{
	struct split_counts *c = &b->split->counts;
	uint32_t process = b->model->channels[channel].process;
	uint32_t n = index_get(&c->index, label, process);

	if (n != INDEX_NONE)
		return n;
	n = c->nr_holders;
	if (!build_grow(b, &c->holders, n, sizeof(*c->holders)))
		return MODEL_NONE;
	if (!index_put(&c->index, label, process, n)) {
		b->out_of_memory = true;
		return MODEL_NONE;
	}
	c->holders[n] = (struct split_holder){ .row = model_row_of_label(b, process, label) };
	c->nr_holders++;
	return n;
}

/*
 * Remembers a slice among the last ones of its thread: it may be what another coroutine, ready to
 * run, waits for. Its label is that of the record, before it is divided.
 */
static void remember_holder(struct build *b, uint32_t channel, const struct record *s)
{
	struct split_thread *t = &b->split->counts.threads[channel];
	uint32_t holder = holder_row(b, channel, s->label);

	if (!t->recent)
		t->recent = calloc(SPLIT_RECENT, sizeof(*t->recent));
	if (!t->recent)
		b->out_of_memory = true;
	if (!t->recent || holder == MODEL_NONE)
		return;
	t->recent[t->nr++ % SPLIT_RECENT] = (struct split_recent){
		.begin_ns = s->time - s->duration, .end_ns = s->time, .holder = holder,
	};
}

/*
 * Charges the time that the coroutine of @s was ready to the labels that held its thread meanwhile,
 * the latest first.
 */
static void count_holders(struct build *b, uint32_t channel, const struct record *s,
			  enum model_side_of side)
{
	struct split_counts *c = &b->split->counts;
	const struct split_thread *t = &c->threads[channel];
	uint64_t end = s->time - s->duration, begin;
	struct gap gap = gap_before(b, channel, s);

	if (!gap.measured || !gap.ready_known || gap.ready_ns > end)
		return;
	begin = end - gap.ready_ns;
	for (uint64_t i = 1; i <= t->nr; i++) {
		const struct split_recent *r = &t->recent[(t->nr - i) % SPLIT_RECENT];
		uint64_t from = r->begin_ns > begin ? r->begin_ns : begin;
		uint64_t to = r->end_ns < end ? r->end_ns : end;

		if (i > SPLIT_RECENT) {
			c->short_of = true;
			return;
		}
		if (r->end_ns <= begin)
			return;
		c->holders[r->holder].ns[side] += to > from ? to - from : 0;
	}
}

static void count_slice_of_side(struct build *b, uint32_t channel, const struct record *s,
				enum model_side_of side)
{
	struct split_thread *t = &b->split->counts.threads[channel];

	t->slices[side]++;
	if (side == MODEL_SIDE_SLOW || side == MODEL_SIDE_REST)
		count_holders(b, channel, s, side);
}

/* ------------------------------------------------------------------------
 * sides
 */

static uint16_t slice_flags(const struct record *s, const struct split_step *step)
{
	return step ? step->flags : s->flags;
}

/* The side that all slices of a coroutine have if lives are divided, not slices. */
static enum model_side_of side_of_life(const struct build *b, uint32_t channel, uint64_t id)
{
	uint32_t side = index_get(b->split->lives, id, b->model->channels[channel].process);

	return side == INDEX_NONE ? MODEL_SIDE_UNKNOWN : (enum model_side_of)side;
}

/*
 * Likewise of the whole slice of which @s is the only or the first piece. False if it is not known:
 * how long a slice was that a part of the recording cuts, only the whole recording has.
 */
static bool value_of_slice(struct build *b, uint32_t channel, const struct record *s,
			   const struct split_step *step, uint64_t *value)
{
	if (is_part(b) && slice_flags(s, step) & RECORD_CUT)
		return false;
	if (!step || divides_by_gap(b->split))
		return value_of_record(b, channel, s, value);
	*value = step->value;
	return step->known;
}

static enum model_side_of choose_side(struct build *b, uint32_t channel, const struct record *s,
				      struct split_step *step)
{
	uint64_t value;

	if (b->split->lives)
		return side_of_life(b, channel, s->id);
	if (!value_of_slice(b, channel, s, step, &value))
		return MODEL_SIDE_UNKNOWN;
	if (value > b->split->above)
		return MODEL_SIDE_SLOW;
	return is_lower_bound(b->split, slice_flags(s, step)) ? MODEL_SIDE_UNKNOWN :
								MODEL_SIDE_REST;
}

/* Notes the side of a slice, so that samples in it find it by their time. */
static void mark_for_samples(struct build *b, uint32_t channel, const struct record *s,
			     enum model_side_of side)
{
	struct split_marks *m = &b->split->marks[channel];

	if (!build_grow(b, &m->list, m->nr, sizeof(*m->list)))
		return;
	m->list[m->nr++] = (struct split_mark){
		.begin_ns = s->time - s->duration, .end_ns = s->time, .id = s->id,
		.side = (uint8_t)side,
	};
}

static void leave_out_life(struct build *b, uint32_t channel, uint64_t id)
{
	uint32_t process = b->model->channels[channel].process;
	struct split *s = b->split;

	if (index_get(s->lives, id, process) != INDEX_NONE)
		return;
	s->left_out++;
	if (!index_put(s->lives, id, process, MODEL_SIDE_UNKNOWN))
		b->out_of_memory = true;
}

static void count_measure(struct build *b, uint32_t channel, const struct record *s,
			  const struct split_step *step)
{
	uint64_t value;

	if (is_lower_bound(b->split, slice_flags(s, step)) ||
	    !value_of_slice(b, channel, s, step, &value))
		return;
	if (!histogram_count(b->split->measure, value))
		b->out_of_memory = true;
}

void split_slice(struct build *b, uint32_t channel, struct record *s)
{
	const struct split_name *name = split_name_of(b, channel, s->id, s->label);
	struct split_step *step = name ? step_of(b, channel, s) : NULL;
	bool begins = !step || s->time - s->duration == step->begin_ns;
	enum model_side_of side;

	if (is_outside(b, s) || b->split->finds_steps)
		return;
	if (b->split->measure) {
		if (name && begins)
			count_measure(b, channel, s, step);
		return;
	}
	if (!name) {
		if (!(s->id & COROPROF_ID_THREAD))
			remember_holder(b, channel, s);
		return;
	}
	side = begins ? choose_side(b, channel, s, step) : (enum model_side_of)step->side;
	if (step)
		step->side = (uint8_t)side;
	if (begins)
		count_slice_of_side(b, channel, s, side);
	remember_holder(b, channel, s);
	if (b->split->lives && side == MODEL_SIDE_UNKNOWN)
		leave_out_life(b, channel, s->id);
	if (b->split->model->samples && !b->split->lives)
		mark_for_samples(b, channel, s, side);
	s->label = name->to[side];
}

/*
 * The side of the slice of coroutine @id that contains @time, by bisection; unknown if there is
 * none.
 */
static enum model_side_of side_at(const struct split_marks *m, uint64_t id, uint64_t time)
{
	uint32_t from = 0, to = m->nr;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (m->list[middle].begin_ns < time)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from || m->list[from - 1].end_ns < time || m->list[from - 1].id != id)
		return MODEL_SIDE_UNKNOWN;
	return (enum model_side_of)m->list[from - 1].side;
}

uint32_t split_sample(const struct build *b, uint32_t channel, uint64_t id, uint32_t label,
		      uint64_t time)
{
	const struct split_name *name = split_name_of(b, channel, id, label);

	if (!name || b->split->measure)
		return label;
	return name->to[b->split->lives ? side_of_life(b, channel, id) :
					  side_at(&b->split->marks[channel], id, time)];
}
