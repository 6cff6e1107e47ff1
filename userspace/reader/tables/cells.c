// SPDX-License-Identifier: GPL-2.0
/* How cells are got that several tables have. */
#include <string.h>

#include "profile/histogram.h"
#include "tables/describe.h"
#include "tables/figure.h"

/* ------------------------------------------------------------------------
 * cells
 */

struct cell cell_of(uint64_t number)
{
	return (struct cell){ .number = number };
}

struct cell cell_fraction(double fraction)
{
	return (struct cell){ .fraction = fraction };
}

struct cell cell_text(const char *text)
{
	return text ? (struct cell){ .text = text } : cell_without(STANDING_NA);
}

struct cell cell_without(enum standing standing)
{
	return (struct cell){ .standing = standing };
}

struct cell cell_measure(enum kind kind, double measure)
{
	if (measure < 0)
		return cell_without(STANDING_NA);
	if (kind == KIND_SHARE || kind == KIND_RATIO)
		return cell_fraction(measure);
	return cell_of(figure_whole(measure));
}

struct cell cell_number(uint64_t number, enum standing standing)
{
	if (!standing_has_value(standing))
		return cell_without(standing);
	return (struct cell){ .standing = standing, .number = number };
}

struct cell cell_ratio(double ratio, enum standing standing)
{
	if (!standing_has_value(standing))
		return cell_without(standing);
	return (struct cell){ .standing = standing, .fraction = ratio };
}

/* What was before the recording may have been at any time before it. */
static struct cell cell_time(const struct model *model, uint64_t ns)
{
	if (ns < model->begin_ns)
		return (struct cell){ .standing = STANDING_AT_MOST };
	return cell_of(ns - model->begin_ns);
}

struct cell cell_known(struct model_ns ns)
{
	return cell_number(ns.ns, model_ns_standing(ns));
}

struct cell cell_seen(uint64_t number, bool part)
{
	return cell_number(number, standing_seen(part));
}

struct cell cell_typical(uint64_t number, bool part)
{
	return cell_number(number, standing_mean(standing_seen(part)));
}

/* ------------------------------------------------------------------------
 * members
 */

static const void *member_of(const struct position *p)
{
	return (const char *)p->row + p->column->offset;
}

static uint64_t number_of(const struct position *p)
{
	const void *at = member_of(p);

	switch (p->column->width) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		return *(const uint64_t *)at;
	}
}

static bool is_bound(const struct position *p)
{
	return p->column->bound && *(const bool *)((const char *)p->row + p->column->bound);
}

uint32_t column_partial(const struct table *table, const struct column *column)
{
	if (column->partial || !kind_is_figure(column->kind))
		return column->partial;
	return table->partial ? table->partial : MODEL_PARTIAL_SLICES;
}

bool column_is_marked(const struct table *table, const struct column *column)
{
	return column_partial(table, column) && !column->whole && !table->whole;
}

bool column_is_unsure(const struct table *table, const struct column *column)
{
	return column->unsure || column_is_marked(table, column);
}

bool is_partial(const struct position *p)
{
	return (p->column->least && *(const bool *)((const char *)p->row + p->column->least)) ||
	       (p->partial &&
		schema_lacks(p->sheet->model, p->sheet->table->rows, p->row, p->partial));
}

static bool is_shared(const struct position *p)
{
	return p->column->shared &&
	       *(const uint32_t *)((const char *)p->row + p->column->shared);
}

/*
 * A part may be missing, or it may have what belongs elsewhere: minima, own figures of spans,
 * see model_span_sums.at_most.
 */
static struct cell bounded(const struct position *p, struct cell cell)
{
	if (is_shared(p) && p->sheet->model->exact)
		return cell_without(STANDING_NA);
	if (is_shared(p) && has_value(cell))
		cell.standing = standing_combined(COMBINE_SUM, cell.standing, STANDING_SCALED);
	if (is_bound(p))
		cell.standing = standing_alone(ALONE_EXCEEDS, cell.standing);
	cell.standing = standing_lacking(cell.standing, is_partial(p));
	return cell;
}

struct cell get_member(const struct position *p)
{
	uint64_t number;

	if (p->column->kind == KIND_TEXT)
		return cell_text(*(const char *const *)member_of(p));
	number = number_of(p);
	if (p->column->kind == KIND_ROW && number == MODEL_NONE)
		return cell_without(STANDING_NONE);
	if (p->column->kind == KIND_TIME)
		return bounded(p, cell_time(p->sheet->model, number));
	return bounded(p, cell_of(number));
}

struct cell get_nonzero(const struct position *p)
{
	return number_of(p) ? get_member(p) : cell_without(STANDING_NA);
}

/* ------------------------------------------------------------------------
 * times
 */

static struct cell between(const struct position *p,
			   struct model_ns (*of)(const struct model_times *))
{
	const struct table *table = p->sheet->table;

	if (table->outside && table->outside(p->row))
		return cell_without(STANDING_NONE);
	return bounded(p, cell_known(of(member_of(p))));
}

struct cell get_suspended(const struct position *p)
{
	return between(p, model_suspended);
}

struct cell get_awaiting(const struct position *p)
{
	return between(p, model_awaiting);
}

struct cell get_ready(const struct position *p)
{
	return between(p, model_ready);
}

struct cell get_running_share(const struct position *p)
{
	const struct model *m = p->sheet->model;
	struct cell running = get_member(p);

	if (!m->times.running_ns || m->some_labels || model_lacks_shares(m, &m->times))
		return cell_without(STANDING_NA);
	return cell_ratio((double)number_of(p) / (double)m->times.running_ns,
			  standing_combined(COMBINE_QUOTIENT, running.standing,
					    model_times_standing(&m->times, model_lacks_slices(m))));
}

struct cell cell_quantile(const struct position *p, const struct histogram *l, bool part)
{
	uint64_t ns;
	bool exact;

	if (!l || !l->nr)
		return cell_without(STANDING_NA);
	ns = histogram_quantile(l, p->column->quantile, &exact);
	if (p->column->quantile == 1)
		return cell_seen(ns, part);
	return cell_number(ns, histogram_standing(exact, part));
}

/* ------------------------------------------------------------------------
 * counters
 */

static struct model_value value_of(const struct position *p, uint32_t counter)
{
	return p->column->value(p->sheet->model, p->index, counter);
}

struct cell get_value(const struct position *p)
{
	struct model_value value = value_of(p, p->counter);

	return bounded(p, cell_number(value.estimate, model_value_standing(value)));
}

/* Why there is no value is said of the value itself. */
struct cell get_value_counted(const struct position *p)
{
	struct model_value value = value_of(p, p->counter);

	if (!standing_has_value(model_value_standing(value)))
		return cell_without(STANDING_NA);
	return bounded(p,
		       cell_number(value.count, value.shared ? STANDING_SCALED : STANDING_COUNTED));
}

struct cell get_value_share(const struct position *p)
{
	struct model_value value = value_of(p, p->counter);

	if (!standing_has_value(model_value_standing(value)))
		return cell_without(STANDING_NA);
	return cell_ratio(value.share, standing_mean(standing_seen(is_partial(p))));
}

static struct cell quotient(const struct position *p, uint32_t over, uint32_t under, double factor)
{
	enum standing standing;
	double ratio = model_ipc(value_of(p, over), value_of(p, under), is_partial(p), &standing);

	return cell_ratio(factor * ratio, standing);
}

struct cell get_ipc(const struct position *p)
{
	const struct model *m = p->sheet->model;

	return when_ipc(m) ? quotient(p, m->instructions, m->cycles, 1) : cell_without(STANDING_NA);
}

struct cell get_per_kilo(const struct position *p)
{
	return quotient(p, p->counter, p->sheet->model->instructions, 1000);
}

/* ------------------------------------------------------------------------
 * when columns are shown
 */

bool when_processes(const struct model *m)
{
	return m->nr_processes > 1;
}

bool when_sampled(const struct model *m)
{
	return m->sampled;
}

bool when_calls(const struct model *m)
{
	return m->calls_counted;
}

struct cell get_calls(const struct position *p)
{
	return p->sheet->model->calls_counted ? get_member(p) : cell_without(STANDING_NA);
}

bool when_lines(const struct model *m)
{
	return m->nr_locations;
}

bool when_idle(const struct model *m)
{
	return m->times.idle_ns;
}

bool when_unreported(const struct model *m)
{
	return m->unreported;
}

bool when_part(const struct model *m)
{
	return m->part;
}

bool when_ipc(const struct model *m)
{
	return m->cycles != MODEL_NONE && m->instructions != MODEL_NONE;
}

bool counts_misses(const struct model *m, uint32_t counter)
{
	return m->instructions != MODEL_NONE && strstr(m->counters[counter].name, "misses");
}
