/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine's real-time clock: the one clock that is none of the kernel's, so that the
 * kernel's can be held against it.
 */
#ifndef COROPROF_SELFTEST_RTC_H
#define COROPROF_SELFTEST_RTC_H

#include <stdbool.h>
#include <stdint.h>

#include "selftest/result.h"

/**
 * struct rtc - the begin of one of its seconds
 * @known:   there is one, and it runs
 * @seconds: what it said
 * @ns:      CLOCK_MONOTONIC then
 */
struct rtc {
	bool known;
	uint64_t seconds;
	uint64_t ns;
};

/* Waits for the next second of the clock, and reads CLOCK_MONOTONIC then. */
struct rtc rtc_look(void);

/* Judges how far CLOCK_MONOTONIC went between @begin and a second that is waited for. */
void rtc_judge(const struct rtc *begin, struct results *results);

#endif /* COROPROF_SELFTEST_RTC_H */
