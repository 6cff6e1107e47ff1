// SPDX-License-Identifier: GPL-2.0
/*
 * The thread that shows a flight recorder. It wishes for a window, adds it up and draws it, and
 * wishes for the next when there is a newer one; in between it answers keys. Whatever the terminal
 * makes of it, the thread that reads rings does not wait.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/printable.h"
#include "base/util.h"
#include "base/warn.h"
#include "live/canvas.h"
#include "live/choices.h"
#include "live/exchange.h"
#include "live/output.h"
#include "live/picture.h"
#include "live/terminal.h"
#include "live/top.h"
#include "profile/model.h"
#include "profile/ticks.h"

/* Adding up takes no more of a processor than that: else windows come less often. */
#define COST_MOST_NS	(SECOND_NS / 10)

/* Profiles of ticks are kept from one window to the next, but no more than that of them. */
#define TICKS_BYTES	(64u << 20)
#define TICKS_WORTH	(128u << 10)

/* What is there is drawn anew after so long, whatever has come. */
#define WAIT_MS		1500

/* A warning is shown for so long. */
#define MESSAGE_NS	(10 * SECOND_NS)

/**
 * struct top - a recording that is shown
 * @observer:  for the recording
 * @exchange:  with it
 * @output:    of the command, if there is one
 * @view:      how tables are wanted
 * @no_inline: as in struct model_options
 * @name:      what is recorded, printable
 * @thread:    that shows, if @started
 * @busy:      the terminal is being drawn on
 * @over:      the thread is to end
 * @choices, @picture, @canvas: of the thread, as all below
 * @window:    that is shown, and its @model
 * @ticks:     of windows, added up before; NULL: there is no memory for them
 * @metrics:   columns of one's own, and one more behind them
 * @rated:     the latter is there: slices a second
 * @cpu_ns:    processor time at @cpu_at
 * @warnings:  so many have come by @warned_at, the last of them is @message
 * @winch:     readable when the terminal has another size
 */
struct top {
	struct record_observer observer;
	struct exchange exchange;
	struct live_output output;
	const struct view_options *view;
	bool no_inline;
	char *name;
	pthread_t thread;
	bool started;
	atomic_bool busy;
	bool over;
	struct choices choices;
	struct picture picture;
	struct canvas canvas;
	struct live_window *window;
	struct model *model;
	struct ticks *ticks;
	struct metric metrics[METRICS_MAX];
	bool rated;
	uint64_t cpu_ns;
	uint64_t cpu_at;
	uint64_t warnings;
	uint64_t warned_at;
	char message[1024];
	int winch;
};

/* ---- windows */

/* Its number says how long it is. */
static void wish_window(struct top *t, uint64_t after)
{
	exchange_wish(&t->exchange, &(struct live_wish){
		.wanted = true, .number = t->choices.window, .ns = choices_windows[t->choices.window], .end = t->choices.end,
		.after = after,
	});
}

/* How much is done in a second depends on how long the window is: the column is of this one. */
static void make_rate(struct top *t)
{
	double seconds = (double)(t->window->end_ns - t->window->begin_ns) / (double)SECOND_NS;
	uint32_t nr = t->view->nr_metrics;
	struct error ignored;
	char text[64];

	if (t->rated)
		metric_free(&t->metrics[nr]);
	t->rated = false;
	for (uint32_t i = 0; i < nr; i++)
		t->metrics[i] = t->view->metrics[i];
	snprintf(text, sizeof(text), "slices/s = slices/%.9f", seconds);
	if (nr < METRICS_MAX && seconds > 0)
		t->rated = !metric_parse(&t->metrics[nr], text, &ignored);
	t->model->metrics = t->metrics;
	t->model->nr_metrics = nr + t->rated;
}

static void measure(struct top *t, const struct live_window *w, uint64_t cost_ns)
{
	t->picture.every = (unsigned int)(1 + cost_ns / COST_MOST_NS);
	/* What a key asks for comes at once: that is no measure of a second. */
	if (w->now - t->cpu_at < SECOND_NS / 2)
		return;
	if (t->cpu_at)
		t->picture.cpu = (double)(w->cpu_ns - t->cpu_ns) / (double)(w->now - t->cpu_at);
	t->cpu_ns = w->cpu_ns;
	t->cpu_at = w->now;
}

static void forget_model(struct top *t)
{
	picture_show(&t->picture, NULL, NULL);
	model_free(t->model);
	live_window_free(t->window);
	t->model = NULL;
	t->window = NULL;
}

static void show_window(struct top *t, struct live_window *w, struct model *model, uint64_t cost_ns)
{
	forget_model(t);
	live_window_forget(w);
	t->window = w;
	t->model = model;
	make_rate(t);
	picture_show(&t->picture, model, w);
	trend_add(&t->picture.trend, model, w);
	choices_ticks(&t->choices, w->oldest, w->newest, w->end);
	if (choices_paused(&t->choices))
		t->choices.end = w->end;
	measure(t, w, cost_ns);
}

/* The next is wished for whatever becomes of this one. */
static void take_window(struct top *t, struct live_window *w)
{
	const struct model_options options = { .no_timeline = true, .no_inline = t->no_inline };
	uint64_t before = clock_ns(CLOCK_PROCESS_CPUTIME_ID), newest = w->newest;
	bool ended = w->ended;
	struct model *model;
	struct error err;

	if (live_window_load(w, &options, t->ticks, &model, &err)) {
		warn("the window can't be shown: %s", err.message);
		live_window_free(w);
	} else {
		show_window(t, w, model, clock_ns(CLOCK_PROCESS_CPUTIME_ID) - before);
	}
	if (!choices_paused(&t->choices) && !ended)
		wish_window(t, newest + t->picture.every - 1);
}

/* ---- keys */

static void stop(struct top *t, int signal)
{
	exchange_wish(&t->exchange, &(struct live_wish){ .stop = signal });
}

static void check_line(struct top *t)
{
	char to[CHOICES_LINE], why[256];

	if (picture_check(&t->picture, &t->choices, to, why))
		choices_accept(&t->choices, to);
	else
		choices_refuse(&t->choices, why);
}

static void dump(struct top *t)
{
	if (!t->window)
		return;
	exchange_wish(&t->exchange, &(struct live_wish){
		.dump = "the key d of coroprof top", .part = { t->window->first, t->window->end },
	});
}

static void take_key(struct top *t, int key)
{
	switch (choices_key(&t->choices, key)) {
	case ACTION_WINDOW:
		wish_window(t, 0);
		break;
	case ACTION_CHECK:
		check_line(t);
		break;
	case ACTION_DUMP:
		dump(t);
		break;
	case ACTION_QUIT:
		stop(t, SIGTERM);
		break;
	case ACTION_INTERRUPT:
		stop(t, SIGINT);
		break;
	case ACTION_NONE:
	case ACTION_DRAW:
		break;
	}
}

/* ---- the thread */

static void look_for_warnings(struct top *t)
{
	uint64_t nr = warn_held(t->message, sizeof(t->message)), now = monotonic_ns();

	if (nr != t->warnings)
		t->warned_at = now;
	t->warnings = nr;
	t->picture.message = nr && now - t->warned_at < MESSAGE_NS ? t->message : NULL;
}

static void draw(struct top *t)
{
	unsigned int width, height;

	t->busy = true;
	terminal_size(&width, &height);
	canvas_begin(&t->canvas, width, height);
	t->picture.at = monotonic_ns();
	picture_draw(&t->picture, &t->choices, &t->canvas);
	terminal_draw(&t->canvas);
	t->busy = false;
}

static void hear_winch(const struct top *t)
{
	struct signalfd_siginfo info;

	while (read(t->winch, &info, sizeof(info)) == sizeof(info))
		;
}

static void look(struct top *t)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = t->exchange.window_fd, .events = POLLIN },
		{ .fd = t->winch, .events = POLLIN },
	};
	struct live_window *w;
	int key;

	/* A warning is taken away without that anything happens. Else the next window comes before. */
	if (poll(fds, ARRAY_SIZE(fds), WAIT_MS) < 0)
		return;
	hear_winch(t);
	if (fds[0].revents & ~POLLIN)
		stop(t, SIGHUP);
	while ((fds[0].revents & POLLIN) && (key = terminal_key()))
		take_key(t, key);
	w = exchange_take(&t->exchange, &t->over);
	if (w && t->over)
		live_window_free(w);
	else if (w)
		take_window(t, w);
	look_for_warnings(t);
}

static void *show(void *top)
{
	struct top *t = top;

	wish_window(t, 0);
	while (!t->over) {
		draw(t);
		look(t);
	}
	t->busy = true;
	terminal_end();
	t->busy = false;
	return NULL;
}

/* ---- the thread that records */

static void nothing(int signal)
{
	(void)signal;
}

static int begin(void *top, struct error *err)
{
	const struct sigaction interrupt = { .sa_handler = nothing };
	struct top *t = top;
	sigset_t winch, all, before;
	int ret;

	sigemptyset(&winch);
	sigaddset(&winch, SIGWINCH);
	sigaddset(&winch, SIGTSTP);
	pthread_sigmask(SIG_BLOCK, &winch, NULL);
	sigdelset(&winch, SIGTSTP);
	t->winch = signalfd(-1, &winch, SFD_CLOEXEC | SFD_NONBLOCK);
	ret = t->winch < 0 ? error_errno(err, "can't receive signals") :
			     terminal_begin(t->view->colored, err);
	if (ret)
		return ret;
	warn_hold();
	sigaction(SIGURG, &interrupt, NULL);
	sigfillset(&all);
	sigdelset(&all, SIGURG);
	terminal_faults(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = pthread_create(&t->thread, NULL, show, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!ret) {
		t->started = true;
		return 0;
	}
	terminal_end();
	warn_release();
	return error_set(err, ret, "can't make a thread that shows what is recorded: %s",
			 strerrordesc_np(ret));
}

static void look_at(void *top, struct flight *flight, struct signals *signals)
{
	exchange_look(&((struct top *)top)->exchange, flight, signals);
}

static void ended(void *top, int status)
{
	struct top *t = top;

	exchange_ended(&t->exchange, status);
}

/*
 * One that waits for a terminal that takes nothing is let go: what is written there is thrown away,
 * and the waiting, which does not end by that alone, is interrupted.
 */
static void join(struct top *t)
{
	struct timespec until;

	for (;;) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		if (pthread_timedjoin_np(t->thread, NULL, &until) != ETIMEDOUT)
			return;
		if (!t->busy)
			continue;
		tcflow(STDOUT_FILENO, TCOON);
		tcflush(STDOUT_FILENO, TCOFLUSH);
		pthread_kill(t->thread, SIGURG);
	}
}

static void end(void *top)
{
	struct top *t = top;

	if (!t->started)
		return;
	exchange_end(&t->exchange);
	join(t);
	t->started = false;
	warn_release();
}

/* ---- before and after */

int top_begin(struct top **top, const char *name, const struct view_options *view, bool no_inline,
	      bool command, struct error *err)
{
	struct top *t;
	int ret = terminal_check(err);

	if (ret)
		return ret;
	t = calloc(1, sizeof(*t));
	if (!t)
		return error_set(err, ENOMEM, "out of memory");
	*t = (struct top){
		.view = view, .no_inline = no_inline, .name = printable(name, strlen(name)),
		.output = { .fd = -1, .stop_fd = -1 }, .winch = -1,
		.picture = { .view = view, .cpu = -1, .every = 1 },
	};
	t->picture.name = t->name ? t->name : "";
	t->ticks = ticks_new(TICKS_BYTES, TICKS_WORTH);
	choices_begin(&t->choices);
	ret = exchange_begin(&t->exchange, err);
	if (!ret && command)
		ret = live_output_begin(&t->output, err);
	t->observer = (struct record_observer){
		.fd = t->exchange.wish_fd, .begin = begin, .look = look_at, .ended = ended,
		.end = end, .output = t->output.fd, .context = t,
	};
	*top = t;
	if (ret)
		top_end(t);
	return ret;
}

struct record_observer *top_observer(struct top *t)
{
	return &t->observer;
}

void top_end(struct top *t)
{
	forget_model(t);
	ticks_free(t->ticks);
	trend_free(&t->picture.trend);
	canvas_free(&t->canvas);
	if (t->output.fd >= 0)
		live_output_write(&t->output, STDOUT_FILENO);
	live_output_end(&t->output);
	exchange_free(&t->exchange);
	if (t->rated)
		metric_free(&t->metrics[t->view->nr_metrics]);
	if (t->winch >= 0)
		close(t->winch);
	free(t->name);
	free(t);
}
