// SPDX-License-Identifier: GPL-2.0
#include "support.h"

#include <asm/perf_regs.h>
#include <errno.h>

#include "record/probe-text.h"
#include "record/probes.h"

#if defined(__x86_64__)
#define FIRST "rdi"
#define FIRST_NUMBER PERF_REG_X86_DI
#define THIRD "rdx"
#define THIRD_NUMBER PERF_REG_X86_DX
#else
#define FIRST "x0"
#define FIRST_NUMBER PERF_REG_ARM64_X0
#define THIRD "x2"
#define THIRD_NUMBER PERF_REG_ARM64_X2
#endif

static struct error err;

static void test_all_roles(void **state)
{
	const char *text = "switch=resume:" FIRST ",label=resume:+312(" FIRST
			   "),out=main.(*T).f,end=f:-8(" FIRST ")";
	struct probe_text probe;

	(void)state;
	assert_int_equal(probe_text_next(&text, &probe, &err), 0);
	assert_int_equal(probe.role, COROPROF_PROBE_SWITCH);
	assert_string_equal(probe.symbol, "resume");
	assert_int_equal(probe.where.kind, COROPROF_WHERE_REGISTER);
	assert_int_equal(probe.where.reg, FIRST_NUMBER);
	assert_false(probe.is_label);
	assert_int_equal(probe_text_next(&text, &probe, &err), 0);
	assert_true(probe.is_label);
	assert_int_equal(probe.where.kind, COROPROF_WHERE_MEMORY);
	assert_int_equal(probe.where.offset, 312);
	assert_int_equal(probe_text_next(&text, &probe, &err), 0);
	assert_int_equal(probe.role, COROPROF_PROBE_OUT);
	assert_string_equal(probe.symbol, "main.(*T).f");
	assert_int_equal(probe.where.kind, COROPROF_WHERE_NONE);
	assert_int_equal(probe_text_next(&text, &probe, &err), 0);
	assert_int_equal(probe.role, COROPROF_PROBE_END);
	assert_int_equal(probe.where.offset, -8);
	assert_null(text);
}

static void test_conditions(void **state)
{
	const char *text = "end=f:" FIRST "?" THIRD "&0xff==2,out=f?+8(" THIRD ")!=0x10";
	struct probe_text probe;

	(void)state;
	assert_int_equal(probe_text_next(&text, &probe, &err), 0);
	assert_int_equal(probe.where.reg, FIRST_NUMBER);
	assert_int_equal(probe.when.kind, COROPROF_WHERE_REGISTER);
	assert_int_equal(probe.when.reg, THIRD_NUMBER);
	assert_int_equal(probe.mask, 0xff);
	assert_int_equal(probe.value, 2);
	assert_false(probe.unless);
	assert_int_equal(probe_text_next(&text, &probe, &err), 0);
	assert_string_equal(probe.symbol, "f");
	assert_int_equal(probe.when.kind, COROPROF_WHERE_MEMORY);
	assert_int_equal(probe.when.offset, 8);
	assert_true(probe.mask == ~0ULL);
	assert_int_equal(probe.value, 16);
	assert_true(probe.unless);
	assert_null(text);
}

static void test_nonsense(void **state)
{
	static const char *const texts[] = {
		"", ",", "switch", "switch=", "switch=f", "switch=f:", "switch=f:nothing", "jump=f:" FIRST,
		"out=f:" FIRST, "switch=:" FIRST, "switch=f:+8" FIRST, "switch=f:+8(" FIRST,
		"switch=f:+99999999999999999999(" FIRST ")", "switch=f:" FIRST ",", "go,out=f",
		"out=f?", "out=f?" FIRST, "out=f?" FIRST "=1", "out=f?" FIRST "==", "out=f?" FIRST "==-1",
		"out=f?" FIRST "==1x", "out=f?" FIRST "&0==0", "out=f?" FIRST "&1==2", "out=f?" FIRST "&==1",
		"out=f?nothing==1", "out=f?==1", "label=f:" FIRST "?" FIRST "==1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(probes_check(texts[i], &err), -EINVAL);
}

/* What is no preset is reported of those there are; of two, why they have none. */
static void test_no_preset(void **state)
{
	(void)state;
	assert_int_equal(probes_check("python", &err), -EINVAL);
	assert_non_null(strstr(err.message, "go, tokio, qemu"));
	assert_non_null(strstr(err.message, "ROLE=FUNCTION:REGISTER"));
	assert_int_equal(probes_check("lua", &err), -EINVAL);
	assert_non_null(strstr(err.message, "go, tokio, qemu"));
	assert_non_null(strstr(err.message, "lua_resume() returns"));
	assert_int_equal(probes_check("boost", &err), -EINVAL);
	assert_non_null(strstr(err.message, "a stack pointer, another at each switch"));
	assert_non_null(strstr(err.message, "-lboost_context"));
}

static void test_names_of_sets(void **state)
{
	(void)state;
	assert_int_equal(probes_check(PROBES_GO, &err), 0);
	assert_int_equal(probes_check(PROBES_TOKIO, &err), 0);
	assert_int_equal(probes_check(PROBES_QEMU, &err), 0);
	assert_int_equal(probes_check(PROBES_NONE, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_roles),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_no_preset),
		cmocka_unit_test(test_names_of_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
