// SPDX-License-Identifier: GPL-2.0
/*
 * Decides which requests come from somebody who was shown the address: by a secret in the link,
 * later in a cookie, and by the right Host and Origin. Secrets are compared in a time that reveals
 * nothing of them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/secret.h"
#include "base/util.h"
#include "live/access.h"

static int make_secret(char to[ACCESS_SECRET], struct error *err)
{
	unsigned char bytes[(ACCESS_SECRET - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return error_errno(err, "can't have random bytes of the kernel");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(to + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int access_begin(struct access *a, uint16_t port, struct error *err)
{
	int ret;

	*a = (struct access){ .port = port };
	/* Not a secret: of two that the same port leads to, each has its own. */
	ret = make_secret(a->token, err);
	snprintf(a->name, sizeof(a->name), "coroprof-%.8s", a->token);
	if (!ret)
		ret = make_secret(a->token, err);
	return ret ? ret : make_secret(a->cookie, err);
}

/* True of "127.0.0.1:8080", "localhost:8080", "[::1]:8080", with the port of this server. */
static bool is_own_address(const struct access *a, const char *authority)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };
	const char *port = NULL;
	unsigned long number;
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !port; i++)
		if (!strncasecmp(authority, names[i], strlen(names[i])))
			port = authority + strlen(names[i]);
	if (!port)
		return false;
	if (!*port)
		return a->port == 80 || !a->port;
	if (*port != ':' || !isdigit((unsigned char)port[1]))
		return false;
	number = strtoul(port + 1, &end, 10);
	return !*end && number && number <= UINT16_MAX && (!a->port || number == a->port);
}

bool access_host(const struct access *a, const char *host)
{
	return host && is_own_address(a, host);
}

/*
 * Browsers send Origin with all requests but plain ones for a page or its parts, so a missing one
 * is right.
 */
bool access_origin(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	return !origin || (!strncmp(origin, scheme, strlen(scheme)) &&
			   !strcasecmp(origin + strlen(scheme), host));
}

bool access_cookie(const struct access *a, const char *cookies)
{
	size_t length = strlen(a->name);

	for (const char *at = cookies; at && *at; at = strchr(at, ';'), at += at ? 1 : 0) {
		at += strspn(at, " \t");
		if (!strncmp(at, a->name, length) && at[length] == '=')
			return secret_equals(a->cookie, at + length + 1, strcspn(at + length + 1, "; \t"));
	}
	return false;
}

bool access_token(const struct access *a, const char *token)
{
	return token && secret_equals(a->token, token, strlen(token));
}
