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

#define SESSION_FLAGS	(COROPROF_SESSION_USER | COROPROF_SESSION_TOTALS)
#define ATTACH_FLAGS	(COROPROF_ATTACH_LATER | COROPROF_ATTACH_CHILDREN)

/* What each command of 1.0 takes (0: no structure), and the feature without which it is not there. */
static const struct command {
	unsigned int nr;
	size_t size;
	__u64 feature;
} commands[] = {
	{ _IOC_NR(COROPROF_IOC_INFO), sizeof(struct coroprof_info), 0 },
	{ _IOC_NR(COROPROF_IOC_PROCESS), sizeof(struct coroprof_process_config), 0 },
	{ _IOC_NR(COROPROF_IOC_SESSION), sizeof(struct coroprof_session_config), 0 },
	{ _IOC_NR(COROPROF_IOC_THREAD), sizeof(struct coroprof_thread_config), 0 },
	{ _IOC_NR(COROPROF_IOC_LABEL), sizeof(struct coroprof_label), 0 },
	{ _IOC_NR(COROPROF_IOC_SWITCH), 0, COROPROF_FEATURE_SWITCH_IOCTL },
	{ _IOC_NR(COROPROF_IOC_READ), sizeof(struct coroprof_totals), 0 },
	{ _IOC_NR(COROPROF_IOC_LEAVE), 0, 0 },
	{ _IOC_NR(COROPROF_IOC_WANTED), sizeof(struct coroprof_wanted), COROPROF_FEATURE_SWITCH_USER },
	{ _IOC_NR(COROPROF_IOC_USER), sizeof(struct coroprof_user_mode), COROPROF_FEATURE_SWITCH_USER },
	{ _IOC_NR(COROPROF_IOC_SPAN), sizeof(struct coroprof_span), COROPROF_FEATURE_SPANS },
	{ _IOC_NR(COROPROF_IOC_ATTACH), sizeof(struct coroprof_attach), 0 },
	{ _IOC_NR(COROPROF_IOC_START), 0, 0 },
	{ _IOC_NR(COROPROF_IOC_STOP), 0, 0 },
	{ _IOC_NR(COROPROF_IOC_CHANNEL), sizeof(struct coroprof_channel_status), 0 },
	{ _IOC_NR(COROPROF_IOC_FORGET), 0, 0 },
	{ _IOC_NR(COROPROF_IOC_DELEGATE), sizeof(struct coroprof_delegate), COROPROF_FEATURE_SWITCH_USER },
	{ _IOC_NR(COROPROF_IOC_VIEW), sizeof(struct coroprof_view), COROPROF_FEATURE_TOTALS },
	{ _IOC_NR(COROPROF_IOC_PROBE), sizeof(struct coroprof_probe), COROPROF_FEATURE_PROBES },
	{ _IOC_NR(COROPROF_IOC_TOUCHED), sizeof(struct coroprof_touched), COROPROF_FEATURE_TOTALS },
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

static bool session_is_known(const struct coroprof_session_config *config)
{
	if (config->flags & ~SESSION_FLAGS)
		return false;
	if (config->flags & COROPROF_SESSION_USER && lacks(COROPROF_FEATURE_SWITCH_USER))
		return false;
	if (config->flags & COROPROF_SESSION_TOTALS && lacks(COROPROF_FEATURE_TOTALS))
		return false;
	return !lacks(COROPROF_FEATURE_SAMPLES) ||
	       is_zero((const void *)&config->sampling, sizeof(config->sampling));
}

/* Returns 0, or the errno of the module of 1.0. */
static int refusal(const struct command *command, const void *arg)
{
	__u32 size = 0;

	if (!command || lacks(command->feature))
		return ENOTTY;
	if (command->size && arg)
		memcpy(&size, arg, sizeof(size));
	if (size > command->size &&
	    !is_zero((const unsigned char *)arg + command->size, size - command->size))
		return E2BIG;
	if (command->nr == _IOC_NR(COROPROF_IOC_SESSION) && !session_is_known(arg))
		return EINVAL;
	if (command->nr == _IOC_NR(COROPROF_IOC_ATTACH) &&
	    ((const struct coroprof_attach *)arg)->flags & ~ATTACH_FLAGS)
		return EINVAL;
	return 0;
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
	__u32 size, known = command->size;
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
	/* Those of 1.0 end with probes. */
	info->features &= ((COROPROF_FEATURE_PROBES << 1) - 1) & ~setting("NARROW_LACKS", 0);
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
