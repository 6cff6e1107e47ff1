/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors carry a text for the person at the terminal: what happened, what was
 * found, what is needed. A function that can fail takes a struct error *, never
 * NULL, fills it when it fails and returns the negative errno kept in @code.
 */
#ifndef COROPROF_ERROR_H
#define COROPROF_ERROR_H

/**
 * struct error - why something failed
 * @code:    an errno, positive; 0 as long as nothing has failed
 * @message: lines of text, without a newline at the end
 */
struct error {
	int code;
	char message[2048];
};

#define ERROR_NONE { 0, "" }

/* Fills @err and returns -code. */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As error_set() with errno, or EIO if that is 0, and puts ": " and its text after the message. */
int error_errno(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts more text, from a new line on, after the message; returns -code. */
int error_hint(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* COROPROF_ERROR_H */
