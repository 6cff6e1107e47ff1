/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The coroutines of Asio, of Boost or by itself: each function that returns an
 * awaitable<> is one, and tells of itself. To be included behind Asio's headers, and
 * before the first such function, in each file that has any:
 *
 *     #include <boost/asio.hpp>
 *     #include <coroprof/asio.hpp>
 *
 * Those with an executor other than any_io_executor need a line of their own, as in
 * coroprof/promise.hpp. See coroprof_promise(3).
 */
#ifndef COROPROF_ASIO_HPP
#define COROPROF_ASIO_HPP

#include <coroprof/promise.hpp>

#if !defined(BOOST_ASIO_AWAITABLE_HPP) && !defined(ASIO_AWAITABLE_HPP)
#error "coroprof/asio.hpp found no Asio: include boost/asio.hpp, or asio.hpp, before it"
#endif

/* What co_spawn() puts around a coroutine, co_spawn_entry_point(), is one of them. */
#define COROPROF_ASIO_(asio)								\
template <typename T, typename... Args>							\
struct std::coroutine_traits<asio::awaitable<T, asio::any_io_executor>, Args...> {	\
	using promise_type = coroprof::promise<						\
		asio::detail::awaitable_frame<T, asio::any_io_executor>>;		\
};											\
template <typename T, typename Executor>						\
inline constexpr const char *								\
	coroprof::runtime<asio::detail::awaitable_frame<T, Executor>> = "Asio"

#ifdef BOOST_ASIO_AWAITABLE_HPP
COROPROF_ASIO_(boost::asio);
#endif
#ifdef ASIO_AWAITABLE_HPP
COROPROF_ASIO_(asio);
#endif

#undef COROPROF_ASIO_

#endif /* COROPROF_ASIO_HPP */
