// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Loops which report when a task is ready. Those written in Python append what is to go on to a
 * deque: the function which does that is in a table that can be written, and is replaced
 * there. So nothing that a program sees is another, nor is any call that its hooks get.
 */
#include "../preload/charge.h"
#include "loop.h"
#include "tasks.h"

bool loop_reports;

static struct loop *const loops[] = { &loop_asyncio, &loop_uvloop, &loop_trio };

#define NR_LOOPS (sizeof(loops) / sizeof(loops[0]))

static python_call *next_append;

/*
 * It gets its label when it first runs: to look that up here would part the slice of who wakes it.
 */
void loop_wake(struct loop *loop, PyObject *coroutine)
{
	struct task *task;

	if (coroutine->type != python.coroutine)
		return;
	task = task_get(coroutine);
	if (!task || task->runs)
		return;
	if (unlikely(!loop->adapter.reported))
		runtime_report(&loop->adapter);
	coroprof_wake(task->co);
}

void loop_ready(struct loop *loop, PyObject *coroutine)
{
	if (coroutine) {
		loop_wake(loop, coroutine);
		python.decref(coroutine);
	}
	if (python.error())
		python.clear();
}

static __attribute__((noinline)) void look_at(PyObject *queue, PyObject *item)
{
	PyObject *coroutine;
	struct loop *loop;

	for (size_t i = 0; i < NR_LOOPS; i++) {
		loop = loops[i];
		if (item->type != loop->item)
			continue;
		coroutine = loop->known ? loop->known(item) : NULL;
		if (coroutine)
			loop_wake(loop, coroutine);
		else if (!python.error())
			loop_ready(loop, loop->coroutine(queue, item));
		return;
	}
}

static PyObject *append(PyObject *queue, uintptr_t item, uintptr_t b, uintptr_t c)
{
	if (unlikely(runtime_recorded()))
		look_at(queue, (PyObject *)item);
	return next_append(queue, item, b, c);
}

/* The table stays when Python ends. */
static void listen_to_deques(void)
{
	PyTypeObject *deque = python_type(python.item(python.modules(), "_collections"), "deque");
	struct python_method *method = deque ? python_method_of(deque, "append") : NULL;

	if (method && method->flags == PYTHON_METH_O && method->call != append)
		python_replace(method, &next_append, append);
	if (deque)
		python.decref((PyObject *)deque);
}

static bool kept;

/* So many modules there were when those of none of the loops was among them but such as tell. */
static intptr_t nr_modules;

void loop_look_again(void)
{
	nr_modules = 0;
}

static void forget(void)
{
	kept = false;
	loop_reports = false;
	nr_modules = 0;
	for (size_t i = 0; i < NR_LOOPS; i++) {
		loops[i]->item = NULL;
		loops[i]->found = false;
	}
}

/* Python says when it ends: what is found is of no use then. */
static bool keep(void)
{
	if (!kept && !python.at_end(forget)) {
		kept = true;
		listen_to_deques();
	}
	return kept;
}

static bool is_imported(const struct loop *loop, PyObject *module)
{
	PyTypeObject *type = python_type(module, loop->type);

	if (type)
		python.decref((PyObject *)type);
	return type;
}

/* Until it has been imported there is nothing to listen to. */
static bool listen_to(struct loop *loop, bool *waits)
{
	PyObject *module = loop->found ? NULL : python.item(python.modules(), loop->module);

	if (module && is_imported(loop, module) && keep()) {
		loop->found = true;
		loop->find(module);
	}
	*waits |= module && !loop->found;
	return loop->found;
}

/* Only the main interpreter stays until Python ends. */
void loop_listen(void)
{
	bool all = true, waits = false;
	intptr_t nr;

	if (python.error() || python.interpreter() != python.main_interpreter() || python.ends())
		return;
	nr = python.entries(python.modules());
	if (nr == nr_modules)
		return;
	charge();
	for (size_t i = 0; i < NR_LOOPS; i++)
		all &= listen_to(loops[i], &waits);
	nr_modules = waits ? 0 : nr;
	loop_reports = all;
}
