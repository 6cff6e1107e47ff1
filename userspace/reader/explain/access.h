/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a process may open the device, by its ids and capabilities. */
#ifndef COROPROF_ACCESS_H
#define COROPROF_ACCESS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* It may not: @user is as whom it runs. False, too, if that can't be known. */
bool access_denied(pid_t pid, char user[PATH_MAX]);

/* Says so of @who, with what gives the right to @user. */
void access_report(const char *user, const char *who, struct error *err);

#endif /* COROPROF_ACCESS_H */
