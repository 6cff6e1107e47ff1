// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Coroutines of C++20 that report themselves to coroprof. The promise does it: programs only co_await.
 *
 *     c++ -std=c++20 coroutines.cc $(pkg-config --cflags --libs libcoroprof) -o coroutines
 *     coroprof-read -- ./coroutines
 */
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <utility>

#include <coroprof/coroprof.hpp>

/* A coroutine, whose first argument is its name. It runs once it is awaited, or spawned. */
class task {
public:
	struct promise_type;
	using handle = std::coroutine_handle<promise_type>;

	explicit task(handle h) : own(h) {}
	task(task &&other) noexcept : own(std::exchange(other.own, nullptr)) {}
	~task() { if (own) own.destroy(); }

	bool await_ready() const noexcept { return false; }
	handle await_suspend(handle parent) noexcept;
	void await_resume() const noexcept {}

	handle own;
};

/* The end: the thread goes on with who awaited it, or in the scheduler. */
struct ending {
	bool await_ready() const noexcept { return false; }
	std::coroutine_handle<> await_suspend(task::handle h) noexcept;
	void await_resume() const noexcept {}
};

struct task::promise_type {
	template <typename... Args>
	explicit promise_type(const char *name, Args &&...)
		: co(coroprof_new(coroprof_label(name), coroprof_current(), 0)) {}
	/* Destroyed before its end: it was cancelled. */
	~promise_type() { if (!ended) coroprof_done(co); }

	task get_return_object() { return task(handle::from_promise(*this)); }
	std::suspend_always initial_suspend() noexcept { return {}; }
	ending final_suspend() noexcept { return {}; }
	void return_void() noexcept {}
	void unhandled_exception() noexcept { std::terminate(); }

	coroprof_co co;
	handle parent = nullptr;
	bool ended = false;
};

/* The awaiting one waits, and this one runs, on the same thread. */
task::handle task::await_suspend(handle parent) noexcept
{
	own.promise().parent = parent;
	coroprof_switch(own.promise().co);
	return own;
}

std::coroutine_handle<> ending::await_suspend(task::handle h) noexcept
{
	auto &promise = h.promise();

	promise.ended = true;
	coroprof_switch_done(promise.parent ? promise.parent.promise().co : COROPROF_THREAD);
	if (promise.parent)
		return promise.parent;
	return std::noop_coroutine();
}

static std::deque<task::handle> ready;

static void wake(task::handle h)
{
	coroprof_wake(h.promise().co);
	ready.push_back(h);
}

/* co_await yield(): others run first. */
struct yield {
	bool await_ready() const noexcept { return false; }
	void await_suspend(task::handle h)
	{
		wake(h);
		coroprof_switch_ready(COROPROF_THREAD);
	}
	void await_resume() const noexcept {}
};

static void run()
{
	while (!ready.empty()) {
		auto h = ready.front();

		ready.pop_front();
		coroprof_switch(h.promise().co);
		h.resume();
	}
}

/* A program: two clients ask a server, which takes a while. */
static task serve(const char *, int &answer)
{
	COROPROF_SPAN("compute");

	co_await yield();
	answer++;
}

static task ask(const char *, int &answer)
{
	co_await serve("serve", answer);
	std::printf("answer %d\n", answer);
}

int main()
{
	int answer = 0;
	task one = ask("client", answer), two = ask("client", answer);

	wake(one.own);
	wake(two.own);
	run();
}
