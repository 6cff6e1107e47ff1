// SPDX-License-Identifier: GPL-2.0
/*
 * Copies a manual page from standard input to standard output; some of its lines are replaced by
 * what the code describes.
 */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "manual/manual.h"

static const struct {
	const char *line;
	void (*put)(void);
} parts[] = {
	{ "@COMMANDS@\n", manual_commands },
	{ "@OPTIONS@\n", manual_options },
	{ "@STANDINGS@\n", manual_standings },
	{ "@TABLES@\n", manual_tables },
};

static void write_line(const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strcmp(line, parts[i].line)) {
			parts[i].put();
			return;
		}
	fputs(line, stdout);
}

int main(void)
{
	char line[4096];
	int failed;

	while (fgets(line, sizeof(line), stdin))
		write_line(line);
	/* An earlier write may have failed, and the last one not. */
	failed = ferror(stdin) | ferror(stdout);
	failed |= fclose(stdout);
	if (failed)
		fputs("manual: the page could not be written\n", stderr);
	return failed ? 1 : 0;
}
