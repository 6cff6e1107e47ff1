/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses to functions and lines: the locations of a model. */
#ifndef COROPROF_PROFILE_FRAMES_H
#define COROPROF_PROFILE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/model.h"

struct build;
struct frames;

/* What is known of addresses of one recording; NULL when out of memory. */
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
 * Those of @address, of the instruction that ran there, or of the call before it. None
 * when out of memory.
 */
struct location_chain locations_of(struct frames *frames, uint32_t process, uint64_t address,
				   bool call);
/* The row of a location that stands for something else. */
uint32_t location_of_kind(struct frames *frames, enum model_frame_kind kind);
/* Whether a line is known, or a function put into another. */
bool frames_have_lines(const struct frames *frames);

#endif /* COROPROF_PROFILE_FRAMES_H */
