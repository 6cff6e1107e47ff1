/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of each fiber of Ruby. */
#ifndef RUBY_FIBERS_H
#define RUBY_FIBERS_H

#include "../preload/table.h"
#include "../runtime.h"
#include "api.h"

#pragma GCC visibility push(hidden)

/**
 * struct fiber - a fiber of Ruby, or what a thread began with
 * @node:   by its data, whose address is another's once the fiber was collected
 * @known:  it has run since
 * @co:     its coroutine; of a thread's own, and of one that is over, COROPROF_THREAD
 * @label:  of @co, 0: not looked up yet
 * @object: as it was when it first ran, to ask what its data says: Ruby moves the real one.
 *          Used while @known
 */
struct fiber {
	struct table_node node;
	bool known;
	coroprof_co co;
	uint32_t label;
	struct ruby_object object;
};

/* Of an object that is a fiber. NULL without memory, or if @create is false and there is none. */
struct fiber *fiber_of(VALUE fiber, bool create);

/* What Ruby reports. */
ruby_listener fiber_listener;

/* A name for a fiber that runs, by the block that it was given. Ruby's lock is held. */
uint32_t fiber_label(VALUE fiber);
/* The same for one that is being created by a function, by the code that called that. */
uint32_t fiber_label_here(void);

#pragma GCC visibility pop

#endif /* RUBY_FIBERS_H */
