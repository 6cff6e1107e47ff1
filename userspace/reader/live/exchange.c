// SPDX-License-Identifier: GPL-2.0
/* Wishes one way, windows the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/printable.h"
#include "base/util.h"
#include "base/warn.h"
#include "cprof/file.h"
#include "cprof/memory.h"
#include "live/choices.h"
#include "live/exchange.h"
#include "profile/model.h"
#include "profile/ticks.h"

int exchange_begin(struct exchange *x, struct error *err)
{
	*x = (struct exchange){ .status = -1, .lock = PTHREAD_MUTEX_INITIALIZER };
	x->wish_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	x->window_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (x->wish_fd >= 0 && x->window_fd >= 0)
		return 0;
	return error_errno(err, "can't make a descriptor for events");
}

int live_window_load(const struct live_window *w, const struct model_options *options,
		     struct ticks *ticks, struct model **model, struct error *err)
{
	struct model_options with_ticks = *options;
	struct file *file;
	int ret;

	if (!w->memory)
		return error_set(err, EIO, "%s", w->why);
	ret = file_open_memory(&file, "live", w->memory, err);
	if (ret)
		return ret;
	with_ticks.ticks = ticks;
	if (ticks)
		ticks_set(ticks, w->first, w->cuts, (uint32_t)(w->end - w->first));
	ret = model_load(model, file, &with_ticks, err);
	file_close(file);
	return ret;
}

void live_window_forget(struct live_window *w)
{
	memory_free(w->memory);
	w->memory = NULL;
}

void live_window_free(struct live_window *w)
{
	if (!w)
		return;
	live_window_forget(w);
	for (size_t i = 0; i < w->nr; i++) {
		free(w->threads[i].name);
		free(w->threads[i].label);
	}
	free(w->threads);
	free(w->cuts);
	free(w);
}

void exchange_free(struct exchange *x)
{
	live_window_free(x->window);
	if (x->wish_fd >= 0)
		close(x->wish_fd);
	if (x->window_fd >= 0)
		close(x->window_fd);
	pthread_mutex_destroy(&x->lock);
}

/* ---- the thread that shows */

void exchange_wish(struct exchange *x, const struct live_wish *wish)
{
	pthread_mutex_lock(&x->lock);
	if (wish->wanted) {
		x->wish.wanted = true;
		x->wish.number = wish->number;
		x->wish.ns = wish->ns;
		x->wish.end = wish->end;
		x->wish.after = wish->after;
	}
	if (wish->dump) {
		x->wish.dump = wish->dump;
		x->wish.part = wish->part;
		x->wish.dump_ns = wish->dump_ns;
	}
	if (wish->stop)
		x->wish.stop = wish->stop;
	pthread_mutex_unlock(&x->lock);
	eventfd_write(x->wish_fd, 1);
}

struct live_window *exchange_take(struct exchange *x, bool *over)
{
	struct live_window *w;
	eventfd_t times;

	eventfd_read(x->window_fd, &times);
	pthread_mutex_lock(&x->lock);
	w = x->window;
	x->window = NULL;
	*over = x->over;
	pthread_mutex_unlock(&x->lock);
	return w;
}

/* ---- the thread that records */

/**
 * struct threads - that are being listed
 */
struct threads {
	const struct keep *keep;
	struct live_window *window;
};

static char *label_of(const struct keep *k, uint32_t process, uint32_t label)
{
	struct buffer text = { 0 };
	struct error ignored;
	char *copy = NULL;

	if (!context_label(&k->context, process, label, &text, &ignored) && text.size)
		copy = printable(text.data, text.size);
	buffer_free(&text);
	return copy;
}

static void list_thread(void *threads, const struct coroprof_channel_status *status)
{
	struct threads *t = threads;
	const struct coroprof_record_channel *c = keep_channel(t->keep, status->channel_id);
	const struct coroprof_record_process *p;
	struct live_window *w = t->window;

	if (!c || status->flags & COROPROF_CHANNEL_ENDED ||
	    !array_grow(&w->threads, w->nr, sizeof(*w->threads)))
		return;
	p = context_process(&t->keep->context, c->process_id);
	w->threads[w->nr++] = (struct live_thread){
		.process = c->process_id, .pid = p ? p->pid : 0, .tid = c->tid, .status = *status,
		.name = printable(c->comm, sizeof(c->comm)),
		.label = status->flags & COROPROF_CHANNEL_OPEN ?
				 label_of(t->keep, c->process_id, status->open_label) : NULL,
	};
}

/* Without them all of the window is added up anew. */
static struct tick_cut *cuts_of(const struct keep *k, uint64_t first, uint64_t end)
{
	struct tick_cut *cuts = calloc(end - first + 1, sizeof(*cuts));

	for (uint64_t i = first; cuts && i < end; i++)
		cuts[i - first] = (struct tick_cut){ keep_begins(k, i), keep_settled(k, i) };
	if (cuts)
		cuts[end - first].begin = keep_begins(k, end);
	return cuts;
}

/* Ticks are about a second, and windows so many whole ones as are nearest to what is wanted. */
static uint64_t first_of(const struct keep *k, uint64_t end, uint64_t end_ns, uint64_t ns)
{
	uint64_t first = end - 1;

	while (first > k->first &&
	       (ns == CHOICES_ALL || end_ns - keep_begins(k, first - 1) < ns + SECOND_NS / 2))
		first--;
	return first;
}

/* The tick that goes on is in no window, as it has no totals at its end, before all has ended. */
static uint64_t newest_of(const struct exchange *x, const struct keep *k)
{
	return keep_end(k) - (x->ended ? 0 : 1);
}

static struct live_window *window_of(const struct exchange *x, struct flight *f,
				     const struct live_wish *wish)
{
	struct live_window *w = calloc(1, sizeof(*w));
	struct threads threads = { &f->keep, w };
	uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct keep *k = &f->keep;
	struct error err;

	if (!w)
		return NULL;
	*w = (struct live_window){
		.wish = wish->number, .oldest = k->first, .newest = newest_of(x, k),
		.now = monotonic_ns(), .bytes = keep_bytes(k), .ended = x->ended,
		.status = x->status,
	};
	w->newest_ns = keep_begins(k, w->newest);
	w->end = wish->end && wish->end < w->newest ? wish->end : w->newest;
	if (w->end <= w->oldest)
		w->end = w->oldest + 1;
	w->end_ns = keep_begins(k, w->end);
	w->first = first_of(k, w->end, w->end_ns, wish->ns);
	w->begin_ns = keep_begins(k, w->first);
	w->cuts = cuts_of(k, w->first, w->end);
	/* It was so some time: now there may be less to keep. */
	w->squeezed = k->squeezed && w->newest_ns - keep_begins(k, k->first) < k->ns;
	channels_each(f->channels, list_thread, &threads);
	w->memory = keep_share(k, &(struct keep_part){ w->first, w->end }, &err);
	if (!w->memory)
		snprintf(w->why, sizeof(w->why), "%.255s", err.message);
	w->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	w->cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	return w;
}

/* Where there is no memory for one it is tried again: somebody may wait for it. */
static void give(struct exchange *x, struct live_window *w, const struct live_wish *wish)
{
	struct live_window *before = NULL;

	pthread_mutex_lock(&x->lock);
	if (w) {
		before = x->window;
		x->window = w;
	} else if (x->wish.number == wish->number) {
		x->wish.wanted = true;
	}
	pthread_mutex_unlock(&x->lock);
	live_window_free(before);
	eventfd_write(x->window_fd, 1);
}

static bool is_due(const struct exchange *x, const struct keep *k, const struct live_wish *wish)
{
	uint64_t newest = newest_of(x, k);

	return wish->wanted && newest > k->first && (newest > wish->after || x->ended);
}

/* What is kept no more, or has not ended, is left out. */
static struct keep_part part_of(const struct exchange *x, const struct keep *k,
				const struct live_wish *wish)
{
	struct keep_part part = wish->part;
	uint64_t newest = newest_of(x, k);

	if (!wish->dump_ns)
		return part;
	if (part.end > newest)
		part.end = newest;
	if (part.end <= k->first)
		part.end = k->first + 1;
	part.first = first_of(k, part.end, keep_begins(k, part.end), wish->dump_ns);
	return part;
}

/* What has come of a file is among the warnings, which are shown. */
static void dump(struct exchange *x, struct flight *f, const struct live_wish *wish)
{
	struct keep_part part = part_of(x, &f->keep, wish);
	bool before = x->dumping;

	/* It has been shown for as long as somebody wanted. */
	if (part.first < f->keep.first)
		part.first = f->keep.first;
	if (wish->dump && part.first >= part.end)
		warn("what is shown is kept no more: nothing is written");
	else if (wish->dump)
		flight_dump(f, wish->dump, &part);
	x->dumping = dumps_busy(&f->dumps);
	if (before != x->dumping || wish->dump)
		eventfd_write(x->window_fd, 1);
}

void exchange_look(struct exchange *x, struct flight *f, struct signals *signals)
{
	struct live_wish wish;
	eventfd_t times;

	eventfd_read(x->wish_fd, &times);
	pthread_mutex_lock(&x->lock);
	wish = x->wish;
	x->wish.dump = NULL;
	x->wish.stop = 0;
	if (is_due(x, &f->keep, &wish))
		x->wish.wanted = false;
	else
		wish.wanted = false;
	pthread_mutex_unlock(&x->lock);
	if (wish.stop)
		signals_stop(signals, wish.stop, false);
	dump(x, f, &wish);
	if (wish.wanted)
		give(x, window_of(x, f, &wish), &wish);
}

void exchange_ended(struct exchange *x, int status)
{
	x->ended = true;
	x->status = status;
	/* As before, but with what has come last: also where somebody looks back, who is to know. */
	pthread_mutex_lock(&x->lock);
	x->wish.wanted = true;
	pthread_mutex_unlock(&x->lock);
}

void exchange_end(struct exchange *x)
{
	pthread_mutex_lock(&x->lock);
	x->over = true;
	pthread_mutex_unlock(&x->lock);
	eventfd_write(x->window_fd, 1);
}
