// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Labels are interned here; the kernel gets each once. Looking one up takes no
 * lock: labels are only ever added, and none changes but for its number there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "internal.h"

#define BUCKETS 4096
#define LABEL_FULL (COROPROF_LABELS_MAX - 1)

/**
 * struct label
 * @value:  as in struct coroprof_label
 * @text:   not terminated
 * @next:   in its bucket, 0 for the end
 * @hash:   of all that is given
 * @len:    of @text
 * @flags:  COROPROF_LABEL_*
 */
struct label {
	uint64_t value;
	const char *text;
	uint32_t next;
	uint32_t hash;
	uint16_t len;
	uint16_t flags;
};

uint32_t coroprof_label_numbers[COROPROF_LABELS_MAX];

static struct label *labels;
static uint32_t nr_labels;
static uint32_t buckets[BUCKETS];

/* Room for all the text there can be; only what is used takes memory. */
static char *texts;
static size_t texts_used;

static uint32_t hash_of(uint32_t flags, const char *text, size_t len, uint64_t value)
{
	uint64_t hash = 0xcbf29ce484222325ULL ^ flags ^ value * 0x9e3779b97f4a7c15ULL;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ULL;
	return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t find(const struct label *wanted)
{
	uint32_t n = __atomic_load_n(&buckets[wanted->hash % BUCKETS], __ATOMIC_ACQUIRE);
	const struct label *label;

	for (; n; n = label->next) {
		label = &labels[n];
		if (label->hash == wanted->hash && label->flags == wanted->flags &&
		    label->value == wanted->value && label->len == wanted->len &&
		    !memcmp(label->text, wanted->text, wanted->len))
			return n;
	}
	return 0;
}

static void report_to_kernel(struct label *label, int process)
{
	struct coroprof_label args = {
		.size = sizeof(args),
		.flags = label->flags,
		.text = (uintptr_t)label->text,
		.text_len = label->len,
		.value = label->value,
	};
	int ret = process < 0 || refused() ? -1 : ioctl(process, COROPROF_IOC_LABEL, &args);

	__atomic_store_n(&coroprof_label_numbers[label - labels], ret < 0 ? 0 : args.label,
			 __ATOMIC_RELAXED);
}

/* A new process object knows none of them. The lock is held. */
void coroprof_labels_register(int process)
{
	for (uint32_t n = 1; n <= nr_labels; n++)
		report_to_kernel(&labels[n], process);
}

static bool make_room(void)
{
	size_t size = COROPROF_LABELS_MAX * (sizeof(*labels) + COROPROF_LABEL_TEXT_MAX);
	void *memory;

	if (labels)
		return true;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	/* Else the first label may have the kernel clear a page of 2 MiB while the thread waits. */
	madvise(memory, size, MADV_NOHUGEPAGE);
	labels = memory;
	texts = (char *)(labels + COROPROF_LABELS_MAX);
	return true;
}

static uint32_t add(const struct label *wanted)
{
	uint32_t *bucket = &buckets[wanted->hash % BUCKETS];
	struct label *new = &labels[nr_labels + 1];

	*new = *wanted;
	new->text = memcpy(texts + texts_used, wanted->text, wanted->len);
	texts_used += wanted->len;
	report_to_kernel(new, coroprof_process_descriptor());
	new->next = *bucket;
	__atomic_store_n(bucket, ++nr_labels, __ATOMIC_RELEASE);
	return nr_labels;
}

static struct label label_of(uint32_t flags, const char *text, size_t len, uint64_t value)
{
	return (struct label){
		.value = value,
		.text = text,
		.hash = hash_of(flags, text, len, value),
		.len = (uint16_t)len,
		.flags = (uint16_t)flags,
	};
}

static uint32_t intern(const struct label *wanted)
{
	struct label full;
	uint32_t n;

	if (!make_room())
		return 0;
	n = find(wanted);
	if (n)
		return n;
	if (nr_labels < LABEL_FULL - 1)
		return add(wanted);
	full = label_of(0, "(no label left)", 15, 0);
	n = find(&full);
	return n ? n : add(&full);
}

/* The number of the label, new or old, or 0. Keeps errno. */
uint32_t coroprof_label_intern(uint32_t flags, const char *text, size_t len, uint64_t value)
{
	struct label wanted = label_of(flags, text, len, value);
	uint32_t n = find(&wanted);
	int saved = errno;

	if (n)
		return n;
	coroprof_lock();
	n = intern(&wanted);
	coroprof_unlock();
	errno = saved;
	return n;
}

/* As much of the text as a label can hold, whole characters of UTF-8. */
static size_t fitting(const char *text)
{
	size_t len = strnlen(text, COROPROF_LABEL_TEXT_MAX + 1);

	if (len <= COROPROF_LABEL_TEXT_MAX)
		return len;
	len = COROPROF_LABEL_TEXT_MAX;
	while (len && (text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

/* A module of an ABI level below 4 refuses it: then the reader does not know. */
EXPORT void coroprof_adapter(const char *name, uint32_t sees)
{
	if (name)
		coroprof_label_intern(COROPROF_LABEL_ADAPTER, name, fitting(name), sees);
}

EXPORT uint32_t coroprof_label(const char *text)
{
	return text ? coroprof_label_intern(0, text, fitting(text), 0) : 0;
}
