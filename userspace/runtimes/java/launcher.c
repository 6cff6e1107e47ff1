// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How the adapter gets into a JVM. The commands of a JDK (java, javac and so on) load
 * the JVM by libjli.so, which asks dlsym() for JNI_CreateJavaVM(). That is answered with
 * a function that makes the JVM as it was asked to, and then listens: no option is added,
 * nothing is printed, and no environment variable is set for its children. Where libjli.so
 * keeps the address of dlsym(), that of ours is stored before main().
 *
 * A JVM that was made otherwise can be made to load this library: as an agent.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "../preload/scope.h"
#include "../runtime.h"
#include "agent.h"

typedef int32_t create_fn(java_table **vm, java_table **jni, void *arguments);

static create_fn *next_create;

static int32_t create(java_table **vm, java_table **jni, void *arguments)
{
	int32_t result = next_create(vm, jni, arguments);

	if (result == JNI_OK)
		agent_begin(*vm, *jni);
	return result;
}

/* Only libjli.so calls it. */
static void *look_up(void *handle, const char *name)
{
	void *symbol = dlsym(handle, name);

	if (!symbol || strcmp(name, "JNI_CreateJavaVM"))
		return symbol;
	next_create = (create_fn *)symbol;
	return (void *)create;
}

static struct link_map *launcher_library(void)
{
	void *library = dlopen("libjli.so", RTLD_LAZY | RTLD_NOLOAD);
	struct link_map *map = NULL;

	if (!library)
		return NULL;
	dlinfo(library, RTLD_DI_LINKMAP, &map);
	dlclose(library);
	return map;
}

static void begin(void)
{
	struct link_map *library = launcher_library();

	if (library && !scope_divert(library, "dlsym", (void *)look_up))
		coroprof_debug("this launcher of Java is not known: no virtual threads are recorded");
}

struct runtime java_runtime = { .begin = begin };

/* With -agentpath: before the JVM runs. */
EXPORT int32_t Agent_OnLoad(java_table *vm, char *options, void *reserved)
{
	(void)options;
	(void)reserved;
	if (!java_runtime.off)
		agent_begin_later(vm);
	return JNI_OK;
}

/* With jcmd: the JVM runs. */
EXPORT int32_t Agent_OnAttach(java_table *vm, char *options, void *reserved)
{
	(void)options;
	(void)reserved;
	if (!java_runtime.off)
		agent_begin(vm, java_env(vm, JNI_VERSION));
	return JNI_OK;
}
