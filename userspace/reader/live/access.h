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

/* Makes the secret. @port: on which the server listens; 0: at a name in the file system. */
int access_begin(struct access *access, uint16_t port, struct error *err);

/* True if the Host header, NULL if there is none, names this server. */
bool access_host(const struct access *access, const char *host);
/* True if the Origin header, NULL if there is none, is that of a page from @host. */
bool access_origin(const char *origin, const char *host);
/* True if the cookies have the secret. */
bool access_cookie(const struct access *access, const char *cookies);
/* True if the token is the secret. The time does not depend on how much of it is wrong. */
bool access_token(const struct access *access, const char *token);

#endif /* COROPROF_ACCESS_H */
