/* SPDX-License-Identifier: GPL-2.0 */
/* Secrets that somebody has to know. */
#ifndef COROPROF_SECRET_H
#define COROPROF_SECRET_H

#include <stdbool.h>
#include <stddef.h>

/* True if @text, of @length bytes, is @secret. The time does not depend on where they differ. */
bool secret_equals(const char *secret, const char *text, size_t length);

#endif /* COROPROF_SECRET_H */
