// SPDX-License-Identifier: LGPL-2.1-or-later
/* The program's own counter: a word in the slot that stands for the thread. */
#include "arch.h"
#include "internal.h"

/*
 * The word may be another process object's by now, with no memory behind it, if the program
 * has closed the library's descriptors.
 */
EXPORT void coroprof_count(uint64_t value)
{
	const struct thread *self = &this_thread;
	uint64_t *word = self->word;

	if (word && self->group == coroprof_generation_here())
		arch_add(word, value);
}
