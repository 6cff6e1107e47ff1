/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What has to be there before any test of a program makes sense. Without it
 * the whole program is skipped, with the reason and what to do.
 */
#ifndef _REQUIRE_H
#define _REQUIRE_H

#include "call.h"

/* Seconds for one test. It is there for tests that hang, and a busy machine is no such thing. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 300

__attribute__((constructor))
static void require_device(void)
{
	/* By the ids that open() goes by: a program may be set-user-id. */
	if (!faccessat(AT_FDCWD, COROPROF_DEVICE, R_OK | W_OK, AT_EACCESS))
		return;
	ksft_print_header();
	ksft_exit_skip("%s can't be opened: run 'modprobe coroprof', as root\n",
		       COROPROF_DEVICE);
}

#endif /* _REQUIRE_H */
