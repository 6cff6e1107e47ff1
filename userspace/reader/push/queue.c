// SPDX-License-Identifier: GPL-2.0
/* Requests in a folder, or in memory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/warn.h"
#include "push/queue.h"

#define HEAD		"coroprof-push 2"
#define HEAD_SIZE	256
#define NAME_SIZE	40
/* A century, in which sums of two do not overflow. */
#define SINCE_MOST	(100ll * 366 * 24 * 3600 * (int64_t)SECOND_NS)
#define NEW		".coroprof-push.new"
/* Nobody asks for more; and a file that is no request is not read into memory. */
#define BODY_MAX	(64u << 20)

static void name_entry(char to[NAME_SIZE], uint64_t number)
{
	snprintf(to, NAME_SIZE, "%020" PRIu64 ".otlp", number);
}

static int64_t boot_ns(void)
{
	return (int64_t)clock_ns(CLOCK_BOOTTIME);
}

/* ---- what is lost */

static void count_lost(struct queue *q, const struct queue_entry *e)
{
	q->lost.requests += 1 + e->says.requests;
	q->lost.points += e->points + e->says.points;
	q->lost.rejected += e->says.rejected;
	q->lost.unsent_ns += e->says.unsent_ns;
	q->gone.requests++;
	q->gone.points += e->points;
}

struct queue_counts queue_lost(struct queue *q)
{
	struct queue_counts lost = q->lost;

	q->lost = (struct queue_counts){ 0 };
	return lost;
}

static void remove_entry(struct queue *q, size_t i)
{
	struct queue_entry *e = &q->entries[i];
	char name[NAME_SIZE];

	if (e->body) {
		q->in_memory -= e->size;
	} else {
		q->bytes -= e->size;
		name_entry(name, e->number);
		unlinkat(q->folder, name, 0);
	}
	free(e->body);
	q->nr--;
	memmove(e, e + 1, (q->nr - i) * sizeof(*e));
	if (!q->nr)
		q->crowded = false;
}

static void lose(struct queue *q, size_t i)
{
	count_lost(q, &q->entries[i]);
	remove_entry(q, i);
}

/* ---- bounds */

static void say_crowded(struct queue *q, const char *why)
{
	if (!q->crowded)
		warn("the oldest %s are given up, as the queue%s%s %s: %s",
		     q->dumps ? "dumps" : "requests", q->path ? " " : "", q->path ? q->path : "",
		     why, q->dumps ? "they are not sent, but their files stay where they are" :
		     "how many is counted, and sent later");
	q->crowded = true;
}

/* The oldest that may go and is in memory, or is not; the last one, which has just come, too. */
static size_t oldest(const struct queue *q, bool in_memory)
{
	size_t i = q->held;

	while (i < q->nr && !q->entries[i].body == in_memory)
		i++;
	return i;
}

static void keep_bounds(struct queue *q)
{
	int64_t now = boot_ns();
	size_t i;

	while (q->nr > q->held && q->entries[q->held].since + (int64_t)q->age_ns < now) {
		say_crowded(q, "has some that are too old");
		lose(q, q->held);
	}
	while (q->bytes > q->most && (i = oldest(q, false)) < q->nr) {
		say_crowded(q, "is full");
		lose(q, i);
	}
	while (q->in_memory > q->most_in_memory && (i = oldest(q, true)) < q->nr) {
		say_crowded(q, "in memory is full");
		lose(q, i);
	}
}

/* ---- files */

static void write_head(const struct queue *q, char to[HEAD_SIZE], const struct queue_entry *e)
{
	memset(to, 0, HEAD_SIZE);
	snprintf(to, HEAD_SIZE, HEAD " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %s\n",
		 e->points, e->says.requests, e->says.points, e->says.rejected, e->says.unsent_ns,
		 e->since, q->boot);
}

static bool read_head(const char head[HEAD_SIZE], struct queue_entry *e)
{
	return !head[HEAD_SIZE - 1] &&
	       sscanf(head, HEAD " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNd64 " %36s",
		      &e->points, &e->says.requests, &e->says.points, &e->says.rejected,
		      &e->says.unsent_ns, &e->since, e->boot) == 7 &&
	       e->since < SINCE_MOST && e->since > -SINCE_MOST;
}

/* It is on the disk before it has its name: a machine that stops leaves no part of one. */
static bool write_file(const struct queue *q, const struct queue_entry *e)
{
	char head[HEAD_SIZE], name[NAME_SIZE];
	bool done;
	int error, fd;

	unlinkat(q->folder, NEW, 0);
	fd = openat(q->folder, NEW, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	write_head(q, head, e);
	name_entry(name, e->number);
	done = write_all(fd, head, sizeof(head)) && write_all(fd, e->body, e->size) && !fsync(fd);
	error = errno;
	close(fd);
	if (done && !renameat(q->folder, NEW, q->folder, name))
		return true;
	if (!done)
		errno = error;
	return false;
}

/* NULL: it can't be read. @gone: not later either, as somebody has taken it away, or a part of it. */
static void *read_file(const struct queue *q, const struct queue_entry *e, bool *gone)
{
	char name[NAME_SIZE], *body = malloc(e->size);
	size_t done = 0;
	ssize_t nr = -1;
	int fd;

	name_entry(name, e->number);
	fd = openat(q->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	*gone = fd < 0 && (errno == ENOENT || errno == ELOOP);
	while (body && fd >= 0 && done < e->size) {
		nr = pread(fd, body + done, e->size - done, (off_t)(HEAD_SIZE + done));
		if (nr <= 0)
			break;
		done += (size_t)nr;
	}
	if (fd >= 0)
		close(fd);
	if (done == e->size)
		return body;
	*gone |= nr == 0;
	free(body);
	return NULL;
}

static void to_disk(struct queue *q, struct queue_entry *e)
{
	if (q->folder < 0)
		return;
	if (!write_file(q, e)) {
		if (!q->disk)
			warn("can't write to --push-queue %s: %s; what is to be sent stays in memory, %" PRIu64 " MB at most",
			     q->path, strerrordesc_np(errno), q->most_in_memory >> 20);
		q->disk = true;
		unlinkat(q->folder, NEW, 0);
		return;
	}
	q->disk = false;
	free(e->body);
	e->body = NULL;
}

/* ---- what an earlier process has left */

static uint64_t number_of(const char *name)
{
	char again[NAME_SIZE];
	uint64_t number = strtoull(name, NULL, 10);

	name_entry(again, number);
	return strcmp(name, again) ? 0 : number;
}

enum look { LOOK_GOOD, LOOK_BAD, LOOK_LATER };

/* Bad: it is no request. Later: who knows, as it can't be read. */
static enum look look_at(const struct queue *q, struct queue_entry *e, const char *name)
{
	int fd = openat(q->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char head[HEAD_SIZE];
	struct stat st;
	bool good;

	if (fd < 0)
		return errno == ELOOP ? LOOK_BAD : LOOK_LATER;
	good = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > HEAD_SIZE &&
	       st.st_size <= HEAD_SIZE + (off_t)BODY_MAX &&
	       pread(fd, head, sizeof(head), 0) == sizeof(head) && read_head(head, e);
	close(fd);
	if (!good)
		return LOOK_BAD;
	e->size = (size_t)st.st_size - HEAD_SIZE;
	return LOOK_GOOD;
}

static int by_number(const void *a, const void *b)
{
	const struct queue_entry *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* What has such a name and is no request was one: it is lost. */
static int take_file(struct queue *q, const char *name, struct error *err)
{
	struct queue_entry e = { .number = number_of(name) };

	enum look look;

	if (!e.number)
		return 0;
	if (q->number < e.number)
		q->number = e.number;
	look = look_at(q, &e, name);
	if (look == LOOK_LATER) {
		warn("can't read %s in --push-queue %s: %s; it stays there, and the next coroprof may send it",
		     name, q->path, strerrordesc_np(errno));
		return 0;
	}
	if (look == LOOK_BAD) {
		unlinkat(q->folder, name, 0);
		count_lost(q, &(struct queue_entry){ 0 });
		return 0;
	}
	if (!array_grow(&q->entries, q->nr, sizeof(*q->entries)))
		return error_set(err, ENOMEM, "out of memory");
	q->entries[q->nr++] = e;
	q->bytes += e.size;
	return 0;
}

/* From now on it is of this boot, in its file, too: the next boot is to know all of its age. */
static void adopt(const struct queue *q, struct queue_entry *e)
{
	char head[HEAD_SIZE], name[NAME_SIZE];
	int fd;

	strcpy(e->boot, q->boot);
	name_entry(name, e->number);
	write_head(q, head, e);
	fd = openat(q->folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	/* Where that fails the next boot takes it for younger than it is. */
	if (pwrite(fd, head, sizeof(head), 0) != sizeof(head))
		warn("can't write to %s in --push-queue %s: %s", name, q->path,
		     strerrordesc_np(errno));
	close(fd);
}

/*
 * What can't be of this boot, as its time has not come, is of an earlier one, too: where there is no
 * id of boots all have the same.
 */
static bool is_of_earlier(const struct queue *q, const struct queue_entry *e, int64_t now)
{
	return strcmp(e->boot, q->boot) || e->since > now;
}

/*
 * From the last one on, as those of a boot follow each other: until the last of its boot came, the
 * others waited in it. And each is at least as old as the one behind it, whatever their boots say.
 */
static void find_ages(struct queue *q)
{
	int64_t now = boot_ns(), last = 0, next = now;
	const struct queue_entry *behind = NULL;
	char boot[QUEUE_BOOT] = "";

	for (size_t i = q->nr; i--; behind = &q->entries[i]) {
		struct queue_entry *e = &q->entries[i];
		const bool earlier = is_of_earlier(q, e, now);
		int64_t since = e->since;

		if (earlier && (!behind || strcmp(e->boot, boot) || since > last))
			last = since;
		memcpy(boot, e->boot, sizeof(boot));
		since = earlier ? since - last : since;
		next = since < next ? since : next;
		if (!earlier && e->since == next)
			continue;
		e->since = next;
		adopt(q, e);
	}
}

static int take_files(struct queue *q, struct error *err)
{
	DIR *dir = fdopendir(openat(q->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	struct dirent *file;
	int ret = 0;

	if (!dir)
		return error_errno(err, "can't read --push-queue %s", q->path);
	while (!ret && (file = readdir(dir)))
		ret = take_file(q, file->d_name, err);
	closedir(dir);
	if (q->nr)
		qsort(q->entries, q->nr, sizeof(*q->entries), by_number);
	find_ages(q);
	return ret;
}

/* In one that others may write to they could put what is then sent with our token. */
static int open_folder(struct queue *q, struct error *err)
{
	struct stat st;

	if (mkdir(q->path, 0700) && errno != EEXIST)
		return error_errno(err, "can't make --push-queue %s", q->path);
	q->folder = open(q->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (q->folder < 0 || fstat(q->folder, &st))
		return error_errno(err, "can't open --push-queue %s", q->path);
	if (st.st_uid != geteuid() || st.st_mode & 022)
		return error_set(err, EPERM, "--push-queue %s is to be a folder that only its owner, user %u, may write to: chmod 700 %s",
				 q->path, (unsigned int)geteuid(), q->path);
	if (faccessat(q->folder, ".", W_OK | X_OK, AT_EACCESS))
		return error_errno(err, "can't write to --push-queue %s", q->path);
	if (!flock(q->folder, LOCK_EX | LOCK_NB))
		return take_files(q, err);
	return error_set(err, EBUSY, "--push-queue %s is that of another coroprof, which runs: give each one its own",
			 q->path);
}

/* ---- all of it */

int queue_begin(struct queue *q, const char *path, uint64_t most, uint64_t age_ns,
		struct error *err)
{
	int ret;

	*q = (struct queue){
		.folder = -1, .path = path, .most = most ? most : QUEUE_BYTES,
		.most_in_memory = QUEUE_MEMORY, .age_ns = age_ns ? age_ns : QUEUE_AGE_NS,
	};
	if (!read_text("/proc/sys/kernel/random/boot_id", q->boot, sizeof(q->boot)))
		strcpy(q->boot, "-");
	q->boot[strcspn(q->boot, " \n")] = '\0';
	if (!path && most)
		q->most_in_memory = most;
	ret = path ? open_folder(q, err) : 0;
	if (ret)
		queue_end(q);
	else
		keep_bounds(q);
	return ret;
}

void queue_flush(struct queue *q)
{
	for (size_t i = 0; i < q->nr; i++) {
		struct queue_entry *e = &q->entries[i];

		if (!e->body)
			continue;
		to_disk(q, e);
		if (e->body)
			continue;
		q->in_memory -= e->size;
		q->bytes += e->size;
	}
}

void queue_end(struct queue *q)
{
	queue_flush(q);
	for (size_t i = 0; i < q->nr; i++)
		free(q->entries[i].body);
	free(q->entries);
	if (q->folder >= 0)
		close(q->folder);
	*q = (struct queue){ .folder = -1 };
}

void queue_add(struct queue *q, void *body, size_t size, uint64_t points,
	       const struct queue_counts *says)
{
	struct queue_entry e = {
		.number = ++q->number, .size = size, .points = points, .says = *says,
		.since = boot_ns(), .body = body,
	};

	if (!array_grow(&q->entries, q->nr, sizeof(*q->entries))) {
		count_lost(q, &e);
		free(body);
		return;
	}
	to_disk(q, &e);
	*(e.body ? &q->in_memory : &q->bytes) += size;
	q->entries[q->nr++] = e;
	keep_bounds(q);
}

void queue_miss(struct queue *q, uint64_t points)
{
	count_lost(q, &(struct queue_entry){ .points = points });
}

void *queue_first(struct queue *q, size_t *size)
{
	bool gone;
	void *body;

	keep_bounds(q);
	while (q->nr) {
		struct queue_entry *e = &q->entries[0];

		gone = false;
		body = e->body ? malloc(e->size) : read_file(q, e, &gone);
		if (body && e->body)
			memcpy(body, e->body, e->size);
		if (body) {
			*size = e->size;
			q->held = true;
			return body;
		}
		if (!gone)
			return NULL;
		lose(q, 0);
	}
	return NULL;
}

void queue_drop(struct queue *q, bool lost)
{
	q->held = false;
	if (lost)
		lose(q, 0);
	else
		remove_entry(q, 0);
}

void queue_keep(struct queue *q)
{
	q->held = false;
}

struct queue_counts queue_left(const struct queue *q, bool in_memory)
{
	struct queue_counts left = { 0 };

	for (size_t i = 0; i < q->nr; i++) {
		if (!q->entries[i].body == in_memory)
			continue;
		left.requests++;
		left.points += q->entries[i].points;
	}
	return left;
}
