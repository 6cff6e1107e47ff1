/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What perf keeps to itself: done by its own functions where Kbuild has found that the kernel
 * exports them (COROPROF_PERF_EXPORTS, see docs/design/upstream.md), and else here.
 */
#ifndef COROPROF_PERF_H
#define COROPROF_PERF_H

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <linux/string.h>

/*
 * The count of an event of the calling thread that is on this CPU. Interrupts are off. Without
 * perf_event_read_local() it is done here as that does it.
 */
static __always_inline u64 coroprof_event_count(struct perf_event *event)
{
#ifdef COROPROF_PERF_EXPORTS
	u64 count = 0;

	/* It refuses only what is another task's, or inherited. */
	WARN_ON_ONCE(perf_event_read_local(event, &count, NULL, NULL));
	return count;
#else
	event->pmu->read(event);
	return local64_read(&event->count);
#endif
}

/*
 * Whether a file is an event of perf. Of an anonymous file only its name, which the kernel gives,
 * shows that, as its operations are known to perf alone. @anon is the inode that all of them share.
 */
static inline bool coroprof_file_is_event(struct file *file, const struct inode *anon)
{
#ifdef COROPROF_PERF_EXPORTS
	return !IS_ERR(perf_get_event(file));
#else
	return file_inode(file) == anon &&
	       !strcmp(file->f_path.dentry->d_name.name, "[perf_event]");
#endif
}

#endif /* COROPROF_PERF_H */
