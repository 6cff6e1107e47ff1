// SPDX-License-Identifier: GPL-2.0
/*
 * Asks the process without rights for names and lines, keeps one such process running, and
 * remembers which object files are not asked for again.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "symbols/answer.h"
#include "symbols/jail.h"
#include "symbols/kept.h"
#include "symbols/lookup.h"
#include "symbols/symbols.h"

/* For all object files of a recording, and each process that reads them. */
#define SECONDS		60
#define BYTES		(UINT64_C(4) << 30)

/* Of that for one answer: an object file that never ends leaves time for others. */
#define ANSWER_SECONDS	10

/* So many object files may make it end; then no more are read. */
#define REFUSALS_MAX	16

/* As many reasons as there are texts in lookup.c and below, and some more. */
#define REASONS_MAX	64
#define REASON_LENGTH	256

/* The last is of names and lines. */
enum request_kind { REQUEST_FIND, REQUEST_FIND_AT, REQUEST_ALL_AT };

/**
 * struct request - what is asked
 * @kind:         enum request_kind
 * @build_id_len: 0: any build will do
 * @address:      or offset
 * @kept:         where a copy of it was kept, or nothing
 * @build_id:     of the object file, whose path is behind this
 */
struct request {
	uint32_t kind;
	uint32_t build_id_len;
	uint64_t address;
	char kept[KEPT_PATH];
	uint8_t build_id[64];
};

/**
 * struct refusal - an object file that is left alone
 * @key:    as it was asked for: a request, and the path
 * @size:   bytes of @key
 * @lines:  its lines alone are
 * @reason: why
 */
struct refusal {
	char *key;
	size_t size;
	bool lines;
	const char *reason;
};

/* A source of names, see symbols.h. */
struct reading {
	struct symbols symbols;
	char *root;
	struct jail jail;
	uint64_t took_ns;
	struct buffer request;
	struct buffer answer;
	struct refusal refused[REFUSALS_MAX];
	unsigned int nr_refused;
	const char *lines_fault;
};

static struct reading *reading_of(const struct symbols *symbols)
{
	return (struct reading *)symbols;
}

static void end_reading(struct symbols *symbols)
{
	struct reading *s = reading_of(symbols);

	jail_end(&s->jail);
	for (unsigned int i = 0; i < s->nr_refused; i++)
		free(s->refused[i].key);
	buffer_free(&s->request);
	buffer_free(&s->answer);
	free(s->root);
	free(s);
}

/* ------------------------------------------------------------------------
 * in the process without rights
 */

static bool put_location(struct buffer *to, const struct source_location *location)
{
	struct source_location readable = *location;
	char *name = location->name ? lookup_readable(location->name) : NULL;
	bool put;

	readable.name = name;
	put = answer_put_location(to, &readable);
	free(name);
	return put;
}

static bool answer(void *context, const char *request, size_t size, struct buffer *to)
{
	struct source_location locations[LINES_DEPTH];
	struct lookup *lookup = context;
	const char *path = request + sizeof(struct request);
	struct request r;
	const char *fault = NULL;
	unsigned int nr = 0;
	char *name = NULL;
	bool put;

	if (size < sizeof(r))
		return false;
	memcpy(&r, request, sizeof(r));
	lookup_set_kept(lookup, r.kept);
	if (r.kind == REQUEST_FIND)
		fault = lookup_find(lookup, path, r.build_id, r.build_id_len, r.address, &name);
	else
		fault = lookup_find_at(lookup, path, r.build_id, r.build_id_len, r.address, &name);
	if (r.kind == REQUEST_ALL_AT && !fault)
		nr = lookup_locations_at(lookup, path, r.build_id, r.build_id_len, r.address,
					 locations);
	put = answer_put_text(to, fault) && answer_put_text(to, name) &&
	      answer_put_text(to, lookup_lines_fault(lookup)) && answer_put_number(to, nr);
	for (unsigned int i = 0; put && i < nr; i++)
		put = put_location(to, &locations[i]);
	free(name);
	return put;
}

/* ------------------------------------------------------------------------
 * who asks
 */

/* What the process says why, as a text that stays: there are only so many that it can mean. */
static const char *reason_that_stays(const char *text)
{
	static char reasons[REASONS_MAX][REASON_LENGTH];
	static unsigned int nr;

	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(reasons[i], text))
			return reasons[i];
	if (nr == REASONS_MAX || strlen(text) >= REASON_LENGTH)
		return "the process that reads symbols gave a reason that makes no sense";
	return strcpy(reasons[nr++], text);
}

static bool start(struct reading *s)
{
	const struct jail_limits limits = {
		.seconds = SECONDS - (unsigned int)(s->took_ns / 1000000000),
		.answer_seconds = ANSWER_SECONDS, .bytes = BYTES,
	};
	struct lookup *lookup;
	bool started;

	if (s->jail.pid)
		return true;
	lookup = lookup_new(s->root);
	started = lookup && jail_start(&s->jail, &limits, answer, lookup);
	lookup_free(lookup);
	return started;
}

static bool is_of(const struct refusal *r, const struct buffer *request)
{
	const size_t key = offsetof(struct request, build_id);

	return r->size == request->size &&
	       !memcmp(r->key + key, request->data + key, request->size - key);
}

/* Why the object file of the request is left alone, or its @lines are; or NULL. */
static const char *refusal_of(const struct reading *s, bool lines)
{
	for (unsigned int i = 0; i < s->nr_refused; i++)
		if (is_of(&s->refused[i], &s->request) && (lines || !s->refused[i].lines))
			return s->refused[i].reason;
	if (s->nr_refused == REFUSALS_MAX)
		return "given up: too many object files of this recording can't be read";
	if (s->took_ns >= SECONDS * UINT64_C(1000000000))
		return "given up: the object files of this recording took more than 60 s of a processor";
	return NULL;
}

static const char *refuse(struct reading *s, bool lines, const char *reason)
{
	struct refusal *r = &s->refused[s->nr_refused];

	r->key = malloc(s->request.size);
	if (!r->key)
		return "out of memory";
	memcpy(r->key, s->request.data, s->request.size);
	r->size = s->request.size;
	r->lines = lines;
	r->reason = reason;
	s->nr_refused++;
	s->lines_fault = reason;
	return reason;
}

/* Nothing but the lines of the object file that was asked for is left alone. */
static bool refuses_lines(const struct reading *s)
{
	return refusal_of(s, true) && !refusal_of(s, false);
}

static bool put_request(struct buffer *b, const struct request *request, const char *object)
{
	struct error err;

	b->size = 0;
	return !buffer_append(b, request, sizeof(*request), &err) &&
	       !buffer_append(b, object, strlen(object), &err);
}

/* The answer is in s->answer, and begins with a fault and a name. */
static const char *ask(struct reading *s, enum request_kind kind, const char *object,
		       const uint8_t *build_id, size_t build_id_len, uint64_t address)
{
	struct request request = { .kind = kind, .address = address };
	const char *fault;
	uint64_t before;

	if (build_id_len <= sizeof(request.build_id) && build_id_len) {
		request.build_id_len = (uint32_t)build_id_len;
		memcpy(request.build_id, build_id, build_id_len);
		kept_find(request.kept, build_id, build_id_len);
	}
	if (!put_request(&s->request, &request, object))
		return "out of memory";
	fault = refusal_of(s, kind == REQUEST_ALL_AT);
	if (fault)
		return fault;
	if (!start(s))
		return "not read: no process could be started that reads symbols";
	before = s->jail.used_ns;
	fault = jail_ask(&s->jail, &s->request, &s->answer);
	s->took_ns += s->jail.used_ns - before;
	return fault ? refuse(s, kind == REQUEST_ALL_AT, fault) : NULL;
}

/* What each answer begins with. */
static bool take_begin(struct reading *s, size_t *at, const char **fault, const char **name,
		       uint32_t *nr)
{
	const char *lines_fault;

	if (!answer_take_text(&s->answer, at, fault) || !answer_take_text(&s->answer, at, name) ||
	    !answer_take_text(&s->answer, at, &lines_fault) || !answer_take_number(&s->answer, at, nr))
		return false;
	if (lines_fault)
		s->lines_fault = reason_that_stays(lines_fault);
	return true;
}

/* What is behind a fault and a name; nothing if it makes no sense. */
static unsigned int take_locations(const struct buffer *b, size_t at, uint32_t nr,
				   struct source_location locations[LINES_DEPTH])
{
	if (nr > LINES_DEPTH)
		return 0;
	for (uint32_t i = 0; i < nr; i++)
		if (!answer_take_location(b, &at, &locations[i]))
			return 0;
	return nr;
}

static const char *find(struct reading *s, enum request_kind kind, const char *object,
			const uint8_t *build_id, size_t build_id_len, uint64_t address,
			struct symbols_location *found)
{
	const char *fault = ask(s, kind, object, build_id, build_id_len, address), *name;
	size_t at = 0;
	uint32_t nr;

	found->name = NULL;
	found->nr = 0;
	if (fault)
		return fault;
	if (!take_begin(s, &at, &fault, &name, &nr) || !(fault || name))
		return "the process that reads symbols gave an answer that makes no sense";
	if (fault)
		return reason_that_stays(fault);
	found->nr = take_locations(&s->answer, at, nr, found->locations);
	found->name = strdup(name);
	return found->name ? NULL : "out of memory";
}

static const char *find_name(struct symbols *symbols, const char *object, const uint8_t *build_id,
			     size_t build_id_len, uint64_t address, char **name)
{
	struct symbols_location found;
	const char *fault = find(reading_of(symbols), REQUEST_FIND, object, build_id, build_id_len,
				 address, &found);

	*name = found.name;
	return fault;
}

static const char *find_at(struct symbols *symbols, const char *object, const uint8_t *build_id,
			   size_t build_id_len, uint64_t offset, bool lines,
			   struct symbols_location *found)
{
	struct reading *s = reading_of(symbols);
	const char *fault;

	if (lines) {
		fault = find(s, REQUEST_ALL_AT, object, build_id, build_id_len, offset, found);
		if (!fault || !refuses_lines(s))
			return fault;
	}
	return find(s, REQUEST_FIND_AT, object, build_id, build_id_len, offset, found);
}

static const char *lines_fault(const struct symbols *symbols)
{
	return reading_of(symbols)->lines_fault;
}

static const struct symbols_source object_files = { find_name, find_at, lines_fault, end_reading };

struct symbols *symbols_new(const char *root)
{
	struct reading *s = calloc(1, sizeof(*s));

	if (s && root)
		s->root = strdup(root);
	if (!s || (root && !s->root)) {
		free(s);
		return NULL;
	}
	s->symbols.source = &object_files;
	return &s->symbols;
}
