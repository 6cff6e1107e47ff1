// SPDX-License-Identifier: GPL-2.0
/* Without the module (MOCK_NO_DEVICE): all works, nothing is claimed. */
#include <errno.h>
#include <string.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

int main(void)
{
	struct coroprof_totals totals = { .size = sizeof(totals) };
	struct coroprof_join join = { .size = sizeof(join) };
	coroprof_co a, b;

	is(coroprof_status(), -ENODEV, "the status says why nothing is recorded");
	ok(strstr(coroprof_strerror(coroprof_status()), "modprobe"),
	   "the text of the status says what to do");
	a = coroprof_new(coroprof_label("a"), COROPROF_THREAD, 0);
	b = coroprof_new(coroprof_label_code((void *)main), a, 0);
	ok(a && b && a != b, "coroutines are made");
	ok(coroprof_id(a) && coroprof_id(a) != coroprof_id(b), "coroutines have ids");
	errno = EILSEQ;
	coroprof_switch(a);
	coroprof_switch_ready(b);
	coroprof_wake(a);
	coroprof_span_begin(coroprof_label("s"));
	coroprof_span_end();
	is(coroprof_current(), b, "switches are noted");
	coroprof_switch_done(a);
	is(coroprof_id(b), 0, "ends are noted");
	is(errno, EILSEQ, "errno is kept");
	is(coroprof_thread_join(NULL), -ENODEV, "no thread can join");
	is(coroprof_thread_join(&join), -ENODEV, "no thread can join with counters of its own");
	is(coroprof_thread_leave(), -ESRCH, "no thread can leave");
	is(coroprof_read_self(&totals), -ENODEV, "nothing is read");
	is(coroprof_start("/dev/null"), -ENODEV, "nothing is recorded");
	is(coroprof_stop(), -EALREADY, "what was not started is not stopped");
	is(coroprof_slotless(), 0, "slots suffice");

	mock_open_error(0);
	for (int i = 0; i < 100; i++)
		coroprof_new(0, COROPROF_THREAD, 0);
	is(coroprof_status(), 0, "once the module is there, more coroutines find it");
	return tap_done();
}
