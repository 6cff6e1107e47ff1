/* SPDX-License-Identifier: GPL-2.0 */
/* The bytes of a recording, wherever they come from. */
#ifndef COROPROF_INPUT_H
#define COROPROF_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct memory;

/* The name of standard input. */
#define INPUT_STDIN	"-"

/**
 * struct input - bytes that can be read anywhere
 * @name: for messages
 * @fd:   of the file, or of a nameless one that a pipe was copied to
 * @memory: in place of that, or NULL; the caller's
 * @size: how many there were when it was opened; what comes later is not read
 */
struct input {
	char *name;
	int fd;
	const struct memory *memory;
	uint64_t size;
};

/*
 * Opens a file, a pipe, or INPUT_STDIN. A pipe is read to its end first, if it
 * begins with the @size bytes at @magic. On failure nothing is to be closed.
 */
int input_open(struct input *input, const char *path, const void *magic,
	       size_t size, struct error *err);
int input_open_memory(struct input *input, const char *name, const struct memory *memory,
		      struct error *err);
void input_close(struct input *input);

/* Reads as much as there is: fewer bytes than asked for only at the end. */
int input_read(const struct input *input, uint64_t offset, void *to,
	       size_t size, size_t *got, struct error *err);

#endif /* COROPROF_INPUT_H */
