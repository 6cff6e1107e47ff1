// SPDX-License-Identifier: GPL-2.0
/* Work of a known number of instructions, for Python to call: three a round. */
void spin(unsigned long rounds);

void spin(unsigned long rounds)
{
#if defined(__aarch64__)
	__asm__ volatile("1: nop\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
#elif defined(__x86_64__)
	__asm__ volatile("1: nop\n\tsubq $1, %0\n\tjne 1b" : "+r"(rounds) : : "cc");
#endif
}
