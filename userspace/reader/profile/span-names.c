// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "profile/build.h"

static void fill_code(struct build *b, struct model_span *s,
		      const struct build_name *name)
{
	const char *base = strrchr(name->text, '/');

	s->object = build_format(b, "%s", name->text);
	s->address = name->value;
	s->name = build_format(b, "%s+0x%" PRIx64,
			       base ? base + 1 : name->text, name->value);
	s->unresolved = "symbols were not looked up";
}

static void fill(struct build *b, struct model_span *s, uint32_t number,
		 const struct build_name *name)
{
	if (!number)
		s->name = build_format(b, "(no name)");
	else if (!name)
		s->name = build_format(b, "(label %" PRIu32 ", its name is not in the file)",
				       number);
	else if (name->flags & COROPROF_LABEL_CODE)
		fill_code(b, s, name);
	else
		s->name = build_format(b, "%s", name->text);
}

static bool same(const struct model_span *s, const struct build_name *name)
{
	if (name->flags & COROPROF_LABEL_CODE)
		return s->object && s->address == name->value &&
		       !strcmp(s->object, name->text);
	return !s->object && s->name && !strcmp(s->name, name->text);
}

/* The row of another label of the process with the same text. */
static uint32_t find_text(const struct build *b, uint32_t process,
			  const struct build_name *name)
{
	uint32_t row = index_get(&b->span_text_index, name->hash, process);

	return row != INDEX_NONE && same(&b->model->spans[row], name) ?
	       row : MODEL_NONE;
}

static uint32_t make_row(struct build *b, uint32_t process, uint32_t number,
			 const struct build_name *name)
{
	struct model *m = b->model;
	uint32_t row = m->nr_spans;

	if (row == BUILD_SPANS_MAX ||
	    !build_grow(b, &m->spans, row, sizeof(*m->spans)))
		return MODEL_NONE;
	m->spans[row] = (struct model_span){ .process = process };
	m->nr_spans++;
	fill(b, &m->spans[row], number, name);
	if (name && !index_put(&b->span_text_index, name->hash, process, row))
		b->out_of_memory = true;
	return row;
}

uint32_t span_of(struct build *b, uint32_t process, uint32_t number)
{
	uint32_t row = index_get(&b->span_index, number, process);
	const struct build_name *name;

	if (row != INDEX_NONE)
		return row;
	name = name_of(b, process, number);
	row = name ? find_text(b, process, name) : MODEL_NONE;
	if (row == MODEL_NONE)
		row = make_row(b, process, number, name);
	if (row != MODEL_NONE &&
	    !index_put(&b->span_index, number, process, row))
		b->out_of_memory = true;
	return row;
}
