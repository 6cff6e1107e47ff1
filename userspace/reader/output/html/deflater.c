// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "output/html/deflater.h"

/* So many bytes are turned into text at once: three are four digits. */
#define OUT_BYTES	(3 * 1024)
/* So many are given to zlib at once, which counts them in an unsigned int. */
#define IN_BYTES	(1u << 20)

/* ------------------------------------------------------------------------
 * base64
 */

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_digits(char *text, const uint8_t *bytes)
{
	uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];

	text[0] = digits[bits >> 18];
	text[1] = digits[bits >> 12 & 63];
	text[2] = digits[bits >> 6 & 63];
	text[3] = digits[bits & 63];
}

static size_t digits_of(size_t bytes)
{
	return (bytes + 2) / 3 * 4;
}

/* @out is full unless it is the end: of the last three, some may be none. */
static void append_digits(struct buffer *text, uint8_t *out, size_t nr)
{
	size_t missing = (3 - nr % 3) % 3;

	memset(out + nr, 0, missing);
	for (size_t i = 0; i < nr; i += 3, text->size += 4)
		put_digits(text->data + text->size, out + i);
	memset(text->data + text->size - missing, '=', missing);
}

/* ------------------------------------------------------------------------
 * a text
 */

static void deflate_job(struct deflater_job *j)
{
	size_t left = j->bytes.size;
	uint8_t out[OUT_BYTES];
	z_stream *z = &j->z;
	int done;

	z->next_in = (uint8_t *)j->bytes.data;
	z->next_out = out;
	z->avail_out = sizeof(out);
	do {
		if (!z->avail_in) {
			z->avail_in = left < IN_BYTES ? (uInt)left : IN_BYTES;
			left -= z->avail_in;
		}
		done = deflate(z, left ? Z_NO_FLUSH : Z_FINISH);
		if (!z->avail_out || done == Z_STREAM_END) {
			append_digits(&j->text, out, sizeof(out) - z->avail_out);
			z->next_out = out;
			z->avail_out = sizeof(out);
		}
	} while (done != Z_STREAM_END);
	deflateReset(z);
}

static struct deflater_job *job_at(struct deflater *d, uint64_t at)
{
	return &d->jobs[at % DEFLATER_JOBS];
}

/* Deflates the next that nobody has begun. Called and returns with the lock. */
static void take(struct deflater *d)
{
	struct deflater_job *j = job_at(d, d->taken++);

	pthread_mutex_unlock(&d->lock);
	deflate_job(j);
	pthread_mutex_lock(&d->lock);
	j->done = true;
	pthread_cond_broadcast(&d->change);
}

/* ------------------------------------------------------------------------
 * threads
 */

static void *help(void *context)
{
	struct deflater *d = context;

	pthread_mutex_lock(&d->lock);
	while (!d->ending || d->taken < d->given) {
		if (d->taken < d->given)
			take(d);
		else
			pthread_cond_wait(&d->change, &d->lock);
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

static void start_helpers(struct deflater *d)
{
	unsigned int others = processors() - 1;

	while (d->nr_helpers < others && d->nr_helpers < DEFLATER_HELPERS &&
	       !pthread_create(&d->helpers[d->nr_helpers], NULL, help, d))
		d->nr_helpers++;
}

static void end_helpers(struct deflater *d)
{
	pthread_mutex_lock(&d->lock);
	d->ending = true;
	pthread_cond_broadcast(&d->change);
	pthread_mutex_unlock(&d->lock);
	for (unsigned int i = 0; i < d->nr_helpers; i++)
		pthread_join(d->helpers[i], NULL);
}

/* ------------------------------------------------------------------------
 * the caller's
 */

static void fail(struct deflater *d, int err)
{
	if (!d->err)
		d->err = err;
}

/* Waits for the first that is not written, and helps meanwhile. */
static void write_first(struct deflater *d)
{
	struct deflater_job *j = job_at(d, d->written);

	pthread_mutex_lock(&d->lock);
	while (!j->done) {
		if (d->taken < d->given)
			take(d);
		else
			pthread_cond_wait(&d->change, &d->lock);
	}
	j->done = false;
	pthread_mutex_unlock(&d->lock);
	if (!d->err && (fwrite(j->text.data, 1, j->text.size, d->file) < j->text.size ||
			putc('\n', d->file) == EOF))
		fail(d, errno);
	j->bytes.size = 0;
	j->text.size = 0;
	d->written++;
}

void deflater_add(struct deflater *d, const uint8_t *bytes, size_t nr)
{
	struct error err;

	if (!d->err && buffer_append(&job_at(d, d->given)->bytes, bytes, nr, &err))
		fail(d, err.code);
}

void deflater_end(struct deflater *d)
{
	struct deflater_job *j = job_at(d, d->given);
	struct error err;

	if (!d->err && buffer_reserve(&j->text, digits_of(deflateBound(&j->z, j->bytes.size)), &err))
		fail(d, err.code);
	if (d->err)
		return;
	pthread_mutex_lock(&d->lock);
	d->given++;
	pthread_cond_broadcast(&d->change);
	pthread_mutex_unlock(&d->lock);
	if (d->given - d->written == DEFLATER_JOBS)
		write_first(d);
}

static void free_jobs(struct deflater *d, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		deflateEnd(&d->jobs[i].z);
		buffer_free(&d->jobs[i].bytes);
		buffer_free(&d->jobs[i].text);
	}
}

int deflater_open(struct deflater *d, FILE *file)
{
	*d = (struct deflater){ .file = file };
	for (unsigned int i = 0; i < DEFLATER_JOBS; i++) {
		if (deflateInit(&d->jobs[i].z, Z_DEFAULT_COMPRESSION) == Z_OK)
			continue;
		free_jobs(d, i);
		errno = ENOMEM;
		return -1;
	}
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->change, NULL);
	start_helpers(d);
	return 0;
}

int deflater_close(struct deflater *d)
{
	int before = errno;

	while (d->written < d->given)
		write_first(d);
	end_helpers(d);
	pthread_cond_destroy(&d->change);
	pthread_mutex_destroy(&d->lock);
	free_jobs(d, DEFLATER_JOBS);
	errno = d->err ? d->err : before;
	return d->err ? -1 : 0;
}
