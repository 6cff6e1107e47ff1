// SPDX-License-Identifier: GPL-2.0
/*
 * Shows a canvas by ncurses, if ncurses was there when this was built. Restores the terminal if a
 * fault ends the process.
 */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/util.h"
#include "live/terminal.h"

#if HAVE_NCURSES

#include <curses.h>
/* Its macros have names such as "columns". */
#include <term.h>

static SCREEN *screen;
/* The terminal's characters are those of UTF-8; else what is none of ASCII has a sign in its place. */
static bool wide;

int terminal_check(struct error *err)
{
	const char *term = getenv("TERM");
	int known;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_set(err, ENOTTY, "coroprof top needs a terminal, and standard %s is none. For files: coroprof record, or coroprof record --keep 60s",
				 isatty(STDIN_FILENO) ? "output" : "input");
	if (!term || !*term || !strcmp(term, "dumb"))
		return error_set(err, ENOTTY, "coroprof top needs a terminal that can move its cursor, and TERM is %s. For instance: TERM=xterm coroprof top",
				 term && *term ? term : "not set");
	if (setupterm(term, STDOUT_FILENO, &known) != OK)
		return error_set(err, ENOTTY, "coroprof top does not know the terminal that TERM names, %s. Install ncurses-term, or try: TERM=xterm coroprof top",
				 term);
	known = tigetstr("cup") != NULL;
	del_curterm(cur_term);
	if (!known)
		return error_set(err, ENOTTY, "coroprof top needs a terminal that can move its cursor, and %s, as TERM names it, can't. For instance: TERM=xterm coroprof top",
				 term);
	return 0;
}

static void begin_colors(void)
{
	static const struct {
		enum style style;
		short color;
	} colors[] = {
		{ STYLE_ALARM, COLOR_YELLOW }, { STYLE_RUNNING, COLOR_GREEN },
		{ STYLE_PREEMPTED, COLOR_YELLOW }, { STYLE_BLOCKED, COLOR_RED },
	};

	start_color();
	use_default_colors();
	for (size_t i = 0; i < ARRAY_SIZE(colors); i++)
		init_pair((short)(colors[i].style + 1), colors[i].color, -1);
}

/* ---- the end without terminal_end() */

/* Those that end a program by themselves: first the faults of a thread, which only that one gets. */
static const int deadly[] = {
	SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS,
	SIGQUIT, SIGABRT, SIGXCPU, SIGXFSZ, SIGALRM, SIGUSR1, SIGUSR2,
};
#define FAULTS	6u

/**
 * struct before - how the terminal was, for a handler of signals, which may call next to nothing
 * @modes:  its own
 * @text:   what takes it out of the state that curses has brought it into
 * @length: of that
 * @owner:  who has the terminal: a child has not, though it has the handlers
 */
static struct before {
	struct termios modes;
	char text[128];
	size_t length;
	pid_t owner;
} before;

static int record_byte(int c)
{
	if (before.length < sizeof(before.text))
		before.text[before.length++] = (char)c;
	return c;
}

static void record_capability(const char *capability)
{
	char *text = tigetstr((char *)capability);

	if (text && text != (char *)-1)
		tputs(text, 1, record_byte);
}

/*
 * A handler of fatal signals. It is removed when it runs, so the signal then ends the process as it
 * would have.
 */
static void restore_terminal(int signal)
{
	if (getpid() == before.owner) {
		tcsetattr(STDIN_FILENO, TCSANOW, &before.modes);
		if (write(STDOUT_FILENO, before.text, before.length) < 0)
			before.length = 0;
	}
	raise(signal);
}

static void catch_faults(void)
{
	const struct sigaction action = {
		.sa_handler = restore_terminal, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER),
	};
	struct sigaction old;

	before.owner = getpid();
	record_capability("sgr0");
	record_capability("cnorm");
	record_capability("rmkx");
	record_capability("rmcup");
	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &action, NULL);
}

static void release_faults(void)
{
	struct sigaction old;

	for (size_t i = 0; i < ARRAY_SIZE(deadly); i++)
		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler == restore_terminal)
			signal(deadly[i], SIG_DFL);
}

void terminal_faults(sigset_t *set)
{
	for (size_t i = 0; i < FAULTS; i++)
		sigdelset(set, deadly[i]);
}

/* ---- */

static bool colors;

int terminal_begin(bool colored, struct error *err)
{
	setlocale(LC_CTYPE, "");
	/* So long a key may take that begins as Escape does. */
	setenv("ESCDELAY", "50", 0);
	wide = !strcmp(nl_langinfo(CODESET), "UTF-8");
	before.length = 0;
	if (tcgetattr(STDIN_FILENO, &before.modes))
		return error_errno(err, "the terminal's modes can't be read");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return error_set(err, ENOTTY, "the terminal can't be used as %s", getenv("TERM"));
	set_term(screen);
	catch_faults();
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	colors = colored && has_colors();
	if (colors)
		begin_colors();
	return 0;
}

void terminal_end(void)
{
	if (!screen)
		return;
	curs_set(1);
	endwin();
	delscreen(screen);
	screen = NULL;
	release_faults();
}

void terminal_size(unsigned int *width, unsigned int *height)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row &&
	    (size.ws_col != COLS || size.ws_row != LINES))
		resizeterm(size.ws_row, size.ws_col);
	*width = (unsigned int)COLS;
	*height = (unsigned int)LINES;
}

static int style_attributes(enum style style)
{
	static const int plain[STYLE_NR] = {
		[STYLE_TITLE] = A_BOLD, [STYLE_DIM] = A_DIM, [STYLE_SELECTED] = A_REVERSE,
		[STYLE_ALARM] = A_BOLD,
	};
	bool has_color = style == STYLE_ALARM || style >= STYLE_RUNNING;

	return plain[style] | (int)(colors && has_color ? COLOR_PAIR(style + 1) : 0);
}

/* Writes one sign for each column of a character that a terminal without UTF-8 can't show. */
static void write_ascii(const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x80)
			addch(c);
		else if (c >= 0xc0)
			addch('#');
	}
}

void terminal_draw(const struct canvas *c)
{
	erase();
	for (unsigned int row = 0; c->rows && row < c->height; row++) {
		const struct canvas_row *r = &c->rows[row];

		for (size_t i = 0; i < r->nr; i++) {
			move((int)row, (int)r->pieces[i].column);
			attrset(style_attributes(r->pieces[i].style));
			if (wide)
				addstr(r->pieces[i].text);
			else
				write_ascii(r->pieces[i].text);
		}
	}
	attrset(0);
	if (c->out_of_memory)
		mvaddstr(0, 0, "out of memory");
	refresh();
}

int terminal_key(void)
{
	static const struct {
		int code;
		enum key key;
	} keys[] = {
		{ KEY_UP, KEY_OF_UP }, { KEY_DOWN, KEY_OF_DOWN }, { KEY_LEFT, KEY_OF_LEFT },
		{ KEY_RIGHT, KEY_OF_RIGHT }, { KEY_PPAGE, KEY_OF_PAGE_UP },
		{ KEY_NPAGE, KEY_OF_PAGE_DOWN }, { KEY_HOME, KEY_OF_HOME }, { KEY_END, KEY_OF_END },
		{ KEY_BTAB, KEY_OF_BACK_TAB }, { KEY_ENTER, KEY_OF_ENTER }, { '\r', KEY_OF_ENTER },
		{ KEY_BACKSPACE, KEY_OF_BACKSPACE }, { '\b', KEY_OF_BACKSPACE },
		{ 3, KEY_OF_INTERRUPT },
	};
	int code = getch();

	/* Another size of the terminal is no key. */
	while (code == KEY_RESIZE)
		code = getch();
	if (code == ERR)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].code == code)
			return (int)keys[i].key;
	return code > 0 && code < 256 ? code : KEY_OF_NOTHING;
}

#else

int terminal_check(struct error *err)
{
	return error_set(err, ENOSYS, "this coroprof was built without ncurses, which top draws with. Install it and build anew: apt install libncurses-dev, then make. Without it: coroprof record --keep 60s");
}

int terminal_begin(bool colored, struct error *err)
{
	(void)colored;
	return terminal_check(err);
}

void terminal_end(void)
{
}

void terminal_faults(sigset_t *set)
{
	(void)set;
}

void terminal_size(unsigned int *width, unsigned int *height)
{
	*width = *height = 0;
}

void terminal_draw(const struct canvas *canvas)
{
	(void)canvas;
}

int terminal_key(void)
{
	return 0;
}

#endif
