// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory for spans. A stack consists of pieces, each as large as all before it,
 * that never move: a signal handler may make it grow while the code it came into
 * fills in a frame further down. What is not in use is kept by size.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

#define SUPPLY ((size_t)1 << 20)
#define SIZES (FRAME_PIECES + 1)

/* What a piece that nobody has begins with. */
struct unused_piece {
	struct unused_piece *next;
};

struct stack_table coroprof_stacks;

static struct unused_piece *unused[SIZES];
static char *supply;
static size_t supply_left;

/*
 * The table by coroutines, for the first coroutine that has a span. Without
 * memory for it the spans of coroutines are not even counted, ever.
 */
static void make_table(void)
{
	uint32_t limit = coroprof_entries_limit();
	static bool asked;
	void *memory;

	coroprof_lock();
	if (!asked) {
		asked = true;
		memory = mmap(NULL, limit * sizeof(struct stacks), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED) {
			coroprof_debug("no memory for spans of %u coroutines", limit);
		} else {
			coroprof_stacks.of = memory;
			__atomic_store_n(&coroprof_stacks.limit, limit - ENTRY_SLOTLESS - 1,
					 __ATOMIC_RELEASE);
		}
	}
	coroprof_unlock();
}

/* Of a coroutine for which the quick look found nothing; NULL: it has none. */
struct stacks *coroprof_stacks_of(coroprof_co co)
{
	if (co == COROPROF_THREAD)
		return &this_thread.stacks;
	if (co <= ENTRY_SLOTLESS || co >= coroprof_entries_limit())
		return NULL;
	make_table();
	return co - ENTRY_SLOTLESS - 1 < coroprof_stacks.limit ? &coroprof_stacks.of[co] : NULL;
}

/* Piece 0 is the first one, with the list of the others; piece n is other[n - 1]. */
static size_t size_of(unsigned int piece)
{
	return piece ? sizeof(struct frame) << (FRAMES_FIRST_SHIFT + piece - 1) :
		       sizeof(struct frames);
}

static void *piece_take(unsigned int piece)
{
	struct unused_piece *memory = unused[piece];
	size_t size = size_of(piece);

	if (memory) {
		unused[piece] = memory->next;
		return memset(memory, 0, size);
	}
	if (supply_left < size) {
		memory = mmap(NULL, SUPPLY, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
		supply = (char *)memory;
		supply_left = SUPPLY;
	}
	supply += size;
	supply_left -= size;
	return supply - size;
}

static void piece_give(unsigned int piece, void *memory)
{
	struct unused_piece *given = memory;

	if (!given)
		return;
	given->next = unused[piece];
	unused[piece] = given;
}

static bool add_piece(struct stack *stack)
{
	unsigned int piece = 0;
	void *memory;

	while (stack->room >> (FRAMES_FIRST_SHIFT + piece))
		piece++;
	if (piece == SIZES)
		return false;
	memory = piece_take(piece);
	if (!memory)
		return false;
	if (piece)
		stack->frames->other[piece - 1] = memory;
	else
		stack->frames = memory;
	stack->room = 1u << (FRAMES_FIRST_SHIFT + piece);
	return true;
}

/* Makes room for a frame. The lock keeps handlers of the same thread away, too. */
bool coroprof_stack_grow(struct stack *stack, uint32_t index)
{
	static bool reported;
	bool enough;

	coroprof_lock();
	while (index >= stack->room && add_piece(stack))
		;
	enough = index < stack->room;
	if (!enough && !reported) {
		reported = true;
		coroprof_debug("spans in more than %u others are not recorded", stack->room);
	}
	coroprof_unlock();
	return enough;
}

static void forget(struct stack *stack)
{
	for (uint32_t i = 0; i < stack->depth && i < stack->room; i++)
		coroprof_frame_at(stack, i)->stamp = 0;
}

/* The totals of the coroutine start anew: what is open can't be known. */
void coroprof_spans_forget(uint32_t number)
{
	struct stacks *stacks = NULL;

	if (number == this_thread.slot)
		stacks = &this_thread.stacks;
	else if (number - ENTRY_SLOTLESS - 1 < coroprof_stacks.limit)
		stacks = &coroprof_stacks.of[number];
	if (!stacks)
		return;
	forget(&stacks->spans);
	forget(&stacks->calls);
}

static void stack_free(struct stack *stack)
{
	if (!stack->room)
		return;
	for (unsigned int i = 0; i < FRAME_PIECES; i++)
		piece_give(i + 1, stack->frames->other[i]);
	piece_give(0, stack->frames);
	stack->frames = NULL;
	stack->room = 0;
}

/* The thread exits. Spans may still end on it. */
void coroprof_spans_free(void)
{
	if (!this_thread.stacks.spans.room && !this_thread.stacks.calls.room)
		return;
	coroprof_lock();
	stack_free(&this_thread.stacks.spans);
	stack_free(&this_thread.stacks.calls);
	coroprof_unlock();
}
