# SPDX-License-Identifier: GPL-2.0
# What Makefiles of user space, and of its tests, have in common: each has set TOP, and includes this first.
SRC := $(patsubst %/,%,$(dir $(abspath $(firstword $(MAKEFILE_LIST)))))
O ?= $(TOP)/out/native

CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
INSTALL ?= install
PKG_CONFIG ?= pkg-config

LIB := $(O)/lib
warnings := -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror)
