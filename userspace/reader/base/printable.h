/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes text of unknown origin fit to be shown: labels and names are bytes that
 * a recorded program chose, and could steer a terminal.
 */
#ifndef COROPROF_PRINTABLE_H
#define COROPROF_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A copy of @size bytes, up to the first NUL, as valid UTF-8 without control or
 * direction-changing characters: those become escapes such as \x1b and \u202e,
 * bytes that are no UTF-8 become U+FFFD. NULL when out of memory.
 */
char *printable(const char *text, size_t size);

/* A name without characters: another one would have its signs spelled. */
#define PRINTABLE_NAMELESS	"\u27e8no name\u27e9"

/*
 * A copy of printable text that is a name, of which each character is to be seen, so that two
 * that differ look different: spaces but one between two words are U+2420, what is invisible,
 * other spaces and these signs themselves have their number, as in U+27E8 00ad U+27E9. NULL when
 * out of memory.
 */
char *printable_name(const char *text);

/* True if the text has only visible characters of ASCII, and no blank. */
bool printable_is_plain(const char *text);

/* The columns of a terminal that printable text takes. */
size_t printable_width(const char *text);

/* How many bytes of printable text fit into @width columns; *used: how many columns these take. */
size_t printable_fit(const char *text, size_t width, size_t *used);

/* How many of at most @most bytes are whole characters of UTF-8. */
size_t printable_cut(const char *text, size_t most);

#endif /* COROPROF_PRINTABLE_H */
