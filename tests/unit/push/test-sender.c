// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of a request: each answer that a receiver can give, and those that are none. The
 * receiver is a thread here that says what the test wants.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "push/curl.h"
#include "push/receiver.h"
#include "push/sender.h"

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>

static const struct {
	int ours, theirs;
} numbers[] = {
	{ CURL_WRITE_TO, CURLOPT_WRITEDATA }, { CURL_URL, CURLOPT_URL },
	{ CURL_ERROR_TEXT, CURLOPT_ERRORBUFFER }, { CURL_BODY, CURLOPT_POSTFIELDS },
	{ CURL_USER_AGENT, CURLOPT_USERAGENT }, { CURL_HEADERS, CURLOPT_HTTPHEADER },
	{ CURL_CERTIFICATE, CURLOPT_SSLCERT }, { CURL_CA, CURLOPT_CAINFO },
	{ CURL_KEY, CURLOPT_SSLKEY }, { CURL_SOCKET_DATA, CURLOPT_SOCKOPTDATA },
	{ CURL_METHOD, CURLOPT_CUSTOMREQUEST },
	{ CURL_WRITE, CURLOPT_WRITEFUNCTION }, { CURL_SOCKET, CURLOPT_SOCKOPTFUNCTION },
	{ CURL_CA_FOLDER, CURLOPT_CAPATH }, { CURL_NO_PROXY, CURLOPT_NOPROXY },
	{ CURL_BODY_SIZE, CURLOPT_POSTFIELDSIZE_LARGE }, { CURL_TLS_LEAST, CURLOPT_SSLVERSION },
	{ CURL_POST, CURLOPT_POST }, { CURL_HTTP_VERSION, CURLOPT_HTTP_VERSION },
	{ CURL_NO_SIGNAL, CURLOPT_NOSIGNAL }, { CURL_TIMEOUT_MS, CURLOPT_TIMEOUT_MS },
	{ CURL_CONNECT_MS, CURLOPT_CONNECTTIMEOUT_MS }, { CURL_HTTP_0_9, CURLOPT_HTTP09_ALLOWED },
	{ CURL_HTTP_1_1, CURL_HTTP_VERSION_1_1 }, { CURL_TLS_1_2, CURL_SSLVERSION_TLSv1_2 },
	{ CURL_ALL, CURL_GLOBAL_ALL }, { CURL_DONE, CURLMSG_DONE },
	{ CURL_CONTENT_TYPE, CURLINFO_CONTENT_TYPE }, { CURL_STATUS, CURLINFO_RESPONSE_CODE },
	{ CURL_RETRY_AFTER, CURLINFO_RETRY_AFTER }, { CURL_OK, CURLE_OK },
	{ CURL_NO_HTTP, CURLE_UNSUPPORTED_PROTOCOL }, { CURL_WEIRD, CURLE_WEIRD_SERVER_REPLY },
	{ CURL_WRITE_FAILED, CURLE_WRITE_ERROR }, { CURL_BAD_CERTIFICATE, CURLE_SSL_CERTPROBLEM },
	{ CURL_BAD_CIPHER, CURLE_SSL_CIPHER },
	{ CURL_NOT_VERIFIED, CURLE_PEER_FAILED_VERIFICATION },
	{ CURL_BAD_ENCODING, CURLE_BAD_CONTENT_ENCODING }, { CURL_BAD_CA, CURLE_SSL_CACERT_BADFILE },
	{ CURL_NOT_ISSUER, CURLE_SSL_ISSUER_ERROR },
	{ sizeof(struct curl_wait), sizeof(struct curl_waitfd) },
	{ sizeof(struct curl_message), sizeof(struct CURLMsg) },
	{ offsetof(struct curl_message, result), offsetof(struct CURLMsg, data.result) },
	{ POLLIN, CURL_WAIT_POLLIN },
};

static void has_the_numbers_of_libcurl(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].ours != numbers[i].theirs)
			fail_msg("number %zu: %d is %d", i, numbers[i].ours, numbers[i].theirs);
}
#else
static void has_the_numbers_of_libcurl(void **state)
{
	(void)state;
	skip();
}
#endif

static struct error err;
static struct receiver receiver;
static char url[64];
static const char body[] = "\x1f\x8b a request";

static int begin_all(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN);
	/* A proxy of whoever runs the tests is not asked. */
	setenv("no_proxy", "*", 1);
	receiver_begin(&receiver);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", receiver.port);
	return 0;
}

static int end_all(void **state)
{
	(void)state;
	receiver_end(&receiver);
	return 0;
}

static void answer_with(const char *reply, size_t size)
{
	receiver.reply = reply;
	receiver.size = size;
}

#define SAYS(text) answer_with(text, sizeof(text) - 1)

static struct sender *begin(const struct sender_options *options)
{
	struct sender *sender;

	if (sender_begin(&sender, options, &err) == -ENOSYS)
		skip();
	if (err.code && err.code != ENOSYS)
		fail_msg("%s", err.message);
	return sender;
}

static struct sender_answer ask(struct sender *sender)
{
	struct sender_answer answer;

	sender_send(sender, NULL, body, sizeof(body) - 1);
	assert_true(sender_busy(sender));
	while (!sender_look(sender, &answer))
		sender_wait(sender, -1, 100);
	assert_false(sender_busy(sender));
	return answer;
}

static struct sender_answer ask_once(void)
{
	struct sender *sender;
	struct sender_answer answer;

	err.code = 0;
	sender = begin(&(struct sender_options){ .url = url, .timeout_ms = 2000 });
	answer = ask(sender);
	sender_end(sender);
	return answer;
}

static void expect(enum sender_verdict verdict, const char *message)
{
	struct sender_answer answer = ask_once();

	if (answer.verdict != verdict)
		fail_msg("verdict %d, not %d: %s", answer.verdict, verdict, answer.message);
	assert_says(answer.message, message);
}

static void posts_the_body_as_the_protocol_wants_it(void **state)
{
	(void)state;
	SAYS("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	expect(SENDER_TAKEN, "");
	assert_says(receiver.asked, "POST /v1/metrics HTTP/1.1\r\n");
	assert_says(receiver.asked, "Content-Type: application/x-protobuf\r\n");
	assert_says(receiver.asked, "Content-Encoding: gzip\r\n");
	assert_null(strcasestr(receiver.asked, "authorization"));
	assert_null(strcasestr(receiver.asked, "expect:"));
	assert_int_equal(receiver.body_size, sizeof(body) - 1);
	assert_memory_equal(receiver.body, body, sizeof(body) - 1);
}

static void sends_one_after_the_other(void **state)
{
	struct sender *sender;
	unsigned int before = receiver.nr;

	(void)state;
	SAYS("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
	err.code = 0;
	sender = begin(&(struct sender_options){ .url = url });
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(ask(sender).verdict, SENDER_TAKEN);
	assert_int_equal(receiver.nr, before + 3);
	sender_end(sender);
}

static void knows_points_that_were_rejected(void **state)
{
	struct sender_answer answer;

	(void)state;
	SAYS("HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 11\r\n\r\n"
	     "\x0a\x09\x08\x05\x12\x05to\x1b" "os");
	answer = ask_once();
	assert_int_equal(answer.rejected, 5);
	assert_string_equal(answer.message, "to\\x1bos");
}

static void gives_up_what_is_never_taken(void **state)
{
	(void)state;
	SAYS("HTTP/1.1 400 Bad Request\r\nContent-Type: application/x-protobuf\r\nContent-Length: 9\r\n\r\n"
	     "\x08\x03\x12\x05wrong");
	expect(SENDER_NEVER, " answers 400: wrong");
	SAYS("HTTP/1.1 413 Too Large\r\nContent-Length: 9\r\n\r\n<b>big\x1b\n\n");
	expect(SENDER_NEVER, " answers 413: <b>big\\x1b\\x0a\\x0a");
	SAYS("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n");
	expect(SENDER_NEVER, " answers 500");
	SAYS("HTTP/1.1 422 No\r\nContent-Length: 0\r\n\r\n");
	expect(SENDER_NEVER, " answers 422");
}

static void waits_for_a_receiver_that_is_busy(void **state)
{
	struct sender_answer answer;

	(void)state;
	SAYS("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
	expect(SENDER_LATER, " answers 503");
	SAYS("HTTP/1.1 502 Gateway\r\nContent-Length: 0\r\n\r\n");
	expect(SENDER_LATER, " answers 502");
	SAYS("HTTP/1.1 504 Gateway\r\nContent-Length: 0\r\n\r\n");
	expect(SENDER_LATER, " answers 504");
	SAYS("HTTP/1.1 429 Slowly\r\nRetry-After: 17\r\nContent-Length: 0\r\n\r\n");
	answer = ask_once();
	assert_int_equal(answer.verdict, SENDER_LATER);
	assert_int_equal(answer.after_ns, 17000000000);
	SAYS("HTTP/1.1 429 Slowly\r\nRetry-After: 99999999999\r\nContent-Length: 0\r\n\r\n");
	assert_int_equal(ask_once().after_ns, 3600000000000);
	SAYS("HTTP/1.1 429 Slowly\r\nRetry-After: Fri, 07 Nov 2014 23:59:59 GMT\r\nContent-Length: 0\r\n\r\n");
	answer = ask_once();
	assert_int_equal(answer.verdict, SENDER_LATER);
	assert_int_equal(answer.after_ns, 0);
	SAYS("HTTP/1.1 503 Busy\r\nRetry-After: nonsense\r\nContent-Length: 0\r\n\r\n");
	assert_int_equal(ask_once().after_ns, 0);
}

static void waits_for_one_that_is_not_there(void **state)
{
	struct sender_options options = { .url = "http://127.0.0.1:1", .timeout_ms = 300 };
	struct sender_answer answer;
	struct sender *sender;

	(void)state;
	err.code = 0;
	sender = begin(&options);
	answer = ask(sender);
	assert_int_equal(answer.verdict, SENDER_LATER);
	assert_says(answer.message, "http://127.0.0.1:1: ");
	sender_end(sender);
	options.url = url;
	answer_with(NULL, 0);
	sender = begin(&options);
	answer = ask(sender);
	assert_int_equal(answer.verdict, SENDER_LATER);
	assert_says(answer.message, "timed out");
	sender_end(sender);
	SAYS("");
	expect(SENDER_LATER, "");
}

static void lets_go_of_a_request_that_has_no_answer(void **state)
{
	struct sender_answer answer;
	struct sender *sender;

	(void)state;
	err.code = 0;
	answer_with(NULL, 0);
	sender = begin(&(struct sender_options){ .url = url });
	sender_send(sender, NULL, body, sizeof(body) - 1);
	assert_false(sender_look(sender, &answer));
	sender_end(sender);
}

static void knows_what_is_no_receiver(void **state)
{
	static char long_one[100000] = "HTTP/1.1 200 OK\r\nContent-Length: 99000\r\n\r\n";

	(void)state;
	SAYS("\x15\x03\x01\x00\x02\x02\x50 not HTTP at all\r\n\r\n");
	expect(SENDER_WRONG, "");
	SAYS("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<html>hi</html>");
	expect(SENDER_WRONG, "something else than OTLP");
	answer_with(long_one, sizeof(long_one));
	expect(SENDER_WRONG, "too long");
	SAYS("HTTP/1.1 302 Elsewhere\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
	expect(SENDER_WRONG, " answers 302");
	SAYS("HTTP/1.1 401 No\r\nContent-Length: 5\r\n\r\ntoken");
	expect(SENDER_WRONG, " answers 401: token");
	SAYS("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n");
	expect(SENDER_WRONG, " answers 403");
	SAYS("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
	expect(SENDER_WRONG, " answers 404");
}

/* The page of a gateway, for example. */
static void judges_by_the_status_whatever_is_said_behind_it(void **state)
{
	static const struct {
		const char *head;
		enum sender_verdict verdict;
	} answers[] = {
		{ "HTTP/1.1 413 no\r\nContent-Length: 200000\r\n\r\n", SENDER_NEVER },
		{ "HTTP/1.1 503 no\r\nRetry-After: 7\r\nContent-Length: 200000\r\n\r\n", SENDER_LATER },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n", SENDER_WRONG },
	};
	static char reply[200200];
	struct sender *sender = begin(&(struct sender_options){ .url = url });
	struct sender_answer answer;

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		size_t head = strlen(answers[i].head);

		memcpy(reply, answers[i].head, head);
		memset(reply + head, 'x', 200000);
		answer_with(reply, head + 200000);
		answer = ask(sender);
		assert_int_equal(answer.verdict, answers[i].verdict);
		if (answers[i].verdict == SENDER_LATER)
			assert_int_equal(answer.after_ns, 7000000000);
	}
	sender_end(sender);
}

/* It goes over http:// to this machine only: a proxy may be another one. */
static void asks_no_proxy_for_this_machine(void **state)
{
	struct sender_answer answer;
	struct sender *sender;

	(void)state;
	unsetenv("no_proxy");
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	SAYS("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	sender = begin(&(struct sender_options){ .url = url });
	answer = ask(sender);
	sender_end(sender);
	unsetenv("http_proxy");
	setenv("no_proxy", "*", 1);
	assert_int_equal(answer.verdict, SENDER_TAKEN);
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Whoever renews it does not have to start anything again. */
static void reads_the_token_each_time(void **state)
{
	struct sender_answer answer;
	struct sender *sender;

	(void)state;
	SAYS("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	write_text("test-sender.token", "first\n");
	err.code = 0;
	sender = begin(&(struct sender_options){ .url = url, .token_file = "test-sender.token" });
	assert_int_equal(ask(sender).verdict, SENDER_TAKEN);
	assert_says(receiver.asked, "Authorization: Bearer first\r\n");
	write_text("test-sender.token", "second\r\nthird");
	assert_int_equal(ask(sender).verdict, SENDER_TAKEN);
	assert_says(receiver.asked, "Authorization: Bearer second\r\n");
	write_text("test-sender.token", "fo urth");
	answer = ask(sender);
	assert_int_equal(answer.verdict, SENDER_WRONG);
	assert_says(answer.message, "test-sender.token: its first line is to be the token");
	unlink("test-sender.token");
	answer = ask(sender);
	assert_int_equal(answer.verdict, SENDER_WRONG);
	assert_says(answer.message, "can't read --push-token-file test-sender.token");
	write_text("test-sender.token", "fifth");
	assert_int_equal(ask(sender).verdict, SENDER_TAKEN);
	unlink("test-sender.token");
	sender_end(sender);
}

static void refuse(const struct sender_options *options, const char *words)
{
	struct sender *sender;
	int ret = sender_begin(&sender, options, &err);

	if (ret == -ENOSYS)
		skip();
	if (!ret)
		fail_msg("%s is not refused", options->url);
	assert_says(err.message, words);
}

static void refuses_what_is_no_address(void **state)
{
	static const char *const wrong[] = {
		"", "otel.example:4318", "ftp://host/", "http://", "https:///v1", "http://:80/",
		"http://a b/", "http://a/\n", "http://host/#x", "http:/host", "file:///etc/passwd",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refuse(&(struct sender_options){ .url = wrong[i] }, "the address of a receiver of OTLP is as");
	refuse(&(struct sender_options){ .url = "https://me:secret@host/" }, "can be seen by all users");
}

static void sends_no_token_where_it_could_be_read(void **state)
{
	static const char *const far[] = {
		"http://host/", "http://localhost.example/", "http://127.0.0.1.example/", "http://[::2]/",
	};
	static const char *const near[] = {
		"https://host", "http://localhost:80", "http://127.0.0.1", "http://[::1]:4318/x",
		"HTTP://127.1.2.3/", "http://LOCALHOST/x",
	};
	struct sender_options options = { .token_file = "test-sender.near" };

	(void)state;
	write_text("test-sender.near", "secret");
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		options.url = far[i];
		refuse(&options, "could be read on the way: use https://");
	}
	for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++) {
		options.url = near[i];
		err.code = 0;
		sender_end(begin(&options));
	}
	unlink("test-sender.near");
}

static void says_which_file_is_not_there(void **state)
{
	(void)state;
	refuse(&(struct sender_options){ .url = "https://h", .ca = "nowhere" }, "can't read --push-ca nowhere: No such file");
	refuse(&(struct sender_options){ .url = "https://h", .cert = "nowhere" }, "can't read --push-cert nowhere");
	refuse(&(struct sender_options){ .url = "https://h", .key = "nowhere" }, "can't read --push-key nowhere");
	refuse(&(struct sender_options){ .url = "https://h", .token_file = "nowhere" }, "can't read --push-token-file nowhere");
}

static void keeps_the_path_that_is_given(void **state)
{
	struct sender *sender;
	char path[128];

	(void)state;
	SAYS("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
	snprintf(path, sizeof(path), "%s/opentelemetry/v1/metrics?x=1", url);
	err.code = 0;
	sender = begin(&(struct sender_options){ .url = path });
	assert_int_equal(ask(sender).verdict, SENDER_TAKEN);
	assert_says(receiver.asked, "POST /opentelemetry/v1/metrics?x=1 HTTP/1.1\r\n");
	assert_string_equal(sender_where(sender), url);
	sender_end(sender);
	snprintf(path, sizeof(path), "%s/", url);
	sender = begin(&(struct sender_options){ .url = path });
	assert_int_equal(ask(sender).verdict, SENDER_TAKEN);
	assert_says(receiver.asked, "POST /v1/metrics HTTP/1.1\r\n");
	sender_end(sender);
}

static void refuse_dumps(const char *address, const char *in_file, const char *token,
			 const char *says)
{
	const struct sender_options options = {
		.dumps = true, .url = address, .url_file = in_file ? "address" : NULL, .token_file = token,
	};
	struct sender *sender;

	if (in_file)
		write_text("address", in_file);
	assert_int_equal(sender_begin(&sender, &options, &err), -EINVAL);
	assert_says(err.message, says);
	if (in_file && strstr(err.message, "secret=1"))
		fail_msg("%s", err.message);
	unlink("address");
}

static void sends_no_dump_where_it_could_be_read(void **state)
{
	(void)state;
	write_text("token", "s3cret\n");
	refuse_dumps("https://h/d/", NULL, NULL, "--push-dumps: the address is as pyroscope+https://");
	refuse_dumps("pyroscope+ftp://h", NULL, NULL, "the address is as");
	refuse_dumps("put+https://h", NULL, NULL, "the address is as");
	refuse_dumps("put+https://a:b@h/d/", NULL, NULL, "use --push-dumps-token-file");
	refuse_dumps("put+https://h/d?secret=1", NULL, NULL, "give --push-dumps-file FILE");
	refuse_dumps("put+http://h/d/", NULL, NULL, "could be read on the way: use https://");
	refuse_dumps("pyroscope+http://h", NULL, "token", "could be read on the way");
	refuse_dumps(NULL, "put+http://h/d?secret=1", NULL, "could be read on the way");
	refuse_dumps(NULL, "https://h/d?secret=1", NULL, "the address is as");
	refuse_dumps(NULL, "put+https://h/d?secret=1 x", NULL, "--push-dumps-file address: its first line is to be the address");
	unlink("token");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_numbers_of_libcurl),
		cmocka_unit_test(posts_the_body_as_the_protocol_wants_it),
		cmocka_unit_test(sends_one_after_the_other),
		cmocka_unit_test(knows_points_that_were_rejected),
		cmocka_unit_test(gives_up_what_is_never_taken),
		cmocka_unit_test(waits_for_a_receiver_that_is_busy),
		cmocka_unit_test(waits_for_one_that_is_not_there),
		cmocka_unit_test(lets_go_of_a_request_that_has_no_answer),
		cmocka_unit_test(knows_what_is_no_receiver),
		cmocka_unit_test(judges_by_the_status_whatever_is_said_behind_it),
		cmocka_unit_test(asks_no_proxy_for_this_machine),
		cmocka_unit_test(reads_the_token_each_time),
		cmocka_unit_test(refuses_what_is_no_address),
		cmocka_unit_test(sends_no_token_where_it_could_be_read),
		cmocka_unit_test(sends_no_dump_where_it_could_be_read),
		cmocka_unit_test(says_which_file_is_not_there),
		cmocka_unit_test(keeps_the_path_that_is_given),
	};

	return cmocka_run_group_tests(tests, begin_all, end_all);
}
