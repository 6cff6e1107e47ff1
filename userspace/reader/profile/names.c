// SPDX-License-Identifier: GPL-2.0
/*
 * The names that LABEL records give to numbers. Numbers of a process with the same text share one
 * name, so that rows of one name are one row; texts are found by a hash and compared as they are
 * shown.
 */
#include <inttypes.h>
#include <string.h>

#include "profile/build.h"
#include "profile/names.h"

/* In a key: it is a place in build.names. Else it is a number without a name. */
#define KEY_NAMED	(1ULL << 32)

/* Over all bytes of the text. Equal hashes are followed by a comparison of the texts as shown. */
static uint64_t hash_name(const struct coroprof_record_label *r)
{
	uint64_t hash = HASH_BEGIN;

	hash = hash_bytes(hash, &r->flags, sizeof(r->flags));
	hash = hash_bytes(hash, &r->value, sizeof(r->value));
	return hash_bytes(hash, r + 1, r->text_len);
}

static bool same_name(const struct build_name *a, const struct build_name *b)
{
	bool code = a->flags & COROPROF_LABEL_CODE;

	return code == !!(b->flags & COROPROF_LABEL_CODE) &&
	       (!code || a->value == b->value) && !strcmp(a->text, b->text);
}

/*
 * The first entry of build.names that has the same process and name as entry @n; @n itself if it is
 * the first.
 */
static uint32_t first_of_same_name(struct build *b, uint32_t process, uint32_t n,
				   uint64_t hash)
{
	uint32_t first = index_get(&b->text_index, hash, process);

	if (first != INDEX_NONE && same_name(&b->names[first], &b->names[n]))
		return first;
	if (!index_put(&b->text_index, hash, process, n))
		b->out_of_memory = true;
	return n;
}

/*
 * Notes the label of the tool's own slices. The library makes one for a process; after a fork()
 * there may be another.
 */
static void note_tool_label(struct build_process *process, const char *text,
			    const struct coroprof_record_label *r)
{
	if (r->flags & COROPROF_LABEL_CODE || strcmp(text, MODEL_NAMING))
		return;
	process->tool = process->tool && process->tool != r->label ? BUILD_TOOLS : r->label;
}

void name_define(struct build *b, uint32_t process,
		 const struct coroprof_record_label *r)
{
	uint32_t n = b->nr_names;
	char *text;

	if (n == BUILD_NAMES_MAX ||
	    !build_grow(b, &b->names, n, sizeof(*b->names)))
		return;
	text = build_text(b, (const char *)(r + 1), r->text_len);
	if (!text)
		return;
	b->names[n] = (struct build_name){
		.number = r->label,
		.text = text,
		.flags = r->flags,
		.value = r->value,
	};
	b->nr_names++;
	note_tool_label(&b->processes[process], text, r);
	b->names[n].first = first_of_same_name(b, process, n, hash_name(r));
	if (!index_put(&b->name_index, r->label, process, n))
		b->out_of_memory = true;
}

uint64_t name_key(const struct build *b, uint32_t process, uint32_t number)
{
	uint32_t n = number ? index_get(&b->name_index, number, process) :
			      INDEX_NONE;

	return n == INDEX_NONE ? number : KEY_NAMED | b->names[n].first;
}

const struct build_name *name_of_key(const struct build *b, uint64_t key)
{
	return key & KEY_NAMED ? &b->names[(uint32_t)key] : NULL;
}

uint32_t name_number(const struct build *b, uint64_t key)
{
	const struct build_name *name = name_of_key(b, key);

	return name ? name->number : (uint32_t)key;
}

bool name_rekey(const struct build *b, uint32_t process, uint32_t number, uint64_t *key)
{
	uint64_t before = *key;

	*key = name_key(b, process, number);
	return !(before & KEY_NAMED) == !(*key & KEY_NAMED);
}

void name_fill(struct build *b, const struct build_name *name, char **text,
	       char **object, uint64_t *address, const char **unresolved)
{
	const char *base = strrchr(name->text, '/');

	if (!(name->flags & COROPROF_LABEL_CODE)) {
		*text = build_format(b, "%s", name->text);
		return;
	}
	*object = build_format(b, "%s", name->text);
	*address = name->value;
	*text = build_format(b, "%s+0x%" PRIx64, base ? base + 1 : name->text,
			     name->value);
	*unresolved = "symbols were not looked up";
}
