// SPDX-License-Identifier: GPL-2.0
/* Of which object files it is said that their symbols are missing. */
#include "support.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/warn.h"
#include "output/nameless.h"
#include "symbols/symbols.h"

static char said[8 * PATH_MAX];

/* Stands in for the reader's. */
void warn(const char *format, ...)
{
	size_t used = strlen(said);
	va_list args;

	va_start(args, format);
	vsnprintf(said + used, sizeof(said) - used, format, args);
	va_end(args);
}

/* So often is @part in what was said. */
static unsigned int times(const char *part)
{
	unsigned int nr = 0;

	for (const char *at = said; (at = strstr(at, part)); at += strlen(part))
		nr++;
	return nr;
}

static void of_labels_and_spans_each_once(void **state)
{
	char first[] = "/opt/first", second[] = "/opt/second", other[] = "/opt/other";
	struct model_label labels[] = {
		{ .object = first, .unresolved = SYMBOLS_NO_FUNCTION },
		{ .object = first, .unresolved = SYMBOLS_NONE },
		{ .object = other },
		{ .unresolved = SYMBOLS_NONE },
		{ .object = other, .unresolved = "the object file is not here" },
	};
	struct model_span spans[] = { { .object = second, .unresolved = SYMBOLS_NONE } };
	struct model m = { .labels = labels, .nr_labels = 5, .spans = spans, .nr_spans = 1 };

	(void)state;
	*said = '\0';
	nameless_report(&m);
	assert_int_equal(times("functions of /opt/first have no names"), 1);
	assert_int_equal(times("functions of /opt/second have no names"), 1);
	assert_int_equal(times("/opt/other"), 0);
}

static void of_samples_where_they_are_many(void **state)
{
	char many[] = "/opt/many", few[] = "/opt/few";
	struct model_frame frames[] = {
		{ .object = many, .unresolved = SYMBOLS_NO_FUNCTION, .own = 50 },
		{ .object = few, .unresolved = SYMBOLS_NO_FUNCTION, .own = 49 },
	};
	struct model m = { .frames = frames, .nr_frames = 2, .samples = 1000 };

	(void)state;
	*said = '\0';
	nameless_report(&m);
	assert_int_equal(times("functions of /opt/many have no names"), 1);
	assert_int_equal(times("/opt/few"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_labels_and_spans_each_once),
		cmocka_unit_test(of_samples_where_they_are_many),
	};

	return cmocka_run_group_tests_name("nameless", tests, NULL, NULL);
}
