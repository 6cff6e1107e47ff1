// SPDX-License-Identifier: GPL-2.0
/*
 * The page of a window as bytes, made once for all requests for it. References are counted: each
 * user gives its own back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "live/pages.h"
#include "output/gzip.h"
#include "output/html/html.h"

/* The reason comes from the kernel or from this program, but names from elsewhere may be in it. */
static void write_escaped(FILE *file, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		default:
			fputc(*text, file);
		}
}

static int write_refusal(FILE *file, const char *why)
{
	fputs("<!DOCTYPE html><meta charset=\"utf-8\"><title>coroprof</title>"
	      "<p class=\"alert\">This window cannot be shown: ", file);
	write_escaped(file, why);
	return fputs("</p>\n", file) < 0 ? -1 : 0;
}

static int write_page(struct page_bytes *bytes, const struct model *model, const char *why)
{
	FILE *memory = open_memstream(&bytes->data, &bytes->size);
	FILE *file = memory ? gzip_open(memory) : NULL;
	int ret = -1;

	if (file) {
		ret = model ? html_write(model, file) : write_refusal(file, why);
		if (fclose(file))
			ret = -1;
	}
	if (memory && fclose(memory))
		ret = -1;
	return ret;
}

static struct page_bytes *make_page(const struct pages_key *key, const struct model *model,
				    const char *why)
{
	struct page_bytes *bytes = calloc(1, sizeof(*bytes));

	if (!bytes)
		return NULL;
	bytes->users = 1;
	bytes->key = *key;
	if (!write_page(bytes, model, why))
		return bytes;
	pages_leave(bytes);
	return NULL;
}

struct page_bytes *pages_make(const struct pages_key *key, const struct model *model)
{
	return make_page(key, model, NULL);
}

struct page_bytes *pages_refuse(const struct pages_key *key, const char *why)
{
	return make_page(key, NULL, why);
}

struct page_bytes *pages_use(struct page_bytes *bytes)
{
	atomic_fetch_add(&bytes->users, 1);
	return bytes;
}

void pages_leave(struct page_bytes *bytes)
{
	if (!bytes || atomic_fetch_sub(&bytes->users, 1) != 1)
		return;
	free(bytes->data);
	free(bytes);
}
