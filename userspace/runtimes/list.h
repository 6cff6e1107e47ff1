/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The adapters there are, by the names that coroprof-read --runtime takes. */
#ifndef RUNTIMES_LIST_H
#define RUNTIMES_LIST_H

#define RUNTIMES(DO)	\
	DO(boost)	\
	DO(erlang)	\
	DO(java)	\
	DO(lua)		\
	DO(node)	\
	DO(php)		\
	DO(python)	\
	DO(ruby)	\
	DO(tokio)	\
	DO(ucontext)

/* Names of those to be used, separated by commas, or "none"; all without it. */
#define RUNTIMES_ENV "COROPROF_RUNTIMES"
#define RUNTIMES_NONE "none"

/*
 * Functions of Python that are reported as spans: names of modules, separated by commas;
 * one with "-" before it is left out. None without it.
 */
#define FUNCTIONS_ENV "COROPROF_FUNCTIONS"
#define FUNCTIONS_ALL "all"

/* If it is set, and not to 0, threads are recorded from their begin, not from their first coroutine. */
#define THREADS_ENV "COROPROF_THREADS"

#endif /* RUNTIMES_LIST_H */
