/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Greenlets: stacks of C that an extension module of Python switches; gevent and eventlet
 * are made of them. All this is called with the interpreter's lock held.
 */
#ifndef PYTHON_GREENLETS_H
#define PYTHON_GREENLETS_H

#include "../preload/table.h"
#include "../runtime.h"
#include "api.h"

#pragma GCC visibility push(hidden)

/**
 * struct greenlet - an address at which the program has made one. What a thread begins with is none
 * @node:     by its address
 * @maker:    number of the coroutine that made it, 0: a thread
 * @co:       its coroutine; 0: nobody has made it ready, or it is over
 * @function: what it runs, kept as long as @co: Python's code, or else the type of what is
 *            called; NULL: not known
 * @made:     it is there; else a thread may have begun with what has the address now
 * @labelled: its coroutine has its label
 * @begun:    it has been switched to
 * @out:      it has switched away, by a call that it is still in
 * @gives_way: it is ready when it does so next
 */
struct greenlet {
	struct table_node node;
	uint64_t maker;
	coroprof_co co;
	PyObject *function;
	bool made;
	bool labelled;
	bool begun;
	bool out;
	bool gives_way;
};

/* Before Python begins: once it imports greenlet, greenlets are reported. */
void greenlets_begin(void);

/* The type of greenlets, or NULL: that is not imported. */
extern PyTypeObject *greenlet_type;

/* What is known of it. NULL: a thread began with it, or it is over. */
struct greenlet *greenlet_find(PyObject *object);
/* The program has made it, in what runs now. */
void greenlet_made(PyObject *object);
/* It has a coroutine from now on. */
void greenlet_ready(struct greenlet *self, PyObject *object);

/* What runs goes on elsewhere. Returns it: it arrives again when it goes on. */
struct greenlet *greenlet_leave(void);
/* It goes on, and in it @before. Whose turn it was has ended, unless it has left. */
void greenlet_arrive(struct greenlet *self, coroprof_co before);
/*
 * Its first turn begins, with these arguments; and it did not come to that, @back has never left.
 */
void greenlet_start(struct greenlet *self, PyObject *object, PyObject *args);
void greenlet_unstart(struct greenlet *self, struct greenlet *back);
/* Whoever runs will leave, and be ready. */
void greenlet_give_way(void);
/* Whether it is its turn. */
bool greenlet_is_here(const struct greenlet *self);
/* The object goes: its address may be another's. */
void greenlet_forget(struct greenlet *self);

/*
 * What one that has not begun is to run: a new reference, or NULL if it is not known. No code
 * of the program runs.
 */
PyObject *greenlet_function(PyObject *object, PyObject *args);
uint32_t greenlet_label(PyObject *function);

/* While recorded, gevent's loop says which greenlets it is given, if there is one. */
void gevent_listen(void);

#pragma GCC visibility pop

#endif /* PYTHON_GREENLETS_H */
