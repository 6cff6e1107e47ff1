/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of the HTML report: arrays of the model, column by column. */
#ifndef COROPROF_HTML_TABLES_H
#define COROPROF_HTML_TABLES_H

#include "base/json.h"

struct model;

/* Each writes one value, an object. */
void html_total(struct json *j, const struct model *model);
void html_threads(struct json *j, const struct model *model);
void html_labels(struct json *j, const struct model *model);
void html_coroutines(struct json *j, const struct model *model);
void html_timeline(struct json *j, const struct model *model);
void html_wakes(struct json *j, const struct model *model);
/* Each writes an object's members. */
void html_samples(struct json *j, const struct model *model);
void html_spans(struct json *j, const struct model *model);

#endif /* COROPROF_HTML_TABLES_H */
