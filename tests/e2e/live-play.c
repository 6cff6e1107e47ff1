// SPDX-License-Identifier: GPL-2.0
/*
 * live-play ADDRESS: coroprof serve without a kernel, of what is played (harness/played.h). Each line of
 * standard input is an order: "tick N" plays N seconds, "end" ends the recording; the end of the input ends
 * all.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "live/serve.h"
#include "played.h"

static struct signals signals;
static struct record_options options = { .dump_name = "live-play", .quiet = true };
static struct view_options view;

static void obey(struct record_observer *observer, const char *order)
{
	unsigned int nr;

	if (sscanf(order, "tick %u", &nr) == 1)
		while (nr--)
			played_second(0);
	else if (!strncmp(order, "end", 3))
		observer->ended(observer->context, 0);
	observer->look(observer->context, &played.flight, &signals);
}

int main(int argc, char **argv)
{
	struct record_observer *observer;
	struct serve *serve;
	struct error err;
	char line[64];

	if (argc != 2)
		return 2;
	warn_as("live-play");
	dumps_begin(&played.flight.dumps, options.dump_name, true);
	played.flight.snapshot.fd = -1;
	played_begin(&options);
	if (serve_begin(&serve, argv[1], &view, true, &err))
		played_fail(&err);
	observer = serve_observer(serve);
	if (observer->begin(observer->context, &err))
		played_fail(&err);
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = STDIN_FILENO, .events = POLLIN },
			{ .fd = observer->fd, .events = POLLIN },
			{ .fd = played.flight.dumps.fd, .events = POLLIN },
		};

		poll(fds, ARRAY_SIZE(fds), -1);
		if (fds[0].revents) {
			if (!fgets(line, sizeof(line), stdin))
				break;
			obey(observer, line);
		}
		if (fds[2].revents)
			dumps_look(&played.flight.dumps);
		observer->look(observer->context, &played.flight, &signals);
	}
	observer->end(observer->context);
	serve_end(serve);
	played_end();
	return 0;
}
