// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines, and functions put into others: of each address of objects that the
 * Makefile builds, the same as addr2line of binutils says, which has a reader of debug
 * information of its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/util.h"
#include "cprof/format.h"
#include "gen/recording.h"
#include "symbols/objects.h"
#include "symbols/symbols.h"
#include "support.h"

/* Longer than the code of any of them. */
#define ADDRESSES_MAX	4096

static int find_objects(void **state)
{
	(void)state;
	find_folder();
	return 0;
}

/**
 * struct code - of an object
 * @begin: of its section .text, as in the file and as it is loaded: both are the same
 * @end:   of that
 */
struct code {
	uint64_t begin;
	uint64_t end;
};

static struct code code_of(const char *object)
{
	GElf_Shdr header = { 0 };
	Elf_Scn *section = NULL;
	struct elf_file e;

	elf_version(EV_CURRENT);
	assert_true(elf_file_open(&e, object));
	while ((section = elf_nextscn(e.elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
		    header.sh_type == SHT_PROGBITS && header.sh_size > 64)
			break;
	elf_file_close(&e);
	assert_non_null(section);
	assert_int_equal(header.sh_addr, header.sh_offset);
	assert_true(header.sh_size < ADDRESSES_MAX);
	return (struct code){ header.sh_addr, header.sh_addr + header.sh_size };
}

/* What is known of an address as addr2line -a -i -f -C writes it, the innermost first. */
static void tell(FILE *to, struct symbols *s, const char *object, uint64_t address)
{
	struct symbols_location found;
	const struct source_location *locations = found.locations;

	symbols_find_at(s, object, NULL, 0, address, true, &found);
	fprintf(to, "0x%016" PRIx64 "\n", address);
	for (unsigned int i = found.nr; i-- > 0;) {
		assert_int_equal(!locations[i].name, !i);
		assert_int_equal(locations[i].inlined, i > 0);
		fprintf(to, "%s\n%s:", i ? locations[i].name : found.name, locations[i].file);
		fprintf(to, locations[i].line ? "%" PRIu32 "\n" : "?\n", locations[i].line);
	}
	free(found.name);
}

static void strip_discriminators(char *text)
{
	char *from = text, *to = text;

	while (*from) {
		if (!strncmp(from, " (discriminator", 15))
			from += strcspn(from, "\n");
		else
			*to++ = *from++;
	}
	*to = '\0';
}

/* Between functions there is only padding. */
static bool is_code(struct symbols *s, const char *object, uint64_t address)
{
	struct symbols_location found;
	bool is = !symbols_find_at(s, object, NULL, 0, address, false, &found);

	free(found.name);
	return is;
}

static char *addr2line(struct symbols *s, const char *object, const char *debug,
		       const struct code *code)
{
	char command[9000], *text = calloc(1, 16u << 20);
	char list[] = "/tmp/test-lines.XXXXXX";
	FILE *addresses = fdopen(mkstemp(list), "w"), *pipe;

	for (uint64_t at = code->begin; at < code->end; at++)
		if (is_code(s, object, at))
			fprintf(addresses, "0x%" PRIx64 "\n", at);
	assert_true(ftell(addresses) > 500);
	fclose(addresses);
	snprintf(command, sizeof(command), "addr2line -a -i -f -C -e '%s' <%s", debug, list);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_true(fread(text, 1, (16u << 20) - 1, pipe) > 1000);
	assert_int_equal(pclose(pipe), 0);
	unlink(list);
	strip_discriminators(text);
	return text;
}

/* Line by line: all of it would say little. */
static void assert_same(char *have, char *want)
{
	char address[64] = "";

	while (*have || *want) {
		size_t one = strcspn(have, "\n"), other = strcspn(want, "\n");

		if (one != other || memcmp(have, want, one))
			fail_msg("at %s: '%.*s', where addr2line has '%.*s'", address,
				 (int)one, have, (int)other, want);
		if (!strncmp(have, "0x", 2))
			snprintf(address, sizeof(address), "%.*s", (int)one, have);
		have += one + (have[one] == '\n');
		want += other + (want[other] == '\n');
	}
}

/* What is said of @object, below @root, and what addr2line says of @debug_name. */
static void same_below(const char *root, const char *object, const char *debug_name)
{
	struct symbols *s = symbols_new(root);
	char path[8192], *want, *have = NULL;
	struct code code;
	size_t size;
	FILE *to = open_memstream(&have, &size);

	snprintf(path, sizeof(path), "%s%s", root, object);
	code = code_of(path);
	want = addr2line(s, object, path_of(debug_name), &code);
	for (uint64_t at = code.begin; at < code.end; at++)
		if (is_code(s, object, at))
			tell(to, s, object, at);
	fclose(to);
	assert_null(symbols_lines_fault(s));
	assert_same(have, want);
	symbols_free(s);
	free(have);
	free(want);
}

static void same_as_addr2line(const char *name, const char *debug_name)
{
	char object[4096];

	strcpy(object, path_of(name));
	same_below("", object, debug_name);
}

static void of_DWARF_5(void **state)
{
	(void)state;
	same_as_addr2line("inlined-5.so", "inlined-5.so");
}

static void of_DWARF_4(void **state)
{
	(void)state;
	same_as_addr2line("inlined-4.so", "inlined-4.so");
}

static void of_compressed_sections(void **state)
{
	(void)state;
	same_as_addr2line("inlined-compressed.so", "inlined-5.so");
}

static void of_a_debug_file_that_a_link_names(void **state)
{
	(void)state;
	same_as_addr2line("inlined-linked.so", "inlined-5.so");
}

static void of_a_debug_file_by_build_id(void **state)
{
	char root[4096];

	(void)state;
	strcpy(root, path_of("root"));
	same_below(root, "/lib/inlined-stripped.so", "inlined-5.so");
}

static void of_C_plus_plus(void **state)
{
	(void)state;
	same_as_addr2line("inlined-c++.so", "inlined-c++.so");
}

/* If a byte is broken, there is an answer, right or wrong, of no more than there is room for. */
static void survives_damage(void **state)
{
	static unsigned char bytes[1 << 20];
	FILE *file = fopen(path_of("inlined-5.so"), "rb");
	size_t size = fread(bytes, 1, sizeof(bytes), file);
	struct code code = code_of(path_of("inlined-5.so"));
	struct symbols_location found;
	char path[4096];

	(void)state;
	fclose(file);
	strcpy(path, path_of("inlined-damaged.so"));
	/* Behind the code are debug information and its tables. */
	for (size_t at = code.end; at < size; at += 1 + size / 400) {
		unsigned char was = bytes[at];
		struct symbols *s = symbols_new(NULL);

		bytes[at] ^= (unsigned char)(1 + at % 255);
		file = fopen(path, "wb");
		assert_int_equal(fwrite(bytes, 1, size, file), size);
		fclose(file);
		for (uint64_t to = code.begin; to < code.end; to += 16) {
			symbols_find_at(s, path, NULL, 0, to, true, &found);
			assert_true(found.nr <= LINES_DEPTH);
			free(found.name);
		}
		symbols_free(s);
		bytes[at] = was;
	}
	unlink(path);
}

static void budget_of_lines_runs_out(void **state)
{
	struct budget b = budget_lines();
	struct elf_file e;

	(void)state;
	assert_true(elf_file_open(&e, path_of("inlined-5.so")));
	assert_true(lines_are_in(e.elf, &b));
	assert_null(b.gone);
	b.read = 100;
	assert_false(lines_are_in(e.elf, &b));
	assert_says(b.gone, "larger than the 1 GiB");
	elf_file_close(&e);
}

/* One byte may be a row of a table of lines, so that a small file could take all memory. */
static void budget_of_tables_of_lines_runs_out(void **state)
{
	struct code code = code_of(path_of("inlined-compressed.so"));
	struct source_location locations[LINES_DEPTH];

	(void)state;
	for (int few = 0; few < 2; few++) {
		struct budget b = budget_lines();
		struct lines *lines;
		struct elf_file e;

		if (few)
			b.lines = 100;
		assert_true(elf_file_open(&e, path_of("inlined-compressed.so")));
		lines = lines_open(&e, NULL, &b);
		assert_non_null(lines);
		assert_int_equal(!lines_find(lines, code.begin, locations), few);
		assert_int_equal(!lines_find(lines, code.begin + 1, locations), few);
		if (few)
			assert_says(b.gone, "tables of lines");
		else
			assert_true(BUDGET_LINES - b.lines > 100);
		lines_close(lines);
	}
}

/* ------------------------------------------------------------------------
 * in a recording
 */

static void put_map(struct gen *g, const char *object)
{
	struct {
		struct cprof_maps head;
		struct cprof_map map;
		char path[4096];
	} list = {
		.head = { .process_id = 1, .pid = 100 },
		.map = { .end = 1 << 20 },
	};

	strcpy(list.path, object);
	list.map.path_len = (uint16_t)strlen(object);
	list.map.size = (uint32_t)(sizeof(list.map) + ((list.map.path_len + 7u) & ~7u));
	gen_segment(g, CPROF_SEGMENT_MAPS, &list, (uint32_t)sizeof(list.head) + list.map.size);
}

/* A sample at each address of the code, called from the begin of it. */
static struct model *sampled(const char *object, const struct code *code, bool no_inline)
{
	const struct model_options options = { .no_inline = no_inline };
	struct gen *g = begin_recording();

	gen_info(g, "sample_event", "cycles");
	put_map(g, object);
	channel(g, 1, 1000);
	SLICE(g, 1, 10, 1000, 100000, .label = 1);
	for (uint64_t at = code->begin; at < code->end; at++)
		gen_sample(g, 1, &(struct gen_sample){
			.time = 1001 + at - code->begin, .id = 10, .label = 1,
			.address = { at, code->begin + 2 },
		});
	return load_with(g, &options);
}

/* Both forests have all samples, and a line is a part of the node of its function. */
static void assert_whole(const struct model *m)
{
	uint64_t nodes = 0, lines = 0, locations = 0;

	for (uint32_t i = 0; i < m->nr_sample_nodes; i++)
		nodes += m->sample_nodes[i].own;
	for (uint32_t i = 0; i < m->nr_locations; i++)
		locations += m->locations[i].own;
	for (uint32_t i = 0; i < m->nr_line_nodes; i++) {
		const struct model_line_node *n = &m->line_nodes[i];
		uint32_t above = m->sample_nodes[n->node].parent;

		lines += n->own;
		assert_int_equal(m->locations[n->location].frame, m->sample_nodes[n->node].frame);
		assert_int_equal(n->parent == MODEL_NONE, above == MODEL_NONE);
		if (n->parent == MODEL_NONE)
			continue;
		assert_true(n->parent < i);
		assert_int_equal(m->line_nodes[n->parent].node, above);
	}
	assert_int_equal(nodes, m->samples);
	assert_int_equal(lines, m->samples);
	assert_int_equal(locations, m->samples);
}

static void a_recording_has_lines(void **state)
{
	struct code code = code_of(path_of("inlined-5.so"));
	struct model *m = sampled(path_of("inlined-5.so"), &code, false);
	bool inlined = false;

	(void)state;
	assert_whole(m);
	for (uint32_t i = 0; i < m->nr_locations; i++)
		inlined |= m->locations[i].inlined &&
			   !strcmp(m->frames[m->locations[i].frame].name, "innermost");
	assert_true(inlined);
	model_free(m);
	m = sampled(path_of("inlined-5.so"), &code, true);
	assert_int_equal(m->nr_locations, 0);
	assert_int_equal(m->nr_line_nodes, 0);
	model_free(m);
}

/* One of two recordings has them. */
static void recordings_are_added_with_their_lines(void **state)
{
	struct code code = code_of(path_of("inlined-5.so"));

	(void)state;
	for (int first = 0; first < 3; first++) {
		struct model *one = sampled(path_of("inlined-5.so"), &code, first == 1);
		struct model *other = sampled(path_of("inlined-5.so"), &code, first == 0);
		struct error err;

		assert_int_equal(model_combine(one, other, &err), 0);
		assert_int_equal(one->samples, 2 * (code.end - code.begin));
		assert_whole(one);
		model_free(one);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_DWARF_5),
		cmocka_unit_test(of_DWARF_4),
		cmocka_unit_test(of_compressed_sections),
		cmocka_unit_test(of_a_debug_file_that_a_link_names),
		cmocka_unit_test(of_a_debug_file_by_build_id),
		cmocka_unit_test(of_C_plus_plus),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(budget_of_lines_runs_out),
		cmocka_unit_test(budget_of_tables_of_lines_runs_out),
		cmocka_unit_test(a_recording_has_lines),
		cmocka_unit_test(recordings_are_added_with_their_lines),
	};

	return cmocka_run_group_tests_name("lines", tests, find_objects, NULL);
}
