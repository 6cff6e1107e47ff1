// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU itself: per CPU a few general counters, any of which can count any
 * event. They only advance when simpmu_count() says so.
 *
 * It behaves like hardware where that matters to users of perf events: a
 * counter's value reaches event->count only through ->read() and ->stop(),
 * and an event that finds no free counter is refused, so that the perf core
 * multiplexes. All of the state of a CPU is touched on that CPU with
 * interrupts off, so it needs no lock.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "simpmu.h"

#define SIMPMU_COUNTERS_MAX	16U

static unsigned int counters = 4;
module_param(counters, uint, 0644);
MODULE_PARM_DESC(counters, "general counters per CPU, 0..16; a change applies to events scheduled from then on");

static bool hybrid;
module_param(hybrid, bool, 0444);
MODULE_PARM_DESC(hybrid, "CPUs from 1 on are of another kind, with a PMU of their own, cpu_atom");

struct simpmu_cpu {
	struct perf_event *event[SIMPMU_COUNTERS_MAX];
	u64 value[SIMPMU_COUNTERS_MAX];
};

static DEFINE_PER_CPU(struct simpmu_cpu, simpmu_cpus);
static struct pmu simpmu;
static struct pmu simpmu_little;

/* Generic events are the first PMU's, as on processors: the other's are asked for by its name. */
bool simpmu_counts_on(const struct pmu *pmu, int cpu)
{
	return !hybrid || (pmu == &simpmu_little) == (cpu > 0);
}

static bool little_supports(const struct perf_event_attr *attr)
{
	return attr->type == simpmu_little.type;
}

static bool config_supported(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_RAW)
		return true;
	return attr->type == PERF_TYPE_HARDWARE &&
	       attr->config <= PERF_COUNT_HW_BRANCH_MISSES;
}

static int simpmu_event_init(struct perf_event *event)
{
	if (event->pmu == &simpmu_little ? !little_supports(&event->attr) :
					   !config_supported(&event->attr))
		return -ENOENT;
	if (has_branch_stack(event))
		return -EOPNOTSUPP;
	event->hw.idx = -1;
	return 0;
}

bool simpmu_is_own(const struct perf_event *event)
{
	return event->pmu == &simpmu || event->pmu == &simpmu_little;
}

/* With interrupts off. */
u64 simpmu_value(u32 idx)
{
	return idx < SIMPMU_COUNTERS_MAX ? this_cpu_ptr(&simpmu_cpus)->value[idx] : 0;
}

static void simpmu_read(struct perf_event *event)
{
	struct simpmu_cpu *cpu = this_cpu_ptr(&simpmu_cpus);
	struct hw_perf_event *hwc = &event->hw;
	u64 now = cpu->value[hwc->idx];
	u64 delta = now - local64_xchg(&hwc->prev_count, now);

	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
}

static void simpmu_start(struct perf_event *event, int flags)
{
	struct simpmu_cpu *cpu = this_cpu_ptr(&simpmu_cpus);
	struct hw_perf_event *hwc = &event->hw;

	if (WARN_ON_ONCE(!(hwc->state & PERF_HES_STOPPED)))
		return;
	local64_set(&hwc->prev_count, cpu->value[hwc->idx]);
	hwc->state = 0;
	perf_event_update_userpage(event);
}

static void simpmu_stop(struct perf_event *event, int flags)
{
	struct hw_perf_event *hwc = &event->hw;

	hwc->state |= PERF_HES_STOPPED;
	if ((flags & PERF_EF_UPDATE) && !(hwc->state & PERF_HES_UPTODATE)) {
		simpmu_read(event);
		hwc->state |= PERF_HES_UPTODATE;
	}
}

static int simpmu_add(struct perf_event *event, int flags)
{
	struct simpmu_cpu *cpu = this_cpu_ptr(&simpmu_cpus);
	unsigned int nr = min(READ_ONCE(counters), SIMPMU_COUNTERS_MAX);
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!cpu->event[i])
			break;
	if (i == nr)
		return -EAGAIN;
	cpu->event[i] = event;
	/* So that it passes 0 before long, as counters of processors do at an overflow. */
	cpu->value[i] = -1000ULL;
	event->hw.idx = i;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		simpmu_start(event, PERF_EF_RELOAD);
	return 0;
}

static void simpmu_del(struct perf_event *event, int flags)
{
	struct simpmu_cpu *cpu = this_cpu_ptr(&simpmu_cpus);

	simpmu_stop(event, PERF_EF_UPDATE);
	cpu->event[event->hw.idx] = NULL;
	event->hw.idx = -1;
	perf_event_update_userpage(event);
}

/*
 * perf_event_overflow() is not for modules, so the event's own handler is
 * called as it would: without throttling, and wake-ups of a perf mmap reader.
 */
static void overflow(struct perf_event *event)
{
	perf_overflow_handler_t handler = READ_ONCE(event->overflow_handler);
	struct hw_perf_event *hwc = &event->hw;
	struct perf_sample_data data;

	hwc->last_period = hwc->sample_period;
	local64_add(hwc->sample_period, &hwc->period_left);
	perf_sample_data_init(&data, 0, hwc->last_period);
	handler(event, &data, task_pt_regs(current));
}

/* Counts up to each overflow in turn, as hardware would. */
static void count_sampling(struct perf_event *event, u64 *value, u64 n)
{
	s64 left;
	u64 step;

	while (n) {
		simpmu_read(event);
		left = local64_read(&event->hw.period_left);
		step = min_t(u64, n, max_t(s64, left, 1));
		*value += step;
		n -= step;
		simpmu_read(event);
		if (local64_read(&event->hw.period_left) <= 0)
			overflow(event);
	}
}

static bool counts(const struct perf_event *event, const struct simpmu_add *add)
{
	if (!event || event->hw.state & PERF_HES_STOPPED)
		return false;
	if (add->kernel ? event->attr.exclude_kernel : event->attr.exclude_user)
		return false;
	return (event->pmu == &simpmu_little ? PERF_TYPE_RAW : event->attr.type) == add->type &&
	       event->attr.config == add->config;
}

static void count_one(const struct simpmu_add *add)
{
	struct simpmu_cpu *cpu = this_cpu_ptr(&simpmu_cpus);
	u64 n = simpmu_defect_count(add->n);
	unsigned int i;

	for (i = 0; i < SIMPMU_COUNTERS_MAX; i++) {
		struct perf_event *event = cpu->event[i];

		if (!counts(event, add))
			continue;
		if (is_sampling_event(event))
			count_sampling(event, &cpu->value[i], n);
		else
			cpu->value[i] += n;
	}
}

struct simpmu_adds {
	const struct simpmu_add *adds;
	unsigned int nr;
};

/* On the CPU whose counters count, with interrupts off. */
static void count_here(void *info)
{
	const struct simpmu_adds *all = info;
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		count_one(&all->adds[i]);
}

/* In the context of the task that is to have caused the events. */
void simpmu_count(const struct simpmu_add *adds, unsigned int nr)
{
	struct simpmu_adds all = { .adds = adds, .nr = nr };

	smp_call_function_single(simpmu_defect_cpu(get_cpu()), count_here, &all, true);
	put_cpu();
}

static ssize_t simulated_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	return sysfs_emit(buf, "1\n");
}
static DEVICE_ATTR_RO(simulated);

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct pmu *pmu = dev_get_drvdata(dev);
	unsigned int cpu, last = 0;

	if (pmu != &simpmu_little)
		return sysfs_emit(buf, "0\n");
	for_each_possible_cpu(cpu)
		last = cpu;
	return last > 1 ? sysfs_emit(buf, "1-%u\n", last) : sysfs_emit(buf, "1\n");
}
static DEVICE_ATTR_RO(cpus);

static struct attribute *simpmu_attrs[] = {
	&dev_attr_simulated.attr,
	&simpmu_rdpmc_attr.attr,
	&dev_attr_cpus.attr,
	NULL
};

static umode_t simpmu_attr_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	return hybrid || attr != &dev_attr_cpus.attr ? attr->mode : 0;
}

static const struct attribute_group simpmu_group = {
	.attrs = simpmu_attrs,
	.is_visible = simpmu_attr_visible,
};

PMU_FORMAT_ATTR(event, "config:0-63");

static struct attribute *simpmu_format_attrs[] = {
	&format_attr_event.attr,
	NULL
};

static const struct attribute_group simpmu_format_group = {
	.name = "format",
	.attrs = simpmu_format_attrs,
};

static const struct attribute_group *simpmu_groups[] = {
	&simpmu_group,
	&simpmu_format_group,
	NULL
};

#define SIMPMU_PMU {							\
	.module		= THIS_MODULE,					\
	.capabilities	= SIMPMU_CAPABILITIES,				\
	.task_ctx_nr	= perf_hw_context,				\
	.attr_groups	= simpmu_groups,				\
	.event_init	= simpmu_event_init,				\
	.add		= simpmu_add,					\
	.del		= simpmu_del,					\
	.start		= simpmu_start,					\
	.stop		= simpmu_stop,					\
	.read		= simpmu_read,					\
	.event_idx	= simpmu_event_idx,				\
	.event_mapped	= simpmu_event_mapped,				\
	.event_unmapped	= simpmu_event_unmapped,			\
	SIMPMU_FILTER,							\
}

static struct pmu simpmu = SIMPMU_PMU;
static struct pmu simpmu_little = SIMPMU_PMU;

/* -ENOENT is what the core answers when nobody serves hardware events. */
static bool machine_has_pmu(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.size = sizeof(attr),
		.disabled = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) != -ENOENT;
	perf_event_release_kernel(event);
	return true;
}

int simpmu_pmu_init(void)
{
	int err;

	if (machine_has_pmu()) {
		pr_err("this machine has a PMU already: not loaded\n");
		return -EBUSY;
	}
	err = simpmu_rdpmc_init();
	if (err)
		return err;
	err = perf_pmu_register(&simpmu, "cpu", PERF_TYPE_RAW);
	if (err)
		goto err_rdpmc;
	err = hybrid ? perf_pmu_register(&simpmu_little, "cpu_atom", -1) : 0;
	if (err)
		goto err_pmu;
	return 0;

err_pmu:
	perf_pmu_unregister(&simpmu);
err_rdpmc:
	simpmu_rdpmc_exit();
	return err;
}

void simpmu_pmu_exit(void)
{
	if (hybrid)
		perf_pmu_unregister(&simpmu_little);
	perf_pmu_unregister(&simpmu);
	simpmu_rdpmc_exit();
}
