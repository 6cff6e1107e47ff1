// SPDX-License-Identifier: GPL-2.0
/*
 * Notes for each process which adapters report its coroutines, and in words what each of them does
 * not see of all coroutines.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/adapters.h"
#include "profile/build.h"
#include "profile/info.h"

/* The ABI level since which adapters say so. Before, nobody knows. */
#define ABI_LEVEL_ADAPTERS 4

/* A process may claim any number of them. */
#define ADAPTERS_MAX 8
#define NAME_MAX_BYTES 40

static const struct {
	uint64_t sees;
	const char *word;
} detections[] = {
	{ COROPROF_SEES_BIRTHS, "births" },
	{ COROPROF_SEES_NAMES, "names" },
	{ COROPROF_SEES_WAKES, "wakes" },
	{ COROPROF_SEES_ENDS, "ends" },
};

/* Writes what an adapter does not see, as " (without wakes, ends)", or "" if it sees all. */
static void describe_unseen(uint64_t sees, char *to, size_t capacity)
{
	size_t used = 0;

	*to = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(detections); i++) {
		if (sees & detections[i].sees)
			continue;
		used += (size_t)snprintf(to + used, capacity - used, "%s%s",
					 used ? ", " : " (without ", detections[i].word);
	}
	if (used)
		snprintf(to + used, capacity - used, ")");
}

/* True if @list, whose entries are divided by "; ", has the entry @one. */
static bool is_listed(const char *list, const char *one)
{
	size_t len = strlen(one);

	while (list) {
		if (!strncmp(list, one, len) && (!list[len] || !strncmp(list + len, "; ", 2)))
			return true;
		list = strstr(list, "; ");
		list = list ? list + 2 : NULL;
	}
	return false;
}

void adapter_add(struct build *b, uint32_t process, const struct coroprof_record_label *r)
{
	struct model_process *p = &b->model->processes[process];
	size_t len = r->text_len < NAME_MAX_BYTES ? r->text_len : NAME_MAX_BYTES;
	char *name = build_text(b, (const char *)(r + 1), len), *one, *list;
	char unseen[64];

	describe_unseen(r->value, unseen, sizeof(unseen));
	one = name ? build_format(b, "%s%s", name, unseen) : NULL;
	free(name);
	if (!one || is_listed(p->reported_by, one) ||
	    b->processes[process].adapters == ADAPTERS_MAX) {
		free(one);
		return;
	}
	list = p->reported_by ? build_format(b, "%s; %s", p->reported_by, one) : strdup(one);
	free(one);
	if (!list)
		return;
	free(p->reported_by);
	p->reported_by = list;
	b->processes[process].adapters++;
}

void adapters_finish(struct build *b)
{
	const char *level = info_value(b->model, "abi_level");

	/* Whether probes made a process known any of its threads says. */
	for (uint32_t i = 0; i < b->model->nr_channels; i++)
		if (b->channels[i].reason == COROPROF_REASON_PROBED)
			b->processes[b->model->channels[i].process].probed = true;
	for (uint32_t i = 0; i < b->model->nr_processes; i++) {
		struct model_process *p = &b->model->processes[i];

		if (p->reported_by)
			continue;
		if (b->processes[i].probed)
			p->reported_by = build_format(b, "probes");
		else if (level && strtoul(level, NULL, 10) >= ABI_LEVEL_ADAPTERS)
			p->reported_by = build_format(b, "the program itself");
	}
}
