// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The compiler of Rust orders the members of types as it likes. So metadata are known by what they
 * have: four texts of the program's, of which one is a file, ".rs", and two are one: the module, and the
 * target, which is the module unless the program says otherwise. The other one is the name. Where
 * there are not these, there is no name.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "span.h"

/* Metadata are as long in each version of tracing-core 0.1: texts, fields, line, level and kind. */
#define METADATA_WORDS 14
#define TEXTS 4
#define TEXT_MAX 256

#define PARTS_MAX 8

/* So many tasks without a span are enough of one type: the program wants none. */
#define TRIES 64

/* What the program has loaded, for the file's own; texts are where nothing is written. */
static struct part {
	uintptr_t begin, end;
	bool texts;
} parts[PARTS_MAX];
static unsigned int nr_parts;

static int find_parts(struct dl_phdr_info *object, size_t size, void *data)
{
	(void)size;
	(void)data;
	for (int i = 0; i < object->dlpi_phnum && nr_parts < PARTS_MAX; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && part->p_flags & PF_R && !(part->p_flags & PF_X))
			parts[nr_parts++] = (struct part){
				object->dlpi_addr + part->p_vaddr,
				object->dlpi_addr + part->p_vaddr + part->p_filesz,
				!(part->p_flags & PF_W),
			};
	}
	return 1;
}

void span_begin(void)
{
	if (!nr_parts)
		dl_iterate_phdr(find_parts, NULL);
}

static bool is_loaded(uintptr_t address, size_t size, bool texts)
{
	for (unsigned int i = 0; i < nr_parts; i++) {
		if (address >= parts[i].begin && address < parts[i].end &&
		    size <= parts[i].end - address && (parts[i].texts || !texts))
			return true;
	}
	return false;
}

struct text {
	const char *at;
	size_t len;
};

static bool is_text(uintptr_t address, uintptr_t len)
{
	const unsigned char *at = (const unsigned char *)address;

	if (!len || len > TEXT_MAX || !is_loaded(address, len, true))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (at[i] < ' ' || at[i] == 0x7f)
			return false;
	}
	return true;
}

static bool are_same(const struct text *a, const struct text *b)
{
	return a->len == b->len && !memcmp(a->at, b->at, a->len);
}

static bool is_file(const struct text *text)
{
	return text->len > 3 && !memcmp(text->at + text->len - 3, ".rs", 3);
}

/* All there are, or more than there can be. */
static unsigned int find_texts(const uintptr_t *metadata, struct text texts[TEXTS + 1])
{
	unsigned int nr = 0;

	for (size_t i = 0; i + 1 < METADATA_WORDS && nr <= TEXTS; i++) {
		if (!is_text(metadata[i], metadata[i + 1]))
			continue;
		texts[nr++] = (struct text){ (const char *)metadata[i], metadata[i + 1] };
		i++;
	}
	return nr;
}

/* The one that is neither the file nor equal to another. */
static bool find_name(uintptr_t address, struct text *name)
{
	struct text texts[TEXTS + 1];
	unsigned int files = 0, others = 0;

	if (address % sizeof(uintptr_t) ||
	    !is_loaded(address, METADATA_WORDS * sizeof(uintptr_t), false) ||
	    find_texts((const uintptr_t *)address, texts) != TEXTS)
		return false;
	for (unsigned int i = 0; i < TEXTS; i++) {
		bool twice = false;

		for (unsigned int j = 0; j < TEXTS; j++)
			twice |= i != j && are_same(&texts[i], &texts[j]);
		if (is_file(&texts[i])) {
			files++;
		} else if (!twice) {
			*name = texts[i];
			others++;
		}
	}
	return files == 1 && others == 1;
}

static void look_for_words(struct span_place *place, void *const *task)
{
	unsigned int nr = 0;
	struct text name;

	for (uint32_t i = 0; i < place->bytes / sizeof(*task) && nr < SPAN_PLACES; i++) {
		if (find_name((uintptr_t)task[i], &name))
			place->words[nr++] = i;
	}
	place->tries = nr ? TRIES : place->tries + 1;
	__atomic_store_n(&place->nr, nr, __ATOMIC_RELEASE);
}

/* What tasks before this one had left behind in its memory is hardly there again. */
static void keep_words(struct span_place *place, void *const *task)
{
	struct text name;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < place->nr; i++) {
		if (find_name((uintptr_t)task[place->words[i]], &name))
			place->words[nr++] = place->words[i];
	}
	__atomic_store_n(&place->nr, nr, __ATOMIC_RELEASE);
}

bool span_name(struct span_place *place, void *const *task, char name[SPAN_ROOM])
{
	struct text found;

	if (!place->bytes)
		return false;
	if ((place->tries < TRIES || place->nr > 1) &&
	    !__atomic_test_and_set(&place->taken, __ATOMIC_ACQUIRE)) {
		if (place->nr)
			keep_words(place, task);
		else
			look_for_words(place, task);
		__atomic_clear(&place->taken, __ATOMIC_RELEASE);
	}
	if (__atomic_load_n(&place->nr, __ATOMIC_ACQUIRE) != 1 || !find_name((uintptr_t)task[place->words[0]], &found))
		return false;
	snprintf(name, SPAN_ROOM, "%.*s", (int)found.len, found.at);
	return true;
}
