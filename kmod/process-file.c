// SPDX-License-Identifier: GPL-2.0
/* The descriptor of a process: its commands, and what it maps. */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "args.h"
#include "channel.h"
#include "compat.h"
#include "descriptor.h"
#include "fdinfo.h"
#include "lock.h"
#include "discover.h"
#include "permit.h"
#include "process-file.h"
#include "process.h"
#include "quota.h"

#define SLOTS_DEFAULT 65536

static long process_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct coroprof_process *process = file->private_data;
	void __user *argp = (void __user *)arg;

	if (_IOC_TYPE(cmd) != COROPROF_IOC_MAGIC)
		return -ENOTTY;

	switch (_IOC_NR(cmd)) {
	case _IOC_NR(COROPROF_IOC_THREAD):
		if (!coroprof_process_is_current(process))
			return -EPERM;
		return coroprof_channel_open(process, argp);
	case _IOC_NR(COROPROF_IOC_LABEL):
		if (!coroprof_process_is_current(process))
			return -EPERM;
		return coroprof_process_new_label(process, argp);
	default:
		return -ENOTTY;
	}
}

/* At execve() the descriptor may be another process's, too, and not be released. */
static int process_flush(struct file *file, fl_owner_t id)
{
	struct coroprof_process *process = file->private_data;

	if (current->in_execve && process->tgid == task_tgid(current)) {
		coroprof_channel_execve();
		coroprof_process_end(process);
	}
	return 0;
}

/* One of its files is gone. */
static void process_let_go(struct coroprof_process *process)
{
	bool ends = false;

	mutex_lock(&coroprof_mutex);
	if (!--process->files)
		ends = coroprof_process_end_locked(process);
	mutex_unlock(&coroprof_mutex);
	if (ends)
		coroprof_process_cut(process, false);
	coroprof_process_put(process);
}

static int process_release(struct inode *inode, struct file *file)
{
	process_let_go(file->private_data);
	return 0;
}

/* vma->vm_file holds the descriptor, and that the process. */
static void page_vm_open(struct vm_area_struct *vma)
{
	struct coroprof_process *process = vma->vm_private_data;

	if (vma->vm_mm != process->mm)
		return;
	mutex_lock(&coroprof_mutex);
	process->own_maps++;
	mutex_unlock(&coroprof_mutex);
}

static void page_vm_close(struct vm_area_struct *vma)
{
	struct coroprof_process *process = vma->vm_private_data;
	bool ends = false;

	if (vma->vm_mm != process->mm)
		return;
	mutex_lock(&coroprof_mutex);
	if (!--process->own_maps)
		ends = coroprof_process_end_locked(process);
	mutex_unlock(&coroprof_mutex);
	if (ends)
		coroprof_process_cut(process, false);
}

static vm_fault_t page_vm_fault(struct vm_fault *vmf)
{
	struct coroprof_process *process = vmf->vma->vm_private_data;

	if (vmf->pgoff)
		return VM_FAULT_SIGBUS;
	vmf->page = process->page;
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct page_vm_ops = {
	.open = page_vm_open,
	.close = page_vm_close,
	.fault = page_vm_fault,
};

static vm_fault_t slots_vm_fault(struct vm_fault *vmf)
{
	struct coroprof_process *process = vmf->vma->vm_private_data;
	unsigned long page = vmf->pgoff - (COROPROF_MMAP_SLOTS >> PAGE_SHIFT);
	struct coroprof_slot *slot;

	if (page >= coroprof_slot_pages(process->nr_slots))
		return VM_FAULT_SIGBUS;

	slot = coroprof_process_slot_alloc(process, page * COROPROF_SLOTS_PER_PAGE);
	if (IS_ERR(slot))
		return PTR_ERR(slot) == -ENOMEM ? VM_FAULT_OOM : VM_FAULT_SIGBUS;

	vmf->page = virt_to_page(process->slots[page]);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct slots_vm_ops = {
	.fault = slots_vm_fault,
};

static int process_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct coroprof_process *process = file->private_data;
	unsigned long slots = COROPROF_MMAP_SLOTS >> PAGE_SHIFT;
	int err = coroprof_permit_call();

	if (err)
		return err;
	if (!coroprof_process_is_current(process))
		return -EPERM;
	if (!(vma->vm_flags & VM_SHARED) || (vma->vm_flags & VM_EXEC))
		return -EPERM;

	vma->vm_private_data = process;
	if (vma->vm_pgoff == 0 && vma_pages(vma) == 1) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		coroprof_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP,
				      VM_MAYEXEC | VM_MAYWRITE);
		vma->vm_ops = &page_vm_ops;
		page_vm_open(vma);
		return 0;
	}
	if (vma->vm_pgoff >= slots &&
	    vma->vm_pgoff - slots + vma_pages(vma) <= coroprof_slot_pages(process->nr_slots)) {
		coroprof_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
		vma->vm_ops = &slots_vm_ops;
		return 0;
	}
	return -EINVAL;
}

static const struct file_operations process_fops = {
	.owner = THIS_MODULE,
	.flush = process_flush,
	.release = process_release,
	.unlocked_ioctl = process_ioctl,
	.mmap = process_mmap,
	.show_fdinfo = coroprof_fdinfo_process,
};

/* The calling process as it is known, held, with one file more; or NULL. */
static struct coroprof_process *process_known(void)
{
	struct coroprof_process *process;

	mutex_lock(&coroprof_mutex);
	process = coroprof_process_find(task_tgid(current));
	if (process && process->mm == current->mm && !process->keys) {
		kref_get(&process->ref);
		process->files++;
	} else {
		process = NULL;
	}
	mutex_unlock(&coroprof_mutex);
	return process;
}

/* COROPROF_PROCESS_AGAIN */
static long process_open_again(struct coroprof_process_config *config, void __user *arg)
{
	struct coroprof_process *process = process_known();
	struct file *file;
	int fd, err;

	if (!process)
		return -ENOENT;
	fd = coroprof_descriptor_reserve("[coroprof-process]", &process_fops, process, &file);
	if (fd < 0) {
		process_let_go(process);
		return fd;
	}
	config->slots = process->nr_slots;
	config->process_id = process->id;
	err = coroprof_args_out(arg, config, sizeof(*config));
	if (err) {
		coroprof_descriptor_drop(fd, file);
		return err;
	}
	fd_install(fd, file);
	return fd;
}

/* COROPROF_IOC_PROCESS. Returns a descriptor. */
long coroprof_process_open(void __user *arg)
{
	struct coroprof_process_config config;
	struct coroprof_process *process;
	struct file *file;
	int fd, err;

	err = coroprof_args_in(&config, sizeof(config), sizeof(config), arg);
	if (err)
		return err;
	if (config.flags & ~COROPROF_PROCESS_AGAIN)
		return -EINVAL;
	if (config.flags)
		return process_open_again(&config, arg);
	if (config.slots == 1 || config.slots > COROPROF_SLOTS_MAX)
		return -EINVAL;
	if (!config.slots)
		config.slots = SLOTS_DEFAULT;

	process = coroprof_process_create(config.slots, coroprof_quota_get(), 0);
	if (IS_ERR(process))
		return PTR_ERR(process);

	process->files = 1;
	fd = coroprof_descriptor_reserve("[coroprof-process]", &process_fops, process, &file);
	if (fd < 0) {
		coroprof_process_put(process);
		return fd;
	}

	err = coroprof_discover(process, config.token);
	if (err)
		goto err_descriptor;

	config.process_id = process->id;
	err = coroprof_args_out(arg, &config, sizeof(config));
	if (err)
		goto err_descriptor;

	fd_install(fd, file);
	return fd;

err_descriptor:
	coroprof_descriptor_drop(fd, file);
	return err;
}
