/* SPDX-License-Identifier: GPL-2.0 */
/* coroprof check. */
#ifndef COROPROF_CHECK_H
#define COROPROF_CHECK_H

#include <stdio.h>

/*
 * Says what is there and what is missing for recording on this machine. 0 when
 * recording works, 1 when it does not.
 */
int check_print(FILE *out);

#endif /* COROPROF_CHECK_H */
