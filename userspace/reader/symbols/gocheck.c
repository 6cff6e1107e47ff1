// SPDX-License-Identifier: GPL-2.0
/*
 * Recognises the check of the stack with which functions of Go begin, on amd64 and arm64, by its
 * bytes.
 */
#include "base/util.h"
#include "symbols/gocheck.h"

/* Both: against either of the goroutine's two limits, then a branch to where the stack grows. */

/* Matches cmp 16(%r14), %rsp, or 24; then jbe, with a short or a long distance. */
static bool find_check_x86(struct go_check *check, const unsigned char *code)
{
	uint32_t compare = u32_at(code);

	if (compare != 0x10663b49 && compare != 0x18663b49)
		return false;
	check->branch = 4;
	check->behind = code[4] == 0x76 ? 6 : 10;
	return code[4] == 0x76 || (code[4] == 0x0f && code[5] == 0x86);
}

/* Matches ldr x16, [x28, #16], or 24; cmp sp, x16; b.ls. */
static bool find_check_arm(struct go_check *check, const unsigned char *code)
{
	uint32_t load = u32_at(code);

	check->branch = 8;
	check->behind = 12;
	return (load == 0xf9400b90 || load == 0xf9400f90) && u32_at(code + 4) == 0xeb3063ff &&
	       (u32_at(code + 8) & 0xff00001f) == 0x54000009;
}

bool go_check_find(struct go_check *check, const unsigned char *code, bool arm)
{
	return arm ? find_check_arm(check, code) : find_check_x86(check, code);
}
