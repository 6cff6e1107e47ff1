/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a host is this machine: what is sent there passes nobody. */
#ifndef COROPROF_HERE_H
#define COROPROF_HERE_H

#include <stdbool.h>

/* As in an address, or a header: "localhost", "127.0.0.1:80", "[::1]", with what is behind it. */
bool here_is(const char *host);

#endif /* COROPROF_HERE_H */
