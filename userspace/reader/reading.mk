# SPDX-License-Identifier: GPL-2.0
#
# What makes outputs of a recording: objects, for the reader and its tests.

READING := ahead decode elffile file folded format index model model-checks \
	model-columns model-coroutines model-costs model-damage model-frames \
	model-gaps model-info model-labels model-maps model-merge model-modes \
	model-resolve model-samples model-slices model-span-names \
	model-span-tables model-spans model-streams model-timeline \
	model-values model-wakes printable reason symbols table text text-cells \
	text-header text-samples text-spans text-threads
