// SPDX-License-Identifier: GPL-2.0
/* Growing buffers and arrays, and small helpers around system calls that several rooms need. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"

int buffer_reserve(struct buffer *b, size_t more, struct error *err)
{
	size_t capacity = b->capacity ? b->capacity : 256;
	char *data;

	if (more > SIZE_MAX / 4 - b->size)
		return error_set(err, ENOMEM, "out of memory: %zu bytes", more);
	while (capacity < b->size + more)
		capacity *= 2;
	if (capacity == b->capacity)
		return 0;
	data = realloc(b->data, capacity);
	if (!data)
		return error_set(err, ENOMEM, "out of memory: %zu bytes", capacity);
	b->data = data;
	b->capacity = capacity;
	return 0;
}

int buffer_append(struct buffer *b, const void *data, size_t size,
		  struct error *err)
{
	int ret = buffer_reserve(b, size, err);

	if (ret)
		return ret;
	if (size)
		memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

int buffer_pad(struct buffer *b, struct error *err)
{
	static const char zeroes[8];

	return buffer_append(b, zeroes, ALIGN8(b->size) - b->size, err);
}

void buffer_free(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){ 0 };
}

bool array_grow(void *array, size_t nr, size_t size)
{
	void **a = array, *grown;

	if (nr & (nr - 1))
		return true;
	grown = reallocarray(*a, nr ? 2 * nr : 1, size);
	if (grown)
		*a = grown;
	return grown;
}

void array_forget(void *array, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)array + page - 1) & -page;
	uintptr_t to = ((uintptr_t)array + bytes) & -page;

	if (from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * SECOND_NS + (uint64_t)ts.tv_nsec;
}

unsigned int processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned int)CPU_COUNT(&set);
}

bool read_text(const char *path, char *text, size_t capacity)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, capacity - 1);
	close(fd);
	if (n < 0)
		return false;
	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	return true;
}

pid_t parent_of(pid_t pid)
{
	char path[32], text[512];
	const char *rest;
	pid_t parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (!read_text(path, text, sizeof(text)))
		return 0;
	/* The name before it may hold anything. */
	rest = strrchr(text, ')');
	return rest && sscanf(rest + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

bool write_all(int fd, const void *data, size_t size)
{
	const char *p = data;
	ssize_t n;

	while (size) {
		n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		p += n;
		size -= (size_t)n;
	}
	return true;
}

bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && strcmp(text + a - b, end) == 0;
}
