// SPDX-License-Identifier: LGPL-2.1-or-later
/* Greenlets by their objects, and whose turn it is on a thread. */
#include "../preload/charge.h"
#include "greenlets.h"

static struct table_node *buckets[16384];
static const struct table greenlets = { buckets, 16384, sizeof(struct greenlet) };

/* Whose turn it is on this thread; NULL: what the thread began with. */
static __thread struct greenlet *here __attribute__((tls_model("initial-exec")));
/* Stands there for one whose object is gone before another has arrived. */
static __thread struct greenlet gone __attribute__((tls_model("initial-exec")));

struct greenlet *greenlet_find(PyObject *object)
{
	struct greenlet *found = table_find(&greenlets, (uintptr_t)object);

	return found && found->made ? found : NULL;
}

void greenlet_made(PyObject *object)
{
	struct greenlet *self = table_get(&greenlets, (uintptr_t)object);

	if (!self)
		return;
	/* One of a thread that has ended never learnt that it goes. */
	greenlet_forget(self);
	self->made = true;
	self->maker = runtime_current_id();
}

static void name(struct greenlet *self)
{
	if (self->labelled || python.error())
		return;
	gevent_listen();
	coroprof_set_label(self->co, greenlet_label(self->function));
	self->labelled = true;
}

static struct adapter adapter = {
	.name = "greenlet",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
};

void greenlet_ready(struct greenlet *self, PyObject *object)
{
	if (self->co)
		return;
	self->co = runtime_new(&adapter, 0, COROPROF_THREAD, (uintptr_t)object);
	runtime_set_parent(self->co, self->maker);
}

static void prepare(struct greenlet *self, PyObject *object, PyObject *args)
{
	charge();
	greenlet_ready(self, object);
	if (!self->function)
		self->function = greenlet_function(object, args);
	if (runtime_recorded())
		name(self);
}

struct greenlet *greenlet_leave(void)
{
	if (here)
		here->out = true;
	return here;
}

static void unname(struct greenlet *self)
{
	PyObject *function = self->function;

	self->function = NULL;
	self->labelled = false;
	if (function)
		python.decref(function);
}

static void end(struct greenlet *self, coroprof_co next)
{
	coroprof_co co = self->co;

	self->co = 0;
	unname(self);
	if (likely(co == runtime_current)) {
		coroprof_switch_done(next);
	} else {
		coroprof_done(co);
		runtime_switch(next);
	}
}

/* Recorded or not. */
static inline void go(struct greenlet *from, coroprof_co to)
{
	if (likely(!from || !from->gives_way)) {
		runtime_switch(to);
	} else {
		from->gives_way = false;
		coroprof_switch_ready(to);
	}
}

void greenlet_arrive(struct greenlet *self, coroprof_co before)
{
	struct greenlet *from = here;

	here = self;
	if (self)
		self->out = false;
	if (from && from != self && !from->out)
		end(from, before);
	else if (runtime_current != before)
		go(from, before);
	if (unlikely(runtime_recorded() && self && !self->labelled))
		name(self);
}

void greenlet_start(struct greenlet *self, PyObject *object, PyObject *args)
{
	if (!self->labelled)
		prepare(self, object, args);
	self->begun = true;
	go(here, self->co);
	here = self;
}

void greenlet_unstart(struct greenlet *self, struct greenlet *back)
{
	unname(self);
	self->begun = false;
	here = back;
}

void greenlet_give_way(void)
{
	if (here)
		here->gives_way = true;
}

bool greenlet_is_here(const struct greenlet *self)
{
	return here == self;
}

void greenlet_forget(struct greenlet *self)
{
	if (here == self) {
		gone.co = self->co;
		gone.out = false;
		here = &gone;
	} else if (self->co) {
		coroprof_done(self->co);
	}
	self->co = 0;
	unname(self);
	self->made = false;
	self->begun = false;
	self->out = false;
	self->gives_way = false;
}
