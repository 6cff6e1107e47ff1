// SPDX-License-Identifier: GPL-2.0
/*
 * Three kinds of coroutine that count 1 : 5 : 20 rows, in portions, and sleep in between.
 * Prints what each kind has counted: NAME ROWS.
 */
#include <coroprof/coroprof.h>
#include <stdio.h>
#include <unistd.h>

#define KINDS 3
#define ROUNDS 50

int main(void)
{
	static const char *const names[KINDS] = { "one", "five", "twenty" };
	static const uint64_t shares[KINDS] = { 1, 5, 20 };
	uint64_t rows[KINDS] = { 0 };
	coroprof_co kinds[KINDS];

	for (int i = 0; i < KINDS; i++)
		kinds[i] = coroprof_new(coroprof_label(names[i]), COROPROF_THREAD, 0);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < KINDS; i++) {
			coroprof_switch(kinds[i]);
			coroprof_count(shares[i] * 3);
			if (round % 10 == i)
				usleep(1000);
			coroprof_count(shares[i] * (round % 4));
			rows[i] += shares[i] * (3 + round % 4);
		}
		/* The thread's own, in no coroutine. */
		coroprof_switch(COROPROF_THREAD);
		coroprof_count(1000000);
	}
	for (int i = 0; i < KINDS; i++) {
		coroprof_done(kinds[i]);
		printf("%s %llu\n", names[i], (unsigned long long)rows[i]);
	}
	return 0;
}
