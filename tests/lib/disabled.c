// SPDX-License-Identifier: GPL-2.0
/* COROPROF_DISABLE=1 */
#include <errno.h>
#include <string.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

int main(void)
{
	mock_record(true);
	is(coroprof_status(), -ECANCELED, "the library is off");
	ok(strstr(coroprof_strerror(-ECANCELED), "COROPROF_DISABLE"),
	   "the text of the error says why the library is off");
	for (int i = 0; i < 100; i++)
		coroprof_switch(coroprof_new(coroprof_label("a"), COROPROF_THREAD, 0));
	is(coroprof_thread_join(NULL), -ECANCELED, "a library that is off joins no thread");
	is(mock_events(), 0, "the kernel is never asked");
	return tap_done();
}
