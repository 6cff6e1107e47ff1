// SPDX-License-Identifier: GPL-2.0
/* Counters made of perf events that were opened in user space: by the thread, or for it. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "counters.h"
#include "perf.h"

/* In config1: how the counter is to be read, not what it counts. */
#if IS_ENABLED(CONFIG_ARM64)
#define HOW_READ 3ULL	/* armv8_pmuv3: format/long, format/rdpmc */
#else
#define HOW_READ 0ULL
#endif

/*
 * Newer kernels change the type of a clock's event to that of its PMU, which has
 * a name of its own then.
 */
static bool is_clock(const struct perf_event *event, const struct coroprof_counter *counter)
{
	const struct pmu *pmu = READ_ONCE(event->pmu);
	const char *name;

	if (counter->type != PERF_TYPE_SOFTWARE || !pmu || !pmu->name)
		return false;
	if (counter->config == PERF_COUNT_SW_CPU_CLOCK)
		name = "cpu_clock";
	else if (counter->config == PERF_COUNT_SW_TASK_CLOCK)
		name = "task_clock";
	else
		return false;
	return !strcmp(pmu->name, name);
}

static bool counts(const struct perf_event *event, const struct coroprof_counter *counter)
{
	const struct perf_event_attr *attr = &event->attr;
	bool kernel = counter->flags & COROPROF_COUNTER_KERNEL ||
		      coroprof_counter_in_kernel_only(counter);
	bool pinned = counter->flags & COROPROF_COUNTER_PINNED;

	return (attr->type == counter->type || is_clock(event, counter)) &&
	       attr->config == counter->config &&
	       !((attr->config1 ^ counter->config1) & ~HOW_READ) &&
	       attr->config2 == counter->config2 &&
	       !attr->exclude_user && !attr->exclude_idle && attr->exclude_hv &&
	       attr->exclude_guest && attr->exclude_kernel == !kernel &&
	       attr->pinned == pinned;
}

/* Nobody else's time, and no interrupts. */
static bool counts_task(const struct perf_event *event, const struct task_struct *task)
{
	const struct perf_event_attr *attr = &event->attr;

	return event->cpu == -1 && event->attach_state & PERF_ATTACH_TASK &&
	       event->hw.target == task && !attr->inherit && !attr->sample_period &&
	       !attr->freq && event->group_leader == event;
}

static int adopt_one(struct coroprof_counters *c, u32 i, struct file *file,
		     const struct inode *anon, const struct task_struct *task)
{
	const struct coroprof_counter *counter = &c->state[i].counter;
	struct perf_event *event = file->private_data;

	if (!coroprof_file_is_event(file, anon) || !counts(event, counter) ||
	    !counts_task(event, task) || !coroprof_counter_is_plain(counter, event, false))
		return -EINVAL;
	coroprof_counters_set(c, i, event);
	return 0;
}

static int adopt(struct coroprof_counters *c, const s32 *fds, const struct inode *anon,
		 const struct task_struct *task)
{
	int err;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		if (fds[i] < 0) {
			if (fds[i] < -MAX_ERRNO)
				return -EINVAL;
			c->state[i].error = -fds[i];
			continue;
		}
		if (coroprof_counter_is_program(&c->state[i].counter)) {
			if (fds[i] != COROPROF_EVENT_PROGRAM)
				return -EINVAL;
			coroprof_counters_set_word(c, i);
			continue;
		}
		c->at[i].file = fget(fds[i]);
		if (!c->at[i].file)
			return -EBADF;
		err = adopt_one(c, i, c->at[i].file, anon, task);
		if (err)
			return err;
	}
	return 0;
}

/**
 * coroprof_counters_adopt() - counters for a thread, of events of user space
 * @counters: what they have to count
 * @nr:       how many
 * @word:     what the program counts itself, or NULL
 * @fds:      descriptors of the events, or what perf_event_open() said, negative
 * @anon:     the inode of anonymous files
 * @task:     the thread
 *
 * They may be closed, disabled or reset by the process at any time. That makes
 * them count wrongly, and nothing worse: the files are held. May sleep.
 */
struct coroprof_counters *
coroprof_counters_adopt(const struct coroprof_counter *counters, u32 nr, const u64 *word,
			const s32 *fds, const struct inode *anon,
			const struct task_struct *task)
{
	struct coroprof_counters *c = coroprof_counters_alloc(counters, nr, word);
	int err;

	if (!c)
		return ERR_PTR(-ENOMEM);

	err = adopt(c, fds, anon, task);
	if (err) {
		coroprof_counters_put(c);
		return ERR_PTR(err);
	}
	coroprof_counters_refresh(c);
	return c;
}
