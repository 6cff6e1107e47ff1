// SPDX-License-Identifier: GPL-2.0
/* The descriptor of a session: its commands, and what it reads and maps. */
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sizes.h>

#include "ahead.h"
#include "args.h"
#include "attach.h"
#include "attachment.h"
#include "channel-layout.h"
#include "channel.h"
#include "counters.h"
#include "descriptor.h"
#include "fdinfo.h"
#include "follow.h"
#include "lock.h"
#include "pending.h"
#include "offer.h"
#include "permit.h"
#include "probe.h"
#include "recording.h"
#include "ring.h"
#include "session-file.h"
#include "session.h"
#include "stream.h"
#include "view.h"

#define RING_SIZE_DEFAULT SZ_1M

/* The channel of the first recording after @id, up to @last, that goes on; held. */
static struct coroprof_channel *next_channel(struct coroprof_session *session,
					     unsigned long *id, u32 last)
{
	struct coroprof_channel *channel = NULL;
	struct coroprof_recording *recording;

	mutex_lock(&coroprof_mutex);
	do {
		recording = xa_find_after(&session->recordings, id, last, COROPROF_GOES_ON);
		if (recording && coroprof_channel_get(recording->channel))
			channel = recording->channel;
	} while (recording && !channel);
	mutex_unlock(&coroprof_mutex);
	return channel;
}

/* False if it is so already. The caller has the processes updated. */
static bool set_started(struct coroprof_session *session, bool started)
{
	bool changes;

	mutex_lock(&coroprof_mutex);
	changes = session->started != started;
	WRITE_ONCE(session->started, started);
	mutex_unlock(&coroprof_mutex);
	return changes;
}

static long session_start(struct coroprof_session *session)
{
	long err = -EALREADY;

	if (!READ_ONCE(session->started))
		coroprof_ahead_of_start(session);
	mutex_lock(&session->control_lock);
	/* Here, so that no thread has to wait for it in its first switch. */
	if (IS_ERR_OR_NULL(session->hold))
		session->hold = coroprof_event_hold();
	WRITE_ONCE(session->no_room, false);
	coroprof_negcache_forget();
	if (set_started(session, true)) {
		coroprof_attachments_update(session);
		err = 0;
	}
	mutex_unlock(&session->control_lock);
	return err;
}

/* The processes know: no recording begins any more. */
static void stop_channels(struct coroprof_session *session)
{
	u32 last = atomic_read(&session->last_id);
	struct coroprof_channel *channel;
	unsigned long id = 0;

	while ((channel = next_channel(session, &id, last))) {
		coroprof_channel_stop(channel, session);
		coroprof_offer_take_back(channel);
		coroprof_channel_put(channel);
	}
}

static long session_stop(struct coroprof_session *session)
{
	long err = -EALREADY;

	mutex_lock(&session->control_lock);
	if (set_started(session, false)) {
		coroprof_attachments_update(session);
		stop_channels(session);
		err = 0;
	}
	mutex_unlock(&session->control_lock);
	return err;
}

/*
 * The figures are right here where the thread's channel has gone, or is going: nothing
 * touches them any more. Else recording and channel are returned, held, for who may wait.
 */
static int channel_find(struct coroprof_session *session, u32 id,
			struct coroprof_channel_status *status,
			struct coroprof_recording **recording, struct coroprof_channel **channel)
{
	int err = 0;

	*channel = NULL;
	mutex_lock(&coroprof_mutex);
	*recording = coroprof_recording_find(session, id);
	if (!*recording) {
		err = -ENOENT;
	} else if ((*recording)->channel && coroprof_channel_get((*recording)->channel)) {
		*channel = (*recording)->channel;
		coroprof_recording_get(*recording);
	} else {
		coroprof_recording_status(*recording, status);
	}
	mutex_unlock(&coroprof_mutex);
	return err;
}

static long session_channel(struct coroprof_session *session, void __user *arg)
{
	struct coroprof_channel_status status;
	struct coroprof_recording *recording;
	struct coroprof_channel *channel;
	u32 size, id;
	int err;

	err = coroprof_args_in(&status, sizeof(status), COROPROF_CHANNEL_STATUS_SIZE_LEVEL1, arg);
	if (err)
		return err;

	size = status.size;
	id = status.channel_id;
	memset(&status, 0, sizeof(status));
	err = channel_find(session, id, &status, &recording, &channel);
	if (err)
		return err;
	if (channel) {
		coroprof_channel_status(channel, recording, &status);
		coroprof_recording_put(recording);
		coroprof_channel_put(channel);
	}

	/* Who has no room for the open slice knows no flags of it. */
	if (size <= COROPROF_CHANNEL_STATUS_SIZE_LEVEL2)
		status.flags &= COROPROF_CHANNEL_ENDED;
	status.size = size;
	status.channel_id = id;
	return coroprof_args_out(arg, &status, sizeof(status));
}

static long session_forget(struct coroprof_session *session, unsigned long id)
{
	struct coroprof_recording *recording;
	long err = 0;

	if (id > U32_MAX)
		return -ENOENT;

	mutex_lock(&coroprof_mutex);
	recording = coroprof_recording_find(session, id);
	if (!recording)
		err = -ENOENT;
	else if (!smp_load_acquire(&recording->ended)) /* coroprof_recording_end() */
		err = -EBUSY;
	else
		xa_erase(&session->recordings, id);
	mutex_unlock(&coroprof_mutex);
	if (err)
		return err;

	coroprof_pending_forget(recording);
	coroprof_recording_put(recording);
	return 0;
}

static long session_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct coroprof_session *session = file->private_data;
	void __user *argp = (void __user *)arg;

	if (_IOC_TYPE(cmd) != COROPROF_IOC_MAGIC)
		return -ENOTTY;

	switch (_IOC_NR(cmd)) {
	case _IOC_NR(COROPROF_IOC_ATTACH):
		return coroprof_attach_pid(session, argp);
	case _IOC_NR(COROPROF_IOC_START):
		return session_start(session);
	case _IOC_NR(COROPROF_IOC_STOP):
		return session_stop(session);
	case _IOC_NR(COROPROF_IOC_CHANNEL):
		return session_channel(session, argp);
	case _IOC_NR(COROPROF_IOC_FORGET):
		return session_forget(session, arg);
	case _IOC_NR(COROPROF_IOC_DELEGATE):
		return coroprof_offer_delegate(session, file_inode(file), argp);
	case _IOC_NR(COROPROF_IOC_VIEW):
		return coroprof_view_open(session, argp);
	case _IOC_NR(COROPROF_IOC_PROBE):
		return coroprof_probe_add(session, argp);
	default:
		return -ENOTTY;
	}
}

/* Refill the buffer when it is empty. */
static void refill(struct coroprof_session *session)
{
	LIST_HEAD(done);

	if (session->given < session->have)
		return;

	session->have = coroprof_stream_fill(session, session->buffer,
					     sizeof(session->buffer), &done);
	session->given = 0;
	coroprof_attachments_free(session, &done);
}

/* How much of the buffer to give to a reader who takes @room: whole records. */
static u32 whole_records(const struct coroprof_session *session, size_t room)
{
	u32 end = session->given;

	while (end < session->have) {
		const struct coroprof_record *record = (void *)(session->buffer + end);

		if (end + record->size - session->given > room)
			break;
		end += record->size;
	}
	return end - session->given;
}

static ssize_t give(struct coroprof_session *session, char __user *to, size_t room)
{
	u32 size;

	refill(session);
	if (session->given == session->have)
		return -EAGAIN;

	size = whole_records(session, room);
	if (!size)
		return -EINVAL;
	if (copy_to_user(to, session->buffer + session->given, size))
		return -EFAULT;
	session->given += size;
	return size;
}

/* Records that were made, and that the reader has not got. */
static bool has_rest(const struct coroprof_session *session)
{
	return READ_ONCE(session->given) < READ_ONCE(session->have);
}

static ssize_t session_read(struct file *file, char __user *to, size_t room, loff_t *pos)
{
	struct coroprof_session *session = file->private_data;
	ssize_t ret;
	bool rest;
	struct coroprof_coming coming;

	ret = coroprof_permit_call();
	if (ret)
		return ret;
	for (;;) {
		ret = mutex_lock_interruptible(&session->read_lock);
		if (ret)
			return ret;
		ret = give(session, to, room);
		rest = has_rest(session);
		coming = session->coming;
		session->coming.nr = 0;
		mutex_unlock(&session->read_lock);
		if (coming.nr)
			coroprof_ahead_of_threads(session, &coming);
		/* Another reader may have looked while it was in the making. */
		if (rest)
			coroprof_pending_wake(&session->pending);
		if (ret != -EAGAIN || (file->f_flags & O_NONBLOCK))
			return ret;

		ret = wait_event_interruptible(session->pending.wait,
					       has_rest(session) ||
					       coroprof_pending_has_record(&session->pending));
		if (ret)
			return ret;
	}
}

static __poll_t session_poll(struct file *file, poll_table *wait)
{
	struct coroprof_session *session = file->private_data;
	bool ready;

	poll_wait(file, &session->pending.wait, wait);
	ready = has_rest(session) || coroprof_pending_is_ready(&session->pending);
	return ready ? EPOLLIN | EPOLLRDNORM : 0;
}

static int session_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct coroprof_session *session = file->private_data;
	unsigned long one = COROPROF_MMAP_RING(1) >> PAGE_SHIFT;
	unsigned long samples = COROPROF_MMAP_SAMPLES(0) >> PAGE_SHIFT;
	bool of_samples = vma->vm_pgoff & samples;
	struct coroprof_recording *recording;
	struct coroprof_ring *ring = NULL;
	int err = coroprof_permit_call();

	if (err)
		return err;
	coroprof_ring_vma(vma);
	err = -EINVAL;
	mutex_lock(&coroprof_mutex);
	recording = coroprof_recording_find(session, vma->vm_pgoff / one);
	if (recording)
		ring = of_samples ? recording->sampler.ring : recording->ring;
	if (ring && ring->size)
		err = coroprof_ring_mmap(ring, vma, vma->vm_pgoff % samples);
	mutex_unlock(&coroprof_mutex);
	if (!err)
		coroprof_ring_fill(vma);
	return err;
}

/* Nobody looks at them any more: the last one of the session's readers has gone. */
static void forget_all(struct coroprof_session *session)
{
	struct coroprof_recording *recording;
	unsigned long id;

	xa_for_each(&session->recordings, id, recording) {
		xa_erase(&session->recordings, id);
		coroprof_pending_forget(recording);
		coroprof_recording_put(recording);
		cond_resched();
	}
}

static int session_release(struct inode *inode, struct file *file)
{
	struct coroprof_session *session = file->private_data;

	session_stop(session);
	coroprof_probes_remove(session);
	if (!IS_ERR_OR_NULL(session->hold))
		perf_event_release_kernel(session->hold);

	coroprof_session_unpublish(session);
	coroprof_follows_free(session);
	coroprof_attachments_end(session);
	forget_all(session);
	coroprof_attachments_free_all(session);
	coroprof_session_put(session);
	return 0;
}

static const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.release = session_release,
	.read = session_read,
	.poll = session_poll,
	.unlocked_ioctl = session_ioctl,
	.mmap = session_mmap,
	.show_fdinfo = coroprof_fdinfo_session,
};

/* Fills in the default. */
static int ring_size_in(u32 *size)
{
	if (!*size)
		*size = max_t(u32, RING_SIZE_DEFAULT, PAGE_SIZE);
	if (!is_power_of_2(*size) || *size < PAGE_SIZE || *size > SZ_1G)
		return -EINVAL;
	return 0;
}

static int sampling_in(struct coroprof_sampling *sampling)
{
	int err;

	if (!sampling->period && !sampling->frequency)
		return memchr_inv(sampling, 0, sizeof(*sampling)) ? -EINVAL : 0;
	err = coroprof_sampling_check(sampling);
	if (err)
		return err;
	sampling->frequency = coroprof_permit_frequency(sampling->frequency);
	return ring_size_in(&sampling->ring_size);
}

/* There is nothing to be put into a ring. */
static int totals_in(const struct coroprof_session_config *config)
{
	if (config->flags & COROPROF_SESSION_TRACES || config->ring_size || config->watermark ||
	    memchr_inv(&config->sampling, 0, sizeof(config->sampling)))
		return -EINVAL;
	return coroprof_counters_check(config->counters, config->nr_counters);
}

static int config_in(struct coroprof_session_config *config, u32 *left, void __user *arg)
{
	int err;

	err = coroprof_args_in(config, sizeof(*config), COROPROF_SESSION_CONFIG_SIZE_LEVEL1, arg);
	if (err)
		return err;
	if (config->flags & ~(COROPROF_SESSION_USER | COROPROF_SESSION_TOTALS |
			      COROPROF_SESSION_TRACES))
		return -EINVAL;
	*left = 0;
	if (config->flags & COROPROF_SESSION_TOTALS)
		return totals_in(config);
	if (!config->ring_size)
		*left |= COROPROF_RING_LEFT;
	if (!config->sampling.ring_size)
		*left |= COROPROF_SAMPLES_LEFT;
	err = ring_size_in(&config->ring_size);
	if (err)
		return err;
	err = sampling_in(&config->sampling);
	if (err)
		return err;

	if (!config->watermark)
		config->watermark = config->ring_size / 4;
	if (config->watermark > config->ring_size)
		return -EINVAL;
	config->watermark = coroprof_watermark_in(config->watermark, config->ring_size);
	return coroprof_counters_check(config->counters, config->nr_counters);
}

/* COROPROF_IOC_SESSION. Returns a descriptor. */
long coroprof_session_open(void __user *arg)
{
	struct coroprof_session_config config;
	struct coroprof_session *session;
	struct file *file;
	int fd, err;
	u32 left;

	err = config_in(&config, &left, arg);
	if (err)
		return err;

	session = coroprof_session_create(&config, left);
	if (IS_ERR(session))
		return PTR_ERR(session);

	fd = coroprof_descriptor_reserve("[coroprof-session]", &session_fops, session, &file);
	if (fd < 0) {
		coroprof_session_put(session);
		return fd;
	}

	config.token = session->token;
	err = coroprof_args_out(arg, &config, sizeof(config));
	if (err)
		goto err_descriptor;

	coroprof_session_publish(session);
	fd_install(fd, file);
	return fd;

err_descriptor:
	coroprof_descriptor_drop(fd, file);
	return err;
}
