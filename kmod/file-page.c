// SPDX-License-Identifier: GPL-2.0
/* Pages of files, which whoever serves the file system (FUSE, a network) may withhold. */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "file-page.h"

/* Uprobes copy at most so many bytes of an instruction, which may lie on two pages. */
#define INSTRUCTION_BYTES 16

/* So many pages may be withheld at once: whoever was killed meanwhile has left a worker behind. */
#define READS_MAX 16

/**
 * struct page_read - pages that are being read, by a worker
 * @ref:    the worker's, and that of the task that waits for it until it is killed
 * @work:   on reads_wq. Without an end if the page is withheld: it holds no lock of ours, and
 *          the module
 * @done:   @err is there
 * @file:   the file; held
 * @inode:  of the pages: @file's, or, of an overlay, that of the file below; held
 * @offset: of an instruction in it
 * @err:    0, or why it could not be read
 */
struct page_read {
	struct kref ref;
	struct work_struct work;
	struct completion done;
	struct file *file;
	struct inode *inode;
	u64 offset;
	int err;
};

static struct workqueue_struct *reads_wq;
static atomic_t nr_reads;

static void page_read_free(struct kref *ref)
{
	struct page_read *read = container_of(ref, struct page_read, ref);

	iput(read->inode);
	fput(read->file);
	kfree(read);
}

/* What an overlay has opened below is its own affair: it reads by its own file. */
static int read_page(struct page_read *read, u64 offset)
{
	struct address_space *mapping = read->inode->i_mapping;
	loff_t pos = offset;
	struct page *page;
	char byte;

	if (read->inode != file_inode(read->file))
		return min_t(ssize_t, kernel_read(read->file, &byte, 1, &pos), 0);
	/* Nobody is asked for pages of tmpfs. */
	if (!coroprof_mapping_reads(mapping))
		return 0;
	page = read_mapping_page(mapping, offset >> PAGE_SHIFT, read->file);
	if (IS_ERR(page))
		return PTR_ERR(page);
	put_page(page);
	return 0;
}

static int read_pages(struct page_read *read)
{
	u64 first = read->offset, size = i_size_read(read->inode), last;
	int err;

	/* What is behind the end, uprobes refuse. */
	if (first >= size)
		return 0;
	last = min(first + INSTRUCTION_BYTES, size) - 1;
	err = read_page(read, first);
	if (!err && last >> PAGE_SHIFT != first >> PAGE_SHIFT)
		err = read_page(read, last);
	return err;
}

static void page_read_work(struct work_struct *work)
{
	struct page_read *read = container_of(work, struct page_read, work);

	read->err = read_pages(read);
	complete(&read->done);
	atomic_dec(&nr_reads);
	kref_put(&read->ref, page_read_free);
	module_put(THIS_MODULE);
}

/**
 * coroprof_file_page_in() - have an instruction of a file in the page cache
 * @file:   open for reading
 * @inode:  @file's, or, of an overlay, that of the file below
 * @offset: of the instruction
 *
 * Uprobes read it with locks held for which each fork() waits. Once it is in the page cache
 * they find it there; unless it is taken out again just then, as a server can do that
 * notices. May take as long as the server likes, or until the caller is killed. EBUSY: servers
 * withhold too many pages already.
 */
int coroprof_file_page_in(struct file *file, struct inode *inode, u64 offset)
{
	struct page_read *read;
	int err;

	if (!atomic_add_unless(&nr_reads, 1, READS_MAX))
		return -EBUSY;
	read = kzalloc(sizeof(*read), GFP_KERNEL_ACCOUNT);
	if (!read) {
		atomic_dec(&nr_reads);
		return -ENOMEM;
	}

	kref_init(&read->ref);
	INIT_WORK(&read->work, page_read_work);
	init_completion(&read->done);
	read->file = get_file(file);
	read->inode = inode;
	ihold(inode);
	read->offset = offset;
	kref_get(&read->ref);
	__module_get(THIS_MODULE);
	queue_work(reads_wq, &read->work);

	err = wait_for_completion_killable(&read->done);
	if (!err)
		err = read->err;
	kref_put(&read->ref, page_read_free);
	return err;
}

int coroprof_file_pages_init(void)
{
	reads_wq = alloc_workqueue("coroprof-reads", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	return reads_wq ? 0 : -ENOMEM;
}

/* No read is left, but the work that let go of the last one may be returning. */
void coroprof_file_pages_exit(void)
{
	destroy_workqueue(reads_wq);
}
