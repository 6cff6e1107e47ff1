// SPDX-License-Identifier: GPL-2.0
/*
 * A line on a terminal that shows how much of a recording has been read; nothing where standard
 * error is no terminal, or for what is quick.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "output/progress.h"

#define FIRST_NS	SECOND_NS
#define INTERVAL_NS	(SECOND_NS / 4)

/* To the beginning of the line, and what is on it away. */
#define CLEAR_LINE	"\r\033[K"

void progress_begin(struct progress *p)
{
	p->begin_ns = monotonic_ns();
	p->next_ns = isatty(STDERR_FILENO) ? p->begin_ns + FIRST_NS : UINT64_MAX;
	p->shown = false;
}

static void write_progress(const struct progress *p, uint64_t now, uint64_t done,
			   uint64_t total)
{
	double seconds = (double)(now - p->begin_ns) / SECOND_NS;
	double rate = (double)done / seconds;

	fprintf(stderr, CLEAR_LINE "coroprof: %.0f %% of %.0f MB read, %.0f MB/s, %.0f s left",
		100.0 * (double)done / (double)total, (double)total / 1e6,
		rate / 1e6, (double)(total - done) / rate);
}

void progress_show(void *progress, uint64_t done, uint64_t total)
{
	struct progress *p = progress;
	uint64_t now;

	if (p->next_ns == UINT64_MAX || !done || done > total)
		return;
	now = monotonic_ns();
	if (now < p->next_ns)
		return;
	p->next_ns = now + INTERVAL_NS;
	p->shown = true;
	write_progress(p, now, done, total);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs(CLEAR_LINE, stderr);
	p->shown = false;
}
