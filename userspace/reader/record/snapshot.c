// SPDX-License-Identifier: GPL-2.0
/*
 * Lets `coroprof snapshot` ask a flight recorder for a file: by a socket whose name has the
 * recorder's pid. Only root and the recorder's own user are answered.
 */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/warn.h"
#include "record/snapshot.h"

/* What comes in front of an answer. */
#define WRITTEN	'+'
#define FAILED	'-'

/* Such a name, which begins with a NUL, is of no file, and disappears with its socket. */
static socklen_t socket_address(struct sockaddr_un *address, pid_t pid)
{
	int n;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "coroprof-keep-%d", (int)pid);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

void snapshot_begin(struct snapshot *s)
{
	struct sockaddr_un address;
	socklen_t size = socket_address(&address, getpid());

	*s = (struct snapshot){ .asker = -1 };
	s->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd >= 0 && !bind(s->fd, (void *)&address, size) && !listen(s->fd, 4))
		return;
	warn("--snapshot can't ask for what is kept: %s", strerrordesc_np(errno));
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static bool is_peer_allowed(int fd)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) &&
	       (who.uid == 0 || who.uid == geteuid());
}

static void send_answer(int fd, char kind, const char *text)
{
	char message[PATH_MAX + 1];
	int n = snprintf(message, sizeof(message), "%c%s", kind, text);

	send(fd, message, (size_t)n < sizeof(message) ? (size_t)n : sizeof(message) - 1,
	     MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}

bool snapshot_asked(struct snapshot *s)
{
	int fd = s->fd < 0 ? -1 : accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return false;
	if (!is_peer_allowed(fd)) {
		send_answer(fd, FAILED, "only the user who records, and root, may ask for it");
		return false;
	}
	if (s->asker >= 0) {
		send_answer(fd, FAILED, "somebody else is asking for it already: ask again");
		return false;
	}
	s->asker = fd;
	return true;
}

void snapshot_answer(struct snapshot *s, const char *path, const char *why)
{
	char whole[PATH_MAX];

	if (s->asker < 0)
		return;
	if (path)
		send_answer(s->asker, WRITTEN, realpath(path, whole) ? whole : path);
	else
		send_answer(s->asker, FAILED, why);
	s->asker = -1;
}

void snapshot_end(struct snapshot *s)
{
	snapshot_answer(s, NULL, "the recording has ended");
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

int snapshot_take(pid_t pid, char *path, size_t capacity, struct error *err)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	socklen_t size = socket_address(&address, pid);
	struct ucred who = { 0 };
	socklen_t who_size = sizeof(who);
	char message[PATH_MAX + 1];
	ssize_t n;

	if (fd < 0)
		return error_errno(err, "can't make a socket");
	if (connect(fd, (void *)&address, size)) {
		error_errno(err, "process %d is no coroprof that keeps the last seconds ('coroprof record --keep 60s'), or it has another network namespace",
			    (int)pid);
		close(fd);
		return -err->code;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &who_size) || who.pid != pid) {
		close(fd);
		return error_set(err, EPERM, "another process, %d, answers in place of %d", (int)who.pid, (int)pid);
	}
	do {
		n = recv(fd, message, sizeof(message) - 1, 0);
	} while (n < 0 && errno == EINTR);
	close(fd);
	if (n < 1)
		return error_set(err, ECONNRESET, "process %d has ended without an answer", (int)pid);
	message[n] = '\0';
	if (*message != WRITTEN)
		return error_set(err, EIO, "process %d has written nothing: %s", (int)pid, message + 1);
	snprintf(path, capacity, "%s", message + 1);
	return 0;
}
