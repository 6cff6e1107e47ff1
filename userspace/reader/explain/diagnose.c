// SPDX-License-Identifier: GPL-2.0
/*
 * Explains the errno of a command to the device: what failed, what was found on this machine, and
 * the command that mends it. Asks explain/machine.h only for what the errno leaves open.
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "explain/command.h"
#include "explain/diagnose.h"
#include "explain/preload.h"
#include "explain/reason.h"

/* Of the dynamic loader, and of shells. */
#define EXIT_NO_LOADER	127

/* The module's, see struct coroprof_sampling. */
#define SAMPLE_CLOCK_MIN_NS	10000

#define OWN_WAY "A program that switches between coroutines in a way of its own can report them through libcoroprof, see coroprof(3)."
#define THREADS_WAY "Threads without coroutines, if pthread_create() made them, are recorded by --threads."

#define UDEV_RULE	"60-coroprof.rules"

static void explain_signatures(const struct machine *m, struct error *err)
{
	if (!m->signatures && !m->secure_boot)
		return;
	error_hint(err, "%s, so that this kernel only loads modules signed with a key it trusts. With DKMS:",
		   m->secure_boot ? "Secure Boot is on" :
				    "Kernel lockdown or module signature enforcement is on");
	error_hint(err, "  sudo mokutil --import /var/lib/dkms/mok.pub    # then reboot and enrol the key");
}

/*
 * The end of a release that names Debian's and Ubuntu's packages of headers which follow the
 * kernel's updates: cloud-amd64 of 6.1.0-56-cloud-amd64.
 */
static const char *kernel_flavour(const char *release)
{
	const char *rest = strchr(release, '-');

	if (!rest)
		return release;
	rest++;
	return rest[strspn(rest, "0123456789")] == '-' ? strchr(rest, '-') + 1 : rest;
}

/* Where the package is installed already, it lacks the headers, or has to be built. */
static void explain_dkms(const struct machine *m, struct error *err)
{
	if (m->headers)
		error_hint(err, "DKMS has the module's sources, and has not built it for this kernel (%s), whose headers are here:\n  sudo dkms autoinstall -k %s && sudo modprobe coroprof",
			   m->uts.release, m->uts.release);
	else
		error_hint(err, "DKMS has the module's sources, but could not build it: the headers of this kernel (%s) are not installed:\n  sudo apt install linux-headers-%s linux-headers-%s && sudo modprobe coroprof",
			   m->uts.release, m->uts.release, kernel_flavour(m->uts.release));
}

static void explain_not_loaded(const struct machine *m, struct error *err)
{
	if (m->built) {
		error_hint(err, "The module is installed for this kernel, but not loaded:\n  sudo modprobe coroprof");
	} else if (m->dkms) {
		explain_dkms(m, err);
	} else {
		error_hint(err, "The module is not installed for this kernel (%s). Where coroprof is a Debian package:\n  sudo apt install coroprof-dkms\nor, in coroprof's source tree:\n  sudo make install    # with DKMS, for later kernels as well\nor there, until the next boot:\n  make && sudo insmod coroprof.ko",
			   m->uts.release);
		if (!m->headers)
			error_hint(err, "Building needs the headers of this kernel, which are not here either:\n  sudo apt install linux-headers-%s",
				   m->uts.release);
	}
	explain_signatures(m, err);
}

static int explain_missing(int code, struct error *err)
{
	struct machine m;

	machine_look(&m);
	error_set(err, code, m.loaded ?
		  "there is no " COROPROF_DEVICE ", although the kernel module is loaded" :
		  "there is no " COROPROF_DEVICE ": the kernel module is not loaded");
	if (!m.loaded)
		explain_not_loaded(&m, err);
	if (m.container)
		error_hint(err, "This seems to be a container: load the module on the host, and hand the device in:\n  docker run --device " COROPROF_DEVICE " ...");
	else if (m.loaded)
		error_hint(err, "The node is made by udev:\n  sudo udevadm trigger --name-match=coroprof");
	return -code;
}

static bool is_group_set_up(void)
{
	return getgrnam("coroprof") &&
	       (access("/usr/lib/udev/rules.d/" UDEV_RULE, F_OK) == 0 ||
		access("/etc/udev/rules.d/" UDEV_RULE, F_OK) == 0);
}

static int explain_permission(int code, struct error *err)
{
	struct passwd *pw;
	struct group *gr;
	struct stat st;

	if (stat(COROPROF_DEVICE, &st))
		return error_set(err, code, "no permission to open " COROPROF_DEVICE);
	gr = getgrgid(st.st_gid);
	pw = getpwuid(st.st_uid);
	error_set(err, code, "no permission to open " COROPROF_DEVICE ": its mode is %04o, its owner %s, its group %s",
		  st.st_mode & 07777, pw ? pw->pw_name : "unknown",
		  gr ? gr->gr_name : "unknown");
	if (gr && strcmp(gr->gr_name, "root"))
		return error_hint(err, "Join the group, then log in again:\n  sudo usermod -aG %s $USER",
				  gr->gr_name);
	if (!is_group_set_up())
		return error_hint(err, "Nothing of coroprof is installed that would give it to ordinary users. In coroprof's source tree:\n  sudo make install\nor run coroprof record as root.");
	return error_hint(err, "Its udev rule has not been applied, which gives it to group coroprof:\n  sudo udevadm control --reload && sudo udevadm trigger --name-match=coroprof\nand then, if you are not in that group, log in again after:\n  sudo usermod -aG coroprof $USER");
}

int diagnose_open(int code, struct error *err)
{
	if (code == ENOENT || code == ENXIO || code == ENODEV)
		return explain_missing(code, err);
	if (code == EACCES || code == EPERM)
		return explain_permission(code, err);
	errno = code;
	return error_errno(err, "can't open " COROPROF_DEVICE);
}

int diagnose_info(int code, struct error *err)
{
	errno = code;
	error_errno(err, COROPROF_DEVICE " does not answer as coroprof's device does");
	return error_hint(err, "Is it another driver's, or a plain file?\n  ls -l " COROPROF_DEVICE);
}

/* That of 1.0: what has come since is asked for only where the module says that it has it. */
#define ABI_LEVEL_NEEDED 5

int diagnose_abi(const struct coroprof_info *info, struct error *err)
{
	if (info->abi_level < ABI_LEVEL_NEEDED || info->counters_max < COROPROF_COUNTERS_MAX)
		return error_set(err, EPROTO, "the kernel module is older than this program: it has ABI level %u, the program needs %u\nUpdate the module, then load it anew:\n  sudo modprobe -r coroprof && sudo modprobe coroprof",
				 info->abi_level, ABI_LEVEL_NEEDED);
	if (!(info->features & COROPROF_FEATURE_SWITCH_IOCTL))
		return error_set(err, EPROTO, "the kernel module lacks what this program records with: feature bits %#llx, ABI level %u (this program's: %u)",
				 info->features, info->abi_level,
				 COROPROF_ABI_LEVEL);
	return 0;
}

static bool wants_kernel(const struct coroprof_session_config *config)
{
	for (__u32 i = 0; i < config->nr_counters; i++) {
		if (config->counters[i].flags & COROPROF_COUNTER_KERNEL)
			return true;
	}
	return false;
}

static bool is_clock(const struct coroprof_counter *counter)
{
	return counter->type == PERF_TYPE_SOFTWARE &&
	       (counter->config == PERF_COUNT_SW_CPU_CLOCK ||
		counter->config == PERF_COUNT_SW_TASK_CLOCK);
}

static int explain_paranoid(int code, struct error *err)
{
	struct machine m;

	machine_look(&m);
	error_set(err, code, "you may not count or sample anything: kernel.perf_event_paranoid is %s, and you lack CAP_PERFMON",
		  *m.paranoid ? m.paranoid : "unknown");
	error_hint(err, "Run coroprof record as root, or have root permit it to all users\n  sudo sysctl kernel.perf_event_paranoid=2");
	return error_hint(err, "or to those who may open " COROPROF_DEVICE "\n  echo Y | sudo tee /sys/module/coroprof/parameters/group_may_count");
}

int diagnose_session(int code, const struct coroprof_info *info,
		     const struct coroprof_session_config *config,
		     struct error *err)
{
	if (code == EPERM && wants_kernel(config) &&
	    !(info->flags & COROPROF_INFO_KERNEL_ALLOWED))
		return error_set(err, code, "an event with :k counts kernel mode, which needs CAP_PERFMON, or kernel.perf_event_paranoid of 1 or less\nLeave the :k out, or run coroprof record as root");
	if (code == EINVAL && config->sampling.period &&
	    config->sampling.period < SAMPLE_CLOCK_MIN_NS &&
	    is_clock(&config->sampling.counter))
		return error_set(err, code, "--period %llu is too short: a clock is sampled each %d ns at most",
				 config->sampling.period, SAMPLE_CLOCK_MIN_NS);
	if (code == EINVAL && config->ring_size &&
	    config->ring_size < info->page_size)
		return error_set(err, code,
				 "--ring-size %u is less than a page, which is %u bytes here",
				 config->ring_size, info->page_size);
	if (code == EINVAL && config->watermark)
		return error_set(err, code, "the kernel module refuses --watermark %u%s",
				 config->watermark, config->ring_size ?
				 " with that --ring-size" :
				 " with rings of the default size");
	if (code == EACCES)
		return explain_paranoid(code, err);
	if (code == EDQUOT)
		return error_set(err, code, "you have as many coroprof sessions open, or as much memory in them, as one user may have\nEnd another one first: ps -C coroprof,coroprof-read\nor have root raise the limits: user_sessions, user_memory_mb in /sys/module/coroprof/parameters");
	errno = code;
	return error_errno(err, "the kernel module refuses to open a session");
}

static int explain_no_process(int code, pid_t pid, struct error *err)
{
	struct detections detections = { 0 };
	char path[PATH_MAX];
	struct error none;

	error_set(err, code, "process %d does not use coroprof: neither libcoroprof nor its preload library is mapped in it",
		  pid);
	detect_process(&detections, pid);
	if (detections_report(&detections, false, err))
		return -code;
	error_hint(err, "It must be linked with libcoroprof, or be started by coroprof record:\n  coroprof record -- COMMAND");
	if (!preload_find(path, &none))
		error_hint(err, "or be started with its preload library:\n  LD_PRELOAD=%s COMMAND",
			   path);
	return -code;
}

int diagnose_attach(int code, pid_t pid, struct error *err)
{
	switch (code) {
	case ESRCH:
		return error_set(err, code, "there is no process %d", pid);
	case ENODEV:
		return explain_no_process(code, pid, err);
	case EPERM:
		return error_set(err, code, "no permission to record process %d: its user and group ids are not all yours (user %u, group %u), or it has capabilities, or it hides (PR_SET_DUMPABLE), as programs do that have changed their ids\nRun coroprof record as its user, or as root",
				 pid, getuid(), getgid());
	case EBUSY:
		return error_set(err, code, "process %d is being recorded by another session already\nOne at a time: end the other one first: ps -C coroprof,coroprof-read",
				 pid);
	case EOPNOTSUPP:
		return error_set(err, code, "process %d is not recorded: it runs a 32-bit program, and coroprof records 64-bit programs only\nBuild it for 64 bits. Which it is now: file -L /proc/%d/exe",
				 pid, pid);
	}
	errno = code;
	return error_errno(err, "can't record process %d", pid);
}

const char *diagnose_counter(int code, const struct machine *m)
{
	const char *reason = reason_counter(code);

	if (reason_no_such_event(code) && !m->nr_pmus)
		return reason_no_pmu(m->hypervisor);
	return reason ? reason : "for no known reason";
}

void diagnose_nothing(char *const *command, bool preloaded, bool threads, int status,
		      struct detections *detections, struct error *err)
{
	bool explained;

	error_set(err, ENODATA, "nothing has been recorded: no process of the command has made itself known to coroprof");
	command_look(detections, command);
	detections->worked = WIFEXITED(status) && !WEXITSTATUS(status);
	explained = detections_report(detections, false, err);
	if (!preloaded) {
		error_hint(err, "Without the preload library only a program that is linked with libcoroprof, and uses it, can be recorded.");
		return;
	}
	if (explained)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_LOADER) {
		error_hint(err, "It ended with exit status %d, as a program does that lacks a library, and a shell that does not find a command: see what it said.",
			   EXIT_NO_LOADER);
		return;
	}
	if (detections->loaded)
		error_hint(err, "The preload library was loaded into it, but found no coroutines it knows. " OWN_WAY);
	else
		error_hint(err, "The preload library found no coroutines it knows, or was not loaded: the programs ended before they could be looked at. This shows which:\n  LD_DEBUG=libs coroprof record -- COMMAND 2>&1 | grep 'init: .*" PRELOAD_NAME "'\n" OWN_WAY);
	if (!threads)
		error_hint(err, THREADS_WAY);
}

void diagnose_no_switch(char *const *command, struct detections *detections,
			struct error *err)
{
	error_set(err, ENODATA, "nothing has been recorded: no thread switched to a coroutine");
	if (command)
		command_look(detections, command);
	detections_report(detections, false, err);
}

bool diagnose_partly(char *const *command, struct detections *detections,
		     struct error *err)
{
	error_set(err, ENODATA, "some programs are not recorded:");
	if (command)
		command_look(detections, command);
	return detections_report(detections, true, err);
}
