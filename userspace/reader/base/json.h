/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing JSON, a token at a time, so that nothing grows with what is written.
 * The text is safe inside an HTML <script> element: no '<' is ever in it.
 */
#ifndef COROPROF_JSON_H
#define COROPROF_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct json - a JSON text being written
 * @file:  where to; its error flag says whether all went well
 * @comma: the next value needs a comma before it
 */
struct json {
	FILE *file;
	bool comma;
};

/* @bracket is one of { [ and } ]. */
void json_open(struct json *j, char bracket);
void json_close(struct json *j, char bracket);
void json_key(struct json *j, const char *key);

/* Numbers a double can't hold exactly, beyond 2^53, are written as strings. */
void json_u64(struct json *j, uint64_t value);
void json_i64(struct json *j, int64_t value);
/* Writes a number as such, even beyond 2^53, where readers that use doubles round it. */
void json_digits(struct json *j, uint64_t value);
void json_bool(struct json *j, bool value);
/* A value that is not finite becomes null. */
void json_double(struct json *j, double value);
/* NULL becomes null. @text is UTF-8. */
void json_string(struct json *j, const char *text);
/* A key and its string. */
void json_member(struct json *j, const char *key, const char *text);

#endif /* COROPROF_JSON_H */
