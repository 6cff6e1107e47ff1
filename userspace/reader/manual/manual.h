/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program "manual" runs where coroprof is built, whatever it is built for, and is not
 * installed. It writes the parts of manual pages that describe what the code describes itself:
 * options, and columns of tables. They go to standard output, as troff.
 */
#ifndef COROPROF_MANUAL_H
#define COROPROF_MANUAL_H

/* Text in which a hyphen can be copied, and no character is one of troff's own. */
void manual_put(const char *text);

void manual_commands(void);
void manual_options(void);
void manual_standings(void);
void manual_tables(void);

#endif /* COROPROF_MANUAL_H */
