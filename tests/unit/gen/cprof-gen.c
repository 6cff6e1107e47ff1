// SPDX-License-Identifier: GPL-2.0
/* cprof-gen OUT.cprof [SCENARIO | SLICES]: writes a file of synthetic test data. */
#include <stdio.h>
#include <stdlib.h>

#include "gen/gen.h"

int main(int argc, char **argv)
{
	const char *const *name = gen_scenarios();
	uint64_t slices = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;

	if (slices && argv[1][0] != '-') {
		gen_slices(argv[1], slices);
		return 0;
	}
	if ((argc == 2 || argc == 3) && argv[1][0] != '-' &&
	    gen_scenario(argc == 3 ? argv[2] : "server", argv[1]))
		return 0;
	fprintf(stderr, "usage: cprof-gen OUT.cprof [SCENARIO | SLICES]\n"
		"Writes a recording of synthetic data, for tests: of about so many slices, or a scenario:\n");
	for (; *name; name++)
		fprintf(stderr, "  %-14s %s\n", *name, gen_scenario_text(*name));
	return 2;
}
