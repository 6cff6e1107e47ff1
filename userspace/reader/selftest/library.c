// SPDX-License-Identifier: GPL-2.0
/*
 * Starts the copy of libcoroprof that is linked into this program, and finds out whether the
 * calling thread switches from user mode.
 */
#include "../lib/internal.h"
#include "selftest/library.h"

void library_begin(void)
{
	coroprof_init_(0);
}

bool library_in_user_mode(void)
{
	return this_thread.user_mode;
}
