/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The adapters there are, by the names that coroprof-read --runtime takes. */
#ifndef RUNTIMES_LIST_H
#define RUNTIMES_LIST_H

#define RUNTIMES(DO)	\
	DO(boost)	\
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

#endif /* RUNTIMES_LIST_H */
