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
