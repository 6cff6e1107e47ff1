// SPDX-License-Identifier: GPL-2.0
/*
 * Where functions of Go look at their stack: in what the compilers that Debian ships have made
 * of runtime.execute(), gosched_m() and preemptPark(), and in what is near to that, but not it.
 */
#include "support.h"

#include "symbols/gocheck.h"

#define CODE(...) (const unsigned char[12]){ __VA_ARGS__ }

static const struct known {
	const char *of;
	bool arm;
	struct go_check check;
	const unsigned char *code;
} known[] = {
	{ "execute, 1.19, arm64", true, { 8, 12 },
	  CODE(0x90, 0x0b, 0x40, 0xf9, 0xff, 0x63, 0x30, 0xeb,
	       0x89, 0x0a, 0x00, 0x54) },
	{ "execute, 1.24, arm64", true, { 8, 12 },
	  CODE(0x90, 0x0b, 0x40, 0xf9, 0xff, 0x63, 0x30, 0xeb,
	       0x09, 0x0e, 0x00, 0x54) },
	{ "execute, 1.27, arm64", true, { 8, 12 },
	  CODE(0x90, 0x0b, 0x40, 0xf9, 0xff, 0x63, 0x30, 0xeb,
	       0xe9, 0x0f, 0x00, 0x54) },
	{ "preemptPark, 1.27, arm64", true, { 8, 12 },
	  CODE(0x90, 0x0f, 0x40, 0xf9, 0xff, 0x63, 0x30, 0xeb,
	       0xc9, 0x14, 0x00, 0x54) },
	{ "execute, 1.19, amd64", false, { 4, 10 },
	  CODE(0x49, 0x3b, 0x66, 0x10, 0x0f, 0x86, 0x49, 0x01,
	       0x00, 0x00, 0x48, 0x83) },
	{ "gosched_m, 1.19, amd64", false, { 4, 6 },
	  CODE(0x49, 0x3b, 0x66, 0x10, 0x76, 0x35, 0x48, 0x83,
	       0xec, 0x18, 0x48, 0x89) },
	{ "execute, 1.24, amd64", false, { 4, 10 },
	  CODE(0x49, 0x3b, 0x66, 0x10, 0x0f, 0x86, 0xa0, 0x01,
	       0x00, 0x00, 0x55, 0x48) },
	{ "execute, 1.27, amd64", false, { 4, 10 },
	  CODE(0x49, 0x3b, 0x66, 0x10, 0x0f, 0x86, 0xe1, 0x01,
	       0x00, 0x00, 0x55, 0x48) },
	{ "gosched_m, 1.27, amd64", false, { 4, 6 },
	  CODE(0x49, 0x3b, 0x66, 0x10, 0x76, 0x15, 0x55, 0x48,
	       0x89, 0xe5, 0x48, 0x83) },
	{ "preemptPark, 1.27, amd64", false, { 4, 10 },
	  CODE(0x49, 0x3b, 0x66, 0x18, 0x0f, 0x86, 0xc1, 0x02,
	       0x00, 0x00, 0x55, 0x48) },
	/* It has none. */
	{ "dropm, 1.27, arm64", true, { 0, 0 },
	  CODE(0xfe, 0x0f, 0x1a, 0xf8, 0xfd, 0x83, 0x1f, 0xf8,
	       0xfd, 0x23, 0x00, 0xd1) },
	{ "dropm, 1.27, amd64", false, { 0, 0 },
	  CODE(0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 0x48,
	       0x49, 0x8b, 0x56, 0x30) },
};

static void assert_check(const struct known *k)
{
	struct go_check check;
	bool found = go_check_find(&check, k->code, k->arm);

	if (found != (k->check.behind != 0) ||
	    (found && (check.branch != k->check.branch || check.behind != k->check.behind)))
		fail_msg("%s: %s, branch at %zu, next at %zu", k->of, found ? "found" : "none",
			 found ? check.branch : 0, found ? check.behind : 0);
}

static void test_finds_the_look_at_the_stack(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_check(&known[i]);
}

/* Whatever one of these bits is in, it is no longer the same instructions. */
static bool stays(const struct known *k, size_t bit)
{
	struct go_check check;
	unsigned char other[12];

	memcpy(other, k->code, sizeof(other));
	other[bit / 8] ^= 1u << bit % 8;
	return !go_check_find(&check, other, k->arm);
}

/* 16 or 24, and how far the branch goes. */
static bool may_differ(const struct known *k, size_t bit)
{
	size_t distance = k->arm ? 69 : k->check.behind == 6 ? 40 : 48;
	size_t nr = k->arm ? 19 : k->check.behind == 6 ? 8 : 32;

	return bit == (k->arm ? 10 : 27) || (bit >= distance && bit < distance + nr);
}

static void test_stays_where_anything_else_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		for (size_t bit = 0; bit < 8 * known[i].check.behind; bit++)
			if (stays(&known[i], bit) == may_differ(&known[i], bit))
				fail_msg("%s with bit %zu changed", known[i].of, bit);
	}
}

static void test_of_one_machine_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct known other = known[i];

		other.arm = !other.arm;
		other.check = (struct go_check){ 0, 0 };
		assert_check(&other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_the_look_at_the_stack),
		cmocka_unit_test(test_stays_where_anything_else_is),
		cmocka_unit_test(test_of_one_machine_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
