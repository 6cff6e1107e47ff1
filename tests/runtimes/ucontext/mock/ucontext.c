// SPDX-License-Identifier: GPL-2.0
/* ucontext coroutines as the kernel sees them. */
#include "watch.h"

#include <pthread.h>
#include <ucontext.h>

#include <coroprof/coroprof.h>

#define STACK 65536

static ucontext_t main_context, one, two;
static char stack_one[STACK], stack_two[STACK];
static int seen[32];

static bool is_thread(const struct mock_event *event)
{
	return event && !strncmp(event->label, "(thread", 7);
}

static bool has(const struct mock_event *event, unsigned long flags)
{
	return event && (event->arg & ~COROPROF_SWITCH_SLOT_MASK) == flags;
}

static void make_on(ucontext_t *context, char *stack, size_t size, ucontext_t *link,
		    void (*fn)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = size;
	context->uc_link = link;
	makecontext(context, fn, 0);
}

static void make(ucontext_t *context, char *stack, ucontext_t *link, void (*fn)(void))
{
	make_on(context, stack, STACK, link, fn);
}

static void twice(void)
{
	swapcontext(&one, &main_context);
}

static void life(void)
{
	const struct mock_event *event;

	make(&one, stack_one, &main_context, twice);
	watch_from_here();
	swapcontext(&main_context, &one);
	ok(is_thread(next_switch()), "the thread is told of");
	event = next_switch();
	ok(is_function(event, twice) && has(event, COROPROF_SWITCH_FRESH),
	   "a context that starts is a coroutine, called by its function");
	event = next_switch();
	ok(is_thread(event) && has(event, 0), "a coroutine that is left waits");
	swapcontext(&main_context, &one);
	event = next_switch();
	ok(is_function(event, twice) && has(event, 0), "a coroutine that was left goes on");
	event = next_switch();
	ok(is_thread(event) && has(event, COROPROF_SWITCH_END),
	   "a coroutine that returns has ended");
	ok(!next_switch(), "no switch is told twice");
}

static void six(int a, int b, int c, int d, int e, int f)
{
	seen[0] = a, seen[1] = b, seen[2] = c, seen[3] = d, seen[4] = e, seen[5] = f;
}

static void twelve(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k,
		   int l)
{
	six(a, b, c, d, e, f);
	seen[6] = g, seen[7] = h, seen[8] = i, seen[9] = j, seen[10] = k, seen[11] = l;
}

static void pointer(void *p)
{
	*(int *)p = 77;
}

/* Static: getcontext() may return twice, as far as the compiler knows. */
static void arguments(void)
{
	static bool right = true;
	static int target;

	getcontext(&one);
	one.uc_stack.ss_sp = stack_one;
	one.uc_stack.ss_size = STACK;
	one.uc_link = &main_context;
	makecontext(&one, (void (*)(void))six, 6, 1, -2, 3, -4, 5, -6);
	swapcontext(&main_context, &one);
	ok(seen[0] == 1 && seen[1] == -2 && seen[2] == 3 && seen[3] == -4 && seen[4] == 5 &&
	   seen[5] == -6, "six arguments arrive");

	makecontext(&one, (void (*)(void))twelve, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -12);
	swapcontext(&main_context, &one);
	for (int i = 0; i < 11; i++)
		right &= seen[i] == i + 1;
	ok(right && seen[11] == -12, "twelve arguments arrive");

	makecontext(&one, (void (*)(void))pointer, 1, &target);
	swapcontext(&main_context, &one);
	is(target, 77, "a pointer arrives as an argument, as programs expect here");
}

static void inner(void)
{
	swapcontext(&two, &one);
}

static void outer(void)
{
	make(&two, stack_two, &one, inner);
	swapcontext(&one, &two);
	swapcontext(&one, &two);
}

static void nested(void)
{
	uint64_t outer_id;

	make(&one, stack_one, &main_context, outer);
	watch_from_here();
	swapcontext(&main_context, &one);
	outer_id = next_switch()->id;
	is(next_switch()->parent, outer_id, "who makes another is its parent");
	is(next_switch()->id, outer_id, "who makes another is resumed by its own");
	ok(is_function(next_switch(), inner), "who makes another resumes it");
	is(next_switch()->id, outer_id, "the end of the other leads back to who made it");
	ok(is_thread(next_switch()), "the end of who made another leads back to the thread");
	ok(!next_switch(), "of a coroutine in another nothing else is told");
}

static void never_back(void)
{
	swapcontext(&one, &main_context);
	abort();
}

static void abandoned(void)
{
	const struct mock_event *event;
	bool slotless = false;

	watch_from_here();
	for (int i = 0; i < 5000; i++) {
		make(&one, stack_one, &main_context, never_back);
		swapcontext(&main_context, &one);
		while ((event = next_switch()))
			slotless |= event->slot == 1;
	}
	ok(!slotless, "a stack that is used again has no other coroutine");
}

static volatile int rounds;

static void by_setcontext(void)
{
	setcontext(&main_context);
}

/* main_context is saved by getcontext(): nobody is there to say who goes on. */
static void saved(void)
{
	watch_from_here();
	rounds = 0;
	getcontext(&main_context);
	if (!rounds++) {
		make(&one, stack_one, NULL, by_setcontext);
		setcontext(&one);
	}
	ok(is_function(next_switch(), by_setcontext), "setcontext() starts a coroutine");
	ok(is_thread(next_switch()), "setcontext() leaves a coroutine for the thread");
	is(rounds, 2, "setcontext() goes on in the thread's place");
}

static ucontext_t back;

static void wanders(void)
{
	for (;;)
		swapcontext(&one, &back);
}

static void *elsewhere(void *unused)
{
	swapcontext(&back, &one);
	return unused;
}

static void threads(void)
{
	const struct mock_event *event;
	pthread_t thread;
	uint64_t id;
	int tid;

	make(&one, stack_one, NULL, wanders);
	watch_from_here();
	swapcontext(&back, &one);
	event = next_switch();
	id = event->id;
	tid = event->tid;
	ok(is_thread(next_switch()), "a coroutine waits on one thread");
	pthread_create(&thread, NULL, elsewhere, NULL);
	pthread_join(thread, NULL);
	ok(is_thread(next_switch()), "another thread is told of");
	event = next_switch();
	ok(event->id == id && event->tid != tid, "another thread resumes a coroutine that waits");
	ok(is_thread(next_switch()), "another thread is told of when the coroutine waits");
}

static void copied(void)
{
	ucontext_t copy;

	make(&one, stack_one, &main_context, twice);
	swapcontext(&main_context, &one);
	copy = one;
	copy.uc_stack.ss_sp = NULL;
#ifdef __x86_64__
	copy.uc_mcontext.fpregs = &copy.__fpregs_mem;
#endif
	watch_from_here();
	swapcontext(&main_context, &copy);
	ok(is_function(next_switch(), twice), "a copy of a context is the same coroutine");
}

static ucontext_t later[3];
static char stack_later[3][STACK];
static int ran[3];

static void first(void)
{
	ran[0]++;
}

static void second(void)
{
	ran[1]++;
}

static void third(void)
{
	ran[2]++;
}

static void on_array(void)
{
	char array[STACK / 4];

	make_on(&two, array, sizeof(array), &one, first);
	swapcontext(&one, &two);
	make(&later[0], stack_later[0], &main_context, first);
}

/* The one below it returns all the same; what is made then has nothing of it. */
static void stack_within(void)
{
	make(&one, stack_one, &main_context, on_array);
	swapcontext(&main_context, &one);
	make(&later[1], stack_later[1], &main_context, second);
	make(&later[2], stack_later[2], &main_context, third);
	for (int i = 0; i < 3; i++)
		swapcontext(&main_context, &later[i]);
	ok(ran[0] == 2 && ran[1] == 1 && ran[2] == 1,
	   "a stack in an array of another coroutine leaves those made later their functions");
}

static void upper(void)
{
	swapcontext(&one, &main_context);
}

static void lower(void)
{
	swapcontext(&two, &main_context);
}

/* The memory of one that has ended is that of two others. */
static void halves(void)
{
	const struct mock_event *event;

	make(&one, stack_one, &main_context, twice);
	swapcontext(&main_context, &one);
	swapcontext(&main_context, &one);
	make_on(&one, stack_one + STACK / 2, STACK / 2, &main_context, upper);
	make_on(&two, stack_one, STACK / 2, &main_context, lower);
	watch_from_here();
	swapcontext(&main_context, &one);
	swapcontext(&main_context, &two);
	swapcontext(&main_context, &one);
	ok(is_function(next_switch(), upper) && is_thread(next_switch()) &&
	   is_function(next_switch(), lower) && is_thread(next_switch()) &&
	   is_function(next_switch(), upper), "halves of a stack where one has ended are two others'");
	event = next_switch();
	ok(is_thread(event) && has(event, COROPROF_SWITCH_END), "one of them has ended by itself");
	swapcontext(&main_context, &two);
}

#define MANY 20

static void makes_many(void)
{
	static ucontext_t many[MANY];
	static char stacks[MANY][STACK];

	for (int i = 0; i < MANY; i++)
		make(&many[i], stacks[i], &one, inner);
}

static void one_step(void)
{
	make(&one, stack_one, &main_context, makes_many);
	watch_from_here();
	swapcontext(&main_context, &one);
	ok(is_function(next_switch(), makes_many) && is_thread(next_switch()) && !next_switch(),
	   "a step that makes 20 others is one slice");
}

int main(void)
{
	record(true);
	life();
	one_step();
	arguments();
	nested();
	abandoned();
	saved();
	threads();
	copied();
	stack_within();
	halves();
	return tap_done();
}
