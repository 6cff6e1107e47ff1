// SPDX-License-Identifier: GPL-2.0
/*
 * Coroutines of C++20 whose work is known, of a type of its own and of Asio: of each
 * COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS times. Those of Asio
 * sleep in between. They tell by their promises: linked with libcoroprof.
 */
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#include <vector>

#include <boost/asio.hpp>

#include <coroprof/asio.hpp>
#include <coroprof/promise.hpp>

#include "work.hpp"

namespace own
{

struct job {
	struct plain;
	using promise_type = coroprof::promise<plain>;

	std::coroutine_handle<plain> handle;
};

struct job::plain {
	job get_return_object() { return { std::coroutine_handle<plain>::from_promise(*this) }; }
	std::suspend_always initial_suspend() noexcept { return {}; }
	std::suspend_always final_suspend() noexcept { return {}; }
	void return_void() noexcept {}
	void unhandled_exception() { std::abort(); }
};

static coroprof_co number(const job &j)
{
	return std::coroutine_handle<job::promise_type>::from_address(j.handle.address())
		.promise().coroutine();
}

/* Whoever waits is woken once all have waited. */
static void run(std::vector<job> &jobs)
{
	for (int turn = 0; turn <= TURNS; turn++) {
		for (job &j : jobs)
			coroprof_wake(number(j));
		for (job &j : jobs)
			j.handle.resume();
	}
}

#define TURNS_OF(units)					\
	for (int turn = 0; turn < TURNS; turn++) {	\
		work(units);				\
		*sum += (units);			\
		co_await std::suspend_always();		\
	}

job light(long *sum) { TURNS_OF(1) }
job middle(long *sum) { TURNS_OF(5) }
job heavy(long *sum) { TURNS_OF(20) }

long all()
{
	std::vector<job> jobs;
	long sum = 0;

	for (int i = 0; i < COUNT; i++)
		for (auto fn : { light, middle, heavy })
			jobs.push_back(fn(&sum));
	run(jobs);
	for (job &j : jobs)
		j.handle.destroy();
	return sum;
}

} // namespace own

namespace tasks
{

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;

awaitable<void> nap(asio::steady_timer &timer)
{
	timer.expires_after(NAP);
	co_await timer.async_wait(use_awaitable);
}

#define NAPS_OF(units)								\
	asio::steady_timer timer(co_await asio::this_coro::executor);		\
	for (int turn = 0; turn < TURNS; turn++) {				\
		work(units);							\
		*sum += (units);						\
		co_await nap(timer);						\
	}

awaitable<void> light(long *sum) { NAPS_OF(1) }
awaitable<void> middle(long *sum) { NAPS_OF(5) }
awaitable<void> heavy(long *sum) { NAPS_OF(20) }

/* What is awaited is a coroutine of its own: the one that awaits works 1 unit, the other 20, and throws. */
awaitable<long> awaited()
{
	work(20);
	throw std::runtime_error("awaited");
	co_return 0;
}

awaitable<void> awaits(long *sum)
{
	work(1);
	try {
		*sum += co_await awaited();
	} catch (const std::runtime_error &) {
		*sum += 1000;
	}
}

/* One that is spawned by another, which goes on at once. */
awaitable<void> spawned(long *sum)
{
	work(20);
	*sum += 10000;
	co_return;
}

awaitable<void> spawns(long *sum)
{
	asio::co_spawn(co_await asio::this_coro::executor, spawned(sum), asio::detached);
	work(1);
}

/* One that still waits when all is over. */
awaitable<void> waits_for_ever(asio::steady_timer &timer)
{
	work(5);
	timer.expires_at(asio::steady_timer::time_point::max());
	co_await timer.async_wait(use_awaitable);
}

long all()
{
	long sum = 0;
	asio::io_context context;
	asio::steady_timer never(context);

	for (int i = 0; i < COUNT; i++)
		for (auto fn : { light, middle, heavy })
			asio::co_spawn(context, fn(&sum), asio::detached);
	asio::co_spawn(context, awaits(&sum), asio::detached);
	asio::co_spawn(context, spawns(&sum), asio::detached);
	asio::co_spawn(context, waits_for_ever(never), asio::detached);
	context.run_for(std::chrono::milliseconds(500));
	return sum;
}

} // namespace tasks

int main()
{
	std::printf("own %ld\n", own::all());
	std::printf("asio %ld\n", tasks::all());
	return 3;
}
