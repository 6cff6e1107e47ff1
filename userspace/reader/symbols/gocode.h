/* SPDX-License-Identifier: GPL-2.0 */
/* Places within functions of Go, found in what its compiler writes. */
#ifndef COROPROF_GOCODE_H
#define COROPROF_GOCODE_H

#include <libelf.h>
#include <stdbool.h>

#include "symbols/function.h"

/*
 * Move @place from the function's first instruction to the one behind its look at how much
 * stack is left: if that is too little, or the goroutine is to yield, the function is entered
 * again after that. False if it has none.
 */
bool go_behind_check(struct place *place, Elf *elf);

/* Likewise to the instruction behind its first call of @callee; false if that is not near. */
bool go_behind_call(struct place *place, Elf *elf, const struct place *callee);

#endif /* COROPROF_GOCODE_H */
