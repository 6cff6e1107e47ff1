// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "../preload/table.h"
#include "../runtime.h"
#include "name.h"

#define TEXT_MAX 256
/* So many frames of the JDK may be around the program's, as of an executor. */
#define FRAMES 16

/* Labels of functions: to look one up takes long. The number of a method is used once. */
struct function {
	struct table_node node;
	uint32_t label;
};

static struct table_node *buckets[1024];
static const struct table functions = { buckets, 1024, sizeof(struct function) };

/* What a field of an object refers to, or NULL. */
static java_ref follow(java_table *jni, java_ref object, const char *name, const char *type)
{
	java_id field = java_field(jni, java_class_of(jni, object), name, type);

	if (field)
		return JAVA_FUNCTION(jni, JNI_GET_OBJECT_FIELD, java_ref, java_ref, java_id)
			(jni, object, field);
	java_clear(jni);
	return NULL;
}

/* Without digits at the end, and what stands between them and the rest. */
static size_t kind_length(const char *name)
{
	size_t len = strlen(name);
	size_t kind = len;

	while (kind && name[kind - 1] >= '0' && name[kind - 1] <= '9')
		kind--;
	if (kind < len && kind && strchr("-_#.:/ ", name[kind - 1]))
		kind--;
	return kind;
}

uint32_t name_given(java_table *jni, java_ref thread)
{
	java_ref string = follow(jni, thread, "name", "Ljava/lang/String;");
	const char *name = string ? java_text(jni, string) : NULL;
	char text[TEXT_MAX];

	if (!name) {
		java_clear(jni);
		return 0;
	}
	snprintf(text, sizeof(text), "%.*s", (int)kind_length(name), name);
	java_free_text(jni, string, name);
	return *text ? coroprof_label(text) : 0;
}

/* What the JVM calls a class that it makes for a lambda, before a number. */
#define LAMBDA "$$Lambda"

/* "Lorg/example/Server;" is "org.example.Server". */
static void copy_class(char *to, size_t room, const char *signature)
{
	const char *lambda = strstr(signature, LAMBDA);
	size_t len = lambda ? strlen(signature) - strlen(lambda + strlen(LAMBDA)) :
			      strcspn(signature, ";");

	snprintf(to, room, "%.*s", len ? (int)len - 1 : 0, signature + 1);
	for (char *at = to; (at = strchr(at, '/')); )
		*at = '.';
}

static char *signature_of(java_table *ti, java_ref class)
{
	char *signature;

	return JAVA_FUNCTION(ti, TI_GET_CLASS_SIGNATURE, int32_t, java_ref, char **, char **)
		(ti, class, &signature, NULL) ? NULL : signature;
}

static bool is_programs(const char *signature)
{
	static const char *const of_jdk[] = { "Ljava/", "Ljavax/", "Ljdk/", "Lsun/", "Lcom/sun/" };

	for (size_t i = 0; i < sizeof(of_jdk) / sizeof(of_jdk[0]); i++) {
		if (!strncmp(signature, of_jdk[i], strlen(of_jdk[i])))
			return false;
	}
	return true;
}

static int first_line(java_table *ti, java_id method)
{
	struct java_line *lines;
	int32_t count, line = 0;

	if (JAVA_FUNCTION(ti, TI_GET_LINE_NUMBER_TABLE, int32_t, java_id, int32_t *,
			  struct java_line **)(ti, method, &count, &lines))
		return 0;
	if (count > 0)
		line = lines[0].line;
	java_free(ti, lines);
	return line;
}

/* " of a file": nothing where the class was built without debugging information. */
static void copy_place(java_table *ti, java_ref class, java_id method, char *to, size_t room)
{
	char *file;

	*to = '\0';
	if (JAVA_FUNCTION(ti, TI_GET_SOURCE_FILE_NAME, int32_t, java_ref, char **)(ti, class,
										   &file))
		return;
	snprintf(to, room, "@%s:%d", file, first_line(ti, method));
	java_free(ti, file);
}

static uint32_t label_new(java_table *ti, java_ref class, const char *signature, java_id method)
{
	char name[TEXT_MAX], place[TEXT_MAX], text[3 * TEXT_MAX], *function;

	if (JAVA_FUNCTION(ti, TI_GET_METHOD_NAME, int32_t, java_id, char **, char **, char **)
	    (ti, method, &function, NULL, NULL))
		return 0;
	copy_class(name, sizeof(name), signature);
	copy_place(ti, class, method, place, sizeof(place));
	snprintf(text, sizeof(text), "%s.%.*s%s", name, TEXT_MAX, function, place);
	java_free(ti, function);
	return coroprof_label(text);
}

/* 0 if it is the JDK's. */
static uint32_t label_of(java_table *ti, java_id method)
{
	uint32_t label = 0;
	char *signature;
	java_ref class;

	if (JAVA_FUNCTION(ti, TI_GET_METHOD_DECLARING_CLASS, int32_t, java_id, java_ref *)
	    (ti, method, &class))
		return 0;
	signature = signature_of(ti, class);
	if (signature && is_programs(signature) && !strstr(signature, LAMBDA))
		label = label_new(ti, class, signature, method);
	java_free(ti, signature);
	return label;
}

static uint32_t function_label(java_table *ti, java_id method)
{
	struct function *function = table_find(&functions, (uintptr_t)method);
	uint32_t label;

	if (function)
		return __atomic_load_n(&function->label, __ATOMIC_RELAXED);
	label = label_of(ti, method);
	function = label ? table_get(&functions, (uintptr_t)method) : NULL;
	if (function)
		__atomic_store_n(&function->label, label, __ATOMIC_RELAXED);
	return label;
}

uint32_t name_on_stack(java_table *ti)
{
	struct java_frame frames[FRAMES];
	int32_t depth, count;
	uint32_t label = 0;

	if (JAVA_FUNCTION(ti, TI_GET_FRAME_COUNT, int32_t, java_ref, int32_t *)(ti, NULL, &depth))
		return 0;
	if (JAVA_FUNCTION(ti, TI_GET_STACK_TRACE, int32_t, java_ref, int32_t, int32_t,
			  struct java_frame *, int32_t *)
	    (ti, NULL, depth < FRAMES ? -depth : -FRAMES, FRAMES, frames, &count))
		return 0;
	while (count-- && !label)
		label = function_label(ti, frames[count].method);
	return label;
}

/* What executors of the JDK put around a task, each with the next in a field. */
static java_ref inner(java_table *jni, java_ref task)
{
	static const struct { const char *name, *type; } fields[] = {
		{ "task", "Ljava/lang/Runnable;" },
		{ "task", "Ljava/util/concurrent/Callable;" },
		{ "callable", "Ljava/util/concurrent/Callable;" },
	};
	java_ref found = NULL;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && !found; i++)
		found = follow(jni, task, fields[i].name, fields[i].type);
	return found;
}

/* What it keeps of the task it was made with. */
static java_ref task_of(java_table *jni, java_ref thread)
{
	java_ref at = follow(jni, thread, "cont", "Ljdk/internal/vm/Continuation;");

	if (at)
		at = follow(jni, at, "target", "Ljava/lang/Runnable;");
	return at ? follow(jni, at, "val$task", "Ljava/lang/Runnable;") : NULL;
}

#define DEPTH_MAX 8

uint32_t name_of_task(java_table *ti, java_table *jni, java_ref thread)
{
	java_ref task = task_of(jni, thread);
	char text[TEXT_MAX] = "", *signature;

	for (int i = 0; task && i < DEPTH_MAX; i++) {
		signature = signature_of(ti, java_class_of(jni, task));
		if (!signature)
			break;
		copy_class(text, sizeof(text), signature);
		task = is_programs(signature) ? NULL : inner(jni, task);
		java_free(ti, signature);
	}
	return *text ? coroprof_label(text) : 0;
}
