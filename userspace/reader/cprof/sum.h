/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checksum of payloads: against damage, not against attackers. It takes a
 * fifth of the instructions of a CRC, which were an eighth of those of reading.
 */
#ifndef COROPROF_SUM_H
#define COROPROF_SUM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Four sums begin as 1, 2, 3 and 4. The bytes, and zeroes up to a multiple of 32,
 * are words of 64 bits. Word n is added to sum n % 4: that is xored with it,
 * multiplied by 0x9e3779b97f4a7c15, and its upper half xored into its lower one. In
 * the same way the four sums are added to one that begins as the number of bytes.
 * The lower half of that is the checksum. No step forgets anything, so that a change
 * within one word always shows up to the last, which keeps half of the bits.
 */
uint32_t payload_sum(const void *data, size_t size);

#endif /* COROPROF_SUM_H */
