/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of functions from the symbol tables of object files, .gnu_debugdata included, and lines
 * from their debug information: the object's own, or that of the separate debug file its build id
 * or debug link names. Nothing is fetched from anywhere. All of it is read in a process without
 * rights (jail.h): an object file that harms it costs its own names, and no more.
 */
#ifndef COROPROF_SYMBOLS_H
#define COROPROF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "symbols/lines.h"

struct symbols;

/* Reasons of an object file that is here, and can be read. */
#define SYMBOLS_NONE		"the object file has no symbols, and no debug file for it was found"
#define SYMBOLS_NO_FUNCTION	"no function of the object file has this address"

/*
 * Whether that is why there is no name: one that is stripped may still have those that it exports.
 */
static inline bool symbols_are_missing(const char *reason)
{
	return !strcmp(reason, SYMBOLS_NONE) || !strcmp(reason, SYMBOLS_NO_FUNCTION);
}

/**
 * struct symbols_location - what is known of code in an object file
 * @name:   of the function, demangled: to be freed
 * @nr:     how many of @locations; 0 where there is no debug information
 * @locations: the functions that the code there is of, with those put into others, and its lines:
 *          see lines_find(); names are demangled. They stay until the next call
 */
struct symbols_location {
	char *name;
	unsigned int nr;
	struct source_location locations[LINES_DEPTH];
};

/**
 * struct symbols_source - where names come from: object files, or a list (given.h)
 * @find:        see symbols_find()
 * @find_at:     see symbols_find_at()
 * @lines_fault: see symbols_lines_fault()
 * @free:        all of it
 */
struct symbols_source {
	const char *(*find)(struct symbols *symbols, const char *object, const uint8_t *build_id,
			    size_t build_id_len, uint64_t address, char **name);
	const char *(*find_at)(struct symbols *symbols, const char *object,
			       const uint8_t *build_id, size_t build_id_len, uint64_t offset,
			       bool lines, struct symbols_location *found);
	const char *(*lines_fault)(const struct symbols *symbols);
	void (*free)(struct symbols *symbols);
};

/* Each source has its own behind that. */
struct symbols {
	const struct symbols_source *source;
};

/* Objects are looked for below @root; NULL for "/". NULL when out of memory. */
struct symbols *symbols_new(const char *root);

static inline void symbols_free(struct symbols *symbols)
{
	if (symbols)
		symbols->source->free(symbols);
}

/*
 * The name of the function that has @address, demangled, in *name: the caller
 * frees it. Of what Go makes to begin another one by, that of the other.
 * Returns NULL, or why there is none (a text that stays): then *name is NULL.
 * With a @build_id the object must have the same.
 */
static inline const char *symbols_find(struct symbols *symbols, const char *object,
				       const uint8_t *build_id, size_t build_id_len,
				       uint64_t address, char **name)
{
	return symbols->source->find(symbols, object, build_id, build_id_len, address, name);
}

/*
 * Likewise, for a place in the object file: what a mapping of it is in. With @lines these are
 * looked for, too; what debug information does to its reader costs lines alone.
 */
static inline const char *symbols_find_at(struct symbols *symbols, const char *object,
					  const uint8_t *build_id, size_t build_id_len,
					  uint64_t offset, bool lines,
					  struct symbols_location *found)
{
	return symbols->source->find_at(symbols, object, build_id, build_id_len, offset, lines,
					found);
}

/* Why lines of some code are not known although they may be there, or NULL. */
static inline const char *symbols_lines_fault(const struct symbols *symbols)
{
	return symbols->source->lines_fault(symbols);
}

#endif /* COROPROF_SYMBOLS_H */
