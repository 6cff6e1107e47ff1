// SPDX-License-Identifier: GPL-2.0
/*
 * A socket that listens on this machine alone, or at a name in the file system that only its user
 * may open. The name is removed at the end.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/listener.h"

#define BACKLOG	16
#define UNIX	"unix:"

static int begin_to_listen(struct listener *l, const char *address, const void *name, socklen_t size,
			   struct error *err)
{
	const int on = 1;

	if (!*l->path)
		setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(l->fd, name, size) || listen(l->fd, BACKLOG))
		return error_errno(err, "can't listen at %s", address);
	return 0;
}

/* True of a socket's name at which nobody listens: a process that was killed left it behind. */
static bool is_stale(const struct sockaddr_un *name, socklen_t size)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;
	bool left;

	if (fd < 0)
		return false;
	left = !lstat(name->sun_path, &st) && S_ISSOCK(st.st_mode) &&
	       connect(fd, (const struct sockaddr *)name, size) && errno == ECONNREFUSED;
	close(fd);
	return left;
}

/* Nobody else may connect at any time, so the mode is set before the name appears. */
static int listen_at_path(struct listener *l, const char *address, const char *path,
			  struct error *err)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	mode_t before;
	int ret;

	if (!*path || strlen(path) >= sizeof(name.sun_path))
		return error_set(err, EINVAL,
				 "%s is no address of a socket: its path has 1 to %zu characters",
				 address, sizeof(name.sun_path) - 1);
	strcpy(name.sun_path, path);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return error_errno(err, "can't make a socket");
	if (is_stale(&name, sizeof(name)))
		unlink(path);
	before = umask(0177);
	ret = begin_to_listen(l, address, &name, sizeof(name), err);
	umask(before);
	/* It is reached from elsewhere, too, and removed from wherever this process is then. */
	if (!ret && !realpath(path, l->path))
		ret = error_errno(err, "can't say where %s is", path);
	if (ret)
		*l->path = '\0';
	return ret;
}

static int listen_on_loopback(struct listener *l, const char *address, bool six, uint16_t port,
			      struct error *err)
{
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_port = htons(port),
				    .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_port = htons(port),
				   .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = six ? sizeof(to6) : sizeof(to4);
	void *to = six ? (void *)&to6 : (void *)&to4;
	int ret;

	l->fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return error_errno(err, "can't make a socket");
	ret = begin_to_listen(l, address, to, size, err);
	if (!ret && getsockname(l->fd, to, &size))
		ret = error_errno(err, "can't say at which port it listens");
	strcpy(l->host, six ? "[::1]" : "127.0.0.1");
	l->port = ntohs(six ? to6.sin6_port : to4.sin_port);
	return ret;
}

int listener_begin(struct listener *l, const char *address, struct error *err)
{
	const char *colon = strrchr(address, ':');
	size_t length = colon ? (size_t)(colon - address) : 0;
	bool six = length == 5 && !strncmp(address, "[::1]", 5);
	unsigned long port;
	char *end;
	int ret;

	*l = (struct listener){ .fd = -1 };
	if (!strncmp(address, UNIX, strlen(UNIX))) {
		ret = listen_at_path(l, address, address + strlen(UNIX), err);
	} else {
		port = colon && colon[1] >= '0' && colon[1] <= '9' ? strtoul(colon + 1, &end, 10) : ULONG_MAX;
		if (port > UINT16_MAX || *end ||
		    !(six || (length == 9 && (!strncmp(address, "127.0.0.1", 9) ||
					      !strncmp(address, "localhost", 9)))))
			return error_set(err, EINVAL,
					 "%s is not served: only this machine may look, at 127.0.0.1:PORT, [::1]:PORT or unix:PATH; from another one: ssh -L PORT:127.0.0.1:PORT",
					 address);
		ret = listen_on_loopback(l, address, six, (uint16_t)port, err);
	}
	if (ret)
		listener_end(l);
	return ret;
}

void listener_end(struct listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	if (*l->path)
		unlink(l->path);
	*l->path = '\0';
}
