/* SPDX-License-Identifier: GPL-2.0 */
/* Descriptors sent over a socket to another process, as a program may on purpose. */
#ifndef _PASS_H
#define _PASS_H

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define PASS_MAX	4

/* @what: a byte that tells the receiver what they are. Returns 0 or a negative errno. */
static inline int send_descriptors(int socket, char what, const int *fds, size_t nr)
{
	char control[CMSG_SPACE(PASS_MAX * sizeof(int))] = { 0 };
	struct iovec data = { &what, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = CMSG_SPACE(nr * sizeof(int)),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(nr * sizeof(int));
	memcpy(CMSG_DATA(header), fds, nr * sizeof(int));
	return sendmsg(socket, &message, 0) == 1 ? 0 : -errno;
}

static inline int receive_descriptors(int socket, char *what, int *fds, size_t nr)
{
	char control[CMSG_SPACE(PASS_MAX * sizeof(int))];
	struct iovec data = { what, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};

	if (recvmsg(socket, &message, 0) != 1 || !CMSG_FIRSTHDR(&message))
		return -EIO;
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), nr * sizeof(int));
	return 0;
}

#endif /* _PASS_H */
