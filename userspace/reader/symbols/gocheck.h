/* SPDX-License-Identifier: GPL-2.0 */
/* The look at how much stack is left, with which most functions of Go begin. */
#ifndef COROPROF_GOCHECK_H
#define COROPROF_GOCHECK_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct go_check - where it is, in bytes from the function's begin
 * @branch: the branch that is taken if too little is left
 * @behind: what comes next
 */
struct go_check {
	size_t branch;
	size_t behind;
};

/* @code: at least 12 bytes, from the begin of a function for arm64, or amd64, on */
bool go_check_find(struct go_check *check, const unsigned char *code, bool arm);

#endif /* COROPROF_GOCHECK_H */
