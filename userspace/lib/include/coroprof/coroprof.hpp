/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spans that end with their scope. The rest of libcoroprof's C++ interface is
 * that of C. See coroprof_span_begin(3).
 */
#ifndef COROPROF_COROPROF_HPP
#define COROPROF_COROPROF_HPP

#include <coroprof/coroprof.h>

namespace coroprof {

/*
 * From its declaration to the end of its scope, by return or exception. In the
 * body of a C++20 coroutine it goes on across co_await, also on another thread:
 * it must only be destroyed by the coroutine that made it. Costs what
 * coroprof_span_begin() and coroprof_span_end() do; throws nothing; takes no
 * memory of its own.
 */
class span {
public:
	explicit span(uint32_t label) noexcept
	{
		coroprof_span_begin(label);
	}

	/* Looks the text up each time: no lock, once the label exists. */
	explicit span(const char *text) noexcept
		: span(coroprof_label(text))
	{
	}

	~span()
	{
		coroprof_span_end();
	}

	span(const span &) = delete;
	span &operator=(const span &) = delete;
};

} /* namespace coroprof */

#define COROPROF_JOIN_(a, b) a##b
#define COROPROF_JOIN(a, b) COROPROF_JOIN_(a, b)

/*
 * The rest of the block is a span. The text is looked up once, when a thread first
 * comes by, and must not change. At most one in a line.
 */
#define COROPROF_SPAN(text)							\
	static const uint32_t COROPROF_JOIN(coroprof_label_at_, __LINE__) =	\
		coroprof_label(text);						\
	const ::coroprof::span COROPROF_JOIN(coroprof_span_at_, __LINE__)	\
		(COROPROF_JOIN(coroprof_label_at_, __LINE__))

#endif /* COROPROF_COROPROF_HPP */
