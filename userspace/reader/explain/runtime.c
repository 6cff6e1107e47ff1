// SPDX-License-Identifier: GPL-2.0
/*
 * The list of runtimes, and how each is recognized: by the name of a mapped file or of the program,
 * or by a text in its executable.
 */
#include <string.h>

#include "base/util.h"
#include "explain/runtime.h"
#include "symbols/elffile.h"

/* More constants of a program than this are not looked through. */
#define CONSTANTS_MAX	(64u << 20)

#define COROUTINES	"of Python 3.11 to 3.14 the preload library sees coroutines (async def), and none has run"
#define LINKED_IN	"of an interpreter coroutines are recorded once one runs, but not with -E; of other programs the preload library sees only calls of a shared library"
#define GREENLETS	"greenlets of Python 3.11 to 3.14 are recorded once they run, those of others are not"
#define PYTHONS		"Run it with one of these, and with python in the list, if --runtime is given:\n  python3 --version"
#define FIBERS		"fibers of PHP 8.2 and 8.4 are recorded once they run, but not of a module that is loaded later"
#define PHPS		"Run it with one of these, as php or php-fpm, and with php in the list, if --runtime is given:\n  php --version"
#define RUBY_FIBERS	"fibers of Ruby 3.1 to 3.3 are recorded once one runs, and none has"
#define RUBIES		"Run fibers, with one of these, and with ruby in the list, if --runtime is given:\n  ruby --version"
#define PROCESSES	"of OTP 25 and later the preload library sees processes, if it has coroprof_erlang.beam beside it, and none has run"
#define OTPS		"Run it with erl, escript, elixir or the script of a release, and with erlang in the list, if --runtime is given."
#define THREADS		"of Java 21 and later the preload library sees virtual threads, and none has run"
#define VIRTUAL		"Run what is to be recorded in virtual threads. In a JVM that runs already, load the library first:\n  jcmd PID JVMTI.agent_load " COROPROF_LIBDIR "/coroprof/libcoroprof-preload.so"
#define REQUESTS	"of Node.js 18 and later the preload library sees requests to servers of its own (node:http, node:https), and none has come"
#define ASKED		"Ask the server while it is recorded, and with node in the list, if --runtime is given."
#define FUNCTIONS		"Run coroutines, with one of these (python3 --version), and with python in the list, if --runtime is given. Without coroutines its functions can be recorded, as spans:\n  coroprof record --functions __main__ -- python3 script.py"

/* What explains most comes first. */
static const struct runtime runtimes[] = {
	{ .name = "LuaJIT, linked into the program", .text = "LuaJIT 2.", .seen = LINKED_IN,
	  .way = "Run an interpreter without -E; link another program with LuaJIT's shared library:\n  cc ... -lluajit-5.1    # Debian: libluajit-5.1-dev" },
	{ .name = "Lua, linked into the program", .text = "$LuaVersion: Lua 5.", .seen = LINKED_IN,
	  .way = "Run an interpreter without -E; link another program with Lua's shared library:\n  cc ... -llua5.4    # Debian: liblua5.4-dev" },
	{ .name = "Lua 5.1, linked into the program", .text = "$Lua: Lua 5.1", .seen = LINKED_IN,
	  .way = "Run an interpreter without -E; link another program with Lua's shared library:\n  cc ... -llua5.1    # Debian: liblua5.1-0-dev" },
	{ .name = "LuaJIT", .file = "libluajit-5.1.so",
	  .seen = "its coroutines are recorded once one runs, and none has: or the program loads the library by dlopen()",
	  .way = "Run coroutines; link the program with the library:\n  cc ... -lluajit-5.1    # Debian: libluajit-5.1-dev" },
	{ .name = "gevent", .file = "_gevent_", .python = true, .seen = GREENLETS, .way = PYTHONS },
	{ .name = "greenlet", .file = "_greenlet.", .python = true, .seen = GREENLETS, .way = PYTHONS },
	{ .name = "Python's asyncio", .file = "_asyncio.", .python = true,
	  .seen = "coroutines of Python 3.11 to 3.14 are recorded once they run, those of others are not",
	  .way = PYTHONS },
	{ .name = "Go", .section = ".go.buildinfo",
	  .seen = "goroutines are seen by probes of the kernel, and there are none in this program",
	  .way = "Record the program itself, as root, without --probe none: a script that starts it can't be probed\n  sudo coroprof record -- ./program    # or -p PID, as it runs" },
	{ .name = "tokio", .text = "tokio-runtime-worker",
	  .seen = "tasks are found by the symbols of the program, and none has run, or it was stripped of these",
	  .way = "Build the program with its symbols. In Cargo.toml, below [profile.release]:\n  strip = false    # \"debuginfo\" keeps symbols, too\nOne that has them, and runs already, is recorded as root, without names:\n  sudo coroprof record --probe tokio -p PID" },
	{ .name = "QEMU", .text = "Co-routine re-entered recursively",
	  .seen = "coroutines are recorded once one runs, if it was started with the preload library",
	  .way = "One that runs already is recorded as root:\n  sudo coroprof record --probe qemu -p PID" },
	{ .name = "Node.js", .file = "libnode.so", .seen = REQUESTS, .way = ASKED },
	{ .name = "Node.js", .program = "node", .seen = REQUESTS, .way = ASKED },
	{ .name = "Java", .file = "libjvm.so", .seen = THREADS, .way = VIRTUAL },
	{ .name = "Java", .program = "java", .seen = THREADS, .way = VIRTUAL },
	{ .name = "Ruby", .file = "libruby", .seen = RUBY_FIBERS, .way = RUBIES },
	{ .name = "Ruby", .program = "ruby", .seen = RUBY_FIBERS, .way = RUBIES },
	{ .name = "PHP", .file = "libphp", .seen = FIBERS, .way = PHPS },
	{ .name = "PHP", .program = "php", .seen = FIBERS, .way = PHPS },
	{ .name = "Erlang", .program = "beam.smp", .seen = PROCESSES, .way = OTPS },
	{ .name = "Erlang", .program = "erl", .seen = PROCESSES, .way = OTPS },
	{ .name = "Python", .file = "libpython3", .python = true, .weak = true,
	  .seen = COROUTINES, .way = FUNCTIONS },
	{ .name = "Python", .program = "python", .python = true, .weak = true,
	  .seen = COROUTINES, .way = FUNCTIONS },
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool begins_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

const struct runtime *runtime_of_file(const char *path)
{
	const char *base = base_name(path);

	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
		const char *file = runtimes[i].file;

		if (file && begins_with(base, file) && strstr(base, ".so"))
			return &runtimes[i];
	}
	return NULL;
}

/* True of a version's digits: "php8.2" is PHP, "phpize" is not. */
static bool is_version(const char *text)
{
	return !text[strspn(text, "0123456789.-")];
}

const struct runtime *runtime_of_program(const char *path)
{
	const char *base = base_name(path);

	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
		const char *program = runtimes[i].program;

		if (program && begins_with(base, program) &&
		    is_version(base + strlen(program)))
			return &runtimes[i];
	}
	return NULL;
}

static bool has_text(const Elf_Data *constants, const char *text)
{
	return constants && constants->d_buf &&
	       memmem(constants->d_buf, constants->d_size, text, strlen(text));
}

const struct runtime *runtime_of_elf(Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_file_section(elf, SHT_PROGBITS, ".rodata", &header);
	Elf_Data *constants = section && header.sh_size <= CONSTANTS_MAX ?
			      elf_getdata(section, NULL) : NULL;

	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
		const struct runtime *r = &runtimes[i];

		if (r->text && has_text(constants, r->text))
			return r;
		if (r->section && elf_file_section(elf, SHT_PROGBITS, r->section,
						   &header))
			return r;
	}
	return NULL;
}

unsigned int runtime_rank(const struct runtime *runtime)
{
	return (unsigned int)(runtime - runtimes);
}
