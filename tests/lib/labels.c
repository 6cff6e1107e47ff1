// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <coroprof/coroprof.h>

#include "mock.h"
#include "tap.h"

static uint32_t racing[4][512];

static void *race(void *mine)
{
	char text[32];

	for (int i = 0; i < 512; i++) {
		snprintf(text, sizeof(text), "racing %d", i);
		((uint32_t *)mine)[i] = coroprof_label(text);
	}
	return NULL;
}

static void interning(void)
{
	uint32_t one = coroprof_label("one"), two = coroprof_label("two");
	pthread_t threads[4];

	ok(one && two && one != two, "labels have numbers");
	is(coroprof_label("one"), one, "the same text has the same number");
	is(coroprof_label(NULL), 0, "no text is no label");
	ok(coroprof_label(""), "an empty text is a label");
	is(mock_count(MOCK_LABEL) > 0 ? mock_last(MOCK_LABEL)->error : -1, 0,
	   "the kernel gets labels");

	mock_forget();
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, race, racing[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ok(!memcmp(racing[0], racing[1], sizeof(racing[0])) &&
	   !memcmp(racing[0], racing[2], sizeof(racing[0])) &&
	   !memcmp(racing[0], racing[3], sizeof(racing[0])), "threads agree on numbers");
	is(mock_count(MOCK_LABEL), 512, "the kernel gets each label once");

	mock_forget();
	coroprof_adapter(NULL, COROPROF_SEES_NAMES);
	is(mock_count(MOCK_LABEL), 0, "an adapter without a name is none");
	coroprof_adapter("an adapter", COROPROF_SEES_NAMES);
	coroprof_adapter("an adapter", COROPROF_SEES_NAMES);
	is(mock_count(MOCK_LABEL), 1, "an adapter with a name is told once");
}

static void long_text(void)
{
	char text[400], same[400];

	memset(text, 'x', sizeof(text));
	text[399] = '\0';
	memcpy(same, text, sizeof(same));
	same[300] = 'y';
	is(coroprof_label(text), coroprof_label(same), "255 bytes tell labels apart");
	/* The 255th byte would be the first of two. */
	memcpy(text + 254, "\xc3\xa9", 2);
	memset(same, 'x', 254);
	same[254] = '\0';
	is(coroprof_label(text), coroprof_label(same), "no character is cut in half");
}

static void code(void)
{
	char expected[64];
	Dl_info info;

	mock_forget();
	ok(coroprof_label_code((void *)code), "code has a label");
	is(coroprof_label_code((void *)code), coroprof_label_code((void *)code),
	   "the same code has the same label");
	ok(coroprof_label_code((void *)code) != coroprof_label_code((char *)code + 1),
	   "code at another address has another label");
	dladdr((void *)code, &info);
	snprintf(expected, sizeof(expected), "+0x%lx",
		 (unsigned long)((char *)code - (char *)info.dli_fbase));
	ok(strstr(mock_event(0)->label, expected),
	   "the address in the label of code is the object's own: %s",
	   mock_event(0)->label);
	ok(strstr(mock_event(0)->label, "/labels"), "the label of code names the object");

	mock_forget();
	coroprof_label_code(dlsym(RTLD_DEFAULT, "qsort"));
	ok(strstr(mock_event(0)->label, "/libc.so"),
	   "the label of code in a library names it: %s", mock_event(0)->label);
	ok(coroprof_label_code((void *)16), "code in no object has a label of a kind");
}

static void full(void)
{
	uint32_t last = 0, before = coroprof_label("before");
	char text[32];

	for (int i = 0; i < 70000; i++) {
		snprintf(text, sizeof(text), "label %d", i);
		last = coroprof_label(text);
	}
	ok(last < COROPROF_LABELS_MAX, "numbers of labels stay in their bounds");
	is(coroprof_label("yet another"), last, "a label that comes too late shares one");
	is(coroprof_label("(no label left)"), last, "the label that is shared says so");
	is(coroprof_label("before"), before, "labels that came before are known");
}

int main(void)
{
	interning();
	long_text();
	code();
	full();
	return tap_done();
}
