// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that what is mapped can be mapped in the forms that are meant, and in
 * no other: nothing read-only becomes writable, nothing executable, nothing
 * larger than it is.
 */
#include "kselftest_harness.h"

#include "program.h"
#include "reader.h"
#include "require.h"

#define NR_SLOTS	100U
#define RING_SIZE	65536U

FIXTURE(mmap)
{
	struct program program;
	struct reader reader;
	int channel;
	struct log *log;
};

FIXTURE_SETUP(mmap)
{
	ASSERT_EQ(0, program_open(&self->program, NR_SLOTS, 0));
	self->reader.config.ring_size = RING_SIZE;
	ASSERT_EQ(0, reader_open(&self->reader, self->program.control, NR_SLOTS));
	ASSERT_EQ(0, attach(self->reader.fd, getpid()));
	ASSERT_EQ(0, start(self->reader.fd));
	self->channel = join(self->program.process, THREAD_SLOT);
	ASSERT_EQ(0, switch_to(self->channel, 2));
	ASSERT_EQ(0, switch_to(self->channel, 3));
	reader_drain(&self->reader);
	ASSERT_STREQ("", self->reader.defect);
	ASSERT_EQ(1, self->reader.nr_logs);
	self->log = &self->reader.logs[0];
	ASSERT_EQ(RING_SIZE, self->log->record.ring_size);
}

FIXTURE_TEARDOWN(mmap)
{
	close(self->channel);
	reader_close(&self->reader);
	program_close(&self->program);
}

static bool mappable(int fd, size_t len, int prot, int flags, __u64 offset)
{
	void *at = map_at(fd, len, prot, flags, offset);

	if (!at)
		return false;
	munmap(at, len);
	return true;
}

/* One region of one descriptor, as it is meant. */
struct region {
	const char *name;
	int fd;
	__u64 offset;
	size_t len;
	bool writable;
};

#define NR_REGIONS	4

static void regions(FIXTURE_DATA(mmap) *self, struct region *region)
{
	__u64 ring = COROPROF_MMAP_RING(self->log->record.channel_id);
	size_t page = page_size();

	region[0] = (struct region){ "process page", self->program.process,
				     COROPROF_MMAP_PROCESS_PAGE, page, false };
	region[1] = (struct region){ "slots", self->program.process, COROPROF_MMAP_SLOTS,
				     page_align(NR_SLOTS * sizeof(struct coroprof_slot)), true };
	region[2] = (struct region){ "consumer page", self->reader.fd, ring, page, true };
	region[3] = (struct region){ "producer page and data", self->reader.fd, ring + page,
				     page + 2 * RING_SIZE, false };
}

TEST_F(mmap, as_it_is_meant)
{
	struct region region[NR_REGIONS], *r;

	regions(self, region);
	for (r = region; r < region + NR_REGIONS; r++) {
		int prot = PROT_READ | (r->writable ? PROT_WRITE : 0);

		EXPECT_TRUE(mappable(r->fd, r->len, prot, MAP_SHARED, r->offset))
			TH_LOG("%s", r->name);
	}
}

TEST_F(mmap, private)
{
	struct region region[NR_REGIONS], *r;

	regions(self, region);
	for (r = region; r < region + NR_REGIONS; r++)
		EXPECT_FALSE(mappable(r->fd, r->len, PROT_READ, MAP_PRIVATE, r->offset))
			TH_LOG("%s", r->name);
}

TEST_F(mmap, executable)
{
	struct region region[NR_REGIONS], *r;
	void *at;

	regions(self, region);
	for (r = region; r < region + NR_REGIONS; r++) {
		EXPECT_FALSE(mappable(r->fd, r->len, PROT_READ | PROT_EXEC,
				      MAP_SHARED, r->offset)) TH_LOG("%s", r->name);
		at = map_at(r->fd, r->len, PROT_READ, MAP_SHARED, r->offset);
		ASSERT_NE(NULL, at);
		EXPECT_EQ(-1, mprotect(at, r->len, PROT_READ | PROT_EXEC))
			TH_LOG("%s", r->name);
	}
}

TEST_F(mmap, written_where_it_is_read_only)
{
	struct region region[NR_REGIONS], *r;
	void *at;

	regions(self, region);
	for (r = region; r < region + NR_REGIONS; r++) {
		if (r->writable)
			continue;
		EXPECT_FALSE(mappable(r->fd, r->len, PROT_READ | PROT_WRITE,
				      MAP_SHARED, r->offset)) TH_LOG("%s", r->name);
		EXPECT_FALSE(mappable(r->fd, r->len, PROT_WRITE,
				      MAP_SHARED, r->offset)) TH_LOG("%s", r->name);
		at = map_at(r->fd, r->len, PROT_READ, MAP_SHARED, r->offset);
		ASSERT_NE(NULL, at);
		EXPECT_EQ(-1, mprotect(at, r->len, PROT_READ | PROT_WRITE))
			TH_LOG("%s", r->name);
	}
}

TEST_F(mmap, longer_than_it_is)
{
	struct region region[NR_REGIONS], *r;
	size_t page = page_size();
	void *at;

	regions(self, region);
	for (r = region; r < region + NR_REGIONS; r++) {
		int prot = PROT_READ | (r->writable ? PROT_WRITE : 0);

		EXPECT_FALSE(mappable(r->fd, r->len + page, prot, MAP_SHARED, r->offset))
			TH_LOG("%s", r->name);
		at = map_at(r->fd, r->len, prot, MAP_SHARED, r->offset);
		ASSERT_NE(NULL, at);
		EXPECT_EQ(MAP_FAILED, mremap(at, r->len, r->len + page, MREMAP_MAYMOVE))
			TH_LOG("%s", r->name);
		EXPECT_EQ(MAP_FAILED, mremap(at, 0, r->len + page, MREMAP_MAYMOVE))
			TH_LOG("%s", r->name);
	}
}

/* Both pages of a ring's head at once would make the producer's writable. */
TEST_F(mmap, writable_across_the_border)
{
	__u64 ring = COROPROF_MMAP_RING(self->log->record.channel_id);

	EXPECT_FALSE(mappable(self->reader.fd, 2 * page_size(), PROT_READ | PROT_WRITE,
			      MAP_SHARED, ring));
	EXPECT_FALSE(mappable(self->reader.fd, 2 * page_size() + 2 * RING_SIZE,
			      PROT_READ | PROT_WRITE, MAP_SHARED, ring));
}

TEST_F(mmap, places_where_nothing_is)
{
	__u64 ring = COROPROF_MMAP_RING(self->log->record.channel_id);
	size_t page = page_size();
	int process = self->program.process, session = self->reader.fd;
	const __u64 slots_end = COROPROF_MMAP_SLOTS +
				page_align(NR_SLOTS * sizeof(struct coroprof_slot));

	EXPECT_FALSE(mappable(process, page, PROT_READ, MAP_SHARED, page));
	EXPECT_FALSE(mappable(process, page, PROT_READ, MAP_SHARED, COROPROF_MMAP_SLOTS - page));
	EXPECT_FALSE(mappable(process, page, PROT_READ, MAP_SHARED, slots_end));
	EXPECT_FALSE(mappable(process, page, PROT_READ, MAP_SHARED, ring));
	EXPECT_FALSE(mappable(session, page, PROT_READ, MAP_SHARED, 0));
	EXPECT_FALSE(mappable(session, page, PROT_READ, MAP_SHARED, COROPROF_MMAP_SLOTS));
	EXPECT_FALSE(mappable(session, page, PROT_READ, MAP_SHARED,
			      ring + 2 * page + 2 * RING_SIZE));
	EXPECT_FALSE(mappable(session, page, PROT_READ, MAP_SHARED, COROPROF_MMAP_RING(999)));
	EXPECT_FALSE(mappable(session, page, PROT_READ, MAP_SHARED,
			      COROPROF_MMAP_RING(0x7ffffff)));
	EXPECT_FALSE(mappable(session, page, PROT_READ, MAP_SHARED, 1ULL << 63));
	EXPECT_FALSE(mappable(self->program.control, page, PROT_READ, MAP_SHARED, 0));
	EXPECT_FALSE(mappable(self->channel, page, PROT_READ, MAP_SHARED, 0));
}

TEST_F(mmap, the_data_twice)
{
	const unsigned char *data = self->log->data;

	ASSERT_LT(0, self->log->tail);
	EXPECT_EQ(0, memcmp(data, data + RING_SIZE, RING_SIZE));
	/* Not two copies: what is written later is in both as well. */
	ASSERT_EQ(0, switch_to(self->channel, 2));
	EXPECT_LT(self->log->tail, self->log->producer->head);
	EXPECT_EQ(0, memcmp(data, data + RING_SIZE, RING_SIZE));
	EXPECT_NE(0, *(__u16 *)(data + self->log->tail));
}

/* A part of the slots is enough for a program that uses a part. */
TEST_F(mmap, slots_in_part)
{
	size_t page = page_size();

	EXPECT_TRUE(mappable(self->program.process, page, PROT_READ | PROT_WRITE,
			     MAP_SHARED, COROPROF_MMAP_SLOTS));
	EXPECT_TRUE(mappable(self->program.process, page, PROT_READ,
			     MAP_SHARED, COROPROF_MMAP_SLOTS));
}

static int write_inherited(void *arg)
{
	FIXTURE_DATA(mmap) *self = arg;

	self->program.slots[5].tag = 1234;
	return self->program.slots[5].tag == 1234 &&
	       self->program.page->active ? 0 : 1;
}

/* They are shared mappings, and behave like any: memory stays memory. */
TEST_F(mmap, inherited_by_a_child)
{
	EXPECT_EQ(0, in_child(write_inherited, self));
	EXPECT_EQ(1234, self->program.slots[5].tag);
	EXPECT_EQ(0, switch_to(self->channel, 4));
}

/*
 * A mapping holds on to its descriptor, so nothing is pulled from under it; the
 * last one of a session's rings ends the session.
 */
TEST_F(mmap, after_close)
{
	const struct coroprof_ring_producer *producer = self->log->producer;
	__u64 head;

	close(self->channel);
	close(self->reader.fd);
	close(self->program.process);
	self->reader.fd = -1;
	self->program.process = -1;
	head = producer->head;
	EXPECT_LT(0, head);
	self->log->consumer->tail = 12345;
	EXPECT_EQ(12345, self->log->consumer->tail);
	self->program.slots[7].tag = 99;
	EXPECT_EQ(99, self->program.slots[7].tag);
	EXPECT_EQ(head, producer->head);
	EXPECT_EQ(1, self->program.page->active);
	log_unmap(&self->reader, self->log);
	EXPECT_EQ(0, self->program.page->active);
}

/* FORGET while the ring is mapped: the mapping stays good. */
TEST_F(mmap, after_forget)
{
	__u64 head;

	ASSERT_EQ(0, leave(self->channel));
	head = self->log->producer->head;
	ASSERT_EQ(0, forget(self->reader.fd, self->log->record.channel_id));
	EXPECT_EQ(head, self->log->producer->head);
	EXPECT_FALSE(mappable(self->reader.fd, page_size(), PROT_READ, MAP_SHARED,
			      COROPROF_MMAP_RING(self->log->record.channel_id)));
}

TEST_HARNESS_MAIN
