// SPDX-License-Identifier: GPL-2.0
/* Coroutines of C++20 are called as their source has them. */
#include <stdlib.h>
#include <string.h>

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

static void is_called(const char *name, const char *shown)
{
	char *copy = strdup(name);

	clone_shorten(copy);
	assert_string_equal(copy, shown);
	free(copy);
}

static void leaves_out_long_arguments_of_templates(void **state)
{
	(void)state;
	is_called("tasks::nap(boost::asio::basic_waitable_timer<std::chrono::_V2::steady_clock, "
		  "boost::asio::wait_traits<std::chrono::_V2::steady_clock>, boost::asio::any_io_executor>&, long)",
		  "tasks::nap(boost::asio::basic_waitable_timer<...>&, long)");
	is_called("my::all(std::vector<std::pair<int, std::vector<int> > > const&, int*) const",
		  "my::all(std::vector<...> const&, int*) const");
	is_called("my::nap<my::timer<std::chrono::_V2::steady_clock> >(my::timer<std::chrono::_V2::steady_clock>&)",
		  "my::nap<my::timer<...> >(my::timer<...>&)");
	is_called("my::call(void (*)(std::vector<std::pair<int, long> >))",
		  "my::call(void (*)(std::vector<...>))");
}

static void keeps_what_is_short_and_what_the_function_is_of(void **state)
{
	static const char *const names[] = {
		"", "serve", "my::serve(int)", "my::sum(std::vector<unsigned long>&)", "my::odd(a<b)",
		"my::serve<std::chrono::_V2::steady_clock, boost::asio::any_io_executor>::run(int)",
		"my::operator<<(int, my::stream&)", "main::{lambda(std::vector<int>)#1}::operator()(int) const",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is_called(names[i], names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_coroutine_of_gcc),
		cmocka_unit_test(finds_the_coroutine_of_clang),
		cmocka_unit_test(leaves_other_symbols_alone),
		cmocka_unit_test(leaves_out_long_arguments_of_templates),
		cmocka_unit_test(keeps_what_is_short_and_what_the_function_is_of),
	};

	return cmocka_run_group_tests_name("clone", tests, NULL, NULL);
}
