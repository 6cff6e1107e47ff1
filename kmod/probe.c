// SPDX-License-Identifier: GPL-2.0
/* Programs that know nothing of coroprof: their switches are seen by uprobes. */
#include <linux/capability.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>
#include <linux/workqueue.h>

#include "args.h"
#include "attach.h"
#include "channel-layout.h"
#include "channel.h"
#include "compat.h"
#include "discover.h"
#include "file-page.h"
#include "follow.h"
#include "keys.h"
#include "lock.h"
#include "negcache.h"
#include "pending.h"
#include "permit.h"
#include "probe.h"
#include "process.h"
#include "quota.h"
#include "regs.h"
#include "session.h"
#include "wake.h"

/* Only what is touched takes memory: the array of their pages has 512 KiB. */
#define SLOTS (1U << 20)

static struct workqueue_struct *probes_wq;

static struct coroprof_probed *of_consumer(struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct coroprof_probed, consumer);
}

static bool read_present(u64 *to, unsigned long from)
{
	bool is;

	pagefault_disable();
	is = !get_user(*to, (const u64 __user *)from);
	pagefault_enable();
	return is;
}

/*
 * Have a page there that is not: for memory that the kernel itself serves, from swap or with
 * zeroes. Whoever else serves it (userfaultfd, FUSE) could leave the thread in the handler for
 * ever, and with it who releases the session. With mmap_lock held nobody can register for
 * it meanwhile; nor is that waited for.
 */
static bool bring_in_page(unsigned long address)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool in = false;

	address = untagged_addr(address);
	if (!mmap_read_trylock(mm))
		return false;
	vma = find_vma(mm, address);
	if (vma && vma->vm_start <= address && vma_is_anonymous(vma) && !userfaultfd_armed(vma))
		in = !fixup_user_fault(mm, address, 0, NULL);
	mmap_read_unlock(mm);
	return in;
}

/* The value may lie on two pages. */
static noinline bool bring_in(unsigned long address)
{
	return bring_in_page(address) && bring_in_page(address + sizeof(u64) - 1);
}

/* What a place holds; not @is if it may not, or can't, be read. In two registers. */
struct found {
	u64 number;
	bool is;
};

static noinline struct found find_in_memory(const struct coroprof_session *session,
					    unsigned long address)
{
	struct found found = { 0 };

	if (!coroprof_may_read_memory(session))
		return found;
	found.is = likely(read_present(&found.number, address)) ||
		   (bring_in(address) && read_present(&found.number, address));
	return found;
}

/* @place: of @probe */
static __always_inline struct found find(const struct coroprof_probed *probe,
					 const struct coroprof_place *place, struct pt_regs *regs)
{
	u64 value = coroprof_reg(regs, place->reg);

	if (place->kind == COROPROF_WHERE_REGISTER)
		return (struct found){ value, true };
	return find_in_memory(probe->session, value + place->offset);
}

/* The calling process with the program that it runs now, or NULL if that is not known. */
static struct coroprof_process *find_current(void)
{
	struct coroprof_process *process = coroprof_process_find(task_tgid(current));

	lockdep_assert_held(&coroprof_mutex);
	return process && process->mm == current->mm ? process : NULL;
}

/* Whether the session takes the calling process, or has it. */
static bool wants(const struct coroprof_session *session)
{
	const struct coroprof_process *process;
	bool wanted;

	mutex_lock(&coroprof_mutex);
	process = find_current();
	if (process)
		wanted = coroprof_keys_are_of(process->keys, session);
	else
		wanted = coroprof_follow_wants(session);
	mutex_unlock(&coroprof_mutex);
	return wanted;
}

/*
 * Called inside mmap_lock. Of a process that is not the calling one nothing is known yet. Newer
 * kernels ask once more before they remove a breakpoint that a handler no longer wants. So a
 * 32-bit program is wanted until the handler has reported it, and then no longer.
 */
static bool probe_filter(COROPROF_UPROBE_FILTER_ARGS)
{
	struct coroprof_session *session = of_consumer(consumer)->session;

	return mm != current->mm || !READ_ONCE(session->started) ||
	       (coroprof_negcache_as(&session->negcache) != COROPROF_UNWANTED && wants(session));
}

/*
 * The calling process is not recorded, and need not come here again; unless it shares its address
 * space with one that is, as after vfork(). A thread counts as live no longer than it is a user of
 * the address space; a leader that has ended, and waits for the others, counts as a thread for
 * longer than that.
 */
static int refuse(void)
{
	return atomic_read(&current->mm->mm_users) > atomic_read(&current->signal->live) ? 0 :
		UPROBE_HANDLER_REMOVE;
}

/* Whether the program that runs now began under the probes. */
static bool began_probed(const struct coroprof_session *session)
{
	const struct task_struct *leader = current->group_leader;
	bool execed;

	mutex_lock(&coroprof_mutex);
	execed = coroprof_follow_execed(session);
	mutex_unlock(&coroprof_mutex);
	return execed || (leader->start_time > session->probed_at &&
			  !(leader->flags & PF_FORKNOEXEC));
}

/* The calling process, if this session's probes have seen it before; held. */
static struct coroprof_process *process_discovered(const struct coroprof_session *session)
{
	struct coroprof_process *process;

	mutex_lock(&coroprof_mutex);
	process = find_current();
	if (process && coroprof_keys_are_of(process->keys, session))
		kref_get(&process->ref);
	else
		process = NULL;
	mutex_unlock(&coroprof_mutex);
	return process;
}

/* Another thread may be faster: EEXIST. */
static struct coroprof_process *process_discover(struct coroprof_session *session)
{
	struct coroprof_process *process = process_discovered(session);
	struct coroprof_keys *keys;

	if (process)
		return process;

	keys = coroprof_keys_create(session, began_probed(session));
	if (!keys)
		return ERR_PTR(-ENOMEM);

	process = coroprof_discover_probed(session, keys, SLOTS);
	if (IS_ERR(process))
		coroprof_keys_free(keys, session->quota);
	return process;
}

static struct coroprof_channel *channel_discover(struct coroprof_process *process)
{
	int slot = coroprof_keys_thread(process);

	return slot < 0 ? ERR_PTR(slot) : coroprof_channel_join(process, slot);
}

static struct coroprof_channel *thread_take(struct coroprof_session *session)
{
	struct coroprof_process *process;
	struct coroprof_channel *channel;

	do {
		process = process_discover(session);
	} while (process == ERR_PTR(-EEXIST) && wants(session));
	if (IS_ERR(process))
		return ERR_CAST(process);

	channel = channel_discover(process);
	coroprof_process_put(process);
	return channel;
}

/*
 * Without memory for one there is none for the next: that is reported once, and who is found is
 * not looked at any more. A process that has had all its slots is alone in that.
 */
static void give_up(struct coroprof_session *session, int err, int age)
{
	/* A START that came meanwhile counts. */
	if (err != -ENOSPC && age == coroprof_negcache_age())
		WRITE_ONCE(session->no_room, true);
	coroprof_pending_unrecorded(session);
}

/* A thread that is killed gets no memory, however much there is. */
static bool is_for_long(int err)
{
	return !fatal_signal_pending(current) &&
	       (err == -ENOMEM || err == -EDQUOT || err == -ENOSPC);
}

/*
 * A thread that was never seen before. What it takes is charged to the session, not to the
 * thread's cgroup.
 */
static struct coroprof_channel *thread_discover(struct coroprof_session *session)
{
	struct mem_cgroup *own = coroprof_set_memcg(session->memcg);
	struct coroprof_channel *channel = thread_take(session);

	coroprof_set_memcg(own);
	return channel;
}

/* The session follows the calling process, which runs a program that it can't record. */
static void program_refuse(struct coroprof_session *session, int err)
{
	struct mem_cgroup *own = coroprof_set_memcg(session->memcg);

	coroprof_discover_refuse(session, err);
	coroprof_set_memcg(own);
	/* The age of now: the report of the process has changed it, but not the program. */
	coroprof_negcache_add(&session->negcache, COROPROF_UNWANTED, coroprof_negcache_age());
}

/* @ret: out: what the handler returns, if there is none. */
static noinline struct coroprof_channel *thread_look(struct coroprof_session *session, int *ret)
{
	enum coroprof_refusal why = coroprof_negcache_as(&session->negcache);
	int age = coroprof_negcache_age();
	struct coroprof_channel *channel;
	int err;

	*ret = 0;
	if (why == COROPROF_NO_ROOM)
		return NULL;
	if (why == COROPROF_UNWANTED || !wants(session)) {
		/* Its probes stay while another session, or perf, wants them there. */
		if (why != COROPROF_UNWANTED)
			coroprof_negcache_add(&session->negcache, COROPROF_UNWANTED, age);
		*ret = refuse();
		return NULL;
	}
	err = coroprof_permit_program();
	if (err) {
		program_refuse(session, err);
		*ret = refuse();
		return NULL;
	}
	channel = READ_ONCE(session->no_room) ? NULL : thread_discover(session);
	if (IS_ERR(channel) && is_for_long(PTR_ERR(channel))) {
		give_up(session, PTR_ERR(channel), age);
		channel = NULL;
	}
	if (!channel)
		coroprof_negcache_add(&session->negcache, COROPROF_NO_ROOM, age);
	return IS_ERR(channel) ? NULL : channel;
}

/* In the file's symbol table; 0 if there is none. */
static u64 label_address(const struct coroprof_probed *probe, struct pt_regs *regs)
{
	u64 moved = instruction_pointer(regs) - probe->address;
	struct found address;

	if (probe->label.kind == COROPROF_WHERE_NONE)
		return 0;
	address = find(probe, &probe->label, regs);
	return address.is ? address.number - moved : 0;
}

static u32 label_of(const struct coroprof_probed *probe, struct coroprof_process *process,
		    u64 address)
{
	return address ? coroprof_keys_label(process, address, probe->path, probe->len) : 0;
}

/*
 * Its coroutine is switched to for the first time. Returns the flags of SWITCH for that. Two
 * threads come here at once only if the program runs one coroutine on both: it has one id then,
 * or the other.
 */
static u32 introduce(const struct coroprof_probed *probe, struct coroprof_process *process,
		     struct coroprof_key *key, u64 address)
{
	struct coroprof_slot *slot = coroprof_process_slot(process, key->nr);
	u32 was = READ_ONCE(key->is);

	if (was == COROPROF_KEY_KNOWN)
		return 0;
	WRITE_ONCE(slot->id, atomic64_inc_return(&process->keys->last_id));
	WRITE_ONCE(slot->label, label_of(probe, process, address));
	/* Pairs with the acquire in is_known(). */
	smp_store_release(&key->is, COROPROF_KEY_KNOWN);
	return was == COROPROF_KEY_ENDED || process->keys->all_new ? COROPROF_SWITCH_FRESH : 0;
}

static void switch_to(struct coroprof_channel *channel, unsigned long arg)
{
	if (unlikely(channel->unreported)) {
		channel->unreported = false;
		arg |= COROPROF_SWITCH_UNREPORTED;
	}
	coroprof_channel_switch(channel, arg);
}

static bool is_outside(const struct coroprof_channel *channel)
{
	return channel->slot_nr == channel->home &&
	       channel->epoch == READ_ONCE(channel->process->epoch);
}

static void leave(struct coroprof_channel *channel, unsigned long flags)
{
	if (!is_outside(channel))
		switch_to(channel, channel->home | flags);
}

/* The thread is in a coroutine that nobody knows. */
static void lose(struct coroprof_channel *channel)
{
	leave(channel, 0);
	channel->unreported = true;
}

/* Likewise, whose key may be new, too. Returns the flags of SWITCH; 0 if there is no room. */
static unsigned long coroutine_discover(const struct coroprof_probed *probe,
					struct coroprof_process *process, u64 number, u64 address)
{
	struct coroprof_key *key = coroprof_keys_add(process, number);

	return IS_ERR(key) ? 0 : key->nr | introduce(probe, process, key, address);
}

/* A page that is read in for the label is the program's, not the session's. */
static noinline unsigned long coroutine_discover_charged(const struct coroprof_probed *probe,
							 struct coroprof_process *process,
							 u64 number, struct pt_regs *regs)
{
	u64 address = label_address(probe, regs);
	struct mem_cgroup *own = coroprof_set_memcg(probe->session->memcg);
	unsigned long arg = coroutine_discover(probe, process, number, address);

	coroprof_set_memcg(own);
	return arg;
}

/* Its slot has id and label. */
static bool is_known(const struct coroprof_key *key)
{
	/* Pairs with the release in introduce(). */
	return smp_load_acquire(&key->is) == COROPROF_KEY_KNOWN;
}

static void hit_switch(const struct coroprof_probed *probe, struct coroprof_channel *channel,
		       struct pt_regs *regs)
{
	struct coroprof_process *process = channel->process;
	struct found found = find(probe, &probe->key, regs);
	const struct coroprof_key *key;
	unsigned long arg = 0;

	if (likely(found.is)) {
		key = coroprof_keys_find(process->keys, found.number);
		arg = likely(key && is_known(key)) ?
			key->nr : coroutine_discover_charged(probe, process, found.number, regs);
	}
	if (likely(arg))
		switch_to(channel, arg);
	else
		lose(channel);
}

/* The coroutine that a probe of another role names, if it is known. */
static struct coroprof_key *named(const struct coroprof_probed *probe,
				  struct coroprof_channel *channel, struct pt_regs *regs)
{
	struct found found = find(probe, &probe->key, regs);

	return found.is ? coroprof_keys_find(channel->process->keys, found.number) : NULL;
}

static void hit_yield(const struct coroprof_probed *probe, struct coroprof_channel *channel,
		      struct pt_regs *regs)
{
	const struct coroprof_key *key = named(probe, channel, regs);
	bool stays = key && key->nr == channel->slot_nr;

	leave(channel, stays ? COROPROF_SWITCH_READY : 0);
}

/* The slice ends before the key may be taken for a new coroutine by another thread. */
static void hit_end(const struct coroprof_probed *probe, struct coroprof_channel *channel,
		    struct pt_regs *regs)
{
	struct coroprof_key *key = named(probe, channel, regs);

	if (!key)
		return;
	if (key->nr == channel->slot_nr)
		leave(channel, COROPROF_SWITCH_END);
	WRITE_ONCE(key->is, COROPROF_KEY_ENDED);
}

/*
 * Who wakes: what the thread runs, as the probes have seen it in this recording; the thread
 * itself outside any coroutine, and where they have seen nothing of it yet.
 */
static u64 waker_of(const struct coroprof_channel *channel)
{
	struct coroprof_process *process = channel->process;
	const struct coroprof_slot *slot = channel->slot;

	if (channel->epoch != READ_ONCE(process->epoch))
		slot = coroprof_process_slot(process, channel->home);
	return READ_ONCE(slot->id);
}

/* As coroprof_wake() of the library does it. */
static void hit_wake(const struct coroprof_probed *probe, struct coroprof_channel *channel,
		     struct pt_regs *regs)
{
	const struct coroprof_key *key = named(probe, channel, regs);

	if (key)
		coroprof_wake_put(coroprof_process_slot(channel->process, key->nr),
				  (struct coroprof_wake){
					  .time = ktime_get_mono_fast_ns(),
					  .waker = waker_of(channel),
				  });
}

/*
 * Whether the probe counts this time. If that can't be read, the thread may go on
 * as whatever the probe would report.
 */
static bool applies(const struct coroprof_probed *probe, struct coroprof_channel *channel,
		    struct pt_regs *regs)
{
	struct found found;

	if (likely(probe->when.kind == COROPROF_WHERE_NONE))
		return true;
	found = find(probe, &probe->when, regs);
	if (likely(found.is))
		return ((found.number & probe->mask) == probe->value) != probe->unless;
	if (probe->role != COROPROF_PROBE_END && probe->role != COROPROF_PROBE_WAKE)
		lose(channel);
	return false;
}

static void hit(const struct coroprof_probed *probe, struct coroprof_channel *channel,
		struct pt_regs *regs)
{
	if (likely(probe->role == COROPROF_PROBE_SWITCH)) {
		hit_switch(probe, channel, regs);
		return;
	}
	switch (probe->role) {
	case COROPROF_PROBE_OUT:
		leave(channel, 0);
		break;
	case COROPROF_PROBE_YIELD:
		hit_yield(probe, channel, regs);
		break;
	case COROPROF_PROBE_END:
		hit_end(probe, channel, regs);
		break;
	case COROPROF_PROBE_WAKE:
		hit_wake(probe, channel, regs);
		break;
	case COROPROF_PROBE_UNREPORTED:
		lose(channel);
		break;
	}
}

/* @probe: the first one at the instruction */
static void hit_all(const struct coroprof_probed *probe, struct coroprof_channel *channel,
		    struct pt_regs *regs)
{
	do {
		if (applies(probe, channel, regs))
			hit(probe, channel, regs);
		/* Pairs with the release in probe_place(). */
		probe = READ_ONCE(probe->next);
	} while (probe);
}

static noinline int hit_first(const struct coroprof_probed *probe, struct pt_regs *regs)
{
	struct coroprof_channel *channel;
	int ret;

	channel = thread_look(probe->session, &ret);
	if (channel)
		hit_all(probe, channel, regs);
	return ret;
}

/*
 * STOP comes to the thread's recording later. What the thread does until then must not be charged
 * to the coroutine that it has left.
 */
static noinline void hit_stopped(const struct coroprof_probed *probe, struct pt_regs *regs)
{
	struct coroprof_channel *channel = coroprof_channel_probed(probe->session);

	if (channel && READ_ONCE(channel->recording))
		hit_all(probe, channel, regs);
}

static int probe_handler(COROPROF_UPROBE_HANDLER_ARGS)
{
	const struct coroprof_probed *probe = of_consumer(consumer);
	struct coroprof_channel *channel;

	if (unlikely(!READ_ONCE(probe->session->started))) {
		hit_stopped(probe, regs);
		return 0;
	}
	channel = coroprof_channel_probed(probe->session);
	if (unlikely(!channel))
		return hit_first(probe, regs);
	hit_all(probe, channel, regs);
	return 0;
}

static int place_in(struct coroprof_place *place, const struct coroprof_where *where)
{
	place->kind = where->kind;
	place->offset = where->offset;
	if (where->kind == COROPROF_WHERE_NONE)
		return where->reg || where->offset ? -EINVAL : 0;
	if (where->kind > COROPROF_WHERE_MEMORY)
		return -EINVAL;
	if (where->kind == COROPROF_WHERE_REGISTER && where->offset)
		return -EINVAL;
	place->reg = coroprof_reg_offset(where->reg);
	return min(place->reg, 0);
}

static bool role_has_key(u32 role)
{
	return role != COROPROF_PROBE_OUT && role != COROPROF_PROBE_UNREPORTED;
}

static bool condition_is_valid(const struct coroprof_probe *config)
{
	if (!config->when.kind)
		return !config->flags && !config->mask && !config->value;
	return config->mask && !(config->value & ~config->mask) &&
	       !(config->flags & ~COROPROF_WHEN_UNLESS);
}

static int config_in(struct coroprof_probe *config, void __user *arg)
{
	int err;

	err = coroprof_args_in(config, sizeof(*config), COROPROF_PROBE_SIZE_LEVEL3, arg);
	if (err)
		return err;
	if (!condition_is_valid(config) || config->offset > S64_MAX)
		return -EINVAL;
	if (!config->role || config->role > COROPROF_PROBE_UNREPORTED)
		return -EINVAL;
	if (role_has_key(config->role) == !config->key.kind)
		return -EINVAL;
	if (config->label.kind && config->role != COROPROF_PROBE_SWITCH)
		return -EINVAL;
	return 0;
}

/* The path as the caller would give it. */
static int path_in(struct coroprof_probed *probe)
{
	char *buffer, *path;
	int err = 0;

	buffer = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!buffer)
		return -ENOMEM;

	path = file_path(probe->file, buffer, PATH_MAX);
	if (IS_ERR(path)) {
		err = PTR_ERR(path);
	} else if (strlen(path) > sizeof(probe->path)) {
		err = -ENAMETOOLONG;
	} else {
		probe->len = strlen(path);
		memcpy(probe->path, path, probe->len);
	}
	kfree(buffer);
	return err;
}

/* What a worker is to do, and what came of it. */
struct job {
	struct work_struct work;
	long (*fn)(void *arg);
	void *arg;
	long ret;
};

static void job_work(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, work);

	job->ret = job->fn(job->arg);
}

/*
 * Breakpoints are put into programs, and taken out of them, by get_user_pages(), which fails in
 * a task that is killed: the kernel would leave them there for ever. So a worker does it, of no
 * CPU, as others wait for those.
 */
static long in_worker(long (*fn)(void *arg), void *arg)
{
	struct job job = { .fn = fn, .arg = arg };

	INIT_WORK_ONSTACK(&job.work, job_work);
	queue_work(probes_wq, &job.work);
	flush_work(&job.work);
	destroy_work_on_stack(&job.work);
	return job.ret;
}

static long probe_register(void *arg)
{
	struct coroprof_probed *probe = arg;

	probe->uprobe = coroprof_uprobe_register(probe->inode, probe->offset, &probe->consumer);
	return PTR_ERR_OR_ZERO(probe->uprobe);
}

static int probe_init(struct coroprof_probed *probe, const struct coroprof_probe *config)
{
	int err;

	probe->consumer.handler = probe_handler;
	probe->consumer.filter = probe_filter;
	probe->role = config->role;
	probe->offset = config->offset;
	probe->address = config->address;
	probe->unless = config->flags & COROPROF_WHEN_UNLESS;
	probe->mask = config->mask;
	probe->value = config->value;
	err = place_in(&probe->key, &config->key) ?: place_in(&probe->label, &config->label) ?:
	      place_in(&probe->when, &config->when);
	if (err)
		return err;
	return probe->label.kind ? path_in(probe) : 0;
}

/* The last one of the session at its instruction, or NULL. */
static struct coroprof_probed *last_there(const struct coroprof_session *session,
					  const struct coroprof_probed *probe)
{
	struct coroprof_probed *other;

	lockdep_assert_held(&session->control_lock);
	list_for_each_entry(other, &session->probes, node)
		if (!other->next && other->offset == probe->offset &&
		    other->inode == probe->inode)
			return other;
	return NULL;
}

static long probe_place(struct coroprof_session *session, struct coroprof_probed *probe)
{
	struct coroprof_probed *last = last_there(session, probe);

	if (!last)
		return in_worker(probe_register, probe);
	/*
	 * Whoever hit the instruction in an earlier recording may look at it right now. Pairs
	 * with the read in hit_all(), which depends on it.
	 */
	smp_store_release(&last->next, probe);
	return 0;
}

static struct coroprof_probed *probe_create(struct coroprof_session *session, struct file *file,
					    struct inode *inode,
					    const struct coroprof_probe *config)
{
	struct coroprof_probed *probe;
	int err;

	probe = coroprof_quota_alloc(session->quota, sizeof(*probe));
	if (IS_ERR(probe))
		return probe;

	probe->session = session;
	probe->file = get_file(file);
	probe->inode = inode;
	ihold(inode);
	err = probe_init(probe, config) ?: probe_place(session, probe);
	if (!err)
		return probe;
	iput(probe->inode);
	fput(probe->file);
	coroprof_quota_free(session->quota, probe, sizeof(*probe));
	return ERR_PTR(err);
}

/* Whether there is anybody already who would miss the probe. */
static bool has_begun(struct coroprof_session *session)
{
	bool begun;

	mutex_lock(&coroprof_mutex);
	begun = session->started || session->nr_follows || !RB_EMPTY_ROOT(&session->attachments);
	mutex_unlock(&coroprof_mutex);
	return begun;
}

static int probe_add(struct coroprof_session *session, struct file *file, struct inode *inode,
		     const struct coroprof_probe *config)
{
	struct coroprof_probed *probe;

	lockdep_assert_held(&session->control_lock);
	if (has_begun(session))
		return -EBUSY;
	if (session->nr_probes == COROPROF_PROBES_MAX)
		return -ENOSPC;
	probe = probe_create(session, file, inode, config);
	if (IS_ERR(probe))
		return PTR_ERR(probe);
	session->nr_probes++;
	session->probed_at = ktime_get_ns();
	list_add_tail(&probe->node, &session->probes);
	return 0;
}

/*
 * With no lock held: whoever serves the file may withhold the page, and the caller is to be
 * killed then, and nobody else to wait.
 */
static int instruction_in(struct file *file, struct inode *inode, u64 offset)
{
	if (!S_ISREG(inode->i_mode))
		return -ENODEV;
	if (!(file->f_mode & FMODE_READ))
		return -EBADF;
	return coroprof_file_page_in(file, inode, offset);
}

/* COROPROF_IOC_PROBE */
long coroprof_probe_add(struct coroprof_session *session, void __user *arg)
{
	struct coroprof_probe config;
	struct inode *inode;
	struct file *file;
	int err;

	err = config_in(&config, arg);
	if (err)
		return err;
	/* It changes what others execute: not for whoever was passed the descriptor. */
	if (!session->capable || !perfmon_capable())
		return -EPERM;
	if (!IS_ENABLED(CONFIG_UPROBES))
		return -EOPNOTSUPP;
	file = fget(config.fd);
	if (!file)
		return -EBADF;
	/* Of an overlay what is mapped is the file below; another one after it was written to. */
	inode = d_real_inode(file->f_path.dentry);
	ihold(inode);
	err = instruction_in(file, inode, config.offset);
	if (!err) {
		mutex_lock(&session->control_lock);
		err = probe_add(session, file, inode, &config);
		mutex_unlock(&session->control_lock);
	}
	iput(inode);
	fput(file);
	return err;
}

static long probes_unregister(void *arg)
{
	const struct coroprof_session *session = arg;
	struct coroprof_probed *probe;

	/*
	 * The session is stopped, so no handler that begins now asks for its breakpoint to be
	 * removed. One that began before may; the kernel warns if it comes to that only when
	 * the last consumer of the breakpoint is gone.
	 */
	coroprof_uprobe_sync();
	list_for_each_entry(probe, &session->probes, node)
		if (probe->uprobe)
			coroprof_uprobe_unregister(probe->uprobe, probe->offset, &probe->consumer);
	coroprof_uprobe_sync();
	return 0;
}

/* The session is stopped and released: no handler of its probes runs any more after that. */
void coroprof_probes_remove(struct coroprof_session *session)
{
	struct coroprof_probed *probe, *next;

	if (list_empty(&session->probes))
		return;
	in_worker(probes_unregister, session);
	list_for_each_entry_safe(probe, next, &session->probes, node) {
		iput(probe->inode);
		fput(probe->file);
		coroprof_quota_free(session->quota, probe, sizeof(*probe));
	}
}

int coroprof_probes_init(void)
{
	probes_wq = alloc_workqueue("coroprof-probes", WQ_UNBOUND, 0);
	return probes_wq ? 0 : -ENOMEM;
}

void coroprof_probes_exit(void)
{
	destroy_workqueue(probes_wq);
}
