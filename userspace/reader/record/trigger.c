// SPDX-License-Identifier: GPL-2.0
/* Parses what --dump-on asks for: a signal, the program itself, or a figure beyond a limit. */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "coroprof.h"
#include "record/trigger.h"

#define SPACES	" \t"
#define GRAMMAR	"a signal such as SIGUSR1, program, FIGURE > TIME with held, blocked, ready or running, such as 'held > 100ms', of one label 'query_*: held > 100ms', of all slices of a second 'ready p99 > 20ms', or 'query: IPC < 0.5'"

static const char *const figures[] = {
	[TRIGGER_HELD] = "held", [TRIGGER_BLOCKED] = "blocked", [TRIGGER_READY] = "ready",
	[TRIGGER_RUNNING] = "running", [TRIGGER_IPC] = "IPC",
};

const char *trigger_figure(enum trigger_kind kind)
{
	return figures[kind];
}

/* False for signals that end a recording, or that the recorder needs itself. */
static bool is_signal_free(int nr)
{
	static const int others[] = {
		SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGKILL, SIGSTOP, SIGPIPE, SIGSEGV, SIGBUS,
		SIGFPE, SIGILL,
	};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (nr == others[i])
			return false;
	return true;
}

/* Parses "SIGUSR1", "usr1", "SIGRTMIN+3"; returns 0 if it is no signal. */
static int parse_signal(const char *text)
{
	static const char rt[] = "RTMIN+";
	const char *name = strncasecmp(text, "SIG", 3) ? text : text + 3;
	long n;
	char *end;

	for (int nr = 1; nr < SIGRTMIN; nr++)
		if (sigabbrev_np(nr) && !strcasecmp(name, sigabbrev_np(nr)))
			return nr;
	if (strncasecmp(name, rt, strlen(rt)) || !isdigit((unsigned char)name[strlen(rt)]))
		return 0;
	n = strtol(name + strlen(rt), &end, 10);
	return !*end && n <= SIGRTMAX - SIGRTMIN ? SIGRTMIN + (int)n : 0;
}

/* The end of the text from @from to @to without @blanks at its end. */
static const char *trim_end(const char *from, const char *to, const char *blanks)
{
	while (to > from && strchr(blanks, to[-1]))
		to--;
	return to;
}

static bool parse_figure(struct trigger *t, const char *word, size_t length)
{
	for (enum trigger_kind kind = TRIGGER_HELD; kind < TRIGGER_KINDS; kind++)
		if (strlen(figures[kind]) == length && !strncmp(figures[kind], word, length)) {
			t->kind = kind;
			return true;
		}
	return false;
}

/* Parses "p50", "p99.9". */
static bool parse_quantile(struct trigger *t, const char *word, size_t length)
{
	double percent;
	char *end;

	if (length < 2 || *word != 'p' || !isdigit((unsigned char)word[1]))
		return false;
	percent = strtod(word + 1, &end);
	t->quantile = (unsigned int)(percent * 10 + 0.5);
	return end == word + length && t->quantile && t->quantile < 1000;
}

/*
 * Parses "held", "ready p99", "p99(ready)" as --fail-if has it, or "p99", which is of running time.
 */
static bool parse_figures(struct trigger *t, const char *text, const char **end)
{
	for (int words = 0; words < 2; words++) {
		const char *to = trim_end(text, *end, SPACES "()"), *word = to;

		while (word > text && (isalnum((unsigned char)word[-1]) || word[-1] == '.'))
			word--;
		if (!(t->quantile == 0 && parse_quantile(t, word, (size_t)(to - word))) &&
		    !(t->kind == TRIGGER_SIGNAL && parse_figure(t, word, (size_t)(to - word))))
			break;
		*end = word;
	}
	if (t->kind == TRIGGER_SIGNAL && t->quantile)
		t->kind = TRIGGER_RUNNING;
	return t->kind != TRIGGER_SIGNAL && !(t->kind == TRIGGER_IPC && t->quantile);
}

static bool parse_limit(struct trigger *t, const char *sign)
{
	const char *limit = sign + 1 + strspn(sign + 1, SPACES);
	char *end;

	if (t->kind != TRIGGER_IPC)
		return *sign == '>' && units_time(limit, &t->ns) && t->ns;
	t->ipc = strtod(limit, &end);
	return *sign == '<' && isdigit((unsigned char)*limit) && !*end && t->ipc > 0;
}

/* A label may contain any characters, so it ends at the last ':'. */
static bool parse_condition(struct trigger *t, const char *text)
{
	const char *sign = strpbrk(text, "<>"), *end;

	for (const char *at = sign; at; at = strpbrk(at + 1, "<>"))
		sign = at;
	end = sign;
	if (!sign || !parse_figures(t, text, &end) || !parse_limit(t, sign))
		return false;
	end = trim_end(text, end, SPACES);
	if (end == text)
		return true;
	t->label = text + strspn(text, SPACES);
	if (end[-1] != ':')
		return false;
	end = trim_end(text, end - 1, SPACES);
	t->length = end > t->label ? (size_t)(end - t->label) : 0;
	return t->length && t->length <= COROPROF_LABEL_TEXT_MAX;
}

int trigger_parse(struct trigger *t, const char *text, struct error *err)
{
	int nr = parse_signal(text);

	*t = (struct trigger){ .text = text, .kind = TRIGGER_SIGNAL, .signal = nr };
	if (nr && !is_signal_free(nr))
		return error_set(err, EINVAL, "--dump-on %s: that signal has another use; take SIGUSR1, SIGUSR2, or SIGRTMIN+1",
				 text);
	if (nr)
		return 0;
	if (!strcmp(text, "program")) {
		t->kind = TRIGGER_PROGRAM;
		return 0;
	}
	if (parse_condition(t, text))
		return 0;
	return error_set(err, EINVAL, "--dump-on '%s': it is " GRAMMAR, text);
}

bool trigger_wants(const struct trigger *t, const char *label)
{
	char pattern[COROPROF_LABEL_TEXT_MAX + 1];

	if (!t->length)
		return true;
	memcpy(pattern, t->label, t->length);
	pattern[t->length] = '\0';
	return !fnmatch(pattern, label, 0);
}
