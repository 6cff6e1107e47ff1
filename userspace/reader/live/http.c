// SPDX-License-Identifier: GPL-2.0
/*
 * A request that waits for another thread is suspended, and goes on when there is an answer. All of
 * it is under one lock: an answer cannot come between a request being listed and being suspended.
 */
#include "live/http.h"

#if HAVE_MICROHTTPD

#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "live/choices.h"
#include "output/html/html.h"

/* Pages have a policy of their own beside it. A page of a window is in a frame of the page around it. */
#define TEXT_POLICY	"default-src 'none'; frame-ancestors 'none'"
#define PAGE_POLICY	"frame-ancestors 'none'"
#define WINDOW_POLICY	"frame-ancestors 'self'"

/* Of a request's line and headers. */
#define HEADERS_MAX	16384u
#define EVENT_MAX	256

/**
 * struct request - being answered
 * @http:       by which
 * @connection: whose
 * @next, @before: in the list that it is in
 * @listed:     it is in one
 * @watches:    it waits for ticks
 * @idle:       and is suspended until there is another one
 * @left:       who asked has left
 * @heard:      of so many
 * @key:        the window that it wants
 * @bytes:      which it has
 * @refused:    or will not have
 * @body:       what it sent
 * @size:       so much, or more than fits
 */
struct request {
	struct http *http;
	struct MHD_Connection *connection;
	struct request *next, **before;
	bool listed;
	bool watches;
	bool idle;
	bool left;
	uint64_t heard;
	struct pages_key key;
	struct page_bytes *bytes;
	bool refused;
	char body[ACCESS_SECRET];
	size_t size;
};

/**
 * struct http - see http.h
 * @lock:     of all below
 * @waiting:  requests for windows
 * @watching: requests for ticks
 * @watchers: so many
 * @tick:     the last
 * @ticks:    so many there were
 * @closing:  no more requests
 */
struct http {
	struct MHD_Daemon *daemon;
	const struct access *access;
	struct http_calls calls;
	pthread_mutex_t lock;
	struct request *waiting;
	struct request *watching;
	unsigned int watchers;
	struct http_tick tick;
	uint64_t ticks;
	bool closing;
};

/* ---- lists */

static void list(struct request **of, struct request *r)
{
	r->next = *of;
	r->before = of;
	if (*of)
		(*of)->before = &r->next;
	*of = r;
	r->listed = true;
}

static void unlist(struct request *r)
{
	if (!r->listed)
		return;
	*r->before = r->next;
	if (r->next)
		r->next->before = r->before;
	r->listed = false;
}

/* ---- answers */

static void add_headers(struct MHD_Response *response, const char *type, const char *policy)
{
	static const char *const always[][2] = {
		{ "Cache-Control", "no-store" }, { "X-Content-Type-Options", "nosniff" },
		{ "X-Frame-Options", "SAMEORIGIN" }, { "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		MHD_add_response_header(response, always[i][0], always[i][1]);
	MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Content-Security-Policy", policy);
}

static enum MHD_Result send_response(struct request *r, unsigned int status,
				     struct MHD_Response *response)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	result = MHD_queue_response(r->connection, status, response);
	MHD_destroy_response(response);
	return result;
}

/* @text: a sentence for who asked, which stays where it is */
static enum MHD_Result say(struct request *r, unsigned int status, const char *text)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);

	if (response)
		add_headers(response, "text/plain; charset=utf-8", TEXT_POLICY);
	return send_response(r, status, response);
}

static enum MHD_Result send_page(struct request *r)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer((size_t)(html_live_end - html_live),
						(void *)html_live, MHD_RESPMEM_PERSISTENT);

	if (response)
		add_headers(response, "text/html; charset=utf-8", PAGE_POLICY);
	return send_response(r, MHD_HTTP_OK, response);
}

static enum MHD_Result log_in(struct request *r)
{
	const struct access *a = r->http->access;
	struct MHD_Response *response;
	char cookie[sizeof(a->name) + ACCESS_SECRET + 64];

	if (r->size >= sizeof(r->body))
		return say(r, MHD_HTTP_CONTENT_TOO_LARGE, "This is no token: it is too long.\n");
	r->body[r->size] = '\0';
	if (!access_token(a, r->body))
		return say(r, MHD_HTTP_FORBIDDEN,
			   "This is not the token of this recording: open the address that coroprof has printed.\n");
	response = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	if (!response)
		return MHD_NO;
	snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Strict", a->name, a->cookie);
	add_headers(response, "text/plain; charset=utf-8", TEXT_POLICY);
	MHD_add_response_header(response, "Set-Cookie", cookie);
	return send_response(r, MHD_HTTP_OK, response);
}

/* ---- windows */

static void leave_bytes(void *bytes)
{
	pages_leave(bytes);
}

static enum MHD_Result send_window(struct request *r)
{
	struct MHD_Response *response;

	if (r->refused)
		return say(r, MHD_HTTP_SERVICE_UNAVAILABLE, "There is no memory for this window.\n");
	response = MHD_create_response_from_buffer_with_free_callback_cls(
		r->bytes->size, r->bytes->data, leave_bytes, pages_use(r->bytes));
	if (!response) {
		pages_leave(r->bytes);
		return MHD_NO;
	}
	add_headers(response, "text/html; charset=utf-8", WINDOW_POLICY);
	MHD_add_response_header(response, "Content-Encoding", "gzip");
	return send_response(r, MHD_HTTP_OK, response);
}

/* "" and what is not there are 0. */
static bool parse(struct request *r, const char *name, uint64_t *to)
{
	const char *text = MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
	char *end;

	*to = 0;
	if (!text || !*text)
		return true;
	if (!strcmp(text, "all")) {
		*to = CHOICES_ALL;
		return true;
	}
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*to = strtoull(text, &end, 10);
	return !*end && !errno;
}

#define WINDOW_HAS	"A window needs ns, nanoseconds or all, and end, the number of a tick; against, likewise, may be given.\n"

static bool parse_key(struct request *r)
{
	return parse(r, "ns", &r->key.ns) && parse(r, "end", &r->key.end) &&
	       parse(r, "against", &r->key.against) && r->key.ns && r->key.end;
}

static enum MHD_Result ask_for_window(struct request *r)
{
	struct http *h = r->http;

	if (r->bytes || r->refused)
		return send_window(r);
	if (!parse_key(r))
		return say(r, MHD_HTTP_BAD_REQUEST, WINDOW_HAS);
	pthread_mutex_lock(&h->lock);
	if (h->closing) {
		r->refused = true;
	} else {
		list(&h->waiting, r);
		MHD_suspend_connection(r->connection);
	}
	pthread_mutex_unlock(&h->lock);
	if (r->refused)
		return send_window(r);
	h->calls.window(h->calls.context, &r->key);
	return MHD_YES;
}

/* With @bytes, or refused without. */
static void settle(struct http *h, const struct pages_key *key, struct page_bytes *bytes)
{
	pthread_mutex_lock(&h->lock);
	for (struct request *r = h->waiting, *next; r; r = next) {
		next = r->next;
		if (key && !pages_same(key, &r->key))
			continue;
		unlist(r);
		r->refused = !bytes;
		if (bytes)
			r->bytes = pages_use(bytes);
		MHD_resume_connection(r->connection);
	}
	pthread_mutex_unlock(&h->lock);
}

void http_answer(struct http *h, struct page_bytes *bytes)
{
	settle(h, &bytes->key, bytes);
}

void http_refuse(struct http *h, const struct pages_key *key)
{
	settle(h, key, NULL);
}

/* ---- ticks */

static ssize_t next_event(void *request, uint64_t position, char *to, size_t capacity)
{
	struct request *r = request;
	struct http *h = r->http;
	ssize_t size = 0;

	(void)position;
	pthread_mutex_lock(&h->lock);
	if (h->closing || r->left) {
		size = MHD_CONTENT_READER_END_OF_STREAM;
	} else if (r->heard != h->ticks) {
		r->heard = h->ticks;
		size = snprintf(to, capacity,
				"data: {\"oldest\":%" PRIu64 ",\"newest\":%" PRIu64
				",\"squeezed\":%s,\"ended\":%s}\n\n",
				h->tick.oldest, h->tick.newest, h->tick.squeezed ? "true" : "false",
				h->tick.ended ? "true" : "false");
	} else {
		r->idle = true;
		MHD_suspend_connection(r->connection);
	}
	pthread_mutex_unlock(&h->lock);
	return size;
}

/* The lock is held. */
static void go_on(struct http *h)
{
	for (struct request *r = h->watching; r; r = r->next) {
		if (!r->idle)
			continue;
		r->idle = false;
		MHD_resume_connection(r->connection);
	}
}

void http_tell(struct http *h, const struct http_tick *tick)
{
	pthread_mutex_lock(&h->lock);
	h->tick = *tick;
	h->ticks++;
	go_on(h);
	pthread_mutex_unlock(&h->lock);
}

/* The library does not look at a connection that is suspended. */
static bool has_left(const struct request *r)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct pollfd fd = { .fd = info ? info->connect_fd : -1, .events = POLLRDHUP };

	return poll(&fd, 1, 0) > 0;
}

/* The lock is held. Where nothing is sent, nobody is known to have left. */
static void forget_those_who_left(struct http *h)
{
	for (struct request *r = h->watching, *next; r; r = next) {
		next = r->next;
		if (!r->idle || !has_left(r))
			continue;
		unlist(r);
		r->idle = r->watches = false;
		r->left = true;
		h->watchers--;
		MHD_resume_connection(r->connection);
	}
}

static bool watch(struct request *r)
{
	struct http *h = r->http;
	unsigned int watchers = 0;

	pthread_mutex_lock(&h->lock);
	if (h->watchers == HTTP_WATCHERS)
		forget_those_who_left(h);
	if (h->watchers < HTTP_WATCHERS && !h->closing) {
		watchers = ++h->watchers;
		r->watches = true;
		list(&h->watching, r);
	}
	pthread_mutex_unlock(&h->lock);
	if (watchers)
		h->calls.ticks(h->calls.context, watchers);
	return watchers;
}

static enum MHD_Result send_ticks(struct request *r)
{
	struct MHD_Response *response;

	if (!watch(r))
		return say(r, MHD_HTTP_SERVICE_UNAVAILABLE, "Too many look at this recording already.\n");
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, EVENT_MAX, next_event, r, NULL);
	if (response)
		add_headers(response, "text/event-stream; charset=utf-8", TEXT_POLICY);
	return send_response(r, MHD_HTTP_OK, response);
}

/* ---- requests */

static enum MHD_Result ask_for_dump(struct request *r)
{
	if (!parse_key(r) || r->key.against)
		return say(r, MHD_HTTP_BAD_REQUEST, WINDOW_HAS);
	r->http->calls.dump(r->http->calls.context, &r->key);
	return say(r, MHD_HTTP_ACCEPTED, "It has been asked for: coroprof says what comes of it, where it runs.\n");
}

static const char *header(struct request *r, const char *name)
{
	return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, name);
}

static const struct route {
	const char *url;
	const char *method;
	bool open;
	enum MHD_Result (*answer)(struct request *r);
} routes[] = {
	{ "/", MHD_HTTP_METHOD_GET, true, send_page },
	{ "/login", MHD_HTTP_METHOD_POST, true, log_in },
	{ "/window", MHD_HTTP_METHOD_GET, false, ask_for_window },
	{ "/ticks", MHD_HTTP_METHOD_GET, false, send_ticks },
	{ "/dump", MHD_HTTP_METHOD_POST, false, ask_for_dump },
};

static enum MHD_Result answer(struct request *r, const char *url, const char *method)
{
	const struct access *a = r->http->access;
	const char *host = header(r, MHD_HTTP_HEADER_HOST);
	bool known = false;

	if (!access_host(a, host))
		return say(r, MHD_HTTP_MISDIRECTED_REQUEST,
			   "This address is not that of this recording: open the one that coroprof has printed, with its port.\n");
	if (!access_origin(header(r, MHD_HTTP_HEADER_ORIGIN), host))
		return say(r, MHD_HTTP_FORBIDDEN, "Pages of other sites get nothing here.\n");
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		if (strcmp(url, routes[i].url))
			continue;
		known = true;
		if (strcmp(method, routes[i].method))
			continue;
		if (!routes[i].open && !access_cookie(a, header(r, MHD_HTTP_HEADER_COOKIE)))
			return say(r, MHD_HTTP_FORBIDDEN, "Open the address that coroprof has printed first.\n");
		return routes[i].answer(r);
	}
	return known ? say(r, MHD_HTTP_METHOD_NOT_ALLOWED, "Not by this method.\n") :
		       say(r, MHD_HTTP_NOT_FOUND, "There is nothing here.\n");
}

static void take_body(struct request *r, const char *data, size_t size)
{
	size_t room = r->size < sizeof(r->body) ? sizeof(r->body) - r->size : 0;

	memcpy(r->body + r->size, data, size < room ? size : room);
	r->size += size < room ? size : room;
}

/* First when the headers are there, then for each piece of the body, then at its end. */
static enum MHD_Result take(void *http, struct MHD_Connection *connection, const char *url,
			    const char *method, const char *version, const char *data, size_t *size,
			    void **request)
{
	struct request *r = *request;

	(void)version;
	if (!r) {
		r = calloc(1, sizeof(*r));
		if (!r)
			return MHD_NO;
		r->http = http;
		r->connection = connection;
		*request = r;
		return MHD_YES;
	}
	if (!*size)
		return answer(r, url, method);
	take_body(r, data, *size);
	*size = 0;
	return MHD_YES;
}

static void completed(void *http, struct MHD_Connection *connection, void **request,
		      enum MHD_RequestTerminationCode why)
{
	struct request *r = *request;
	struct http *h = http;
	unsigned int watchers = 0;
	bool watched;

	(void)connection;
	(void)why;
	if (!r)
		return;
	pthread_mutex_lock(&h->lock);
	unlist(r);
	watched = r->watches;
	if (watched)
		watchers = --h->watchers;
	pthread_mutex_unlock(&h->lock);
	if (watched)
		h->calls.ticks(h->calls.context, watchers);
	pages_leave(r->bytes);
	free(r);
	*request = NULL;
}

/* ---- before and after */

static int listen_at(struct http *h, int listener, struct error *err)
{
	h->daemon = MHD_start_daemon(
		MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, take, h,
		MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_NOTIFY_COMPLETED, completed, h,
		MHD_OPTION_CONNECTION_LIMIT, HTTP_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		HTTP_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_MAX,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	return h->daemon ? 0 : error_set(err, EIO, "libmicrohttpd can't listen at the address");
}

int http_begin(struct http **http, int listener, const struct access *access,
	       const struct http_calls *calls, struct error *err)
{
	struct http *h = calloc(1, sizeof(*h));
	int ret;

	if (!h) {
		close(listener);
		return error_set(err, ENOMEM, "out of memory");
	}
	*h = (struct http){ .access = access, .calls = *calls, .lock = PTHREAD_MUTEX_INITIALIZER };
	ret = listen_at(h, listener, err);
	if (!h->daemon)
		close(listener);
	*http = h;
	if (ret) {
		http_end(h);
		*http = NULL;
	}
	return ret;
}

/* Suspended requests would keep the library waiting for ever. */
void http_end(struct http *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	h->closing = true;
	go_on(h);
	pthread_mutex_unlock(&h->lock);
	settle(h, NULL, NULL);
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

int http_check(struct error *err)
{
	(void)err;
	return 0;
}

#else /* !HAVE_MICROHTTPD */

#include <errno.h>
#include <unistd.h>

int http_check(struct error *err)
{
	return error_set(err, ENOSYS, "this coroprof was built without libmicrohttpd, by which serve speaks HTTP. Install it and build anew: apt install libmicrohttpd-dev, then make. Without it: coroprof top");
}

int http_begin(struct http **http, int listener, const struct access *access,
	       const struct http_calls *calls, struct error *err)
{
	(void)http;
	(void)access;
	(void)calls;
	close(listener);
	return http_check(err);
}

void http_answer(struct http *http, struct page_bytes *bytes)
{
	(void)http;
	(void)bytes;
}

void http_refuse(struct http *http, const struct pages_key *key)
{
	(void)http;
	(void)key;
}

void http_tell(struct http *http, const struct http_tick *tick)
{
	(void)http;
	(void)tick;
}

void http_end(struct http *http)
{
	(void)http;
}

#endif
