// SPDX-License-Identifier: GPL-2.0
/*
 * Adds rows to the table of damage, up to BUILD_DAMAGE_MAX: which parts of the file could not be
 * read, and why.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "profile/build.h"
#include "profile/damage.h"

void damage_add(struct build *b, uint64_t offset, uint32_t channel,
		const char *format, ...)
{
	struct model *m = b->model;
	char *text = NULL;
	va_list args;

	/* It is reported when all of it is read in one piece. */
	if (b->of_shard) {
		b->profile->unordered = true;
		return;
	}
	if (channel != MODEL_NONE)
		m->channels[channel].damaged = true;
	m->nr_damage_total++;
	if (m->nr_damage == BUILD_DAMAGE_MAX ||
	    !build_grow(b, &m->damage, m->nr_damage, sizeof(*m->damage)))
		return;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		b->out_of_memory = true;
	else
		m->damage[m->nr_damage++] = (struct model_damage){
			offset, channel, text,
		};
	va_end(args);
}

void segment_cut(struct build *b, const struct file_segment *segment, uint32_t read)
{
	uint32_t said = segment->records;

	if (!b->of_shard)
		b->model->unread_records += said > read ? said - read : 1;
}

void segment_unread(struct build *b, const struct file_segment *s,
		    uint32_t channel, const char *what, const struct error *err)
{
	if (!b->of_shard)
		b->model->unread_bytes += s->stored_size;
	if (s->channel_id)
		damage_add(b, s->offset, channel,
			   "%s of channel %" PRIu32 " can't be read and is skipped: %s",
			   what, s->channel_id, err->message);
	else
		damage_add(b, s->offset, channel,
			   "%s can't be read and is skipped: %s", what,
			   err->message);
}
