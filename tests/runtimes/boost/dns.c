// SPDX-License-Identifier: GPL-2.0
/*
 * dns serve PORT: answers each query for an address with one made of the name; for
 * names that begin with "fail" with a failure.
 * dns ask PORT NAME COUNT: asks for the addresses of NAME0.example and so on, one
 * after the other, and prints what it gets.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define HEADER 12
#define MESSAGE 1500
#define FLAG_RESPONSE 0x80
#define FLAG_AUTHORITY 0x04
#define FLAG_RECURSE 0x01
#define SERVFAIL 2

static int bound(const char *port, struct sockaddr_in *to)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	*to = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };
	to->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return fd;
}

/* Where the question ends: its name, type and class. */
static size_t question_end(const unsigned char *message, size_t len)
{
	size_t at = HEADER;

	while (at < len && message[at])
		at += message[at] + 1u;
	return at + 5;
}

static size_t answer(unsigned char *message, size_t len)
{
	static const unsigned char record[] = {
		0xc0, HEADER, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 0
	};
	size_t end = question_end(message, len);
	int fails = !memcmp(message + HEADER + 1, "fail", 4);

	message[2] = FLAG_RESPONSE | FLAG_AUTHORITY;
	message[3] = fails ? SERVFAIL : 0;
	memset(message + 6, 0, 6);
	if (fails)
		return end;
	message[7] = 1;
	memcpy(message + end, record, sizeof(record));
	/* The last letter of the first part of the name. */
	message[end + sizeof(record) - 1] = message[HEADER + message[HEADER]];
	return end + sizeof(record);
}

static int serve(const char *port)
{
	unsigned char message[MESSAGE + 16];
	struct sockaddr_in own, from;
	int fd = bound(port, &own);
	socklen_t size;
	ssize_t n;

	if (bind(fd, (struct sockaddr *)&own, sizeof(own)))
		return perror("dns: bind"), 1;
	for (;;) {
		size = sizeof(from);
		n = recvfrom(fd, message, MESSAGE, 0, (struct sockaddr *)&from, &size);
		if (n > HEADER + 5)
			sendto(fd, message, answer(message, (size_t)n), 0,
			       (struct sockaddr *)&from, size);
	}
}

static size_t query(unsigned char *message, int number, const char *name)
{
	static const unsigned char rest[] = { 7, 'e', 'x', 'a', 'm', 'p', 'l', 'e', 0, 0, 1, 0, 1 };
	int len = snprintf((char *)message + HEADER + 1, 64, "%s%d", name, number);

	memset(message, 0, HEADER);
	message[1] = (unsigned char)number;
	message[2] = FLAG_RECURSE;
	message[5] = 1;
	message[HEADER] = (unsigned char)len;
	memcpy(message + HEADER + 1 + len, rest, sizeof(rest));
	return HEADER + 1 + (size_t)len + sizeof(rest);
}

static void show(const char *name, int number, const unsigned char *message, ssize_t n)
{
	printf("%s%d: ", name, number);
	if (n < HEADER)
		printf("no answer\n");
	else if (message[3] & 15 || !message[7])
		printf("error %d\n", message[3] & 15);
	else
		printf("%d.%d.%d.%d\n", message[n - 4], message[n - 3], message[n - 2], message[n - 1]);
}

static int ask(const char *port, const char *name, int count)
{
	const struct timeval patience = { .tv_sec = 10 };
	unsigned char message[MESSAGE];
	struct sockaddr_in to;
	int fd = bound(port, &to);
	size_t len;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (int i = 0; i < count; i++) {
		len = query(message, i, name);
		sendto(fd, message, len, 0, (struct sockaddr *)&to, sizeof(to));
		show(name, i, message, recv(fd, message, sizeof(message), 0));
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "serve"))
		return serve(argv[2]);
	if (argc == 5 && !strcmp(argv[1], "ask"))
		return ask(argv[2], argv[3], atoi(argv[4]));
	fprintf(stderr, "usage: dns serve PORT, or dns ask PORT NAME COUNT\n");
	return 2;
}
