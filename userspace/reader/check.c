// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"
#include "check.h"
#include "diagnose.h"
#include "events.h"
#include "machine.h"
#include "preload.h"
#include "session.h"
#include "util.h"

/* One line of the report; further lines of the text go under it. */
static void say(FILE *out, const char *what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(FILE *out, const char *what, const char *format, ...)
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
	say(out, "kernel", "%s, %s%s%s", m->uts.release, m->uts.machine,
	    m->hypervisor ? ", a virtual machine" : "",
	    m->container ? ", in a container" : "");
	say(out, "signing", "%s%s",
	    m->secure_boot ? "Secure Boot is on; " : "",
	    m->signatures ? "modules need a signature this kernel trusts" :
			    "modules need no signature");
	say(out, "module", "%s, %s", m->loaded ? "loaded" : "not loaded",
	    m->built ? "installed for this kernel" :
		       "not installed for this kernel");
}

static void check_pmu(FILE *out, const struct machine *m)
{
	if (m->simulated)
		say(out, "PMU", "%s: simulated by %s; what it counts means nothing",
		    m->pmus, SIMULATED_PMU);
	else if (m->nr_pmus)
		say(out, "PMU", "%s", m->pmus);
	else
		say(out, "PMU", "none: %s; times work all the same",
		    diagnose_counter(ENOENT, m));
}

static void check_preload(FILE *out)
{
	char path[PATH_MAX];
	struct error err;

	if (preload_find(path, &err))
		say(out, "preload", "%s", err.message);
	else
		say(out, "preload", "%s", path);
}

static void check_events(FILE *out, const struct calibration *c,
			 const struct event *events, unsigned int nr,
			 const struct machine *m)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (c->errors[i])
			say(out, "event", "%s: unsupported: %s", events[i].name,
			    diagnose_counter(c->errors[i], m));
		else
			say(out, "event", "%s: can be counted", events[i].name);
	}
}

/* Records itself, which is the only proof that recording works. */
static int check_recording(FILE *out, const struct machine *m)
{
	struct coroprof_counter counters[COROPROF_COUNTERS_MAX];
	struct event events[COROPROF_COUNTERS_MAX];
	struct calibration c;
	unsigned int nr = 0;
	struct error err;
	int ret;

	ret = events_parse(events, &nr, EVENTS_DEFAULT, &err);
	for (unsigned int i = 0; i < nr; i++)
		counters[i] = events[i].counter;
	if (ret || calibrate(&c, counters, nr, &err)) {
		say(out, "recording", "does not work: %s", err.message);
		return 1;
	}
	check_events(out, &c, events, nr, m);
	say(out, "recording", "works; a switch costs %.0f ns", c.ns);
	return 0;
}

static int check_session(FILE *out, const struct machine *m)
{
	const struct coroprof_session_config config = { 0 };
	struct session session;
	struct error err;

	if (session_open(&session, &config, &err)) {
		say(out, "device", "%s", err.message);
		return 1;
	}
	say(out, "device", "ABI level %u (this program's: %u), ring size %u, kernel mode %s",
	    session.info.abi_level, COROPROF_ABI_LEVEL, session.config.ring_size,
	    session.info.flags & COROPROF_INFO_KERNEL_ALLOWED ?
	    "may be counted" : "may not be counted by you");
	session_close(&session);
	return check_recording(out, m);
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
