// SPDX-License-Identifier: GPL-2.0
/*
 * The standing of a figure says where the true one may be: where the figure is (counted), there
 * or above (at least), there or below (at most), less than 1 % off (near), somewhere around
 * (scaled), or no higher than somewhere around (at most, scaled). So that of a sum, a quotient ...
 * follows from where its true value may be:
 *
 *  - What is taken off, or divided by, turns its bound: what is divided by at least 5 is at most
 *    so much.
 *  - An estimate has no bound, and gives what is made of it none: it may be one of which a part is
 *    missing as well. For the same reason a part that is missing of an estimate leaves an estimate.
 *    Near is off to both sides alike, by a little, so that a figure that is near, beside an upper
 *    bound, gives an upper bound that is estimated.
 *  - Bounds in both directions bound nothing. Sums, products and quotients of figures that are off
 *    by a small share are off by a small share, to whatever side, so what is left of such bounds
 *    is an estimate: instructions per cycle of the slices that were seen. Of a difference that is
 *    not so: at least 1000 less at least 999 may be anything, and is not known. Nor is a
 *    difference of a bound and an estimate, unless there is a bound left. Estimates that are off
 *    to both sides alike, scaled and near ones, do have an estimate for their difference.
 *  - What is not known of a sum, of a maximum or of a minimum is a part of it that is missing: the
 *    rest of it is a bound. What has no figure wins over all else only where no figure is left: as
 *    a factor, on either side of a quotient or of a change, and as what something is taken off.
 *  - Where there can be none, a sum has that of the other. A product and a quotient have none.
 *  - Of two reasons why there is no figure, the same one stays; different ones are "not known".
 */
#include <string.h>

#include "base/standing.h"

/* A standing in the table is the one that is at its place here. */
static const char signs[] = "=><~^%n-.x";

/*
 * By the standing of the first figure, from top to bottom, and of the second, from left to right,
 * each in the order of enum standing:
 *
 *	= counted   > at least   < at most   ~ scaled   ^ at most, scaled   % near
 *	n n/a   - none   . not scheduled   x unsupported
 */
static const char *const table[COMBINE_NR][STANDING_NR] = {
	/* Bounds of one direction stay. What has no figure is a part that is missing. */
	[COMBINE_SUM] = {
		[STANDING_COUNTED] = "=><~^%>=>>",	/* as the other is */
		[STANDING_AT_LEAST] = ">>~~~~>>>>",	/* with one from above there is none */
		[STANDING_AT_MOST] = "<~<~^^~<~~",	/* likewise; beside what is near, about */
		[STANDING_SCALED] = "~~~~~~~~~~",	/* whatever is added, or is missing */
		[STANDING_AT_MOST_SCALED] = "^~^~^^~^~~",	/* as long as no part is missing */
		[STANDING_APPROXIMATE] = "%~^~^%~%~~",		/* 1 % of each is 1 % of all */
		[STANDING_NA] = ">>~~~~nnnn",		/* the other lacks it */
		[STANDING_NONE] = "=><~^%n-.x",		/* the other is all there is */
		[STANDING_NOT_SCHEDULED] = ">>~~~~n..n",	/* the other lacks it */
		[STANDING_UNSUPPORTED] = ">>~~~~nxnx",	/* likewise */
	},
	/* As a sum, but one that is not known may be less than what is. */
	[COMBINE_MIN] = {
		[STANDING_COUNTED] = "=><~^%<=<<",	/* no more than what is known */
		[STANDING_AT_LEAST] = ">>~~~~~>~~",	/* it may be below, and the other above */
		[STANDING_AT_MOST] = "<~<~^^<<<<",	/* one that is not known leaves it */
		[STANDING_SCALED] = "~~~~~~~~~~",
		[STANDING_AT_MOST_SCALED] = "^~^~^^^^^^",	/* likewise */
		[STANDING_APPROXIMATE] = "%~^~^%^%^^",		/* no more than about this */
		[STANDING_NA] = "<~<~^^nnnn",		/* as the other beside what is not known */
		[STANDING_NONE] = "=><~^%n-.x",
		[STANDING_NOT_SCHEDULED] = "<~<~^^n..n",	/* likewise */
		[STANDING_UNSUPPORTED] = "<~<~^^nxnx",	/* likewise */
	},
	/*
	 * The second bound is turned. What is off to one side may be off by all of the difference.
	 */
	[COMBINE_DIFFERENCE] = {
		[STANDING_COUNTED] = "=<>~n~<=<<",	/* what is not known may be taken off */
		[STANDING_AT_LEAST] = ">n>nnnn>nn",	/* bounds of two directions are none */
		[STANDING_AT_MOST] = "<<nnn^<<<<",	/* likewise; less what is near, about */
		[STANDING_SCALED] = "~nn~n~n~nn",	/* off to both sides alike */
		[STANDING_AT_MOST_SCALED] = "^^nnn^^^^^",	/* as at most, estimated */
		[STANDING_APPROXIMATE] = "~^n~n~^%^^",		/* 1 % of either may be all of it */
		[STANDING_NA] = "nnnnnnnnnn",		/* nothing is there to take off */
		[STANDING_NONE] = "----------",		/* likewise */
		[STANDING_NOT_SCHEDULED] = "......n..n",	/* likewise */
		[STANDING_UNSUPPORTED] = "xxxxxxnxnx",	/* likewise */
	},
	/* As a sum. What has no figure leaves none, and of nothing there is none. */
	[COMBINE_PRODUCT] = {
		[STANDING_COUNTED] = "=><~^%n-.x",
		[STANDING_AT_LEAST] = ">>~~~~n-.x",	/* it grows with each of both */
		[STANDING_AT_MOST] = "<~<~^^n-.x",
		[STANDING_SCALED] = "~~~~~~n-.x",
		[STANDING_AT_MOST_SCALED] = "^~^~^^n-.x",
		[STANDING_APPROXIMATE] = "%~^~^~n-.x",		/* 1 % of both is 2 % */
		[STANDING_NA] = "nnnnnnn-nn",
		[STANDING_NONE] = "----------",
		[STANDING_NOT_SCHEDULED] = "......n-.n",
		[STANDING_UNSUPPORTED] = "xxxxxxn-nx",
	},
	/* Likewise, but the second bound is turned. */
	[COMBINE_QUOTIENT] = {
		[STANDING_COUNTED] = "=<>~~~n-.x",	/* 1 % too low is more than 1 % too high */
		[STANDING_AT_LEAST] = ">~>~~~n-.x",	/* both lack a part: that of those seen */
		[STANDING_AT_MOST] = "<<~~~^n-.x",	/* by what is near, about */
		[STANDING_SCALED] = "~~~~~~n-.x",
		[STANDING_AT_MOST_SCALED] = "^^~~~^n-.x",	/* as at most, estimated */
		[STANDING_APPROXIMATE] = "%^~~~~n-.x",		/* 1 % of both is 2 % */
		[STANDING_NA] = "nnnnnnn-nn",
		[STANDING_NONE] = "----------",
		[STANDING_NOT_SCHEDULED] = "......n-.n",
		[STANDING_UNSUPPORTED] = "xxxxxxn-nx",
	},
	/*
	 * A quotient, less 1: as a difference. What has no figure leaves none; why is said of the
	 * two sides, of which one may have one.
	 */
	[COMBINE_CHANGE] = {
		[STANDING_COUNTED] = "=<>~n~nnnn",
		[STANDING_AT_LEAST] = ">n>nnnnnnn",
		[STANDING_AT_MOST] = "<<nnn^nnnn",
		[STANDING_SCALED] = "~nn~n~nnnn",
		[STANDING_AT_MOST_SCALED] = "^^nnn^nnnn",
		[STANDING_APPROXIMATE] = "~^n~n~nnnn",
		[STANDING_NA] = "nnnnnnnnnn",
		[STANDING_NONE] = "nnnnnnnnnn",
		[STANDING_NOT_SCHEDULED] = "nnnnnnnnnn",
		[STANDING_UNSUPPORTED] = "nnnnnnnnnn",
	},
};

static const char *const table_alone[ALONE_NR] = {
	/* As a sum of it and what is not known. */
	[ALONE_LACKS] = ">>~~~~n-.x",
	/* Something may have to be taken off; what else is missing is said beside it. */
	[ALONE_EXCEEDS] = "<~<^^^n-.x",
	/* What the others would make of it is not known: it may be more, it may be less. */
	[ALONE_MEAN] = "=~<~^%n-.x",
};

static enum standing standing_at(char sign)
{
	return (enum standing)(strchr(signs, sign) - signs);
}

enum standing standing_combined(enum combine how, enum standing one, enum standing other)
{
	return standing_at(table[how][one][other]);
}

enum standing standing_alone(enum alone how, enum standing of)
{
	return standing_at(table_alone[how][of]);
}

static const struct {
	const char *name;
	const char *mark;
	const char *says;
} standings[STANDING_NR] = {
	[STANDING_COUNTED] = { "counted", "", "exact" },
	[STANDING_AT_LEAST] = { "at least", ">=", "at least this much: a part is not known" },
	[STANDING_AT_MOST] = {
		"at most", "<=",
		"at most this much: figures that may have to be subtracted were lost, or are older than the recording; or it is a share of what a part of is missing",
	},
	[STANDING_SCALED] = {
		"scaled", "~",
		"an estimate: it was counted for a part of the time only; or some of the values that it is made of are missing; or slices are cut, and it is shared by time; or it is the time of probes, each with the cost of one as the recording began",
	},
	[STANDING_AT_MOST_SCALED] = {
		"at most, scaled", "<=~",
		"an estimate, and an upper bound: it was counted for a part of the time only, and figures that may have to be subtracted were lost, or are older than the recording",
	},
	[STANDING_APPROXIMATE] = { "near", "~", "less than 1 % off: there are too many to keep each" },
	[STANDING_NA] = { "n/a", "n/a", "not known" },
	[STANDING_NONE] = { "none", "-", "there can be none" },
	[STANDING_NOT_SCHEDULED] = {
		"not scheduled", "not scheduled",
		"the counter was on the PMU for none of the time: others had its place",
	},
	[STANDING_UNSUPPORTED] = { "unsupported", "unsupported", "it could not be counted" },
};

const char *standing_name(enum standing standing)
{
	return standings[standing].name;
}

const char *standing_mark(enum standing standing)
{
	return standings[standing].mark;
}

const char *standing_says(enum standing standing)
{
	return standings[standing].says;
}

const char *combine_name(enum combine how)
{
	static const char *const names[COMBINE_NR] = {
		[COMBINE_SUM] = "sum", [COMBINE_MIN] = "min", [COMBINE_DIFFERENCE] = "difference",
		[COMBINE_PRODUCT] = "product", [COMBINE_QUOTIENT] = "quotient",
		[COMBINE_CHANGE] = "change",
	};

	return names[how];
}

const char *alone_name(enum alone how)
{
	static const char *const names[ALONE_NR] = {
		[ALONE_LACKS] = "lacks", [ALONE_EXCEEDS] = "exceeds", [ALONE_MEAN] = "mean",
	};

	return names[how];
}
