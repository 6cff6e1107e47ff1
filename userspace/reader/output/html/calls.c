// SPDX-License-Identifier: GPL-2.0
/* Samples and spans of the HTML report: tables by name, and trees of calls. */
#include "base/util.h"
#include "output/html/columns.h"
#include "output/html/tables.h"

static void object(struct json *j, const char *name,
		   const struct html_table *table,
		   const struct html_field *all, size_t nr)
{
	json_key(j, name);
	json_open(j, '{');
	json_key(j, "n");
	json_u64(j, table->n);
	html_fields(j, table, all, nr, 0);
}

/* ------------------------------------------------------------------------
 * samples
 */

static const struct html_field frame_fields[] = {
	HTML_FIELD(struct model_frame, own, HTML_U64),
	HTML_FIELD(struct model_frame, total, HTML_U64),
};

static uint64_t get_frame_kind(const struct html_source *source, uint32_t row)
{
	return source->table->model->frames[row].kind;
}

static void put_frames(struct json *j, const struct model *model)
{
	const struct html_table table = {
		.model = model,
		.rows = model->frames,
		.stride = sizeof(*model->frames),
		.n = model->nr_frames,
	};

	object(j, "frames", &table, frame_fields, ARRAY_SIZE(frame_fields));
	html_derived(j, &table, "kind", get_frame_kind);
	html_texts(j, &table, "name", offsetof(struct model_frame, name));
	html_texts(j, &table, "object", offsetof(struct model_frame, object));
	html_texts(j, &table, "unresolved",
		   offsetof(struct model_frame, unresolved));
	json_close(j, '}');
}

static const struct html_field label_frame_fields[] = {
	HTML_FIELD(struct model_label_frame, label, HTML_INDEX),
	HTML_FIELD(struct model_label_frame, frame, HTML_INDEX),
	HTML_FIELD(struct model_label_frame, own, HTML_U64),
	HTML_FIELD(struct model_label_frame, total, HTML_U64),
};

static void put_label_frames(struct json *j, const struct model *model)
{
	const struct html_table table = {
		.model = model,
		.rows = model->label_frames,
		.stride = sizeof(*model->label_frames),
		.n = model->nr_label_frames,
	};

	object(j, "by_label", &table, label_frame_fields,
	       ARRAY_SIZE(label_frame_fields));
	json_close(j, '}');
}

/* Total is own, and that of the nodes below: the page adds it up. */
static const struct html_field sample_node_fields[] = {
	HTML_FIELD(struct model_sample_node, label, HTML_INDEX),
	HTML_FIELD(struct model_sample_node, frame, HTML_INDEX),
	HTML_FIELD(struct model_sample_node, parent, HTML_INDEX),
	HTML_FIELD(struct model_sample_node, own, HTML_U64),
};

static void put_sample_tree(struct json *j, const struct model *model)
{
	const struct html_table table = {
		.model = model,
		.rows = model->sample_nodes,
		.stride = sizeof(*model->sample_nodes),
		.n = model->nr_sample_nodes,
	};

	object(j, "tree", &table, sample_node_fields,
	       ARRAY_SIZE(sample_node_fields));
	json_close(j, '}');
}

void html_samples(struct json *j, const struct model *model)
{
	put_frames(j, model);
	put_label_frames(j, model);
	put_sample_tree(j, model);
}

/* ------------------------------------------------------------------------
 * spans
 */

#define SUMS(member, name, kind) \
	{ name, offsetof(struct model_span_sums, member), kind }

static const struct html_field sums_fields[] = {
	SUMS(calls, "calls", HTML_U64),
	SUMS(wall_ns, "wall", HTML_U64),
	SUMS(own_wall_ns, "own_wall", HTML_U64),
	SUMS(running_ns, "running", HTML_U64),
	SUMS(own_running_ns, "own_running", HTML_U64),
	SUMS(at_most, "at_most", HTML_U8),
};

static const struct html_field outermost_field[] = {
	SUMS(outermost, "outermost", HTML_U64),
};

static void put_sums(struct json *j, const struct html_table *table,
		     size_t sums)
{
	html_fields(j, table, sums_fields, ARRAY_SIZE(sums_fields), sums);
	html_values(j, table, "values", table->value);
}

/* What those of the tree need not say: there all calls are outermost ones. */
static void put_table_sums(struct json *j, const struct html_table *table,
			   size_t sums, html_value_fn own)
{
	put_sums(j, table, sums);
	html_fields(j, table, outermost_field, ARRAY_SIZE(outermost_field),
		    sums);
	html_values(j, table, "own_values", own);
}

static struct model_value span_value(const struct model *model, uint32_t row,
				     uint32_t counter)
{
	return model_span_value(model, row, counter, false);
}

static struct model_value span_own(const struct model *model, uint32_t row,
				   uint32_t counter)
{
	return model_span_value(model, row, counter, true);
}

static const struct html_field span_fields[] = {
	HTML_FIELD(struct model_span, process, HTML_INDEX),
};

static void put_span_table(struct json *j, const struct model *model)
{
	const struct html_table table = {
		.model = model,
		.rows = model->spans,
		.stride = sizeof(*model->spans),
		.n = model->nr_spans,
		.value = span_value,
	};

	object(j, "table", &table, span_fields, ARRAY_SIZE(span_fields));
	put_table_sums(j, &table, offsetof(struct model_span, sums), span_own);
	html_texts(j, &table, "name", offsetof(struct model_span, name));
	html_texts(j, &table, "object", offsetof(struct model_span, object));
	html_texts(j, &table, "unresolved",
		   offsetof(struct model_span, unresolved));
	json_close(j, '}');
}

static struct model_value label_span_value(const struct model *model,
					   uint32_t row, uint32_t counter)
{
	return model_label_span_value(model, row, counter, false);
}

static struct model_value label_span_own(const struct model *model,
					 uint32_t row, uint32_t counter)
{
	return model_label_span_value(model, row, counter, true);
}

static const struct html_field label_span_fields[] = {
	HTML_FIELD(struct model_label_span, label, HTML_INDEX),
	HTML_FIELD(struct model_label_span, span, HTML_INDEX),
};

static void put_label_spans(struct json *j, const struct model *model)
{
	const struct html_table table = {
		.model = model,
		.rows = model->label_spans,
		.stride = sizeof(*model->label_spans),
		.n = model->nr_label_spans,
		.value = label_span_value,
	};

	object(j, "by_label", &table, label_span_fields,
	       ARRAY_SIZE(label_span_fields));
	put_table_sums(j, &table, offsetof(struct model_label_span, sums),
		       label_span_own);
	json_close(j, '}');
}

static struct model_value span_node_value(const struct model *model,
					  uint32_t row, uint32_t counter)
{
	return model_span_node_value(model, row, counter, false);
}

static const struct html_field span_node_fields[] = {
	HTML_FIELD(struct model_span_node, label, HTML_INDEX),
	HTML_FIELD(struct model_span_node, span, HTML_INDEX),
	HTML_FIELD(struct model_span_node, parent, HTML_INDEX),
};

static void put_span_tree(struct json *j, const struct model *model)
{
	const struct html_table table = {
		.model = model,
		.rows = model->span_nodes,
		.stride = sizeof(*model->span_nodes),
		.n = model->nr_span_nodes,
		.value = span_node_value,
	};

	object(j, "tree", &table, span_node_fields,
	       ARRAY_SIZE(span_node_fields));
	put_sums(j, &table, offsetof(struct model_span_node, sums));
	json_close(j, '}');
}

void html_spans(struct json *j, const struct model *model)
{
	put_span_table(j, model);
	put_label_spans(j, model);
	put_span_tree(j, model);
}
