// SPDX-License-Identifier: GPL-2.0
/*
 * Waits for the real-time clock to take its next second, at both ends of the passes, and holds
 * CLOCK_MONOTONIC against it: within 2 s and 1 %.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "selftest/rtc.h"

#define RTC		"/sys/class/rtc/rtc0/since_epoch"
#define LOOKS_MAX	1000
#define LOOK_NS		5000000
/* On a machine without time to spare, the begin of a second is seen late. */
#define SLACK_NS	2000000000
#define SLACK_SHARE	100

static bool read_seconds(uint64_t *seconds)
{
	char text[32];

	if (!read_text(RTC, text, sizeof(text)))
		return false;
	*seconds = strtoull(text, NULL, 10);
	return true;
}

/* A look while the clock takes its next second may fail, so one failure is no proof. */
struct rtc rtc_look(void)
{
	const struct timespec time = { .tv_nsec = LOOK_NS };
	struct rtc rtc = { 0 };
	uint64_t seconds, first = 0;
	bool seen = false;

	if (access(RTC, R_OK))
		return rtc;
	for (int i = 0; i < LOOKS_MAX && !rtc.known; i++) {
		if (read_seconds(&seconds)) {
			first = seen ? first : seconds;
			seen = true;
			rtc.ns = monotonic_ns();
			rtc.seconds = seconds;
			rtc.known = seconds != first;
		}
		nanosleep(&time, NULL);
	}
	return rtc;
}

void rtc_judge(const struct rtc *begin, struct results *results)
{
	static const char check[] = "clock, beside the RTC";
	struct rtc end = { 0 };
	uint64_t passed, known;
	bool fits;

	if (begin->known)
		end = rtc_look();
	if (!end.known) {
		result_add(results, "beside", check, VERDICT_NONE,
			   "there is no real-time clock that runs (%s)", RTC);
		return;
	}
	passed = end.ns - begin->ns;
	known = (end.seconds - begin->seconds) * 1000000000;
	fits = passed + SLACK_NS + known / SLACK_SHARE >= known &&
	       passed <= known + SLACK_NS + known / SLACK_SHARE;
	result_add(results, "beside", check, fits ? VERDICT_RIGHT : VERDICT_WRONG,
		   "%.3f s of %.0f s (at most 2 s and 1 %%)%s", (double)passed / 1e9,
		   (double)known / 1e9, fits ? "" :
		   ": CLOCK_MONOTONIC jumps, or runs at a wrong rate, unless somebody has set the RTC meanwhile; see /sys/devices/system/clocksource/clocksource0");
}
