// SPDX-License-Identifier: GPL-2.0
/* `coroprof selftest`: the list of passes, the order in which they run, and the report. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invoked.h"
#include "base/replace.h"
#include "base/util.h"
#include "base/warn.h"
#include "explain/machine.h"
#include "selftest/costs.h"
#include "selftest/judge.h"
#include "selftest/memory.h"
#include "selftest/pass.h"
#include "selftest/rtc.h"
#include "selftest/selftest.h"
#include "selftest/system.h"

/* Software events can't be read in user mode. */
#define EVENTS_USER	"cycles,instructions,cache-misses"
#define EVENTS_IOCTL	EVENTS_USER ",page-faults"
/* A simulated PMU counts what was missed. */
#define FAR_SIMULATED	(1ull << 20)

static const struct pass passes[] = {
	{ .how = "by ioctl", .events = EVENTS_IOCTL },
	{ .how = "by ioctl, sampled", .events = EVENTS_IOCTL, .plan.sampled = true },
	{ .how = "user mode", .events = EVENTS_USER, .user = true },
	{ .how = "user mode, sampled", .events = EVENTS_USER, .user = true, .plan.sampled = true },
	{ .how = "given events", .events = EVENTS_USER, .user = true, .plan.given = true },
	{ .how = "given events, sampled", .events = EVENTS_USER, .user = true,
	  .plan = { .given = true, .sampled = true } },
};

/**
 * struct run - all of it
 * @machine:  what it is
 * @results:  so far
 * @figures:  all that was measured, as text
 * @text:     its memory
 * @size:     its size
 */
struct run {
	struct machine machine;
	struct results results;
	FILE *figures;
	char *text;
	size_t size;
};

static void choose_memory(struct pass *pass, const struct run *run)
{
	if (run->machine.simulated)
		pass->plan.far_bytes = FAR_SIMULATED;
	else if (!run->machine.nr_pmus)
		pass->near_far = COUNTER_NONE;
	else
		pass->plan.far_bytes = memory_far_bytes(&pass->near_far);
}

static int run_pass(struct run *run, struct pass pass, struct error *err)
{
	int ret;

	pass.plan.simulated = run->machine.simulated;
	choose_memory(&pass, run);
	ret = pass_run(&pass, &run->results, run->figures, err);
	if (ret)
		result_add(&run->results, pass.how, "all", VERDICT_WRONG, "%s", err->message);
	return ret;
}

/* Stops if the first recording can't be made, as none can be then. */
static int run_passes(struct run *run, bool by_ioctl, struct error *err)
{
	const struct rtc begin = rtc_look();
	struct error later;
	int ret = run_pass(run, passes[0], err);

	if (ret)
		return ret;
	for (size_t i = 1; i < ARRAY_SIZE(passes); i++) {
		if (by_ioctl && passes[i].user)
			continue;
		if (run_pass(run, passes[i], &later) == -EINTR) {
			*err = later;
			return -EINTR;
		}
	}
	rtc_judge(&begin, &run->results);
	costs_measure(&run->results);
	return 0;
}

static enum selftest_status selftest_status(const struct run *run)
{
	if (results_count(&run->results, VERDICT_WRONG))
		return SELFTEST_WRONG;
	return results_count(&run->results, VERDICT_NONE) ? SELFTEST_PARTLY : SELFTEST_RIGHT;
}

static void print_verdict(const struct run *run, FILE *out)
{
	static const char *const words[] = {
		[SELFTEST_RIGHT] = "all that was tested is right",
		[SELFTEST_WRONG] = "something is WRONG on this machine, see above",
		[SELFTEST_PARTLY] = "what could be tested is right",
	};

	fprintf(out, "\nverdict: %s: %u right, %u wrong, %u not testable here\n",
		words[selftest_status(run)], results_count(&run->results, VERDICT_RIGHT),
		results_count(&run->results, VERDICT_WRONG),
		results_count(&run->results, VERDICT_NONE));
}

static void print_report(const struct run *run, FILE *out)
{
	char command[64];

	fprintf(out, "%s, version %s\n",
		invoked_text(command, sizeof(command), "coroprof selftest"), COROPROF_VERSION);
	system_print(&run->machine, out);
	fputc('\n', out);
	results_print(&run->results, out);
	print_verdict(run, out);
}

static int write_report(const struct run *run, struct replacement *out, struct error *err)
{
	print_report(run, out->file);
	fprintf(out->file, "\nall PMUs: %s\n", run->machine.all_pmus);
	fwrite(run->text, 1, run->size, out->file);
	return replacement_commit(out, false, err);
}

/* No variable of the user's environment may decide how the worker switches. */
static void clear_environment(void)
{
	unsetenv("COROPROF_SWITCH");
	unsetenv("COROPROF_DISABLE");
}

int selftest(FILE *out, const char *path, bool by_ioctl)
{
	struct run run = { 0 };
	struct error err = ERROR_NONE;
	struct replacement report;
	int ret;

	if (path && replacement_open(&report, path, &err)) {
		warn("%s", err.message);
		return -err.code;
	}
	run.figures = open_memstream(&run.text, &run.size);
	machine_look(&run.machine);
	clear_environment();
	ret = run.figures ? run_passes(&run, by_ioctl, &err) : -ENOMEM;
	if (!ret) {
		print_report(&run, out);
		ret = (int)selftest_status(&run);
	}
	if (run.figures)
		fclose(run.figures);
	/* What kept it from being recorded at all is worth a report, too. */
	if (path && write_report(&run, &report, &err))
		ret = -err.code;
	if (ret < 0)
		warn("%s", *err.message ? err.message : strerror(-ret));
	free(run.text);
	return ret;
}
