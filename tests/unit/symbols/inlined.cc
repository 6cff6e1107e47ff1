// SPDX-License-Identifier: GPL-2.0
/* The same in C++, whose compilers have names of their own. */
namespace server {

struct request {
	unsigned long body;

	__attribute__((always_inline)) unsigned long hash() const
	{
		unsigned long x = body;

		for (int i = 0; i < 50; i++)
			x = x * 31 + (x >> 5);
		return x;
	}
};

/* Not static: of what has no linkage name, addr2line says the name of its caller. */
template<typename T> __attribute__((always_inline)) inline unsigned long twice(const T &of)
{
	return of.hash() + (of.hash() >> 3);
}

unsigned long handle(unsigned long body)
{
	const request r{body};

	return twice(r) ^ r.hash();
}

}
