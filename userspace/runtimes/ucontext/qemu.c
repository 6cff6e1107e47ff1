// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names the coroutines of QEMU by what they are entered for. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "../runtime.h"
#include "../preload/table.h"
#include "contexts.h"
#include "names.h"
#include "qemu.h"

#define BUCKETS 256

/* What begins the Coroutine that the trampoline is given in two halves, of any release. */
struct coroutine_start {
	void *entry;
};

struct entry {
	struct table_node node;
	uint32_t label;
	bool known;
};

bool qemu_program;

static struct table_node *buckets[BUCKETS];
static struct table entries = { buckets, BUCKETS, sizeof(struct entry) };

void qemu_init(void)
{
	qemu_program = dlsym(RTLD_DEFAULT, "qemu_coroutine_create") &&
		       dlsym(RTLD_DEFAULT, "qemu_aio_coroutine_enter");
}

/* Looked up once: QEMU keeps its modules, and its tools make many coroutines. */
static uint32_t label_of(void *entry)
{
	struct entry *known = table_get(&entries, (uintptr_t)entry);

	if (!known)
		return 0;
	if (!__atomic_load_n(&known->known, __ATOMIC_ACQUIRE)) {
		known->label = name_is_code(entry) ? coroprof_label_code(entry) : 0;
		__atomic_store_n(&known->known, true, __ATOMIC_RELEASE);
	}
	return known->label;
}

static const struct coroutine_start *start_of(const struct context *context)
{
	uintptr_t lower = (unsigned int)context->args[0];
	uintptr_t upper = (unsigned int)context->args[1];

	return (const struct coroutine_start *)(upper << 32 | lower);
}

struct adapter qemu_adapter = {
	.name = "QEMU",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
};

static void begin(struct cstack *stack, uint32_t label)
{
	stack->co = runtime_new(&qemu_adapter, label, coroprof_current(), stack->high);
	stack->inner = stack->co;
}

void qemu_enter(struct cstack *stack)
{
	struct context *context = (struct context *)stack;
	uint32_t label;

	/* Named, and not ended since. */
	if (context->named && stack->co != COROPROF_THREAD)
		return;
	label = context->argc == 2 ? label_of(start_of(context)->entry) : 0;
	if (stack->co == COROPROF_THREAD)
		begin(stack, label ? label : coroprof_label_code((void *)context->fn));
	else if (label)
		coroprof_set_label(stack->co, label);
	context->named = true;
}
