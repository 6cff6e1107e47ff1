/* SPDX-License-Identifier: GPL-2.0 */
/* A command, run several times. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

/**
 * struct command - what running it took
 * @seconds: wall time of the quickest run
 * @cpu:     seconds of processor time of the run with the least
 * @peak:    bytes of memory, of the run with the most
 */
struct command {
	double seconds;
	double cpu;
	double peak;
};

/* Its output is thrown away. 0, or a negative errno; -ECHILD: it failed. */
int command_run(struct command *command, const char *const argv[], unsigned int times);

#endif /* BENCH_COMMAND_H */
