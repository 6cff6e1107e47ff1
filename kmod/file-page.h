/* SPDX-License-Identifier: GPL-2.0 */
/* Reads pages of files without waiting for ever where these are withheld. */
#ifndef COROPROF_FILE_PAGE_H
#define COROPROF_FILE_PAGE_H

#include <linux/fs.h>

int coroprof_file_page_in(struct file *file, struct inode *inode, u64 offset);
int coroprof_file_pages_init(void);
void coroprof_file_pages_exit(void);

#endif /* COROPROF_FILE_PAGE_H */
