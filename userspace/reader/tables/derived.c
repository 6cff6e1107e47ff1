// SPDX-License-Identifier: GPL-2.0
/*
 * Computes the sentences of a model that are derived from its figures: findings, why there are no
 * slices, what was not recorded, what was not measured.
 */
#include "tables/derived.h"
#include "tables/findings.h"
#include "tables/nothing.h"
#include "tables/unmeasured.h"
#include "tables/unrecorded.h"

int derived_make(struct model *model)
{
	return findings_make(model) || nothing_make(model) || unrecorded_make(model) ||
	       unmeasured_make(model) ? -1 : 0;
}
