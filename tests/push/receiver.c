// SPDX-License-Identifier: GPL-2.0
/*
 * receiver PORT FOLDER: takes requests of HTTP on 127.0.0.1, one after the other, and keeps their bodies in FOLDER, as
 * 1.gz, 2.gz and so on. As long as there is a file FOLDER/down it answers 503, and keeps none.
 */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST	(64u << 20)

static char request[MOST + 1];
static unsigned int kept;

static size_t body_size(const char *head)
{
	const char *length = strcasestr(head, "\r\ncontent-length:");

	return length ? strtoul(length + strlen("\r\ncontent-length:"), NULL, 10) : 0;
}

/* The body; NULL: there is none, or not all of it. */
static char *read_request(int fd, size_t *size)
{
	size_t used = 0;
	ssize_t nr;

	while (used < MOST && (nr = read(fd, request + used, MOST - used)) > 0) {
		char *end;

		used += (size_t)nr;
		request[used] = '\0';
		end = memmem(request, used, "\r\n\r\n", 4);
		if (!end)
			continue;
		*size = body_size(request);
		if (used >= (size_t)(end + 4 - request) + *size)
			return end + 4;
	}
	return NULL;
}

static void keep(const char *folder, const char *body, size_t size)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%u.gz", folder, ++kept);
	file = fopen(path, "w");
	if (!file || fwrite(body, 1, size, file) != size || fclose(file)) {
		perror(path);
		exit(1);
	}
}

static void serve(int fd, const char *folder)
{
	static const char taken[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
		busy[] = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
	char path[256], *body;
	size_t size;
	bool down;

	snprintf(path, sizeof(path), "%s/down", folder);
	body = read_request(fd, &size);
	down = !access(path, F_OK);
	if (body && !down)
		keep(folder, body, size);
	if (body && write(fd, down ? busy : taken, strlen(down ? busy : taken)) < 0)
		perror("write");
	close(fd);
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1, fd;

	if (argc != 3)
		return 2;
	address.sin_port = htons((uint16_t)atoi(argv[1]));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (void *)&address, sizeof(address)) || listen(listener, 8)) {
		perror("listen");
		return 1;
	}
	while ((fd = accept(listener, NULL, NULL)) >= 0)
		serve(fd, argv[2]);
	return 1;
}
