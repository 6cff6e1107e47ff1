/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Posts requests to a receiver of OTLP, or dumps to Pyroscope or to where files are put, one after the other, without waiting: who calls it waits for
 * its sockets beside his own descriptors. What a receiver answers is one of four: it is taken; later
 * perhaps; never; or this is not the receiver that was meant, which somebody has to mend.
 */
#ifndef COROPROF_SENDER_H
#define COROPROF_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct sender_options - where to, and how
 * @url:        http:// or https://; without a path that is /v1/metrics
 * @dumps:      it is of --push-dumps: pyroscope+http(s)://, or put+http(s)://
 * @url_file:   of these: in place of @url the first line of it, which is read for each request. It is a
 *              secret, and in no message
 * @token_file: its first line is the bearer token, or NULL: none. It is read for each request
 * @ca:         file of certificates that the receiver's is to be signed by; NULL: the system's
 * @cert:       file of a client certificate, or NULL
 * @key:        and of its key; NULL: in @cert, too
 * @timeout_ms: so long a request may take; 0: 30 s, of dumps 5 minutes
 */
struct sender_options {
	const char *url;
	bool dumps;
	const char *url_file;
	const char *token_file;
	const char *ca;
	const char *cert;
	const char *key;
	unsigned int timeout_ms;
};

enum sender_verdict {
	SENDER_TAKEN,
	SENDER_LATER,	/* too much for it, or it can't be reached */
	SENDER_NEVER,	/* of this request */
	SENDER_WRONG,	/* of any, until something is mended */
};

/**
 * struct sender_answer - what became of a request
 * @verdict:  enum sender_verdict
 * @after_ns: of SENDER_LATER: the receiver wants so much time before the next; 0: it does not say
 * @rejected: of SENDER_TAKEN: data points that were not
 * @message:  why, printable; "": all is well
 */
struct sender_answer {
	enum sender_verdict verdict;
	uint64_t after_ns;
	uint64_t rejected;
	char message[1024];
};

struct sender;

/* Checks what can be checked without the network. */
int sender_begin(struct sender **sender, const struct sender_options *options, struct error *err);
void sender_end(struct sender *sender);

/* "https://host:4318": for people, without what is behind it. */
const char *sender_where(const struct sender *sender);

/* It takes files as they are; if not, and it is of dumps, profiles of pprof. */
bool sender_takes_files(const struct sender *sender);

/*
 * Begins to send @size bytes, compressed by gzip, which stay there until there is an answer. @name: of a
 * dump: the query for Pyroscope, or a file name for a folder; else NULL.
 */
void sender_send(struct sender *sender, const char *name, const void *data, size_t size);
bool sender_busy(const struct sender *sender);
/* True: there is an answer to what was sent. */
bool sender_look(struct sender *sender, struct sender_answer *answer);
/* Until @fd is readable, there may be an answer, or so long. */
void sender_wait(struct sender *sender, int fd, int timeout_ms);

#endif /* COROPROF_SENDER_H */
