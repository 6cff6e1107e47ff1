/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --dump-on: what a flight recorder writes what it keeps for. A signal, such as SIGUSR1; "program",
 * when the program calls coroprof_dump(); or a condition on a slice, "held > 100ms", of any label or
 * of one, "query: held > 100ms"; or on all slices of the last second, "ready p99 > 20ms", "IPC < 0.5".
 */
#ifndef COROPROF_TRIGGER_H
#define COROPROF_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define TRIGGERS_MAX	16

enum trigger_kind {
	TRIGGER_SIGNAL,
	TRIGGER_PROGRAM,
	TRIGGER_HELD,		/* how long a slice held its thread */
	TRIGGER_BLOCKED,	/* how long it was blocked in it */
	TRIGGER_READY,		/* how long its coroutine was ready before it */
	TRIGGER_RUNNING,	/* how long it ran */
	TRIGGER_IPC,		/* instructions per cycle */
	TRIGGER_KINDS,
};

/**
 * struct trigger - one of them
 * @text:   what it was given as
 * @kind:   enum trigger_kind
 * @signal: of TRIGGER_SIGNAL
 * @label:  its label, or a pattern of shells, @length bytes of @text; 0: of any
 * @length: see there
 * @ns:     more than that
 * @quantile: of the slices of a second so many in a thousand are below that; 0: each counts
 * @ipc:    of TRIGGER_IPC: less than that
 */
struct trigger {
	const char *text;
	enum trigger_kind kind;
	int signal;
	const char *label;
	size_t length;
	uint64_t ns;
	unsigned int quantile;
	double ipc;
};

/* Fails with a list of what --dump-on accepts. */
int trigger_parse(struct trigger *trigger, const char *text, struct error *err);

/* True of a condition on one slice. */
static inline bool trigger_is_of_slices(const struct trigger *t)
{
	return t->kind >= TRIGGER_HELD;
}

/* True of a condition on all slices of a second. */
static inline bool trigger_is_of_seconds(const struct trigger *t)
{
	return t->quantile || t->kind == TRIGGER_IPC;
}

/* True if the trigger is about slices of this label. */
bool trigger_wants(const struct trigger *trigger, const char *label);

/* The name of a kind: "held", "blocked", "ready", "running", "IPC". */
const char *trigger_figure(enum trigger_kind kind);

#endif /* COROPROF_TRIGGER_H */
