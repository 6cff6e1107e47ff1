// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Loops which tell when a task is ready. While somebody records, a function of ours
 * stands in place of the method that is given each such task.
 */
#include "loop.h"
#include "tasks.h"

bool loop_tells;

static struct loop *const loops[] = { &loop_asyncio, &loop_uvloop, &loop_trio };

#define NR_LOOPS (sizeof(loops) / sizeof(loops[0]))

/* Its label comes first: to wake it tells all that is known of it. */
static void ready(struct loop *loop, PyObject *coroutine)
{
	coroprof_co before = runtime_current;
	struct task *task;

	if (coroutine->type != python.coroutine)
		return;
	task = task_get(coroutine);
	if (!task || task->runs)
		return;
	task_name(task, coroutine);
	runtime_switch(before);
	if (unlikely(!loop->adapter.told))
		runtime_tell(&loop->adapter);
	coroprof_wake(task->co);
}

static void look_at(struct loop *loop, PyObject *given)
{
	PyObject *coroutine = loop->coroutine(given);

	if (coroutine) {
		ready(loop, coroutine);
		python.decref(coroutine);
	}
	if (python.error())
		python.clear();
}

static bool is_there(const struct loop *loop, const PyObject *function)
{
	PyObject *there = python_attribute(loop->type, loop->method.name);

	if (there)
		python.decref(there);
	return there && there == function;
}

/* Where a program has put one of its own there meanwhile, which calls ours, that stays. */
static void stop_listening(struct loop *loop)
{
	if (python.error() || !loop->stands || !is_there(loop, loop->ours))
		return;
	loop->stands = false;
	loop_tells = false;
	if (python.set(loop->type, loop->method.name, loop->inherited ? NULL : loop->next))
		python.clear();
}

PyObject *loop_call(struct loop *loop, PyObject *self, PyObject *const *args, size_t nargs, PyObject *names)
{
	PyObject *next = python.bind(loop->next, self), *result;

	if (!next)
		return NULL;
	if (likely(runtime_recorded()) && nargs)
		look_at(loop, args[0]);
	else
		stop_listening(loop);
	result = python.call(next, args, nargs, names);
	python.decref(next);
	return result;
}

static bool kept;

static void forget(void)
{
	kept = false;
	loop_tells = false;
	for (size_t i = 0; i < NR_LOOPS; i++) {
		loops[i]->type = NULL;
		loops[i]->next = NULL;
		loops[i]->ours = NULL;
		loops[i]->stands = false;
	}
}

/* Python tells when it ends: what is found is of no use then. */
static bool keep(void)
{
	if (!kept)
		kept = !python.at_end(forget);
	return kept;
}

static bool is_inherited(const struct loop *loop)
{
	PyObject *base = python_attribute(loop->type, "__base__");
	PyObject *of_base = python_attribute(base, loop->method.name);
	bool inherited = of_base && of_base == loop->next;

	if (base)
		python.decref(base);
	if (of_base)
		python.decref(of_base);
	return inherited;
}

/* Those are kept until Python ends. What a program has put there in its place is left alone. */
static bool find(struct loop *loop)
{
	PyObject *module = python.item(python.modules(), loop->module);

	if (!module || !keep())
		return false;
	loop->type = python_attribute(module, loop->type_name);
	if (!loop->type)
		return false;
	loop->next = python_attribute(loop->type, loop->method.name);
	loop->inherited = is_inherited(loop);
	if (!loop->find() || !loop->next || (!loop->inherited && loop->next->type != python.function))
		loop->next = NULL;
	return true;
}

static void stand_in(struct loop *loop)
{
	if (!is_there(loop, loop->next))
		return;
	if (!loop->ours)
		loop->ours = python.new_method((PyTypeObject *)loop->type, &loop->method);
	if (!loop->ours || python.set(loop->type, loop->method.name, loop->ours))
		python.clear();
}

/* Until it has been imported there is nothing to listen to. */
static bool listen_to(struct loop *loop)
{
	if (loop->stands || (!loop->type && !find(loop)))
		return loop->stands;
	loop->stands = true;
	if (loop->next)
		stand_in(loop);
	return true;
}

/* Only the main interpreter stays until Python ends. */
void loop_listen(void)
{
	bool all = true;

	if (python.error() || python.interpreter() != python.main_interpreter() || python.ends())
		return;
	for (size_t i = 0; i < NR_LOOPS; i++)
		all &= listen_to(loops[i]);
	loop_tells = all;
}
