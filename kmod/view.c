// SPDX-License-Identifier: GPL-2.0
/*
 * A view: the slots of a process, for a reader that gets no slices. It may look, and
 * nothing else: it writes nothing there, takes no memory for slots that the process
 * has not touched, and can't keep the process from ending.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "args.h"
#include "attachment.h"
#include "compat.h"
#include "descriptor.h"
#include "lock.h"
#include "permit.h"
#include "process.h"
#include "quota.h"
#include "session.h"
#include "view.h"

/**
 * struct coroprof_view_file - what a view descriptor stands for
 *
 * Lives as long as the descriptor, which its mappings hold: so they hold the process
 * object, and that the slots. Never changes.
 *
 * @process: whose slots; held
 * @quota:   who is charged: the session's; held
 */
struct coroprof_view_file {
	struct coroprof_process *process;
	struct coroprof_quota *quota;
};

static u64 view_bytes(void)
{
	return coroprof_bytes_open(sizeof(struct coroprof_view_file));
}

static unsigned long view_pages(const struct coroprof_view_file *view)
{
	return coroprof_slot_pages(view->process->nr_slots);
}

static void view_free(struct coroprof_view_file *view)
{
	coroprof_process_put(view->process);
	coroprof_quota_uncharge(view->quota, view_bytes());
	coroprof_quota_put(view->quota);
	kfree(view);
}

static bool is_touched(const struct coroprof_view_file *view, unsigned long page)
{
	return READ_ONCE(view->process->slots[page]);
}

/* From @page on, the first page that is touched, or not. */
static unsigned long find_page(const struct coroprof_view_file *view, unsigned long page,
			       bool touched)
{
	while (page < view_pages(view) && is_touched(view, page) != touched) {
		if (!(++page % 1024))
			cond_resched();
	}
	return page;
}

/* COROPROF_IOC_TOUCHED */
static long view_touched(const struct coroprof_view_file *view, void __user *arg)
{
	struct coroprof_touched touched;
	unsigned long first, end;
	int err;

	err = coroprof_args_in(&touched, sizeof(touched), sizeof(touched), arg);
	if (err)
		return err;
	if (touched.flags)
		return -EINVAL;

	first = find_page(view, touched.slot / COROPROF_SLOTS_PER_PAGE, true);
	end = find_page(view, first, false);
	touched.slot = max_t(unsigned long, touched.slot, first * COROPROF_SLOTS_PER_PAGE);
	end = min_t(unsigned long, end * COROPROF_SLOTS_PER_PAGE, view->process->nr_slots);
	touched.nr = end > touched.slot ? end - touched.slot : 0;
	return coroprof_args_out(arg, &touched, sizeof(touched));
}

static long view_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (_IOC_TYPE(cmd) != COROPROF_IOC_MAGIC || _IOC_NR(cmd) != _IOC_NR(COROPROF_IOC_TOUCHED))
		return -ENOTTY;
	return view_touched(file->private_data, (void __user *)arg);
}

static vm_fault_t view_vm_fault(struct vm_fault *vmf)
{
	const struct coroprof_view_file *view = vmf->vma->vm_private_data;
	unsigned long page = vmf->pgoff - (COROPROF_MMAP_SLOTS >> PAGE_SHIFT);
	struct coroprof_slot *slots;

	if (page >= view_pages(view))
		return VM_FAULT_SIGBUS;
	slots = READ_ONCE(view->process->slots[page]);
	if (!slots)
		return VM_FAULT_SIGBUS;

	vmf->page = virt_to_page(slots);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct view_vm_ops = {
	.fault = view_vm_fault,
};

/* What is mapped read-only stays so. vma->vm_file holds the view. */
static int view_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct coroprof_view_file *view = file->private_data;
	unsigned long slots = COROPROF_MMAP_SLOTS >> PAGE_SHIFT;
	int err = coroprof_permit_call();

	if (err)
		return err;
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	if (vma->vm_pgoff < slots || vma->vm_pgoff - slots >= view_pages(view) ||
	    vma_pages(vma) > view_pages(view) - (vma->vm_pgoff - slots))
		return -EINVAL;

	coroprof_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP | COROPROF_VM_OWN,
			      VM_MAYEXEC | VM_MAYWRITE);
	vma->vm_private_data = view;
	vma->vm_ops = &view_vm_ops;
	return 0;
}

static int view_release(struct inode *inode, struct file *file)
{
	view_free(file->private_data);
	return 0;
}

static const struct file_operations view_fops = {
	.owner = THIS_MODULE,
	.release = view_release,
	.unlocked_ioctl = view_ioctl,
	.mmap = view_mmap,
};

/* The process, held, if the session has it attached, and no other has taken it over. */
static struct coroprof_process *process_of(struct coroprof_session *session, u32 id, u32 *epoch)
{
	struct coroprof_process *process = ERR_PTR(-ENOENT);
	struct coroprof_attachment *attachment;

	mutex_lock(&coroprof_mutex);
	attachment = coroprof_attachment_find(session, id);
	if (attachment && !READ_ONCE(attachment->taken)) {
		process = attachment->process;
		kref_get(&process->ref);
		*epoch = attachment->epoch;
	}
	mutex_unlock(&coroprof_mutex);
	return process;
}

static struct coroprof_view_file *view_create(struct coroprof_session *session, u32 id, u32 *epoch)
{
	struct coroprof_process *process = process_of(session, id, epoch);
	struct coroprof_view_file *view;
	int err;

	if (IS_ERR(process))
		return ERR_CAST(process);

	err = coroprof_quota_charge(session->quota, view_bytes());
	if (err)
		goto err_process;

	view = kzalloc(sizeof(*view), GFP_KERNEL_ACCOUNT);
	if (!view) {
		err = -ENOMEM;
		goto err_charge;
	}
	view->process = process;
	view->quota = session->quota;
	kref_get(&view->quota->ref);
	return view;

err_charge:
	coroprof_quota_uncharge(session->quota, view_bytes());
err_process:
	coroprof_process_put(process);
	return ERR_PTR(err);
}

/* COROPROF_IOC_VIEW. Returns a descriptor. */
long coroprof_view_open(struct coroprof_session *session, void __user *arg)
{
	struct coroprof_view_file *view;
	struct coroprof_view config;
	struct file *file;
	int fd, err;

	err = coroprof_args_in(&config, sizeof(config), sizeof(config), arg);
	if (err)
		return err;
	if (config.flags || config.reserved)
		return -EINVAL;

	view = view_create(session, config.process_id, &config.epoch);
	if (IS_ERR(view))
		return PTR_ERR(view);

	fd = coroprof_descriptor_reserve("[coroprof-view]", &view_fops, view, &file);
	if (fd < 0) {
		view_free(view);
		return fd;
	}

	config.nr_slots = view->process->nr_slots;
	err = coroprof_args_out(arg, &config, sizeof(config));
	if (err) {
		coroprof_descriptor_drop(fd, file);
		return err;
	}
	fd_install(fd, file);
	return fd;
}
