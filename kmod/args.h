/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments of commands: structures that start with their size, and may grow. */
#ifndef COROPROF_ARGS_H
#define COROPROF_ARGS_H

#include <linux/uaccess.h>

/**
 * coroprof_args_in() - copy a structure from user space
 * @to:      the structure as this module knows it, its u32 size first
 * @ksize:   its size
 * @first:   its size in the first ABI level; less is refused
 * @from:    the user's
 *
 * The structure then has the size that was checked, even if another thread of the user
 * changes it meanwhile.
 */
static inline int coroprof_args_in(void *to, u32 ksize, u32 first, const void __user *from)
{
	u32 usize;
	int err;

	if (get_user(usize, (const u32 __user *)from))
		return -EFAULT;
	if (usize < first)
		return -EINVAL;
	if (usize > PAGE_SIZE)
		return -E2BIG;

	err = copy_struct_from_user(to, ksize, from, usize);
	*(u32 *)to = usize;
	return err;
}

/* Copy the structure back, at most as many bytes as the user has room for. */
static inline int coroprof_args_out(void __user *to, const void *from, u32 ksize)
{
	return copy_to_user(to, from, min(ksize, *(const u32 *)from)) ? -EFAULT : 0;
}

#endif /* COROPROF_ARGS_H */
