// SPDX-License-Identifier: GPL-2.0
/* Writes stacks of one weight as folded lines. */
#include <inttypes.h>

#include "output/export/weights.h"
#include "output/folded.h"

#define WEIGHT_DEFAULT	"samples"

/**
 * struct folded - lines being written
 */
struct folded {
	const struct model *m;
	FILE *file;
};

/* A semicolon would end the name. */
static void write_name(const char *name, FILE *file)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, file);
}

static void write_stack(void *context, const struct stack *stack)
{
	const struct folded *f = context;
	char text[FRAME_NAME_SIZE];

	for (uint32_t i = 0; i < stack->nr; i++) {
		if (i)
			fputc(';', f->file);
		write_name(stack_frame_name(f->m, stack->frames[i], text), f->file);
	}
	fprintf(f->file, " %" PRIu64 "\n", stack->value);
}

int folded_check(const struct model *m, const char *weight, struct error *err)
{
	struct weight w;

	return weight ? weight_named(&w, m, weight, err) : 0;
}

int folded_write(const struct model *m, const char *weight, FILE *file)
{
	struct folded f = { m, file };
	struct error err = ERROR_NONE;
	struct weight w;

	/* None is named by default only where there are none. */
	if (weight_named(&w, m, weight ? weight : WEIGHT_DEFAULT, &err))
		return 0;
	if (weights_walk(m, &w, write_stack, &f))
		return -1;
	return ferror(file) ? -1 : 0;
}
