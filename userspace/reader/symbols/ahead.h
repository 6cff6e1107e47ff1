/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions that the kernel carries out itself when a probe is at them: on arm64 branches
 * and those that take the program counter, on amd64 pushes. Of most others it has the thread
 * execute a copy, and stop a second time behind that.
 */
#ifndef COROPROF_AHEAD_H
#define COROPROF_AHEAD_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/function.h"

/* By their numbers in perf; of arm64 the last one is the stack pointer. */
#define AHEAD_REGISTERS 32
#define AHEAD_LOST UINT8_MAX

/**
 * struct ahead - such an instruction near the begin of a function
 * @by: how far it is from the first one, in bytes
 * @in: where that is which each register held there: a register, or AHEAD_LOST
 */
struct ahead {
	size_t by;
	uint8_t in[AHEAD_REGISTERS];
};

/*
 * @code: a whole function, for arm64 or amd64. True if whoever enters the function comes by
 * the instruction, unless what is before it faults; if the memory that these registers point
 * to is as it was, but for the function's own part of the stack; and if nothing in the
 * function goes on at an address that it computes. An instruction that is not known ends the
 * search.
 */
bool ahead_find(struct ahead *ahead, const unsigned char *code, size_t size, bool arm);

/*
 * True if an instruction of @code, which is at @address, branches to behind @from and not behind
 * @to. Bytes within an instruction may be taken for one.
 */
bool ahead_entered(const unsigned char *code, size_t size, uint64_t address, uint64_t from,
		   uint64_t to, bool arm);

/*
 * Both, for @location, a function's first instruction: whoever comes by the one comes by the
 * other, as often, because nothing in the file leads to between them, nor is a symbol there by
 * which another file may.
 */
bool ahead_of(struct ahead *ahead, Elf *elf, const struct code_location *location);

#endif /* COROPROF_AHEAD_H */
