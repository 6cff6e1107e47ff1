/* SPDX-License-Identifier: GPL-2.0 */
/* The program that the self-test records: this one, called in a way of its own. */
#ifndef COROPROF_SELFTEST_WORKER_H
#define COROPROF_SELFTEST_WORKER_H

#include <stdbool.h>

/* The only argument but one: the descriptor of struct truth. */
#define WORKER_ARGUMENT	"--selftest-worker"

bool worker_is_meant(int argc, char **argv);
/* Returns the exit status of the program. */
int worker_run(const char *descriptor);

#endif /* COROPROF_SELFTEST_WORKER_H */
