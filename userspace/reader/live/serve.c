// SPDX-License-Identifier: GPL-2.0
/*
 * The thread that makes what browsers are shown. It has the windows that the thread which reads rings
 * writes, adds them up, and hands them to that of HTTP. While somebody waits for ticks, it makes the
 * window that was asked for last again at each tick, so that it is there when it is asked for.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "diff/diff.h"
#include "live/access.h"
#include "live/choices.h"
#include "live/exchange.h"
#include "live/http.h"
#include "live/listener.h"
#include "live/pages.h"
#include "live/serve.h"
#include "profile/model.h"
#include "tables/derived.h"

/* More would take a browser, and the way there, longer than a second. */
#define TIMELINE_SLICES	20000u
#define COROUTINES	2000u

/* Making windows takes no more of a processor than that: else they come less often. */
#define COST_MOST_NS	(SECOND_NS / 4)

/* What is shown before anybody has chosen. */
#define DEFAULT_NS	(10 * SECOND_NS)

/**
 * struct serve - a recording that is served
 * @observer:  for the recording
 * @exchange:  with it
 * @thread:    that makes windows, if @started
 * @lock:      of @wanted and @watchers
 * @wanted:    windows that were asked for, each once
 * @watchers:  so many wait for ticks
 * @asked_fd:  readable for the thread: one of these has changed
 * @ns:        how long windows are that end now; the thread's own, as all below
 * @latest:    that of the last tick, or NULL
 * @wish:      number of the last wish
 * @following: that is for the next tick
 * @tick:      the last that was reported
 * @every:     so many ticks are passed over
 * @over:      the thread is to end
 */
struct serve {
	struct record_observer observer;
	struct exchange exchange;
	struct listener listener;
	struct access access;
	struct http *http;
	const struct view_options *view;
	bool no_inline;
	pthread_t thread;
	bool started;
	pthread_mutex_t lock;
	struct pages_key wanted[HTTP_CONNECTIONS];
	unsigned int nr_wanted;
	unsigned int watchers;
	int asked_fd;
	uint64_t ns;
	struct page_bytes *latest;
	uint64_t wish;
	bool following;
	struct http_tick tick;
	uint64_t every;
	bool over;
};

/* ---- in the thread of HTTP */

static bool is_wanted(const struct serve *s, const struct pages_key *key)
{
	for (unsigned int i = 0; i < s->nr_wanted; i++)
		if (pages_same(&s->wanted[i], key))
			return true;
	return false;
}

/* As many as there are connections, each of which waits for one. */
static void want_window(void *serve, const struct pages_key *key)
{
	struct serve *s = serve;

	pthread_mutex_lock(&s->lock);
	if (!is_wanted(s, key) && s->nr_wanted < ARRAY_SIZE(s->wanted))
		s->wanted[s->nr_wanted++] = *key;
	pthread_mutex_unlock(&s->lock);
	eventfd_write(s->asked_fd, 1);
}

static void count_watchers(void *serve, unsigned int watchers)
{
	struct serve *s = serve;

	pthread_mutex_lock(&s->lock);
	s->watchers = watchers;
	pthread_mutex_unlock(&s->lock);
	eventfd_write(s->asked_fd, 1);
}

static void want_dump(void *serve, const struct pages_key *key)
{
	struct serve *s = serve;

	exchange_wish(&s->exchange, &(struct live_wish){
		.dump = "the page of coroprof serve", .part.end = key->end, .dump_ns = key->ns,
	});
}

/* ---- windows */

static struct live_window *wait_for_window(struct serve *s)
{
	for (;;) {
		struct pollfd fd = { .fd = s->exchange.window_fd, .events = POLLIN };
		struct live_window *w = exchange_take(&s->exchange, &s->over);

		if (!s->over && w && w->wish == s->wish) {
			s->following = false;
			return w;
		}
		live_window_free(w);
		if (s->over)
			return NULL;
		poll(&fd, 1, -1);
	}
}

/* NULL: the thread is to end. */
static struct live_window *have_window(struct serve *s, uint64_t ns, uint64_t end)
{
	exchange_wish(&s->exchange, &(struct live_wish){
		.wanted = true, .number = ++s->wish, .ns = ns, .end = end,
	});
	return wait_for_window(s);
}

static int load(struct serve *s, struct model **model, struct live_window *w, bool compared,
		struct error *err)
{
	const struct model_options options = {
		.coroutines = COROUTINES, .timeline_slices = TIMELINE_SLICES, .squares = compared,
		.no_inline = s->no_inline,
	};
	int ret = live_window_load(w, &options, NULL, model, err);

	live_window_forget(w);
	if (ret)
		return ret;
	free((*model)->path);
	(*model)->path = strdup("live");
	(*model)->metrics = s->view->metrics;
	(*model)->nr_metrics = s->view->nr_metrics;
	if (!derived_make(*model))
		return 0;
	model_free(*model);
	return error_set(err, ENOMEM, "out of memory");
}

/* Changes of @model since a window that is as long. */
static int compare(struct serve *s, struct model *model, const struct pages_key *key,
		   struct error *err)
{
	struct live_window *w = have_window(s, key->ns, key->against);
	struct model *old;
	int ret;

	if (!w)
		return error_set(err, ECANCELED, "the recording ends");
	ret = w->end == key->against ?
		      load(s, &old, w, true, err) :
		      error_set(err, ENOENT, "the window that it is to be compared with is kept no more");
	live_window_free(w);
	if (ret)
		return ret;
	ret = diff_models(model, old, NULL, 0, err);
	model_free(old);
	return ret;
}

static struct page_bytes *make(struct serve *s, const struct pages_key *key,
			       struct live_window *w)
{
	struct page_bytes *bytes;
	struct model *model;
	struct error err;
	int ret = load(s, &model, w, key->against, &err);

	if (ret)
		return pages_refuse(key, err.message);
	if (key->against)
		ret = compare(s, model, key, &err);
	bytes = ret ? pages_refuse(key, err.message) : pages_make(key, model);
	model_free(model);
	return bytes;
}

/* ---- requests */

static bool take_request(struct serve *s, struct pages_key *key)
{
	bool is_there;

	pthread_mutex_lock(&s->lock);
	is_there = s->nr_wanted;
	if (is_there)
		*key = s->wanted[--s->nr_wanted];
	pthread_mutex_unlock(&s->lock);
	return is_there;
}

static void hand_out(struct serve *s, const struct pages_key *key, struct page_bytes *bytes)
{
	if (bytes)
		http_answer(s->http, bytes);
	else
		http_refuse(s->http, key);
}

static void answer(struct serve *s, const struct pages_key *key)
{
	struct page_bytes *bytes;
	struct live_window *w;

	if (s->latest && pages_same(&s->latest->key, key)) {
		hand_out(s, key, s->latest);
		return;
	}
	w = have_window(s, key->ns, key->end);
	bytes = w ? make(s, key, w) : NULL;
	/* The next tick has a window of the length that was chosen last. */
	if (w && w->end == w->newest && !key->against)
		s->ns = key->ns;
	live_window_free(w);
	hand_out(s, key, bytes);
	pages_leave(bytes);
}

/* ---- ticks */

static void tick(struct serve *s, struct live_window *w)
{
	const struct pages_key key = { .ns = s->ns, .end = w->newest };
	uint64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	pages_leave(s->latest);
	s->latest = make(s, &key, w);
	s->tick = (struct http_tick){ w->oldest, w->newest, w->squeezed, w->ended };
	s->every = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - before + w->cost_ns) / COST_MOST_NS;
	http_tell(s->http, &s->tick);
}

static void take_tick(struct serve *s)
{
	struct live_window *w = exchange_take(&s->exchange, &s->over);

	if (!s->over && w && s->following && w->wish == s->wish) {
		s->following = false;
		tick(s, w);
	}
	live_window_free(w);
}

static void follow(struct serve *s)
{
	bool watched;

	pthread_mutex_lock(&s->lock);
	watched = s->watchers;
	pthread_mutex_unlock(&s->lock);
	if (!watched || s->following || s->tick.ended)
		return;
	s->following = true;
	exchange_wish(&s->exchange, &(struct live_wish){
		.wanted = true, .number = ++s->wish, .ns = s->ns,
		.after = s->tick.newest + s->every,
	});
}

static void wait_for_something(struct serve *s)
{
	struct pollfd fds[] = {
		{ .fd = s->asked_fd, .events = POLLIN },
		{ .fd = s->exchange.window_fd, .events = POLLIN },
	};
	eventfd_t times;

	if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
		return;
	if (fds[0].revents & POLLIN)
		eventfd_read(s->asked_fd, &times);
	if (fds[1].revents & POLLIN)
		take_tick(s);
}

static void *run(void *serve)
{
	struct serve *s = serve;
	struct pages_key key;

	while (!s->over) {
		if (take_request(s, &key)) {
			answer(s, &key);
			continue;
		}
		follow(s);
		wait_for_something(s);
	}
	while (take_request(s, &key))
		http_refuse(s->http, &key);
	return NULL;
}

/* ---- in the thread that records */

static void say_where(const struct serve *s)
{
	const struct listener *l = &s->listener;

	if (*l->path)
		warn("look at it through %s: ssh -L 8080:%s HOST, then http://127.0.0.1:8080/#token=%s",
		     l->path, l->path, s->access.token);
	else
		warn("look at http://%s:%u/#token=%s", l->host, l->port, s->access.token);
}

static int begin(void *serve, struct error *err)
{
	const struct http_calls calls = {
		.window = want_window, .ticks = count_watchers, .dump = want_dump, .context = serve,
	};
	struct serve *s = serve;
	sigset_t all, before;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = http_begin(&s->http, s->listener.fd, &s->access, &calls, err);
	s->listener.fd = -1;
	if (!ret && (ret = pthread_create(&s->thread, NULL, run, s)))
		ret = error_set(err, ret, "can't make a thread that makes what is shown: %s",
				strerrordesc_np(ret));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret) {
		http_end(s->http);
		s->http = NULL;
		return ret;
	}
	s->started = true;
	say_where(s);
	return 0;
}

static void look(void *serve, struct flight *flight, struct signals *signals)
{
	exchange_look(&((struct serve *)serve)->exchange, flight, signals);
}

static void ended(void *serve, int status)
{
	struct serve *s = serve;

	exchange_ended(&s->exchange, status);
	warn("nothing more is recorded; what is kept can be looked at until Ctrl-C");
}

static void end(void *serve)
{
	struct serve *s = serve;

	if (s->started) {
		exchange_end(&s->exchange);
		pthread_join(s->thread, NULL);
	}
	s->started = false;
	http_end(s->http);
	s->http = NULL;
}

/* ---- before and after */

int serve_begin(struct serve **serve, const char *address, const struct view_options *view,
		bool no_inline, struct error *err)
{
	int ret = http_check(err);
	struct serve *s;

	if (ret)
		return ret;
	s = calloc(1, sizeof(*s));
	if (!s)
		return error_set(err, ENOMEM, "out of memory");
	*s = (struct serve){
		.view = view, .no_inline = no_inline, .lock = PTHREAD_MUTEX_INITIALIZER,
		.ns = DEFAULT_NS, .asked_fd = -1, .listener.fd = -1,
		.exchange = { .wish_fd = -1, .window_fd = -1 },
	};
	ret = listener_begin(&s->listener, address, err);
	if (!ret)
		ret = access_begin(&s->access, s->listener.port, err);
	if (!ret)
		ret = exchange_begin(&s->exchange, err);
	if (!ret) {
		s->asked_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (s->asked_fd < 0)
			ret = error_errno(err, "can't make a descriptor for events");
	}
	s->observer = (struct record_observer){
		.fd = s->exchange.wish_fd, .begin = begin, .look = look, .ended = ended, .end = end,
		.output = -1, .context = s,
	};
	*serve = s;
	if (ret) {
		serve_end(s);
		*serve = NULL;
	}
	return ret;
}

struct record_observer *serve_observer(struct serve *s)
{
	return &s->observer;
}

void serve_end(struct serve *s)
{
	pages_leave(s->latest);
	exchange_free(&s->exchange);
	listener_end(&s->listener);
	if (s->asked_fd >= 0)
		close(s->asked_fd);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
