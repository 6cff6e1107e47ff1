// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Labels of virtual threads: by the name given, by the stack, by the class of the task. Each is
 * looked up once, and kept.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../preload/table.h"
#include "../runtime.h"
#include "classfile.h"
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

static inline java_ref object_of(java_table *jni, java_ref object, java_id field)
{
	return JAVA_FUNCTION(jni, JNI_GET_OBJECT_FIELD, java_ref, java_ref, java_id)(jni, object,
										     field);
}

/* Thread.name */
static java_id name_field;

bool name_begin(java_table *jni)
{
	java_ref class = java_class(jni, "java/lang/Thread");

	name_field = class ? java_field(jni, class, "name", "Ljava/lang/String;") : NULL;
	if (!name_field)
		java_clear(jni);
	return name_field;
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
	java_ref string = object_of(jni, thread, name_field);
	char text[3 * TEXT_MAX + 1]; /* a character has three bytes at most */
	int32_t length;

	if (!string)
		return 0;
	length = JAVA_FUNCTION(jni, JNI_GET_STRING_LENGTH, int32_t, java_ref)(jni, string);
	if (!length)
		return 0;
	if (length > TEXT_MAX)
		length = TEXT_MAX;
	JAVA_FUNCTION(jni, JNI_GET_STRING_UTF_REGION, void, java_ref, int32_t, int32_t, char *)
	(jni, string, 0, length, text);
	text[kind_length(text)] = '\0';
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

/**
 * struct task_class - what is known of a class of tasks
 * @class: refers to it as long as the JVM has it, and to nothing then
 * @label: of its name
 * @inner: where a class of the JDK keeps the task that it is put around. NULL: nowhere
 */
struct task_class {
	java_ref class;
	uint32_t label;
	java_id inner;
};

/*
 * By what they are called, one in each place: of two that share one, each that comes is looked at
 * anew. For a lambda that lists all classes of its loader, while its thread is mounted, and with
 * the lock held, for which other threads without a name wait.
 */
#define TASK_CLASSES 1024
static struct task_class task_classes[TASK_CLASSES];
static pthread_mutex_t task_classes_lock = PTHREAD_MUTEX_INITIALIZER;

/* What virtual threads, and executors of the JDK, put around a task. */
static java_id inner_of(java_table *jni, java_ref class)
{
	static const struct { const char *name, *type; } fields[] = {
		{ "val$task", "Ljava/lang/Runnable;" },
		{ "task", "Ljava/lang/Runnable;" },
		{ "task", "Ljava/util/concurrent/Callable;" },
		{ "callable", "Ljava/util/concurrent/Callable;" },
	};
	java_id found = NULL;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && !found; i++) {
		found = java_field(jni, class, fields[i].name, fields[i].type);
		if (!found)
			java_clear(jni);
	}
	return found;
}

static java_ref search_class(java_table *ti, java_ref of, const char *signature)
{
	java_ref *classes, loader, found = NULL;
	int32_t count;
	char *its;

	if (JAVA_FUNCTION(ti, TI_GET_CLASS_LOADER, int32_t, java_ref, java_ref *)(ti, of,
										  &loader) ||
	    JAVA_FUNCTION(ti, TI_GET_CLASS_LOADER_CLASSES, int32_t, java_ref, int32_t *,
			  java_ref **)(ti, loader, &count, &classes))
		return NULL;
	for (int32_t i = 0; i < count && !found; i++) {
		its = signature_of(ti, classes[i]);
		if (its && !strcmp(its, signature))
			found = classes[i];
		java_free(ti, its);
	}
	java_free(ti, classes);
	return found;
}

/*
 * A class of that signature, as what has that loader finds it; or NULL. The JVM lists the classes
 * with a reference to each, which would be there until the thread comes back from us.
 */
static java_ref class_by(java_table *ti, java_table *jni, java_ref of, const char *signature)
{
	return java_push(jni, 1) ? java_pop(jni, search_class(ti, of, signature)) : NULL;
}

static bool is_method(java_table *ti, java_id method, const struct classfile_method *wanted)
{
	char *name, *type;
	bool is;

	if (JAVA_FUNCTION(ti, TI_GET_METHOD_NAME, int32_t, java_id, char **, char **, char **)
	    (ti, method, &name, &type, NULL))
		return false;
	is = !strcmp(name, wanted->name) && !strcmp(type, wanted->type);
	java_free(ti, name);
	java_free(ti, type);
	return is;
}

static uint32_t method_label(java_table *ti, java_ref class, const struct classfile_method *wanted)
{
	uint32_t label = 0;
	java_id *methods;
	int32_t count;

	if (JAVA_FUNCTION(ti, TI_GET_CLASS_METHODS, int32_t, java_ref, int32_t *, java_id **)
	    (ti, class, &count, &methods))
		return 0;
	for (int32_t i = 0; i < count && !label; i++) {
		if (is_method(ti, methods[i], wanted))
			label = function_label(ti, methods[i]);
	}
	java_free(ti, methods);
	return label;
}

/*
 * The JVM makes a class for each lambda and each reference to a method, which calls that, and names
 * it so that nobody knows which it is. It is labelled as it will be when its stack is seen; 0: what
 * it calls is the JDK's.
 */
static uint32_t lambda_label(java_table *ti, java_table *jni, java_ref class)
{
	struct classfile_method method;
	int32_t count, size;
	uint32_t label = 0;
	java_ref called;
	uint8_t *pool;

	if (JAVA_FUNCTION(ti, TI_GET_CONSTANT_POOL, int32_t, java_ref, int32_t *, int32_t *,
			  uint8_t **)(ti, class, &count, &size, &pool))
		return 0;
	for (uint32_t nth = 0; !label && classfile_method(pool, (size_t)size, (uint32_t)count,
							  nth, &method); nth++) {
		if (!is_programs(method.class) || strstr(method.class, LAMBDA))
			continue;
		called = class_by(ti, jni, class, method.class);
		if (called)
			label = method_label(ti, called, &method);
	}
	java_free(ti, pool);
	return label;
}

static void look_at_class(java_table *ti, java_table *jni, java_ref class, const char *signature,
			  struct task_class *found)
{
	char text[TEXT_MAX];

	found->label = strstr(signature, LAMBDA) ? lambda_label(ti, jni, class) : 0;
	if (!found->label) {
		copy_class(text, sizeof(text), signature);
		found->label = coroprof_label(text);
	}
	found->inner = is_programs(signature) ? NULL : inner_of(jni, class);
}

/* FNV-1a */
static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/*
 * Most threads run what others have run. A class that is gone is no other one's: its reference is
 * the same as none, and whichever class comes to its place is looked at. The place is not that of
 * the class's own hash code: the JVM draws one when it is first asked for, and later objects of the
 * program would have others. False if the JVM does not say what the class is called.
 */
static bool task_class_of(java_table *ti, java_table *jni, java_ref task, struct task_class *found)
{
	java_ref class = java_class_of(jni, task);
	char *signature = signature_of(ti, class);
	struct task_class *at;

	if (!signature)
		return false;
	at = &task_classes[hash_of(signature) % TASK_CLASSES];
	pthread_mutex_lock(&task_classes_lock);
	if (!at->class || !java_same(jni, at->class, class)) {
		java_forget(jni, at->class);
		look_at_class(ti, jni, class, signature, at);
		at->class = java_keep_weakly(jni, class);
	}
	*found = *at;
	pthread_mutex_unlock(&task_classes_lock);
	java_free(ti, signature);
	return true;
}

/* What it keeps of the task it was made with, which is in that. */
static java_ref made_with(java_table *jni, java_ref thread)
{
	static java_id cont, target;
	java_ref at;

	if (!__atomic_load_n(&cont, __ATOMIC_RELAXED))
		__atomic_store_n(&cont, java_field(jni, java_class_of(jni, thread), "cont",
						   "Ljdk/internal/vm/Continuation;"),
				 __ATOMIC_RELAXED);
	at = cont ? object_of(jni, thread, cont) : NULL;
	if (at && !__atomic_load_n(&target, __ATOMIC_RELAXED))
		__atomic_store_n(&target, java_field(jni, java_class_of(jni, at), "target",
						     "Ljava/lang/Runnable;"), __ATOMIC_RELAXED);
	at = at && target ? object_of(jni, at, target) : NULL;
	if (!at)
		java_clear(jni);
	return at;
}

#define DEPTH_MAX 8

uint32_t name_of_task(java_table *ti, java_table *jni, java_ref thread)
{
	java_ref at = made_with(jni, thread);
	struct task_class found;
	uint32_t label = 0;

	for (int i = 0; at && i < DEPTH_MAX && task_class_of(ti, jni, at, &found); i++) {
		/* What it is made with is no task, but has one. */
		if (i)
			label = found.label;
		at = found.inner ? object_of(jni, at, found.inner) : NULL;
	}
	return label;
}
