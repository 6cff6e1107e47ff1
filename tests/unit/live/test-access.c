// SPDX-License-Identifier: GPL-2.0
/* Who may look at a page that is served. */
#include "base/util.h"
#include "live/access.h"
#include "support.h"

static struct access tcp, file;

static int begin(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(access_begin(&tcp, 8080, &err), 0);
	assert_int_equal(access_begin(&file, 0, &err), 0);
	return 0;
}

static void test_secrets(void **state)
{
	(void)state;
	assert_int_equal(strlen(tcp.token), ACCESS_SECRET - 1);
	assert_int_equal(strlen(tcp.cookie), ACCESS_SECRET - 1);
	assert_string_not_equal(tcp.token, tcp.cookie);
	assert_string_not_equal(tcp.token, file.token);
	assert_string_not_equal(tcp.cookie, file.cookie);
	assert_string_not_equal(tcp.name, file.name);
}

static void test_host(void **state)
{
	static const char *const good[] = { "127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080" };
	static const char *const bad[] = {
		"", ":8080", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:18080", "127.0.0.1:8080x",
		"127.0.0.1:+8080", "127.0.0.1: 8080", "127.0.0.1.evil:8080", "localhost.evil:8080",
		"evil:8080", "evil@127.0.0.1:8080", "127.0.0.1:4295041376", "127.0.0.1:73616", "::1:8080",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(access_host(&tcp, good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(access_host(&tcp, bad[i]));
	assert_false(access_host(&tcp, NULL));
	/* What leads to a socket of the file system has a port of its own. */
	assert_true(access_host(&file, "127.0.0.1:1234"));
	assert_true(access_host(&file, "localhost"));
	assert_false(access_host(&file, "evil:1234"));
	assert_false(access_host(&file, "127.0.0.1:0"));
}

static void test_origin(void **state)
{
	static const char host[] = "127.0.0.1:8080";

	(void)state;
	assert_true(access_origin(NULL, host));
	assert_true(access_origin("http://127.0.0.1:8080", host));
	assert_true(access_origin("http://localhost:8080", "localhost:8080"));
	assert_false(access_origin("http://localhost:8080", host));
	assert_false(access_origin("https://127.0.0.1:8080", host));
	assert_false(access_origin("http://127.0.0.1", host));
	assert_false(access_origin("http://127.0.0.1:8081", host));
	assert_false(access_origin("null", host));
	assert_false(access_origin("", host));
	assert_false(access_origin("http://evil", host));
	assert_false(access_origin("http://127.0.0.1:8080/", host));
}

/* @before, the name of @of's cookie, @between, @value and @behind */
static bool takes(const char *before, const struct access *of, const char *between, const char *value,
		  const char *behind)
{
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s%s%s", before, of->name, between, value, behind);
	return access_cookie(&tcp, text);
}

static void test_cookie(void **state)
{
	char other[ACCESS_SECRET];

	(void)state;
	assert_true(takes("", &tcp, "=", tcp.cookie, ""));
	assert_true(takes("a=b; ", &tcp, "=", tcp.cookie, ""));
	assert_true(takes("a=b;", &tcp, "=", tcp.cookie, "; c"));
	assert_false(takes("", &tcp, "=", tcp.cookie, "0"));
	assert_false(takes("", &tcp, "=", tcp.cookie + 1, ""));
	assert_false(takes("", &file, "=", tcp.cookie, ""));
	assert_false(takes("x", &tcp, "=", tcp.cookie, ""));
	assert_false(takes("", &tcp, "", tcp.cookie, ""));
	assert_false(takes("", &tcp, "=", tcp.token, ""));
	assert_false(takes("", &tcp, "=", "", ""));
	assert_false(access_cookie(&tcp, tcp.cookie));
	assert_false(access_cookie(&tcp, ""));
	assert_false(access_cookie(&tcp, NULL));
	for (size_t i = 0; i < ACCESS_SECRET - 1; i++) {
		strcpy(other, tcp.cookie);
		other[i] ^= 1;
		assert_false(takes("", &tcp, "=", other, ""));
	}
}

static void test_token(void **state)
{
	(void)state;
	assert_true(access_token(&tcp, tcp.token));
	assert_false(access_token(&tcp, file.token));
	assert_false(access_token(&tcp, tcp.token + 1));
	assert_false(access_token(&tcp, ""));
	assert_false(access_token(&tcp, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_secrets), cmocka_unit_test(test_host),
		cmocka_unit_test(test_origin), cmocka_unit_test(test_cookie),
		cmocka_unit_test(test_token),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
