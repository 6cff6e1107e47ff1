// SPDX-License-Identifier: GPL-2.0
/*
 * lines-gen OUT.cprof OBJECT BEGIN END [twice]: a recording made up, with a sample at each
 * address of OBJECT from BEGIN up to END, where it is mapped as it is in its file. Which lines
 * these are of, other programs can tell. With "twice", every third address is another
 * label's, and each even one was called from itself: its lines are on the stack twice.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cprof/format.h"
#include "gen/gen.h"

#define START	1000000000ULL
#define STEP	1000ULL

static void write_map(struct gen *g, const char *object)
{
	struct {
		struct cprof_maps head;
		struct cprof_map map;
		char path[4096];
	} list = {
		.head = { .process_id = 1, .pid = 77, .time = START },
		.map = { .start = 0, .end = 1u << 24 },
	};

	snprintf(list.path, sizeof(list.path), "%s", object);
	list.map.path_len = (uint16_t)strlen(list.path);
	list.map.size = (uint32_t)(sizeof(list.map) + (list.map.path_len + 7u) / 8 * 8);
	gen_segment(g, CPROF_SEGMENT_MAPS, &list, (uint32_t)sizeof(list.head) + list.map.size);
}

static uint32_t is_other(uint64_t at, bool twice)
{
	return twice && at % 3 == 0;
}

int main(int argc, char **argv)
{
	uint64_t begin, end, time = START + STEP;
	bool twice = argc > 5 && !strcmp(argv[5], "twice");
	struct gen *g;

	if (argc < 5) {
		fputs("usage: lines-gen OUT.cprof OBJECT BEGIN END [twice]\n", stderr);
		return 2;
	}
	begin = strtoull(argv[3], NULL, 0);
	end = strtoull(argv[4], NULL, 0);
	g = gen_open(argv[1]);
	gen_info(g, "sample_event", "cycles");
	gen_info(g, "sample_period", "1000");
	gen_process(g, 1, 77, "lines", START);
	gen_label(g, 1, 1, "work", 4);
	gen_label(g, 1, 2, "other", 5);
	gen_channel(g, 1, 1, 77, "lines", START, NULL, 0);
	write_map(g, argv[2]);
	for (uint64_t at = begin; at < end; at++, time += STEP)
		gen_sample(g, 1, &(struct gen_sample){
			.time = time, .id = 1 + is_other(at, twice),
			.label = 1 + is_other(at, twice),
			.address = { at, twice && at % 2 == 0 ? at + 1 : 0 },
		});
	for (uint32_t id = 1; id <= 1u + twice; id++, time += STEP)
		gen_slice(g, 1, &(struct gen_slice){
			.slot = id, .id = id, .label = id, .time = time,
			.duration = id == 1 ? time - START : STEP,
		});
	gen_close(g, true);
	return 0;
}
