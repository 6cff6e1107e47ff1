/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where objects of a type that is in C, or has __slots__, keep an object that Python gives of them.
 * That differs between versions, and builds may have other objects. So none of it is known here: it
 * is looked for in objects of the program, beside Python's own answers, and taken for known once one
 * word of the object, and no other, was the answer each time. Until then, or if there is none such,
 * Python is asked.
 */
#ifndef PYTHON_MEMBER_H
#define PYTHON_MEMBER_H

#include "api.h"

#pragma GCC visibility push(hidden)

/**
 * struct member - such a place
 * @offset: where it is, or 0: not known
 * @asked:  so often was Python asked; as often as is enough: or more often
 * @words:  bit n: word n of the object was the answer each time
 */
struct member {
	size_t offset;
	unsigned int asked;
	uint64_t words;
};

/* Python's answer is @value, of an object of @type or of one derived from it; NULL: it had none. */
void member_learn(struct member *member, const PyObject *object, const PyTypeObject *type,
		  const PyObject *value);

/* No new reference; NULL if the object has none. Where it is has to be known. */
static inline PyObject *member_of(const struct member *member, const PyObject *object)
{
	return *(PyObject *const *)((uintptr_t)object + member->offset);
}

#pragma GCC visibility pop

#endif /* PYTHON_MEMBER_H */
