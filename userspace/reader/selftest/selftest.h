/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether what coroprof counts here is right: a program whose every coroutine is known is
 * recorded in each way there is, and the recordings are compared with what is known.
 */
#ifndef COROPROF_SELFTEST_H
#define COROPROF_SELFTEST_H

#include <stdbool.h>
#include <stdio.h>

enum selftest_status {
	SELFTEST_RIGHT = 0,
	SELFTEST_WRONG = 1,
	SELFTEST_PARTLY = 3,	/* nothing is wrong, but not all can be tested here */
};

/*
 * Prints a table and a verdict. @report: file for somebody who was not there, or NULL.
 * @by_ioctl: leave out what is about switching from user mode. Returns an enum selftest_status, or
 *            a negative errno when nothing can be tested.
 */
int selftest(FILE *out, const char *report, bool by_ioctl);

#endif /* COROPROF_SELFTEST_H */
