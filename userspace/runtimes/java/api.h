/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The JVM, as far as it is used: JNI and JVMTI by the numbers that their specifications
 * give to functions, events and capabilities. Nothing of a JDK is needed to build this.
 */
#ifndef JAVA_API_H
#define JAVA_API_H

#include <stdbool.h>
#include <stdint.h>

/* What a JavaVM, a JNIEnv and a jvmtiEnv are, each with functions of its own. */
typedef struct java_table {
	void *const *functions;
} java_table;

/* A reference to an object, a class or a thread; the number of a method, or of a field. */
typedef struct java_object *java_ref;
typedef struct java_member *java_id;

#define JNI_OK 0
#define JNI_VERSION 0x00010008
/* The first of the JVMs that have virtual threads. */
#define JVMTI_VERSION 0x30150000

enum java_vm_function { VM_GET_ENV = 6 };

enum java_jni_function {
	JNI_DEFINE_CLASS = 5,
	JNI_FIND_CLASS = 6,
	JNI_EXCEPTION_CLEAR = 17,
	JNI_PUSH_LOCAL_FRAME = 19,
	JNI_POP_LOCAL_FRAME = 20,
	JNI_NEW_GLOBAL_REF = 21,
	JNI_IS_SAME_OBJECT = 24,
	JNI_GET_OBJECT_CLASS = 31,
	JNI_GET_FIELD_ID = 94,
	JNI_GET_OBJECT_FIELD = 95,
	JNI_GET_STATIC_FIELD_ID = 144,
	JNI_GET_STATIC_INT_FIELD = 150,
	JNI_SET_STATIC_INT_FIELD = 159,
	JNI_GET_STRING_LENGTH = 164,
	JNI_REGISTER_NATIVES = 215,
	JNI_GET_STRING_UTF_REGION = 221,
	JNI_NEW_WEAK_GLOBAL_REF = 226,
	JNI_DELETE_WEAK_GLOBAL_REF = 227,
	JNI_GET_MODULE = 233,
};

enum java_ti_function {
	TI_SET_EVENT_NOTIFICATION_MODE = 1,
	TI_GET_FRAME_COUNT = 15,
	TI_ALLOCATE = 45,
	TI_DEALLOCATE = 46,
	TI_GET_CLASS_SIGNATURE = 47,
	TI_GET_SOURCE_FILE_NAME = 49,
	TI_GET_CLASS_METHODS = 51,
	TI_GET_CLASS_LOADER = 56,
	TI_GET_METHOD_NAME = 63,
	TI_GET_METHOD_DECLARING_CLASS = 64,
	TI_GET_LINE_NUMBER_TABLE = 69,
	TI_GET_LOADED_CLASSES = 77,
	TI_GET_CLASS_LOADER_CLASSES = 78,
	TI_ADD_MODULE_READS = 93,
	TI_GET_STACK_TRACE = 103,
	TI_SET_EVENT_CALLBACKS = 121,
	TI_ADD_CAPABILITIES = 141,
	TI_GET_CONSTANT_POOL = 145,
	TI_RETRANSFORM_CLASSES = 151,
};

/* A function of a table, with the type of what it returns and those of its arguments. */
#define JAVA_FUNCTION(table, number, result, ...) \
	((result (*)(java_table *, ##__VA_ARGS__))(table)->functions[number])

/* Bits of jvmtiCapabilities. */
enum java_capability {
	TI_CAN_GET_SOURCE_FILE_NAME = 11,
	TI_CAN_GET_LINE_NUMBERS = 12,
	TI_CAN_GET_CONSTANT_POOL = 35,
	TI_CAN_RETRANSFORM_CLASSES = 37,
};

struct java_capabilities {
	uint32_t words[4];
};

enum java_event {
	TI_EVENT_FIRST = 50,
	TI_EVENT_VM_INIT = 50,
	TI_EVENT_CLASS_FILE_LOAD_HOOK = 54,
	TI_EVENT_LAST = 88,
};

/* Each has parameters of its own. */
typedef void java_callback(void);

struct java_callbacks {
	java_callback *of[TI_EVENT_LAST - TI_EVENT_FIRST + 1];
};

struct java_frame {
	java_id method;
	int64_t location;
};

struct java_line {
	int64_t location;
	int32_t line;
};

struct java_native {
	const char *name, *signature;
	void *function;
};

static inline void *java_env(java_table *vm, int32_t version)
{
	void *env;

	return JAVA_FUNCTION(vm, VM_GET_ENV, int32_t, void **, int32_t)(vm, &env, version) ==
			       JNI_OK ?
		       env :
		       NULL;
}

static inline java_ref java_class(java_table *jni, const char *name)
{
	return JAVA_FUNCTION(jni, JNI_FIND_CLASS, java_ref, const char *)(jni, name);
}

static inline void java_clear(java_table *jni)
{
	JAVA_FUNCTION(jni, JNI_EXCEPTION_CLEAR, void)(jni);
}

/*
 * References made from here on go with java_pop(), which returns another one to the object that it
 * is given. False, and no error: there is no memory.
 */
static inline bool java_push(java_table *jni, int32_t references)
{
	if (!JAVA_FUNCTION(jni, JNI_PUSH_LOCAL_FRAME, int32_t, int32_t)(jni, references))
		return true;
	java_clear(jni);
	return false;
}

static inline java_ref java_pop(java_table *jni, java_ref object)
{
	return JAVA_FUNCTION(jni, JNI_POP_LOCAL_FRAME, java_ref, java_ref)(jni, object);
}

/* A reference that stays. */
static inline java_ref java_keep(java_table *jni, java_ref object)
{
	return JAVA_FUNCTION(jni, JNI_NEW_GLOBAL_REF, java_ref, java_ref)(jni, object);
}

/* One that does not keep what it refers to. */
static inline java_ref java_keep_weakly(java_table *jni, java_ref object)
{
	return JAVA_FUNCTION(jni, JNI_NEW_WEAK_GLOBAL_REF, java_ref, java_ref)(jni, object);
}

static inline void java_forget(java_table *jni, java_ref weak)
{
	if (weak)
		JAVA_FUNCTION(jni, JNI_DELETE_WEAK_GLOBAL_REF, void, java_ref)(jni, weak);
}

static inline bool java_same(java_table *jni, java_ref one, java_ref other)
{
	return JAVA_FUNCTION(jni, JNI_IS_SAME_OBJECT, uint8_t, java_ref, java_ref)(jni, one, other);
}

static inline java_ref java_class_of(java_table *jni, java_ref object)
{
	return JAVA_FUNCTION(jni, JNI_GET_OBJECT_CLASS, java_ref, java_ref)(jni, object);
}

static inline java_id java_field(java_table *jni, java_ref class, const char *name,
				 const char *type)
{
	return JAVA_FUNCTION(jni, JNI_GET_FIELD_ID, java_id, java_ref, const char *, const char *)
		(jni, class, name, type);
}

static inline void java_free(java_table *ti, void *memory)
{
	JAVA_FUNCTION(ti, TI_DEALLOCATE, int32_t, void *)(ti, memory);
}

/* For all threads. False if the JVM refuses. */
static inline bool java_listen(java_table *ti, int32_t event, bool on)
{
	return !JAVA_FUNCTION(ti, TI_SET_EVENT_NOTIFICATION_MODE, int32_t, int32_t, int32_t,
			      java_ref)(ti, on, event, NULL);
}

#endif /* JAVA_API_H */
