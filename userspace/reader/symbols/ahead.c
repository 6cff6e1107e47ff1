// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes instructions ahead of a probed one, to find one that the kernel emulates, behind which
 * the function is in the same state. Knows only what compilers write at the begin of functions.
 */
#include <gelf.h>
#include <string.h>

#include "base/util.h"
#include "symbols/ahead.h"

/* So many instructions are looked at. */
#define NEAR 16
/* None is of larger functions, nor of files with more code: what is read is kept for a while. */
#define FUNCTION_MOST (1u << 20)
#define TEXT_MOST (256u << 20)

#define SP 31

/* ---- arm64 */

enum effect {
	UNKNOWN,
	EMULATED,
	NOTHING,	/* but flags, or what is behind the stack pointer */
	SETS,		/* its register; 31 is none */
	SETS_PLAIN,	/* likewise; 31 is the stack pointer */
	SETS_TWO,
	COPIES,
	LOWERS,		/* the stack pointer */
	PUSHES,
	PUSHES_PAIR,
	SAVES,		/* in what the function has of the stack */
	SAVES_WORD,
	SAVES_PAIR,
};

/* The first that fits counts. */
static const struct {
	uint32_t mask, value;
	enum effect effect;
} effects[] = {
	{ 0x7c000000, 0x14000000, EMULATED },	/* b, bl */
	{ 0xff000010, 0x54000000, EMULATED },	/* b.cond */
	{ 0x7e000000, 0x34000000, EMULATED },	/* cbz, cbnz */
	{ 0x7e000000, 0x36000000, EMULATED },	/* tbz, tbnz */
	{ 0xfffffc1f, 0xd63f0000, EMULATED },	/* blr */
	{ 0xfffffc1f, 0xd65f0000, EMULATED },	/* ret */
	{ 0x1f000000, 0x10000000, EMULATED },	/* adr, adrp */
	{ 0xffffffff, 0xd503245f, NOTHING },	/* bti c */
	{ 0xffe0ffe0, 0xaa0003e0, COPIES },	/* mov x, x */
	{ 0xffc003ff, 0xd10003ff, LOWERS },	/* sub sp, sp, #n */
	{ 0xffe00fe0, 0xf8000fe0, PUSHES },	/* str x, [sp, #-n]! */
	{ 0xffc003e0, 0xa98003e0, PUSHES_PAIR }, /* stp x, x, [sp, #-n]! */
	{ 0xffc003e0, 0x6d8003e0, PUSHES_PAIR }, /* stp d, d, [sp, #-n]! */
	{ 0xffc003e0, 0xf90003e0, SAVES },	/* str x, [sp, #n] */
	{ 0xffc003e0, 0xb90003e0, SAVES_WORD },	/* str w, [sp, #n] */
	{ 0xffc003e0, 0xa90003e0, SAVES_PAIR },	/* stp x, x, [sp, #n] */
	{ 0xffc003e0, 0x6d0003e0, SAVES_PAIR },	/* stp d, d, [sp, #n] */
	{ 0x3f800000, 0x11000000, SETS_PLAIN },	/* add, sub of a number */
	{ 0x3f800000, 0x31000000, SETS },	/* adds, subs, cmp */
	{ 0x7f800000, 0x72000000, SETS },	/* ands, tst */
	{ 0x1f800000, 0x12000000, SETS_PLAIN },	/* and, orr, eor of a number */
	{ 0x1f800000, 0x12800000, SETS },	/* movn, movz, movk */
	{ 0x7f800000, 0x13000000, SETS },	/* sbfm */
	{ 0x7f800000, 0x53000000, SETS },	/* ubfm */
	{ 0x1f000000, 0x0a000000, SETS },	/* and, orr, eor, ands, mov w, w */
	{ 0x1f200000, 0x0b000000, SETS },	/* add, sub, adds, subs */
	{ 0x3fe00000, 0x2b200000, SETS },	/* adds, subs, of parts of registers */
	{ 0xbfc00000, 0xb9400000, SETS },	/* ldr w, ldr x */
	{ 0xbfc00000, 0x39400000, SETS },	/* ldrb, ldrh */
	{ 0xffc00000, 0xb9800000, SETS },	/* ldrsw */
	{ 0xbfe00c00, 0xb8400000, SETS },	/* ldur w, ldur x */
	{ 0xbffffc00, 0x88dffc00, SETS },	/* ldar */
	{ 0xffc00000, 0xa9400000, SETS_TWO },	/* ldp x, x */
};

/**
 * struct code_walk - through the begin of a function
 * @frame: how far it has lowered the stack pointer
 * @holds: of which register each one holds what that held, or AHEAD_LOST
 */
struct code_walk {
	uint32_t frame;
	uint8_t holds[AHEAD_REGISTERS];
};

static enum effect effect_of(uint32_t code)
{
	for (size_t i = 0; i < ARRAY_SIZE(effects); i++)
		if ((code & effects[i].mask) == effects[i].value)
			return effects[i].effect;
	return UNKNOWN;
}

static void lose_register(struct code_walk *walk, uint32_t reg)
{
	if (reg != SP)
		walk->holds[reg] = AHEAD_LOST;
}

/*
 * The function's own part of the stack grows by @by bytes, so the stack pointer holds another
 * value.
 */
static bool move_stack_down(struct code_walk *walk, uint32_t by)
{
	walk->frame += by;
	walk->holds[SP] = AHEAD_LOST;
	return true;
}

/* A signed number of @bits bits at bit @at: how far it is below 0; 0 if it is not. */
static uint32_t negative_distance(uint32_t code, unsigned int at, unsigned int bits)
{
	uint32_t number = code >> at & ((1u << bits) - 1);

	return number >> (bits - 1) ? (1u << bits) - number : 0;
}

static bool push_bytes(struct code_walk *walk, uint32_t by)
{
	return by && move_stack_down(walk, by);
}

/* @at: the place in units of @size bytes, @nr: how many units are written. */
static bool is_save_in_frame(const struct code_walk *walk, uint32_t at, uint32_t size, uint32_t nr)
{
	return (at + nr) * size <= walk->frame;
}

/* False if it is not known what the instruction does. */
static bool pass_instruction(struct code_walk *walk, uint32_t code, enum effect effect)
{
	uint32_t reg = code & 31, imm12 = code >> 10 & 4095, imm7 = code >> 15 & 127;

	switch (effect) {
	case NOTHING:
		return true;
	case SETS_PLAIN:
		lose_register(walk, reg);
		return reg != SP;
	case SETS_TWO:
		lose_register(walk, code >> 10 & 31);
		lose_register(walk, reg);
		return true;
	case SETS:
		lose_register(walk, reg);
		return true;
	case COPIES:
		if (reg != SP)
			walk->holds[reg] = (code >> 16 & 31) == SP ? AHEAD_LOST :
								     walk->holds[code >> 16 & 31];
		return true;
	case LOWERS:
		return move_stack_down(walk, imm12);
	case PUSHES:
		return push_bytes(walk, negative_distance(code, 12, 9));
	case PUSHES_PAIR:
		return push_bytes(walk, 8 * negative_distance(code, 15, 7));
	case SAVES:
		return is_save_in_frame(walk, imm12, 8, 1);
	case SAVES_WORD:
		return is_save_in_frame(walk, imm12, 4, 1);
	case SAVES_PAIR:
		return imm7 < 64 && is_save_in_frame(walk, imm7, 8, 2);
	default:
		return false;
	}
}

static void note_registers(struct ahead *ahead, const struct code_walk *walk)
{
	memset(ahead->in, AHEAD_LOST, sizeof(ahead->in));
	for (uint32_t i = AHEAD_REGISTERS; i--;)
		if (walk->holds[i] != AHEAD_LOST)
			ahead->in[walk->holds[i]] = (uint8_t)i;
	/* Rather where it was. */
	for (uint32_t i = 0; i < AHEAD_REGISTERS; i++)
		if (walk->holds[i] == i)
			ahead->in[i] = (uint8_t)i;
}

/* True of br or braa, as for a switch statement, which may lead anywhere in the function. */
static bool jumps_arm(const unsigned char *code, size_t size)
{
	for (size_t at = 0; at + 4 <= size; at += 4)
		if ((u32_at(code + at) & 0xfefff000) == 0xd61f0000)
			return true;
	return false;
}

static bool find_arm(struct ahead *ahead, const unsigned char *code, size_t size)
{
	struct code_walk walk = { 0 };
	enum effect effect;

	for (uint8_t i = 0; i < AHEAD_REGISTERS; i++)
		walk.holds[i] = i;
	for (size_t at = 0; at < 4 * NEAR && at + 4 <= size; at += 4) {
		effect = effect_of(u32_at(code + at));
		if (effect == EMULATED) {
			ahead->by = at;
			note_registers(ahead, &walk);
			return at && !jumps_arm(code, size);
		}
		if (!pass_instruction(&walk, u32_at(code + at), effect))
			return false;
	}
	return false;
}

/*
 * The signed distance in bytes that is stored in the @bits bits at @at of @code, in units of an
 * instruction.
 */
static uint64_t branch_distance(uint32_t code, unsigned int at, unsigned int bits)
{
	uint64_t sign = 1ull << (bits - 1);

	return (((code >> at & ((1ull << bits) - 1)) ^ sign) - sign) * 4;
}

/* The distance in bytes of a branch; 0 if the instruction is none. */
static uint64_t branch_arm(uint32_t code)
{
	if ((code & 0x7c000000) == 0x14000000)
		return branch_distance(code, 0, 26);
	if ((code & 0xff000000) == 0x54000000 || (code & 0x7e000000) == 0x34000000)
		return branch_distance(code, 5, 19);
	if ((code & 0x7e000000) == 0x36000000)
		return branch_distance(code, 5, 14);
	return 0;
}

/* Distances are modulo 2^64, as addresses are. */
static bool is_between(uint64_t target, uint64_t from, uint64_t to)
{
	return target - from - 1 < to - from;
}

static bool is_entered_arm(const unsigned char *code, size_t size, uint64_t address, uint64_t from,
			   uint64_t to)
{
	for (size_t at = 0; at + 4 <= size; at += 4) {
		uint64_t by = branch_arm(u32_at(code + at));

		if (by && is_between(address + at + by, from, to))
			return true;
	}
	return false;
}

/* ---- amd64 */

/* True of push, of any register. */
static bool is_push(const unsigned char *code)
{
	return (code[0] & 0xf8) == 0x50 || (code[0] == 0x41 && (code[1] & 0xf8) == 0x50);
}

/* True if a jump to an address in a register or in memory may begin at any byte. */
static bool jumps_x86(const unsigned char *code, size_t size)
{
	for (size_t at = 0; at + 2 <= size; at++)
		if (code[at] == 0xff && (code[at + 1] >> 3 & 6) == 4)
			return true;
	return false;
}

/* After endbr64, which does nothing if the function was called, a push is what is looked for. */
static bool find_x86(struct ahead *ahead, const unsigned char *code, size_t size)
{
	if (size < 6 || u32_at(code) != 0xfa1e0ff3 || !is_push(code + 4))
		return false;
	ahead->by = 4;
	for (uint8_t i = 0; i < AHEAD_REGISTERS; i++)
		ahead->in[i] = i;
	return !jumps_x86(code, size);
}

/* True of instructions with a distance of one byte: jmp, jcc, loop, jrcxz. */
static bool has_short_distance(unsigned char code)
{
	return code == 0xeb || (code & 0xf0) == 0x70 || (code & 0xfc) == 0xe0;
}

/* True of instructions with a distance of four bytes: call, jmp, and, behind 0x0f, jcc. */
static bool has_long_distance(unsigned char code)
{
	return (code & 0xfe) == 0xe8 || (code & 0xf0) == 0x80;
}

static bool is_entered_x86(const unsigned char *code, size_t size, uint64_t address, uint64_t from,
			   uint64_t to)
{
	uint64_t next;

	for (size_t at = 0; at + 2 <= size; at++) {
		next = address + at;
		if (has_short_distance(code[at]) &&
		    is_between(next + 2 + (uint64_t)(int8_t)code[at + 1], from, to))
			return true;
		if (at + 5 <= size && has_long_distance(code[at]) &&
		    is_between(next + 5 + (uint64_t)(int32_t)u32_at(code + at + 1), from, to))
			return true;
	}
	return false;
}

/* ---- both */

bool ahead_find(struct ahead *ahead, const unsigned char *code, size_t size, bool arm)
{
	return arm ? find_arm(ahead, code, size) : find_x86(ahead, code, size);
}

bool ahead_entered(const unsigned char *code, size_t size, uint64_t address, uint64_t from,
		   uint64_t to, bool arm)
{
	return arm ? is_entered_arm(code, size, address, from, to) :
		     is_entered_x86(code, size, address, from, to);
}

static const unsigned char *bytes_at(Elf *elf, uint64_t offset, uint64_t size, uint64_t most)
{
	const Elf_Data *data = size && size <= most ?
			       elf_getdata_rawchunk(elf, (int64_t)offset, size, ELF_T_BYTE) : NULL;

	return data ? data->d_buf : NULL;
}

/* True, too, if a part of the code can't be read. */
static bool is_entered(Elf *elf, const struct code_location *location, size_t by, bool arm)
{
	uint64_t left = TEXT_MOST;
	const unsigned char *code;
	GElf_Phdr header;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return true;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, (int)i, &header))
			return true;
		if (header.p_type != PT_LOAD || !(header.p_flags & PF_X) || !header.p_filesz)
			continue;
		code = bytes_at(elf, header.p_offset, header.p_filesz, left);
		left -= code ? header.p_filesz : 0;
		if (!code || ahead_entered(code, header.p_filesz, header.p_vaddr, location->address,
					   location->address + by, arm))
			return true;
	}
	return false;
}

bool ahead_of(struct ahead *ahead, Elf *elf, const struct code_location *location)
{
	const unsigned char *code = bytes_at(elf, location->offset, location->size,
					     FUNCTION_MOST);
	GElf_Ehdr header;
	bool arm;

	if (!code || !gelf_getehdr(elf, &header))
		return false;
	arm = header.e_machine == EM_AARCH64;
	return (arm || header.e_machine == EM_X86_64) &&
	       ahead_find(ahead, code, location->size, arm) &&
	       !function_has_entry(location, elf, ahead->by) &&
	       !is_entered(elf, location, ahead->by, arm);
}
