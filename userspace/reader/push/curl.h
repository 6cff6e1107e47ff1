/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libcurl, which is loaded when something is to be sent, as SQLite is when a database is to be
 * written: with the thirty libraries that it needs a start of coroprof would take twice as long.
 * Its numbers are those of curl/curl.h, which promises not to change them.
 */
#ifndef COROPROF_CURL_H
#define COROPROF_CURL_H

#include "base/error.h"

enum curl_option {
	CURL_WRITE_TO = 10001,
	CURL_URL = 10002,
	CURL_ERROR_TEXT = 10010,
	CURL_BODY = 10015,
	CURL_USER_AGENT = 10018,
	CURL_HEADERS = 10023,
	CURL_CERTIFICATE = 10025,
	CURL_CA = 10065,
	CURL_METHOD = 10036,
	CURL_KEY = 10087,
	CURL_CA_FOLDER = 10097,
	CURL_SOCKET_DATA = 10149,
	CURL_NO_PROXY = 10177,
	CURL_WRITE = 20011,
	CURL_SOCKET = 20148,
	CURL_BODY_SIZE = 30120,
	CURL_TLS_LEAST = 32,
	CURL_POST = 47,
	CURL_HTTP_VERSION = 84,
	CURL_NO_SIGNAL = 99,
	CURL_TIMEOUT_MS = 155,
	CURL_CONNECT_MS = 156,
	CURL_HTTP_0_9 = 285,
	CURL_QUICK_EXIT = 322,
};

enum curl_values { CURL_HTTP_1_1 = 2, CURL_TLS_1_2 = 6, CURL_ALL = 3, CURL_DONE = 1 };

enum curl_info {
	CURL_CONTENT_TYPE = 0x100012,
	CURL_STATUS = 0x200002,
	CURL_RETRY_AFTER = 0x600039,
};

/* What becomes of a request; all others are of the network. */
enum curl_result {
	CURL_OK = 0,
	CURL_NO_HTTP = 1,
	CURL_WEIRD = 8,
	CURL_WRITE_FAILED = 23,
	CURL_BAD_CERTIFICATE = 58,
	CURL_BAD_CIPHER = 59,
	CURL_NOT_VERIFIED = 60,
	CURL_BAD_ENCODING = 61,
	CURL_BAD_CA = 77,
	CURL_NOT_ISSUER = 83,
};

/**
 * struct curl_wait - a descriptor that is waited for beside its own
 * @fd, @events, @revents: as poll(2) has them; @events: 1 is POLLIN
 */
struct curl_wait {
	int fd;
	short events;
	short revents;
};

/**
 * struct curl_message - a request is over
 * @kind:   CURL_DONE
 * @easy:   which
 * @unused: for the size of the union
 * @result: enum curl_result
 */
struct curl_message {
	int kind;
	void *easy;
	union {
		void *unused;
		int result;
	};
};

/**
 * struct curl - functions of the library
 */
struct curl {
	int (*global_init)(long flags);
	void *(*easy_init)(void);
	int (*easy_setopt)(void *easy, int option, ...);
	int (*easy_getinfo)(void *easy, int info, ...);
	const char *(*easy_strerror)(int result);
	void (*easy_cleanup)(void *easy);
	void *(*multi_init)(void);
	int (*multi_add)(void *multi, void *easy);
	int (*multi_remove)(void *multi, void *easy);
	int (*multi_perform)(void *multi, int *running);
	int (*multi_wait)(void *multi, struct curl_wait *fds, unsigned int nr, int timeout_ms,
			  int *ready);
	struct curl_message *(*multi_read)(void *multi, int *left);
	int (*multi_cleanup)(void *multi);
	void *(*list_append)(void *list, const char *text);
	void (*list_free)(void *list);
};

/* NULL: there is none. */
const struct curl *curl_load(struct error *err);

#endif /* COROPROF_CURL_H */
