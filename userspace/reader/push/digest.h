/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SHA-256, for names that are to be distinguished elsewhere, and not read. Whoever guesses a name can
 * check the guess.
 */
#ifndef COROPROF_PUSH_DIGEST_H
#define COROPROF_PUSH_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_BYTES	32

void digest(const void *data, size_t size, uint8_t to[DIGEST_BYTES]);

/* The first @digits of it, hexadecimal, and a NUL. */
void digest_text(const void *data, size_t size, unsigned int digits, char *to);

#endif /* COROPROF_PUSH_DIGEST_H */
