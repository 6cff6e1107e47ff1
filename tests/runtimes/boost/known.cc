// SPDX-License-Identifier: GPL-2.0
/*
 * Coroutines of Boost whose work is known: of each layer COUNT of three kinds that
 * run loops of 1, 5 and 20 units, TURNS times. Fibers sleep in between, on two
 * threads, which only root can run as they are. One fiber of Boost.Context is given
 * up, and works as it is unwound; one coroutine ends by an exception; one is in the
 * middle when the program forks. It knows nothing of coroprof.
 */
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

/* gcc 14 takes a state of Boost.Coroutine2, which its constructor sets, for one that is not set. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <boost/context/fiber.hpp>
#include <boost/coroutine/coroutine.hpp>
#include <boost/coroutine2/all.hpp>
#include <boost/fiber/all.hpp>

#include "work.hpp"

namespace
{

namespace raw
{

struct transfer {
	void *context;
	long data;
};

extern "C" void *make_fcontext(void *top, size_t size, void (*fn)(transfer));
extern "C" transfer jump_fcontext(void *to, long data);

const size_t STACK = 65536;

template <unsigned long UNITS> void turns(transfer t)
{
	for (long turn = 0;; turn++) {
		work(UNITS);
		t = jump_fcontext(t.context, t.data + UNITS);
	}
}

void light(transfer t) { turns<1>(t); }
void middle(transfer t) { turns<5>(t); }
void heavy(transfer t) { turns<20>(t); }

void *make(void (*fn)(transfer))
{
	static char stacks[3 * COUNT + 1][STACK] __attribute__((aligned(16)));
	static int used;

	return make_fcontext(stacks[used++] + STACK, STACK, fn);
}

long all()
{
	std::vector<void *> contexts;
	long sum = 0;

	for (int i = 0; i < COUNT; i++)
		for (auto fn : { light, middle, heavy })
			contexts.push_back(make(fn));
	for (int turn = 0; turn < TURNS; turn++)
		for (auto &context : contexts) {
			transfer t = jump_fcontext(context, sum);
			context = t.context;
			sum = t.data;
		}
	return sum;
}

void forked(transfer t) { turns<1>(t); }

long over_fork()
{
	transfer t = jump_fcontext(make(forked), 0);
	int status = -1;
	pid_t pid = fork();

	t = jump_fcontext(t.context, t.data);
	if (!pid)
		_exit(static_cast<int>(t.data));
	waitpid(pid, &status, 0);
	return t.data * 10 + WEXITSTATUS(status);
}

} // namespace raw

namespace context
{

namespace ctx = boost::context;

template <unsigned long UNITS> ctx::fiber turns(ctx::fiber &&back)
{
	for (int turn = 0; turn < TURNS; turn++) {
		work(UNITS);
		back = std::move(back).resume();
	}
	return std::move(back);
}

struct light {
	ctx::fiber operator()(ctx::fiber &&back) { return turns<1>(std::move(back)); }
};
struct middle {
	ctx::fiber operator()(ctx::fiber &&back) { return turns<5>(std::move(back)); }
};
struct heavy {
	ctx::fiber operator()(ctx::fiber &&back) { return turns<20>(std::move(back)); }
};

long all()
{
	std::vector<ctx::fiber> fibers;
	long left = 0, sum = 0;

	for (int i = 0; i < COUNT; i++) {
		fibers.emplace_back(light{});
		fibers.emplace_back(middle{});
		fibers.emplace_back(heavy{});
	}
	do {
		left = 0;
		for (auto &fiber : fibers)
			if (fiber) {
				fiber = std::move(fiber).resume();
				left++;
			}
		sum += left;
	} while (left);
	return sum;
}

struct unwound {
	struct guard {
		long &sum;
		~guard()
		{
			work(5);
			sum++;
		}
	};
	long &sum;

	ctx::fiber operator()(ctx::fiber &&back)
	{
		guard g{ sum };

		for (;;)
			back = std::move(back).resume();
		return std::move(back);
	}
};

long given_up()
{
	long sum = 0;

	{
		ctx::fiber fiber{ unwound{ sum } };

		fiber = std::move(fiber).resume();
	}
	return sum;
}

} // namespace context

template <class SINK, unsigned long UNITS> void yields(SINK &sink)
{
	for (int turn = 0; turn < TURNS; turn++) {
		work(UNITS);
		sink(UNITS);
	}
}

template <class SOURCE> long drain(std::vector<SOURCE> &sources)
{
	long left = 0, sum = 0;

	do {
		left = 0;
		for (auto &source : sources)
			if (source) {
				sum += source.get();
				source();
				left++;
			}
	} while (left);
	return sum;
}

namespace coroutine2
{

typedef boost::coroutines2::coroutine<long> co;

struct light {
	void operator()(co::push_type &sink) { yields<co::push_type, 1>(sink); }
};
struct middle {
	void operator()(co::push_type &sink) { yields<co::push_type, 5>(sink); }
};
struct heavy {
	void operator()(co::push_type &sink) { yields<co::push_type, 20>(sink); }
};
struct throws {
	void operator()(co::push_type &sink)
	{
		sink(1);
		work(5);
		throw std::runtime_error("thrown");
	}
};

long all()
{
	std::vector<co::pull_type> sources;

	for (int i = 0; i < COUNT; i++) {
		sources.emplace_back(light{});
		sources.emplace_back(middle{});
		sources.emplace_back(heavy{});
	}
	return drain(sources);
}

std::string exception()
{
	try {
		co::pull_type source{ throws{} };

		source();
	} catch (const std::runtime_error &error) {
		return error.what();
	}
	return "nothing";
}

} // namespace coroutine2

namespace coroutine1
{

typedef boost::coroutines::asymmetric_coroutine<long> co;

struct light {
	void operator()(co::push_type &sink) { yields<co::push_type, 1>(sink); }
};
struct middle {
	void operator()(co::push_type &sink) { yields<co::push_type, 5>(sink); }
};
struct heavy {
	void operator()(co::push_type &sink) { yields<co::push_type, 20>(sink); }
};

long all()
{
	std::vector<co::pull_type> sources;

	for (int i = 0; i < COUNT; i++) {
		sources.emplace_back(light{});
		sources.emplace_back(middle{});
		sources.emplace_back(heavy{});
	}
	return drain(sources);
}

} // namespace coroutine1

namespace fiber
{

namespace fibers = boost::fibers;

std::atomic<long> sum;

template <unsigned long UNITS> void turns()
{
	for (int turn = 0; turn < TURNS; turn++) {
		work(UNITS);
		sched_yield();
		boost::this_fiber::sleep_for(NAP);
	}
	sum += UNITS;
}

struct light {
	void operator()() { turns<1>(); }
};
struct middle {
	void operator()() { turns<5>(); }
};
struct heavy {
	void operator()() { turns<20>(); }
};

/* Alone, so that nothing keeps it from running once its time has come. */
struct naps {
	void operator()()
	{
		for (int turn = 0; turn < TURNS; turn++)
			boost::this_fiber::sleep_for(NAP);
	}
};

/* Waits for another, which works first. */
struct waits {
	fibers::promise<int> &promise;

	void operator()()
	{
		sum += promise.get_future().get();
	}
};

long alone()
{
	fibers::promise<int> promise;
	fibers::fiber sleeper{ naps{} };

	sleeper.join();
	fibers::fiber waiter{ waits{ promise } };
	boost::this_fiber::yield();
	work(20);
	promise.set_value(1);
	waiter.join();
	return sum;
}

/*
 * Boost's locks are waited for by spinning. Two threads on one processor spin for as
 * long as the one that holds the lock is off it, so neither of them may be preempted:
 * the other one runs when a thread sleeps, and where a fiber yields the processor.
 */
void let_only_yield()
{
	sched_param first{};

	first.sched_priority = sched_get_priority_min(SCHED_FIFO);
	if (sched_setscheduler(0, SCHED_FIFO, &first)) {
		perror("sched_setscheduler");
		exit(1);
	}
}

void share()
{
	const bool sleeps = true;

	fibers::use_scheduling_algorithm<fibers::algo::shared_work>(sleeps);
}

long all()
{
	std::atomic<bool> over{ false };
	let_only_yield();
	std::thread second([&] {
		share();
		while (!over)
			boost::this_fiber::sleep_for(NAP);
	});
	std::vector<fibers::fiber> some;

	share();
	for (int i = 0; i < COUNT; i++) {
		some.emplace_back(light{});
		some.emplace_back(middle{});
		some.emplace_back(heavy{});
	}
	for (auto &one : some)
		one.join();
	over = true;
	second.join();
	return sum;
}

} // namespace fiber

} // namespace

int main()
{
	printf("raw %ld, over a fork %ld\n", raw::all(), raw::over_fork());
	printf("context %ld, given up %ld\n", context::all(), context::given_up());
	printf("coroutine2 %ld, %s\n", coroutine2::all(), coroutine2::exception().c_str());
	printf("coroutine %ld\n", coroutine1::all());
	printf("fiber %ld", fiber::alone());
	printf(", all %ld\n", fiber::all());
	return 7;
}
