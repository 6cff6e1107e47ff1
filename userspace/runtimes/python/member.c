// SPDX-License-Identifier: LGPL-2.1-or-later
/* Learns where objects of a type keep a value. */
#include "member.h"

#define ENOUGH 8
#define WORDS_MAX 64

/* What is read is of the object, as big as its type says. */
static uint64_t words_with(const PyObject *object, const PyTypeObject *type, const PyObject *value)
{
	const PyObject *const *word = (const void *)object;
	size_t nr = (size_t)type->basic_size / sizeof(*word);
	uint64_t words = 0;

	for (size_t i = sizeof(*object) / sizeof(*word); i < nr && i < WORDS_MAX; i++)
		words |= (uint64_t)(word[i] == value) << i;
	return words;
}

void member_learn(struct member *member, const PyObject *object, const PyTypeObject *type,
		  const PyObject *value)
{
	if (!value)
		return;
	if (!member->asked)
		member->words = UINT64_MAX;
	if (member->asked < ENOUGH)
		member->asked++;
	member->words &= words_with(object, type, value);
	/* A word that another one always equals might be the other. */
	if (member->asked == ENOUGH && __builtin_popcountll(member->words) == 1)
		member->offset = (size_t)__builtin_ctzll(member->words) * sizeof(value);
}
