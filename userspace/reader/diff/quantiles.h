/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Quantiles of what takes long, of recordings: they are times, which several runs of each side
 * alone can distinguish (runs.h).
 */
#ifndef COROPROF_DIFF_QUANTILES_H
#define COROPROF_DIFF_QUANTILES_H

#include "diff/entities.h"

/*
 * Adds changes of @of, and tests of those that there are, such as "p99" of running time.
 * @labels: things of the table of labels. They return 0, or -1 when out of memory.
 */
int quantiles_of_labels(struct model *to, const struct model *const models[MODEL_AGES],
			const struct entities *labels);
/* Of spans whose name is that of one span in each recording. */
int quantiles_of_spans(struct model *to, const struct model *const models[MODEL_AGES]);

#endif /* COROPROF_DIFF_QUANTILES_H */
