// SPDX-License-Identifier: GPL-2.0
/*
 * `coroprof check`: looks at device, PMU, preload library and events, then records a child of its
 * own as the proof that recording works. Relies on explain/ for words and on record/calibrate.h for
 * the recording.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "check.h"
#include "events/events.h"
#include "explain/diagnose.h"
#include "explain/machine.h"
#include "explain/preload.h"
#include "explain/reason.h"
#include "options/list.h"
#include "record/calibrate.h"
#include "record/session.h"

/* One line of the report; further lines of the text go under it. */
static void print(FILE *out, const char *what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void print(FILE *out, const char *what, const char *format, ...)
{
	char text[4096];
	char *line, *rest = text;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	while ((line = strsep(&rest, "\n"))) {
		fprintf(out, "%-10s %s\n", what, line);
		what = "";
	}
}

static void check_machine(FILE *out, const struct machine *m)
{
	print(out, "kernel", "%s, %s%s%s", m->uts.release, m->uts.machine,
	      m->hypervisor ? ", a virtual machine" : "",
	      m->container ? ", in a container" : "");
	print(out, "signing", "%s%s",
	      m->secure_boot ? "Secure Boot is on; " : "",
	      m->signatures ? "modules need a signature this kernel trusts" :
			    "modules need no signature");
	print(out, "module", "%s, %s%s", m->loaded ? "loaded" : "not loaded",
	      m->built ? "installed for this kernel" :
		       "not installed for this kernel",
	      m->dkms && !m->built && !m->headers ? ", whose headers are missing" : "");
}

static void check_pmu(FILE *out, const struct machine *m)
{
	if (m->simulated)
		print(out, "PMU", "%s: simulated by %s; what it counts means nothing",
		      m->pmus, SIMULATED_PMU);
	else if (m->nr_pmus)
		print(out, "PMU", "%s", m->pmus);
	else
		print(out, "PMU", "none: %s; times work all the same",
		      diagnose_counter(ENOENT, m));
}

/* The module of Python is in a folder beside the preload library. */
static void check_python(FILE *out, const char *preload)
{
	int folder = strrchr(preload, '/') - preload;
	char module[PATH_MAX + 32];

	snprintf(module, sizeof(module), "%.*s/python/coroprof.py", folder, preload);
	if (access(module, R_OK) == 0)
		print(out, "python", "import coroprof works with PYTHONPATH=%.*s/python", folder,
		      preload);
}

static void check_preload(FILE *out)
{
	char path[PATH_MAX];
	struct error err;

	if (preload_find(path, &err)) {
		print(out, "preload", "%s", err.message);
		return;
	}
	print(out, "preload", "%s", path);
	check_python(out, path);
}

static void check_events(FILE *out, const struct calibration *c,
			 const struct event *events, unsigned int nr,
			 const struct machine *m)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (c->errors[i])
			print(out, "event", "%s: unsupported: %s", events[i].name,
			      diagnose_counter(c->errors[i], m));
		else
			print(out, "event", "%s: can be counted", events[i].name);
	}
}

/* Prints how a thread with these counters switches, and why. */
static void check_mode(FILE *out, const struct calibration *c, unsigned int nr,
		       const struct machine *m)
{
	const struct reason_context context = {
		.arch = m->uts.machine,
		.paranoid = *m->paranoid ? m->paranoid : NULL,
		.mlock_kb = *m->mlock_kb ? m->mlock_kb : NULL,
		.user_access = *m->user_access ? m->user_access : NULL,
		.rdpmc = *m->rdpmc ? m->rdpmc : NULL,
		.nr_counters = nr,
		.not_of_cpu = "",
	};
	char found[REASON_SIZE] = "", fix[REASON_SIZE] = "";

	if (c->mode == COROPROF_MODE_USER) {
		reason_mode_risk(found, &context);
		print(out, "switching", "from user mode, without a system call\n  %s", found);
		return;
	}
	reason_mode_found(found, c->reason, &context);
	reason_mode_fix(fix, c->reason, &context);
	print(out, "switching", "by ioctl: %s%s%s%s%s", reason_mode(c->reason),
	      *found ? ": " : "", found, *fix ? "\n  " : "", fix);
}

static void check_cost(FILE *out, const char *what, const char *how,
		       const struct calibration_cost *cost)
{
	if (cost->ns < 0)
		return;
	if (cost->instructions < 0)
		print(out, "cost", "%.0f ns a %s %s", cost->ns, what, how);
	else
		print(out, "cost", "%.0f ns, %.0f instructions a %s %s", cost->ns,
		      cost->instructions, what, how);
}

static void check_costs(FILE *out, const struct calibration *c)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(c->cost); i++) {
		const char *how = i == COROPROF_MODE_USER ? "from user mode" :
							    "by ioctl";

		check_cost(out, "switch", how, &c->cost[i]);
		check_cost(out, "span", how, &c->span_cost[i]);
		check_cost(out, "thread", how, &c->join_cost[i]);
	}
	check_cost(out, "thread", "that needs memory of its own, more", &c->ring_cost);
	check_cost(out, "coroutine", "that is born and ends", &c->birth_cost);
}

static void check_sampling(FILE *out, const struct calibration *c,
			   const struct session *session,
			   const struct machine *m)
{
	if (!(session->info.features & COROPROF_FEATURE_SAMPLES))
		print(out, "samples", "the module takes none");
	else if (c->sample_error)
		print(out, "samples",
		      "of cpu-clock only: " SAMPLE_EVENT_DEFAULT " can't be sampled here: %s",
		      diagnose_counter(c->sample_error, m));
	else
		print(out, "samples", "of " SAMPLE_EVENT_DEFAULT " can be taken");
}

static int default_config(struct coroprof_session_config *config,
			  struct event *events, const struct session *session,
			  struct error *err)
{
	struct event sampled;
	unsigned int nr = 0;
	int ret = events_parse(events, &config->nr_counters, EVENTS_DEFAULT,
			       err);

	if (!ret)
		ret = events_parse(&sampled, &nr, SAMPLE_EVENT_DEFAULT, err);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < config->nr_counters; i++)
		config->counters[i] = events[i].counter;
	config->flags = COROPROF_SESSION_USER;
	if (!(session->info.features & COROPROF_FEATURE_SAMPLES))
		return 0;
	config->sampling.counter = sampled.counter;
	config->sampling.frequency = SAMPLE_FREQUENCY_DEFAULT;
	return 0;
}

/* Records a child, which is the only proof that recording works. */
static int check_recording(FILE *out, const struct session *session,
			   const struct machine *m)
{
	struct coroprof_session_config config = { 0 };
	struct event events[COROPROF_COUNTERS_MAX];
	struct calibration c;
	struct error err;

	if (default_config(&config, events, session, &err) ||
	    calibrate(&c, &config, &err)) {
		print(out, "recording", "does not work: %s", err.message);
		return 1;
	}
	check_events(out, &c, events, config.nr_counters, m);
	check_mode(out, &c, config.nr_counters, m);
	check_sampling(out, &c, session, m);
	check_costs(out, &c);
	print(out, "recording", "works");
	return 0;
}

static int check_session(FILE *out, const struct machine *m)
{
	const struct coroprof_session_config config = { 0 };
	struct session session;
	struct error err;

	if (session_open(&session, &config, &err)) {
		print(out, "device", "%s", err.message);
		return 1;
	}
	print(out, "device", "ABI level %u (this program's: %u), ring size %u, kernel mode %s",
	      session.info.abi_level, COROPROF_ABI_LEVEL, session.config.ring_size,
	      session.info.flags & COROPROF_INFO_KERNEL_ALLOWED ?
	      "may be counted" : "may not be counted by you");
	session_close(&session);
	return check_recording(out, &session, m);
}

int check_print(FILE *out)
{
	struct machine m;

	machine_look(&m);
	check_machine(out, &m);
	check_pmu(out, &m);
	check_preload(out);
	return check_session(out, &m);
}
