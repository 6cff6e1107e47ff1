// SPDX-License-Identifier: GPL-2.0
/* Requests by libcurl, and what answers mean: of OTLP, and of what takes dumps. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/printable.h"
#include "base/util.h"
#include "push/curl.h"
#include "push/here.h"
#include "push/otlp.h"
#include "push/sender.h"
#include "push/token.h"

#define TIMEOUT_MS	30000u
#define DUMP_TIMEOUT_MS	300000u
#define CONNECT_MS	10000u
/* No answer of OTLP is longer. */
#define ANSWER_MAX	65536u
/* So much of what a receiver says is shown. */
#define SAID_MAX	300
#define AFTER_MOST_S	3600u
#define ERROR_TEXT	256

static const struct kind {
	const char *prefix;	/* of addresses of --push-dumps; NULL: it is --push's */
	const char *path;	/* where there is none */
	const char *method;	/* NULL: POST */
	const char *headers[4];	/* without the last one libcurl asks before it sends a body, and waits */
} kinds[] = {
	{ NULL, "/v1/metrics", NULL,
	  { "Content-Type: application/x-protobuf", "Content-Encoding: gzip", "Expect:" } },
	{ "pyroscope+", "/ingest", NULL, { "Content-Type: application/octet-stream", "Expect:" } },
	{ "put+", NULL, "PUT", { "Content-Type: application/octet-stream", "Expect:" } },
};

/**
 * struct sender - see sender.h
 * @lib:     functions of libcurl
 * @options: where to
 * @kind:    of receiver
 * @url:     whole
 * @where:   its begin
 * @easy:    of the request
 * @multi:   it is in, if @busy; NULL before the first one
 * @headers: of the request
 * @busy:    there is no answer yet
 * @unsent:  why nothing was sent: this is the answer
 * @answer:  its body
 * @too_long: it would have been longer
 * @error:   of libcurl
 */
struct sender {
	const struct curl *lib;
	struct sender_options options;
	const struct kind *kind;
	char *url;
	char *where;
	void *easy;
	void *multi;
	void *headers;
	bool busy;
	struct error unsent;
	struct buffer answer;
	bool too_long;
	char error[ERROR_TEXT];
};

/* ---- the address */

static const char *host_of(const char *url)
{
	if (!strncasecmp(url, "https://", 8))
		return url + 8;
	return strncasecmp(url, "http://", 7) ? NULL : url + 7;
}

static const char *option_of(const struct sender *s)
{
	return s->options.dumps ? "--push-dumps" : "--push";
}

static int refuse_url(const struct sender *s, struct error *err)
{
	return s->options.dumps ?
	       error_set(err, EINVAL, "--push-dumps: the address is as pyroscope+https://pyroscope.example:4040, or put+https://files.example/dumps/") :
	       error_set(err, EINVAL, "--push: the address of a receiver of OTLP is as https://otel.example:4318, or with a path, http://127.0.0.1:8428/opentelemetry/v1/metrics");
}

/* Its prefix is skipped. NULL: there is no such kind. */
static const struct kind *take_kind(const struct sender *s, const char **url)
{
	if (!s->options.dumps)
		return &kinds[0];
	for (size_t i = 1; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(*url, kinds[i].prefix, strlen(kinds[i].prefix))) {
			*url += strlen(kinds[i].prefix);
			return &kinds[i];
		}
	return NULL;
}

/* What others could read on the way: a token, an address that is a secret, a recording. */
static int check_way(const struct sender *s, const char *url, const char *host, struct error *err)
{
	const struct sender_options *o = &s->options;

	if (host - url != 7 || here_is(host))
		return 0;
	if (o->token_file && !o->dumps)
		return error_set(err, EINVAL, "--push %s: over http:// the token of --push-token-file could be read on the way: use https://", url);
	if (o->token_file || o->url_file || s->kind->method)
		return error_set(err, EINVAL, "--push-dumps: over http:// what is sent could be read on the way: use https://");
	return 0;
}

/* Of an address from a file nothing is said but its begin. */
static int take_url(struct sender *s, const char *url, struct error *err)
{
	const char *host, *path;
	int ret;

	s->kind = take_kind(s, &url);
	host = s->kind ? host_of(url) : NULL;
	if (!host || !printable_is_plain(url) || strchr(url, '#') || !*host || strchr("/:?", *host))
		return refuse_url(s, err);
	path = host + strcspn(host, "/?");
	if (memchr(host, '@', (size_t)(path - host)))
		return error_set(err, EINVAL, "%s: a name and a password in the address can be seen by all users of this machine: use %s-token-file",
				 option_of(s), option_of(s));
	if (s->options.dumps && !s->options.url_file && strchr(path, '?'))
		return error_set(err, EINVAL, "--push-dumps: what is behind the '?' of an address is often a secret, and all users of this machine can see it: write the address into a file, and give --push-dumps-file FILE");
	ret = check_way(s, url, host, err);
	if (ret)
		return ret;
	if (!s->kind->path && !path[strspn(path, "/")] && *path != '/')
		return refuse_url(s, err);
	free(s->where);
	free(s->url);
	s->where = strndup(url, (size_t)(path - url));
	if (!s->where || asprintf(&s->url, "%s%s", s->where,
				  path[strspn(path, "/")] || !s->kind->path ? path : s->kind->path) < 0)
		s->url = NULL;
	return s->url && s->where ? 0 : error_set(err, ENOMEM, "out of memory");
}

/* It may have been renewed. */
static int read_url(struct sender *s, struct error *err)
{
	char line[TOKEN_MAX];
	int ret = secret_read(line, s->options.url_file, "push-dumps-file", "the address", err);

	if (!ret)
		ret = take_url(s, line, err);
	explicit_bzero(line, sizeof(line));
	return ret;
}

/* What is in clear text stays on this machine: the token is allowed there, so no proxy gets it. */
static bool is_clear_and_here(const char *url)
{
	const char *host = host_of(url);

	return host && host - url == 7 && here_is(host);
}

/* ---- files */

static const char *token_option(const struct sender_options *o)
{
	return o->dumps ? "push-dumps-token-file" : "push-token-file";
}

static int check_files(const struct sender_options *o, struct error *err)
{
	const struct {
		const char *path, *option;
	} files[] = { { o->ca, "ca" }, { o->cert, "cert" }, { o->key, "key" } };
	char token[TOKEN_MAX];
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i].path && access(files[i].path, R_OK))
			return error_errno(err, "can't read --push-%s %s", files[i].option,
					   files[i].path);
	if (o->token_file)
		ret = token_read(token, o->token_file, token_option(o), err);
	explicit_bzero(token, sizeof(token));
	return ret;
}

/* ---- begin and end */

/* 0: there is none yet. */
static long status_of(const struct sender *s)
{
	long status = 0;

	return s->lib->easy_getinfo(s->easy, CURL_STATUS, &status) ? 0 : status;
}

static bool is_taken(long status)
{
	return status >= 200 && status < 300;
}

/* Of what is no answer of OTLP anyway the status counts: the rest is thrown away. */
static size_t take_answer(const char *data, size_t one, size_t size, void *sender)
{
	struct sender *s = sender;
	struct error ignored;

	if (s->answer.size + size > ANSWER_MAX) {
		s->too_long = true;
		return is_taken(status_of(s)) ? 0 : one * size;
	}
	return buffer_append(&s->answer, data, size, &ignored) ? 0 : one * size;
}

/* Nothing that is started has it. */
static int take_socket(void *sender, int fd, int purpose)
{
	(void)sender;
	(void)purpose;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return 0;
}

static void set_options(struct sender *s)
{
	const struct sender_options *o = &s->options;
	const struct {
		int option;
		long value;
	} numbers[] = {
		{ CURL_NO_SIGNAL, 1 }, { CURL_POST, 1 },
		{ CURL_HTTP_VERSION, CURL_HTTP_1_1 }, { CURL_HTTP_0_9, 0 },
		{ CURL_TLS_LEAST, CURL_TLS_1_2 },
		{ CURL_TIMEOUT_MS, o->timeout_ms ? o->timeout_ms :
				   o->dumps ? DUMP_TIMEOUT_MS : TIMEOUT_MS },
		{ CURL_CONNECT_MS, CONNECT_MS },
		/* A name server that does not answer is not waited for at the end. */
		{ CURL_QUICK_EXIT, 1 },
	};
	const struct {
		int option;
		const void *value;
	} texts[] = {
		{ CURL_USER_AGENT, "coroprof/" COROPROF_VERSION },
		{ CURL_CA, o->ca }, { CURL_CERTIFICATE, o->cert },
		{ CURL_KEY, o->key ? o->key : o->cert }, { CURL_WRITE_TO, s },
		{ CURL_ERROR_TEXT, s->error },
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		s->lib->easy_setopt(s->easy, numbers[i].option, numbers[i].value);
	/* Without one of them libcurl is to have its own. */
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].value)
			s->lib->easy_setopt(s->easy, texts[i].option, texts[i].value);
	/* Those of the system are in a folder, which a file of one's own would be beside. */
	if (o->ca)
		s->lib->easy_setopt(s->easy, CURL_CA_FOLDER, NULL);
	s->lib->easy_setopt(s->easy, CURL_WRITE, take_answer);
	s->lib->easy_setopt(s->easy, CURL_SOCKET, take_socket);
}

int sender_begin(struct sender **sender, const struct sender_options *options, struct error *err)
{
	const struct curl *lib = curl_load(err);
	struct sender *s;
	int ret;

	if (!lib)
		return -err->code;
	s = calloc(1, sizeof(*s));
	if (!s)
		return error_set(err, ENOMEM, "out of memory");
	s->lib = lib;
	s->options = *options;
	ret = options->url_file ? read_url(s, err) : take_url(s, options->url, err);
	if (!ret)
		ret = check_files(options, err);
	if (!ret) {
		s->easy = lib->easy_init();
		if (!s->easy)
			ret = error_set(err, ENOMEM, "libcurl can't be used: out of memory");
	}
	if (ret) {
		sender_end(s);
		return ret;
	}
	set_options(s);
	*sender = s;
	return 0;
}

/* The request is libcurl's no more. */
static void take_back(struct sender *s)
{
	if (s->multi)
		s->lib->multi_remove(s->multi, s->easy);
	s->lib->list_free(s->headers);
	s->headers = NULL;
	s->busy = false;
}

void sender_end(struct sender *s)
{
	if (!s)
		return;
	if (s->busy)
		take_back(s);
	if (s->easy)
		s->lib->easy_cleanup(s->easy);
	if (s->multi)
		s->lib->multi_cleanup(s->multi);
	buffer_free(&s->answer);
	if (s->url)
		explicit_bzero(s->url, strlen(s->url));
	free(s->url);
	free(s->where);
	free(s);
}

const char *sender_where(const struct sender *s)
{
	return s->where;
}

bool sender_takes_files(const struct sender *s)
{
	return s->kind->method;
}

/* ---- requests */

/* With the name behind it: as a query, or where it is a folder. Of malloc(). */
static char *whole_url(const struct sender *s, const char *name)
{
	size_t path = strcspn(s->url, "?");
	char *url;

	if (!name || (s->kind->method && s->url[path - 1] != '/'))
		return strdup(s->url);
	if (s->kind->method)
		return asprintf(&url, "%.*s%s%s", (int)path, s->url, name, s->url + path) < 0 ? NULL : url;
	return asprintf(&url, "%s%c%s", s->url, s->url[path] ? '&' : '?', name) < 0 ? NULL : url;
}

static int set_url(struct sender *s, const char *name, struct error *err)
{
	int ret = s->options.url_file ? read_url(s, err) : 0;
	char *url = ret ? NULL : whole_url(s, name);

	if (ret)
		return ret;
	if (!url || s->lib->easy_setopt(s->easy, CURL_URL, url))
		ret = error_set(err, ENOMEM, "out of memory");
	if (url)
		explicit_bzero(url, strlen(url));
	free(url);
	s->lib->easy_setopt(s->easy, CURL_NO_PROXY, is_clear_and_here(s->url) ? "*" : NULL);
	s->lib->easy_setopt(s->easy, CURL_METHOD, s->kind->method);
	return ret;
}

static int add_header(struct sender *s, const char *text, struct error *err)
{
	void *list = s->lib->list_append(s->headers, text);

	if (!list)
		return error_set(err, ENOMEM, "out of memory");
	s->headers = list;
	return 0;
}

static int add_headers(struct sender *s, struct error *err)
{
	char line[TOKEN_MAX + 32] = "Authorization: Bearer ";
	const char *file = s->options.token_file;
	int ret = 0;

	for (size_t i = 0; !ret && s->kind->headers[i]; i++)
		ret = add_header(s, s->kind->headers[i], err);
	if (!ret && file)
		ret = token_read(line + strlen(line), file, token_option(&s->options), err);
	if (!ret && file)
		ret = add_header(s, line, err);
	explicit_bzero(line, sizeof(line));
	return ret;
}

void sender_send(struct sender *s, const char *name, const void *data, size_t size)
{
	s->busy = true;
	s->answer.size = 0;
	s->too_long = false;
	*s->error = '\0';
	s->unsent.code = 0;
	/* Not before the program is started that is recorded: it would have its sockets. */
	if (!s->multi)
		s->multi = s->lib->multi_init();
	if (!s->multi) {
		error_set(&s->unsent, ENOMEM, "libcurl can't be used: out of memory");
		return;
	}
	if (set_url(s, name, &s->unsent) || add_headers(s, &s->unsent))
		return;
	s->lib->easy_setopt(s->easy, CURL_HEADERS, s->headers);
	s->lib->easy_setopt(s->easy, CURL_BODY, data);
	s->lib->easy_setopt(s->easy, CURL_BODY_SIZE, (int64_t)size);
	if (s->lib->multi_add(s->multi, s->easy))
		error_set(&s->unsent, EIO, "libcurl does not take the request");
}

bool sender_busy(const struct sender *s)
{
	return s->busy;
}

/* ---- answers */

/* S3 repeats what it was asked: nothing of that is shown but its word for what is wrong. */
static char *code_of(const struct sender *s)
{
	const char *at = memmem(s->answer.data, s->answer.size, "<Code>", 6);
	size_t most = at ? s->answer.size - (size_t)(at + 6 - s->answer.data) : 0, size = 0;

	while (size < most && size < SAID_MAX && isalpha((unsigned char)at[6 + size]))
		size++;
	return size ? strndup(at + 6, size) : NULL;
}

/* What the receiver says itself, behind @message. */
static void add_said(const struct sender *s, struct sender_answer *a)
{
	size_t used = strlen(a->message);
	const char *type = NULL;
	char *text = NULL;

	s->lib->easy_getinfo(s->easy, CURL_CONTENT_TYPE, &type);
	if (s->options.url_file)
		text = s->answer.size ? code_of(s) : NULL;
	else if (type && strstr(type, "protobuf"))
		text = otlp_complaint(s->answer.data, s->answer.size);
	else if (s->answer.size)
		text = printable(s->answer.data, s->answer.size);
	if (text && *text)
		snprintf(a->message + used, sizeof(a->message) - used, ": %.*s",
			 (int)printable_cut(text, SAID_MAX), text);
	free(text);
}

static void judge_taken(const struct sender *s, struct sender_answer *a)
{
	struct otlp_answer answer;

	if (s->options.dumps) {
		*a = (struct sender_answer){ .verdict = SENDER_TAKEN };
		return;
	}
	if (!otlp_read(&answer, s->answer.data, s->answer.size)) {
		a->verdict = SENDER_WRONG;
		snprintf(a->message, sizeof(a->message), "%s answers with something else than OTLP: is its path right? It is as in --push http://127.0.0.1:8428/opentelemetry/v1/metrics",
			 s->where);
		return;
	}
	a->verdict = SENDER_TAKEN;
	a->rejected = answer.rejected;
	snprintf(a->message, sizeof(a->message), "%s", answer.message);
}

static void judge_status(const struct sender *s, long status, struct sender_answer *a)
{
	int64_t after = 0;

	snprintf(a->message, sizeof(a->message), "%s answers %ld", s->where, status);
	add_said(s, a);
	switch (status) {
	case 429: case 502: case 503: case 504:
		a->verdict = SENDER_LATER;
		if (s->lib->easy_getinfo(s->easy, CURL_RETRY_AFTER, &after) || after < 0)
			after = 0;
		if (after > AFTER_MOST_S)
			after = AFTER_MOST_S;
		a->after_ns = (uint64_t)after * SECOND_NS;
		return;
	case 401: case 403: case 404: case 405: case 407:
		a->verdict = SENDER_WRONG;
		return;
	}
	/* A dump is one, and its receiver says so while it is started. */
	if (s->options.dumps && (status == 408 || status >= 500)) {
		a->verdict = SENDER_LATER;
		return;
	}
	/* Nothing follows to another place: the token would go there, too. */
	a->verdict = status < 400 ? SENDER_WRONG : SENDER_NEVER;
}

static bool is_wrong(int result)
{
	switch (result) {
	case CURL_NO_HTTP: case CURL_WEIRD: case CURL_WRITE_FAILED: case CURL_BAD_CERTIFICATE:
	case CURL_BAD_CIPHER: case CURL_NOT_VERIFIED: case CURL_BAD_ENCODING: case CURL_BAD_CA:
	case CURL_NOT_ISSUER:
		return true;
	}
	return false;
}

static void judge(const struct sender *s, int result, struct sender_answer *a)
{
	long status = status_of(s);

	*a = (struct sender_answer){ .verdict = SENDER_LATER };
	if (status && !is_taken(status)) {
		judge_status(s, status, a);
		return;
	}
	if (!result && status) {
		judge_taken(s, a);
		return;
	}
	if (is_wrong(result) || s->too_long)
		a->verdict = SENDER_WRONG;
	snprintf(a->message, sizeof(a->message), "%s: %s", s->where,
		 s->too_long ? "the answer is too long" :
		 *s->error ? s->error : s->lib->easy_strerror(result));
}

bool sender_look(struct sender *s, struct sender_answer *a)
{
	struct curl_message *message;
	int running, left;

	if (!s->busy)
		return false;
	if (s->unsent.code) {
		*a = (struct sender_answer){ .verdict = SENDER_WRONG };
		snprintf(a->message, sizeof(a->message), "%.1000s", s->unsent.message);
		take_back(s);
		return true;
	}
	s->lib->multi_perform(s->multi, &running);
	message = s->lib->multi_read(s->multi, &left);
	if (!message || message->kind != CURL_DONE)
		return false;
	judge(s, message->result, a);
	take_back(s);
	return true;
}

void sender_wait(struct sender *s, int fd, int timeout_ms)
{
	struct curl_wait wait = { .fd = fd, .events = POLLIN };
	struct pollfd alone = { .fd = fd, .events = POLLIN };
	int ready;

	if (s->unsent.code && s->busy)
		return;
	if (!s->multi) {
		poll(&alone, 1, timeout_ms);
		return;
	}
	s->lib->multi_wait(s->multi, &wait, 1, timeout_ms, &ready);
}
