// SPDX-License-Identifier: GPL-2.0
/* Puts the data of the page into the template that is linked into this program. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output/html/data.h"
#include "output/html/deflater.h"
#include "output/html/html.h"

/* Where the data goes; build.mjs sees to it that each is there once, in this order. */
#define COLUMNS_MARK	"@COLUMNS@"
#define DATA_MARK	"@DATA@"

/* template.S */
extern const char html_template[], html_template_end[];

/* Writes the template up to @mark, and returns what is behind the mark. */
static const char *write_up_to(const char *from, const char *mark, FILE *file)
{
	const char *at = memmem(from, (size_t)(html_template_end - from), mark, strlen(mark));

	fwrite(from, 1, (size_t)(at - from), file);
	return at + strlen(mark);
}

/* How many bytes it is, and these as a column is: deflated, in base64. */
static int put_said(const char *said, size_t size, FILE *file)
{
	struct deflater d;

	fprintf(file, "%zu ", size);
	if (deflater_open(&d, file))
		return -1;
	deflater_add(&d, (const uint8_t *)said, size);
	deflater_end(&d);
	return deflater_close(&d);
}

/* Columns go straight into the page; what is said of them is small, and waits until it is known. */
int html_write(const struct model *model, FILE *file)
{
	char *said = NULL;
	size_t size = 0;
	FILE *data = open_memstream(&said, &size);
	const char *rest;
	int ret;

	if (!data)
		return -1;
	rest = write_up_to(html_template, COLUMNS_MARK, file);
	ret = html_data(model, file, data);
	if (fclose(data))
		ret = -1;
	rest = write_up_to(rest, DATA_MARK, file);
	if (!ret)
		ret = put_said(said, size, file);
	free(said);
	fwrite(rest, 1, (size_t)(html_template_end - rest), file);
	return fflush(file) || ferror(file) ? -1 : ret;
}
