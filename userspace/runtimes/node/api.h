/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Node-API, as far as it is used. Nothing of Node.js is needed to build this: its
 * functions are looked up in the process.
 */
#ifndef NODE_API_H
#define NODE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct node_env *napi_env;
typedef struct node_value *napi_value;
typedef struct node_call *napi_call;
typedef napi_value napi_function(napi_env env, napi_call call);

#define NODE_OK 0

extern struct node_api {
	int (*arguments)(napi_env env, napi_call call, size_t *nr, napi_value *values,
			 napi_value *self, void **data);
	int (*number)(napi_env env, napi_value value, uint32_t *number);
	int (*text)(napi_env env, napi_value value, char *to, size_t room, size_t *length);
	int (*new_number)(napi_env env, uint32_t number, napi_value *value);
	int (*new_function)(napi_env env, const char *name, size_t length, napi_function *function,
			    void *data, napi_value *value);
	int (*set)(napi_env env, napi_value object, const char *name, napi_value value);
} node __attribute__((visibility("hidden")));

/* False if this process is not Node.js. */
bool node_find(void);

#endif /* NODE_API_H */
