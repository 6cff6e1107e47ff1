/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The coroutines of Asio, of Boost or by itself: each function that returns an
 * awaitable<> is one, and tells of itself. To be included before the first such
 * function, in each file that has any. It includes boost/asio.hpp, unless Asio has been
 * included before:
 *
 *     #include <coroprof/asio.hpp>
 *
 * Those with an executor other than any_io_executor need a line of their own, as in
 * coroprof/promise.hpp. See coroprof_promise(3).
 */
#ifndef COROPROF_ASIO_HPP
#define COROPROF_ASIO_HPP

#include <coroprof/promise.hpp>

/* coroprof/promise.hpp brings <utility>, which Boost 1.74 forgets. */
#if !defined(BOOST_ASIO_DETAIL_CONFIG_HPP) && !defined(ASIO_DETAIL_CONFIG_HPP)
#if __has_include(<boost/asio.hpp>)
#include <boost/asio.hpp>
#elif __has_include(<asio.hpp>)
#include <asio.hpp>
#else
#error "coroprof/asio.hpp found no Asio: neither boost/asio.hpp nor asio.hpp is in the folders that the compiler searches"
#endif
#endif
#if !defined(BOOST_ASIO_HAS_CO_AWAIT) && !defined(ASIO_HAS_CO_AWAIT)
#error "this Asio has no coroutines with this compiler and these options: they need -std=c++20, and with clang an Asio that knows clang's (that of Boost 1.74 knows gcc's alone)"
#endif

/*
 * What co_spawn() puts around a coroutine, co_spawn_entry_point(), is one of them. The
 * function that Asio makes of an operation with use_awaitable is none: it hands the
 * operation over and never goes on. By its arguments it is known: a callable object, by
 * value, that begins the operation, and use_awaitable. A function of the program that has
 * the same two first is not reported either; its callers are.
 */
#define COROPROF_ASIO_(asio)								\
template <typename T, typename... Args>							\
struct std::coroutine_traits<asio::awaitable<T, asio::any_io_executor>, Args...> {	\
	using promise_type = coroprof::promise<						\
		asio::detail::awaitable_frame<T, asio::any_io_executor>>;		\
};											\
template <typename T, typename Initiation, typename... Args>				\
	requires std::is_class_v<Initiation>						\
struct std::coroutine_traits<asio::awaitable<T, asio::any_io_executor>, Initiation,	\
			     asio::use_awaitable_t<asio::any_io_executor>, Args...> {	\
	using promise_type = asio::detail::awaitable_frame<T, asio::any_io_executor>;	\
};											\
template <typename T, typename Executor>						\
inline constexpr const char *								\
	coroprof::runtime<asio::detail::awaitable_frame<T, Executor>> = "Asio"

#ifdef BOOST_ASIO_DETAIL_CONFIG_HPP
COROPROF_ASIO_(boost::asio);
#endif
#ifdef ASIO_DETAIL_CONFIG_HPP
COROPROF_ASIO_(asio);
#endif

#undef COROPROF_ASIO_

#endif /* COROPROF_ASIO_HPP */
