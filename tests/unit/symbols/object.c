// SPDX-License-Identifier: GPL-2.0
/* Functions for the tests of symbols to find. */

int exported_function(int x);
int exported_function(int x)
{
	return x + 1;
}

/* Not in the dynamic symbols: a stripped object does not have its name. */
static __attribute__((noinline)) int hidden_function(int x)
{
	return x * 3 + 2;
}

void *address_of_hidden_function(void);
void *address_of_hidden_function(void)
{
	return (void *)hidden_function;
}

/* As C++ and Rust compilers name functions. */
int mangled(int x) __asm__("_ZN6server14handle_requestEi");
int mangled(int x)
{
	return hidden_function(x) - 5;
}

int rusty(int x) __asm__("_RNvC6server4poll");
int rusty(int x)
{
	return hidden_function(x) - 7;
}

/* As tokio's functions are called, in both ways of Rust's compiler; one is in another. */
int idle(int x) __asm__("_ZN5tokio7runtime4task5state5State18transition_to_idle17h252ff0012935dd47E");
int idle(int x)
{
	return hidden_function(x) - 11;
}

int running(int x) __asm__("_RNvMNtNtNtNtCs1_5tokio7runtime4task5stateNtB2_5State21transition_to_running");
int running(int x)
{
	return hidden_function(x) - 13;
}

int within(int x) __asm__("_ZN5tokio7runtime4task5state5State22transition_to_complete6within17h252ff0012935dd47E");
int within(int x)
{
	return hidden_function(x) - 17;
}

/* The thread comes by the second instruction of the first of these as often as by its first one. */
#if defined(__x86_64__)
#define FIRST "endbr64\n"
#define SECOND "push %rbp\n\tpop %rbp\n\t"
#define AGAIN "dec %edi\n\tjne 1b\n\t"
#define LAST "ret\n"
#else
#define FIRST "stp x29, x30, [sp, #-16]!\n"
#define SECOND "cbz x0, 2f\n\t2:\n\t"
#define AGAIN "subs x0, x0, #1\n\tb.ne 1b\n\t"
#define LAST "ldp x29, x30, [sp], #16\n\tret\n"
#endif
#define FUNCTION(name, code) \
	__asm__("\t.text\n\t.globl " name "\n" name ":\n\t" code "\t.type " name ", \"function\"\n")
#define FUNCTION_AT(name) ".globl " name "\n\t.type " name ", \"function\"\n" name ":\t"
#define SIZE(name) __asm__("\t.size " name ", . - " name "\n")

FUNCTION("straight_function", FIRST "1:\t" SECOND LAST);
SIZE("straight_function");
FUNCTION("looped_function", FIRST "1:\t" SECOND AGAIN LAST);
SIZE("looped_function");
FUNCTION("twofold_function", FIRST FUNCTION_AT("second_entry") SECOND LAST);
SIZE("twofold_function");
SIZE("second_entry");
