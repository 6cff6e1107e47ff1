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
