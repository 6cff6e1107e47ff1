// SPDX-License-Identifier: GPL-2.0
/* Answers requests for metrics: nothing else. */
#include "push/scrape.h"

#if HAVE_MICROHTTPD

#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/secret.h"
#include "push/exposition.h"
#include "push/here.h"

#define CONNECTIONS	8u
#define TIMEOUT_S	15u
#define HEADERS_MAX	16384u

/**
 * struct scrape - see scrape.h
 * @token: who asks has to have it; NULL: nobody has to
 * @lock:  of all below
 * @text:  of OpenMetrics; NULL: nothing is known yet
 */
struct scrape {
	struct MHD_Daemon *daemon;
	char *token;
	pthread_mutex_t lock;
	char *text;
	size_t size;
};

static bool may_ask(const struct scrape *s, const char *authorization)
{
	static const char scheme[] = "Bearer ";
	const char *token;

	if (!s->token)
		return true;
	if (!authorization || strncasecmp(authorization, scheme, strlen(scheme)))
		return false;
	token = authorization + strlen(scheme);
	return secret_equals(s->token, token, strlen(token));
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int status,
			      struct MHD_Response *response, const char *type)
{
	enum MHD_Result ret;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Cache-Control", "no-store");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
	ret = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return ret;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned int status,
			      const char *why)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		strlen(why), (void *)why, MHD_RESPMEM_PERSISTENT);

	return answer(connection, status, response, "text/plain; charset=utf-8");
}

static enum MHD_Result send_text(struct scrape *s, struct MHD_Connection *connection)
{
	struct MHD_Response *response = NULL;

	pthread_mutex_lock(&s->lock);
	if (s->text)
		response = MHD_create_response_from_buffer(s->size, s->text, MHD_RESPMEM_MUST_COPY);
	pthread_mutex_unlock(&s->lock);
	if (response)
		return answer(connection, MHD_HTTP_OK, response, EXPOSITION_TYPE);
	return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "Nothing has been recorded yet.\n");
}

/* A page of another site could have a name of its own lead here: the name says so. */
static enum MHD_Result take(void *scrape, struct MHD_Connection *connection, const char *url,
			    const char *method, const char *version, const char *data, size_t *size,
			    void **request)
{
	const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
	static int begun;

	(void)version;
	(void)data;
	if (!*request) {
		*request = &begun;
		return MHD_YES;
	}
	if (*size) {
		*size = 0;
		return MHD_YES;
	}
	if (!host || !here_is(host))
		return refuse(connection, MHD_HTTP_MISDIRECTED_REQUEST, "Only this machine may ask.\n");
	if (strcmp(url, "/metrics"))
		return refuse(connection, MHD_HTTP_NOT_FOUND, "There is only /metrics.\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET))
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET.\n");
	if (!may_ask(scrape, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization")))
		return refuse(connection, MHD_HTTP_UNAUTHORIZED, "The token of --metrics-token-file is missing.\n");
	return send_text(scrape, connection);
}

/* Its thread takes no signal that the one that records waits for. */
static struct MHD_Daemon *start(struct scrape *s, int listener)
{
	struct MHD_Daemon *daemon;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	daemon = MHD_start_daemon(
		MHD_USE_POLL_INTERNAL_THREAD, 0, NULL, NULL, take, s, MHD_OPTION_LISTEN_SOCKET,
		listener, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_MAX,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return daemon;
}

int scrape_begin(struct scrape **scrape, int listener, const char *token, struct error *err)
{
	struct scrape *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct scrape){
			.lock = PTHREAD_MUTEX_INITIALIZER, .token = token ? strdup(token) : NULL,
		};
	if (!s || (token && !s->token)) {
		close(listener);
		free(s);
		return error_set(err, ENOMEM, "out of memory");
	}
	s->daemon = start(s, listener);
	if (s->daemon) {
		*scrape = s;
		return 0;
	}
	close(listener);
	scrape_end(s);
	return error_set(err, EIO, "libmicrohttpd can't listen at the address of --metrics-listen");
}

void scrape_set(struct scrape *s, char *text, size_t size)
{
	char *before;

	pthread_mutex_lock(&s->lock);
	before = s->text;
	s->text = text;
	s->size = size;
	pthread_mutex_unlock(&s->lock);
	free(before);
}

void scrape_end(struct scrape *s)
{
	if (!s)
		return;
	if (s->daemon)
		MHD_stop_daemon(s->daemon);
	pthread_mutex_destroy(&s->lock);
	free(s->token);
	free(s->text);
	free(s);
}

#else /* !HAVE_MICROHTTPD */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int scrape_begin(struct scrape **scrape, int listener, const char *token, struct error *err)
{
	(void)scrape;
	(void)token;
	close(listener);
	return error_set(err, ENOSYS, "this coroprof was built without libmicrohttpd, by which --metrics-listen speaks HTTP. Install it and build anew: apt install libmicrohttpd-dev, then make. Without it: --push");
}

void scrape_set(struct scrape *scrape, char *text, size_t size)
{
	(void)scrape;
	(void)size;
	free(text);
}

void scrape_end(struct scrape *scrape)
{
	(void)scrape;
}

#endif /* HAVE_MICROHTTPD */
