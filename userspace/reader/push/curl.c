// SPDX-License-Identifier: GPL-2.0
/* Finds the functions of libcurl. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/util.h"
#include "push/curl.h"

/* With OpenSSL, and as Debian has it with GnuTLS. */
static const char *const libraries[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };

static struct curl lib;

static bool find(void *library)
{
	static const struct {
		void *function;
		const char *name;
	} functions[] = {
		{ &lib.global_init, "curl_global_init" },
		{ &lib.easy_init, "curl_easy_init" },
		{ &lib.easy_setopt, "curl_easy_setopt" },
		{ &lib.easy_getinfo, "curl_easy_getinfo" },
		{ &lib.easy_strerror, "curl_easy_strerror" },
		{ &lib.easy_cleanup, "curl_easy_cleanup" },
		{ &lib.multi_init, "curl_multi_init" },
		{ &lib.multi_add, "curl_multi_add_handle" },
		{ &lib.multi_remove, "curl_multi_remove_handle" },
		{ &lib.multi_perform, "curl_multi_perform" },
		{ &lib.multi_wait, "curl_multi_wait" },
		{ &lib.multi_read, "curl_multi_info_read" },
		{ &lib.multi_cleanup, "curl_multi_cleanup" },
		{ &lib.list_append, "curl_slist_append" },
		{ &lib.list_free, "curl_slist_free_all" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *symbol = dlsym(library, functions[i].name);

		memcpy(functions[i].function, &symbol, sizeof(symbol));
		if (!symbol)
			return false;
	}
	return true;
}

const struct curl *curl_load(struct error *err)
{
	static bool loaded;

	for (size_t i = 0; !loaded && i < ARRAY_SIZE(libraries); i++) {
		void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);

		loaded = library && find(library) && !lib.global_init(CURL_ALL);
	}
	if (loaded)
		return &lib;
	error_set(err, ENOSYS, "--push: nothing can be sent without libcurl (%s). Install it: sudo apt install libcurl4",
		  dlerror());
	return NULL;
}
