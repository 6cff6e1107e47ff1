// SPDX-License-Identifier: GPL-2.0
/*
 * Which instruction of a function the kernel carries out itself, and where the arguments are
 * there: in the begin of functions as compilers have made them of QEMU, tokio and Go, in what
 * is near to that, and what leads to between it and the first instruction.
 */
#include "support.h"

#include "symbols/ahead.h"

#define STAYS SIZE_MAX

/* Little endian, as the machines that run the tests are. */
#define BYTES(array) ((const unsigned char *)(array))

static struct ahead ahead;

static size_t arm(const uint32_t *code, size_t nr)
{
	memset(&ahead, 0, sizeof(ahead));
	return ahead_find(&ahead, BYTES(code), 4 * nr, true) ? ahead.by : STAYS;
}

#define ARM(...) arm((const uint32_t[]){ __VA_ARGS__ }, \
		     sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

static size_t x86(const unsigned char *code, size_t size)
{
	memset(&ahead, 0, sizeof(ahead));
	return ahead_find(&ahead, code, size, false) ? ahead.by : STAYS;
}

#define X86(...) x86((const unsigned char[]){ __VA_ARGS__ }, \
		     sizeof((const unsigned char[]){ __VA_ARGS__ }))

/* Debian's 7.2: stp, mov x3, x0, mov x0, x1, mov x29, sp, str x1, str w2, bl */
static void test_qemu_has_its_arguments_elsewhere(void **state)
{
	(void)state;
	assert_int_equal(ARM(0xa9be7bfd, 0xaa0003e3, 0xaa0103e0, 0x910003fd, 0xf9000be1,
			     0xb9001fe2, 0x97ffffa3, 0x52800001), 24);
	assert_int_equal(ahead.in[0], 3);
	assert_int_equal(ahead.in[1], 1);
	assert_int_equal(ahead.in[2], 2);
	assert_int_equal(ahead.in[3], AHEAD_LOST);
	assert_int_equal(ahead.in[29], AHEAD_LOST);
	assert_int_equal(ahead.in[31], AHEAD_LOST);
}

/* transition_to_idle(), _to_running(), _to_complete(), wake_by_ref(), wake_by_val() of tokio 1 */
static void test_tokio_has_its_task(void **state)
{
	(void)state;
	assert_int_equal(ARM(0xf81d0ffe, 0xa90157f6, 0xa9024ff4, 0xaa0003f3, 0xc8dffc14,
			     0x36000454), 20);
	assert_int_equal(ahead.in[0], 0);
	assert_int_equal(ARM(0xf81d0ffe, 0xa90157f6, 0xa9024ff4, 0xaa0003f3, 0x52800056,
			     0xc8dffc14, 0x1400000a), 24);
	assert_int_equal(ahead.in[0], 0);
	assert_int_equal(ARM(0xf81f0ffe, 0xaa0003e1, 0x52800060, 0x9400ff0e), 12);
	assert_int_equal(ahead.in[0], 1);
	assert_int_equal(ARM(0xf81d0ffe, 0xa90157f6, 0xa9024ff4, 0xaa0003f3, 0xc8dffc14,
			     0xf27f069f, 0x540000a0), 24);
	assert_int_equal(ahead.in[0], 0);
	assert_int_equal(ARM(0xa9bf4ffe, 0xaa0003f3, 0x97ffe898), 8);
	assert_int_equal(ahead.in[0], 0);
}

/* ldr x16, [x28, #16]; cmp sp, x16; b.ls */
static void test_go_has_all_but_one(void **state)
{
	(void)state;
	assert_int_equal(ARM(0xf9400b90, 0xeb3063ff, 0x54000a89), 8);
	assert_int_equal(ahead.in[16], AHEAD_LOST);
	for (unsigned int i = 0; i < AHEAD_REGISTERS; i++)
		if (i != 16)
			assert_int_equal(ahead.in[i], i);
}

static void test_all_that_the_kernel_carries_out(void **state)
{
	static const uint32_t codes[] = {
		0x14000002, 0x94000002, 0x54000041, 0xb4000040, 0x35000040, 0x36000040,
		0xb7000040, 0xd63f0020, 0xd65f03c0, 0x10000040, 0x90000040,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (ARM(0xa9bf7bfd, codes[i]) != 4)
			fail_msg("%#x", codes[i]);
	/* It is there already. */
	assert_int_equal(ARM(0x94000002, 0xd65f03c0), STAYS);
}

/* What follows a push of the frame, before a branch. */
static void test_ends_where_it_does_not_know(void **state)
{
	static const uint32_t codes[] = {
		0xd503201f, /* nop: what is patched begins so */
		0xd4200000, /* brk */
		0xf9000001, /* str x1, [x0] */
		0xf9000be1, /* str x1, [sp, #16]: of the caller */
		0xa9010be1, /* stp x1, x2, [sp, #16] */
		0xa93f0be1, /* stp x1, x2, [sp, #-16] */
		0xf8008fe1, /* str x1, [sp, #8]! */
		0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
		0x910043ff, /* add sp, sp, #16 */
		0xd14007ff, /* sub sp, sp, #4096: with a shift */
		0xc85ffc01, /* ldaxr */
		0xd53bd041, /* mrs */
		0x58000041, /* ldr of a literal */
		0x54000051, /* bc.ne */
		0x3d800fe0, /* str q0, [sp, #48] */
		0x00000000,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (ARM(0xa9bf7bfd, codes[i], 0x94000002) != STAYS)
			fail_msg("%#x", codes[i]);
	assert_int_equal(ARM(0xa9bf7bfd, 0xf90007e1, 0x94000002), 8);
	/* br: of a switch statement, wherever it is */
	assert_int_equal(ARM(0xa9bf7bfd, 0x94000002, 0xd503201f, 0xd61f0200), STAYS);
	assert_int_equal(ARM(0xa9bf7bfd, 0x94000002, 0xd503201f, 0xd71f0a11), STAYS);
}

/* Each of these changes x0, or x0 and x1. */
static void test_knows_what_is_lost(void **state)
{
	static const uint32_t codes[] = {
		0xaa1f03e0, 0x2a0103e0, 0x52800060, 0x91000400, 0xf1000400, 0x12000020,
		0xd3410420, 0x0b020020, 0xf9400020, 0x39400020, 0x79400020, 0xb9800020,
		0xf8410020, 0xc8dffc20, 0xa9400440, 0xa9400041,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (ARM(codes[i], 0x94000002) != 4 || ahead.in[0] != AHEAD_LOST ||
		    ahead.in[7] != 7)
			fail_msg("%#x", codes[i]);
	/* mov x1, x0; mov x0, x1: where it was is preferred, and what went round is found. */
	assert_int_equal(ARM(0xaa0003e1, 0xaa0103e0, 0x94000002), 8);
	assert_int_equal(ahead.in[0], 0);
	assert_int_equal(ahead.in[1], AHEAD_LOST);
}

/* endbr64; then push %rbp, push %r15, sub $8, %rsp */
static void test_x86_has_only_what_follows_endbr64(void **state)
{
	(void)state;
	assert_int_equal(X86(0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5), 4);
	for (unsigned int i = 0; i < AHEAD_REGISTERS; i++)
		assert_int_equal(ahead.in[i], i);
	assert_int_equal(X86(0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x57, 0x41, 0x56), 4);
	assert_int_equal(X86(0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08), STAYS);
	assert_int_equal(X86(0xf3, 0x0f, 0x1e, 0xfb, 0x55, 0x48, 0x89, 0xe5), STAYS);
	assert_int_equal(X86(0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x89, 0x41, 0x56), STAYS);
	/* QEMU's: sub, mov */
	assert_int_equal(X86(0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0xf8), STAYS);
	/* notrack jmp *%rax; jmp *8(%rax) */
	assert_int_equal(X86(0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x3e, 0xff, 0xe0), STAYS);
	assert_int_equal(X86(0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0xff, 0x60, 0x08), STAYS);
}

/* At 0x1000; whether it leads behind @from, but not behind @to */
static bool arm_leads(uint32_t code, uint64_t from, uint64_t to)
{
	return ahead_entered(BYTES(&code), 4, 0x1000, from, to, true);
}

static void test_sees_what_leads_to_between(void **state)
{
	/* b, bl, b.ne, cbz, tbz, all to 0xff8; and to 0x1008 */
	static const uint32_t back[] = { 0x17fffffe, 0x97fffffe, 0x54ffffc1, 0xb4ffffc0,
					 0x3607ffc0 };
	static const uint32_t on[] = { 0x14000002, 0x94000002, 0x54000041, 0xb4000040,
				       0x36000040 };

	(void)state;
	for (size_t i = 0; i < sizeof(back) / sizeof(back[0]); i++) {
		assert_true(arm_leads(back[i], 0xff0, 0x1000));
		assert_true(arm_leads(back[i], 0xff0, 0xff8));
		assert_false(arm_leads(back[i], 0xff8, 0x1000));
		assert_false(arm_leads(back[i], 0xff0, 0xff4));
		assert_true(arm_leads(on[i], 0x1004, 0x1008));
		assert_false(arm_leads(on[i], 0x1008, 0x100c));
		assert_false(arm_leads(on[i], 0xff0, 0x1000));
	}
	assert_false(arm_leads(0xd65f03c0, 0, UINT64_MAX));
}

static bool x86_leads(const unsigned char *code, size_t size, uint64_t to)
{
	return ahead_entered(code, size, 0x1000, to - 4, to, false);
}

#define LEADS(to, ...) x86_leads((const unsigned char[]){ __VA_ARGS__ }, \
				 sizeof((const unsigned char[]){ __VA_ARGS__ }), to)

static void test_sees_it_in_what_may_be_an_instruction(void **state)
{
	(void)state;
	assert_true(LEADS(0xff0, 0xeb, 0xee));
	assert_false(LEADS(0xff4, 0xeb, 0xee));
	assert_true(LEADS(0xff0, 0x75, 0xee));
	assert_true(LEADS(0xff0, 0xe3, 0xee));
	assert_true(LEADS(0xff0, 0xe9, 0xeb, 0xff, 0xff, 0xff));
	assert_true(LEADS(0xff0, 0xe8, 0xeb, 0xff, 0xff, 0xff));
	assert_true(LEADS(0xff0, 0x0f, 0x84, 0xea, 0xff, 0xff, 0xff));
	/* In the middle of another: mov $0xedeb, %eax */
	assert_true(LEADS(0xff0, 0xb8, 0xeb, 0xed, 0x00, 0x00));
	assert_false(LEADS(0xff0, 0xe9, 0xeb, 0xff, 0xff));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_qemu_has_its_arguments_elsewhere),
		cmocka_unit_test(test_tokio_has_its_task),
		cmocka_unit_test(test_go_has_all_but_one),
		cmocka_unit_test(test_all_that_the_kernel_carries_out),
		cmocka_unit_test(test_ends_where_it_does_not_know),
		cmocka_unit_test(test_knows_what_is_lost),
		cmocka_unit_test(test_x86_has_only_what_follows_endbr64),
		cmocka_unit_test(test_sees_what_leads_to_between),
		cmocka_unit_test(test_sees_it_in_what_may_be_an_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
