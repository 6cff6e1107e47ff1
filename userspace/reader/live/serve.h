/* SPDX-License-Identifier: GPL-2.0 */
/*
 * coroprof serve: a flight recorder, and a page that shows what is kept, for a browser. The page is
 * that of 'coroprof record -o page.html', and each window is a recording as the key d of
 * coroprof top writes it.
 */
#ifndef COROPROF_SERVE_H
#define COROPROF_SERVE_H

#include <stdbool.h>

#include "base/error.h"
#include "output/view-options.h"
#include "record/observer.h"

struct serve;

#define SERVE_ADDRESS	"127.0.0.1:0"

/*
 * Listens at @address: a loopback address and a port, 0 for a free one, or unix:PATH. @view stays the
 * caller's.
 */
int serve_begin(struct serve **serve, const char *address, const struct view_options *view,
		bool no_inline, struct error *err);
/* For the recording. */
struct record_observer *serve_observer(struct serve *serve);
void serve_end(struct serve *serve);

#endif /* COROPROF_SERVE_H */
