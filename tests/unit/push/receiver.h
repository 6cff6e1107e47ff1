/* SPDX-License-Identifier: GPL-2.0 */
/* A receiver of HTTP in a thread, which says what it is given, whatever it is asked. */
#ifndef COROPROF_TEST_RECEIVER_H
#define COROPROF_TEST_RECEIVER_H

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support.h"

/**
 * struct receiver - one
 * @reply: what it says to each request; NULL: nothing, and holds on to the connection
 * @size:  of that
 * @asked: the last request, with its body, and a NUL
 * @body:  in that
 * @body_size: of it
 * @nr:    how many there were
 */
struct receiver {
	const char *reply;
	size_t size;
	int listener;
	uint16_t port;
	pthread_t thread;
	char asked[1 << 20];
	size_t used;
	char *body;
	size_t body_size;
	unsigned int nr;
};

static inline bool receiver_is_whole(struct receiver *r)
{
	char *end = strstr(r->asked, "\r\n\r\n"), *length = strcasestr(r->asked, "\r\ncontent-length:");

	if (!end)
		return false;
	r->body = end + 4;
	r->body_size = length ? strtoul(length + 17, NULL, 10) : 0;
	return r->used >= (size_t)(r->body - r->asked) + r->body_size;
}

static inline void receiver_serve(struct receiver *r, int fd)
{
	ssize_t nr;

	r->used = 0;
	*r->asked = '\0';
	while ((nr = read(fd, r->asked + r->used, sizeof(r->asked) - 1 - r->used)) > 0) {
		r->used += (size_t)nr;
		r->asked[r->used] = '\0';
		if (receiver_is_whole(r))
			break;
	}
	r->nr++;
	if (!r->reply) {
		while (read(fd, r->asked, 1) > 0)
			;
	} else if (write(fd, r->reply, r->size) != (ssize_t)r->size) {
		/* It has hung up before all was said. */
	}
	close(fd);
}

static inline void *receiver_run(void *receiver)
{
	struct receiver *r = receiver;
	int fd;

	while ((fd = accept(r->listener, NULL, NULL)) >= 0)
		receiver_serve(r, fd);
	return NULL;
}

static inline void receiver_begin(struct receiver *r)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);

	r->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(r->listener, (void *)&address, size), 0);
	assert_int_equal(listen(r->listener, 8), 0);
	getsockname(r->listener, (void *)&address, &size);
	r->port = ntohs(address.sin_port);
	assert_int_equal(pthread_create(&r->thread, NULL, receiver_run, r), 0);
}

static inline void receiver_end(struct receiver *r)
{
	shutdown(r->listener, SHUT_RDWR);
	pthread_join(r->thread, NULL);
	close(r->listener);
}

#endif /* COROPROF_TEST_RECEIVER_H */
