/* SPDX-License-Identifier: GPL-2.0 */
/* A socket that only this machine, or only this user, can reach. */
#ifndef COROPROF_LISTENER_H
#define COROPROF_LISTENER_H

#include <limits.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct listener - that listens
 * @fd:   the socket; -1: closed, or another's
 * @host: as a browser has it: "127.0.0.1", "[::1]"; "" of a socket of the file system
 * @port: likewise; 0 of such
 * @path: of such, which goes with it; "" else
 */
struct listener {
	int fd;
	char host[16];
	uint16_t port;
	char path[PATH_MAX];
};

/*
 * Listens at "127.0.0.1:8080", "[::1]:8080", "localhost:8080" or "unix:/run/user/1000/coroprof";
 * port 0 is a free one.
 */
int listener_begin(struct listener *listener, const char *address, struct error *err);
void listener_end(struct listener *listener);

#endif /* COROPROF_LISTENER_H */
