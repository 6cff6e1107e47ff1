// SPDX-License-Identifier: GPL-2.0
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explain/diagnose.h"
#include "explain/preload.h"

static struct error err;
static struct machine machine;

/* Stands in for the reader's, so that every machine can be had. */
void machine_look(struct machine *m)
{
	*m = machine;
}

static void test_abi(void **state)
{
	struct coroprof_info info = {
		.abi_level = COROPROF_ABI_LEVEL,
		.counters_max = COROPROF_COUNTERS_MAX,
		.features = COROPROF_FEATURE_SWITCH_IOCTL,
	};

	(void)state;
	assert_int_equal(diagnose_abi(&info, &err), 0);
	info.abi_level = COROPROF_ABI_LEVEL + 5;
	info.counters_max = 100;
	assert_int_equal(diagnose_abi(&info, &err), 0);
	/* That of 1.0 will do; before, nothing. */
	info.abi_level = 5;
	assert_int_equal(diagnose_abi(&info, &err), 0);
	info.abi_level = 4;
	assert_int_equal(diagnose_abi(&info, &err), -EPROTO);
	assert_says(err.message, "module is older");
	assert_says(err.message, "modprobe -r");
	info.abi_level = COROPROF_ABI_LEVEL;
	info.features = 0;
	assert_int_equal(diagnose_abi(&info, &err), -EPROTO);
	assert_says(err.message, "lacks");
}

static void test_open(void **state)
{
	(void)state;
	assert_int_equal(diagnose_open(ENOENT, &err), -ENOENT);
	assert_says(err.message, "/dev/coroprof");
	assert_int_equal(diagnose_open(EACCES, &err), -EACCES);
	assert_says(err.message, "no permission");
	assert_int_equal(diagnose_open(EMFILE, &err), -EMFILE);
	assert_says(err.message, "Too many open files");
}

static void test_module(void **state)
{
	(void)state;
	machine = (struct machine){ .uts.release = "6.1.0-test", .headers = true };
	diagnose_open(ENOENT, &err);
	assert_says(err.message, "not installed for this kernel (6.1.0-test)");
	assert_says(err.message, "\n  sudo apt install coroprof-dkms\n");
	assert_says(err.message, "\n  sudo make install ");
	assert_null(strstr(err.message, "linux-headers"));
	machine.dkms = true;
	diagnose_open(ENOENT, &err);
	assert_says(err.message, "\n  sudo dkms autoinstall -k 6.1.0-test && sudo modprobe coroprof");
	assert_null(strstr(err.message, "coroprof-dkms"));
	machine = (struct machine){ .uts.release = "6.1.0-56-cloud-amd64", .dkms = true };
	diagnose_open(ENOENT, &err);
	assert_says(err.message, "\n  sudo apt install linux-headers-6.1.0-56-cloud-amd64 linux-headers-cloud-amd64 && sudo modprobe coroprof");
	assert_null(strstr(err.message, "coroprof-dkms"));
	machine.uts = (struct utsname){ .release = "6.12.57+deb13-rt-amd64" };
	diagnose_open(ENOENT, &err);
	assert_says(err.message, " linux-headers-rt-amd64 ");
	machine.built = true;
	diagnose_open(ENOENT, &err);
	assert_says(err.message, "\n  sudo modprobe coroprof");
	assert_null(strstr(err.message, "coroprof-dkms"));
	machine = (struct machine){ .loaded = true };
	diagnose_open(ENOENT, &err);
	assert_says(err.message, "udevadm trigger");
	assert_null(strstr(err.message, "coroprof-dkms"));
}

static void test_attach(void **state)
{
	(void)state;
	assert_int_equal(diagnose_attach(ENODEV, 12, &err), -ENODEV);
	assert_says(err.message, "process 12 does not use coroprof");
	assert_int_equal(diagnose_attach(EPERM, 12, &err), -EPERM);
	assert_says(err.message, "as its user, or as root");
	assert_int_equal(diagnose_attach(EBUSY, 12, &err), -EBUSY);
	assert_says(err.message, "another session");
	assert_int_equal(diagnose_attach(ESRCH, 12, &err), -ESRCH);
	assert_says(err.message, "no process 12");
	assert_int_equal(diagnose_attach(EOPNOTSUPP, 12, &err), -EOPNOTSUPP);
	assert_says(err.message, "process 12 is not recorded: it runs a 32-bit program");
}

static void test_session(void **state)
{
	struct coroprof_info info = { .page_size = 4096 };
	struct coroprof_session_config config = { .nr_counters = 1 };

	(void)state;
	assert_int_equal(diagnose_session(EPERM, &info, &config, &err), -EPERM);
	assert_says(err.message, "not permitted");
	config.counters[0].flags = COROPROF_COUNTER_KERNEL;
	assert_int_equal(diagnose_session(EPERM, &info, &config, &err), -EPERM);
	assert_says(err.message, "CAP_PERFMON");
	config.ring_size = 1024;
	assert_int_equal(diagnose_session(EINVAL, &info, &config, &err), -EINVAL);
	assert_says(err.message, "less than a page");
}

/* No figure is worth anything without the reason why it is missing. */
static void test_counter(void **state)
{
	struct machine m = { .nr_pmus = 1 };

	(void)state;
	assert_says(diagnose_counter(ENOENT, &m), "no such event");
	m.nr_pmus = 0;
	assert_says(diagnose_counter(ENOENT, &m), "no PMU for this CPU");
	m.hypervisor = true;
	assert_says(diagnose_counter(ENOENT, &m), "virtual machine");
	assert_says(diagnose_counter(ENOMEM, &m), "memory");
}

static void test_nothing(void **state)
{
	char path[] = "/tmp/coroprof-test-XXXXXX";
	char *command[] = { path, NULL };
	struct detections detections = { 0 };
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	chmod(path, 0755);
	diagnose_nothing(command, true, false, 0, &detections, &err);
	assert_says(err.message, "found no coroutines");
	assert_says(err.message, "recorded by --threads");
	diagnose_nothing(command, true, true, 0, &detections, &err);
	assert_says(err.message, "found no coroutines");
	assert_null(strstr(err.message, "--threads"));
	diagnose_nothing(command, false, false, 0, &detections, &err);
	assert_says(err.message, "Without the preload library");
	diagnose_nothing(command, true, false, 127 << 8, &detections, &err);
	assert_says(err.message, "lacks a library");
	assert_null(strstr(err.message, "preload"));
	unlink(path);
	diagnose_nothing(command, true, false, 0, &detections, &err);
	assert_says(err.message, "found no coroutines");
}

static void test_preload(void **state)
{
	char file[] = "/tmp/coroprof-test-XXXXXX";
	char path[PATH_MAX], value[PATH_MAX];
	int fd = mkstemp(file);

	(void)state;
	close(fd);
	setenv(PRELOAD_ENV, file, 1);
	assert_int_equal(preload_find(path, &err), 0);
	assert_string_equal(path, file);
	unsetenv("LD_PRELOAD");
	assert_int_equal(preload_value(value, sizeof(value), path, &err), 0);
	assert_string_equal(value, file);
	setenv("LD_PRELOAD", "/other.so", 1);
	assert_int_equal(preload_value(value, sizeof(value), "/l.so", &err), 0);
	assert_string_equal(value, "/l.so:/other.so");
	assert_int_equal(preload_value(value, 8, "/l.so", &err), -ENAMETOOLONG);
	assert_int_equal(preload_value(value, sizeof(value), "/a b.so", &err),
			 -EINVAL);
	unsetenv("LD_PRELOAD");
	unlink(file);
	assert_int_equal(preload_find(path, &err), -ENOENT);
	assert_says(err.message, PRELOAD_ENV);
	unsetenv(PRELOAD_ENV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_abi),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_counter),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_preload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
