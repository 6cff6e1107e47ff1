// SPDX-License-Identifier: GPL-2.0
/* From a queue to a receiver. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/util.h"
#include "base/warn.h"
#include "push/delivery.h"

#define FIRST_NS	(2 * SECOND_NS)
#define MOST_NS		(120 * SECOND_NS)
#define WRONG_NS	(300 * SECOND_NS)
#define WAIT_MS		1000
/* Without anything to send it is woken by what comes. */
#define IDLE_MS		60000

/* ---- answers */

static const char *option_of(const struct delivery *d)
{
	return d->dumps ? "push-dumps" : "push";
}

/* From a half of it up to all: not all machines at once. */
static uint64_t with_jitter(uint64_t ns)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = monotonic_ns();
	return ns / 2 + random % (ns / 2 + 1);
}

static uint64_t or_default(uint64_t ns, uint64_t by_default)
{
	return ns ? ns : by_default;
}

static void tell_rejected(struct delivery *d, const struct sender_answer *a)
{
	if (a->rejected && !d->told_rejected)
		warn("--push: %s has rejected %" PRIu64 " data points: %s", sender_where(d->sender),
		     a->rejected, *a->message ? a->message : "it does not say why");
	d->told_rejected |= a->rejected;
}

static void take_it(struct delivery *d, const struct sender_answer *a)
{
	queue_drop(&d->queue, false);
	d->rejected += a->rejected;
	tell_rejected(d, a);
	if (d->told != SENDER_TAKEN)
		warn("--%s: %s takes what is sent again", option_of(d), sender_where(d->sender));
	d->told = SENDER_TAKEN;
	d->delay_ns = 0;
	d->due = 0;
}

/* Of dumps each is reported: there are few. */
static void lose_it(struct delivery *d, const struct sender_answer *a)
{
	queue_drop(&d->queue, true);
	if (d->dumps)
		warn("--push-dumps: %s. This dump is not sent again; its file stays where it is",
		     a->message);
	else if (!d->told_never)
		warn("--push: %s. This request is lost; such are counted, and that is sent",
		     a->message);
	d->told_never = true;
	d->delay_ns = 0;
	d->due = 0;
}

static void try_again(struct delivery *d, const struct sender_answer *a)
{
	const struct delivery_times *t = &d->times;
	uint64_t most = or_default(t->most_ns, MOST_NS), delay;

	queue_keep(&d->queue);
	if (d->told != a->verdict)
		warn("--%s: %s. %s", option_of(d), a->message, a->verdict == SENDER_LATER ?
		     "What is to be sent waits" :
		     "Something has to be mended there, or in the options; until then what is to be sent waits");
	d->told = a->verdict;
	d->delay_ns = d->delay_ns ? d->delay_ns * 2 : or_default(t->first_ns, FIRST_NS);
	if (d->delay_ns > most)
		d->delay_ns = most;
	delay = a->verdict == SENDER_WRONG ? or_default(t->wrong_ns, WRONG_NS) : d->delay_ns;
	delay = with_jitter(delay);
	/* Not before the receiver wants it, and not all at that moment. */
	if (a->after_ns)
		delay = a->after_ns + with_jitter(or_default(t->first_ns, FIRST_NS));
	d->due = clock_ns(CLOCK_BOOTTIME) + delay;
}

static void settle(struct delivery *d, const struct sender_answer *a)
{
	free(d->body);
	d->body = NULL;
	switch (a->verdict) {
	case SENDER_TAKEN:
		take_it(d, a);
		return;
	case SENDER_NEVER:
		lose_it(d, a);
		return;
	case SENDER_LATER: case SENDER_WRONG:
		try_again(d, a);
	}
}

/* ---- what is sent */

/* A body without a name, which nobody has put there, is as empty as one can be. */
static void send_first(struct delivery *d, size_t size)
{
	char *end = d->dumps ? memchr(d->body, '\n', size) : NULL;

	if (!d->dumps) {
		sender_send(d->sender, NULL, d->body, size);
		return;
	}
	if (!end) {
		sender_send(d->sender, "", d->body, 0);
		return;
	}
	*end++ = '\0';
	sender_send(d->sender, d->body, end, size - (size_t)(end - (char *)d->body));
}

void delivery_step(struct delivery *d)
{
	struct sender_answer answer;
	size_t size;

	if (!d->sender)
		return;
	if (sender_look(d->sender, &answer))
		settle(d, &answer);
	if (sender_busy(d->sender) || clock_ns(CLOCK_BOOTTIME) < d->due)
		return;
	d->body = queue_first(&d->queue, &size);
	if (!d->body && d->queue.nr)
		d->due = clock_ns(CLOCK_BOOTTIME) + or_default(d->times.first_ns, FIRST_NS);
	if (d->body)
		send_first(d, size);
	/* Now it is known which descriptors are to be waited for. */
	if (sender_look(d->sender, &answer))
		settle(d, &answer);
}

static int wait_ms(const struct delivery *d)
{
	uint64_t now = clock_ns(CLOCK_BOOTTIME);

	if (!d->queue.nr)
		return IDLE_MS;
	if (sender_busy(d->sender) || d->due > now + WAIT_MS * 1000000ull)
		return WAIT_MS;
	if (d->due <= now)
		return 0;
	return (int)((d->due - now) / 1000000) + 1;
}

void delivery_wait(struct delivery *d, int fd)
{
	sender_wait(d->sender, fd, wait_ms(d));
}

void delivery_last(struct delivery *d, uint64_t most_ns, int fd)
{
	uint64_t until = clock_ns(CLOCK_BOOTTIME) + most_ns;

	if (!d->sender)
		return;
	if (!sender_busy(d->sender))
		d->due = 0;
	do {
		delivery_step(d);
		if (sender_busy(d->sender))
			sender_wait(d->sender, fd, 100);
	} while ((sender_busy(d->sender) || (d->queue.nr && !d->due)) &&
		 clock_ns(CLOCK_BOOTTIME) < until);
}

void delivery_end(struct delivery *d)
{
	sender_end(d->sender);
	free(d->body);
	queue_end(&d->queue);
}

int delivery_thread(pthread_t *thread, void *(*run)(void *), void *context, struct error *err)
{
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = pthread_create(thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret ? error_set(err, ret, "can't make a thread that sends: %s", strerrordesc_np(ret)) : 0;
}
