/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>

static int tap_number, tap_failed;

#define ok(condition, ...) do { \
	int tap_good = !!(condition); \
	tap_failed += !tap_good; \
	printf("%sok %d - ", tap_good ? "" : "not ", ++tap_number); \
	printf(__VA_ARGS__); \
	printf("\n"); \
	if (!tap_good) \
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
	fflush(stdout); \
} while (0)

#define is(got, expected, ...) do { \
	long long tap_got = (long long)(got), tap_expected = (long long)(expected); \
	ok(tap_got == tap_expected, __VA_ARGS__); \
	if (tap_got != tap_expected) \
		printf("# got %lld, expected %lld\n", tap_got, tap_expected); \
} while (0)

static inline int tap_done(void)
{
	printf("1..%d\n", tap_number);
	return tap_failed != 0;
}

#endif /* TAP_H */
