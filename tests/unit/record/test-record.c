// SPDX-License-Identifier: GPL-2.0
/*
 * The whole of a recording, with a session of our own in place of session.c:
 * the functions here are those of session.h, and the kernel's part is played by
 * a script of steps.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "cprof/file.h"
#include "cprof/format.h"
#include "record/record.h"
#include "record/session.h"

#define RING_SIZE	65536
#define SLOTS		8

/* A ring as the module would hold it. */
struct shared {
	int fd;
	struct coroprof_ring_consumer *consumer;
	struct coroprof_ring_producer *producer;
	char *data;
};

/* What the module would hold. */
static struct {
	struct shared slices, samples;
	struct coroprof_slot slots[SLOTS];
	char stream[4096];
	size_t stream_size;
	unsigned int started, stopped, forgotten, attached;
	int open_error;
	pid_t attach_refused;	/* or -1 for all */
	__u32 attach_flags;
	bool unknown;		/* they are not known yet */
	pid_t first, second;	/* processes that live */
	void (*on_start)(void);
	void (*on_read)(void);
	void (*on_stop)(void);
} fake;

int session_open(struct session *s,
		 const struct coroprof_session_config *config, struct error *err)
{
	if (fake.open_error)
		return error_set(err, fake.open_error, "refused");
	s->config = *config;
	s->config.token = 4711;
	s->config.ring_size = RING_SIZE;
	s->config.watermark = RING_SIZE / 4;
	s->info.abi_level = COROPROF_ABI_LEVEL;
	s->info.page_size = (__u32)sysconf(_SC_PAGESIZE);
	s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return 0;
}

void session_close(struct session *s)
{
	close(s->fd);
}

int session_attach(struct session *s, pid_t pid, __u32 flags, bool *known)
{
	(void)s;
	fake.attached++;
	fake.attach_flags = flags;
	*known = !fake.unknown;
	return fake.attach_refused == pid || fake.attach_refused < 0 ? -ENODEV : 0;
}

int session_start(struct session *s, struct error *err)
{
	(void)s, (void)err;
	fake.started++;
	if (fake.on_start)
		fake.on_start();
	return 0;
}

int session_stop(struct session *s, struct error *err)
{
	(void)s, (void)err;
	if (!fake.stopped++ && fake.on_stop)
		fake.on_stop();
	return 0;
}

ssize_t session_read(struct session *s, void *records, size_t room,
		     struct error *err)
{
	size_t size = fake.stream_size;

	(void)s, (void)err;
	assert_true(size <= room);
	memcpy(records, fake.stream, size);
	fake.stream_size = 0;
	if (!size && fake.on_read)
		fake.on_read();
	return (ssize_t)size;
}

int session_map_ring(struct session *s, struct ring *ring, __u32 channel,
		     size_t size, struct error *err)
{
	(void)channel;
	return ring_map(ring, fake.slices.fd, 0, size, s->info.page_size, err);
}

int session_map_samples(struct session *s, struct ring *ring, __u32 channel,
			size_t size, struct error *err)
{
	(void)channel;
	return ring_map(ring, fake.samples.fd, 0, size, s->info.page_size, err);
}

int session_channel(struct session *s, __u32 channel,
		    struct coroprof_channel_status *status, struct error *err)
{
	(void)s, (void)err;
	*status = (struct coroprof_channel_status){
		.size = sizeof(*status),
		.channel_id = channel,
		.slices = 12,
		.lost = 2,
	};
	return 0;
}

/* The slots of a process, of which the first and the last are not there. */
int session_view(struct session *s, __u32 process_id, __u32 *epoch,
		 const struct coroprof_slot **slots, size_t *bytes, struct error *err)
{
	(void)s, (void)err;
	assert_int_equal(process_id, 3);
	*epoch = fake.started ? 7 : 5;
	*slots = fake.slots;
	*bytes = sizeof(fake.slots);
	return 0;
}

void session_unmap_view(int view, const struct coroprof_slot *slots, size_t bytes)
{
	assert_int_equal(view, 0);
	assert_ptr_equal(slots, fake.slots);
	assert_int_equal(bytes, sizeof(fake.slots));
}

void session_epoch(struct session *s, __u32 process_id, __u32 *epoch)
{
	const struct coroprof_slot *slots;
	size_t bytes;

	session_view(s, process_id, epoch, &slots, &bytes, NULL);
}

int session_touched(int view, __u32 *slot, __u32 *nr, struct error *err)
{
	(void)view, (void)err;
	if (!*slot)
		*slot = 1;
	*nr = *slot < SLOTS - 1 ? SLOTS - 1 - *slot : 0;
	return 0;
}

void session_delegate(struct session *s, const struct coroprof_delegate *give)
{
	(void)s, (void)give;
}

void session_forget(struct session *s, __u32 channel)
{
	(void)s, (void)channel;
	fake.forgotten++;
}

static void tell(const void *record, size_t size)
{
	assert_true(fake.stream_size + size <= sizeof(fake.stream));
	memcpy(fake.stream + fake.stream_size, record, size);
	fake.stream_size += size;
}

static void tell_process(__u16 type)
{
	struct coroprof_record_process record = {
		.type = type,
		.size = sizeof(record),
		.process_id = 3,
		.pid = getpid(),
		.comm = "test",
	};

	tell(&record, sizeof(record));
}

static void tell_channel(__u16 type, __u32 ring_size)
{
	struct coroprof_record_channel record = {
		.type = type,
		.size = sizeof(record),
		.channel_id = 1,
		.process_id = 3,
		.tid = 99,
		.ring_size = ring_size,
		.comm = "thread",
	};

	tell(&record, sizeof(record));
}

static void put(struct shared *ring, const void *record, size_t size)
{
	const char *bytes = record;

	/* Here the data is mapped but once. */
	for (size_t i = 0; i < size; i++)
		ring->data[(ring->producer->head + i) % RING_SIZE] = bytes[i];
	ring->producer->head += size;
}

static void put_slices(unsigned int nr)
{
	struct coroprof_record_slice slice = {
		.type = COROPROF_RECORD_SLICE,
		.size = sizeof(slice),
	};

	for (unsigned int i = 0; i < nr; i++) {
		slice.id = i;
		put(&fake.slices, &slice, sizeof(slice));
	}
}

static char folder[] = "/tmp/coroprof-test-XXXXXX";
static char path[64];
static struct record_options options;
static struct recorded recorded;
static struct error err;

static void make_ring(struct shared *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *map;

	ring->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_int_equal(ftruncate(ring->fd, (off_t)(2 * page + 2 * RING_SIZE)), 0);
	map = mmap(NULL, 2 * page + 2 * RING_SIZE, PROT_READ | PROT_WRITE,
		   MAP_SHARED, ring->fd, 0);
	ring->consumer = (void *)map;
	ring->consumer->closed = ~0ull;
	ring->producer = (void *)(map + page);
	ring->data = map + 2 * page;
}

static int free_ring(struct shared *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap(ring->consumer, 2 * page + 2 * RING_SIZE);
	return close(ring->fd);
}

static int make_fake(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof(fake));
	make_ring(&fake.slices);
	make_ring(&fake.samples);
	options = (struct record_options){ .ready_fd = -1, .no_preload = true,
				    .quiet = true };
	assert_int_equal(events_parse(options.events, &options.nr_events,
				      "cycles,instructions", &err), 0);
	return 0;
}

static int free_fake(void **state)
{
	(void)state;
	return free_ring(&fake.slices) | free_ring(&fake.samples);
}

/* Types of the file's segments, as letters, in order. */
static const char *segments(void)
{
	static const char letters[] = "?ICSRTMEPXLU";
	static char types[256];
	struct cprof_segment s;
	FILE *file = fopen(path, "re");
	size_t nr = 0;

	assert_non_null(file);
	fseek(file, sizeof(struct cprof_header), SEEK_SET);
	while (nr < sizeof(types) - 1 && fread(&s, sizeof(s), 1, file) == 1) {
		types[nr++] = letters[s.type < 12 ? s.type : 0];
		fseek(file, (s.stored_size + 7) & ~7u, SEEK_CUR);
	}
	types[nr] = '\0';
	fclose(file);
	return types;
}

static int record_command(const char *script)
{
	char *command[] = { "sh", "-c", (char *)script, NULL };

	options.command = command;
	return record(&options, path, &recorded, &err);
}

static void test_statuses(void **state)
{
	(void)state;
	assert_int_equal(record_command("exit 0"), 0);
	assert_int_equal(recorded.status, 0);
	assert_int_equal(record_command("exit 37"), 0);
	assert_int_equal(recorded.status, 37 << 8);
	assert_int_equal(record_command("kill -9 $$"), 0);
	assert_int_equal(recorded.status, 9);
	/* The second INFO says that nothing was recorded, and why. */
	assert_string_equal(segments(), "ICIEX");
	assert_says(recorded.missing.message, "nothing has been recorded");
	assert_int_equal(record_command("if false; then luajit; fi"), 0);
	assert_says(recorded.missing.message, "has LuaJIT, linked into the program");
}

static void test_token(void **state)
{
	(void)state;
	assert_int_equal(record_command("exit $((COROPROF_SESSION - 4700))"), 0);
	assert_int_equal(recorded.status, 11 << 8);
}

static void test_not_found(void **state)
{
	char *command[] = { "/nonexistent/program", NULL };

	(void)state;
	options.command = command;
	assert_int_equal(record(&options, path, &recorded, &err), -ENOENT);
	assert_false(recorded.started);
	assert_int_equal(recorded.exec_error, ENOENT);
	assert_says(err.message, "/nonexistent/program");
	command[0] = "/etc/passwd";
	assert_int_equal(record(&options, path, &recorded, &err), -EACCES);
	assert_int_equal(recorded.exec_error, EACCES);
}

static void test_refused(void **state)
{
	(void)state;
	fake.open_error = EACCES;
	unlink(path);
	assert_int_equal(record_command("exit 0"), -EACCES);
	assert_false(recorded.created);
	assert_int_equal(access(path, F_OK), -1);
}

static void appear(void)
{
	tell_process(COROPROF_RECORD_PROCESS);
	tell_channel(COROPROF_RECORD_CHANNEL, RING_SIZE);
	put_slices(10);
}

static void test_slices(void **state)
{
	(void)state;
	fake.on_start = appear;
	options.duration_ns = 1;
	assert_int_equal(record_command("exit 5"), 0);
	/* Info, counters, process and channel, its maps, ring, status, end. */
	assert_string_equal(segments(), "ICSMRUTEX");
	assert_int_equal(recorded.processes, 1);
	assert_int_equal(recorded.threads, 1);
	assert_int_equal(recorded.slices, 12);
	assert_int_equal(recorded.lost, 2);
	assert_int_equal(fake.slices.consumer->tail, 10 * sizeof(struct coroprof_record_slice));
	assert_int_equal(fake.forgotten, 1);
	assert_int_equal(fake.stopped, 1);
}

static void add_totals(void)
{
	tell_channel(COROPROF_RECORD_CHANNEL, 0);
	fake.slots[2] = (struct coroprof_slot){ .id = 10, .since = 7, .slices = 3 };
	fake.slots[3] = (struct coroprof_slot){ .id = 11, .since = 6, .slices = 8 };
	fake.slots[4].slices = 9;
	fake.slots[4].tag = 4;
	fake.slots[4].since = 7;
	fake.slots[5] = (struct coroprof_slot){ .id = 12, .since = 8 };
	fake.slots[0] = fake.slots[SLOTS - 1] = fake.slots[2];
}

/* What is in the file in place of slices. Returns how many slots. */
static unsigned int read_totals(struct coroprof_slot to[SLOTS])
{
	struct {
		struct cprof_totals head;
		struct coroprof_slot slots[SLOTS];
	} payload;
	unsigned int nr = 0;
	struct file *file;

	assert_int_equal(file_open(&file, path, &err), 0);
	for (size_t i = 0; i < file->nr_segments; i++) {
		if (file->segments[i].type != CPROF_SEGMENT_TOTALS)
			continue;
		assert_true(file->segments[i].size <= sizeof(payload));
		assert_int_equal(file_read(file, i, &payload, &err), 0);
		assert_int_equal(payload.head.process_id, 3);
		nr = (file->segments[i].size - sizeof(payload.head)) / sizeof(*to);
		memcpy(to, payload.slots, nr * sizeof(*to));
	}
	file_close(file);
	return nr;
}

/* Of slots what the recording has changed; of what had ended before what came since. */
static void test_totals(void **state)
{
	struct coroprof_slot slots[SLOTS];

	(void)state;
	fake.slots[4] = (struct coroprof_slot){
		.id = COROPROF_ID_ENDED | 1, .since = 3, .slices = 4, .tag = 1,
	};
	tell_process(COROPROF_RECORD_PROCESS);
	fake.on_start = add_totals;
	options.totals = true;
	options.duration_ns = 1;
	assert_int_equal(record_command("exit 0"), 0);
	assert_null(strchr(segments(), 'R'));
	assert_int_equal(recorded.refused, 0);
	assert_int_equal(read_totals(slots), 2);
	assert_int_equal(slots[0].id, 10);
	assert_int_equal(slots[0].slices, 3);
	assert_int_equal(slots[1].slices, 5);
	assert_int_equal(slots[1].tag, 3);
}

static unsigned int shown;

/* A recording that is whole; and of the next nothing is left of it. */
static void look_at(void *context, const char *at)
{
	struct coroprof_slot slots[SLOTS];
	const char *types;

	assert_ptr_equal(context, &shown);
	assert_string_equal(at, path);
	types = segments();
	assert_ptr_equal(strchr(types, 'E'), strrchr(types, 'E'));
	assert_int_equal(types[strlen(types) - 1], 'X');
	assert_int_equal(read_totals(slots), 1);
	assert_int_equal(slots[0].slices, 3 + shown);
	fake.slots[2].slices++;
	shown++;
}

static void test_totals_every_now_and_then(void **state)
{
	struct coroprof_slot slots[SLOTS];

	(void)state;
	tell_process(COROPROF_RECORD_PROCESS);
	fake.on_start = add_totals;
	options.totals = true;
	options.interval_ns = 10000000;
	options.duration_ns = 500000000;
	options.show = look_at;
	options.context = &shown;
	memset(&fake.slots[4], 0, sizeof(fake.slots[4]));
	fake.slots[4].id = COROPROF_ID_ENDED | 1;
	fake.slots[4].slices = 9;
	assert_int_equal(record_command("exec sleep 60 >/dev/null 2>&1"), 0);
	assert_true(shown > 0);
	assert_int_equal(read_totals(slots), 1);
	assert_int_equal(slots[0].slices, 3 + shown);
}

static void leave_at_stop(void)
{
	put_slices(3);
	tell_channel(COROPROF_RECORD_CHANNEL_END, 0);
}

static void test_rest_after_stop(void **state)
{
	(void)state;
	fake.on_start = appear;
	fake.on_stop = leave_at_stop;
	options.duration_ns = 1;
	assert_int_equal(record_command("exit 0"), 0);
	/* The second stream is the channel's end, before which its rest is read. */
	assert_string_equal(segments(), "ICSMRUSRTEX");
	assert_int_equal(fake.slices.consumer->tail, 13 * sizeof(struct coroprof_record_slice));
}

static pid_t live(void)
{
	pid_t pid = fork();

	if (!pid) {
		for (;;)
			pause();
	}
	options.pids[options.nr_pids++] = pid;
	return pid;
}

static void end_process(pid_t *pid)
{
	if (!*pid)
		return;
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
	*pid = 0;
}

static void vanish(void)
{
	fake.on_read = NULL;
	tell_channel(COROPROF_RECORD_CHANNEL_END, 0);
	tell_process(COROPROF_RECORD_PROCESS_END);
	end_process(&fake.first);
	end_process(&fake.second);
}

static void test_processes(void **state)
{
	(void)state;
	fake.first = live();
	fake.second = live();
	fake.on_start = appear;
	fake.on_read = vanish;
	assert_int_equal(record(&options, path, &recorded, &err), 0);
	assert_int_equal(fake.attached, 2);
	assert_int_equal(recorded.status, -1);
	assert_int_equal(recorded.processes, 1);
}

/* The recording must not have ended before. */
static void die(void)
{
	fake.on_read = NULL;
	assert_int_equal(fake.stopped, 0);
	end_process(&fake.first);
}

/* Nothing happens for a while. */
static void stay(void)
{
	fake.on_read = die;
}

/* Its first coroutine, or one of a child, may yet come, for as long as it lives. */
static void test_process_that_is_not_known_yet(void **state)
{
	(void)state;
	fake.first = live();
	fake.unknown = true;
	fake.on_read = stay;
	assert_int_equal(record(&options, path, &recorded, &err), 0);
	assert_int_equal(fake.first, 0);
	assert_int_equal(recorded.processes, 0);
}

static void go_on(void)
{
	fake.on_read = stay;
	tell_channel(COROPROF_RECORD_CHANNEL_END, 0);
	tell_process(COROPROF_RECORD_PROCESS_END);
}

/* What was attached is gone, as after execve(); the process lives. */
static void test_process_that_comes_again(void **state)
{
	(void)state;
	fake.first = live();
	fake.on_start = appear;
	fake.on_read = go_on;
	assert_int_equal(record(&options, path, &recorded, &err), 0);
	assert_int_equal(fake.first, 0);
}

/* One of several that can't be recorded is reported; none is an error. */
static void test_attach_error(void **state)
{
	(void)state;
	options.pids[options.nr_pids++] = getpid();
	fake.attach_refused = getpid();
	assert_int_equal(record(&options, path, &recorded, &err), -ENODEV);
	assert_false(recorded.started);
	assert_says(err.message, "does not use coroprof");

	fake.first = live();
	fake.on_read = die;
	assert_int_equal(record(&options, path, &recorded, &err), 0);
	assert_true(recorded.started);

	fake.attach_refused = -1;
	fake.first = options.pids[1] = live();
	options.nr_pids = 2;
	assert_int_equal(record(&options, path, &recorded, &err), -ENODEV);
	assert_says(err.message, "none of the 2 processes");
	end_process(&fake.first);
}

/* What has neither library is not waited for. */
static void test_attach_flags(void **state)
{
	char library[] = "/tmp/libcoroprof-test-XXXXXX";
	int fd = mkstemp(library);
	void *map;

	(void)state;
	options.pids[options.nr_pids++] = getpid();
	fake.attach_refused = -1;
	record(&options, path, &recorded, &err);
	assert_int_equal(fake.attach_flags, COROPROF_ATTACH_CHILDREN);
	assert_int_equal(ftruncate(fd, 4096), 0);
	map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	record(&options, path, &recorded, &err);
	assert_int_equal(fake.attach_flags, COROPROF_ATTACH_LATER | COROPROF_ATTACH_CHILDREN);
	options.no_inherit = true;
	record(&options, path, &recorded, &err);
	assert_int_equal(fake.attach_flags, COROPROF_ATTACH_LATER);
	munmap(map, 4096);
	close(fd);
	unlink(library);
}

static void refuse_and_end(void)
{
	const struct coroprof_record_process record = {
		.type = COROPROF_RECORD_PROCESS_REFUSED,
		.size = sizeof(record),
		.pid = getpid(),
		.error = EPERM,
	};

	fake.on_read = die;
	tell(&record, sizeof(record));
}

static void test_refused_process(void **state)
{
	(void)state;
	fake.first = live();
	fake.on_read = refuse_and_end;
	assert_int_equal(record(&options, path, &recorded, &err), 0);
	assert_int_equal(recorded.processes, 0);
	assert_int_equal(recorded.refused_processes, 1);
}

static void appear_hostile(void)
{
	appear();
	fake.slices.producer->head = 1ull << 40;
}

/* The ring is given up; everything else goes on. */
static void test_hostile_head(void **state)
{
	(void)state;
	fake.on_start = appear_hostile;
	options.duration_ns = 300000000;
	assert_int_equal(record_command("exit 0"), 0);
	/* The second INFO says what is missing, and why. */
	assert_string_equal(segments(), "ICSMIUTEX");
	assert_int_equal(fake.slices.consumer->tail, 0);
}

static void tell_user_channel(void)
{
	struct coroprof_record_channel record = {
		.type = COROPROF_RECORD_CHANNEL,
		.size = sizeof(record),
		.channel_id = 1,
		.process_id = 3,
		.tid = 99,
		.ring_size = RING_SIZE,
		.sample_ring_size = RING_SIZE,
		.mode = COROPROF_MODE_USER,
		.comm = "thread",
	};

	tell(&record, sizeof(record));
}

static void tell_last(unsigned int slices)
{
	struct coroprof_record_channel_last head = {
		.type = COROPROF_RECORD_CHANNEL_LAST,
		.size = (__u16)(sizeof(head) +
				slices * sizeof(struct coroprof_record_slice)),
		.channel_id = 1,
	};
	struct coroprof_record_slice slice = {
		.type = COROPROF_RECORD_SLICE,
		.size = sizeof(slice),
		.flags = COROPROF_SLICE_CUT,
	};

	tell(&head, sizeof(head));
	while (slices--)
		tell(&slice, sizeof(slice));
}

static void appear_in_user_mode(void)
{
	struct coroprof_record_sample sample = {
		.type = COROPROF_RECORD_SAMPLE,
		.size = sizeof(sample) + 8,
		.nr = 1,
	};
	char record[sizeof(sample) + 8] = { 0 };

	memcpy(record, &sample, sizeof(sample));
	tell_process(COROPROF_RECORD_PROCESS);
	tell_user_channel();
	put_slices(10);
	/* Bit 0 names the slice that goes on. */
	fake.slices.producer->head |= 1;
	put(&fake.samples, record, sizeof(record));
}

/* The thread has not seen yet that it was closed, and writes on. */
static void close_in_user_mode(void)
{
	fake.slices.producer->head &= ~7ull;
	fake.slices.consumer->closed = fake.slices.producer->head;
	put_slices(5);
	tell_last(1);
	tell_channel(COROPROF_RECORD_CHANNEL_END, 0);
}

static void test_user_mode(void **state)
{
	(void)state;
	fake.on_start = appear_in_user_mode;
	fake.on_stop = close_in_user_mode;
	options.duration_ns = 1;
	assert_int_equal(record_command("exit 0"), 0);
	/* Ring and samples, the end reported, the last records, totals. */
	assert_string_equal(segments(), "ICSMRPUSRTEX");
	assert_int_equal(fake.slices.consumer->tail,
			 10 * sizeof(struct coroprof_record_slice));
	assert_int_equal(fake.samples.consumer->tail,
			 sizeof(struct coroprof_record_sample) + 8);
}

/* Good records, then something that is none. */
static void scribble(void)
{
	static const char nonsense[64] = { 1, 0, 13, 0 };

	appear_in_user_mode();
	fake.slices.producer->head &= ~7ull;
	put(&fake.slices, nonsense, sizeof(nonsense));
}

static void tell_both(void)
{
	tell_process(COROPROF_RECORD_PROCESS);
	tell_user_channel();
}

static void tell_last_only(void)
{
	tell_last(1);
}

static void test_truncated_ring(void **state)
{
	(void)state;
	fake.on_start = scribble;
	fake.on_stop = close_in_user_mode;
	options.duration_ns = 1;
	assert_int_equal(record_command("exit 0"), 0);
	/* What was good is kept; samples go on; what was last is not behind it. */
	assert_string_equal(segments(), "ICSMRIPUSTEX");
	assert_int_equal(recorded.refused, 1);
}

/* Any place, again and again: the reader neither waits nor reads elsewhere. */
static void test_hostile_positions(void **state)
{
	static const __u64 heads[] = {
		0, 8, 1, 7, RING_SIZE - 8, RING_SIZE + 8, ~0ull, ~7ull,
		1ull << 63, 559,
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		make_fake(state);
		put_slices(10);
		fake.slices.producer->head = heads[i];
		fake.on_start = tell_both;
		fake.on_stop = close_in_user_mode;
		options.duration_ns = 1;
		assert_int_equal(record_command("exit 0"), 0);
		assert_true(fake.slices.consumer->tail <= RING_SIZE);
		free_fake(state);
	}
}

static void test_last_of_nobody(void **state)
{
	(void)state;
	fake.on_start = tell_last_only;
	assert_int_equal(record_command("exit 0"), -EPROTO);
	assert_says(err.message, "never began");
}

static void appear_truncated(void)
{
	struct coroprof_record_process record = {
		.type = COROPROF_RECORD_PROCESS,
		.size = 16,
	};

	tell(&record, sizeof(record));
}

static void test_truncated_stream(void **state)
{
	(void)state;
	fake.on_start = appear_truncated;
	assert_int_equal(record_command("exit 0"), -EPROTO);
	assert_says(err.message, "impossible size");
	assert_true(recorded.started);
	assert_int_equal(recorded.status, 0);
	assert_string_equal(segments(), "ICS");
}

static void appear_without_ring(void)
{
	tell_process(COROPROF_RECORD_PROCESS);
	tell_channel(COROPROF_RECORD_CHANNEL, 0);
	tell_channel(COROPROF_RECORD_CHANNEL_END, 0);
}

static void test_without_ring(void **state)
{
	(void)state;
	fake.on_start = appear_without_ring;
	options.duration_ns = 1;
	assert_int_equal(record_command("exit 0"), 0);
	assert_string_equal(segments(), "ICSMTUEX");
}

static void test_ready_fd(void **state)
{
	int fds[2];
	char byte;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	options.ready_fd = fds[1];
	assert_int_equal(record_command("exit 0"), 0);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(read(fds[0], &byte, 1), 0);
	close(fds[0]);
}

static void test_duration_ends_command(void **state)
{
	(void)state;
	options.duration_ns = 50000000;
	assert_int_equal(record_command("exec sleep 600"), 0);
	assert_int_equal(recorded.status, SIGTERM);
}

/* A request that is not typed is passed on to the command. */
static void test_signal(void **state)
{
	(void)state;
	assert_int_equal(record_command("kill -INT $PPID; exec sleep 600"), 0);
	assert_int_equal(recorded.status, SIGINT);
	assert_int_equal(record_command("kill -TERM $PPID; exec sleep 600"), 0);
	assert_int_equal(recorded.status, SIGTERM);
	assert_string_equal(segments(), "ICIEX");
}

static void wait_for_text(int fd, const char *text)
{
	char got[512] = "";
	size_t used = 0;

	while (!strstr(got, text)) {
		ssize_t n = read(fd, got + used, sizeof(got) - 1 - used);

		assert_true(n > 0);
		used += (size_t)n;
		got[used] = '\0';
	}
}

/*
 * Ctrl-C reaches the command through the terminal. It must not get a second
 * signal from us: it counts them, and exits with how many there were.
 */
static void test_typed_signal(void **state)
{
	int terminal, status;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	(void)state;
	if (!pid) {
		if (record_command("n=0; trap 'n=$((n + 1))' INT; echo ready; "
				   "while [ $n = 0 ]; do sleep 0.05; done; "
				   "sleep 0.3; exit $n"))
			_exit(100);
		_exit(WEXITSTATUS(recorded.status));
	}
	wait_for_text(terminal, "ready");
	assert_int_equal(write(terminal, "\003", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	close(terminal);
}

/*
 * A command that will not end on SIGINT gets SIGTERM the second time. It waits
 * until the first has come back to it: two that are pending are one.
 */
static void test_second_signal(void **state)
{
	(void)state;
	assert_int_equal(record_command(
		"trap 'n=1' INT; kill -INT $PPID; while [ -z \"$n\" ]; do sleep 0.05; done; "
		"trap '' INT; kill -INT $PPID; exec sleep 600"), 0);
	assert_int_equal(recorded.status, SIGTERM);
}

/* What the command leaves behind is waited for as long as it is recorded. */
static void test_left_behind(void **state)
{
	(void)state;
	fake.on_start = appear;
	assert_int_equal(record_command(
		"(sleep 1.5; kill -TERM $PPID) >/dev/null & exit 3"), 0);
	assert_int_equal(recorded.status, 3 << 8);
}

static double seconds_of(const char *script)
{
	uint64_t begin = monotonic_ns();

	assert_int_equal(record_command(script), 0);
	return (double)(monotonic_ns() - begin) / 1e9;
}

/* A daemon: a fork of the program, which nothing is known of yet. */
static void test_daemon(void **state)
{
	(void)state;
	assert_true(seconds_of("(sleep 2.5; :) >/dev/null & exit 3") > 2.4);
	assert_int_equal(recorded.status, 3 << 8);
}

static void appear_and_vanish(void)
{
	tell_process(COROPROF_RECORD_PROCESS);
	tell_process(COROPROF_RECORD_PROCESS_END);
}

/* Somebody was recorded, and it was not what is left: that is not waited for. */
static void test_unrelated(void **state)
{
	char command[128], pid_file[80], text[16] = "";
	int fd, left;

	(void)state;
	fake.on_start = appear_and_vanish;
	snprintf(pid_file, sizeof(pid_file), "%s/left", folder);
	snprintf(command, sizeof(command), "sleep 600 >/dev/null & echo $! >%s; exit 3", pid_file);
	assert_int_equal(record_command(command), 0);
	fd = open(pid_file, O_RDONLY | O_CLOEXEC);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	unlink(pid_file);
	left = atoi(text);
	assert_true(left > 1);
	/* It is still there: nobody waited for its end. */
	assert_int_equal(kill(left, SIGKILL), 0);
	assert_int_equal(recorded.status, 3 << 8);
	assert_int_equal(recorded.processes, 1);
}

static void test_disk_full(void **state)
{
	(void)state;
	options.command = (char *[]){ "true", NULL };
	assert_int_equal(record(&options, "/dev/full", &recorded, &err), -ENOSPC);
	assert_false(recorded.created);
}

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.cprof", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

#define RECORD_TEST(f)	cmocka_unit_test_setup_teardown(f, make_fake, free_fake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RECORD_TEST(test_statuses),
		RECORD_TEST(test_token),
		RECORD_TEST(test_not_found),
		RECORD_TEST(test_refused),
		RECORD_TEST(test_slices),
		RECORD_TEST(test_totals),
		RECORD_TEST(test_totals_every_now_and_then),
		RECORD_TEST(test_rest_after_stop),
		RECORD_TEST(test_processes),
		RECORD_TEST(test_process_that_is_not_known_yet),
		RECORD_TEST(test_process_that_comes_again),
		RECORD_TEST(test_attach_error),
		RECORD_TEST(test_attach_flags),
		RECORD_TEST(test_refused_process),
		RECORD_TEST(test_hostile_head),
		RECORD_TEST(test_user_mode),
		RECORD_TEST(test_truncated_ring),
		cmocka_unit_test(test_hostile_positions),
		RECORD_TEST(test_last_of_nobody),
		RECORD_TEST(test_truncated_stream),
		RECORD_TEST(test_without_ring),
		RECORD_TEST(test_ready_fd),
		RECORD_TEST(test_duration_ends_command),
		RECORD_TEST(test_signal),
		RECORD_TEST(test_typed_signal),
		RECORD_TEST(test_second_signal),
		RECORD_TEST(test_left_behind),
		RECORD_TEST(test_daemon),
		RECORD_TEST(test_unrelated),
		RECORD_TEST(test_disk_full),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
