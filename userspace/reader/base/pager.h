/* SPDX-License-Identifier: GPL-2.0 */
/* Long text on a terminal goes through a program that shows it page by page, as git's does. */
#ifndef COROPROF_PAGER_H
#define COROPROF_PAGER_H

/*
 * From here on standard output goes to the pager: $COROPROF_PAGER, $PAGER, or less, which ends by
 * itself where all fits on one screen. None for "" and "cat", or where it can't be started: then
 * nothing changes.
 */
void pager_begin(void);

/* Waits until whoever reads has seen enough. */
void pager_end(void);

#endif /* COROPROF_PAGER_H */
