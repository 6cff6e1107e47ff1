// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>

#include "../preload/charge.h"
#include "loop.h"
#include "tasks.h"

/* Each of the name and the file; the label has both, and a line. */
#define TEXT_MAX 128

static struct table_node *buckets[16384];
static const struct table tasks = { buckets, 16384, sizeof(struct task) };

static void begin(struct task *task, PyObject *coroutine)
{
	task->co = coroprof_new(0, runtime_current, (uintptr_t)coroutine);
	task->labelled = false;
}

struct task *task_find(PyObject *coroutine)
{
	return table_find(&tasks, (uintptr_t)coroutine);
}

struct task *task_get(PyObject *coroutine)
{
	struct task *task = table_find(&tasks, (uintptr_t)coroutine);

	if (unlikely(!task))
		task = table_get(&tasks, (uintptr_t)coroutine);
	if (!task || task->over)
		return NULL;
	if (!task->co)
		begin(task, coroutine);
	return task;
}

/* A new reference, or NULL without an error. What is asked for runs no code of the program. */
static PyObject *get(PyObject *object, const char *name)
{
	PyObject *value = object ? python.get(object, name) : NULL;

	if (!value)
		python.clear();
	return value;
}

static void copy_text(PyObject *string, char *to, size_t room)
{
	const char *text = string ? python.text(string) : NULL;

	if (!text)
		python.clear();
	snprintf(to, room, "%s", text ? text : "?");
	if (string)
		python.decref(string);
}

static long copy_number(PyObject *integer)
{
	long number = integer ? python.number(integer) : 0;

	if (number == -1 && python.error())
		python.clear();
	if (integer)
		python.decref(integer);
	return number;
}

/* As tracebacks call it: qualified name, file and line. */
static uint32_t label_of(PyObject *coroutine)
{
	char name[TEXT_MAX], file[TEXT_MAX], label[2 * TEXT_MAX + 24];
	PyObject *code = get(coroutine, "cr_code");
	long line;

	copy_text(get(coroutine, "__qualname__"), name, sizeof(name));
	copy_text(get(code, "co_filename"), file, sizeof(file));
	line = copy_number(get(code, "co_firstlineno"));
	if (code)
		python.decref(code);
	snprintf(label, sizeof(label), "%s@%s:%ld", name, file, line);
	return coroprof_label(label);
}

void task_name(struct task *task, PyObject *coroutine)
{
	if (task->labelled || python.error())
		return;
	charge();
	loop_check();
	coroprof_set_label(task->co, label_of(coroutine));
	task->labelled = true;
}

coroprof_co task_enter(struct task *task, PyObject *coroutine)
{
	coroprof_co before = runtime_current;

	if (unlikely(runtime_recorded() && !task->labelled))
		task_name(task, coroutine);
	task->runs = true;
	runtime_switch(task->co);
	return before;
}

void task_leave(struct task *task, coroprof_co before, bool ended)
{
	task->runs = false;
	if (likely(!ended)) {
		runtime_switch(before);
		return;
	}
	task->co = 0;
	task->over = true;
	coroprof_switch_done(before);
}

void task_forget(struct task *task)
{
	task->over = false;
}
