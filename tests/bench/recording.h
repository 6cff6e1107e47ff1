/* SPDX-License-Identifier: GPL-2.0 */
/* A recording of this process by itself: its process, a session, channels. */
#ifndef BENCH_RECORDING_H
#define BENCH_RECORDING_H

#include <coroprof.h>
#include <stdbool.h>
#include <stdint.h>

#define RECORDING_FIRST 2u	/* slot 1 stands for the thread */
/* Among events: the program's own counter. */
#define RECORDING_PROGRAM UINT64_MAX
/* The standing when so many counters are COUNTED, and no more are supported. */
#define RECORDING_COUNTED(nr) ((1u << 2 * (nr)) - 1)

/**
 * struct recording - who records whom
 * @session:     descriptor
 * @process:     descriptor
 * @nr_counters: what each switch reads
 * @nr_slots:    RECORDING_FIRST and so many more
 * @slots:       mapped
 */
struct recording {
	int session;
	int process;
	unsigned int nr_counters;
	uint32_t nr_slots;
	struct coroprof_slot *slots;
};

/**
 * struct track - the calling thread as it is recorded
 * @channel:  descriptor
 * @id:       the channel's number in the session
 * @session:  descriptor
 * @ring_size: of its ring, 0 in a session of totals: then there is none
 * @consumer: its ring's
 * @producer: its ring's
 * @user:     it switches from user mode
 * @reason:   why not, COROPROF_REASON_*
 */
struct track {
	int channel;
	uint32_t id;
	int session;
	bool user;
	unsigned int reason;
	uint32_t ring_size;
	struct coroprof_ring_consumer *consumer;
	const struct coroprof_ring_producer *producer;
};

/* All of these return 0 or a negative errno. */
/* @flags: COROPROF_SESSION_* */
int recording_open(struct recording *recording, unsigned int nr_counters, uint32_t coroutines,
		   uint32_t flags);
int recording_start(const struct recording *recording);
/* The calling thread joins. @slot: its own. */
int track_join(struct track *track, const struct recording *recording, uint32_t slot);
/*
 * Once started: the calling thread switches, which announces its channel, and
 * maps its ring. One thread at a time.
 */
int track_begin(struct track *track, uint32_t slot);
/*
 * The process has made itself known by other means: it is recorded, user mode
 * and all. @events: PERF_COUNT_HW_* or RECORDING_PROGRAM. @flags: COROPROF_SESSION_*. Once a
 * thread of it has switched, track_find() is for that thread.
 */
int track_attach(struct track *track, const uint64_t *events, unsigned int nr_counters,
		 uint32_t flags);
int track_find(struct track *track);
/*
 * This process, which has not made itself known, is recorded by a probe once a thread of it
 * comes there; then track_find() is for that thread.
 */
int track_probe(struct track *track, struct coroprof_probe *probe, unsigned int nr_counters);
/* Likewise; from here on its probes tell. */
int track_start_probed(struct track *track);
/* Frees what the ring holds. Of the type of loop.between. */
void track_drain(void *track);
/* The channel's totals. */
int track_status(const struct track *track, struct coroprof_channel_status *status);
/*
 * -ENOBUFS if a slice was lost, -ENODATA if a counter did not count in all of
 * them or totals are missing from a slot, or 0.
 */
int track_verify(const struct track *track, const struct recording *recording);
/* The same, but for the slots. @standing: of the counters in all slices. */
int track_verify_counts(const struct track *track, uint32_t standing);

#endif /* BENCH_RECORDING_H */
