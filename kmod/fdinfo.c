// SPDX-License-Identifier: GPL-2.0
/*
 * What /proc/PID/fdinfo shows of our descriptors. It only looks: a mutex is held for one object at
 * a time, so that sums are of no one moment.
 */
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/seq_file.h>

#include "attachment.h"
#include "channel-layout.h"
#include "fdinfo.h"
#include "lock.h"
#include "process.h"
#include "quota.h"
#include "recording.h"
#include "session.h"

/* How full a ring is, and what found no room. The thread may be writing: a moment's figures. */
static void show_ring(struct seq_file *to, const char *of, struct coroprof_ring *ring)
{
	seq_printf(to, "%sring-size:\t%u\n", of, ring->size);
	seq_printf(to, "%sring-used:\t%llu\n", of, coroprof_ring_used(ring));
	seq_printf(to, "%slost:\t%llu\n", of, READ_ONCE(ring->full));
}

static u32 count_channels(struct coroprof_process *process)
{
	struct coroprof_channel *channel;
	u32 nr = 0;

	mutex_lock(&process->channels_lock);
	list_for_each_entry(channel, &process->channels, node)
		nr++;
	mutex_unlock(&process->channels_lock);
	return nr;
}

static u32 count_labels(struct coroprof_process *process)
{
	struct coroprof_label_text *text;
	unsigned long label;
	u32 nr = 0;

	xa_for_each(&process->labels, label, text)
		nr++;
	return nr;
}

void coroprof_fdinfo_process(struct seq_file *to, struct file *file)
{
	struct coroprof_process *process = file->private_data;

	seq_printf(to, "process-id:\t%u\n", process->id);
	seq_printf(to, "slots:\t%u\n", process->nr_slots);
	seq_printf(to, "labels:\t%u\n", count_labels(process));
	seq_printf(to, "threads:\t%u\n", count_channels(process));
	mutex_lock(&coroprof_mutex);
	seq_printf(to, "attached:\t%s\n", process->session ? "yes" : "no");
	seq_printf(to, "ended:\t%s\n", process->ended ? "yes" : "no");
	mutex_unlock(&coroprof_mutex);
}

void coroprof_fdinfo_channel(struct seq_file *to, struct file *file)
{
	struct coroprof_channel *channel = file->private_data;
	struct coroprof_recording *recording;

	seq_printf(to, "process-id:\t%u\n", channel->process->id);
	seq_printf(to, "tid:\t%d\n", pid_vnr(channel->tid));
	/* Its thread may end it now; whoever retires it then takes the mutex first. */
	mutex_lock(&coroprof_mutex);
	recording = READ_ONCE(channel->recording);
	seq_printf(to, "mode:\t%s\n", !recording ? "not recorded" :
		   recording->user_mode ? "user" : "ioctl");
	if (recording && recording->ring)
		show_ring(to, "", recording->ring);
	if (recording && recording->sampler.ring)
		show_ring(to, "sample-", recording->sampler.ring);
	mutex_unlock(&coroprof_mutex);
}

struct sums {
	u32 processes;
	u32 threads;
	u32 ended;
	u64 lost;
	u64 lost_samples;
};

static void add_recording(const struct coroprof_recording *recording, struct sums *sums)
{
	if (READ_ONCE(recording->ended))
		sums->ended++;
	else
		sums->threads++;
	if (recording->ring)
		sums->lost += READ_ONCE(recording->ring->full);
	if (recording->sampler.ring)
		sums->lost_samples += READ_ONCE(recording->sampler.ring->full);
}

/* As others wait for the mutex, it is taken for each: the sums are of no one moment. */
static void add_recordings(struct coroprof_session *session, struct sums *sums)
{
	struct coroprof_recording *recording;
	unsigned long id = 0;

	do {
		mutex_lock(&coroprof_mutex);
		recording = xa_find_after(&session->recordings, &id, U32_MAX, XA_PRESENT);
		if (recording)
			add_recording(recording, sums);
		mutex_unlock(&coroprof_mutex);
		cond_resched();
	} while (recording);
}

static void add_attachment(struct coroprof_session *session,
			   struct coroprof_attachment *attachment, void *data)
{
	struct sums *sums = data;

	sums->processes += !attachment->ended;
}

void coroprof_fdinfo_session(struct seq_file *to, struct file *file)
{
	struct coroprof_session *session = file->private_data;
	struct coroprof_quota *quota = session->quota;
	struct sums sums = { 0 };

	add_recordings(session, &sums);
	coroprof_attachments_each(session, add_attachment, &sums);
	seq_printf(to, "started:\t%s\n", READ_ONCE(session->started) ? "yes" : "no");
	seq_printf(to, "processes:\t%u\n", sums.processes);
	seq_printf(to, "threads:\t%u\n", sums.threads);
	seq_printf(to, "ended-threads:\t%u\n", sums.ended);
	seq_printf(to, "unrecorded:\t%llu\n", READ_ONCE(session->pending.unrecorded));
	seq_printf(to, "ring-size:\t%u\n", session->ring_size);
	seq_printf(to, "lost:\t%llu\n", sums.lost);
	if (coroprof_session_samples(session)) {
		seq_printf(to, "sample-ring-size:\t%u\n", session->sampling.ring_size);
		seq_printf(to, "sample-lost:\t%llu\n", sums.lost_samples);
	}
	seq_printf(to, "memory:\t%lld\n", atomic64_read(&quota->bytes));
	seq_printf(to, "memory-spare:\t%lld\n", atomic64_read(&quota->spare));
	seq_printf(to, "memory-limit:\t%llu\n", quota->limit);
	seq_printf(to, "user-memory:\t%lld\n", atomic64_read(&quota->up->bytes));
}
