// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A fiber is called by the place of its block. Ruby's own to_s() says where that is; but it makes
 * strings, so it may collect garbage, and crash a program that loses fibers which still wait
 * (https://bugs.ruby-lang.org/issues/18818). So the block is looked up without making anything.
 */
#include <stdio.h>
#include <string.h>

#include "fibers.h"

#define UNNAMED "Fiber"

/*
 * What a fiber's type marks first is the block: what is reported after the fiber's class. Before
 * that comes what the program keeps in the fiber, which may be the class, too.
 */
struct search {
	VALUE class;
	unsigned int kept;
	enum { BEFORE_CLASS, AT_BLOCK, FOUND } at;
	VALUE block;
};

static int search_kept(ID name, VALUE value, uintptr_t data)
{
	struct search *search = (struct search *)data;

	(void)name;
	search->kept += value == search->class;
	return RUBY_CONTINUE;
}

static void search_next(VALUE object, void *data)
{
	struct search *search = data;

	if (search->at == BEFORE_CLASS && object == search->class) {
		if (!search->kept--)
			search->at = AT_BLOCK;
	} else if (search->at == AT_BLOCK) {
		search->block = object;
		search->at = FOUND;
	}
}

/* NULL if @value is no Proc. */
static const struct ruby_block *block_of(VALUE value)
{
	const struct ruby_object *object = (const void *)value;

	if (!value || (object->flags & RUBY_TYPE_BITS) != RUBY_DATA || object->typed != 1 ||
	    strcmp(object->type->name, "proc"))
		return NULL;
	return object->data;
}

static VALUE fiber_proc(VALUE fiber)
{
	struct search search = { .class = ((const struct ruby_object *)fiber)->class };

	ruby.ivar_foreach(fiber, search_kept, (uintptr_t)&search);
	ruby.objspace_reachable_objects_from(fiber, search_next, &search);
	return search.block;
}

struct sought {
	VALUE object;
	bool found;
};

static void seek(VALUE object, void *data)
{
	struct sought *sought = data;

	sought->found |= object == sought->object;
}

/*
 * A block may be laid out otherwise where Ruby was built otherwise. What is taken from it for an
 * object is one only if the Proc refers to it, which Ruby says.
 */
static bool refers_to(VALUE proc, VALUE object)
{
	struct sought sought = { .object = object };

	ruby.objspace_reachable_objects_from(proc, seek, &sought);
	return sought.found;
}

/* Ruby ends the process that asks for the place of anything else. */
static bool is_code(VALUE object)
{
	uintptr_t flags = ((const struct ruby_object *)object)->flags;

	return (flags & RUBY_TYPE_BITS) == RUBY_OWN &&
	       (flags >> RUBY_OWN_SHIFT & RUBY_OWN_BITS) == RUBY_OWN_CODE;
}

uint32_t fiber_label(VALUE fiber)
{
	VALUE proc = fiber_proc(fiber);
	const struct ruby_block *block = block_of(proc);
	const char *symbol;
	volatile VALUE path;
	char text[400];

	while (block && block->kind == BLOCK_PROC) {
		proc = refers_to(proc, block->proc) ? block->proc : 0;
		block = block_of(proc);
	}
	if (block && block->kind == BLOCK_RUBY && refers_to(proc, block->code) &&
	    is_code(block->code)) {
		path = ruby.profile_frame_path(block->code);
		snprintf(text, sizeof(text), "%s:%ld", ruby.string_value_ptr(&path),
			 (long)ruby.profile_frame_first_lineno(block->code) >> 1);
		return coroprof_label(text);
	}
	if (block && block->kind == BLOCK_SYMBOL && ruby_is_static_symbol(block->symbol)) {
		symbol = ruby.id2name(ruby.sym2id(block->symbol));
		snprintf(text, sizeof(text), "(&:%s)", symbol ? symbol : "");
		return coroprof_label(text);
	}
	return coroprof_label(UNNAMED);
}

uint32_t fiber_label_here(void)
{
	const char *method = ruby.id2name(ruby.frame_callee()), *file = ruby.sourcefile();
	char text[400];

	if (!method || !file)
		return 0;
	snprintf(text, sizeof(text), "%s@%s:%d", method, file, ruby.sourceline());
	return coroprof_label(text);
}
