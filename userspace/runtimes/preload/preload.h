/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The preload library: it stands between a program and the functions by which
 * its runtime switches coroutines, and reports that to libcoroprof, a copy of which it
 * contains. A program of any other kind is left alone.
 */
#ifndef PRELOAD_H
#define PRELOAD_H

/* The function of that name that the program would have got without us. */
void *preload_next(const char *name);

#endif /* PRELOAD_H */
