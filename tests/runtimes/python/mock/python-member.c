// SPDX-License-Identifier: GPL-2.0
/*
 * When a word of Python's objects is taken for the answer that Python gives: once it alone has
 * been that, often enough. The objects are the test's own.
 */
#include <string.h>

#include "tap.h"
#include "python/member.h"

#define TIMES 8

struct thing {
	PyObject head;
	const void *word[6];
	/* Of no object of that type. */
	const void *beyond;
};

static PyTypeObject type = { .basic_size = offsetof(struct thing, beyond) };
static PyObject answers[2 * TIMES];

static size_t place(int word)
{
	return offsetof(struct thing, word) + (size_t)word * sizeof(void *);
}

/* The n-th answer, which stands in the words of @first and of @second. */
static void learn(struct member *member, int n, int first, int second)
{
	struct thing thing = { .head = { .type = &type }, .beyond = &answers[n] };

	for (int i = 0; i < 6; i++)
		thing.word[i] = i == first || i == second ? &answers[n] : (void *)&thing;
	member_learn(member, &thing.head, &type, &answers[n]);
}

int main(void)
{
	struct thing thing = { .word = { [2] = &answers[0] } };
	struct member member = { 0 };

	for (int i = 0; i < TIMES - 1; i++)
		learn(&member, i, 2, 2);
	ok(!member.offset, "seven answers are not enough");
	learn(&member, TIMES - 1, 2, 2);
	ok(member.offset == place(2), "the word that was each of eight answers is known");
	ok(member_of(&member, &thing.head) == &answers[0], "and read");

	member = (struct member){ 0 };
	for (int i = 0; i < 2 * TIMES; i++)
		learn(&member, i, 1, 4);
	ok(!member.offset, "of two words that were, neither is known");
	learn(&member, 0, 4, 4);
	ok(member.offset == place(4), "until one was not");

	member = (struct member){ 0 };
	learn(&member, 0, 2, 2);
	for (int i = 1; i < 2 * TIMES; i++)
		learn(&member, i, 3, 3);
	ok(!member.offset, "a word that once was not is never known, nor is one that was not at first");

	member = (struct member){ 0 };
	for (int i = 0; i < 2 * TIMES; i++)
		learn(&member, i, 6, 6);
	ok(!member.offset, "what is behind an object is not looked at");

	member = (struct member){ 0 };
	for (int i = 0; i < 2 * TIMES; i++)
		member_learn(&member, &thing.head, &type, NULL);
	ok(!member.offset && !member.asked, "no answer is none");
	return tap_done();
}
