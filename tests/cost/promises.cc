// SPDX-License-Identifier: GPL-2.0
/*
 * promises KIND COUNT: resumes a coroutine of C++20, of a type of its own or of Asio, so
 * often, and no more. With -DTELLS its promises tell coroprof; with Asio's own
 * -DBOOST_ASIO_ENABLE_HANDLER_TRACKING that writes a line of each handler.
 */
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <boost/asio.hpp>

#ifdef TELLS
#include <coroprof/asio.hpp>
#include <coroprof/promise.hpp>
#endif

namespace asio = boost::asio;

struct job {
	struct plain;
#ifdef TELLS
	using promise_type = coroprof::promise<plain>;
#else
	using promise_type = plain;
#endif

	std::coroutine_handle<plain> handle;
};

struct job::plain {
	job get_return_object() { return { std::coroutine_handle<plain>::from_promise(*this) }; }
	std::suspend_always initial_suspend() noexcept { return {}; }
	std::suspend_always final_suspend() noexcept { return {}; }
	void return_void() noexcept {}
	void unhandled_exception() { std::abort(); }
};

static job turns()
{
	for (;;)
		co_await std::suspend_always();
}

static void resume(long count)
{
	job one = turns();

	for (long i = 0; i < count; i++)
		one.handle.resume();
	one.handle.destroy();
}

static asio::awaitable<void> posts(long count)
{
	auto executor = co_await asio::this_coro::executor;

	for (long i = 0; i < count; i++)
		co_await asio::post(executor, asio::use_awaitable);
}

static void post(long count)
{
	asio::io_context context;

	asio::co_spawn(context, posts(count), asio::detached);
	context.run();
}

int main(int argc, char **argv)
{
	long count = argc == 3 ? std::atol(argv[2]) : 0;

	if (count && !std::strcmp(argv[1], "resume"))
		resume(count);
	else if (count && !std::strcmp(argv[1], "post"))
		post(count);
	else
		return std::fprintf(stderr, "usage: promises resume|post COUNT\n"), 2;
	return 0;
}
