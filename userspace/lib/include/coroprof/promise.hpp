/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Coroutines of C++20 that tell of themselves: around any promise type, one's own or a
 * library's. Nothing else of the program changes. See coroprof_promise(3).
 *
 * In one's own coroutine type:
 *
 *     using promise_type = coroprof::promise<my_promise>;
 *
 * For the type of a library, task<T> say, in each file that has such coroutines, before
 * the first of them:
 *
 *     template <typename T, typename... Args>
 *     struct std::coroutine_traits<task<T>, Args...> {
 *             using promise_type = coroprof::promise<typename task<T>::promise_type>;
 *     };
 */
#ifndef COROPROF_PROMISE_HPP
#define COROPROF_PROMISE_HPP

#ifndef __cpp_impl_coroutine
#error "coroprof/promise.hpp needs coroutines of C++20: -std=c++20, or later"
#endif

#include <concepts>
#include <coroutine>
#include <type_traits>
#include <utility>

#include <coroprof/coroprof.h>

namespace coroprof {

namespace detail {

template <typename T>
concept has_member_co_await = requires(T &&t) { static_cast<T &&>(t).operator co_await(); };

template <typename T>
concept has_free_co_await = requires(T &&t) { operator co_await(static_cast<T &&>(t)); };

/* What "co_await t" asks, as the language finds it. */
template <typename T>
decltype(auto) awaiter_of(T &&t)
{
	if constexpr (has_member_co_await<T>)
		return static_cast<T &&>(t).operator co_await();
	else if constexpr (has_free_co_await<T>)
		return operator co_await(static_cast<T &&>(t));
	else
		return static_cast<T &&>(t);
}

/*
 * The number of the label for a coroutine's code. To look it up takes the linker's lock,
 * so a thread keeps those that it has met; which two share a place only costs time. Who
 * tells of them is said when one is met.
 */
inline uint32_t label_of(const void *code, const char *runtime)
{
	struct known {
		const void *code;
		uint32_t label;
	};
	static thread_local known met[64];
	known &here = met[reinterpret_cast<uintptr_t>(code) / 16 % 64];

	if (here.code != code) {
		here = { code, coroprof_label_code(code) };
		coroprof_adapter(runtime, COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES |
						  COROPROF_SEES_ENDS);
	}
	return here.label;
}

/*
 * The coroutine, and what the thread that resumed it ran before. Only the thread that
 * runs the coroutine, or destroys it, is at it: what suspends has told so before anybody
 * else can resume it.
 */
class identity {
public:
	identity() = default;
	identity(const identity &) = delete;
	identity &operator=(const identity &) = delete;

	~identity()
	{
		end();
	}

	/* By the first word of its frame, which is the code to resume it, it has a name. */
	void begin(const void *frame, const char *runtime) noexcept
	{
		co = coroprof_new(label_of(*static_cast<const void *const *>(frame), runtime),
				  coroprof_current(), 0);
	}

	void enter() noexcept
	{
		coroprof_co from = coroprof_current();

		if (from == co)
			return;
		outer = from;
		coroprof_switch(co);
	}

	/* At its birth it is suspended, but has not run. */
	void leave() noexcept
	{
		if (coroprof_current() == co)
			coroprof_switch(outer);
	}

	/* Also of one that never ran, or that was cancelled. */
	void end() noexcept
	{
		coroprof_co ended = std::exchange(co, COROPROF_THREAD);

		if (ended == COROPROF_THREAD)
			return;
		if (coroprof_current() == ended)
			coroprof_switch_done(outer);
		else
			coroprof_done(ended);
	}

	coroprof_co number() const noexcept
	{
		return co;
	}

private:
	coroprof_co co = COROPROF_THREAD;
	coroprof_co outer = COROPROF_THREAD;
};

/* Whether await_suspend() takes the handle of the promise as it is now. */
template <typename Awaiter, typename Handle>
concept suspends = requires(Awaiter &a, Handle h) { a.await_suspend(h); };

/*
 * What is awaited, in its place for as long as it is: @Operand is a reference if somebody
 * else keeps it, and a value else, which need not be movable.
 */
template <typename Base, typename Operand>
class awaited {
public:
	template <typename Make>
	awaited(identity &who, Make &&make)
		: who(who), operand(make()), inner(awaiter_of(static_cast<Operand &&>(operand)))
	{
	}

	awaited(const awaited &) = delete;
	awaited &operator=(const awaited &) = delete;

protected:
	/* An awaiter may ask for a handle of the promise that the program has written. */
	template <typename Promise>
	auto suspend(std::coroutine_handle<Promise> h)
	{
		if constexpr (suspends<decltype(inner), std::coroutine_handle<Promise>>)
			return inner.await_suspend(h);
		else
			return inner.await_suspend(
				std::coroutine_handle<Base>::from_address(h.address()));
	}

	identity &who;

private:
	Operand operand;

protected:
	decltype(awaiter_of(std::declval<Operand &&>())) inner;
};

/* The coroutine waits in it. */
template <typename Base, typename Operand>
class wait : public awaited<Base, Operand> {
public:
	using awaited<Base, Operand>::awaited;

	bool await_ready()
	{
		return static_cast<bool>(this->inner.await_ready());
	}

	/*
	 * Nothing of it is touched once the inner one has suspended, unless that throws or
	 * returns false: the coroutine may run elsewhere by then, or be gone.
	 */
	template <typename Promise>
	auto await_suspend(std::coroutine_handle<Promise> h)
	{
		this->who.leave();
		try {
			if constexpr (std::same_as<decltype(this->suspend(h)), bool>) {
				if (this->suspend(h))
					return true;
				this->who.enter();
				return false;
			} else {
				return this->suspend(h);
			}
		} catch (...) {
			this->who.enter();
			throw;
		}
	}

	decltype(auto) await_resume()
	{
		this->who.enter();
		return this->inner.await_resume();
	}
};

/* The coroutine ends in it. */
template <typename Base, typename Operand>
class ending : public awaited<Base, Operand> {
public:
	using awaited<Base, Operand>::awaited;

	bool await_ready() noexcept
	{
		this->who.end();
		return static_cast<bool>(this->inner.await_ready());
	}

	template <typename Promise>
	auto await_suspend(std::coroutine_handle<Promise> h) noexcept
	{
		return this->suspend(h);
	}

	void await_resume() noexcept
	{
		this->inner.await_resume();
	}
};

} /* namespace detail */

/* By what name a library that has the promise is shown to tell of its coroutines. */
template <typename Base>
inline constexpr const char *runtime = "C++20";

/**
 * class promise - a promise that tells of its coroutine
 * @Base: the promise type there was. All that it has, this has, but co_yield of a list in
 *        braces, and that co_await is forbidden; it must not be final, have virtual bases,
 *        or be aligned to more than 16 bytes
 *
 * Birth is the call of the coroutine, death its end or its destruction. While it is
 * suspended the thread runs what it ran before. The label is the coroutine's function.
 * Who resumes it later and wants to see how long it was ready calls
 * coroprof_wake(handle.promise().coroutine()) when it is.
 *
 * Throws nothing of its own. Costs two of coroprof_switch() for each time that it runs.
 */
template <typename Base>
class promise : public Base {
public:
	using Base::Base;

	/* For coroprof_wake(), and all that takes a handle. COROPROF_THREAD once it has ended. */
	coroprof_co coroutine() const noexcept
	{
		return who.number();
	}

	auto initial_suspend()
	{
		/*
		 * A handle of the base is one of the whole: a promise begins so far behind the
		 * frame as its alignment says, and the base begins it.
		 */
		static_assert(alignof(promise) <= 2 * sizeof(void *));
		who.begin(std::coroutine_handle<promise>::from_promise(*this).address(),
			  runtime<Base>);
		return waiting([&]() -> decltype(auto) { return Base::initial_suspend(); });
	}

	auto final_suspend() noexcept
	{
		auto make = [&]() noexcept -> decltype(auto) { return Base::final_suspend(); };

		return detail::ending<Base, decltype(make())>(who, make);
	}

	/* Where it throws, the coroutine ends without any more suspension. */
	void unhandled_exception()
	{
		try {
			Base::unhandled_exception();
		} catch (...) {
			who.end();
			throw;
		}
	}

	template <typename T>
	auto await_transform(T &&t)
	{
		return waiting([&]() -> decltype(auto) {
			if constexpr (requires(Base &b) { b.await_transform(std::declval<T>()); })
				return Base::await_transform(static_cast<T &&>(t));
			else
				return static_cast<T &&>(t);
		});
	}

	template <typename T>
		requires requires(Base &b) { b.yield_value(std::declval<T>()); }
	auto yield_value(T &&t)
	{
		return waiting([&]() -> decltype(auto) {
			return Base::yield_value(static_cast<T &&>(t));
		});
	}

private:
	template <typename Make>
	auto waiting(Make make)
	{
		return detail::wait<Base, decltype(make())>(who, make);
	}

	detail::identity who;
};

} /* namespace coroprof */

#endif /* COROPROF_PROMISE_HPP */
