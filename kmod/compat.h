/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between kernel releases. No other file knows a version.
 */
#ifndef COROPROF_COMPAT_H
#define COROPROF_COMPAT_H

#include <linux/atomic.h>
#include <linux/file.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/uprobes.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#include <linux/sched/exec_state.h>
#endif

/* Whether two neighbouring words can be exchanged as one. */
static inline bool coroprof_has_pairs(void)
{
#if defined(system_has_cmpxchg128)
	return system_has_cmpxchg128();
#elif defined(system_has_cmpxchg_double) && defined(CONFIG_64BIT)
	return system_has_cmpxchg_double();
#else
	return false;
#endif
}

/* So often somebody else may come first. */
#define COROPROF_PAIR_TRIES 64

/*
 * Exchange two words, 16 bytes that are aligned so, for *first and *second. Returns false, and
 * has changed nothing, if it can't be done, or others always came first.
 */
static inline bool coroprof_exchange_pair(u64 *pair, u64 *first, u64 *second)
{
	unsigned int i;

	if (!coroprof_has_pairs())
		return false;
	for (i = 0; i < COROPROF_PAIR_TRIES; i++) {
		u64 old[2] = { READ_ONCE(pair[0]), READ_ONCE(pair[1]) };
		bool done = false;

#if defined(system_has_cmpxchg128)
		u128 seen = (u128)old[1] << 64 | old[0];

		done = cmpxchg128((u128 *)pair, seen, (u128)*second << 64 | *first) == seen;
#elif defined(system_has_cmpxchg_double) && defined(CONFIG_64BIT)
		done = cmpxchg_double(&pair[0], &pair[1], old[0], old[1], *first, *second);
#endif
		if (done) {
			*first = old[0];
			*second = old[1];
			return true;
		}
	}
	return false;
}

static inline void coroprof_vm_flags_mod(struct vm_area_struct *vma,
					 unsigned long set, unsigned long clear)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#else
	vm_flags_set(vma, set);
	vm_flags_clear(vma, clear);
#endif
}

/*
 * Of a mapping that no child inherits: MADV_DOFORK would clear VM_DONTCOPY, and is refused where
 * there is VM_IO.
 */
#define COROPROF_VM_OWN (VM_DONTCOPY | VM_IO)

/* Of a mapping that is being made: it is of another file. */
static inline void coroprof_vma_set_file(struct vm_area_struct *vma, struct file *file)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
	get_file(file);
	swap(vma->vm_file, file);
	fput(file);
#else
	vma_set_file(vma, file);
#endif
}

/* Whether the file system is asked for the pages of the file: not so of tmpfs. */
static inline bool coroprof_mapping_reads(const struct address_space *mapping)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 19, 0)
	return mapping->a_ops->readpage;
#else
	return mapping->a_ops->read_folio;
#endif
}

/* Irq work that interrupts run themselves, on a preemptible kernel too. */
static inline void coroprof_init_irq_work_hard(struct irq_work *work,
					       void (*fn)(struct irq_work *work))
{
#ifdef IRQ_WORK_INIT_HARD
	*work = IRQ_WORK_INIT_HARD(fn);
#else
	init_irq_work(work, fn);
#endif
}

/*
 * Wait until no run of @work is yet to start. One that still goes on is an RCU reader: @work, and
 * whatever it uses, must be freed by RCU. With PREEMPT_RT, kernels since 2026 have
 * irq_work_sync() wait for a grace period in any case, tens of milliseconds, for the same
 * reason; before 5.16 it waits for none.
 */
static inline void coroprof_irq_work_sync(struct irq_work *work)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && !irq_work_is_busy(work)) {
		/* Pairs with what clears the flag, after the work has run. */
		smp_acquire__after_ctrl_dep();
		return;
	}
#endif
	irq_work_sync(work);
}

/*
 * For pages that user space maps. Up to 5.10 a page that is charged to a memory
 * cgroup keeps that in the place of its map count, and can't be mapped.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define COROPROF_GFP_MAPPED (GFP_KERNEL | __GFP_ZERO)
#else
#define COROPROF_GFP_MAPPED (GFP_KERNEL_ACCOUNT | __GFP_ZERO)
#endif

/*
 * For memory that another task asks for than the one that pays for it, or that is
 * much: rather none than that anybody is killed for it.
 */
#define COROPROF_GFP_GENTLE (__GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/*
 * Memory that the calling task takes is charged to this cgroup until it is set back.
 * Before 5.11 what set_active_memcg() needs is not for modules.
 */
static inline struct mem_cgroup *coroprof_set_memcg(struct mem_cgroup *memcg)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
	return set_active_memcg(memcg);
#elif defined(CONFIG_MEMCG)
	struct mem_cgroup *before = current->active_memcg;

	current->active_memcg = memcg;
	return before;
#else
	return NULL;
#endif
}

/*
 * Whether what is mapped is the address space of the calling task. An NMI may come where the
 * kernel changes that, or has one of its own for a moment to patch its code. Since 6.4, and
 * later in older series, copy_from_user_nofault() asks that itself.
 */
static inline bool coroprof_user_mapped(void)
{
#if defined(CONFIG_X86_64) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	return !in_nmi() || read_cr3_pa() == __pa(current->mm->pgd);
#else
	return true;
#endif
}

static inline bool coroprof_task_dead(struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
	return READ_ONCE(task->state) == TASK_DEAD;
#else
	return READ_ONCE(task->__state) == TASK_DEAD;
#endif
}

/*
 * Whether a task that is being switched out could have gone on. Since 6.12 a
 * task that went to sleep may stay on the run queue until it is picked again.
 */
static inline bool coroprof_task_runnable(struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	return task->on_rq;
#else
	return task_is_runnable(task);
#endif
}

/*
 * Whether a task's user may look into it; if not, what that takes capabilities
 * in. Under RCU and task_lock().
 */
static inline bool coroprof_task_dumpable(struct task_struct *task, struct mm_struct *mm,
					  struct user_namespace **ns)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
	*ns = mm ? mm->user_ns : NULL;
	return !mm || get_dumpable(mm) == SUID_DUMP_USER;
#else
	const struct task_exec_state *state = rcu_dereference(task->exec_state);

	*ns = state->user_ns;
	return READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
#endif
}

/* Under preempt_disable(). */
static inline u32 coroprof_bpf_run(const struct bpf_prog *prog, const void *context)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
	return BPF_PROG_RUN(prog, context);
#else
	return bpf_prog_run(prog, context);
#endif
}

/*
 * A probe is what registering it gave, or an error as a pointer. To let go of it takes
 * both steps: after the second no handler of its consumer runs any more. In general every
 * handler that runs has begun after the last coroprof_uprobe_sync(). Before 6.12 the kernel
 * lets nobody unregister a consumer while a handler runs there.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define COROPROF_UPROBE_FILTER_ARGS \
	struct uprobe_consumer *consumer, enum uprobe_filter_ctx ctx, struct mm_struct *mm

static inline void *coroprof_uprobe_register(struct inode *inode, loff_t offset,
					     struct uprobe_consumer *consumer)
{
	int err = uprobe_register(inode, offset, consumer);

	return err ? ERR_PTR(err) : inode;
}

static inline void coroprof_uprobe_unregister(void *uprobe, loff_t offset,
					      struct uprobe_consumer *consumer)
{
	uprobe_unregister(uprobe, offset, consumer);
}

static inline void coroprof_uprobe_sync(void)
{
}
#else
#define COROPROF_UPROBE_FILTER_ARGS \
	struct uprobe_consumer *consumer, struct mm_struct *mm

static inline void *coroprof_uprobe_register(struct inode *inode, loff_t offset,
					     struct uprobe_consumer *consumer)
{
	return uprobe_register(inode, offset, 0, consumer);
}

static inline void coroprof_uprobe_unregister(void *uprobe, loff_t offset,
					      struct uprobe_consumer *consumer)
{
	uprobe_unregister_nosync(uprobe, consumer);
}

static inline void coroprof_uprobe_sync(void)
{
	uprobe_unregister_sync();
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define COROPROF_UPROBE_HANDLER_ARGS \
	struct uprobe_consumer *consumer, struct pt_regs *regs
#else
#define COROPROF_UPROBE_HANDLER_ARGS \
	struct uprobe_consumer *consumer, struct pt_regs *regs, __u64 *data
#endif

#endif /* COROPROF_COMPAT_H */
