/* SPDX-License-Identifier: GPL-2.0 */
/* A loop of a known number of instructions, for programs of which the truth is known. */
#ifndef ROUNDS_H
#define ROUNDS_H

/* Three instructions a round. */
static void rounds(unsigned long n)
{
#if defined(__aarch64__)
	__asm__ volatile("1: nop\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__x86_64__)
	__asm__ volatile("1: nop\n\tsubq $1, %0\n\tjne 1b" : "+r"(n) : : "cc");
#endif
}

#endif
