/* SPDX-License-Identifier: GPL-2.0 */
/* What every test of the reader begins with. */
#ifndef COROPROF_TEST_SUPPORT_H
#define COROPROF_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The text has these words in it, whatever is between them. */
static inline void assert_says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' does not say '%s'", text, words);
}

#endif /* COROPROF_TEST_SUPPORT_H */
