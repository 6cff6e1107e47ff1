// SPDX-License-Identifier: GPL-2.0
/* Prints the machine as far as figures depend on it: processors, their kinds, PMUs. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "events/events.h"
#include "explain/reason.h"
#include "selftest/system.h"

#define CLOCKSOURCE	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* True of a line that distinguishes kinds of processors, on x86 or arm64. */
static bool has_kind(const char *line)
{
	return !strncmp(line, "model name", 10) || !strncmp(line, "CPU implementer", 15) ||
	       !strncmp(line, "CPU part", 8);
}

/* Prints each kind of processor in /proc/cpuinfo once. */
static void print_processors(FILE *out)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256], seen[2048] = "";

	while (file && fgets(line, sizeof(line), file)) {
		if (!has_kind(line) || strstr(seen, line) ||
		    strlen(seen) + strlen(line) >= sizeof(seen))
			continue;
		strcat(seen, line);
		line[strcspn(line, "\n")] = '\0';
		fprintf(out, "processor  %s\n", line + strcspn(line, ":") + (strchr(line, ':') ? 2 : 0));
	}
	if (file)
		fclose(file);
	fprintf(out, "           %ld CPUs\n", sysconf(_SC_NPROCESSORS_ONLN));
}

static void print_pmu(const struct machine *m, FILE *out)
{
	if (m->simulated)
		fprintf(out, "PMU        %s, simulated by %s, to which the test gives the counts of its loops: it proves nothing about a processor\n",
			m->pmus, SIMULATED_PMU);
	else if (m->nr_pmus)
		fprintf(out, "PMU        %s\n", m->pmus);
	else
		fprintf(out, "PMU        none: %s\n", reason_no_pmu(m->hypervisor));
}

/* On a machine with several kinds of processors, prints on which CPUs each PMU counts. */
static void print_pmus_by_kind(const struct machine *m, FILE *out)
{
	char list[sizeof(m->pmus)], path[PATH_MAX], cpus[256];
	char *rest = list, *name;

	snprintf(list, sizeof(list), "%s", m->pmus);
	while (m->nr_pmus > 1 && (name = strsep(&rest, ","))) {
		snprintf(path, sizeof(path), "%s/%s/cpus", events_pmu_root, name);
		if (read_text(path, cpus, sizeof(cpus)))
			fprintf(out, "           %s counts on CPUs %s; '..., each CPU' says what holds of which\n",
				name, cpus);
	}
}

void system_print(const struct machine *m, FILE *out)
{
	char clocksource[64];

	if (!read_text(CLOCKSOURCE, clocksource, sizeof(clocksource)))
		snprintf(clocksource, sizeof(clocksource), "n/a");
	fprintf(out, "kernel     Linux %s, %s%s%s\n", m->uts.release, m->uts.machine,
		m->hypervisor ? ", a virtual machine" : "", m->container ? ", in a container" : "");
	print_processors(out);
	print_pmu(m, out);
	print_pmus_by_kind(m, out);
	fprintf(out, "settings   kernel.perf_event_paranoid %s, kernel.perf_user_access %s, rdpmc %s, clocksource %s\n",
		*m->paranoid ? m->paranoid : "n/a", *m->user_access ? m->user_access : "n/a",
		*m->rdpmc ? m->rdpmc : "n/a", clocksource);
}
