/* SPDX-License-Identifier: GPL-2.0 */
/* Registers by their numbers in asm/perf_regs.h. */
#ifndef COROPROF_REGS_H
#define COROPROF_REGS_H

#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/ptrace.h>

/* Returns the offset of a register in struct pt_regs, in bytes, or a negative errno. */
#if IS_ENABLED(CONFIG_X86)
static inline int coroprof_reg_offset(u32 reg)
{
#define AT(name) (offsetof(struct pt_regs, name) + 1)
	static const u16 at[] = {
		AT(ax), AT(bx), AT(cx), AT(dx), AT(si), AT(di), AT(bp), AT(sp), AT(ip),
		0, 0, 0, 0, 0, 0, 0,
		AT(r8), AT(r9), AT(r10), AT(r11), AT(r12), AT(r13), AT(r14), AT(r15),
	};
#undef AT

	if (reg >= ARRAY_SIZE(at))
		return -EINVAL;
	reg = array_index_nospec(reg, ARRAY_SIZE(at));
	return at[reg] ? at[reg] - 1 : -EINVAL;
}
#else
static_assert(offsetof(struct pt_regs, sp) == 31 * sizeof(u64));
static_assert(offsetof(struct pt_regs, pc) == 32 * sizeof(u64));

static inline int coroprof_reg_offset(u32 reg)
{
	return reg <= 32 ? (int)(reg * sizeof(u64)) : -EINVAL;
}
#endif

static inline u64 coroprof_reg(const struct pt_regs *regs, int offset)
{
	return *(const u64 *)((const char *)regs + offset);
}

#endif /* COROPROF_REGS_H */
