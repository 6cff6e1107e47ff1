// SPDX-License-Identifier: GPL-2.0
/*
 * Describes what threads do at this moment: the states of all of them, and the slices that are open
 * for longest.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/printable.h"
#include "base/util.h"
#include "live/now.h"
#include "tables/figure.h"

/* Shorter ones are nothing to look at. */
#define LEAST_NS	(SECOND_NS / 100)

/* Windows come each second; what is older than that is not now. */
#define OLD_NS		(3 * SECOND_NS / 2)

enum does {
	DOES_RUNNING,
	DOES_PREEMPTED,
	DOES_BLOCKED,
	DOES_OUTSIDE,
	DOES_IDLE,
	DOES_UNKNOWN,
	DOES_NR,
};

static enum does thread_state(const struct live_thread *t)
{
	bool outside = t->status.open_id & COROPROF_ID_THREAD;

	if (!(t->status.flags & COROPROF_CHANNEL_OPEN))
		return DOES_UNKNOWN;
	if (t->status.open_state == COROPROF_OPEN_BLOCKED)
		return outside ? DOES_IDLE : DOES_BLOCKED;
	if (outside)
		return DOES_OUTSIDE;
	return t->status.open_state == COROPROF_OPEN_PREEMPTED ? DOES_PREEMPTED : DOES_RUNNING;
}

/* True if the thread is in a slice of a coroutine that began LEAST_NS ago, or before. */
static bool has_long_slice(const struct live_thread *t, uint64_t now)
{
	return t->status.flags & COROPROF_CHANNEL_OPEN &&
	       !(t->status.open_id & COROPROF_ID_THREAD) && t->status.open_begin + LEAST_NS <= now;
}

/*
 * The name of the open slice's label. That of a code address is in the model, if the coroutine is.
 */
static const char *label_name(const struct live_thread *t, const struct model *m)
{
	if (t->label)
		return t->label;
	for (uint32_t i = 0; m && i < m->nr_coroutines; i++) {
		const struct model_coroutine *c = &m->coroutines[i];

		if (c->id == t->status.open_id && c->label != MODEL_NONE &&
		    m->processes[c->process].id == t->process)
			return m->labels[c->label].name;
	}
	return "coroutine";
}

void now_say(const struct live_thread *t, const struct model *m, uint64_t now, char *to,
	     size_t capacity)
{
	static const char *const states[] = {
		[COROPROF_OPEN_PREEMPTED] = ", preempted", [COROPROF_OPEN_BLOCKED] = ", blocked",
	};
	uint32_t state = t->status.open_state;
	char time[FIGURE_SIZE], since[FIGURE_SIZE] = "";

	figure_ns(time, now > t->status.open_begin ? now - t->status.open_begin : 0);
	/* Where all of it is in that state there is one time to say. */
	if (state == COROPROF_OPEN_BLOCKED && now > t->status.open_since &&
	    (now - t->status.open_since) / 100 * 105 < now - t->status.open_begin) {
		char part[FIGURE_SIZE];

		figure_ns(part, now - t->status.open_since);
		snprintf(since, sizeof(since), " for %.40s", part);
	}
	snprintf(to, capacity, "%s #%" PRIu64 " has held %s/%d for %s%s%s, and goes on%s",
		 label_name(t, m), (uint64_t)t->status.open_id, t->name ? t->name : "", t->tid,
		 time, state < ARRAY_SIZE(states) && states[state] ? states[state] : "", since,
		 t->status.flags & COROPROF_CHANNEL_OPEN_UNREPORTED ?
			 "; it may be in another coroutine, as switches were not reported" : "");
}

static unsigned int draw_states(const struct live_window *w, uint64_t at, struct canvas *c,
				unsigned int row)
{
	static const char *const names[DOES_NR] = {
		[DOES_RUNNING] = "running", [DOES_PREEMPTED] = "preempted",
		[DOES_BLOCKED] = "blocked in a coroutine", [DOES_OUTSIDE] = "outside coroutines",
		[DOES_IDLE] = "idle", [DOES_UNKNOWN] = "not known",
	};
	static const enum style styles[DOES_NR] = {
		[DOES_RUNNING] = STYLE_RUNNING, [DOES_PREEMPTED] = STYLE_PREEMPTED,
		[DOES_BLOCKED] = STYLE_BLOCKED,
	};
	unsigned int nr[DOES_NR] = { 0 };
	char age[FIGURE_SIZE];
	bool any = false;

	for (size_t i = 0; i < w->nr; i++)
		nr[thread_state(&w->threads[i])]++;
	canvas_put(c, row, STYLE_PLAIN, "now         ");
	if (!w->nr)
		canvas_put(c, row, STYLE_PLAIN, "no thread");
	for (unsigned int i = 0; i < DOES_NR; i++) {
		if (!nr[i])
			continue;
		canvas_print(c, row, styles[i], "%s%u %s", any ? ", " : "", nr[i], names[i]);
		any = true;
	}
	if (at >= w->now + OLD_NS) {
		figure_ns(age, at - w->now);
		canvas_print(c, row, STYLE_ALARM, ", %s ago", age);
	}
	return row + 1;
}

/*
 * The thread with the longest open slice of those that are shorter than that of @before; NULL if
 * there is none.
 */
static const struct live_thread *next_longest_slice(const struct live_window *w,
						    const struct live_thread *before)
{
	const struct live_thread *next = NULL;

	for (const struct live_thread *t = w->threads; t < w->threads + w->nr; t++) {
		if (!has_long_slice(t, w->now) ||
		    (before && (t->status.open_begin < before->status.open_begin ||
				(t->status.open_begin == before->status.open_begin && t <= before))))
			continue;
		if (!next || t->status.open_begin < next->status.open_begin)
			next = t;
	}
	return next;
}

unsigned int now_draw(const struct live_window *w, const struct model *m, uint64_t at,
		      struct canvas *c, unsigned int row, unsigned int most)
{
	const struct live_thread *t = NULL;
	char text[1024];

	row = draw_states(w, at, c, row);
	for (unsigned int i = 0; i < most && (t = next_longest_slice(w, t)); i++) {
		now_say(t, m, w->now, text, sizeof(text));
		canvas_put(c, row, STYLE_PLAIN, i ? "            " : "open        ");
		canvas_put(c, row++, t->status.open_state == COROPROF_OPEN_BLOCKED ? STYLE_BLOCKED : STYLE_PLAIN,
			   text);
	}
	return row;
}

void now_put_end(struct canvas *c, unsigned int row, int status)
{
	if (status == -1)
		return;
	if (WIFSIGNALED(status))
		canvas_print(c, row, STYLE_ALARM, " by signal %d (%s)", WTERMSIG(status),
			     strsignal(WTERMSIG(status)));
	else
		canvas_print(c, row, WEXITSTATUS(status) ? STYLE_ALARM : STYLE_PLAIN, " with status %d",
			     WEXITSTATUS(status));
}
