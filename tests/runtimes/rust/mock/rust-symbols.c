// SPDX-License-Identifier: GPL-2.0
/* Symbols of a program, this one, as tokio's adapter reads them. */
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"
#include "runtime.h"
#include "tokio/symbols.h"

void coroprof_debug(const char *format, ...)
{
	(void)format;
}

__attribute__((noinline)) int a_function_of_its_own(int n);

int a_function_of_its_own(int n)
{
	return n * 3 + rand();
}

static void code(const struct symbols *symbols)
{
	struct symbol symbol;
	const struct symbol *end, *own = symbols_at(symbols, (uintptr_t)a_function_of_its_own, &end);

	ok(own && symbol_is_code(symbols, own), "a function is code that may be read");
	if (!own)
		return;
	symbol = *own;
	symbol.size = symbols->code_end - symbol.address;
	ok(symbol_is_code(symbols, &symbol),
	   "a function up to where the code ends is code that may be read");
	symbol.size++;
	ok(!symbol_is_code(symbols, &symbol), "a function whose size is too large is no code");
	symbol.size = SIZE_MAX;
	ok(!symbol_is_code(symbols, &symbol),
	   "a function whose end is before its beginning is no code");
	symbol = (struct symbol){ symbols->code - 1, 1, "before" };
	ok(!symbol_is_code(symbols, &symbol), "what lies before the code is no code");
	symbol = (struct symbol){ (uintptr_t)symbols, 1, "data" };
	ok(!symbol_is_code(symbols, &symbol), "data is no code");
}

int main(void)
{
	struct symbols symbols;

	if (!symbols_open(&symbols) || !symbols_read(&symbols, "a_function_of_its_own")) {
		printf("Bail out! this program has no symbols\n");
		return 1;
	}
	code(&symbols);
	symbols_close(&symbols);
	return tap_done();
}
