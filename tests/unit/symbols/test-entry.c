// SPDX-License-Identifier: GPL-2.0
/* What a coroutine runs, where all begin with a template of a library. */
#include "gen/recording.h"
#include "symbols/entry.h"

#define STACK "boost::context::basic_fixedsize_stack<boost::context::stack_traits>"
#define FIBER(fn) "void boost::context::detail::fiber_entry<boost::context::detail::fiber_record<boost::context::fiber, " \
		  STACK ", " fn "> >(boost::context::detail::transfer_t)"

static void is_called(const char *name, const char *as)
{
	size_t len;
	const char *part = entry_function(name, &len);
	char text[1024];

	snprintf(text, sizeof(text), "%.*s", (int)len, part);
	assert_string_equal(text, as);
}

static void finds_what_boost_was_given(void **state)
{
	(void)state;
	is_called(FIBER("server::light"), "server::light");
	is_called(FIBER("(anonymous namespace)::light"), "(anonymous namespace)::light");
	is_called(FIBER("main::{lambda(boost::context::fiber&&, int)#1}"),
		  "main::{lambda(boost::context::fiber&&, int)#1}");
	is_called(FIBER("void (*)(std::pair<int, int>)"), "void (*)(std::pair<int, int>)");
	is_called("void boost::context::detail::context_entry<boost::context::detail::record<boost::context::continuation, "
		  STACK ", main::{lambda(auto:1&&)#2}> >(boost::context::detail::transfer_t)",
		  "main::{lambda(auto:1&&)#2}");
}

static void finds_it_below_other_layers(void **state)
{
	(void)state;
	is_called(FIBER("std::_Bind<boost::context::fiber (boost::fibers::worker_context<light, int>::*"
			"(boost::fibers::worker_context<light, int>*, std::_Placeholder<1>))(boost::context::fiber&&)>"),
		  "light");
	is_called(FIBER("boost::coroutines2::detail::pull_coroutine<long>::control_block::control_block<" STACK ", light>"
			"(boost::context::preallocated, " STACK "&&, light&&)::{lambda(boost::context::fiber&&)#1}"),
		  "light");
	is_called("void boost::coroutines::detail::trampoline_pull<boost::coroutines::detail::pull_coroutine_object<"
		  "boost::coroutines::push_coroutine<long>, long, light, boost::coroutines::basic_standard_stack_allocator<"
		  "boost::coroutines::stack_traits> > >(boost::context::detail::transfer_t)", "light");
}

static void leaves_other_names_whole(void **state)
{
	static const char *const names[] = {
		"", "light", "serve(boost::fibers::worker_context<light>*)", "void boost::context::f(int)",
		"void boost::context::detail::fiber_entry<boost::context::detail::fiber_record<boost",
		"void boost::context::detail::fiber_entry<boost::context::detail::fiber_record<a, b> >(int)",
		"void boost::context::detail::fiber_entry<boost::context::detail::fiber_record<,,,> >(int)",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is_called(names[i], names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_boost_was_given),
		cmocka_unit_test(finds_it_below_other_layers),
		cmocka_unit_test(leaves_other_names_whole),
	};

	return cmocka_run_group_tests_name("entry", tests, NULL, NULL);
}
