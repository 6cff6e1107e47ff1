// SPDX-License-Identifier: GPL-2.0
/* The thread that sends dumps. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "cprof/file.h"
#include "output/export/pprof.h"
#include "profile/model.h"
#include "push/delivery.h"
#include "push/push.h"
#include "push/upload.h"

/* Dumps are rarely made; where more come than can be read the others are not sent. */
#define WAITING		16u
/* With its name no less than that: one that is larger fits no queue. */
#define DUMP_MOST	(63u << 20)
/* Without a folder so many bytes of dumps wait in memory. */
#define MEMORY_MOST	(64ull << 20)
/* When the recording has ended, so long is what is left sent. */
#define UPLOAD_LAST_NS	(30 * SECOND_NS)
#define NAME_MAX_SIZE	1024

/**
 * struct upload - see upload.h
 * @delivery: of dumps; the thread's own
 * @folder:  of the queue, in --push-queue; "": in memory
 * @host:    name of this machine
 * @thread:  if @started
 * @fd:      readable for it: there is something, or the end
 * @lock:    of all below
 * @paths:   that were not read yet
 * @nr:      how many
 * @over:    there will be no more
 */
struct upload {
	const struct push_options *options;
	struct delivery delivery;
	char folder[PATH_MAX];
	struct utsname host;
	pthread_t thread;
	bool started;
	int fd;
	pthread_mutex_t lock;
	char *paths[WAITING];
	unsigned int nr;
	bool over;
};

/* ---- what is sent */

static void put_word(char *to, size_t capacity, const char *word, size_t length)
{
	size_t used = strlen(to);

	for (size_t i = 0; i < length && used + 1 < capacity; i++)
		to[used++] = isalnum((unsigned char)word[i]) || strchr("._-", word[i]) ? word[i] : '_';
	to[used] = '\0';
}

/*
 * "web1-shop-1-20261129T130000Z-1f2e3d4c.cprof": machines, and runs, may use one folder, and some
 * machines have one name.
 */
static void name_file(const struct upload *u, const char *path, char name[NAME_MAX_SIZE])
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *dot = strrchr(base, '.');
	time_t now = time(NULL);
	uint32_t random;
	char when[48];
	struct tm tm;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint32_t)monotonic_ns();
	*name = '\0';
	strftime(when, sizeof(when), "-%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
	snprintf(when + strlen(when), sizeof(when) - strlen(when), "-%08" PRIx32 ".cprof", random);
	put_word(name, 200, u->host.nodename, strlen(u->host.nodename));
	put_word(name, NAME_MAX_SIZE - sizeof(when), "-", 1);
	put_word(name, NAME_MAX_SIZE - sizeof(when), base, dot ? (size_t)(dot - base) : strlen(base));
	strcat(name, when);
}

static void *read_whole(int fd, size_t size, struct error *err)
{
	void *data = malloc(size + 1);
	size_t done = 0;
	ssize_t nr = 1;

	while (data && done < size && (nr = read(fd, data + done, size - done)) > 0)
		done += (size_t)nr;
	if (data && done == size)
		return data;
	if (!data)
		error_set(err, ENOMEM, "out of memory");
	else if (nr < 0)
		error_errno(err, "can't read it");
	else
		error_set(err, EIO, "somebody has made it shorter");
	free(data);
	return NULL;
}

static void *read_dump(const char *path, size_t *size, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *data = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		error_errno(err, "can't read it");
	} else if (st.st_size > DUMP_MOST) {
		error_set(err, EFBIG, "it has %llu MB, and %u can be sent: make what is kept smaller, by --keep-bytes 48M",
			  (unsigned long long)st.st_size >> 20, DUMP_MOST >> 20);
	} else {
		*size = (size_t)st.st_size;
		data = read_whole(fd, *size, err);
	}
	if (fd >= 0)
		close(fd);
	return data;
}

/* "name=shop{host=web1}&from=...": Pyroscope's, escaped. */
static void name_profile(const struct upload *u, const struct model *m, char name[NAME_MAX_SIZE])
{
	const int64_t to_real = m->realtime_known ? m->realtime_offset_ns :
				(int64_t)(clock_ns(CLOCK_REALTIME) - monotonic_ns());
	const char *comm = m->nr_processes ? m->processes[0].comm : "unknown";

	strcpy(name, "name=");
	put_word(name, 300, comm, strlen(comm));
	strcat(name, "%7Bhost%3D");
	put_word(name, 600, u->host.nodename, strlen(u->host.nodename));
	snprintf(name + strlen(name), NAME_MAX_SIZE - strlen(name),
		 "%%7D&from=%" PRId64 "&until=%" PRId64 "&format=pprof&spyName=coroprof",
		 ((int64_t)m->from_ns + to_real) / (int64_t)SECOND_NS,
		 ((int64_t)m->end_ns + to_real) / (int64_t)SECOND_NS + 1);
}

static void *make_profile(const struct upload *u, const char *path, char name[NAME_MAX_SIZE],
			  size_t *size, struct error *err)
{
	const struct model_options options = { .no_timeline = true };
	struct file *file;
	struct model *m;
	char *data = NULL;
	bool whole;
	FILE *to;

	if (file_open(&file, path, err))
		return NULL;
	if (model_load(&m, file, &options, err)) {
		file_close(file);
		return NULL;
	}
	file_close(file);
	name_profile(u, m, name);
	to = open_memstream(&data, size);
	whole = to && !pprof_write(m, to);
	if (!whole)
		error_errno(err, "can't make a profile of it");
	/* Which says again how much there is. */
	if (to && fclose(to) && whole) {
		error_errno(err, "can't make a profile of it");
		whole = false;
	}
	model_free(m);
	if (whole)
		return data;
	free(data);
	return NULL;
}

static void queue_dump(struct upload *u, const char *name, const void *data, size_t size)
{
	static const struct queue_counts none;
	size_t head = strlen(name) + 1;
	char *body = malloc(head + size + 1);

	if (!body) {
		queue_miss(&u->delivery.queue, 1);
		return;
	}
	sprintf(body, "%s\n", name);
	memcpy(body + head, data, size);
	queue_add(&u->delivery.queue, body, head + size, 1, &none);
}

static void take_dump(struct upload *u, const char *path)
{
	char name[NAME_MAX_SIZE];
	struct error err;
	size_t size = 0;
	void *data;

	if (sender_takes_files(u->delivery.sender)) {
		name_file(u, path, name);
		data = read_dump(path, &size, &err);
	} else {
		data = make_profile(u, path, name, &size, &err);
	}
	if (data)
		queue_dump(u, name, data, size);
	else
		warn("--push-dumps: %s is not sent: %s", path, err.message);
	free(data);
}

/* ---- the thread */

static char *next_path(struct upload *u, bool *over)
{
	char *path = NULL;
	eventfd_t times;

	eventfd_read(u->fd, &times);
	pthread_mutex_lock(&u->lock);
	if (u->nr) {
		path = u->paths[0];
		memmove(u->paths, u->paths + 1, --u->nr * sizeof(*u->paths));
	}
	*over = u->over && !u->nr;
	pthread_mutex_unlock(&u->lock);
	return path;
}

static void *run(void *upload)
{
	struct upload *u = upload;
	bool over;

	do {
		char *path = next_path(u, &over);

		if (path)
			take_dump(u, path);
		delivery_step(&u->delivery);
		if (!path && !over)
			delivery_wait(&u->delivery, u->fd);
		free(path);
	} while (!over);
	delivery_last(&u->delivery, UPLOAD_LAST_NS, u->fd);
	return NULL;
}

/* ---- in the thread that records */

int upload_start(struct upload *u, struct error *err)
{
	int ret = delivery_thread(&u->thread, run, u, err);

	u->started = !ret;
	return ret;
}

void upload_add(struct upload *u, const char *path)
{
	char *copy = strdup(path);
	bool there = false;

	pthread_mutex_lock(&u->lock);
	if (copy && u->nr < WAITING) {
		u->paths[u->nr++] = copy;
		there = true;
	}
	pthread_mutex_unlock(&u->lock);
	if (there) {
		eventfd_write(u->fd, 1);
		return;
	}
	free(copy);
	warn("--push-dumps: %s is not sent: %u dumps wait before it", path, WAITING);
}

static void say_what_is_left(struct upload *u)
{
	struct queue_counts left, waiting;

	queue_flush(&u->delivery.queue);
	left = queue_left(&u->delivery.queue, true);
	waiting = queue_left(&u->delivery.queue, false);
	if (waiting.requests)
		warn("--push-dumps: %" PRIu64 " dumps that were not delivered are in %s: the next coroprof with that --push-queue sends them",
		     waiting.requests, u->folder);
	if (left.requests)
		warn("--push-dumps: the last %" PRIu64 " dumps were not delivered, and will not be, as %s; their files stay where they are",
		     left.requests, *u->folder ? "--push-queue can't be written to" :
		     "there is no --push-queue");
}

void upload_stop(struct upload *u)
{
	if (!u->started)
		return;
	u->started = false;
	pthread_mutex_lock(&u->lock);
	u->over = true;
	pthread_mutex_unlock(&u->lock);
	eventfd_write(u->fd, 1);
	pthread_join(u->thread, NULL);
	say_what_is_left(u);
}

/* ---- before and after */

static int begin_queue(struct upload *u, struct error *err)
{
	const struct push_options *o = u->options;
	uint64_t most = o->queue_bytes;

	if (o->queue) {
		if (mkdir(o->queue, 0700) && errno != EEXIST)
			return error_errno(err, "can't make --push-queue %s", o->queue);
		if (snprintf(u->folder, sizeof(u->folder), "%s/dumps", o->queue) >= PATH_MAX)
			return error_set(err, ENAMETOOLONG, "the name of --push-queue is too long");
	}
	return queue_begin(&u->delivery.queue, o->queue ? u->folder : NULL,
			   most || o->queue ? most : MEMORY_MOST, o->queue_age_ns, err);
}

int upload_begin(struct upload **upload, const struct push_options *o, struct error *err)
{
	struct upload *u = calloc(1, sizeof(*u));
	struct sender_options to = o->dumps;
	int ret;

	to.dumps = true;
	to.ca = o->to.ca;
	to.cert = o->to.cert;
	to.key = o->to.key;
	if (!u)
		return error_set(err, ENOMEM, "out of memory");
	*u = (struct upload){
		.options = o, .lock = PTHREAD_MUTEX_INITIALIZER,
		.delivery = { .dumps = true, .times = o->times, .queue.folder = -1 },
	};
	uname(&u->host);
	u->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = u->fd < 0 ? error_errno(err, "can't make a descriptor for events") : 0;
	if (!ret)
		ret = sender_begin(&u->delivery.sender, &to, err);
	if (!ret)
		ret = begin_queue(u, err);
	if (!ret) {
		u->delivery.queue.dumps = true;
		*upload = u;
		return 0;
	}
	upload_end(u);
	return ret;
}

void upload_end(struct upload *u)
{
	if (!u)
		return;
	delivery_end(&u->delivery);
	for (unsigned int i = 0; i < u->nr; i++)
		free(u->paths[i]);
	if (u->fd >= 0)
		close(u->fd);
	pthread_mutex_destroy(&u->lock);
	free(u);
}
