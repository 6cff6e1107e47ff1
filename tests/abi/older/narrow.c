// SPDX-License-Identifier: GPL-2.0
/*
 * Preloaded, it makes of any module one of 1.0: commands, flags and structures that the header
 * of 1.0 has not are refused as that module would. It is built with that header
 * (tests/selftests/abi-1.0), whatever today's is. Environment:
 *
 *   NARROW_LACKS: feature bits that the module lacks; what they stand for is refused, too
 *   NARROW_LEVEL: the level it says it has
 *   NARROW_LOG:   a file that gets a line for each command that was refused
 */
#define _GNU_SOURCE
#include <coroprof.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Features of 1.0. */
#define FEATURES	(COROPROF_FEATURE_SWITCH_IOCTL | COROPROF_FEATURE_SWITCH_USER | \
			 COROPROF_FEATURE_SPANS | COROPROF_FEATURE_SAMPLES | \
			 COROPROF_FEATURE_TOTALS | COROPROF_FEATURE_PROBES | \
			 COROPROF_FEATURE_PROGRAM | COROPROF_FEATURE_ADAPTERS | \
			 COROPROF_FEATURE_CONDITIONS | COROPROF_FEATURE_TRACES)

/*
 * What each command of 1.0 takes (0: no structure), the feature without which it is not there, and
 * what it knows of the flags that follow @size. -1: none do, or they are output.
 */
static const struct command {
	unsigned int nr;
	size_t size;
	__u64 feature;
	__s64 flags;
} commands[] = {
	{ _IOC_NR(COROPROF_IOC_INFO), sizeof(struct coroprof_info), 0, -1 },
	{ _IOC_NR(COROPROF_IOC_PROCESS), sizeof(struct coroprof_process_config), 0, COROPROF_PROCESS_AGAIN },
	{ _IOC_NR(COROPROF_IOC_SESSION), sizeof(struct coroprof_session_config), 0,
	  COROPROF_SESSION_USER | COROPROF_SESSION_TOTALS | COROPROF_SESSION_TRACES },
	{ _IOC_NR(COROPROF_IOC_THREAD), sizeof(struct coroprof_thread_config), 0, 0 },
	{ _IOC_NR(COROPROF_IOC_LABEL), sizeof(struct coroprof_label), 0,
	  COROPROF_LABEL_CODE | COROPROF_LABEL_ADAPTER },
	{ _IOC_NR(COROPROF_IOC_SWITCH), 0, COROPROF_FEATURE_SWITCH_IOCTL, -1 },
	{ _IOC_NR(COROPROF_IOC_READ), sizeof(struct coroprof_totals), 0, 0 },
	{ _IOC_NR(COROPROF_IOC_LEAVE), 0, 0, -1 },
	{ _IOC_NR(COROPROF_IOC_WANTED), sizeof(struct coroprof_wanted), COROPROF_FEATURE_SWITCH_USER, -1 },
	{ _IOC_NR(COROPROF_IOC_USER), sizeof(struct coroprof_user_mode), COROPROF_FEATURE_SWITCH_USER,
	  COROPROF_USER_LATER | COROPROF_USER_DELEGATED },
	{ _IOC_NR(COROPROF_IOC_SPAN), sizeof(struct coroprof_span), COROPROF_FEATURE_SPANS, 0 },
	{ _IOC_NR(COROPROF_IOC_TRACE), sizeof(struct coroprof_trace), COROPROF_FEATURE_TRACES, 0 },
	{ _IOC_NR(COROPROF_IOC_ATTACH), sizeof(struct coroprof_attach), 0,
	  COROPROF_ATTACH_LATER | COROPROF_ATTACH_CHILDREN },
	{ _IOC_NR(COROPROF_IOC_START), 0, 0, -1 },
	{ _IOC_NR(COROPROF_IOC_STOP), 0, 0, -1 },
	{ _IOC_NR(COROPROF_IOC_CHANNEL), sizeof(struct coroprof_channel_status), 0, -1 },
	{ _IOC_NR(COROPROF_IOC_FORGET), 0, 0, -1 },
	{ _IOC_NR(COROPROF_IOC_DELEGATE), sizeof(struct coroprof_delegate), COROPROF_FEATURE_SWITCH_USER, 0 },
	{ _IOC_NR(COROPROF_IOC_VIEW), sizeof(struct coroprof_view), COROPROF_FEATURE_TOTALS, 0 },
	{ _IOC_NR(COROPROF_IOC_PROBE), sizeof(struct coroprof_probe), COROPROF_FEATURE_PROBES,
	  COROPROF_WHEN_UNLESS },
	{ _IOC_NR(COROPROF_IOC_TOUCHED), sizeof(struct coroprof_touched), COROPROF_FEATURE_TOTALS, 0 },
};

/* Flags that a module without a feature does not know. */
static const struct {
	unsigned int nr;
	__u32 flag;
	__u64 feature;
} flags_of_features[] = {
	{ _IOC_NR(COROPROF_IOC_SESSION), COROPROF_SESSION_USER, COROPROF_FEATURE_SWITCH_USER },
	{ _IOC_NR(COROPROF_IOC_SESSION), COROPROF_SESSION_TOTALS, COROPROF_FEATURE_TOTALS },
	{ _IOC_NR(COROPROF_IOC_SESSION), COROPROF_SESSION_TRACES, COROPROF_FEATURE_TRACES },
	{ _IOC_NR(COROPROF_IOC_LABEL), COROPROF_LABEL_ADAPTER, COROPROF_FEATURE_ADAPTERS },
};

static __u64 setting(const char *name, __u64 otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static bool lacks(__u64 feature)
{
	return setting("NARROW_LACKS", 0) & feature;
}

static const struct command *command_of(unsigned int nr)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].nr == nr)
			return &commands[i];
	return NULL;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
	while (size && !*bytes) {
		bytes++;
		size--;
	}
	return !size;
}

/* A module without conditions has the structure of level 3. */
static size_t size_of(const struct command *command)
{
	if (command->nr == _IOC_NR(COROPROF_IOC_PROBE) && lacks(COROPROF_FEATURE_CONDITIONS))
		return COROPROF_PROBE_SIZE_LEVEL3;
	return command->size;
}

static bool flags_are_known(const struct command *command, __u32 flags)
{
	if (flags & ~command->flags)
		return false;
	for (size_t i = 0; i < sizeof(flags_of_features) / sizeof(flags_of_features[0]); i++)
		if (flags_of_features[i].nr == command->nr && flags & flags_of_features[i].flag &&
		    lacks(flags_of_features[i].feature))
			return false;
	return true;
}

/* Returns 0, or the errno of the module of 1.0, for a command with a structure. */
static int refused_structure(const struct command *command, const void *arg)
{
	const struct coroprof_session_config *session = arg;
	size_t known = size_of(command);
	__u32 head[2];

	memcpy(head, arg, sizeof(head));
	if (head[0] > known && !is_zero((const unsigned char *)arg + known, head[0] - known))
		return E2BIG;
	if (command->flags >= 0 && !flags_are_known(command, head[1]))
		return EINVAL;
	if (command->nr == _IOC_NR(COROPROF_IOC_SESSION) && lacks(COROPROF_FEATURE_SAMPLES) &&
	    !is_zero((const void *)&session->sampling, sizeof(session->sampling)))
		return EINVAL;
	return 0;
}

/* Likewise, for any. */
static int refusal(const struct command *command, void *arg)
{
	if (!command || lacks(command->feature))
		return ENOTTY;
	if (command->nr == _IOC_NR(COROPROF_IOC_SWITCH) &&
	    (unsigned long)arg & ~(COROPROF_SWITCH_SLOT_MASK | COROPROF_SWITCH_FLAGS))
		return EINVAL;
	return command->size && arg ? refused_structure(command, arg) : 0;
}

static void note(unsigned int nr, int error)
{
	const char *path = getenv("NARROW_LOG");
	char line[64];
	int n = snprintf(line, sizeof(line), "%#x %s\n", nr, strerrorname_np(error));
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

	if (fd >= 0 && write(fd, line, n) != n)
		abort();
	if (fd >= 0)
		close(fd);
}

/* The kernel sees, and fills in, what 1.0 has of it. */
static int as_known(int fd, unsigned long request, void *arg, const struct command *command)
{
	__u32 size, known = size_of(command);
	int ret;

	if (!command->size || !arg)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	memcpy(&size, arg, sizeof(size));
	if (size > known)
		memcpy(arg, &known, sizeof(known));
	ret = (int)syscall(SYS_ioctl, fd, request, arg);
	memcpy(arg, &size, sizeof(size));
	return ret;
}

static void narrow_info(struct coroprof_info *info)
{
	info->abi_level = (__u32)setting("NARROW_LEVEL", COROPROF_ABI_LEVEL);
	info->features &= FEATURES & ~setting("NARROW_LACKS", 0);
}

int ioctl(int fd, unsigned long request, ...)
{
	const struct command *command;
	va_list args;
	void *arg;
	int ret;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (_IOC_TYPE(request) != COROPROF_IOC_MAGIC)
		return (int)syscall(SYS_ioctl, fd, request, arg);
	command = command_of(_IOC_NR(request));
	ret = refusal(command, arg);
	if (ret) {
		note(_IOC_NR(request), ret);
		errno = ret;
		return -1;
	}
	ret = as_known(fd, request, arg, command);
	if (!ret && command->nr == _IOC_NR(COROPROF_IOC_INFO))
		narrow_info(arg);
	return ret;
}
