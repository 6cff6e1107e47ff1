// SPDX-License-Identifier: GPL-2.0
/* Makes recordings of parts of what is kept, and hands them over. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "cprof/memory.h"
#include "push/parts.h"
#include "record/flight.h"

/* So long the last part waits for the one before it to be taken. */
#define LAST_S		5
#define PIECE		(1u << 16)

int parts_begin(struct parts *p, struct error *err)
{
	pthread_condattr_t monotonic;

	*p = (struct parts){ .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&p->taken, &monotonic);
	pthread_condattr_destroy(&monotonic);
	p->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return p->fd < 0 ? error_errno(err, "can't make a descriptor for events") : 0;
}

void parts_free(struct parts *p)
{
	if (p->there)
		memory_free(p->part.memory);
	if (p->fd >= 0)
		close(p->fd);
	pthread_cond_destroy(&p->taken);
	pthread_mutex_destroy(&p->lock);
}

/* ---- the thread that records */

static bool has_room(struct parts *p, bool last)
{
	struct timespec until;
	bool room;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += LAST_S;
	pthread_mutex_lock(&p->lock);
	while (last && p->there &&
	       !pthread_cond_timedwait(&p->taken, &p->lock, &until))
		;
	room = !p->there;
	pthread_mutex_unlock(&p->lock);
	return room;
}

static void give(struct parts *p, struct part *part)
{
	struct book_window *w = &part->window;

	w->offset_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - monotonic_ns());
	p->next_ns = w->end_ns;
	pthread_mutex_lock(&p->lock);
	p->part = *part;
	p->there = true;
	pthread_mutex_unlock(&p->lock);
	eventfd_write(p->fd, 1);
}

static void refuse(struct part *part, const struct error *err)
{
	memory_free(part->memory);
	part->memory = NULL;
	snprintf(part->why, sizeof(part->why), "%.255s", err->message);
}

/* The tick that goes on is in no part, as it has no totals at its end, before all has ended. */
void parts_look(struct parts *p, struct flight *f, uint64_t every_ns, bool last)
{
	struct keep *k = &f->keep;
	struct keep_part ticks = { p->next, keep_end(k) - (last ? 0 : 1) };
	struct part part = { 0 };
	struct error err;
	uint64_t end_ns;

	/* The first ticks may be gone before anybody has looked. */
	if (!p->begun && p->next >= k->first)
		p->next_ns = keep_begins(k, p->next);
	p->begun = true;
	if (ticks.end <= ticks.first || ticks.end <= k->first)
		return;
	end_ns = keep_begins(k, ticks.end);
	if (!last && end_ns - p->next_ns < every_ns)
		return;
	if (!has_room(p, last)) {
		p->unsent_ns = last ? end_ns - p->next_ns : 0;
		return;
	}
	if (ticks.first < k->first) {
		ticks.first = k->first;
		part.unsent_ns = keep_begins(k, k->first) - p->next_ns;
	}
	/* The first part lacks nothing, but those behind it do: with another standing it was another series. */
	part.window = (struct book_window){
		.begin_ns = keep_begins(k, ticks.first), .end_ns = end_ns, .last = last,
		.cut = ticks.first || !last,
	};
	part.memory = keep_share(k, &ticks, &err);
	if (!part.memory)
		refuse(&part, &err);
	p->next = ticks.end;
	give(p, &part);
}

static int copy_file(struct part *part, const char *path, struct error *err)
{
	char piece[PIECE];
	ssize_t nr = -1;
	int fd, ret = 0;

	part->memory = memory_new();
	if (!part->memory)
		return error_set(err, ENOMEM, "out of memory");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (!ret && fd >= 0 && (nr = read(fd, piece, sizeof(piece))) > 0)
		ret = memory_append(part->memory, piece, (size_t)nr, err);
	if (!ret && nr < 0)
		ret = error_errno(err, "can't copy %s into memory", path);
	if (fd >= 0)
		close(fd);
	return ret;
}

void parts_totals(struct parts *p, const char *path, bool last)
{
	struct part part = { 0 };
	struct error err;

	if (!has_room(p, last)) {
		p->unsent_ns = last ? monotonic_ns() - p->next_ns : 0;
		return;
	}
	part.window = (struct book_window){
		.begin_ns = p->next_ns, .end_ns = monotonic_ns(), .so_far = true, .last = last,
	};
	if (copy_file(&part, path, &err))
		refuse(&part, &err);
	give(p, &part);
}

void parts_end(struct parts *p)
{
	pthread_mutex_lock(&p->lock);
	p->over = true;
	eventfd_write(p->fd, 1);
	pthread_mutex_unlock(&p->lock);
}

/* ---- the thread that sends */

bool parts_take(struct parts *p, struct part *part, bool *over)
{
	eventfd_t times;
	bool there;

	eventfd_read(p->fd, &times);
	pthread_mutex_lock(&p->lock);
	there = p->there;
	*part = p->part;
	p->there = false;
	*over = p->over;
	pthread_cond_signal(&p->taken);
	pthread_mutex_unlock(&p->lock);
	return there;
}
