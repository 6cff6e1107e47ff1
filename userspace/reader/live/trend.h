/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the share of each label goes from one window to the next: what the column of its table that is
 * described as a bar had in the last ones.
 */
#ifndef COROPROF_TREND_H
#define COROPROF_TREND_H

#include "live/bar.h"
#include "live/exchange.h"
#include "profile/model.h"

/* What sorts by it. */
#define TREND_NAME	"trend"

/* So many windows at most, the newest included. */
#define TREND_WINDOWS	8u

struct trend_share;

/**
 * struct trend_window - what a window had
 * @end:    the tick behind it
 * @end_ns: when that began
 * @shares: of its rows, by their names
 * @nr:     how many
 */
struct trend_window {
	uint64_t end;
	uint64_t end_ns;
	struct trend_share *shares;
	uint32_t nr;
};

/**
 * struct trend - the last windows
 * @windows: in order of time
 * @nr:      how many
 * @wish:    which was wished: of all of them
 */
struct trend {
	struct trend_window windows[TREND_WINDOWS];
	unsigned int nr;
	uint64_t wish;
};

/*
 * Adds the shares in another window. Windows that ended with it or later are dropped, as the user
 * looks back, and so are those of another length. Without memory all are.
 */
void trend_add(struct trend *trend, const struct model *model, const struct live_window *window);

/*
 * Draws the shares of a label in the last TREND_WINDOWS as columns, the newest last, as high as
 * they are of the largest: "." for 0, a space where the share is not known.
 */
void trend_bars(const struct trend *trend, const struct model *model, uint32_t label,
		char to[BAR_SIZE]);

/*
 * Sets how the share differs from the first of these windows in which it is known; 0 if by less
 * than 0.05 points. False if there is no other window.
 */
bool trend_change(const struct trend *trend, const struct model *model, uint32_t label, double *change,
		  uint64_t *ns);

/*
 * Rows of labels by how their shares have changed: those that have grown most first, or those that have
 * shrunk most. Others, and those of which nothing is known, stay in their order, which are last.
 */
void trend_sort(const struct trend *trend, const struct model *model, uint32_t *rows, uint32_t nr,
		bool shrunk_first);

void trend_free(struct trend *trend);

#endif /* COROPROF_TREND_H */
