/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may look at a recording over HTTP: only who has the address that was printed. Its token, which
 * browsers send nowhere as it is behind a #, is exchanged for a cookie that scripts cannot read and
 * no other site's page can make a browser send. A page of another site, or a name of its own that
 * leads to this machine, is refused by Origin and Host.
 */
#ifndef COROPROF_ACCESS_H
#define COROPROF_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* 256 random bits, as text. */
#define ACCESS_SECRET	65

/**
 * struct access - what a request is compared with
 * @port:   of the address; 0: a socket of the file system, to which any port may lead
 * @token:  of the printed address
 * @cookie: value of the cookie
 * @name:   of the cookie, at random: browsers do not distinguish ports
 */
struct access {
	uint16_t port;
	char token[ACCESS_SECRET];
	char cookie[ACCESS_SECRET];
	char name[32];
};

int access_begin(struct access *access, uint16_t port, struct error *err);

/* A header's value, or NULL: there is none. */
bool access_host(const struct access *access, const char *host);
/* Of a request to that host, which is ours. */
bool access_origin(const char *origin, const char *host);
bool access_cookie(const struct access *access, const char *cookies);
/* Takes as long for any wrong token of that length. */
bool access_token(const struct access *access, const char *token);

#endif /* COROPROF_ACCESS_H */
