/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --metrics-listen: GET /metrics gets what was set last, by libmicrohttpd, in a thread of its own. Only
 * this machine can ask, and with a token only who has it.
 */
#ifndef COROPROF_SCRAPE_H
#define COROPROF_SCRAPE_H

#include <stddef.h>

#include "base/error.h"

struct scrape;

/* Takes @listener, a socket that listens, whatever comes of it. @token: or NULL. */
int scrape_begin(struct scrape **scrape, int listener, const char *token, struct error *err);
/* Takes @text, of malloc(). */
void scrape_set(struct scrape *scrape, char *text, size_t size);
void scrape_end(struct scrape *scrape);

#endif /* COROPROF_SCRAPE_H */
