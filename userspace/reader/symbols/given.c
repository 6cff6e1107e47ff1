// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps what a source of names has answered, as the bytes of question and answer, and answers from
 * them. A list comes from a page, or a file: nothing in it is believed.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/answer.h"
#include "symbols/given.h"

/* A question is one of these; FAULT has the reason of missing lines in place of an answer. */
enum question_kind { QUESTION_NAME, QUESTION_PLACE, QUESTION_LINES, QUESTION_FAULT };

/**
 * struct question - how an entry of a list begins; the path of the object file is behind it
 * @size:         of the entry, this included
 * @kind:         enum question_kind
 * @path_len:     of the path
 * @build_id_len: 0: any build will do
 * @address:      or offset
 * @build_id:     of the object file
 */
struct question {
	uint32_t size;
	uint32_t kind;
	uint32_t path_len;
	uint32_t build_id_len;
	uint64_t address;
	uint8_t build_id[64];
};

/* What makes two of them the same. */
#define KEY_BEGIN	offsetof(struct question, kind)

/* ---- a list */

static struct question question_at(const struct buffer *b, size_t at)
{
	struct question q;

	memcpy(&q, b->data + at, sizeof(q));
	return q;
}

static size_t key_size(const struct question *q)
{
	return sizeof(*q) - KEY_BEGIN + q->path_len;
}

/* Where what was answered to @key is, or 0: an entry begins before that. */
static size_t find_entry(const struct symbols_given *l, const char *key, size_t size)
{
	uint64_t value = hash_bytes(HASH_BEGIN, key, size);

	for (uint32_t n = 0;; n++) {
		uint32_t at = index_get(&l->index, value, n);
		struct question q;

		if (at == INDEX_NONE)
			return 0;
		q = question_at(&l->bytes, at);
		if (key_size(&q) == size && !memcmp(l->bytes.data + at + KEY_BEGIN, key, size))
			return at + KEY_BEGIN + size;
	}
}

/* The entry at @at is whole. */
static bool index_entry(struct symbols_given *l, size_t at)
{
	const struct question q = question_at(&l->bytes, at);
	uint64_t value = hash_bytes(HASH_BEGIN, l->bytes.data + at + KEY_BEGIN, key_size(&q));
	uint32_t n = 0;

	while (index_get(&l->index, value, n) != INDEX_NONE)
		n++;
	return at < INDEX_NONE && index_put(&l->index, value, n, (uint32_t)at);
}

/* Entries are kept whole, with the path and the answer inside them. */
static bool is_entry(const struct buffer *b, size_t at)
{
	struct question q;

	if (b->size - at < sizeof(q))
		return false;
	q = question_at(b, at);
	return q.size >= sizeof(q) && q.size <= b->size - at && q.path_len <= q.size - sizeof(q) &&
	       q.build_id_len <= sizeof(q.build_id);
}

static bool take_fault(struct symbols_given *l, size_t at)
{
	const struct buffer entry = {
		.data = l->bytes.data, .size = at + question_at(&l->bytes, at).size,
	};
	size_t text = at + sizeof(struct question);

	return answer_take_text(&entry, &text, &l->fault);
}

bool given_read(struct symbols_given *l, const void *bytes, size_t size)
{
	struct error err;
	size_t at = 0;

	*l = (struct symbols_given){ 0 };
	if (buffer_append(&l->bytes, bytes, size, &err))
		return false;
	while (at < size && is_entry(&l->bytes, at) &&
	       (question_at(&l->bytes, at).kind == QUESTION_FAULT ? take_fault(l, at) :
								     index_entry(l, at)))
		at += question_at(&l->bytes, at).size;
	if (at == size)
		return true;
	given_free(l);
	return false;
}

static bool put_fault(struct buffer *to, const char *fault)
{
	struct question q = { .kind = QUESTION_FAULT };
	struct buffer text = { 0 };
	struct error err;
	bool put = answer_put_text(&text, fault);

	q.size = (uint32_t)(sizeof(q) + text.size);
	put = put && !buffer_append(to, &q, sizeof(q), &err) &&
	      !buffer_append(to, text.data, text.size, &err);
	buffer_free(&text);
	return put;
}

bool given_write(const struct symbols_given *l, struct buffer *to)
{
	struct error err;

	return !buffer_append(to, l->bytes.data, l->bytes.size, &err) &&
	       (!l->fault || put_fault(to, l->fault));
}

void given_free(struct symbols_given *l)
{
	buffer_free(&l->bytes);
	index_free(&l->index);
	l->fault = NULL;
}

/* ---- what is asked */

/* False when out of memory, or of a build id that no object file has. */
static bool put_question(struct buffer *to, enum question_kind kind, const char *object,
			 const uint8_t *build_id, size_t build_id_len, uint64_t address)
{
	struct question q = {
		.kind = kind, .path_len = (uint32_t)strlen(object),
		.build_id_len = (uint32_t)build_id_len, .address = address,
	};
	struct error err;

	if (build_id_len > sizeof(q.build_id))
		return false;
	if (build_id_len)
		memcpy(q.build_id, build_id, build_id_len);
	return !buffer_append(to, &q, sizeof(q), &err) &&
	       !buffer_append(to, object, q.path_len, &err);
}

static bool put_answer(struct buffer *to, const char *reason, const struct symbols_location *found)
{
	bool put = answer_put_text(to, reason) && answer_put_text(to, found->name) &&
		   answer_put_number(to, found->nr);

	for (unsigned int i = 0; put && i < found->nr; i++)
		put = answer_put_location(to, &found->locations[i]);
	return put;
}

static const char *take_answer(const struct buffer *b, size_t at, struct symbols_location *found)
{
	const char *reason, *name;
	uint32_t nr;

	if (!answer_take_text(b, &at, &reason) || !answer_take_text(b, &at, &name) ||
	    !answer_take_number(b, &at, &nr) || nr > LINES_DEPTH || !(reason || name))
		return "the list of names makes no sense";
	if (reason)
		return reason;
	for (uint32_t i = 0; i < nr; i++)
		if (!answer_take_location(b, &at, &found->locations[i]))
			return "the list of names makes no sense";
	found->nr = nr;
	found->name = strdup(name);
	return found->name ? NULL : "out of memory";
}

/* ---- names that are in a list */

/* A source of names, see symbols.h. */
struct listed {
	struct symbols symbols;
	const struct symbols_given *list;
};

static const char *find_listed(struct symbols *symbols, enum question_kind kind,
			       const char *object, const uint8_t *build_id, size_t build_id_len,
			       uint64_t address, struct symbols_location *found)
{
	const struct symbols_given *l = ((struct listed *)symbols)->list;
	struct buffer question = { 0 };
	size_t at = 0;

	found->name = NULL;
	found->nr = 0;
	if (put_question(&question, kind, object, build_id, build_id_len, address))
		at = find_entry(l, question.data + KEY_BEGIN, question.size - KEY_BEGIN);
	buffer_free(&question);
	return at ? take_answer(&l->bytes, at, found) : GIVEN_LACKS;
}

static const char *listed_name(struct symbols *symbols, const char *object, const uint8_t *build_id,
			       size_t build_id_len, uint64_t address, char **name)
{
	struct symbols_location found;
	const char *reason = find_listed(symbols, QUESTION_NAME, object, build_id, build_id_len,
					 address, &found);

	*name = found.name;
	return reason;
}

static const char *listed_place(struct symbols *symbols, const char *object,
				const uint8_t *build_id, size_t build_id_len, uint64_t offset,
				bool lines, struct symbols_location *found)
{
	return find_listed(symbols, lines ? QUESTION_LINES : QUESTION_PLACE, object, build_id,
			   build_id_len, offset, found);
}

static const char *listed_fault(const struct symbols *symbols)
{
	return ((const struct listed *)symbols)->list->fault;
}

static void free_listed(struct symbols *symbols)
{
	free(symbols);
}

struct symbols *given_names(const struct symbols_given *list)
{
	static const struct symbols_source source = {
		listed_name, listed_place, listed_fault, free_listed,
	};
	struct listed *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct listed){ { &source }, list };
	return &s->symbols;
}

/* ---- names that go into one */

/* A source of names, see symbols.h. */
struct noting {
	struct symbols symbols;
	struct symbols *from;
	struct symbols_given *list;
};

/* Without memory the list lacks it, and will say so. */
static void note(struct symbols_given *l, const struct buffer *entry)
{
	size_t at = l->bytes.size;
	struct error err;

	if (find_entry(l, entry->data + KEY_BEGIN, sizeof(struct question) - KEY_BEGIN +
		       question_at(entry, 0).path_len) ||
	    buffer_append(&l->bytes, entry->data, entry->size, &err))
		return;
	if (!index_entry(l, at))
		l->bytes.size = at;
}

static void note_answer(struct symbols *symbols, enum question_kind kind, const char *object,
			const uint8_t *build_id, size_t build_id_len, uint64_t address,
			const char *reason, const struct symbols_location *found)
{
	struct buffer entry = { 0 };
	uint32_t size;

	if (put_question(&entry, kind, object, build_id, build_id_len, address) &&
	    put_answer(&entry, reason, found)) {
		size = (uint32_t)entry.size;
		memcpy(entry.data, &size, sizeof(size));
		note(((struct noting *)symbols)->list, &entry);
	}
	buffer_free(&entry);
}

static const char *noted_name(struct symbols *symbols, const char *object, const uint8_t *build_id,
			      size_t build_id_len, uint64_t address, char **name)
{
	const char *reason = symbols_find(((struct noting *)symbols)->from, object, build_id,
					  build_id_len, address, name);
	const struct symbols_location found = { .name = *name };

	note_answer(symbols, QUESTION_NAME, object, build_id, build_id_len, address, reason, &found);
	return reason;
}

static const char *noted_place(struct symbols *symbols, const char *object, const uint8_t *build_id,
			       size_t build_id_len, uint64_t offset, bool lines,
			       struct symbols_location *found)
{
	const char *reason = symbols_find_at(((struct noting *)symbols)->from, object, build_id,
					     build_id_len, offset, lines, found);

	note_answer(symbols, lines ? QUESTION_LINES : QUESTION_PLACE, object, build_id,
		    build_id_len, offset, reason, found);
	return reason;
}

static const char *noted_fault(const struct symbols *symbols)
{
	const struct noting *s = (const struct noting *)symbols;

	s->list->fault = symbols_lines_fault(s->from);
	return s->list->fault;
}

static void free_noting(struct symbols *symbols)
{
	symbols_free(((struct noting *)symbols)->from);
	free(symbols);
}

struct symbols *given_noting(struct symbols_given *list, struct symbols *names)
{
	static const struct symbols_source source = {
		noted_name, noted_place, noted_fault, free_noting,
	};
	struct noting *s = names ? calloc(1, sizeof(*s)) : NULL;

	if (!s) {
		symbols_free(names);
		return NULL;
	}
	*s = (struct noting){ { &source }, names, list };
	return &s->symbols;
}
