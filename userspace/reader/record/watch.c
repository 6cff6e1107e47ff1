// SPDX-License-Identifier: GPL-2.0
/*
 * Compares slices, ended and open, with the conditions of --dump-on, and keeps the last one that
 * meets a condition until a file is written for it.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/histogram.h"
#include "record/packed.h"
#include "record/watch.h"

/* How often slices that go on are looked at: more often for short times, but never for nothing. */
#define INTERVAL_LEAST_NS	50000000ull
#define INTERVAL_MOST_NS	100000000ull

/* Of less than so many slices beyond it a quantile says little, and of less cycles IPC. */
#define BEYOND_LEAST	3u
#define CYCLES_LEAST	1000000u

/**
 * struct watch_label - a label
 * @wants: bit n: trigger n is of it
 */
struct watch_label {
	uint32_t process;
	uint32_t label;
	uint32_t wants;
	char *text;
};

/**
 * struct watch_second - slices of a second
 * @nr:           how many
 * @steps:        how many were how long, by histogram_step()
 * @cycles:       of those of which both were counted
 * @instructions: likewise
 * @longest:      the longest of them
 */
struct watch_second {
	uint64_t nr;
	uint32_t steps[HISTOGRAM_STEPS * HISTOGRAM_OCTAVES];
	uint64_t cycles;
	uint64_t instructions;
	struct watch_event longest;
};

int watch_begin(struct watch *w, const struct trigger *triggers, unsigned int nr,
		struct error *err)
{
	*w = (struct watch){ .triggers = triggers, .nr = nr };
	memset(w->least, 0xff, sizeof(w->least));
	for (unsigned int i = 0; i < nr; i++) {
		const struct trigger *t = &triggers[i];

		if (t->kind == TRIGGER_PROGRAM)
			w->program = t;
		if (!t->length)
			w->of_any |= 1u << i;
		if (!trigger_is_of_slices(t))
			continue;
		w->slices = true;
		if (trigger_is_of_seconds(t)) {
			w->least[t->kind] = 0;
			w->seconds[i] = calloc(1, sizeof(*w->seconds[i]));
			if (!w->seconds[i])
				return error_set(err, ENOMEM, "out of memory");
		} else if (t->ns < w->least[t->kind]) {
			w->least[t->kind] = t->ns;
		}
	}
	w->plain = w->least[TRIGGER_HELD] < w->least[TRIGGER_RUNNING] ? w->least[TRIGGER_HELD] :
									w->least[TRIGGER_RUNNING];
	w->parts = w->least[TRIGGER_BLOCKED] == UINT64_MAX ? 0 : COROPROF_SLICE_OFFCPU;
	/* Of all of them it has to be known when they ended, or what they counted. */
	if (w->least[TRIGGER_READY] != UINT64_MAX || w->least[TRIGGER_IPC] != UINT64_MAX)
		w->plain = 0;
	if (w->least[TRIGGER_READY] == UINT64_MAX)
		return 0;
	w->ends = calloc(WATCH_ENDS, sizeof(*w->ends));
	return w->ends ? 0 : error_set(err, ENOMEM, "out of memory");
}

uint64_t watch_interval(const struct watch *w)
{
	uint64_t least = UINT64_MAX;

	/* Of a second it is slices that have ended. */
	for (unsigned int i = 0; i < w->nr; i++) {
		const struct trigger *t = &w->triggers[i];

		if (t->kind != TRIGGER_HELD && t->kind != TRIGGER_BLOCKED)
			continue;
		if (!t->quantile && t->ns < least)
			least = t->ns;
	}
	if (least == UINT64_MAX)
		return 0;
	if (least / 2 < INTERVAL_LEAST_NS)
		return INTERVAL_LEAST_NS;
	return least / 2 < INTERVAL_MOST_NS ? least / 2 : INTERVAL_MOST_NS;
}

/* ---- labels */

/* NULL if the slice has no label, or the LABEL record has not come yet. */
static const struct watch_label *label_of(const struct watch *w, uint32_t process, uint32_t label)
{
	uint32_t row = label ? index_get(&w->index, label, process) : INDEX_NONE;

	return row == INDEX_NONE ? NULL : &w->labels[row];
}

/* ---- what is seen */

/*
 * True unless this slice fired before: an open slice is seen again and again, and once more when it
 * has ended. If two slices share a place in the cache, the earlier one may count twice.
 */
static bool is_new_event(struct watch *w, const struct watch_event *e)
{
	uint64_t place = e->begin / 64 + e->channel * 31 + (uint64_t)(e->trigger - w->triggers) * 97;
	struct watch_seen *seen = &w->seen[place % WATCH_SEEN];
	const struct watch_seen now = { e->trigger, e->channel, e->begin };

	if (seen->trigger == now.trigger && seen->channel == now.channel &&
	    seen->begin == now.begin)
		return false;
	*seen = now;
	return true;
}

static void fire(struct watch *w, const struct watch_event *e)
{
	if (!is_new_event(w, e))
		return;
	w->met[e->trigger - w->triggers]++;
	if (!w->event.trigger)
		w->event = *e;
}

static void add_to_second(struct watch_second *s, struct watch_event *e,
			  const struct watch_label *l)
{
	s->nr++;
	s->steps[histogram_step(e->ns)]++;
	if (e->ns <= s->longest.ns)
		return;
	snprintf(e->label, sizeof(e->label), "%s", l ? l->text : "");
	s->longest = *e;
}

/* @e: all but its trigger and the text of its label. */
static void compare_duration(struct watch *w, enum trigger_kind kind, struct watch_event *e,
			     uint32_t label)
{
	const struct watch_label *l = label_of(w, e->process, label);
	uint32_t wants = l ? l->wants : w->of_any;

	for (unsigned int i = 0; i < w->nr; i++) {
		const struct trigger *t = &w->triggers[i];

		if (t->kind != kind || !(wants & 1u << i) || (!w->seconds[i] && e->ns <= t->ns) ||
		    (w->seconds[i] && e->goes_on))
			continue;
		e->trigger = t;
		if (w->seconds[i]) {
			add_to_second(w->seconds[i], e, l);
			continue;
		}
		snprintf(e->label, sizeof(e->label), "%s", l ? l->text : "");
		fire(w, e);
	}
}

/* ---- the slices of a second */

/* The least value in ns that the quantile may have; 0 if the second has too few slices. */
static uint64_t quantile_lower_bound(const struct watch_second *s, unsigned int quantile)
{
	uint64_t beyond = s->nr * (1000 - quantile) / 1000, seen = 0;

	if (beyond < BEYOND_LEAST)
		return 0;
	for (unsigned int i = ARRAY_SIZE(s->steps); i--;) {
		seen += s->steps[i];
		if (seen > beyond)
			return histogram_first(i);
	}
	return 0;
}

/* Fires trigger @i if the slices of the last second together meet its condition. */
static void check_second(struct watch *w, unsigned int i)
{
	const struct trigger *t = &w->triggers[i];
	const struct watch_second *s = w->seconds[i];
	struct watch_event e = s->longest;

	e.slices = s->nr;
	if (t->kind == TRIGGER_IPC) {
		if (s->cycles < CYCLES_LEAST)
			return;
		e.ipc = (double)s->instructions / (double)s->cycles;
		if (e.ipc < t->ipc)
			fire(w, &e);
		return;
	}
	e.quantile_ns = quantile_lower_bound(s, t->quantile);
	if (e.quantile_ns > t->ns)
		fire(w, &e);
}

void watch_second(struct watch *w, uint64_t now)
{
	if (now - w->second_at < SECOND_NS)
		return;
	w->second_at = now;
	for (unsigned int i = 0; i < w->nr; i++) {
		if (!w->seconds[i])
			continue;
		check_second(w, i);
		*w->seconds[i] = (struct watch_second){ 0 };
	}
}

/* ---- slices that have ended */

/*
 * Since when the coroutine was ready before slice @s: since its wake, but not while it still ran. 0
 * if that is not known.
 */
static uint64_t ready_since(struct watch *w, uint32_t process,
			    const struct coroprof_record_slice *s, uint64_t wake)
{
	struct watch_end *end = &w->ends[(s->slot + process * 40503u) % WATCH_ENDS];
	bool known = end->id == s->id && end->process == process;
	uint64_t last = end->time;

	*end = (struct watch_end){ s->id, s->time, process };
	if (!wake || (!known && !(s->flags & COROPROF_SLICE_FRESH)))
		return 0;
	return known && last > wake ? last : wake;
}

/* Adds cycles and instructions of a slice, if both were on the PMU for all of it. */
static void add_ipc_counts(struct watch *w, const struct watch_thread *of, struct watch_event *e,
			   const struct coroprof_record_slice *s)
{
	const struct watch_label *l = label_of(w, e->process, s->label);
	uint32_t wants = l ? l->wants : w->of_any;
	int last = of->cycles > of->instructions ? of->cycles : of->instructions;
	uint64_t cycles, instructions;

	if (of->cycles < 0 || of->instructions < 0 || s->size < sizeof(*s) + 8 * ((size_t)last + 1) ||
	    COROPROF_STANDING(s->standing, of->cycles) != COROPROF_STANDING_COUNTED ||
	    COROPROF_STANDING(s->standing, of->instructions) != COROPROF_STANDING_COUNTED)
		return;
	memcpy(&cycles, (const char *)(s + 1) + 8 * of->cycles, sizeof(cycles));
	memcpy(&instructions, (const char *)(s + 1) + 8 * of->instructions, sizeof(instructions));
	for (unsigned int i = 0; i < w->nr; i++) {
		struct watch_second *second = w->seconds[i];

		if (w->triggers[i].kind != TRIGGER_IPC || !(wants & 1u << i))
			continue;
		second->cycles += cycles;
		second->instructions += instructions;
		e->ns = s->duration;
		e->trigger = &w->triggers[i];
		add_to_second(second, e, l);
	}
}

/* Compares an ended slice with the conditions on slices, and adds it to sums of the second. */
static void check_slice(struct watch *w, const struct watch_thread *of, struct watch_event *e,
			const struct coroprof_record_slice *s)
{
	struct packed_parts parts = { 0 };
	uint64_t off, blocked, since;

	e->id = s->id;
	e->begin = s->time - s->duration;
	if (s->flags & (COROPROF_SLICE_OFFCPU | COROPROF_SLICE_WOKEN))
		packed_parts(&parts, s);
	blocked = parts.offcpu.blocked_ns;
	off = blocked + parts.offcpu.preempted_ns;
	if (s->duration > w->least[TRIGGER_HELD]) {
		e->ns = s->duration;
		compare_duration(w, TRIGGER_HELD, e, s->label);
	}
	if (w->least[TRIGGER_RUNNING] != UINT64_MAX && off <= s->duration &&
	    s->duration - off > w->least[TRIGGER_RUNNING]) {
		e->ns = s->duration - off;
		compare_duration(w, TRIGGER_RUNNING, e, s->label);
	}
	if (w->least[TRIGGER_IPC] != UINT64_MAX)
		add_ipc_counts(w, of, e, s);
	if (blocked > w->least[TRIGGER_BLOCKED]) {
		e->ns = blocked;
		compare_duration(w, TRIGGER_BLOCKED, e, s->label);
	}
	if (!w->ends)
		return;
	since = ready_since(w, e->process, s, parts.woken.wake_time);
	if (since && since < e->begin && e->begin - since > w->least[TRIGGER_READY]) {
		e->ns = e->begin - since;
		compare_duration(w, TRIGGER_READY, e, s->label);
	}
}

/* ---- what the program asks for */

/*
 * Fires if the span's label is that of coroprof_dump(), behind which the program's reason stands.
 */
static void fire_for_program(struct watch *w, struct watch_event *e, const char *text)
{
	if (strncmp(text, WATCH_PROGRAM, strlen(WATCH_PROGRAM)))
		return;
	e->trigger = w->program;
	snprintf(e->label, sizeof(e->label), "%s", text + strlen(WATCH_PROGRAM));
	fire(w, e);
}

/* The LABEL record of the span may come later: then the request waits for it. */
static void check_span(struct watch *w, const struct watch_event *of,
		       const struct coroprof_record_span *s)
{
	const struct watch_label *label = label_of(w, of->process, s->label);
	struct watch_event e = *of;

	e.id = s->id;
	e.begin = s->time;
	e.ns = s->label;
	if (label)
		fire_for_program(w, &e, label->text);
	else if (w->nr_waiting < WATCH_WAITING)
		w->waiting[w->nr_waiting++] = e;
}

/* Fires for the requests of the program that waited for this label's text. */
static void settle_waiting(struct watch *w, uint32_t process, uint32_t label, const char *text)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < w->nr_waiting; i++) {
		struct watch_event e = w->waiting[i];

		if (e.process == process && e.ns == label)
			fire_for_program(w, &e, text);
		else
			w->waiting[kept++] = e;
	}
	w->nr_waiting = kept;
}

static uint32_t triggers_of_label(const struct watch *w, const char *text)
{
	uint32_t wants = 0;

	for (unsigned int i = 0; i < w->nr; i++)
		wants |= (uint32_t)trigger_wants(&w->triggers[i], text) << i;
	return wants;
}

int watch_label(struct watch *w, const struct coroprof_record_label *r, struct error *err)
{
	char *text;

	if (!w->nr || r->flags & COROPROF_LABEL_ADAPTER)
		return 0;
	text = strndup((const char *)(r + 1), r->text_len);
	if (!text || !array_grow(&w->labels, w->nr_labels, sizeof(*w->labels)) ||
	    !index_put(&w->index, r->label, r->process_id, w->nr_labels)) {
		free(text);
		return error_set(err, ENOMEM, "out of memory for labels");
	}
	w->labels[w->nr_labels++] = (struct watch_label){
		r->process_id, r->label, triggers_of_label(w, text), text,
	};
	if (w->program)
		settle_waiting(w, r->process_id, r->label, text);
	return 0;
}

/*
 * Forgets the labels of processes that are gone. All others are indexed anew, as their rows move.
 */
void watch_sift(struct watch *w, bool (*is_gone)(void *context, uint32_t process_id), void *context)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < w->nr_labels; i++) {
		const struct watch_label l = w->labels[i];

		index_remove(&w->index, l.label, l.process);
		if (is_gone(context, l.process)) {
			free(l.text);
			continue;
		}
		w->labels[kept] = l;
		index_put(&w->index, l.label, l.process, kept++);
	}
	w->nr_labels = kept;
}

struct watch_thread watch_thread(const struct coroprof_record_channel *c)
{
	const struct coroprof_counter_state *states = (const void *)(c + 1);
	struct watch_thread t = { c->channel_id, c->process_id, -1, -1 };

	for (uint32_t i = 0; i < c->nr_counters; i++) {
		if (states[i].counter.type != PERF_TYPE_HARDWARE || states[i].error)
			continue;
		if (states[i].counter.config == PERF_COUNT_HW_CPU_CYCLES)
			t.cycles = (int)i;
		if (states[i].counter.config == PERF_COUNT_HW_INSTRUCTIONS)
			t.instructions = (int)i;
	}
	return t;
}

void watch_records(struct watch *w, const struct watch_thread *thread, const void *records,
		   size_t size)
{
	struct watch_event e = { .channel = thread->channel, .process = thread->process };
	const struct coroprof_record *r;
	const char *at = records;

	if (!w->slices && !w->program)
		return;
	while ((r = packed_next(&at, &size))) {
		const struct coroprof_record_slice *s = (const void *)r;

		if (r->type == COROPROF_RECORD_SPAN && w->program &&
		    r->size >= sizeof(struct coroprof_record_span))
			check_span(w, &e, (const void *)r);
		if (r->type == COROPROF_RECORD_SLICE && r->size >= sizeof(*s) &&
		    (s->duration > w->plain || s->flags & w->parts) && w->slices &&
		    !(s->id & COROPROF_ID_THREAD))
			check_slice(w, thread, &e, s);
	}
}

void watch_open(struct watch *w, const struct coroprof_channel_status *s, uint32_t process,
		uint64_t now)
{
	struct watch_event e = {
		.channel = s->channel_id, .process = process,
		.id = s->open_id, .begin = s->open_begin,
		.ns = now - s->open_begin, .goes_on = true, .state = s->open_state,
	};

	if (!(s->flags & COROPROF_CHANNEL_OPEN) || s->open_id & COROPROF_ID_THREAD ||
	    now < s->open_since)
		return;
	compare_duration(w, TRIGGER_HELD, &e, s->open_label);
	e.ns = now - s->open_since;
	if (s->open_state == COROPROF_OPEN_BLOCKED)
		compare_duration(w, TRIGGER_BLOCKED, &e, s->open_label);
}

void watch_free(struct watch *w)
{
	for (uint32_t i = 0; i < w->nr_labels; i++)
		free(w->labels[i].text);
	for (unsigned int i = 0; i < w->nr; i++)
		free(w->seconds[i]);
	free(w->labels);
	free(w->ends);
	index_free(&w->index);
	*w = (struct watch){ 0 };
}
