// SPDX-License-Identifier: GPL-2.0
/* The header, in C++, with all warnings. */
#include <coroprof/coroprof.h>

#include "tap.h"

int main()
{
	coroprof_co co = coroprof_new(coroprof_label("C++"), COROPROF_THREAD, 0);
	coroprof_totals totals = {};
	coroprof_join join = {};

	totals.size = sizeof(totals);
	join.size = sizeof(join);
	coroprof_switch(co);
	is(coroprof_current(), co, "C++ can call it");
	coroprof_switch_done(COROPROF_THREAD);
	is(coroprof_id(co), 0, "and end it");
	return tap_done();
}
