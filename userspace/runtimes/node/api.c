// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds the functions of Node.js in the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "api.h"

struct node_api node;

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	{ "napi_get_cb_info", offsetof(struct node_api, arguments) },
	{ "napi_get_value_uint32", offsetof(struct node_api, number) },
	{ "napi_get_value_string_utf8", offsetof(struct node_api, text) },
	{ "napi_create_uint32", offsetof(struct node_api, new_number) },
	{ "napi_create_function", offsetof(struct node_api, new_function) },
	{ "napi_set_named_property", offsetof(struct node_api, set) },
};

bool node_find(void)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(RTLD_DEFAULT, symbols[i].name);

		if (!symbol)
			return false;
		memcpy((char *)&node + symbols[i].offset, &symbol, sizeof(symbol));
	}
	return true;
}
