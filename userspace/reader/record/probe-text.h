/* SPDX-License-Identifier: GPL-2.0 */
/* What --probe says: ROLE=SYMBOL:WHERE?WHERE==NUMBER,..., or a preset. */
#ifndef COROPROF_PROBE_TEXT_H
#define COROPROF_PROBE_TEXT_H

#include <stdbool.h>

#include "base/error.h"
#include "coroprof.h"

#define PROBES_GO	"go"
#define PROBES_TOKIO	"tokio"
#define PROBES_QEMU	"qemu"
#define PROBES_NONE	"none"

/**
 * struct probe_text - one of them
 * @role:     COROPROF_PROBE_*
 * @is_label: it says where the label of the SWITCH at @symbol is
 * @symbol:   a function
 * @where:    the key, or the label
 * @when:     a number on which it depends whether it says anything; or NONE
 * @mask:     the bits of it that matter
 * @value:    what they must be; with @unless: must not
 * @unless:   see @value
 */
struct probe_text {
	__u32 role;
	bool is_label;
	char symbol[256];
	struct coroprof_where where;
	struct coroprof_where when;
	__u64 mask;
	__u64 value;
	bool unless;
};

/* Parses one probe, and moves *@text to the next; NULL if there is none. */
int probe_text_next(const char **text, struct probe_text *probe, struct error *err);

#endif /* COROPROF_PROBE_TEXT_H */
