/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses to functions and lines: the locations of a model. */
#ifndef COROPROF_PROFILE_FRAMES_H
#define COROPROF_PROFILE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/model.h"

struct build;
struct frames;

/* Prepares to resolve addresses of one recording; NULL without memory. */
struct frames *frames_new(struct build *b);
void frames_free(struct frames *frames);
/**
 * struct location_chain - functions that an address is of, the outermost first
 * @rows: of locations, valid until the next is asked for
 * @nr:   how many
 */
struct location_chain {
	const uint32_t *rows;
	uint32_t nr;
};

/*
 * The locations of an address, the function at it and those it is inlined into. @call: the address
 * is one to return to, so that the call before it is resolved. Empty without memory.
 */
struct location_chain locations_of(struct frames *frames, uint32_t process, uint64_t address,
				   bool call);
/* The row of a location that stands for unknown frames, the kernel's, or others. */
uint32_t location_of_kind(struct frames *frames, enum model_frame_kind kind);
/* True if any location has a line, or is in an inlined function. */
bool frames_have_lines(const struct frames *frames);

#endif /* COROPROF_PROFILE_FRAMES_H */
