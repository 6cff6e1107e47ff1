/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reading side of samples, as reader.h is of slices: whatever breaks a
 * promise of the ABI becomes the reader's defect.
 */
#ifndef _SAMPLES_H
#define _SAMPLES_H

#include "reader.h"

struct sample {
	const struct coroprof_record_sample *record;
	const __u64 *addresses;
};

struct samples {
	struct reader *reader;
	const struct log *log;
	struct coroprof_ring_consumer *consumer;
	const struct coroprof_ring_producer *producer;
	const unsigned char *data;
	__u64 tail;
	__u64 last_time;
	__u64 taken;
	__u64 lost;
	__u32 stack_max;
	/* Called for each sample, if set. */
	void (*each)(void *arg, const struct sample *sample);
	void *arg;
};

/* Returns 0 or a negative errno. */
static inline int samples_map(struct samples *samples, struct reader *reader,
			      const struct log *log)
{
	__u64 offset = COROPROF_MMAP_SAMPLES(log->record.channel_id);
	size_t size = log->record.sample_ring_size;

	samples->reader = reader;
	samples->log = log;
	samples->stack_max = reader->config.sampling.stack_max;
	samples->last_time = log->record.time;
	samples->consumer = map_at(reader->fd, page_size(), PROT_READ | PROT_WRITE,
				   MAP_SHARED, offset);
	if (!samples->consumer)
		return -errno;
	samples->producer = map_at(reader->fd, page_size() + 2 * size, PROT_READ,
				   MAP_SHARED, offset + page_size());
	if (!samples->producer)
		return -errno;
	samples->data = (const unsigned char *)samples->producer + page_size();
	return 0;
}

static inline void samples_unmap(struct samples *samples)
{
	if (samples->consumer)
		munmap(samples->consumer, page_size());
	if (samples->producer)
		munmap((void *)samples->producer,
		       page_size() + 2 * (size_t)samples->log->record.sample_ring_size);
}

static inline bool is_user_address(__u64 address)
{
	return address < 1ULL << 56;
}

static inline void sample_check(struct samples *samples, const struct sample *sample)
{
	const struct coroprof_record_sample *record = sample->record;
	unsigned int id = samples->log->record.channel_id, i;
	struct reader *reader = samples->reader;

	if (!record->nr || record->nr > 1 + samples->stack_max ||
	    record->size != sizeof(*record) + record->nr * sizeof(__u64)) {
		defect(reader, "channel %u: SAMPLE of %u addresses has %u bytes",
		       id, record->nr, record->size);
		return;
	}
	if (record->flags & ~(COROPROF_SAMPLE_IN_KERNEL | COROPROF_SAMPLE_CUT))
		defect(reader, "channel %u: SAMPLE with flags %#x", id, record->flags);
	if (record->flags & COROPROF_SAMPLE_CUT && record->nr != 1 + samples->stack_max)
		defect(reader, "channel %u: SAMPLE cut at %u addresses", id, record->nr);
	if (!record->slot || record->slot >= reader->nr_slots)
		defect(reader, "channel %u: SAMPLE of slot %u", id, record->slot);
	for (i = 0; i < record->nr; i++)
		if (!is_user_address(sample->addresses[i]))
			defect(reader, "channel %u: SAMPLE with address %#llx",
			       id, sample->addresses[i]);
	if (samples->each)
		samples->each(samples->arg, sample);
}

static inline void samples_take(struct samples *samples, const struct coroprof_record *record)
{
	const struct coroprof_record_lost *lost = (const void *)record;
	struct sample sample = { .record = (const void *)record };
	unsigned int id = samples->log->record.channel_id;

	sample.addresses = (const __u64 *)(sample.record + 1);
	if (record->type == COROPROF_RECORD_LOST) {
		if (!lost->full || lost->spans || record->size != sizeof(*lost) ||
		    lost->time < samples->last_time)
			defect(samples->reader, "channel %u: LOST of %llu samples until %llu",
			       id, lost->full, lost->time);
		samples->lost += lost->full;
		samples->last_time = lost->time;
	} else if (record->type == COROPROF_RECORD_SAMPLE) {
		if (sample.record->time < samples->last_time)
			defect(samples->reader, "channel %u: SAMPLE of %llu after %llu",
			       id, sample.record->time, samples->last_time);
		samples->last_time = sample.record->time;
		samples->taken++;
		sample_check(samples, &sample);
	} else {
		defect(samples->reader, "channel %u: record of type %u among its samples",
		       id, record->type);
	}
}

/* Takes what is in the ring. */
static inline void samples_drain(struct samples *samples)
{
	__u64 head = __atomic_load_n(&samples->producer->head, __ATOMIC_ACQUIRE);
	__u32 size = samples->log->record.sample_ring_size;

	if (head - samples->tail > size)
		defect(samples->reader, "samples: head %llu, tail %llu, ring of %u bytes",
		       head, samples->tail, size);
	while (samples->tail != head && !samples->reader->defect[0]) {
		const struct coroprof_record *record =
			(const void *)(samples->data + samples->tail % size);

		if (!record_sane(samples->reader, record, head - samples->tail))
			break;
		samples_take(samples, record);
		samples->tail += record->size;
	}
	__atomic_store_n(&samples->consumer->tail, samples->tail, __ATOMIC_RELEASE);
}

/* What the kernel says it took is what came. Of a channel that has ended. */
static inline const char *samples_agree(struct samples *samples)
{
	struct coroprof_channel_status status;
	struct reader *reader = samples->reader;

	samples_drain(samples);
	if (channel_status(reader->fd, samples->log->record.channel_id, &status))
		return "no status";
	if (status.samples != samples->taken + samples->lost)
		defect(reader, "%llu samples, but %llu came and %llu are told to be lost",
		       status.samples, samples->taken, samples->lost);
	if (status.samples_lost != samples->lost)
		defect(reader, "%llu samples lost, but %llu are told",
		       status.samples_lost, samples->lost);
	if (samples->producer->lost != samples->lost)
		defect(reader, "%llu samples lost, says their ring", samples->producer->lost);
	if (samples->last_time > status.end)
		defect(reader, "a sample at %llu, the end at %llu",
		       samples->last_time, status.end);
	return reader->defect;
}

#endif /* _SAMPLES_H */
