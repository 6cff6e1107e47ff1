// SPDX-License-Identifier: GPL-2.0
/*
 * One pass: records the worker with given options, loads the file, has it judged, and reports
 * failures.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cprof/file.h"
#include "record/record.h"
#include "selftest/figures.h"
#include "selftest/judge.h"
#include "selftest/pass.h"
#include "selftest/work.h"
#include "selftest/worker.h"

#define DESCRIPTOR_SIZE	16

/* The worker maps the same memory: the descriptor stays open at exec. */
static struct truth *share_truth(char descriptor[DESCRIPTOR_SIZE], int *fd, struct error *err)
{
	struct truth *truth = MAP_FAILED;

	*fd = memfd_create("coroprof-selftest", 0);
	if (*fd >= 0 && !ftruncate(*fd, sizeof(*truth)))
		truth = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	snprintf(descriptor, DESCRIPTOR_SIZE, "%d", *fd);
	if (truth != MAP_FAILED)
		return truth;
	error_errno(err, "can't have memory to share with the program that is recorded");
	if (*fd >= 0)
		close(*fd);
	return NULL;
}

static int make_options(struct record_options *o, const struct pass *pass, struct error *err)
{
	unsigned int nr = 0;
	int ret;

	*o = (struct record_options){
		.switch_ioctl = !pass->user, .ready_fd = -1, .no_preload = true, .quiet = true,
	};
	ret = events_parse(o->events, &o->nr_events, pass->events, err);
	if (ret || !pass->plan.sampled)
		return ret;
	o->sampling.period = SAMPLED_PERIOD;
	return events_parse(&o->sampling.event, &nr, "instructions", err);
}

static int make_temporary_file(char *path, size_t capacity, struct error *err)
{
	const char *where = getenv("TMPDIR");
	int fd;

	snprintf(path, capacity, "%s/coroprof-selftest-XXXXXX", where && *where ? where : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return error_errno(err, "can't create %s: TMPDIR names where there is room", path);
	close(fd);
	return 0;
}

/* Ctrl-C reaches the worker as well, or the recording ends it. */
static bool is_interrupted(const struct recorded *r)
{
	return r->status >= 0 && WIFSIGNALED(r->status) &&
	       (WTERMSIG(r->status) == SIGINT || WTERMSIG(r->status) == SIGTERM);
}

static int check_worker_end(const struct truth *truth, const struct recorded *r, struct error *err)
{
	if (truth->done)
		return 0;
	if (is_interrupted(r))
		return error_set(err, EINTR, "the self-test was interrupted");
	if (*truth->error)
		return error_set(err, ECHILD, "the program that is recorded: %s", truth->error);
	return error_set(err, ECHILD, "the program that is recorded did not come to its end: %s %d%s%s",
			 r->status >= 0 && WIFSIGNALED(r->status) ? "signal" : "status",
			 r->status >= 0 && WIFSIGNALED(r->status) ? WTERMSIG(r->status) : r->status,
			 r->missing.code ? "; " : "", r->missing.code ? r->missing.message : "");
}

static void report_cost(const struct evidence *e)
{
	const struct model_cost *cost = &e->model->switch_cost[e->user ? COROPROF_MODE_USER :
								COROPROF_MODE_IOCTL];

	if (e->truth->plan.sampled || cost->ns < 0)
		return;
	if (cost->instructions < 0 || e->model->simulated)
		result_add(e->results, e->how, "cost of a switch", VERDICT_FIGURE, "%.0f ns",
			   cost->ns);
	else
		result_add(e->results, e->how, "cost of a switch", VERDICT_FIGURE,
			   "%.0f ns, %.0f instructions", cost->ns, cost->instructions);
}

static int judge_file(const struct pass *pass, const struct truth *truth, const char *path,
		      struct results *results, FILE *figures, struct error *err)
{
	const struct model_options options = { .no_timeline = true };
	struct evidence e = {
		.results = results, .how = pass->how, .user = pass->user, .truth = truth,
		.near_far = pass->near_far,
	};
	struct model *model;
	struct file *file;
	int ret = file_open(&file, path, err);

	if (ret)
		return ret;
	ret = model_load(&model, file, &options, err);
	file_close(file);
	if (ret)
		return ret;
	e.model = model;
	judge(&e);
	report_cost(&e);
	figures_write(&e, figures);
	model_free(model);
	return 0;
}

static int record_and_judge(const struct pass *pass, struct truth *truth, char *descriptor,
			    struct results *results, FILE *figures, struct error *err)
{
	char argument[] = WORKER_ARGUMENT, program[] = "/proc/self/exe";
	char *command[] = { program, argument, descriptor, NULL };
	struct record_options options;
	struct recorded recorded;
	char path[PATH_MAX];
	int ret = make_options(&options, pass, err);

	if (!ret)
		ret = make_temporary_file(path, sizeof(path), err);
	if (ret)
		return ret;
	options.command = command;
	ret = record(&options, path, &recorded, err);
	if (!ret)
		ret = check_worker_end(truth, &recorded, err);
	if (!ret)
		ret = judge_file(pass, truth, path, results, figures, err);
	unlink(path);
	return ret;
}

int pass_run(const struct pass *pass, struct results *results, FILE *figures,
	     struct error *err)
{
	char descriptor[DESCRIPTOR_SIZE];
	struct truth *truth;
	int fd, ret;

	truth = share_truth(descriptor, &fd, err);
	if (!truth)
		return -err->code;
	truth->plan = pass->plan;
	ret = record_and_judge(pass, truth, descriptor, results, figures, err);
	munmap(truth, sizeof(*truth));
	close(fd);
	return ret;
}
