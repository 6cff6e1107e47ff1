// SPDX-License-Identifier: GPL-2.0
/*
 * Finds out by the ids and capabilities in /proc/PID/status whether a process may open the device,
 * and which group could.
 */
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/inroot.h"
#include "base/util.h"
#include "coroprof.h"
#include "explain/access.h"

#define ACL	"system.posix_acl_access"

/* Of the file system, as the kernel uses them to open files. */
struct ids {
	unsigned int user;
	unsigned int group;
	uint64_t capabilities;
	bool in_group;
};

/* The fourth id of a line of status, by which access to files is decided. */
static bool filesystem_id(const char *status, const char *name, unsigned int *id)
{
	const char *line = strstr(status, name);

	return line && sscanf(line + strlen(name), "%*u %*u %*u %u", id) == 1;
}

static bool has_group(const char *status, unsigned int group)
{
	const char *at = strstr(status, "\nGroups:");
	char *end;

	for (at = at ? at + strlen("\nGroups:") : ""; *at && *at != '\n'; at = end) {
		unsigned long id = strtoul(at, &end, 10);

		if (end == at)
			return false;
		if (id == group)
			return true;
		end += strspn(end, " ");
	}
	return false;
}

static bool ids_read(struct ids *ids, pid_t pid, unsigned int group)
{
	char path[32], status[8192];
	const char *capabilities;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (!read_text(path, status, sizeof(status)) ||
	    !filesystem_id(status, "\nUid:", &ids->user) ||
	    !filesystem_id(status, "\nGid:", &ids->group))
		return false;
	capabilities = strstr(status, "\nCapEff:");
	ids->capabilities = capabilities ?
			    strtoull(capabilities + strlen("\nCapEff:"), NULL, 16) : 0;
	ids->in_group = ids->group == group || has_group(status, group);
	return true;
}

/* Capabilities in a user namespace of its own do not count for a file of the machine. */
static bool has_own_user_namespace(pid_t pid)
{
	struct stat its, ours;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	return !stat(path, &its) && !stat("/proc/self/ns/user", &ours) &&
	       its.st_ino != ours.st_ino;
}

static mode_t permission_bits(const struct ids *ids, const struct stat *st)
{
	if (ids->user == st->st_uid)
		return st->st_mode >> 6;
	return ids->in_group ? st->st_mode >> 3 : st->st_mode;
}

bool access_denied(pid_t pid, char user[PATH_MAX])
{
	const mode_t needed = 06;
	const struct passwd *pw;
	struct ids ids;
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "%s%s", root_of_process(pid).path, COROPROF_DEVICE);
	if (stat(path, &st) || getxattr(path, ACL, NULL, 0) > 0 ||
	    !ids_read(&ids, pid, st.st_gid))
		return false;
	if (ids.capabilities & 1ull << CAP_DAC_OVERRIDE && !has_own_user_namespace(pid))
		return false;
	if ((permission_bits(&ids, &st) & needed) == needed)
		return false;
	pw = getpwuid(ids.user);
	if (pw)
		snprintf(user, PATH_MAX, "%s", pw->pw_name);
	else
		snprintf(user, PATH_MAX, "%u", ids.user);
	return true;
}

static bool is_member(const char *user, gid_t group)
{
	const struct passwd *pw = getpwnam(user);
	gid_t groups[256];
	int nr = ARRAY_SIZE(groups);

	if (!pw || getgrouplist(user, pw->pw_gid, groups, &nr) < 0)
		return false;
	for (int i = 0; i < nr; i++) {
		if (groups[i] == group)
			return true;
	}
	return false;
}

void access_report(const char *user, const char *who, struct error *err)
{
	const struct group *gr = NULL;
	struct stat st = { 0 };

	if (!stat(COROPROF_DEVICE, &st))
		gr = getgrgid(st.st_gid);
	if (!gr || !strcmp(gr->gr_name, "root"))
		error_hint(err, "%s runs as user %s, who may not open " COROPROF_DEVICE " (mode %04o): permit it:\n  sudo setfacl -m u:%s:rw " COROPROF_DEVICE,
			   who, user, st.st_mode & 07777, user);
	else if (is_member(user, st.st_gid))
		error_hint(err, "%s runs as user %s, but without group %s, to which " COROPROF_DEVICE " belongs: start it with all groups of that user:\n  setpriv --reuid %s --regid %s --init-groups COMMAND",
			   who, user, gr->gr_name, user, user);
	else
		error_hint(err, "%s runs as user %s, who may not open " COROPROF_DEVICE " (mode %04o, group %s): put the user into the group, and start it anew:\n  sudo usermod -aG %s %s",
			   who, user, st.st_mode & 07777, gr->gr_name, gr->gr_name, user);
}
