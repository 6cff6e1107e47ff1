// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the instructions at which probes of a program are placed: by symbols, by the tables of Go,
 * or by names of Rust; and gives the probes to the session. Relies on symbols/ to read object
 * files.
 */
#include <asm/perf_regs.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "explain/program.h"
#include "record/probe-text.h"
#include "record/probes.h"
#include "symbols/ahead.h"
#include "symbols/elffile.h"
#include "symbols/function.h"
#include "symbols/gocode.h"
#include "symbols/gotable.h"

#define GO_OLDEST	18

/* ENOTSUPP of the kernel, which has no name here. */
#define KERNEL_ENOTSUPP	524

/**
 * struct subject - a program that is probed
 * @session: by whom
 * @path:    of its file
 * @file:    open
 * @any:     it has probes
 */
struct subject {
	struct session *session;
	const char *path;
	struct elf_file file;
	bool *any;
};

/* ---- one probe */

static int explain_failure(int code, const char *path, const char *symbol, struct error *err)
{
	switch (code) {
	case EPERM:
		return error_set(err, code, "%s can't be probed: that needs CAP_PERFMON\nRecord it as root: sudo coroprof record ...",
				 path);
	case ENOTTY:
	case E2BIG:
	case EOPNOTSUPP:
		return error_set(err, EOPNOTSUPP, "%s can't be probed: %s", path, code != EOPNOTSUPP ?
				 "the kernel module is older than this program\nLoad that of this version: sudo modprobe -r coroprof && sudo modprobe coroprof" :
				 "the kernel has no uprobes\nBoot one that has: grep CONFIG_UPROBES=y /boot/config-*");
	case ENOSPC:
		return error_set(err, code, "%s of %s can't be probed: a recording has at most %d probes, of all its programs\nRecord fewer programs at once by -p, or fewer functions by --probe",
				 symbol, path, COROPROF_PROBES_MAX);
	case EIO:
	case KERNEL_ENOTSUPP:
		return error_set(err, code, "%s of %s can't be probed: neither can every file system have probes, nor each instruction\nCopy the program to a disk, and start it there",
				 symbol, path);
	}
	errno = code;
	return error_errno(err, "%s of %s can't be probed", symbol, path);
}

static int add_probe_at(const struct subject *s, const struct code_location *location,
			const struct probe_text *probe, const struct coroprof_where *label,
			struct error *err)
{
	struct coroprof_probe config = {
		.size = sizeof(config),
		.fd = s->file.fd,
		.role = probe->role,
		.offset = location->offset,
		.address = location->address,
		.key = probe->where,
		.when = probe->when,
		.mask = probe->mask,
		.value = probe->value,
		.flags = probe->unless ? COROPROF_WHEN_UNLESS : 0,
	};

	if (label)
		config.label = *label;
	if (ioctl(s->session->fd, COROPROF_IOC_PROBE, &config))
		return explain_failure(errno, s->path, probe->symbol, err);
	*s->any = true;
	return 0;
}

static int find_function(struct code_location *location, const struct subject *s,
			 const struct probe_text *probe, struct error *err)
{
	if (!function_find(location, s->file.elf, probe->symbol))
		return error_set(err, ENOENT, "%s has no function %s that could be probed\nLook for its name: nm -C %s",
				 s->path, probe->symbol, s->path);
	return 0;
}

static int add_probe(const struct subject *s, const struct probe_text *probe,
		     const struct coroprof_where *label, struct error *err)
{
	struct code_location location;
	int ret = find_function(&location, s, probe, err);

	return ret ? ret : add_probe_at(s, &location, probe, label, err);
}

/* ---- where in a function */

/* True if the value that @where names is in some register at the instruction @ahead, too. */
static bool is_value_kept(const struct ahead *ahead, const struct coroprof_where *where)
{
	return where->kind == COROPROF_WHERE_NONE ||
	       (where->reg < AHEAD_REGISTERS && ahead->in[where->reg] != AHEAD_LOST);
}

static void set_register_ahead(struct coroprof_where *where, const struct ahead *ahead)
{
	if (where->kind != COROPROF_WHERE_NONE)
		where->reg = ahead->in[where->reg];
}

static void move_probe(struct code_location *location, struct probe_text *probe,
		       const struct ahead *ahead)
{
	location->address += ahead->by;
	location->offset += ahead->by;
	set_register_ahead(&probe->where, ahead);
	set_register_ahead(&probe->when, ahead);
}

/* ---- Go */

/*
 * On both machines register 0 is the first argument of Go's functions, 1 the second; who runs is
 * in another.
 */
#if defined(__x86_64__)
#define GOROUTINE	PERF_REG_X86_R14
#else
#define GOROUTINE	PERF_REG_ARM64_X28
#endif

/*
 * All of these run on a stack of the thread's own, and are never entered twice for one event.
 * A goroutine is left where that stack is entered, before another thread can go on with it:
 * schedule() is behind that, and a compiler that has a profile puts it into its callers. For
 * that reason some are here that call another, which says the same: where they do, that is
 * enough, as each hit costs.
 */
static const struct {
	__u32 role;
	const char *symbol;
	const char *or_else;
	bool needed;
	const char *calls;
} go_probes[] = {
	{ COROPROF_PROBE_SWITCH, "runtime.execute", NULL, true, NULL },
	{ COROPROF_PROBE_OUT, "runtime.park_m", "runtime.schedule", true, NULL },
	{ COROPROF_PROBE_OUT, "runtime.preemptPark", "runtime.schedule", true, NULL },
	{ COROPROF_PROBE_YIELD, "runtime.exitsyscallNoP", "runtime.exitsyscall0", true, NULL },
	{ COROPROF_PROBE_YIELD, "runtime.gosched_m", NULL, false, "runtime.goschedImpl" },
	{ COROPROF_PROBE_YIELD, "runtime.gopreempt_m", NULL, false, "runtime.goschedImpl" },
	{ COROPROF_PROBE_YIELD, "runtime.goschedImpl", NULL, true, NULL },
	{ COROPROF_PROBE_YIELD, "runtime.goyield_m", NULL, false, NULL },
	{ COROPROF_PROBE_END, "runtime.goexit0", NULL, true, "runtime.gdestroy" },
	{ COROPROF_PROBE_END, "runtime.gdestroy", NULL, false, NULL },
	{ COROPROF_PROBE_WAKE, "runtime.ready", NULL, false, NULL },
};

static bool role_names_coroutine(__u32 role)
{
	return role != COROPROF_PROBE_OUT && role != COROPROF_PROBE_UNREPORTED;
}

static bool has_function(const struct subject *s, const char *symbol)
{
	struct code_location location;

	return function_find(&location, s->file.elf, symbol);
}

/*
 * True if the function calls, at once and without a condition, another one that is probed for the
 * same event.
 */
static bool calls_probed_function(const struct subject *s, size_t i, struct code_location location)
{
	struct code_location callee;

	return go_probes[i].calls && function_find(&callee, s->file.elf, go_probes[i].calls) &&
	       go_next_call(&location, s->file.elf, &callee);
}

/* All probes of a function are at one instruction, so that one hit handles them. */
static int add_go_probe(const struct subject *s, size_t i, const struct coroprof_where *label,
			struct error *err)
{
	struct probe_text probe = { .role = go_probes[i].role };
	struct code_location location;
	int ret;

	strcpy(probe.symbol, go_probes[i].symbol);
	if (!has_function(s, probe.symbol)) {
		if (!go_probes[i].needed)
			return 0;
		if (go_probes[i].or_else)
			strcpy(probe.symbol, go_probes[i].or_else);
	}
	if (role_names_coroutine(probe.role))
		probe.where.kind = COROPROF_WHERE_REGISTER;
	ret = find_function(&location, s, &probe, err);
	if (ret || calls_probed_function(s, i, location))
		return ret;
	go_at_check(&location, s->file.elf);
	if (probe.role != COROPROF_PROBE_SWITCH)
		return add_probe_at(s, &location, &probe, NULL, err);
	/*
	 * One without a start function stands for a thread of C's that calls Go. Nothing says when
	 * it is back in C, and Go has the scheduler go on with it only if no processor was idle.
	 */
	if (label) {
		probe.when = *label;
		probe.mask = ~0ULL;
		probe.unless = true;
	}
	return add_probe_at(s, &location, &probe, label, err);
}

/*
 * Between two coroutines of iter.Pull() Go switches without its scheduler. One goes on behind
 * the call of mcall() in coroswitch(), or begins with corostart(), which may be entered again once
 * its stack has grown: it is probed behind the check for that. Both run on the goroutine's stack.
 */
static bool find_go_coroutines(const struct subject *s, struct code_location *begin,
			       struct code_location *on)
{
	struct code_location mcall;

	return function_find(begin, s->file.elf, "runtime.corostart") &&
	       go_behind_check(begin, s->file.elf) &&
	       function_find(&mcall, s->file.elf, "runtime.mcall") &&
	       function_find(on, s->file.elf, "runtime.coroswitch") &&
	       go_behind_call(on, s->file.elf, &mcall);
}

static int add_go_coroutines(const struct subject *s, const struct coroprof_where *label,
			     struct error *err)
{
	const struct coroprof_where start = {
		.kind = COROPROF_WHERE_MEMORY, .reg = GOROUTINE, .offset = label ? label->offset : 0,
	};
	const struct probe_text goes_on = {
		.role = COROPROF_PROBE_SWITCH, .symbol = "runtime.coroswitch",
		.where = { .kind = COROPROF_WHERE_REGISTER, .reg = GOROUTINE },
	}, unreported = {
		.role = COROPROF_PROBE_UNREPORTED, .symbol = "runtime.coroswitch_m",
	};
	struct code_location begin, on;
	int ret;

	if (!has_function(s, unreported.symbol))
		return 0;
	if (!find_go_coroutines(s, &begin, &on))
		return add_probe(s, &unreported, NULL, err);
	label = label ? &start : NULL;
	ret = add_probe_at(s, &begin, &goes_on, label, err);
	return ret ? ret : add_probe_at(s, &on, &goes_on, label, err);
}

/*
 * Whom the network poller finds, or the garbage collector, does not come by ready(): these make a
 * list of all, or begin with one at once. It is casgstatus(g, from, to) that says so, which others
 * call as well, at every switch: so it is probed where these call it.
 */
#define GO_WAITING	4

static const struct {
	const char *caller;
	const char *or_else;
} go_lists[] = {
	{ "runtime.injectglist", "runtime.injectglist" },
	{ "runtime.findRunnable", "runtime.findrunnable" },
};

static int add_go_wakes_of_list(const struct subject *s, struct code_location location, bool *found,
				struct error *err)
{
	const struct probe_text probe = {
		.role = COROPROF_PROBE_WAKE, .symbol = "runtime.casgstatus",
		.where = { .kind = COROPROF_WHERE_REGISTER },
		.when = { .kind = COROPROF_WHERE_REGISTER, .reg = 1 },
		.mask = 0xffffffff, .value = GO_WAITING,
	};
	struct code_location callee;
	int ret = 0;

	*found = false;
	if (!function_find(&callee, s->file.elf, probe.symbol))
		return 0;
	while (!ret && go_next_call(&location, s->file.elf, &callee)) {
		ret = add_probe_at(s, &location, &probe, NULL, err);
		*found = true;
	}
	return ret;
}

static int add_go_wakes_of_lists(const struct subject *s, struct error *err)
{
	bool all = true, found;
	struct code_location location;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(go_lists) && !ret; i++) {
		found = false;
		if (function_find(&location, s->file.elf, go_lists[i].caller) ||
		    function_find(&location, s->file.elf, go_lists[i].or_else))
			ret = add_go_wakes_of_list(s, location, &found, err);
		all &= found;
	}
	if (!ret && !all)
		warn("goroutines of %s that wait for the network: when they become ready is not recorded, as the code that makes them so was not found\nIf it was built with a profile, build it without: go build -pgo=off",
		     s->path);
	return ret;
}

static int add_go_probes(const struct subject *s, unsigned int minor, struct error *err)
{
	struct coroprof_where label = {
		.kind = COROPROF_WHERE_MEMORY,
		.offset = (__s64)go_start_offset(s->file.elf, minor),
	};
	int ret = 0;

	if (minor && minor < GO_OLDEST)
		return error_set(err, EOPNOTSUPP, "%s was built with Go 1.%u, whose goroutines probes can't distinguish\nBuild it with Go 1.%u or later",
				 s->path, minor, GO_OLDEST);
	for (size_t i = 0; i < ARRAY_SIZE(go_probes) && !ret; i++)
		ret = add_go_probe(s, i, label.offset ? &label : NULL, err);
	if (!ret)
		ret = add_go_coroutines(s, label.offset ? &label : NULL, err);
	if (!ret)
		ret = add_go_wakes_of_lists(s, err);
	if (!ret && !label.offset)
		warn("goroutines of %s have no names: where Go 1.%u keeps them is not known\nBuild it with its debug information: go build without -ldflags=-w, and do not strip it",
		     s->path, minor);
	return ret;
}

/* ---- tokio */

#if defined(__x86_64__)
#define TASK { .kind = COROPROF_WHERE_REGISTER, .reg = PERF_REG_X86_DI }
#else
#define TASK { .kind = COROPROF_WHERE_REGISTER, .reg = PERF_REG_ARM64_X0 }
#endif
#define TASKS	"5tokio7runtime4task5state"
#define WAKERS	"5tokio7runtime4task5waker"

/*
 * A task begins with its state, whose address is the first argument of these. They are no
 * templates, so each is there once, and around each poll of a task: it is running, then
 * idle or complete.
 */
static const struct {
	__u32 role;
	const char *module;
	const char *name;
	const char *shown;
} tokio_probes[] = {
	{ COROPROF_PROBE_SWITCH, TASKS, "21transition_to_running", "transition_to_running" },
	{ COROPROF_PROBE_OUT, TASKS, "18transition_to_idle", "transition_to_idle" },
	{ COROPROF_PROBE_END, TASKS, "22transition_to_complete", "transition_to_complete" },
	{ COROPROF_PROBE_WAKE, WAKERS, "11wake_by_val", "wake_by_val" },
	{ COROPROF_PROBE_WAKE, WAKERS, "11wake_by_ref", "wake_by_ref" },
};

static int add_tokio_probe(const struct subject *s, size_t i, struct error *err)
{
	struct probe_text probe = { .role = tokio_probes[i].role };
	struct ahead ahead;
	struct code_location location;

	if (!function_find_rust(&location, s->file.elf, tokio_probes[i].module,
				tokio_probes[i].name))
		return error_set(err, ENOENT, "%s has no function %s of tokio that could be probed: it was stripped, or built with lto, or has no tokio\nIn Cargo.toml, below [profile.release]:\n  strip = false\n  lto = \"off\"",
				 s->path, tokio_probes[i].shown);
	if (role_names_coroutine(probe.role))
		probe.where = (struct coroprof_where)TASK;
	strcpy(probe.symbol, tokio_probes[i].shown);
	if (ahead_of(&ahead, s->file.elf, &location) && is_value_kept(&ahead, &probe.where))
		move_probe(&location, &probe, &ahead);
	return add_probe_at(s, &location, &probe, NULL, err);
}

static int add_tokio_probes(const struct subject *s, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tokio_probes) && !ret; i++)
		ret = add_tokio_probe(s, i, err);
	return ret;
}

/* ---- QEMU */

#if defined(__x86_64__)
#define TO	"rsi"
#define FROM	"rdi"
#define ACTION	"rdx"
#else
#define TO	"x1"
#define FROM	"x0"
#define ACTION	"x2"
#endif

/*
 * qemu_coroutine_switch(from, to, action) is each switch, and its action 2 the end of whom it
 * leaves. A coroutine begins with its function; what stands for a thread has none.
 */
static const char qemu_probes[] =
	"end=qemu_coroutine_switch:" FROM "?" ACTION "&0xffffffff==2,"
	"out=qemu_coroutine_switch?+0(" TO ")==0,"
	"switch=qemu_coroutine_switch:" TO "?+0(" TO ")!=0,"
	"label=qemu_coroutine_switch:+0(" TO ")";

/* ---- what was asked for */

static const char *probes_option(const struct record_options *o)
{
	return o->probes ? o->probes : "";
}

/*
 * Where the label of the coroutine is that the switch in @symbol names, if --probe says so; else
 * NULL.
 */
static const struct coroprof_where *find_label_location(const char *text, const char *symbol,
							struct probe_text *label)
{
	struct error ignored;

	while (text && !probe_text_next(&text, label, &ignored))
		if (label->is_label && !strcmp(label->symbol, symbol))
			return &label->where;
	return NULL;
}

/*
 * True of all probes in the function at @location: they stay together, so that one hit handles
 * them.
 */
static bool are_all_values_kept(const struct subject *s, const struct ahead *ahead,
				const struct code_location *location, const char *text)
{
	struct probe_text probe;
	struct error ignored;
	struct code_location its;

	while (text && !probe_text_next(&text, &probe, &ignored))
		if (function_find(&its, s->file.elf, probe.symbol) &&
		    its.address == location->address &&
		    !(is_value_kept(ahead, &probe.where) && is_value_kept(ahead, &probe.when)))
			return false;
	return true;
}

static int add_asked_probe(const struct subject *s, struct probe_text *probe, const char *all,
			   struct error *err)
{
	struct coroprof_where where = { .kind = COROPROF_WHERE_NONE };
	const struct coroprof_where *label_at = NULL;
	struct probe_text label;
	struct ahead ahead;
	struct code_location location;
	int ret = find_function(&location, s, probe, err);

	if (ret)
		return ret;
	if (probe->role == COROPROF_PROBE_SWITCH)
		label_at = find_label_location(all, probe->symbol, &label);
	if (label_at)
		where = *label_at;
	if (ahead_of(&ahead, s->file.elf, &location) &&
	    are_all_values_kept(s, &ahead, &location, all)) {
		move_probe(&location, probe, &ahead);
		set_register_ahead(&where, &ahead);
	}
	return add_probe_at(s, &location, probe, label_at ? &where : NULL, err);
}

static int add_asked_probes(const struct subject *s, const char *all, struct error *err)
{
	const char *text = all;
	struct probe_text probe;
	int ret;

	do {
		ret = probe_text_next(&text, &probe, err);
		if (!ret && !probe.is_label)
			ret = add_asked_probe(s, &probe, all, err);
	} while (!ret && text);
	return ret;
}

int probes_check(const char *text, struct error *err)
{
	struct probe_text probe;
	int ret = 0;

	if (!strcmp(text, PROBES_GO) || !strcmp(text, PROBES_TOKIO) ||
	    !strcmp(text, PROBES_QEMU) || !strcmp(text, PROBES_NONE))
		return 0;
	while (text && !ret)
		ret = probe_text_next(&text, &probe, err);
	return ret;
}

static int add_probes_of_program(const struct subject *s, const char *asked, struct error *err)
{
	bool is_go, by_name = !strcmp(asked, PROBES_GO);
	unsigned int minor;
	int ret;

	if (!strcmp(asked, PROBES_TOKIO))
		return add_tokio_probes(s, err);
	if (!strcmp(asked, PROBES_QEMU))
		return add_asked_probes(s, qemu_probes, err);
	if (*asked && !by_name)
		return add_asked_probes(s, asked, err);
	is_go = go_version(s->file.elf, &minor);
	if (!is_go && by_name)
		return error_set(err, EINVAL, "%s is no program of Go: it has no section .go.buildinfo\nSay which functions switch: --probe switch=FUNCTION:REGISTER,...",
				 s->path);
	ret = is_go ? add_go_probes(s, minor, err) : 0;
	if (!ret || by_name)
		return ret;
	warn("not all of goroutines is recorded: %s", err->message);
	return 0;
}

static int probe_file(struct session *session, const char *path, const char *asked, bool *any,
		      struct error *err)
{
	struct subject s = { .session = session, .path = path, .any = any };
	int ret;

	if (elf_version(EV_CURRENT) == EV_NONE || !elf_file_open(&s.file, path)) {
		if (!*asked)
			return 0;
		return error_set(err, ENOEXEC, "%s can't be probed: it can't be read, or is no program but a script\nName the program itself: file -L %s",
				 path, path);
	}
	ret = add_probes_of_program(&s, asked, err);
	elf_file_close(&s.file);
	return ret;
}

/* True if another process of the same program, before number @i, has been handled. */
static bool is_program_probed(const struct record_options *o, unsigned int i)
{
	char path[64];
	struct stat own, other;

	snprintf(path, sizeof(path), "/proc/%d/exe", o->pids[i]);
	if (stat(path, &own))
		return false;
	while (i--) {
		snprintf(path, sizeof(path), "/proc/%d/exe", o->pids[i]);
		if (!stat(path, &other) && own.st_dev == other.st_dev &&
		    own.st_ino == other.st_ino)
			return true;
	}
	return false;
}

/*
 * The command has no library that knows of a token, by which it would be attached: so all
 * descendants of this process are.
 */
static int attach_descendants(struct session *session, struct error *err)
{
	bool known;
	int ret = session_attach(session, getpid(),
				 COROPROF_ATTACH_LATER | COROPROF_ATTACH_CHILDREN, &known);

	return ret ? error_set(err, -ret, "the kernel module does not follow the command: %s",
			       strerror(-ret)) : 0;
}

int probes_add(struct session *session, const struct record_options *o, bool *any,
	       struct error *err)
{
	const char *asked = probes_option(o);
	char path[PATH_MAX];
	int ret = 0;

	*any = false;
	if (!strcmp(asked, PROBES_NONE))
		return 0;
	if (o->command) {
		if (!program_find(path, o->command[0]))
			return 0;
		ret = probe_file(session, path, asked, any, err);
		return ret || !*any ? ret : attach_descendants(session, err);
	}
	for (unsigned int i = 0; i < o->nr_pids && !ret; i++) {
		snprintf(path, sizeof(path), "/proc/%d/exe", o->pids[i]);
		if (!is_program_probed(o, i))
			ret = probe_file(session, path, asked, any, err);
	}
	return ret;
}
