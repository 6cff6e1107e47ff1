/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where every member of every structure of the ABI is, for ever. A change here
 * breaks programs that were built before it; only what is new may be added.
 */
#ifndef _LAYOUT_H
#define _LAYOUT_H

#include <stddef.h>

#define SIZE(type, size) \
	_Static_assert(sizeof(struct type) == (size), "size of " #type)
#define PIN(type, member, offset) \
	_Static_assert(offsetof(struct type, member) == (offset), #type "." #member)


SIZE(coroprof_info, 32);
PIN(coroprof_info, size, 0);
PIN(coroprof_info, abi_level, 4);
PIN(coroprof_info, features, 8);
PIN(coroprof_info, slot_size, 16);
PIN(coroprof_info, page_size, 20);
PIN(coroprof_info, counters_max, 24);
PIN(coroprof_info, flags, 28);

SIZE(coroprof_process_config, 24);
PIN(coroprof_process_config, size, 0);
PIN(coroprof_process_config, flags, 4);
PIN(coroprof_process_config, token, 8);
PIN(coroprof_process_config, slots, 16);
PIN(coroprof_process_config, process_id, 20);

SIZE(coroprof_counter, 32);
PIN(coroprof_counter, type, 0);
PIN(coroprof_counter, flags, 4);
PIN(coroprof_counter, config, 8);
PIN(coroprof_counter, config1, 16);
PIN(coroprof_counter, config2, 24);

SIZE(coroprof_process_page, 24);
PIN(coroprof_process_page, active, 0);
PIN(coroprof_process_page, epoch, 4);
PIN(coroprof_process_page, clock_offset, 8);
PIN(coroprof_process_page, flags, 16);
PIN(coroprof_process_page, reserved, 20);

SIZE(coroprof_wake, 16);
PIN(coroprof_wake, time, 0);
PIN(coroprof_wake, waker, 8);

SIZE(coroprof_slot, 256);
PIN(coroprof_slot, id, 0);
PIN(coroprof_slot, parent, 8);
PIN(coroprof_slot, tag, 16);
PIN(coroprof_slot, wake_time, 24);
PIN(coroprof_slot, waker, 32);
PIN(coroprof_slot, label, 40);
PIN(coroprof_slot, reserved, 44);
PIN(coroprof_slot, mark, 48);
PIN(coroprof_slot, slices, 64);
PIN(coroprof_slot, running_ns, 72);
PIN(coroprof_slot, preempted_ns, 80);
PIN(coroprof_slot, blocked_ns, 88);
PIN(coroprof_slot, nr_preempted, 96);
PIN(coroprof_slot, nr_blocked, 100);
PIN(coroprof_slot, standing, 104);
PIN(coroprof_slot, since, 108);
PIN(coroprof_slot, wake, 112);
PIN(coroprof_slot, count, 128);
PIN(coroprof_slot, missing_ns, 192);

SIZE(coroprof_thread_config, 280);
PIN(coroprof_thread_config, size, 0);
PIN(coroprof_thread_config, flags, 4);
PIN(coroprof_thread_config, slot, 8);
PIN(coroprof_thread_config, nr_counters, 12);
PIN(coroprof_thread_config, reserved, 16);
PIN(coroprof_thread_config, counters, 24);

SIZE(coroprof_label, 32);
PIN(coroprof_label, size, 0);
PIN(coroprof_label, flags, 4);
PIN(coroprof_label, text, 8);
PIN(coroprof_label, text_len, 16);
PIN(coroprof_label, label, 20);
PIN(coroprof_label, value, 24);

SIZE(coroprof_totals, 200);
PIN(coroprof_totals, size, 0);
PIN(coroprof_totals, flags, 4);
PIN(coroprof_totals, slot, 8);
PIN(coroprof_totals, nr_counters, 12);
PIN(coroprof_totals, standing, 16);
PIN(coroprof_totals, reserved, 20);
PIN(coroprof_totals, id, 24);
PIN(coroprof_totals, slices, 32);
PIN(coroprof_totals, running_ns, 40);
PIN(coroprof_totals, preempted_ns, 48);
PIN(coroprof_totals, blocked_ns, 56);
PIN(coroprof_totals, count, 64);
PIN(coroprof_totals, missing_ns, 128);
PIN(coroprof_totals, time, 192);

SIZE(coroprof_span, 160);
PIN(coroprof_span, size, 0);
PIN(coroprof_span, flags, 4);
PIN(coroprof_span, label, 8);
PIN(coroprof_span, depth, 12);
PIN(coroprof_span, time, 16);
PIN(coroprof_span, running_ns, 24);
PIN(coroprof_span, count, 32);
PIN(coroprof_span, missing_ns, 96);

SIZE(coroprof_trace, 40);
PIN(coroprof_trace, size, 0);
PIN(coroprof_trace, flags, 4);
PIN(coroprof_trace, trace_id, 8);
PIN(coroprof_trace, span_id, 24);
PIN(coroprof_trace, trace_flags, 32);
PIN(coroprof_trace, reserved, 36);

SIZE(coroprof_channel_page, 40);
PIN(coroprof_channel_page, attention, 0);
PIN(coroprof_channel_page, drop_until, 4);
PIN(coroprof_channel_page, until, 8);
PIN(coroprof_channel_page, closed, 16);
PIN(coroprof_channel_page, off_ns, 24);
PIN(coroprof_channel_page, closed_slices, 32);
PIN(coroprof_channel_page, reserved, 36);

SIZE(coroprof_open_slice, 128);
PIN(coroprof_open_slice, began, 0);
PIN(coroprof_open_slice, slot, 8);
PIN(coroprof_open_slice, slices, 12);
PIN(coroprof_open_slice, flags, 16);
PIN(coroprof_open_slice, dropped, 20);
PIN(coroprof_open_slice, wake_time, 24);
PIN(coroprof_open_slice, waker, 32);
PIN(coroprof_open_slice, count, 40);
PIN(coroprof_open_slice, reserved, 104);

SIZE(coroprof_wanted, 280);
PIN(coroprof_wanted, size, 0);
PIN(coroprof_wanted, flags, 4);
PIN(coroprof_wanted, epoch, 8);
PIN(coroprof_wanted, nr_counters, 12);
PIN(coroprof_wanted, ring_size, 16);
PIN(coroprof_wanted, reserved, 20);
PIN(coroprof_wanted, counters, 24);

SIZE(coroprof_user_mode, 56);
PIN(coroprof_user_mode, size, 0);
PIN(coroprof_user_mode, flags, 4);
PIN(coroprof_user_mode, epoch, 8);
PIN(coroprof_user_mode, reason, 12);
PIN(coroprof_user_mode, nr_counters, 16);
PIN(coroprof_user_mode, reserved, 20);
PIN(coroprof_user_mode, event, 24);

SIZE(coroprof_where, 16);
PIN(coroprof_where, kind, 0);
PIN(coroprof_where, reg, 4);
PIN(coroprof_where, offset, 8);

SIZE(coroprof_probe, 96);
PIN(coroprof_probe, size, 0);
PIN(coroprof_probe, flags, 4);
PIN(coroprof_probe, fd, 8);
PIN(coroprof_probe, role, 12);
PIN(coroprof_probe, offset, 16);
PIN(coroprof_probe, address, 24);
PIN(coroprof_probe, key, 32);
PIN(coroprof_probe, label, 48);
PIN(coroprof_probe, when, 64);
PIN(coroprof_probe, mask, 80);
PIN(coroprof_probe, value, 88);

SIZE(coroprof_delegate, 48);
PIN(coroprof_delegate, size, 0);
PIN(coroprof_delegate, flags, 4);
PIN(coroprof_delegate, channel_id, 8);
PIN(coroprof_delegate, nr_counters, 12);
PIN(coroprof_delegate, event, 16);

SIZE(coroprof_sampling, 56);
PIN(coroprof_sampling, counter, 0);
PIN(coroprof_sampling, period, 32);
PIN(coroprof_sampling, frequency, 40);
PIN(coroprof_sampling, stack_max, 44);
PIN(coroprof_sampling, ring_size, 48);
PIN(coroprof_sampling, reserved, 52);

SIZE(coroprof_session_config, 344);
PIN(coroprof_session_config, size, 0);
PIN(coroprof_session_config, flags, 4);
PIN(coroprof_session_config, token, 8);
PIN(coroprof_session_config, ring_size, 16);
PIN(coroprof_session_config, watermark, 20);
PIN(coroprof_session_config, nr_counters, 24);
PIN(coroprof_session_config, memory_mb, 28);
PIN(coroprof_session_config, counters, 32);
PIN(coroprof_session_config, sampling, 288);

SIZE(coroprof_attach, 16);
PIN(coroprof_attach, size, 0);
PIN(coroprof_attach, flags, 4);
PIN(coroprof_attach, pid, 8);
PIN(coroprof_attach, process_id, 12);

SIZE(coroprof_channel_status, 280);
PIN(coroprof_channel_status, size, 0);
PIN(coroprof_channel_status, channel_id, 4);
PIN(coroprof_channel_status, flags, 8);
PIN(coroprof_channel_status, nr_counters, 12);
PIN(coroprof_channel_status, standing, 16);
PIN(coroprof_channel_status, error, 20);
PIN(coroprof_channel_status, begin, 24);
PIN(coroprof_channel_status, end, 32);
PIN(coroprof_channel_status, slices, 40);
PIN(coroprof_channel_status, lost, 48);
PIN(coroprof_channel_status, running_ns, 56);
PIN(coroprof_channel_status, preempted_ns, 64);
PIN(coroprof_channel_status, blocked_ns, 72);
PIN(coroprof_channel_status, count, 80);
PIN(coroprof_channel_status, missing_ns, 144);
PIN(coroprof_channel_status, ring_head, 208);
PIN(coroprof_channel_status, samples, 216);
PIN(coroprof_channel_status, samples_lost, 224);
PIN(coroprof_channel_status, throttled, 232);
PIN(coroprof_channel_status, open_begin, 240);
PIN(coroprof_channel_status, open_id, 248);
PIN(coroprof_channel_status, open_since, 256);
PIN(coroprof_channel_status, open_slot, 264);
PIN(coroprof_channel_status, open_label, 268);
PIN(coroprof_channel_status, open_state, 272);
PIN(coroprof_channel_status, ring_made, 276);

SIZE(coroprof_ring_producer, 512);
PIN(coroprof_ring_producer, head, 0);
PIN(coroprof_ring_producer, lost, 8);
PIN(coroprof_ring_producer, reserved, 16);
PIN(coroprof_ring_producer, open, 256);

SIZE(coroprof_ring_consumer, 16);
PIN(coroprof_ring_consumer, tail, 0);
PIN(coroprof_ring_consumer, closed, 8);

SIZE(coroprof_record, 8);
PIN(coroprof_record, type, 0);
PIN(coroprof_record, size, 2);
PIN(coroprof_record, data, 4);

SIZE(coroprof_record_slice, 40);
PIN(coroprof_record_slice, type, 0);
PIN(coroprof_record_slice, size, 2);
PIN(coroprof_record_slice, slot, 4);
PIN(coroprof_record_slice, time, 8);
PIN(coroprof_record_slice, duration, 16);
PIN(coroprof_record_slice, id, 24);
PIN(coroprof_record_slice, label, 32);
PIN(coroprof_record_slice, flags, 36);
PIN(coroprof_record_slice, standing, 38);

SIZE(coroprof_slice_offcpu, 24);
PIN(coroprof_slice_offcpu, preempted_ns, 0);
PIN(coroprof_slice_offcpu, blocked_ns, 8);
PIN(coroprof_slice_offcpu, nr_preempted, 16);
PIN(coroprof_slice_offcpu, nr_blocked, 20);

SIZE(coroprof_slice_fresh, 16);
PIN(coroprof_slice_fresh, parent, 0);
PIN(coroprof_slice_fresh, tag, 8);

SIZE(coroprof_slice_woken, 16);
PIN(coroprof_slice_woken, wake_time, 0);
PIN(coroprof_slice_woken, waker, 8);

SIZE(coroprof_record_lost, 24);
PIN(coroprof_record_lost, type, 0);
PIN(coroprof_record_lost, size, 2);
PIN(coroprof_record_lost, spans, 4);
PIN(coroprof_record_lost, time, 8);
PIN(coroprof_record_lost, full, 16);

SIZE(coroprof_record_unrecorded, 24);
PIN(coroprof_record_unrecorded, type, 0);
PIN(coroprof_record_unrecorded, size, 2);
PIN(coroprof_record_unrecorded, reserved, 4);
PIN(coroprof_record_unrecorded, time, 8);
PIN(coroprof_record_unrecorded, nr, 16);

SIZE(coroprof_record_span, 56);
PIN(coroprof_record_span, type, 0);
PIN(coroprof_record_span, size, 2);
PIN(coroprof_record_span, slot, 4);
PIN(coroprof_record_span, time, 8);
PIN(coroprof_record_span, duration, 16);
PIN(coroprof_record_span, id, 24);
PIN(coroprof_record_span, label, 32);
PIN(coroprof_record_span, flags, 36);
PIN(coroprof_record_span, standing, 38);
PIN(coroprof_record_span, running_ns, 40);
PIN(coroprof_record_span, depth, 48);
PIN(coroprof_record_span, reserved, 52);

SIZE(coroprof_record_trace, 56);
PIN(coroprof_record_trace, type, 0);
PIN(coroprof_record_trace, size, 2);
PIN(coroprof_record_trace, slot, 4);
PIN(coroprof_record_trace, time, 8);
PIN(coroprof_record_trace, id, 16);
PIN(coroprof_record_trace, trace_id, 24);
PIN(coroprof_record_trace, span_id, 40);
PIN(coroprof_record_trace, trace_flags, 48);
PIN(coroprof_record_trace, flags, 52);

SIZE(coroprof_record_sample, 32);
PIN(coroprof_record_sample, type, 0);
PIN(coroprof_record_sample, size, 2);
PIN(coroprof_record_sample, slot, 4);
PIN(coroprof_record_sample, time, 8);
PIN(coroprof_record_sample, id, 16);
PIN(coroprof_record_sample, label, 24);
PIN(coroprof_record_sample, flags, 28);
PIN(coroprof_record_sample, nr, 30);

SIZE(coroprof_record_process, 40);
PIN(coroprof_record_process, type, 0);
PIN(coroprof_record_process, size, 2);
PIN(coroprof_record_process, process_id, 4);
PIN(coroprof_record_process, time, 8);
PIN(coroprof_record_process, pid, 16);
PIN(coroprof_record_process, error, 20);
PIN(coroprof_record_process, comm, 24);

SIZE(coroprof_record_label, 32);
PIN(coroprof_record_label, type, 0);
PIN(coroprof_record_label, size, 2);
PIN(coroprof_record_label, process_id, 4);
PIN(coroprof_record_label, label, 8);
PIN(coroprof_record_label, flags, 12);
PIN(coroprof_record_label, value, 16);
PIN(coroprof_record_label, text_len, 24);
PIN(coroprof_record_label, reserved, 28);

SIZE(coroprof_counter_state, 40);
PIN(coroprof_counter_state, counter, 0);
PIN(coroprof_counter_state, error, 32);
PIN(coroprof_counter_state, reserved, 36);

SIZE(coroprof_record_channel, 64);
PIN(coroprof_record_channel, type, 0);
PIN(coroprof_record_channel, size, 2);
PIN(coroprof_record_channel, channel_id, 4);
PIN(coroprof_record_channel, time, 8);
PIN(coroprof_record_channel, process_id, 16);
PIN(coroprof_record_channel, tid, 20);
PIN(coroprof_record_channel, nr_counters, 24);
PIN(coroprof_record_channel, ring_size, 28);
PIN(coroprof_record_channel, error, 32);
PIN(coroprof_record_channel, mode, 36);
PIN(coroprof_record_channel, reason, 38);
PIN(coroprof_record_channel, sample_error, 40);
PIN(coroprof_record_channel, sample_ring_size, 44);
PIN(coroprof_record_channel, comm, 48);

SIZE(coroprof_record_channel_last, 8);
PIN(coroprof_record_channel_last, type, 0);
PIN(coroprof_record_channel_last, size, 2);
PIN(coroprof_record_channel_last, channel_id, 4);

SIZE(coroprof_view, 24);
PIN(coroprof_view, size, 0);
PIN(coroprof_view, flags, 4);
PIN(coroprof_view, process_id, 8);
PIN(coroprof_view, epoch, 12);
PIN(coroprof_view, nr_slots, 16);
PIN(coroprof_view, reserved, 20);

SIZE(coroprof_touched, 16);
PIN(coroprof_touched, size, 0);
PIN(coroprof_touched, flags, 4);
PIN(coroprof_touched, slot, 8);
PIN(coroprof_touched, nr, 12);

#define COMMAND(name, number) \
	_Static_assert(COROPROF_IOC_##name == (number), "number of " #name)

COMMAND(INFO, 0xc020c700UL);
COMMAND(PROCESS, 0xc018c701UL);
COMMAND(SESSION, 0xc158c702UL);
COMMAND(THREAD, 0xc118c710UL);
COMMAND(LABEL, 0xc020c711UL);
COMMAND(SWITCH, 0x0000c720UL);
COMMAND(READ, 0xc0c8c721UL);
COMMAND(LEAVE, 0x0000c722UL);
COMMAND(WANTED, 0xc118c723UL);
COMMAND(USER, 0x4038c724UL);
COMMAND(SPAN, 0x40a0c725UL);
COMMAND(TRACE, 0x4028c726UL);
COMMAND(ATTACH, 0xc010c730UL);
COMMAND(START, 0x0000c731UL);
COMMAND(STOP, 0x0000c732UL);
COMMAND(CHANNEL, 0xc118c733UL);
COMMAND(FORGET, 0x0000c734UL);
COMMAND(DELEGATE, 0x4030c735UL);
COMMAND(VIEW, 0xc018c736UL);
COMMAND(TOUCHED, 0xc010c740UL);
COMMAND(PROBE, 0x4060c737UL);

#endif /* _LAYOUT_H */
