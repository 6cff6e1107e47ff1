// SPDX-License-Identifier: GPL-2.0
/* Names of Rust's older way, as symbol tables have them, and as the source has them. */
#include <string.h>

#include "tap.h"
#include "tokio/path.h"

static void reads(const char *symbol, const char *expected)
{
	char path[100] = "";

	ok(path_of(symbol, path, sizeof(path)) && !strcmp(path, expected), "%s is read", expected);
}

static void refuses(const char *symbol, const char *what)
{
	char path[100];

	ok(!path_of(symbol, path, sizeof(path)), "%s is no such name", what);
}

#define HASH "17h0123456789abcdef"

int main(void)
{
	reads("_ZN6server6accept" HASH "E", "server::accept");
	reads("_ZN6server17handle_connection" HASH "E", "server::handle_connection");
	reads("_ZN6server17handle_connection28_$u7b$$u7b$closure$u7d$$u7d$" HASH "E",
	      "server::handle_connection::{{closure}}");
	reads("_ZN17h0123456789abcdef3run" HASH "E", "h0123456789abcdef::run");
	reads("_ZN4core3ptr30drop_in_place$LT$server..A$GT$" HASH "E",
	      "core::ptr::drop_in_place<server::A>");
	refuses("_ZN6server17handle_connectionE", "one without a hash");
	refuses("_ZN6server17h0123456789abcde", "one that ends in its hash");
	refuses("_RNvCs1234_6server6accept", "one of the newer way");
	refuses("main", "a function of C");
	return tap_done();
}
