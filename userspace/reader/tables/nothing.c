// SPDX-License-Identifier: GPL-2.0
/*
 * Finds out why a model has no slices, and writes that as a sentence, with a remedy. Of several
 * reasons the most certain one is taken.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/invoked.h"
#include "tables/nothing.h"

/* Sets the reason and the remedy. Returns -1 without memory, as do all say_...(). */
static int __attribute__((format(printf, 3, 4)))
say(struct model *m, const char *remedy, const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = vasprintf(&m->nothing, format, args);
	va_end(args);
	if (ret < 0)
		m->nothing = NULL;
	m->remedy = invoked_copy(remedy);
	return m->nothing && m->remedy ? 0 : -1;
}

static int say_lost(struct model *m)
{
	return say(m, "A larger ring loses fewer: coroprof record --ring-size 8M.",
		   "No slice is left: %" PRIu64 " found the ring full.", m->lost);
}

static bool is_damaged(const struct model *m)
{
	return m->truncated || m->nr_damage_total || m->unread_bytes || m->unread_records;
}

static int say_damaged(struct model *m)
{
	return say(m, "Record again. The entries on damage have its places.",
		   "The file is damaged, and no slice is in the part that could be read.");
}

static int say_cut(struct model *m)
{
	return say(m, "If it is still being written, look again when it has ended; else record anew.",
		   "The file ends before the first slice: it was not ended in order.");
}

static int say_part(struct model *m)
{
	return say(m, "Choose another part, by --from and --to, or show all of it.",
		   "Nothing ran in this part of the recording.");
}

/*
 * Why the first thread that could not be recorded was not; NULL if all could. @failed: how many
 * could not.
 */
static const char *first_failure(const struct model *m, uint32_t *failed)
{
	const char *first = NULL;

	*failed = 0;
	for (uint32_t i = 0; i < m->nr_channels; i++) {
		const struct model_channel *c = &m->channels[i];

		if (c->error && !(*failed)++)
			first = c->error_text ? c->error_text : "unknown error";
	}
	return first;
}

static int say_failed(struct model *m, uint32_t failed, const char *why)
{
	return say(m, "Run coroprof selftest: it shows whether you can record on this machine, and how to change that.",
		   "%" PRIu32 " of %" PRIu32 " thread%s could not be recorded: %s.",
		   failed, m->nr_channels, m->nr_channels == 1 ? "" : "s", why);
}

static int say_missing(struct model *m)
{
	return say(m, "The entry on missing parts also has the remedy.",
		   "No program that ran is recorded, for the reasons in the entry on missing parts.");
}

static int say_no_program(struct model *m)
{
	return say(m, "Record a command from its start, coroprof record -o profile.html -- COMMAND, or one that runs, -p PID. The README lists the runtimes.",
		   "No program ran that reports its coroutines: none with libcoroprof, and none with a runtime that is recorded unmodified.");
}

static int say_idle(struct model *m)
{
	static const char remedy[] = "Record for longer, or while the program has work to do.";

	if (m->nr_processes == 1)
		return say(m, remedy, "1 process made itself known, and switched no coroutine while it was recorded.");
	return say(m, remedy,
		   "%" PRIu32 " processes made themselves known, and switched no coroutine while they were recorded.",
		   m->nr_processes);
}

/* The reasons that are certain come before those that are only likely. */
int nothing_make(struct model *m)
{
	const char *why;
	uint32_t failed;

	if (m->times.slices)
		return 0;
	if (m->lost)
		return say_lost(m);
	if (is_damaged(m))
		return say_damaged(m);
	if (m->part)
		return say_part(m);
	why = first_failure(m, &failed);
	if (why)
		return say_failed(m, failed, why);
	if (m->missing)
		return say_missing(m);
	if (model_cut(m))
		return say_cut(m);
	return m->nr_processes ? say_idle(m) : say_no_program(m);
}
