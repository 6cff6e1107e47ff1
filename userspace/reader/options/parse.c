// SPDX-License-Identifier: GPL-2.0
/*
 * The words of a command line, from left to right. As coroprof the first word is a command, which
 * says what the others may be; as coroprof-read the options say what is to be done, and a word that
 * is no option is a program, a recording, or a process id.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/invoked.h"
#include "base/suggestions.h"
#include "base/util.h"
#include "cprof/file.h"
#include "cprof/input.h"
#include "options/rules.h"
#include "options/values.h"

#define LEGACY_NAME	"coroprof-read"

/* How commands are known by its options. */
static const struct invoked_form legacy_forms[] = {
	{ "record", "" }, { "report", "" }, { "export", "" }, { "diff", "--diff" },
	{ "slow", "--slow" }, { "totals", "--totals" }, { "top", "--live" },
	{ "serve", "--serve" }, { "check", "--check" },
	{ "selftest", "--selftest" }, { "help", "--help" }, { NULL, NULL },
};

/*
 * What getopt_long() returns for option_list[0]; letters and what it says of errors are below that.
 */
#define FIRST_VALUE	256

/**
 * struct accepted - the options of a command, for getopt_long()
 */
struct accepted {
	struct option names[NR_OPTIONS + 1];
	char letters[2 * NR_OPTIONS + 3];
};

static bool takes(enum command command, const struct option_entry *option)
{
	return command == COMMAND_NONE || option->commands & command;
}

/* Words behind the first that is no option are none either; and errors are reported by us. */
static void accept(struct accepted *a, enum command command)
{
	struct option *name = a->names;
	char *letter = a->letters;

	*a = (struct accepted){ 0 };
	*letter++ = '+';
	*letter++ = ':';
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		const struct option_entry *option = &option_list[i];

		if (!takes(command, option))
			continue;
		*name++ = (struct option){
			option->name, option->argument ? required_argument : no_argument, NULL,
			FIRST_VALUE + (int)i,
		};
		if (option->letter)
			*letter++ = option->letter;
		if (option->letter && option->argument)
			*letter++ = ':';
	}
}

/* ---- what is wrong with a word */

static void name_help(char to[64], const struct options *o)
{
	const struct command_entry *command = command_of(o->command);

	snprintf(to, 64, "%s %s%s--help", o->program, command ? command->name : "",
		 command ? " " : "");
}

/* "'coroprof record', 'report' and 'diff'" */
static void name_takers(char to[256], const struct options *o, const struct option_entry *option)
{
	unsigned int left = (unsigned int)__builtin_popcount(option->commands), nr = 0;
	size_t used = 0;

	for (size_t i = 0; i < NR_COMMANDS && used < 256; i++) {
		if (!(option->commands & command_list[i].command))
			continue;
		used += (size_t)snprintf(to + used, 256 - used, "%s'%s%s%s'",
					 !nr	   ? "" :
					 left == 1 ? " and " :
						     ", ",
					 nr ? "" : o->program, nr ? "" : " ", command_list[i].name);
		nr++;
		left--;
	}
}

static int refuse_unknown(const struct options *o, const char *word, struct error *err)
{
	const char *name = word + strspn(word, "-");
	const struct option_entry *option = option_named(name, strcspn(name, "="));
	char help[64], takers[256];

	name_help(help, o);
	if (option && option->commands) {
		name_takers(takers, o, option);
		return error_set(err, EINVAL, "%s is an option of %s, not of '%s %s'\nTry '%s'.",
				 word, takers, o->program, command_of(o->command)->name, help);
	}
	return error_set(err, EINVAL, "there is no option %s\nTry '%s'.", word, help);
}

static int refuse_option(const struct options *o, int answer, char **argv, struct error *err)
{
	char short_form[] = { '-', (char)optopt, '\0' };
	const struct option_entry *known = optopt >= FIRST_VALUE ?
						 &option_list[optopt - FIRST_VALUE] :
						 option_named(&short_form[1], 1);
	const char *word = optopt && optopt < FIRST_VALUE ? short_form : argv[optind - 1];
	char help[64];

	name_help(help, o);
	if (answer == ':')
		return error_set(err, EINVAL, "%s needs %s behind it\nTry '%s'.", word,
				 known->argument, help);
	if (optopt >= FIRST_VALUE)
		return error_set(err, EINVAL, "%s: --%s takes no value\nTry '%s'.", word,
				 known->name, help);
	return refuse_unknown(o, word, err);
}

static enum option_number option_of(int answer)
{
	char letter = (char)answer;

	return answer >= FIRST_VALUE ? (enum option_number)(answer - FIRST_VALUE) :
				       (enum option_number)(option_named(&letter, 1) - option_list);
}

/* ---- words that are no options */

/* By its name as well, so that one that is not there is reported as a recording. */
static bool names_recording(const char *word)
{
	return !strcmp(word, INPUT_STDIN) || ends_with(word, ".cprof") || file_is_recording(word);
}

/* As in -p $(pidof nginx), where only the first is the option's. */
static bool is_pids(const char *word)
{
	return !word[strspn(word, "0123456789,")];
}

static bool is_among(const char *path, const char *const *paths, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(path, paths[i]))
			return true;
	return false;
}

static int add_source(struct options *o, const char *path, struct error *err)
{
	struct source *s = &o->source;

	if (s->nr == SOURCES_MAX)
		return error_set(err, E2BIG, "more than %d recordings", SOURCES_MAX);
	if (is_among(path, s->paths, s->nr))
		return error_set(err, EINVAL,
				 "%s is given twice: all that is in it would count twice", path);
	s->paths[s->nr++] = path;
	return 0;
}

/* What stands before "--" was recorded before, too. */
static int take_old(struct options *o, struct error *err)
{
	struct source *s = &o->source;

	for (unsigned int i = 0; i < s->nr; i++) {
		if (s->nr_old == SOURCES_MAX)
			return error_set(err, E2BIG, "more than %d recordings", SOURCES_MAX);
		if (is_among(s->paths[i], s->old, s->nr_old))
			return error_set(err, EINVAL, "%s is given twice: it is one run",
					 s->paths[i]);
		s->old[s->nr_old++] = s->paths[i];
	}
	s->nr = 0;
	return 0;
}

/* All that is left: behind "--" there are no options. */
static int take_new(struct options *o, int argc, char **argv, struct error *err)
{
	int ret = take_old(o, err);

	for (; !ret && optind < argc; optind++)
		ret = names_recording(argv[optind]) ? add_source(o, argv[optind], err) :
		      error_set(err, EINVAL, "'%s' is no recording: give options in front of the first recording; behind '--' there are only new recordings",
				argv[optind]);
	return ret;
}

/* A word of a command that reads recordings. */
static int take_recording(struct options *o, const char *word, struct error *err)
{
	if (o->command == COMMAND_SLOW && !o->source.slow.text)
		return options_set_slow(o, word, err);
	if (o->command == COMMAND_EXPORT && o->format == FORMAT_UNTOLD)
		return options_set_format(o, word, err);
	if (!o->command && !names_recording(word))
		return error_set(err, EINVAL, "%s is a recording, and %s is none: show the one, or record the other",
				 o->source.paths[0], word);
	return add_source(o, word, err);
}

static bool records(const struct options *o, bool forced, const char *word)
{
	if (o->command)
		return o->command & (COMMAND_RECORD | COMMAND_TOTALS | COMMAND_TOP |
				     COMMAND_SERVE);
	return !o->source.nr && !(forced && o->source.nr_old) && (forced || !names_recording(word));
}

/*
 * What is left is more process ids, a program, or recordings to read; behind ids and recordings
 * more options may follow, but not behind "--". Only "--" makes a number behind -p, or for
 * coroprof-read the name of a recording, a program.
 */
static int take_rest(struct options *o, int argc, char **argv, bool *more, struct error *err)
{
	bool forced = optind > 1 && !strcmp(argv[optind - 1], "--");
	int ret;

	*more = false;
	if (optind == argc)
		return 0;
	if (!forced && o->record.nr_pids && is_pids(argv[optind])) {
		*more = true;
		return options_add_pids(o, argv[optind++], err);
	}
	if (o->command && o->mode != MODE_RECORD)
		return error_set(err, EINVAL, "'%s': there is nothing to be recorded or read here, only options may follow",
				 argv[optind]);
	if (records(o, forced, argv[optind])) {
		o->record.command = argv + optind;
		return 0;
	}
	*more = !forced;
	if (forced &&
	    (o->command == COMMAND_DIFF || (o->source.nr_old && names_recording(argv[optind]))))
		return take_new(o, argc, argv, err);
	do
		ret = take_recording(o, argv[optind++], err);
	while (!ret && forced && optind < argc);
	return ret;
}

/* ---- what coroprof-read says by options */

/* Two recordings, or several in front of "--" and behind it. */
static int finish_diff(struct options *o, struct error *err)
{
	struct source *s = &o->source;

	if (!s->nr_old && s->nr == 2) {
		s->old[s->nr_old++] = s->paths[0];
		s->paths[0] = s->paths[1];
		s->nr = 1;
	}
	if (s->nr_old && s->nr)
		return 0;
	return error_set(err, EINVAL, "what is to be compared? '%s diff OLD.cprof NEW.cprof', or several runs of each side: '%s diff OLD1.cprof OLD2.cprof -- NEW1.cprof NEW2.cprof'",
			 o->program, o->program);
}

/* The form is what was asked for, whatever the name; without one it is that of the recording. */
static int finish_export(struct options *o, struct error *err)
{
	const char *end = options_form_end(o->format), *source = o->source.paths[0];
	size_t length;

	if (!o->nr_outputs && (o->source.nr != 1 || !strcmp(source, INPUT_STDIN)))
		return error_set(err, EINVAL, "where to? -o FILE, or -o - for standard output");
	if (!o->nr_outputs) {
		length = strlen(source) - (ends_with(source, ".cprof") ? strlen(".cprof") : 0);
		if (snprintf(o->exported, sizeof(o->exported), "%.*s%s", (int)length, source,
			     end) >= (int)sizeof(o->exported))
			return error_set(err, ENAMETOOLONG,
					 "%s%s is too long a name: give another with -o", source,
					 end);
		return options_add_output(o, o->exported, o->format, err);
	}
	for (unsigned int i = 0; i < o->nr_outputs; i++)
		o->outputs[i].format = o->format;
	return 0;
}

static int finish_command(struct options *o, struct error *err)
{
	if (o->command == COMMAND_DIFF)
		return finish_diff(o, err);
	if (o->command == COMMAND_SLOW && !o->source.slow.text)
		return error_set(err, EINVAL,
				 "the slow slices of which label? '%s slow LABEL FILE.cprof'",
				 o->program);
	if (o->command == COMMAND_EXPORT && o->format == FORMAT_UNTOLD)
		return error_set(err, EINVAL, "in which form? '%s export FORM FILE.cprof'; '%s export --help' lists them",
				 o->program, o->program);
	if (o->command & (COMMAND_REPORT | COMMAND_SLOW | COMMAND_EXPORT) && !o->source.nr)
		return error_set(err, EINVAL, "which recording? '%s %s %sFILE.cprof'", o->program,
				 command_of(o->command)->name,
				 o->command == COMMAND_REPORT ? "" :
				 o->command == COMMAND_SLOW ? "LABEL " : "FORM ");
	return o->command == COMMAND_EXPORT ? finish_export(o, err) : 0;
}

/* ---- the whole line */

static bool is_answered(const struct options *o)
{
	return o->mode == MODE_HELP || o->mode == MODE_HELP_COLUMNS || o->mode == MODE_VERSION;
}

static void name_commands(char to[256])
{
	size_t used = 0;

	for (size_t i = 0; i < NR_COMMANDS && used < 256; i++)
		used += (size_t)snprintf(to + used, 256 - used, "%s%s", i ? ", " : "",
					 command_list[i].name);
}

/* "": none of them is near. */
static void suggest_command(char to[64], const char *word)
{
	struct suggestions suggestions = { .word = word, .length = strlen(word) };

	for (size_t i = 0; i < NR_COMMANDS; i++)
		suggestions_add(&suggestions, command_list[i].name);
	suggestions_add(&suggestions, "help");
	suggestions_add(&suggestions, "version");
	snprintf(to, 64, "%s", suggestions.nr ? suggestions.all[0].name : "");
}

/* What follows --help, if that is no option: of what. */
static int take_help(struct options *o, int argc, char **argv, struct error *err)
{
	const struct command_entry *command;
	char commands[256];

	if (optind >= argc || *argv[optind] == '-')
		return 0;
	command = o->command ? NULL : command_named(argv[optind]);
	if (!strcmp(argv[optind], "columns"))
		o->mode = MODE_HELP_COLUMNS;
	else if (command)
		o->command = command->command;
	else if (!o->command && !o->legacy) {
		name_commands(commands);
		return error_set(err, EINVAL, "coroprof help '%s': there is no such command; there are %s. Tables and columns: coroprof help columns",
				 argv[optind], commands);
	} else if (!o->command)
		return error_set(err, EINVAL, "--help %s: there is help on columns, %s --help columns, and on all options, %s --help",
				 argv[optind], o->program, o->program);
	return 0;
}

static int take_options(struct options *o, int argc, char **argv, struct error *err)
{
	struct accepted accepted;
	int answer, ret;
	bool more;

	accept(&accepted, o->command);
	opterr = 0;
	optind = 0;
	do {
		while ((answer = getopt_long(argc, argv, accepted.letters, accepted.names, NULL)) !=
		       -1) {
			if (answer == '?' || answer == ':')
				return refuse_option(o, answer, argv, err);
			ret = option_set(o, option_of(answer), optarg, err);
			if (!ret && o->mode == MODE_HELP)
				ret = take_help(o, argc, argv, err);
			if (ret || is_answered(o))
				return ret;
		}
		ret = take_rest(o, argc, argv, &more, err);
	} while (!ret && more);
	if (!ret)
		ret = finish_command(o, err);
	return ret ? ret : options_finish(o, err);
}

static int refuse_command(const struct options *o, const char *word, struct error *err)
{
	char suggestions[64];

	suggest_command(suggestions, word);
	if (*suggestions)
		return error_set(err, EINVAL, "'%s' is neither a command nor a recording: did you mean '%s %s'? To record a program of that name: %s record -- %s",
				 word, o->program, suggestions, o->program, word);
	return error_set(err, EINVAL, "'%s' is neither a command nor a recording; to record it: %s record -- %s",
			 word, o->program, word);
}

/*
 * The first word decides: a command, a recording to report, or an option without a command. "help"
 * and "version" are as their options.
 */
static int take_command(struct options *o, int argc, char **argv, struct error *err)
{
	const struct command_entry *command = argc > 1 ? command_named(argv[1]) : NULL;
	static char help[] = "--help", version[] = "--version";

	if (argc < 2)
		return error_set(err, EINVAL, "what is to be done? '%s record -- PROGRAM' records a program, '%s report FILE.cprof' shows a recording\nTry '%s --help'.",
				 o->program, o->program, o->program);
	if (!strcmp(argv[1], "help"))
		argv[1] = help;
	if (!strcmp(argv[1], "version"))
		argv[1] = version;
	if (*argv[1] == '-' && argv[1][1])
		return take_options(o, argc, argv, err);
	if (!command && !names_recording(argv[1]))
		return refuse_command(o, argv[1], err);
	o->command = command ? command->command : COMMAND_REPORT;
	if (o->command == COMMAND_CHECK)
		o->mode = MODE_CHECK;
	if (o->command == COMMAND_SELFTEST)
		o->mode = MODE_SELFTEST;
	o->record.totals = o->command == COMMAND_TOTALS;
	o->live = o->command == COMMAND_TOP ? MODE_TOP :
		  o->command == COMMAND_SERVE ? MODE_SERVE : MODE_RECORD;
	return command ? take_options(o, argc - 1, argv + 1, err) :
			 take_options(o, argc, argv, err);
}

int options_parse(struct options *options, int argc, char **argv, struct error *err)
{
	const char *slash = strrchr(argv[0], '/');

	*options = (struct options){
		.program = slash ? slash + 1 : argv[0],
		.mode = MODE_RECORD,
		.format = FORMAT_UNTOLD,
		.record.ready_fd = -1,
		.record.sampling.stack_max = STACK_MAX_UNSET,
		.push.choice.most = CHOICE_LABELS,
		.push.every_ns = PUSH_EVERY_NS,
		.push.metrics = -1,
	};
	options->legacy = !strncmp(options->program, LEGACY_NAME, strlen(LEGACY_NAME));
	invoked_as(options->program, options->legacy ? legacy_forms : NULL);
	options->view.digest = !options->legacy;
	options->color = options->legacy ? COLOR_NEVER : COLOR_AUTO;
	/* Shells ask so, before it is known what the line will be. */
	if (argc > 1 && !strcmp(argv[1], "--complete")) {
		options->mode = MODE_COMPLETE;
		options->words = argv + 2;
		return 0;
	}
	if (options->legacy)
		return take_options(options, argc, argv, err);
	return take_command(options, argc, argv, err);
}
