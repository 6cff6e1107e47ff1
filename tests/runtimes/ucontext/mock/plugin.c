// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose plugin has, for itself, a function by the name of one that the
 * preload library stands before: it is this that the plugin gets.
 */
void *co_create(unsigned int size, void (*fn)(void));
void *plugin_creates(void);

#ifdef PLUGIN

void *co_create(unsigned int size, void (*fn)(void))
{
	return size == 4096 ? (void *)fn : 0;
}

static void body(void)
{
}

void *plugin_creates(void)
{
	return co_create(4096, body);
}

#else

#include "watch.h"

int main(int argc, char **argv)
{
	char path[4096];
	void *plugin, *(*creates)(void);

	(void)argc;
	snprintf(path, sizeof(path), "%s.so", argv[0]);
	plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	creates = plugin ? (void *(*)(void))dlsym(plugin, "plugin_creates") : NULL;
	ok(creates, "a plugin that has a co_create() of its own is loaded");
	ok(creates && creates(), "the plugin gets its own co_create(), with its own arguments");
	ok(plugin && !dlclose(plugin) && !dlopen(path, RTLD_NOW | RTLD_NOLOAD),
	   "the plugin can be unloaded");
	return tap_done();
}

#endif
