// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of the simulated counters from user mode, as on an x86 processor that has
 * them: by rdpmc, where the control register of the CPU permits it to the process.
 * Without counters QEMU makes an invalid opcode of the permitted instruction, and that
 * is answered here.
 */
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <asm/processor-flags.h>
#include <asm/trapnr.h>

#include "compat.h"
#include "simpmu.h"

#define FIXED BIT(30)

static unsigned int width = 48;
module_param(width, uint, 0644);
MODULE_PARM_DESC(width, "bits of the counters, 32..64");

static bool fixed;
module_param(fixed, bool, 0644);
MODULE_PARM_DESC(fixed, "rdpmc knows the counters by the numbers of fixed ones; for events scheduled from then on");

static bool allowed = true;

/* What rdpmc wants to be told, plus one; 0: it can't read the event. */
int simpmu_event_idx(struct perf_event *event)
{
	if (!READ_ONCE(allowed) || event->hw.idx < 0 || event->hw.state & PERF_HES_STOPPED)
		return 0;
	return ((fixed ? FIXED : 0) | event->hw.idx) + 1;
}

static void (*cr4_update)(unsigned long set, unsigned long clear);

static void permit(void *mm)
{
	if (current->active_mm == mm)
		cr4_update(X86_CR4_PCE, 0);
}

/* As the kernel's own PMU: CPUs that switch to this memory later look at the count. */
void simpmu_event_mapped(struct perf_event *event, struct mm_struct *mm)
{
	if (atomic_inc_return(&mm->context.perf_rdpmc_allowed) == 1)
		on_each_cpu(permit, mm, 1);
}

void simpmu_event_unmapped(struct perf_event *event, struct mm_struct *mm)
{
	atomic_dec(&mm->context.perf_rdpmc_allowed);
}

static bool is_rdpmc(struct pt_regs *regs)
{
	u8 code[2];

	return user_mode(regs) &&
	       !copy_from_user_nofault(code, (const void __user *)regs->ip, sizeof(code)) &&
	       code[0] == 0x0f && code[1] == 0x33;
}

static int answer(struct notifier_block *block, unsigned long event, void *data)
{
	struct die_args *args = data;
	struct pt_regs *regs = args->regs;
	u64 value;

	if (event != DIE_TRAP || args->trapnr != X86_TRAP_UD || !is_rdpmc(regs))
		return NOTIFY_DONE;

	/* What the general protection fault of a processor comes to. */
	if (!READ_ONCE(allowed)) {
		force_sig(SIGSEGV);
		return NOTIFY_STOP;
	}
	value = simpmu_value((u32)regs->cx & ~FIXED);
	if (width < 64)
		value &= BIT_ULL(width) - 1;
	regs->ax = lower_32_bits(value);
	regs->dx = upper_32_bits(value);
	regs->ip += 2;
	return NOTIFY_STOP;
}

static struct notifier_block die_block = { .notifier_call = answer };

/* The kernel writes to the page what its own PMU can, which there is none of. */
struct page_call {
	const struct perf_event *event;
	struct perf_event_mmap_page *page;
};

static int page_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct page_call *call = (void *)instance->data;

	call->event = (void *)regs->di;
	call->page = (void *)regs->si;
	return 0;
}

static int page_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct page_call *call = (void *)instance->data;

	if (simpmu_is_own(call->event)) {
		call->page->cap_user_rdpmc = READ_ONCE(allowed);
		call->page->pmc_width = width;
	}
	return 0;
}

static struct kretprobe page_probe = {
	.kp.symbol_name = "arch_perf_update_userpage",
	.entry_handler = page_entry,
	.handler = page_return,
	.data_size = sizeof(struct page_call),
	.maxactive = 64,
};

static ssize_t rdpmc_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", allowed);
}

static ssize_t rdpmc_store(struct device *dev, struct device_attribute *attr,
			   const char *buf, size_t size)
{
	int err = kstrtobool(buf, &allowed);

	return err ?: size;
}

struct device_attribute simpmu_rdpmc_attr = __ATTR_RW(rdpmc);

int simpmu_rdpmc_init(void)
{
	int err;

	cr4_update = simpmu_find_cr4_update();
	if (IS_ERR(cr4_update))
		return PTR_ERR(cr4_update);
	err = register_kretprobe(&page_probe);
	if (err)
		return err;
	err = register_die_notifier(&die_block);
	if (err)
		unregister_kretprobe(&page_probe);
	return err;
}

void simpmu_rdpmc_exit(void)
{
	unregister_die_notifier(&die_block);
	unregister_kretprobe(&page_probe);
}
