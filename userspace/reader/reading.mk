# SPDX-License-Identifier: GPL-2.0
#
# What makes outputs of a recording: objects, for the reader and its tests.

READING := ahead decode elffile file format index model model-checks \
	model-columns model-coroutines model-damage model-gaps model-info model-labels \
	model-merge model-resolve model-slices model-streams model-timeline \
	model-values model-wakes printable reason symbols table text text-header
