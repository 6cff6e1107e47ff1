// SPDX-License-Identifier: GPL-2.0
/*
 * Finds out why a living process has not loaded the preload library: by its environment, its /dev,
 * its rights. Writes each cause with the command that mends it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inroot.h"
#include "base/util.h"
#include "coroprof.h"
#include "explain/access.h"
#include "explain/cause.h"
#include "explain/preload.h"

#define ENVIRONMENT_MAX	(128u << 10)

/* ---- what it was started with */

/* The value of the variable @name in the bytes of /proc/PID/environ, or NULL. */
static const char *environment_value(const char *environment, size_t size, const char *name)
{
	size_t len = strlen(name);

	for (size_t at = 0; at < size; at += strlen(environment + at) + 1) {
		if (!strncmp(environment + at, name, len) && environment[at + len] == '=')
			return environment + at + len + 1;
	}
	return NULL;
}

static bool names_preload(const char *value)
{
	return value && strstr(value, PRELOAD_NAME);
}

/*
 * False if the program has overwritten its environment, as with a title: the text is not empty and
 * has no "=".
 */
static bool is_environment(const char *text, size_t size)
{
	return !size || memchr(text, '=', size);
}

static bool has_other_environment(const struct living *l, enum detection_kind *kind,
				  char found[PATH_MAX])
{
	char path[32], *text = malloc(ENVIRONMENT_MAX + 1);
	const char *value;
	bool other = false;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", l->pid);
	file = text && !l->library && l->started ? fopen(path, "re") : NULL;
	if (file) {
		size = fread(text, 1, ENVIRONMENT_MAX, file);
		text[size] = '\0';
		value = environment_value(text, size, "LD_PRELOAD");
		other = is_environment(text, size) && !names_preload(value);
		/* A process that was named is handed no session. */
		*kind = !*l->preload || environment_value(text, size, COROPROF_ENV_TOKEN) ?
			DETECTED_REPLACED : DETECTED_EMPTIED;
		snprintf(found, PATH_MAX, "%s", value ? value : "");
		fclose(file);
	}
	free(text);
	return other;
}

bool cause_of_word(const char *word, enum detection_kind *kind, char found[PATH_MAX])
{
	static const char preload[] = "LD_PRELOAD=";

	*found = '\0';
	*kind = DETECTED_EMPTIED;
	if (!strcmp(word, "-i") || !strcmp(word, "-") || !strcmp(word, "--ignore-environment"))
		return true;
	*kind = DETECTED_REPLACED;
	/* Of "unset", and of "env -u". */
	if (!strcmp(word, "LD_PRELOAD"))
		return true;
	/* One that is added to what is there names it: "LD_PRELOAD=x:$LD_PRELOAD". */
	if (strncmp(word, preload, strlen(preload)) || strstr(word + 1, "LD_PRELOAD") ||
	    names_preload(word))
		return false;
	snprintf(found, PATH_MAX, "%s", word + strlen(preload));
	return true;
}

/* ---- whether it may open the device */

/*
 * True if the process has the device open: the preload library opens it as it is loaded, and keeps
 * it.
 */
static bool has_device_open(pid_t pid)
{
	char folder[32], path[300], link[64];
	const struct dirent *entry;
	bool found = false;
	ssize_t n;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", pid);
	dir = opendir(folder);
	/* Nobody knows: no reason to say anything of it. */
	if (!dir)
		return true;
	while (!found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		n = readlink(path, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = '\0';
		found = strstr(link, "coroprof") != NULL;
	}
	closedir(dir);
	return found;
}

/*
 * Sets the service of systemd that the process belongs to, as "shop.service" of
 * "0::/system.slice/shop.service". False if there is none.
 */
static bool systemd_unit_of(pid_t pid, char unit[PATH_MAX])
{
	char path[32], text[4096], *end, *begin;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	if (!read_text(path, text, sizeof(text)))
		return false;
	end = strstr(text, ".service");
	if (!end || !strncmp(text, "user@", 5))
		return false;
	end += strlen(".service");
	if (*end && *end != '\n' && *end != '/')
		return false;
	*end = '\0';
	begin = strrchr(text, '/');
	snprintf(unit, PATH_MAX, "%s", begin ? begin + 1 : text);
	return begin && strncmp(unit, "user@", 5);
}

/* True if an ancestor of the process is @program, such as one that made its mount namespace. */
static bool is_below(pid_t pid, const char *program)
{
	char path[32], comm[32];

	for (; pid > 1; pid = parent_of(pid)) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		if (read_text(path, comm, sizeof(comm)) && !strcmp(comm, program))
			return true;
	}
	return false;
}

static bool has_private_dev(const struct living *l, enum detection_kind *kind, char found[PATH_MAX])
{
	static const char *const makers[] = { "firejail", "bwrap" };
	struct process_root root = root_of_process(l->pid);

	*kind = DETECTED_PRIVATE_DEV;
	if (root_is_other(root.path) || !mounts_are_other(l->pid) ||
	    exists_in_root(root.path, COROPROF_DEVICE) || has_device_open(l->pid))
		return false;
	*found = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		if (is_below(l->pid, makers[i])) {
			snprintf(found, PATH_MAX, "%s", makers[i]);
			return true;
		}
	}
	systemd_unit_of(l->pid, found);
	return true;
}

static bool has_no_right(const struct living *l, enum detection_kind *kind, char found[PATH_MAX])
{
	*kind = DETECTED_RIGHTS;
	return l->library && l->started && access_denied(l->pid, found) &&
	       !has_device_open(l->pid);
}

bool cause_holds(unsigned int nr, const struct living *l, enum detection_kind *kind,
		 char found[PATH_MAX])
{
	static bool (*const causes[CAUSES])(const struct living *, enum detection_kind *,
					    char *) = {
		has_other_environment,
		has_private_dev,
		has_no_right,
	};

	return causes[nr](l, kind, found);
}

/* ---- reporting */

static void report_replaced(const struct detection *detection, const char *who, const char *preload,
			    struct error *err)
{
	if (*detection->file)
		error_hint(err, "%s was started with LD_PRELOAD=%s, which a script or a program before it has put in place of the preload library: let it add to what is there:\n  LD_PRELOAD=%s:$LD_PRELOAD COMMAND",
			   who, detection->file, detection->file);
	else if (*preload)
		error_hint(err, "%s was started without the preload library, as a script or a program before it has taken LD_PRELOAD out of the environment: leave it there, or give it back:\n  LD_PRELOAD=%s COMMAND",
			   who, preload);
	else
		error_hint(err, "%s was started without the preload library, as LD_PRELOAD is not in its environment: start it by coroprof record, or with it:\n  LD_PRELOAD=" COROPROF_LIBDIR "/coroprof/" PRELOAD_NAME " COMMAND",
			   who);
}

static void report_private_dev(const struct detection *detection, const char *who,
			       struct error *err)
{
	const char *by = detection->file;

	if (ends_with(by, ".service"))
		error_hint(err, "%s has a /dev of its own, in which there is no " COROPROF_DEVICE ", as PrivateDevices=yes makes it for %s: give it that of the machine:\n  sudo mkdir -p /etc/systemd/system/%s.d && printf '[Service]\\nPrivateDevices=no\\n' | sudo tee /etc/systemd/system/%s.d/coroprof.conf && sudo systemctl daemon-reload && sudo systemctl restart %s",
			   who, by, by, by, by);
	else if (!strcmp(by, "firejail"))
		error_hint(err, "%s has a /dev of its own, in which there is no " COROPROF_DEVICE ", as private-dev of firejail makes it: run it without:\n  firejail --ignore=private-dev COMMAND",
			   who);
	else
		error_hint(err, "%s has a /dev of its own, in which there is no " COROPROF_DEVICE ": bind that into it where its mount namespace is made, for instance:\n  bwrap ... --dev-bind " COROPROF_DEVICE " " COROPROF_DEVICE " COMMAND",
			   who);
}

void cause_report(const struct detection *detection, const char *who, const char *preload,
		  struct error *err)
{
	switch (detection->kind) {
	case DETECTED_EMPTIED:
		error_hint(err, "%s was started with an emptied environment, as env -i makes it, so that neither the preload library nor the session came to it: hand them on:\n  env -i LD_PRELOAD=\"$LD_PRELOAD\" " COROPROF_ENV_TOKEN "=\"$" COROPROF_ENV_TOKEN "\" COMMAND",
			   who);
		break;
	case DETECTED_REPLACED:
		report_replaced(detection, who, preload, err);
		break;
	case DETECTED_PRIVATE_DEV:
		report_private_dev(detection, who, err);
		break;
	case DETECTED_FILTER:
		error_hint(err, "%s has put a filter of system calls (seccomp) in place that refuses ioctl(): from then on it is not recorded, as a call might end it. Have the filter permit ioctl(), for instance with libseccomp:\n  seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 0)",
			   who);
		break;
	default:
		access_report(detection->file, who, err);
	}
}
