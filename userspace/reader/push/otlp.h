/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of OTLP, the protocol of OpenTelemetry: a request to store metrics, from a book, and the
 * answer to one. Field numbers are those of opentelemetry/proto/metrics/v1/metrics.proto.
 */
#ifndef COROPROF_PUSH_OTLP_H
#define COROPROF_PUSH_OTLP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/export/proto.h"
#include "push/book.h"

/* Appends the request; returns the number of its data points. @host: of this machine. */
uint64_t otlp_write(struct proto *to, const struct book *book, const char *host);

/* The same sums when they began: all are 0. */
uint64_t otlp_write_begin(struct proto *to, const struct book *book, const char *host);

/**
 * struct otlp_answer - to a request that was taken
 * @rejected: points that were not
 * @message:  why, or a warning, printable; or ""
 */
struct otlp_answer {
	uint64_t rejected;
	char message[256];
};

/* False: it is no such answer. No bytes are one: all was taken. */
bool otlp_read(struct otlp_answer *answer, const void *data, size_t size);

/* Why a request was not taken, printable: the message of a google.rpc.Status; NULL: it has none. */
char *otlp_complaint(const void *data, size_t size);

#endif /* COROPROF_PUSH_OTLP_H */
