/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a process may open the device, by its ids and capabilities. */
#ifndef COROPROF_ACCESS_H
#define COROPROF_ACCESS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * True if the process may not open the device. Sets @user: as whom it runs. False, too, if that is
 * not known.
 */
bool access_denied(pid_t pid, char user[PATH_MAX]);

/* Adds to @err that @who may not open the device, and the command that gives @user the right. */
void access_report(const char *user, const char *who, struct error *err);

#endif /* COROPROF_ACCESS_H */
