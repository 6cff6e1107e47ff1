// SPDX-License-Identifier: GPL-2.0
/*
 * truth-gen OUT.cprof SCENARIO: a scenario of cprof-gen, and, on standard output, what was
 * generated, a line each: labels, threads, slices. It is linked with --wrap, so that the reader has
 * no part in what is told.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "gen/gen.h"

void __real_gen_label(struct gen *g, uint32_t process_id, uint32_t label, const char *text,
		      uint32_t len);
void __wrap_gen_label(struct gen *g, uint32_t process_id, uint32_t label, const char *text,
		      uint32_t len);
void __real_gen_channel(struct gen *g, uint32_t channel_id, uint32_t process_id, int32_t tid,
			const char *comm, uint64_t time,
			const struct coroprof_counter_state *states, uint32_t nr);
void __wrap_gen_channel(struct gen *g, uint32_t channel_id, uint32_t process_id, int32_t tid,
			const char *comm, uint64_t time,
			const struct coroprof_counter_state *states, uint32_t nr);
void __real_gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s);
void __wrap_gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s);

void __wrap_gen_label(struct gen *g, uint32_t process_id, uint32_t label, const char *text,
		      uint32_t len)
{
	printf("label %" PRIu32 " %.*s\n", label, (int)len, text);
	__real_gen_label(g, process_id, label, text, len);
}

void __wrap_gen_channel(struct gen *g, uint32_t channel_id, uint32_t process_id, int32_t tid,
			const char *comm, uint64_t time,
			const struct coroprof_counter_state *states, uint32_t nr)
{
	printf("thread %" PRIu32 " %" PRId32 " %" PRIu64 "\n", channel_id, tid, time);
	__real_gen_channel(g, channel_id, process_id, tid, comm, time, states, nr);
}

void __wrap_gen_slice(struct gen *g, uint32_t channel_id, const struct gen_slice *s)
{
	printf("slice %" PRIu32 " %" PRIu32 " %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
	       channel_id, s->label, !!(s->id & COROPROF_ID_THREAD), s->time, s->duration,
	       s->preempted_ns, s->blocked_ns);
	for (int i = 0; i < 4; i++)
		printf(" %" PRIu64, s->count[i]);
	putchar('\n');
	__real_gen_slice(g, channel_id, s);
}

int main(int argc, char **argv)
{
	if (argc != 3 || !gen_scenario(argv[2], argv[1])) {
		fputs("usage: truth-gen OUT.cprof SCENARIO\n", stderr);
		return 2;
	}
	return fclose(stdout) ? 1 : 0;
}
