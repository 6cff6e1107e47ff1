// SPDX-License-Identifier: GPL-2.0
/*
 * Collects detections while the processes of a command live, drops what later turns out to be
 * recorded, and in the end reports the one that explains most. Looks through /proc; causes of
 * living processes come from explain/cause.h.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inroot.h"
#include "base/invoked.h"
#include "base/util.h"
#include "coroprof.h"
#include "explain/cause.h"
#include "explain/preload.h"
#include "explain/program.h"
#include "explain/python.h"
#include "explain/detection.h"
#include "explain/wrapper.h"

static bool is_detected(const struct detections *s, const struct detection *new)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		const struct detection *old = &s->all[i];

		if (old->kind == new->kind && old->runtime == new->runtime &&
		    !strcmp(old->program, new->program))
			return true;
	}
	return false;
}

static void add_detection(struct detections *s, enum detection_kind kind,
			  const struct runtime *runtime, pid_t pid, const char *program,
			  const char *file)
{
	struct detection *new = &s->all[s->nr];

	if (s->nr == DETECTIONS_MAX)
		return;
	new->kind = kind;
	new->runtime = runtime;
	new->pid = pid;
	new->bare = false;
	snprintf(new->program, sizeof(new->program), "%s", program);
	snprintf(new->file, sizeof(new->file), "%s", file);
	if (!is_detected(s, new))
		s->nr++;
}

/* True for a file that has not been looked at before. */
static bool is_new_file(struct detections *s, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	for (unsigned int i = 0; i < s->nr_files; i++) {
		if (s->device[i] == st.st_dev && s->inode[i] == st.st_ino)
			return false;
	}
	if (s->nr_files < DETECTIONS_FILES) {
		s->device[s->nr_files] = st.st_dev;
		s->inode[s->nr_files++] = st.st_ino;
	}
	return true;
}

static void note_program(struct detections *s, const struct program *p, pid_t pid,
			 const char *path)
{
	if (wrapper_clears(path))
		add_detection(s, DETECTED_CLEARS, NULL, pid, path, path);
	else if (p->privileged)
		add_detection(s, DETECTED_PRIVILEGED, NULL, pid, path, path);
	else if (p->is_musl)
		add_detection(s, DETECTED_MUSL, NULL, pid, path, path);
	else if (p->is_static && !p->runtime)
		add_detection(s, wrapper_is_shell(path) || wrapper_hands_on(path) ?
			      DETECTED_STATIC_SHELL : DETECTED_STATIC, NULL, pid, path, path);
	else if (p->has_asan)
		add_detection(s, DETECTED_ASAN, NULL, pid, path, path);
	if (p->runtime)
		add_detection(s, DETECTED_RUNTIME, p->runtime, pid, path,
			      *p->shows ? p->shows : path);
}

void detect_program(struct detections *s, const char *path)
{
	struct program program;

	if (is_new_file(s, path) && program_look(&program, path, path))
		note_program(s, &program, 0, path);
}

static bool read_link(char text[PATH_MAX], const char *link)
{
	ssize_t n = readlink(link, text, PATH_MAX - 1);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/*
 * Reads the path of the process's executable, without the " (deleted)" of one that was replaced by
 * a newer file.
 */
static bool read_executable(char path[PATH_MAX], pid_t pid)
{
	static const char deleted[] = " (deleted)";
	char link[32];

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	if (!read_link(path, link))
		return false;
	if (ends_with(path, deleted))
		path[strlen(path) - strlen(deleted)] = '\0';
	return true;
}

/* Reads it by its link in /proc, which leads to the file from any root directory. */
static void check_executable(struct detections *s, pid_t pid, const char *path)
{
	struct program program;
	char link[32];

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	if (is_new_file(s, link) && program_look(&program, link, path))
		note_program(s, &program, pid, path);
}

/* The executable of a process with another user's rights can't be read, but its name can. */
static void check_privileged(struct detections *s, pid_t pid)
{
	char comm[32], name[32], path[PATH_MAX];
	struct program program;

	snprintf(comm, sizeof(comm), "/proc/%d/comm", pid);
	if (read_text(comm, name, sizeof(name)) && program_find(path, name) &&
	    program_look(&program, path, path) && program.privileged)
		note_program(s, &program, pid, path);
}

/* @line: "START-END PERMS OFFSET DEVICE INODE PATH" of /proc/PID/maps. */
static void check_mapping(struct detections *s, struct living *l, const char *program,
			  char *line)
{
	const struct runtime *runtime;
	char *path = strchr(line, '/');

	if (!path)
		return;
	path[strcspn(path, "\n")] = '\0';
	runtime = runtime_of_file(path);
	if (runtime)
		add_detection(s, DETECTED_RUNTIME, runtime, l->pid, program, path);
	l->library |= strstr(path, "/libcoroprof") || !strcmp(path, COROPROF_DEVICE);
	/* What is preloaded is mapped before it. */
	l->started |= strstr(path, "/libc.so.") || strstr(path, "/libc-2.");
}

static void set_bare(struct detections *s, pid_t pid, bool bare)
{
	for (unsigned int i = 0; i < s->nr; i++) {
		if (s->all[i].pid == pid)
			s->all[i].bare = bare;
	}
}

static void check_mappings(struct detections *s, struct living *l, const char *program)
{
	char *line = NULL;
	size_t capacity = 0;
	char name[32];
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/maps", l->pid);
	file = fopen(name, "re");
	if (!file)
		return;
	while (getline(&line, &capacity, file) > 0)
		check_mapping(s, l, program, line);
	free(line);
	fclose(file);
	set_bare(s, l->pid, !l->library);
	s->loaded |= l->library;
}

void detect_root(struct detections *s, const char *root, const char *path, pid_t pid)
{
	if (*s->preload && !exists_in_root(root, s->preload))
		add_detection(s, DETECTED_ROOT_PRELOAD, NULL, pid, path, s->preload);
	if (!exists_in_root(root, COROPROF_DEVICE))
		add_detection(s, DETECTED_ROOT_DEVICE, NULL, pid, path, COROPROF_DEVICE);
}

/* Adds nothing if a process was detected for the same cause, as that says more. */
void detect_word(struct detections *s, const char *word)
{
	enum detection_kind kind;
	char found[PATH_MAX];

	if (!*s->preload || !cause_of_word(word, &kind, found))
		return;
	for (unsigned int i = 0; i < s->nr; i++) {
		if (s->all[i].kind == kind && s->all[i].pid)
			return;
	}
	add_detection(s, kind, NULL, 0, word, found);
}

static bool is_parent(const struct detections *s, pid_t pid)
{
	for (unsigned int i = 0; i < s->nr_parents; i++) {
		if (s->parents[i] == pid)
			return true;
	}
	return false;
}

void detect_process(struct detections *s, pid_t pid)
{
	struct living living = { .pid = pid, .preload = s->preload };
	struct process_root root = root_of_process(pid);
	char path[PATH_MAX], found[PATH_MAX];
	enum detection_kind kind;

	if (is_parent(s, pid))
		return;
	if (!read_executable(path, pid)) {
		check_privileged(s, pid);
		return;
	}
	check_executable(s, pid, path);
	check_mappings(s, &living, path);
	for (unsigned int i = 0; i < CAUSES; i++) {
		if (cause_holds(i, &living, &kind, found))
			add_detection(s, kind, NULL, pid, path, found);
	}
	if (root_is_other(root.path) && read_link(path, root.path))
		detect_root(s, root.path, path, pid);
}

void detect_filter(struct detections *s, pid_t pid, const char *comm)
{
	char path[PATH_MAX];

	add_detection(s, DETECTED_FILTER, NULL, pid, read_executable(path, pid) ? path : comm, "");
}

static void forget_process(struct detections *s, pid_t pid)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < s->nr; i++) {
		const struct detection *detection = &s->all[i];

		if (detection->pid == pid && detection->kind != DETECTED_FILTER)
			continue;
		if (kept++ < i)
			s->all[kept - 1] = *detection;
	}
	s->nr = kept;
}

static bool is_recorded(const struct detections *s, const char *program)
{
	for (unsigned int i = 0; i < s->nr_recorded; i++) {
		if (!strcmp(s->recorded[i], program))
			return true;
	}
	return false;
}

void detections_forget(struct detections *s, pid_t pid)
{
	char program[PATH_MAX], path[PATH_MAX];

	forget_process(s, pid);
	if (!read_executable(program, pid))
		return;
	if (!is_recorded(s, program) && s->nr_recorded < DETECTIONS_MAX)
		strcpy(s->recorded[s->nr_recorded++], program);
	while ((pid = parent_of(pid)) > 1 && read_executable(path, pid) &&
	       !strcmp(path, program)) {
		forget_process(s, pid);
		if (!is_parent(s, pid) && s->nr_parents < DETECTIONS_PARENTS)
			s->parents[s->nr_parents++] = pid;
	}
}

/* ---- reporting */

/* Of several detections, the one with the lowest rank explains most. */
static unsigned int detection_rank(const struct detection *detection)
{
	if (!detection->runtime)
		return detection->kind << 8;
	return (detection->runtime->weak ? UINT16_MAX : detection->kind << 8) +
	       runtime_rank(detection->runtime);
}

static bool explains_more(const struct detection *a, const struct detection *b)
{
	return detection_rank(a) < detection_rank(b) ||
	       (detection_rank(a) == detection_rank(b) && a < b);
}

static const char *describe_program(char text[PATH_MAX + 32], const struct detection *detection)
{
	if (detection->pid)
		snprintf(text, PATH_MAX + 32, "%s (pid %d)", detection->program,
			 detection->pid);
	else if (detection->kind == DETECTED_EMPTIED || detection->kind == DETECTED_REPLACED)
		snprintf(text, PATH_MAX + 32, "What comes behind \"%s\"", detection->program);
	else
		snprintf(text, PATH_MAX + 32, "%s", detection->program);
	return text;
}

/* What to do about a runtime is not longer. */
#define WAY_SIZE 2048

static void report_runtime(const struct detection *detection, const char *who,
			   struct error *err)
{
	const struct runtime *r = detection->runtime;
	char way[WAY_SIZE];

	invoked_text(way, sizeof(way), r->way);
	if (strcmp(detection->file, detection->program))
		error_hint(err, "%s has %s (found %s): %s.\n%s", who, r->name,
			   detection->file, r->seen, way);
	else if (r->text || r->section)
		error_hint(err, "%s has %s (found \"%s\" in it): %s.\n%s", who,
			   r->name, r->text ? r->text : r->section, r->seen,
			   way);
	else
		error_hint(err, "%s is %s: %s.\n%s", who, r->name, r->seen, way);
}

/* The root of a container has no path here. */
static void report_root(const struct detection *detection, struct error *err)
{
	const char *file = detection->file, *root = detection->program;

	if (!strcmp(root, "/"))
		error_hint(err, "Process %d has another root directory, in which there is no %s. For a container:\n  docker run %s%s ...",
			   detection->pid, file,
			   detection->kind == DETECTED_ROOT_DEVICE ? "--device " : "-v ",
			   file);
	else if (detection->kind == DETECTED_ROOT_DEVICE)
		error_hint(err, "There is no %s in the root directory %s:\n  sudo mkdir -p %s/dev && sudo cp -a %s %s/dev",
			   file, root, root, file, root);
	else
		error_hint(err, "The preload library is not in the root directory %s. Copy it there:\n  sudo install -D %s %s%s",
			   root, file, root, file);
}

static void report_detection(const struct detections *s, const struct detection *detection,
			     struct error *err)
{
	char text[PATH_MAX + 32];
	const char *who = describe_program(text, detection);

	switch (detection->kind) {
	case DETECTED_ASAN:
		error_hint(err, "%s is built with AddressSanitizer: where it says \"ASan runtime does not come first\" and ends, a script before it has replaced ASAN_OPTIONS, so let that add to what is there:\n  ASAN_OPTIONS=$ASAN_OPTIONS:" ASAN_BEARS " COMMAND",
			   who);
		break;
	case DETECTED_EMPTIED:
	case DETECTED_REPLACED:
	case DETECTED_PRIVATE_DEV:
	case DETECTED_RIGHTS:
	case DETECTED_FILTER:
		cause_report(detection, who, s->preload, err);
		break;
	case DETECTED_PRIVILEGED:
		error_hint(err, "%s is set-user-id, set-group-id or has file capabilities: the kernel keeps the preload library and the session from it, and from what it starts.\nRun coroprof record as the user it runs as, for instance:\n  sudo coroprof record -- COMMAND",
			   who);
		break;
	case DETECTED_CLEARS:
		error_hint(err, "%s clears its environment, and with it the preload library and the session. Put coroprof record behind it:\n  %s coroprof record -- COMMAND",
			   who, detection->program);
		break;
	case DETECTED_ROOT_PRELOAD:
	case DETECTED_ROOT_DEVICE:
		report_root(detection, err);
		break;
	case DETECTED_MUSL:
		error_hint(err, "%s needs the musl libc: the preload library, which needs glibc, can't be loaded into it.\nRun it with --no-preload, linked with a libcoroprof that was built with musl-gcc; or link it with glibc.",
			   who);
		break;
	case DETECTED_RUNTIME:
		report_runtime(detection, who, err);
		break;
	case DETECTED_STATIC_SHELL:
		error_hint(err, "%s is statically linked: the preload library can't reach it, nor the commands that are part of it, but the programs that it starts. Use one that is linked dynamically:\n  coroprof record -- bash ...",
			   who);
		break;
	case DETECTED_STATIC:
		error_hint(err, "%s is statically linked: the preload library can't reach it.\nLink it dynamically, or with libcoroprof.",
			   who);
		break;
	}
}

/* True if the detection may be the reason that nothing is recorded. */
static bool may_explain_nothing(const struct detections *s, const struct detection *detection)
{
	switch (detection->kind) {
	case DETECTED_STATIC_SHELL:
		return !s->loaded;
	case DETECTED_ASAN:
		return !s->worked;
	case DETECTED_EMPTIED:
	case DETECTED_REPLACED:
		return *s->preload;
	default:
		return true;
	}
}

/*
 * @beside: something is recorded. Then programs without coroutines need no explanation, and many
 * have none. A program that is recorded and has another process which is not is reported: it was
 * started anew, for instance by a server that makes room for its next version.
 */
static bool is_worth_reporting(const struct detections *s, const struct detection *detection,
			       bool beside)
{
	const struct runtime *r = detection->runtime;

	if (!beside)
		return may_explain_nothing(s, detection);
	if (r)
		return detection->pid && !r->weak;
	switch (detection->kind) {
	case DETECTED_FILTER:
	case DETECTED_MUSL:
	case DETECTED_ROOT_PRELOAD:
		return true;
	case DETECTED_EMPTIED:
	case DETECTED_REPLACED:
	case DETECTED_PRIVATE_DEV:
	case DETECTED_RIGHTS:
		return detection->pid && is_recorded(s, detection->program);
	default:
		return false;
	}
}

static unsigned int python_minor_of(const struct detection *detection)
{
	unsigned int minor;

	if (!detection->bare || !detection->runtime || !detection->runtime->python)
		return 0;
	minor = python_minor(detection->file);
	return minor ? minor : python_minor(detection->program);
}

/* More of them would only hide the first. */
#define REPORTED_MAX	3

bool detections_report(const struct detections *s, bool beside, struct error *err)
{
	const struct detection *last = NULL, *python = NULL;
	unsigned int reported;

	for (reported = 0; reported < REPORTED_MAX; reported++) {
		const struct detection *next = NULL;

		for (unsigned int i = 0; i < s->nr; i++) {
			const struct detection *detection = &s->all[i];

			if (is_worth_reporting(s, detection, beside) &&
			    (!last || explains_more(last, detection)) &&
			    (!next || explains_more(detection, next)))
				next = detection;
		}
		/* Python is no news where something was seen that runs in it. */
		if (!next || (reported && next->runtime && next->runtime->weak))
			break;
		report_detection(s, next, err);
		last = next;
		if (!python && python_minor_of(next))
			python = next;
	}
	if (python)
		python_report(python->pid, python->program, python_minor_of(python), err);
	return reported;
}
