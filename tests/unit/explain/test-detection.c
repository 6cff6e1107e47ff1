// SPDX-License-Identifier: GPL-2.0
/*
 * What is said of programs that record nothing: of those of Debian, and of some
 * that are built here, as commands that are over and as processes that live.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explain/diagnose.h"
#include "explain/preload.h"
#include "explain/python.h"

static char folder[] = "/tmp/coroprof-test-XXXXXX";
static struct error err;

static void explain(char *const *command)
{
	struct detections detections = { 0 };

	snprintf(detections.preload, sizeof(detections.preload), "/nowhere/%s",
		 PRELOAD_NAME);
	diagnose_nothing(command, true, false, 0, &detections, &err);
}

#define explain_command(...) explain((char *[]){ __VA_ARGS__, NULL })

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* An executable file of the folder, made by a line of shell that gets $out. */
static char *make(const char *name, const char *line)
{
	char *path = strdup(path_of(name));
	char shell[2048];

	snprintf(shell, sizeof(shell), "out=%s; { %s; } >&2 && chmod 755 $out",
		 path, line);
	if (system(shell))
		fail_msg("can't make %s: %s", name, line);
	return path;
}

static char *compile(const char *name, const char *how)
{
	char line[1024];

	snprintf(line, sizeof(line), "echo 'int main(void) { return 0; }' | %s -x c - -o $out",
		 how);
	return make(name, line);
}

static void test_linked_in(void **state)
{
	(void)state;
	explain_command("luajit", "-e", "");
	assert_says(err.message, "/luajit has LuaJIT, linked into the program (found \"LuaJIT 2.\" in it)");
	assert_says(err.message, "-lluajit-5.1");
	explain_command("lua5.4", "-e", "");
	assert_says(err.message, "/lua5.4 has Lua, linked into the program");
	assert_says(err.message, "-llua5.4");
}

static void test_library(void **state)
{
	char *path = compile("jit", "cc -Wl,--no-as-needed -lluajit-5.1");

	(void)state;
	explain_command(path);
	assert_says(err.message, "/jit has LuaJIT (found libluajit-5.1.so.2): its coroutines are recorded once one runs");
	free(path);
}

/* What Go's linker leaves in all that it makes. */
static void test_go(void **state)
{
	char *path = make("server", "echo '__attribute__((section(\".go.buildinfo\"))) char info[16] = \"\\377 Go buildinf:\"; int main(void) { return 0; }' | cc -static -x c - -o $out");

	(void)state;
	explain_command(path);
	assert_says(err.message, "/server has Go (found \".go.buildinfo\" in it)");
	assert_says(err.message, "as root, without --probe none");
	assert_null(strstr(err.message, "statically"));
	free(path);
}

/* The name that tokio gives to its threads. */
static void test_tokio(void **state)
{
	char *path = make("axum", "echo 'const char name[] = \"tokio-runtime-worker\"; int main(void) { return 0; }' | cc -x c - -o $out");

	(void)state;
	explain_command(path);
	assert_says(err.message, "/axum has tokio (found \"tokio-runtime-worker\" in it)");
	assert_says(err.message, "strip = false");
	free(path);
}

/* What it says of a fault of its own. */
static void test_qemu(void **state)
{
	char *path = make("storage", "echo 'const char text[] = \"Co-routine re-entered recursively\"; int main(void) { return 0; }' | cc -x c - -o $out");

	(void)state;
	explain_command(path);
	assert_says(err.message, "/storage has QEMU (found \"Co-routine re-entered recursively\" in it)");
	assert_says(err.message, "--probe qemu -p PID");
	free(path);
}

static void test_libc(void **state)
{
	char *path = compile("alpine", "musl-gcc");

	(void)state;
	explain_command(path);
	assert_says(err.message, "/alpine needs the musl libc");
	assert_says(err.message, "--no-preload");
	free(path);
	path = compile("alone", "cc -static");
	explain_command(path);
	assert_says(err.message, "/alone is statically linked");
	free(path);
	path = compile("alone-pie", "cc -static-pie");
	explain_command(path);
	assert_says(err.message, "/alone-pie is statically linked");
	free(path);
}

/* Runtimes that are known by the names of their programs. */
static void test_names(void **state)
{
	static const struct {
		const char *program, *says, *way;
	} known[] = {
		{ "node", "Node.js: of Node.js 18", "Ask the server" },
		{ "java", "Java: of Java 21", "jcmd PID" },
		{ "ruby3.1", "Ruby: fibers of", "ruby --version" },
		{ "php8.2", "PHP: fibers of", "php --version" },
		{ "beam.smp", "Erlang: of OTP 25", "the script of a release" },
		{ "python3.11", "Python: of Python 3.11 to 3.14",
		  "coroprof record --functions __main__ -- python3 " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		char *path = compile(known[i].program, "cc");
		char text[64];

		snprintf(text, sizeof(text), "/%s is %s", known[i].program,
			 known[i].says);
		explain_command(path);
		assert_says(err.message, text);
		assert_says(err.message, known[i].way);
		free(path);
	}
}

/* What a release of Lua 5.1 says of itself; its own interpreter has it, too. */
static void test_lua51(void **state)
{
	char *path = make("scripted", "echo '#include <lua.h>\n#include <lauxlib.h>\nint main(void) { lua_State *l = luaL_newstate(); lua_newthread(l); return 0; }' | cc -I/usr/include/lua5.1 -x c - -l:liblua5.1.a -lm -ldl -o $out");

	(void)state;
	explain_command(path);
	assert_says(err.message, "/scripted has Lua 5.1, linked into the program (found \"$Lua: Lua 5.1\" in it)");
	assert_says(err.message, "-llua5.1 ");
	free(path);
}

static void test_static_shell(void **state)
{
	char *path = compile("busybox", "cc -static");

	(void)state;
	explain_command(path, "true");
	assert_says(err.message, "/busybox is statically linked: the preload library can't reach it, nor the commands that are part of it");
	assert_says(err.message, "coroprof record -- bash");
	assert_null(strstr(err.message, "found no coroutines"));
	free(path);
}

/* It ends at once only if ASAN_OPTIONS was replaced: where it worked, no word is due. */
static void test_asan(void **state)
{
	char *path = make("checked", "echo 'int main(void) { return 0; }' | cc -fsanitize=address -x c - -o $out");
	char *command[] = { path, NULL };
	struct detections detections = { 0 };

	(void)state;
	diagnose_nothing(command, true, false, 1 << 8, &detections, &err);
	assert_says(err.message, "/checked is built with AddressSanitizer");
	assert_says(err.message, "ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 COMMAND");
	diagnose_nothing(command, true, false, 0, &detections, &err);
	assert_null(strstr(err.message, "AddressSanitizer"));
	free(path);
}

/* Of programs that have ended the command itself may say it. */
static void test_words(void **state)
{
	(void)state;
	explain_command("env", "-i", "true");
	assert_says(err.message, "What comes behind \"-i\" was started with an emptied environment");
	assert_says(err.message, "env -i LD_PRELOAD=\"$LD_PRELOAD\" COROPROF_SESSION=\"$COROPROF_SESSION\" COMMAND");
	explain_command("sh", "-c", "cd /; exec env -i /bin/true");
	assert_says(err.message, "emptied environment");
	explain_command("sh", "-c", "export LD_PRELOAD=/usr/lib/other.so; /bin/true");
	assert_says(err.message, "was started with LD_PRELOAD=/usr/lib/other.so");
	assert_says(err.message, "LD_PRELOAD=/usr/lib/other.so:$LD_PRELOAD COMMAND");
	explain_command("sh", "-c", "unset LD_PRELOAD\n/bin/true");
	assert_says(err.message, "was started without the preload library");
	explain_command("env", "-u", "LD_PRELOAD", "true");
	assert_says(err.message, "was started without the preload library");
	/* These keep it. */
	explain_command("sh", "-c", "LD_PRELOAD=/usr/lib/other.so:$LD_PRELOAD nice -i; grep -i x /dev/null");
	assert_null(strstr(err.message, "was started with"));
	assert_says(err.message, "found no coroutines it knows, or was not loaded");
}

static void test_unknown(void **state)
{
	char *path = compile("phpize", "cc");

	(void)state;
	explain_command(path);
	assert_says(err.message, "found no coroutines it knows");
	free(path);
}

/* The program is behind a shell, a script, or both. */
static void test_behind(void **state)
{
	char *script = make("by-env", "printf '#!/usr/bin/env luajit\\n' >$out");
	char *shell = make("by-shell", "printf '#!/bin/sh -e\\n# luajit\\nif true; then X=1 exec %s \"$@\"; fi\\n' ${out%/*}/by-env >$out");
	char *says = make("by-nothing", "printf '#!/bin/sh\\necho luajit # ; luajit\\n' >$out");

	(void)state;
	explain_command(script);
	assert_says(err.message, "/luajit has LuaJIT");
	explain_command(shell);
	assert_says(err.message, "/luajit has LuaJIT");
	explain_command("sh", "-c", "cd / && \"luajit\" -e ''");
	assert_says(err.message, "/luajit has LuaJIT");
	explain_command("env", "-i", "A=1", "nice", "-n", "5", "luajit");
	assert_says(err.message, "/luajit has LuaJIT");
	explain_command(says);
	assert_says(err.message, "found no coroutines it knows");
	free(script);
	free(shell);
	free(says);
}

/* A script that runs itself ends the look, not the reader. */
static void test_circle(void **state)
{
	char *path = make("circle", "printf '#!/bin/sh\\n%s; %s & %s\\n' $out $out $out >$out");

	(void)state;
	explain_command(path);
	assert_says(err.message, "found no coroutines it knows");
	free(path);
}

static void test_privileged(void **state)
{
	char *path = compile("rights", "cc");
	char line[PATH_MAX + 32];

	(void)state;
	if (geteuid())
		skip();
	/* The owner comes first: a change of it takes the right away. */
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_int_equal(chmod(path, 04755), 0);
	snprintf(line, sizeof(line), "true; %s -n true", path);
	explain_command("sh", "-c", line);
	assert_says(err.message, "/rights is set-user-id");
	assert_says(err.message, "sudo coroprof record -- COMMAND");
	/* Root loses nothing by a program of its own. */
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(chmod(path, 04755), 0);
	explain_command(path);
	assert_null(strstr(err.message, "set-user-id"));
	free(path);
	path = compile("sudo", "cc");
	explain_command(path, "true");
	assert_says(err.message, "/sudo clears its environment");
	free(path);
}

static void test_root(void **state)
{
	char text[PATH_MAX + 128];

	(void)state;
	mkdir(path_of("jail"), 0755);
	explain_command("chroot", (char *)path_of("jail"), "/bin/true");
	snprintf(text, sizeof(text),
		 "sudo install -D /nowhere/" PRELOAD_NAME " %s/nowhere/" PRELOAD_NAME,
		 path_of("jail"));
	assert_says(err.message, "The preload library is not in the root directory");
	assert_says(err.message, text);
	assert_says(err.message, "There is no /dev/coroprof in the root directory");
}

/* ---- processes that live */

/* Runs a command that says a line when it is where it is to be looked at. */
static pid_t begin(char *const *command, const char *root)
{
	int says[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(says), 0);
	pid = fork();
	if (!pid) {
		dup2(says[1], 1);
		if (root && chroot(root))
			_exit(126);
		if (*command)
			execvp(command[0], command);
		if (write(1, "\n", 1) == 1)
			pause();
		_exit(127);
	}
	close(says[1]);
	assert_int_equal(read(says[0], &byte, 1), 1);
	close(says[0]);
	return pid;
}

static void explain_process(pid_t pid)
{
	struct detections detections = { 0 };
	char *nothing[] = { NULL };

	snprintf(detections.preload, sizeof(detections.preload), "/nowhere/%s",
		 PRELOAD_NAME);
	detect_process(&detections, pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	diagnose_nothing(nothing, true, false, 0, &detections, &err);
}

/* A shared library of this name is all there is to see of it from without. */
static char *make_preload(void)
{
	return make(PRELOAD_NAME, "echo 'int none;' | cc -shared -fPIC -x c - -o $out");
}

static char *make_waiting(void)
{
	return make("waiting", "echo '#include <stdio.h>\n#include <unistd.h>\nint main(void) { puts(\"\"); fflush(stdout); pause(); }' | cc -x c - -o $out");
}

static void test_environment(void **state)
{
	char *library = make_preload(), *path = make_waiting(), preload[PATH_MAX];
	char *command[] = { "env", "-i", path, NULL };

	(void)state;
	setenv("COROPROF_SESSION", "1", 1);
	setenv("LD_PRELOAD", library, 1);
	explain_process(begin(command, NULL));
	assert_says(err.message, "/waiting (pid ");
	assert_says(err.message, "was started with an emptied environment, as env -i makes it");
	command[1] = "LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6";
	explain_process(begin(command, NULL));
	assert_says(err.message, "was started with LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6, which a script or a program before it has put in place");
	command[1] = "LD_PRELOAD=";
	explain_process(begin(command, NULL));
	assert_says(err.message, "was started without the preload library");
	assert_says(err.message, "LD_PRELOAD=/nowhere/" PRELOAD_NAME " COMMAND");
	/* With it nothing stands in the way. */
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", library);
	command[1] = preload;
	explain_process(begin(command, NULL));
	assert_null(strstr(err.message, "was started"));
	assert_says(err.message, "was loaded into it, but found no coroutines it knows");
	unsetenv("LD_PRELOAD");
	unsetenv("COROPROF_SESSION");
	free(library);
	free(path);
}

/*
 * The module has seen it, so that it is reported beside what is recorded, too; of a process that is
 * gone by its name.
 */
static void test_filter(void **state)
{
	char *path = make_waiting();
	char *command[] = { path, NULL }, *nothing[] = { NULL };
	struct detections detections = { 0 };
	pid_t pid = begin(command, NULL);

	(void)state;
	detect_filter(&detections, pid, "waiting");
	detect_filter(&detections, 0, "gone");
	detections_forget(&detections, pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(diagnose_partly(nothing, &detections, &err));
	assert_says(err.message, "/waiting (pid ");
	assert_says(err.message, "gone has put a filter of system calls (seccomp) in place that refuses ioctl()");
	assert_says(err.message, "seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 0)");
	diagnose_no_switch(nothing, &detections, &err);
	assert_says(err.message, "has put a filter of system calls");
	free(path);
}

static pid_t child_of(pid_t pid)
{
	pid_t child = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%d", &child), 1);
	fclose(file);
	return child;
}

/*
 * A mount namespace whose /dev has no device: neither has this machine's, where no module is
 * loaded.
 */
static void test_private_dev(void **state)
{
	char *path = make_waiting();
	char *dev[] = { "unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /dev && exec \"$0\"", path, NULL };
	char *jail[] = { make("firejail", "cp /bin/sh $out"), "-c",
			 "unshare -m sh -c 'mount -t tmpfs tmpfs /dev && exec \"$0\"' \"$0\"; true", path, NULL };
	pid_t shell;

	(void)state;
	if (geteuid())
		skip();
	explain_process(begin(dev, NULL));
	assert_says(err.message, "has a /dev of its own, in which there is no /dev/coroprof");
	assert_says(err.message, "--dev-bind /dev/coroprof /dev/coroprof COMMAND");
	/* The shell waits for unshare(1), which has become the program. */
	shell = begin(jail, NULL);
	explain_process(child_of(shell));
	waitpid(shell, NULL, 0);
	assert_says(err.message, "as private-dev of firejail makes it");
	assert_says(err.message, "firejail --ignore=private-dev COMMAND");
	free(path);
	free(jail[0]);
}

static void test_python(void **state)
{
	static const struct {
		const char *module, *runtime, *file;
	} known[] = {
		{ "asyncio", "Python's asyncio", "/_asyncio." },
		{ "greenlet", "greenlet", "/_greenlet." },
		{ "gevent", "gevent", "/_gevent_" },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		char *command[] = { "/usr/bin/python3", "-c", text, NULL };
		pid_t pid;

		snprintf(text, sizeof(text), "import %s, time; print(flush=True); time.sleep(99)",
			 known[i].module);
		pid = begin(command, NULL);
		explain_process(pid);
		snprintf(text, sizeof(text), "(pid %d) has %s (found /", pid,
			 known[i].runtime);
		assert_says(err.message, text);
		assert_says(err.message, known[i].file);
		assert_null(strstr(err.message, " is Python"));
	}
}

static void test_attach(void **state)
{
	char *command[] = { "luajit", "-e", "print() io.flush() io.read()", NULL };
	int input[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(input), 0);
	dup2(input[0], 0);
	pid = begin(command, NULL);
	diagnose_attach(ENODEV, pid, &err);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_says(err.message, "does not use coroprof: neither");
	assert_says(err.message, "has LuaJIT, linked into the program");
}

/* What -p says of a program of that name, which runs; with a library mapped or without. */
static void explain_running(const char *name, const char *preload, char text[64])
{
	char *path = make(name, "echo '#include <stdio.h>\n#include <unistd.h>\nint main(void) { puts(\"\"); fflush(stdout); pause(); }' | cc -x c - -o $out");
	char *command[] = { path, NULL };
	pid_t pid;

	setenv("LD_PRELOAD", preload, 1);
	pid = begin(command, NULL);
	unsetenv("LD_PRELOAD");
	diagnose_attach(ENODEV, pid, &err);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	snprintf(text, 64, "%d", pid);
	free(path);
}

static void test_python_runs(void **state)
{
	char *library =
		make("libcoroprof-none.so", "echo 'int none;' | cc -shared -fPIC -x c - -o $out");
	char pid[64], text[256];

	(void)state;
	explain_running("python3.14", "", pid);
	snprintf(text, sizeof(text), "/python3.14 -c 'import os, sys; sys.remote_exec(%s, ", pid);
	assert_says(err.message, "Python 3.14 loads it as it runs");
	assert_says(err.message, text);
	assert_says(err.message, "/coroprof/python\"); import coroprof' >attach-coroprof.py");
	explain_running("python3.13", "", pid);
	snprintf(text, sizeof(text), "Process %s was not started with the preload library, and Python 3.13 can't load it later", pid);
	assert_says(err.message, text);
	assert_says(err.message, "coroprof record -- COMMAND");
	assert_null(strstr(err.message, "remote_exec"));
	/* Of those it knows nothing, or need not. */
	explain_running("python3.10", "", pid);
	assert_null(strstr(err.message, "was not started"));
	explain_running("python3.14", library, pid);
	assert_says(err.message, "/python3.14 (pid");
	assert_null(strstr(err.message, "was not started"));
	free(library);
}

static void test_python_versions(void **state)
{
	(void)state;
	assert_int_equal(python_minor("/usr/lib/python3/dist-packages/greenlet/_greenlet.cpython-313-x86_64-linux-gnu.so"), 13);
	assert_int_equal(python_minor("/usr/lib/x86_64-linux-gnu/libpython3.14.so.1.0"), 14);
	assert_int_equal(python_minor("/usr/bin/python3.11"), 11);
	assert_int_equal(python_minor("/usr/bin/python3.14t"), 0);
	assert_int_equal(python_minor("/usr/lib/python3/_asyncio.cpython-314t-x86_64-linux-gnu.so"), 0);
	assert_int_equal(python_minor("/usr/bin/python3"), 0);
	assert_int_equal(python_minor("/usr/bin/python3.10"), 0);
}

static void test_chroot(void **state)
{
	char *nothing[] = { NULL };

	(void)state;
	if (geteuid())
		skip();
	mkdir(path_of("jail"), 0755);
	explain_process(begin(nothing, path_of("jail")));
	assert_says(err.message, "The preload library is not in the root directory");
	assert_says(err.message, path_of("jail"));
}

/* Of what is recorded nothing is missing; of others it is. */
static void test_recorded(void **state)
{
	const struct runtime *jit = runtime_of_file("libluajit-5.1.so.2");
	struct detections detections = { .nr = 3 };

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct detection *detection = &detections.all[i];

		*detection = (struct detection){ .kind = DETECTED_RUNTIME, .pid = 10 + (pid_t)i };
		detection->runtime = i ? runtime_of_file("_asyncio.cpython-39.so") : jit;
		snprintf(detection->program, sizeof(detection->program), "/prog%u", i);
	}
	detections_forget(&detections, 10);
	detections_forget(&detections, 11);
	assert_true(diagnose_partly(NULL, &detections, &err));
	assert_says(err.message, "/prog2 (pid 12) ");
	assert_null(strstr(err.message, "/prog0"));
	assert_null(strstr(err.message, "/prog1"));
	detections_forget(&detections, 12);
	assert_false(diagnose_partly(NULL, &detections, &err));
}

static void runs(struct detections *s, pid_t pid, const char *program)
{
	struct detection *detection = &s->all[s->nr++];

	*detection = (struct detection){ .kind = DETECTED_RUNTIME, .pid = pid };
	detection->runtime = runtime_of_file("libluajit-5.1.so.2");
	snprintf(detection->program, sizeof(detection->program), "%s", program);
}

/* This process is the master of one that is recorded, and runs the same program. */
static void test_master(void **state)
{
	struct detections detections = { 0 };
	char *nothing[] = { NULL };
	pid_t worker = begin(nothing, NULL);
	char own[PATH_MAX] = "";

	(void)state;
	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	runs(&detections, getpid(), own);
	runs(&detections, getppid(), "/bin/other");
	assert_true(diagnose_partly(NULL, &detections, &err));
	assert_says(err.message, own);
	detections_forget(&detections, worker);
	assert_true(diagnose_partly(NULL, &detections, &err));
	assert_null(strstr(err.message, own));
	assert_says(err.message, "/bin/other");
	/* Nor is it seen anew. */
	detect_process(&detections, getpid());
	assert_int_equal(detections.nr, 1);
	kill(worker, SIGKILL);
	waitpid(worker, NULL, 0);
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static int tear_down(void **state)
{
	char line[64];

	(void)state;
	snprintf(line, sizeof(line), "rm -rf %s", folder);
	return system(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linked_in),
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_tokio),
		cmocka_unit_test(test_qemu),
		cmocka_unit_test(test_libc),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_lua51),
		cmocka_unit_test(test_static_shell),
		cmocka_unit_test(test_asan),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_private_dev),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_privileged),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_python),
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_python_runs),
		cmocka_unit_test(test_python_versions),
		cmocka_unit_test(test_chroot),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_master),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
