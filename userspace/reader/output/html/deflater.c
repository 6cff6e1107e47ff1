// SPDX-License-Identifier: GPL-2.0
/*
 * A pool of threads that deflates texts and writes them in order. One mutex guards its queue; the
 * caller helps when the queue is full.
 */
#include <errno.h>
#include <libdeflate.h>

#include "output/html/deflater.h"

/* More takes longer than it saves of the page: 7 is 0.1 % smaller, and takes a quarter longer. */
#define LEVEL	6

/* ------------------------------------------------------------------------
 * base64
 */

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void write_digits(char *text, const uint8_t *bytes)
{
	uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];

	text[0] = digits[bits >> 18];
	text[1] = digits[bits >> 12 & 63];
	text[2] = digits[bits >> 6 & 63];
	text[3] = digits[bits & 63];
}

static size_t digits_for(size_t bytes)
{
	return (bytes + 2) / 3 * 4;
}

/*
 * Writes @nr bytes as digits to @text. The bytes may be in @text itself, if at least a third of @nr
 * bytes are before them: then digits are written only where bytes have been read. The last group
 * may have fewer than three bytes.
 */
static void encode_bytes(char *text, const uint8_t *bytes, size_t nr)
{
	uint8_t last[3] = { 0 };

	for (; nr >= 3; nr -= 3, bytes += 3, text += 4)
		write_digits(text, bytes);
	if (!nr)
		return;
	for (size_t i = 0; i < nr; i++)
		last[i] = bytes[i];
	write_digits(text, last);
	for (size_t i = nr; i < 3; i++)
		text[i + 1] = '=';
}

/* ------------------------------------------------------------------------
 * a text
 */

/* Bytes that the job may have once they are deflated, and so the room that their digits need. */
static size_t compressed_bound(const struct deflater_job *j)
{
	return libdeflate_zlib_compress_bound(j->compressor, j->bytes.size);
}

static void deflate_job(struct deflater_job *j)
{
	size_t bound = compressed_bound(j);
	uint8_t *end = (uint8_t *)j->text.data + digits_for(bound);
	size_t nr = libdeflate_zlib_compress(j->compressor, j->bytes.data, j->bytes.size,
					     end - bound, bound);

	encode_bytes(j->text.data, end - bound, nr);
	j->text.size = digits_for(nr);
}

static struct deflater_job *job_at(struct deflater *d, uint64_t at)
{
	return &d->jobs[at % DEFLATER_JOBS];
}

/* Deflates the next job that no thread has begun. Called, and returns, with the lock held. */
static void deflate_next(struct deflater *d)
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

static void *run_helper(void *context)
{
	struct deflater *d = context;

	pthread_mutex_lock(&d->lock);
	while (!d->ending || d->taken < d->given) {
		if (d->taken < d->given)
			deflate_next(d);
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
	       !pthread_create(&d->helpers[d->nr_helpers], NULL, run_helper, d))
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

static void set_error(struct deflater *d, int err)
{
	if (!d->err)
		d->err = err;
}

/* Waits for the first job that is not written, deflates others meanwhile, and writes it. */
static void write_first_job(struct deflater *d)
{
	struct deflater_job *j = job_at(d, d->written);

	pthread_mutex_lock(&d->lock);
	while (!j->done) {
		if (d->taken < d->given)
			deflate_next(d);
		else
			pthread_cond_wait(&d->change, &d->lock);
	}
	j->done = false;
	pthread_mutex_unlock(&d->lock);
	if (!d->err && (fwrite(j->text.data, 1, j->text.size, d->file) < j->text.size ||
			putc('\n', d->file) == EOF))
		set_error(d, errno);
	j->bytes.size = 0;
	j->text.size = 0;
	d->written++;
}

void deflater_add(struct deflater *d, const uint8_t *bytes, size_t nr)
{
	struct error err;

	if (!d->err && buffer_append(&job_at(d, d->given)->bytes, bytes, nr, &err))
		set_error(d, err.code);
}

void deflater_end(struct deflater *d)
{
	struct deflater_job *j = job_at(d, d->given);
	struct error err;

	if (!d->err && buffer_reserve(&j->text, digits_for(compressed_bound(j)), &err))
		set_error(d, err.code);
	if (d->err)
		return;
	pthread_mutex_lock(&d->lock);
	d->given++;
	pthread_cond_broadcast(&d->change);
	pthread_mutex_unlock(&d->lock);
	if (d->given - d->written == DEFLATER_JOBS)
		write_first_job(d);
}

static void free_jobs(struct deflater *d, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		libdeflate_free_compressor(d->jobs[i].compressor);
		buffer_free(&d->jobs[i].bytes);
		buffer_free(&d->jobs[i].text);
	}
}

int deflater_open(struct deflater *d, FILE *file)
{
	*d = (struct deflater){ .file = file };
	for (unsigned int i = 0; i < DEFLATER_JOBS; i++) {
		d->jobs[i].compressor = libdeflate_alloc_compressor(LEVEL);
		if (d->jobs[i].compressor)
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
		write_first_job(d);
	end_helpers(d);
	pthread_cond_destroy(&d->change);
	pthread_mutex_destroy(&d->lock);
	free_jobs(d, DEFLATER_JOBS);
	errno = d->err ? d->err : before;
	return d->err ? -1 : 0;
}
