/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What /proc/PID/fdinfo/FD says about a descriptor; coroprof(4) describes it for users.
 * These functions may sleep; they take coroprof_mutex.
 */
#ifndef COROPROF_FDINFO_H
#define COROPROF_FDINFO_H

struct file;
struct seq_file;

/* show_fdinfo of each kind of descriptor; private_data is the object. */
void coroprof_fdinfo_process(struct seq_file *to, struct file *file);
void coroprof_fdinfo_channel(struct seq_file *to, struct file *file);
void coroprof_fdinfo_session(struct seq_file *to, struct file *file);

#endif /* COROPROF_FDINFO_H */
