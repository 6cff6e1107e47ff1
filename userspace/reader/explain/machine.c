// SPDX-License-Identifier: GPL-2.0
/*
 * Reads /proc, /sys and EFI variables that decide whether recording works here, into struct
 * machine; what can't be read stays unknown.
 */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "events/events.h"
#include "explain/machine.h"

#define EFI_SECURE_BOOT \
	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

/* The variable has four bytes of attributes, and one byte that is 1 for on. */
static bool secure_boot_is_on(void)
{
	FILE *file = fopen(EFI_SECURE_BOOT, "re");
	unsigned char bytes[5] = { 0 };

	if (!file)
		return false;
	if (fread(bytes, 1, sizeof(bytes), file) != sizeof(bytes))
		bytes[4] = 0;
	fclose(file);
	return bytes[4] == 1;
}

static bool signatures_are_enforced(void)
{
	char text[128];

	if (read_text("/sys/module/module/parameters/sig_enforce", text,
		      sizeof(text)) && text[0] == 'Y')
		return true;
	return read_text("/sys/kernel/security/lockdown", text, sizeof(text)) &&
	       !strstr(text, "[none]");
}

/* modprobe's own index knows every place a module may be installed at. */
static bool module_is_installed(const char *release)
{
	char path[PATH_MAX];
	char *line = NULL;
	size_t capacity = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && getline(&line, &capacity, file) > 0) {
		line[strcspn(line, ":")] = '\0';
		found = strstr(line, "/coroprof.ko") != NULL;
	}
	free(line);
	fclose(file);
	return found;
}

static bool headers_are_installed(const char *release)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", release);
	return access(path, F_OK) == 0;
}

static bool text_has(const char *path, const char *word)
{
	char text[4096];

	return read_text(path, text, sizeof(text)) && strstr(text, word);
}

static bool is_virtual(void)
{
	return text_has("/proc/cpuinfo", " hypervisor") ||
	       text_has("/sys/class/dmi/id/sys_vendor", "QEMU") ||
	       text_has("/proc/device-tree/compatible", "linux,dummy-virt") ||
	       access("/proc/device-tree/hypervisor", F_OK) == 0 ||
	       access("/sys/hypervisor/type", F_OK) == 0;
}

static bool is_container(void)
{
	return access("/.dockerenv", F_OK) == 0 ||
	       access("/run/.containerenv", F_OK) == 0 ||
	       access("/run/systemd/container", F_OK) == 0;
}

/* The simulated PMU's module has a name of its own; its PMU also has a file that says so. */
static bool pmu_is_simulated(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/cpu/simulated", events_pmu_root);
	return access("/sys/module/" SIMULATED_PMU, F_OK) == 0 ||
	       access(path, F_OK) == 0;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void list_pmus(char *names, size_t capacity)
{
	struct dirent **entries;
	size_t used = 0;
	int n = scandir(events_pmu_root, &entries, is_visible, alphasort);

	names[0] = '\0';
	for (int i = 0; i < n; i++) {
		if (used < capacity)
			used += (size_t)snprintf(names + used, capacity - used,
						 "%s%s", i ? "," : "",
						 entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* Sets "" if the file can't be read. */
static void read_or_empty(char *text, size_t capacity, const char *path)
{
	if (!read_text(path, text, capacity))
		*text = '\0';
}

/* Reads types of the PMUs in the list, and rdpmc of the first, which has it if any has. */
static void read_pmus(struct machine *m)
{
	char list[sizeof(m->pmus)], path[PATH_MAX], type[16];
	char *rest = list, *name;
	size_t used = 0;

	snprintf(list, sizeof(list), "%s", m->pmus);
	while ((name = strsep(&rest, ",")) && used < sizeof(m->cpu_pmu_types)) {
		snprintf(path, sizeof(path), "%s/%s/type", events_pmu_root, name);
		read_or_empty(type, sizeof(type), path);
		if (*type)
			used += (size_t)snprintf(m->cpu_pmu_types + used,
						 sizeof(m->cpu_pmu_types) - used,
						 "%s%s", used ? "," : "", type);
		snprintf(path, sizeof(path), "%s/%s/rdpmc", events_pmu_root, name);
		if (!*m->rdpmc)
			read_or_empty(m->rdpmc, sizeof(m->rdpmc), path);
	}
}

/* Reads the settings that limit perf: perf_event_paranoid, mlock_kb, perf_user_access. */
static void read_limits(struct machine *m)
{
	read_or_empty(m->paranoid, sizeof(m->paranoid),
		      "/proc/sys/kernel/perf_event_paranoid");
	read_or_empty(m->mlock_kb, sizeof(m->mlock_kb),
		      "/proc/sys/kernel/perf_event_mlock_kb");
	read_or_empty(m->user_access, sizeof(m->user_access),
		      "/proc/sys/kernel/perf_user_access");
}

void machine_look(struct machine *m)
{
	memset(m, 0, sizeof(*m));
	uname(&m->uts);
	m->nr_pmus = events_cpu_pmus(m->pmus, sizeof(m->pmus));
	list_pmus(m->all_pmus, sizeof(m->all_pmus));
	m->simulated = pmu_is_simulated();
	m->loaded = access("/sys/module/coroprof", F_OK) == 0;
	m->built = module_is_installed(m->uts.release);
	m->dkms = access("/usr/src/coroprof-" COROPROF_VERSION "/dkms.conf", F_OK) == 0;
	m->headers = headers_are_installed(m->uts.release);
	m->secure_boot = secure_boot_is_on();
	m->signatures = signatures_are_enforced();
	m->hypervisor = is_virtual();
	m->container = is_container();
	read_limits(m);
	read_pmus(m);
}
