/* SPDX-License-Identifier: GPL-2.0 */
/* Places within functions of Go, found in what its compiler writes. */
#ifndef COROPROF_GOCODE_H
#define COROPROF_GOCODE_H

#include <libelf.h>
#include <stdbool.h>

#include "symbols/function.h"

/*
 * Move @location from the function's first instruction to the branch of its look at how much stack
 * is left (gocheck.h); false if it has none. Who comes by the one comes by the other, as often:
 * nobody branches to what is between them. And there all registers are as they were, but one
 * that no argument is in.
 *
 * It saves the kernel a lot at a probe, on both machines, in all kernels: a branch it carries
 * out itself, and goes on. For most other instructions it has the thread execute a copy of
 * the one that the breakpoint is in the place of, and stop again behind that.
 */
bool go_at_check(struct code_location *location, Elf *elf);

/*
 * Likewise to the instruction behind that: if there is too little stack, or the goroutine is to
 * yield, the function is entered again after that.
 */
bool go_behind_check(struct code_location *location, Elf *elf);

/* Likewise to the next call of @callee behind @location; false if its function has no more. */
bool go_next_call(struct code_location *location, Elf *elf, const struct code_location *callee);

/* Likewise to the instruction behind that. */
bool go_behind_call(struct code_location *location, Elf *elf, const struct code_location *callee);

#endif /* COROPROF_GOCODE_H */
