// SPDX-License-Identifier: GPL-2.0
/* Coroutines of C++20 are called as their source has them. */
#include <stdlib.h>

#include "gen/recording.h"
#include "symbols/clone.h"

static void is_of(const char *symbol, const char *source)
{
	char *found = clone_of(symbol);

	if (source)
		assert_string_equal(found, source);
	else
		assert_null(found);
	free(found);
}

static void finds_the_coroutine_of_gcc(void **state)
{
	(void)state;
	is_of("_ZN2my5serveEPZNS_5serveEPKcRiE24_ZN2my5serveEPKcRi.Frame.actor", "_ZN2my5serveEPKcRi");
	is_of("_ZZ4mainENUliE_clEPZZ4mainENKS_clEiE26_ZZ4mainENKUliE_clEi.Frame.actor",
	      "_ZZ4mainENKUliE_clEi");
	is_of("_ZN2my1k3memEPZNKS0_3memEiE21_ZNK2my1k3memEi.Frame.actor", "_ZNK2my1k3memEi");
}

static void finds_the_coroutine_of_clang(void **state)
{
	(void)state;
	is_of("_ZN2my5serveEPKcRi.resume", "_ZN2my5serveEPKcRi");
	is_of("_ZZ4mainENK3$_0clEi.resume", "_ZZ4mainENK3$_0clEi");
}

static void leaves_other_symbols_alone(void **state)
{
	static const char *const symbols[] = {
		"", "serve", "_ZN2my5serveEPKcRi", "_ZN2my5serveEPKcRi.cold", "player.resume", ".resume",
		".Frame.actor", "_Z3fooi.Frame.actor", "99_Z3fooi.Frame.actor", "_Z.Frame.actor",
		"_ZN2my5serveEPZNS_5serveEPKcRiE24_ZN2my5serveEPKcRi.Frame.destroy",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		is_of(symbols[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_coroutine_of_gcc),
		cmocka_unit_test(finds_the_coroutine_of_clang),
		cmocka_unit_test(leaves_other_symbols_alone),
	};

	return cmocka_run_group_tests_name("clone", tests, NULL, NULL);
}
