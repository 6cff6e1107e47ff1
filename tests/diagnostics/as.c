// SPDX-License-Identifier: GPL-2.0
/* as none|all COMMAND...: runs it as the user named "user", without groups or with all that he has. */
#define _GNU_SOURCE
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const struct passwd *pw = getpwnam("user");

	if (argc < 3 || !pw)
		return 1;
	if (strcmp(argv[1], "all") ? setgroups(0, NULL) : initgroups("user", pw->pw_gid))
		return 1;
	if (setgid(pw->pw_gid) || setuid(pw->pw_uid))
		return 1;
	execv(argv[2], argv + 2);
	return 127;
}
