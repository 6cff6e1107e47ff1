/* SPDX-License-Identifier: GPL-2.0 */
/* Compresses a request. */
#ifndef COROPROF_PUSH_PACKED_H
#define COROPROF_PUSH_PACKED_H

#include <stddef.h>

/* As gzip(1) would; of malloc(). NULL when out of memory. */
void *packed(const void *data, size_t size, size_t *packed_size);

#endif /* COROPROF_PUSH_PACKED_H */
