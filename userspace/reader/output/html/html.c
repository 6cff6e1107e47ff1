// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <string.h>

#include "output/html/data.h"
#include "output/html/html.h"

/* Where the data goes; build.mjs sees to it that it is there once. */
#define DATA_MARK	"@DATA@"

/* template.S */
extern const char html_template[], html_template_end[];

int html_write(const struct model *model, FILE *file)
{
	size_t size = (size_t)(html_template_end - html_template);
	size_t mark_size = strlen(DATA_MARK);
	const char *mark = memmem(html_template, size, DATA_MARK, mark_size);
	const char *rest = mark + mark_size;
	int ret;

	fwrite(html_template, 1, (size_t)(mark - html_template), file);
	ret = html_data(model, file);
	fwrite(rest, 1, (size_t)(html_template_end - rest), file);
	return fflush(file) || ferror(file) ? -1 : ret;
}
