/* SPDX-License-Identifier: GPL-2.0 */
/*
 * HTTP, by libmicrohttpd: the page, and what it asks for. Its
 * thread waits for nothing but the network: what has to be made is asked for of another thread.
 *
 *   GET  /        the page around that of a window: for everybody
 *   POST /login   the token; answers with the cookie that all below needs
 *   GET  /ticks   server-sent events: a tick has ended
 *   GET  /window?ns=&end=&against=   the page of a window, as pages.h has it
 *   POST /dump?ns=&end=              writes a recording of it, as the key d of coroprof top
 */
#ifndef COROPROF_HTTP_H
#define COROPROF_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "live/access.h"
#include "live/pages.h"

struct http;

/* So many connections at once; others wait. */
#define HTTP_CONNECTIONS	64
/* So many of these may wait for ticks. */
#define HTTP_WATCHERS		16
/* A client that does nothing for so long is let go. */
#define HTTP_TIMEOUT_S		15

/**
 * struct http_tick - what is kept now
 * @oldest:   the first tick
 * @newest:   the tick behind the last that has ended
 * @squeezed: less time is kept than was asked for, as there is no room for more
 * @ended:    nothing more is recorded
 */
struct http_tick {
	uint64_t oldest;
	uint64_t newest;
	bool squeezed;
	bool ended;
};

/**
 * struct http_calls - what requests ask for, in the thread of HTTP
 * @window:  is wanted; http_answer() comes later
 * @ticks:   so many wait for ticks now
 * @dump:    a recording of that window is wanted
 * @context: of all
 */
struct http_calls {
	void (*window)(void *context, const struct pages_key *key);
	void (*ticks)(void *context, unsigned int watchers);
	void (*dump)(void *context, const struct pages_key *key);
	void *context;
};

/* Whether this was built with libmicrohttpd. */
int http_check(struct error *err);

/* Takes @listener, a socket that listens, whatever comes of it. */
int http_begin(struct http **http, int listener, const struct access *access,
	       const struct http_calls *calls, struct error *err);
/* Who waits for this window gets it. */
void http_answer(struct http *http, struct page_bytes *bytes);
/* Nobody gets what is asked for: out of memory. */
void http_refuse(struct http *http, const struct pages_key *key);
/* For all who wait; one who is slow hears of the last only. */
void http_tell(struct http *http, const struct http_tick *tick);
void http_end(struct http *http);

#endif /* COROPROF_HTTP_H */
