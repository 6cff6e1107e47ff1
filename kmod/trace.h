/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoint coroprof:coroprof_slice, for perf, bpftrace and all else that reads
 * tracepoints. It is not part of the ABI: coroprof(4) describes it.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM coroprof

#if !defined(COROPROF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define COROPROF_TRACE_H

#include <linux/tracepoint.h>

#include "../uapi/coroprof.h"

struct coroprof_channel;
struct coroprof_deltas;
struct coroprof_label_text;
struct coroprof_recording;

/*
 * Somebody listens to the tracepoint. While this is true no slice ends in coroprof_fast_switch()
 * or in user mode, which have no tracepoint; so these need not look at it.
 */
extern bool coroprof_traced;

int coroprof_trace_on(void);
void coroprof_trace_off(void);

/* A slice has ended. Only who may touch the slice (channel-layout.h) calls it. */
TRACE_EVENT_FN(coroprof_slice,
	       TP_PROTO(const struct coroprof_recording *recording,
			const struct coroprof_channel *channel,
			const struct coroprof_label_text *label, u64 now, u16 flags,
			const struct coroprof_deltas *deltas),
	       TP_ARGS(recording, channel, label, now, flags, deltas),

	       TP_STRUCT__entry(__field(u32, process)
				__field(u32, channel)
				__field(s32, tid)
				__field(u32, slot)
				__field(u64, id)
				__field(u64, time)
				__field(u64, duration)
				__field(u64, preempted)
				__field(u64, blocked)
				__field(u16, flags)
				__field(u16, standing)
				__field(u32, nr_counters)
				__field(u64, count0)
				__field(u64, count1)
				__field(u64, count2)
				__field(u64, count3)
				__field(u64, count4)
				__field(u64, count5)
				__field(u64, count6)
				__field(u64, count7)
				__field(u64, code)
				__dynamic_array(char, label, label->len + 1)),

	       TP_fast_assign(__entry->process = recording->process->id;
			      __entry->channel = recording->id;
			      __entry->tid = pid_nr(recording->tid);
			      __entry->slot = channel->slot_nr;
			      __entry->id = READ_ONCE(channel->slot->id);
			      __entry->time = now;
			      __entry->duration = now - channel->began;
			      __entry->preempted = channel->preempted;
			      __entry->blocked = channel->blocked;
			      __entry->flags = flags;
			      __entry->standing = deltas->standing;
			      __entry->nr_counters = recording->nr;
			      __entry->count0 = recording->nr > 0 ? deltas->count[0] : 0;
			      __entry->count1 = recording->nr > 1 ? deltas->count[1] : 0;
			      __entry->count2 = recording->nr > 2 ? deltas->count[2] : 0;
			      __entry->count3 = recording->nr > 3 ? deltas->count[3] : 0;
			      __entry->count4 = recording->nr > 4 ? deltas->count[4] : 0;
			      __entry->count5 = recording->nr > 5 ? deltas->count[5] : 0;
			      __entry->count6 = recording->nr > 6 ? deltas->count[6] : 0;
			      __entry->count7 = recording->nr > 7 ? deltas->count[7] : 0;
			      __entry->code = label->value;
			      memcpy(__get_dynamic_array(label), label->text, label->len);
			      ((char *)__get_dynamic_array(label))[label->len] = '\0';),

	       TP_printk("process=%u channel=%u tid=%d slot=%u id=%llu time=%llu duration=%llu preempted=%llu blocked=%llu flags=%#x standing=%#x nr_counters=%u counts=%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu code=%#llx label=%s",
			 __entry->process, __entry->channel, __entry->tid, __entry->slot,
			 __entry->id, __entry->time, __entry->duration, __entry->preempted,
			 __entry->blocked, __entry->flags, __entry->standing, __entry->nr_counters,
			 __entry->count0, __entry->count1, __entry->count2, __entry->count3,
			 __entry->count4, __entry->count5, __entry->count6, __entry->count7,
			 __entry->code, __get_str(label)),

	       coroprof_trace_on, coroprof_trace_off);

#endif /* COROPROF_TRACE_H */

/* Kbuild adds this folder to the include path. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
