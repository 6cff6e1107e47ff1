// SPDX-License-Identifier: GPL-2.0
/* More coroutines than slots (COROPROF_SLOTS=256), and fewer slots than wanted. */
#include <string.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

#define MANY 300

int main(void)
{
	static coroprof_co all[MANY];
	uint32_t label = coroprof_label("one of many");
	int own = 0, distinct = 1;

	for (int i = 0; i < MANY; i++) {
		all[i] = coroprof_new(label, COROPROF_THREAD, i);
		own += all[i] > 1;
		for (int j = 0; j < i && all[i] > 1; j++)
			distinct &= all[i] != all[j];
	}
	ok(own >= 250 && own < 256, "all slots but a few are given out");
	ok(distinct, "each slot is given out once");
	is(coroprof_slotless(), MANY - own, "who found none is counted");
	is(all[MANY - 1], 1, "who found no slot shares one");

	mock_record(true);
	coroprof_switch(all[MANY - 1]);
	ok(!strcmp(mock_last(MOCK_SWITCH)->label, "(no slot left)"),
	   "the label of the shared slot says so");
	is(mock_last(MOCK_SWITCH)->slot, 1, "the shared slot is slot 1");
	coroprof_switch_done(all[0]);
	ok(!(mock_last(MOCK_SWITCH)->arg & COROPROF_SWITCH_END),
	   "who has the shared slot never ends");
	ok(coroprof_id(1), "who has the shared slot lives on");
	coroprof_done(all[MANY - 2]);
	ok(coroprof_id(1), "the shared slot is there whatever is done with it");
	coroprof_switch(all[MANY - 1]);
	ok(!(mock_last(MOCK_SWITCH)->arg & COROPROF_SWITCH_FRESH), "the shared slot is fresh once");

	coroprof_switch(all[own - 1]);
	is(mock_last(MOCK_SWITCH)->slot, 1, "a number beyond the kernel's slots shares it too");

	coroprof_switch(COROPROF_THREAD);
	for (int i = 0; i < MANY; i++)
		coroprof_done(all[i]);
	own = 0;
	for (int i = 0; i < 200; i++)
		own += coroprof_new(label, COROPROF_THREAD, 0) > 1;
	is(own, 200, "freed slots are given out again");
	return tap_done();
}
