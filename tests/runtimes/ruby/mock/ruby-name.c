// SPDX-License-Identifier: GPL-2.0
/*
 * Names of fibers of a Ruby that this test makes up: as Ruby lays its blocks out, and otherwise.
 * Then, and with any version that is not known, nothing is asked that Ruby would not survive.
 */
#include <stdio.h>
#include <string.h>

#include "tap.h"
#include "preload/scope.h"
#include "ruby/fibers.h"

static int version[3];
static unsigned int asked;
static char label[100];

uint32_t coroprof_label(const char *text)
{
	snprintf(label, sizeof(label), "%s", text);
	return 1;
}

static const struct ruby_type fiber_type = { .name = "fiber" }, proc_type = { .name = "proc" };
static struct ruby_object class, self, fiber, proc, other, environment;
static struct ruby_object code = { .flags = RUBY_OWN | RUBY_OWN_CODE << RUBY_OWN_SHIFT };
static char path[] = "fibers.rb";

/* What the two Procs refer to is as it is whatever their data say. */
static void report_reachable(VALUE object, void (*each)(VALUE, void *), void *data)
{
	if (object == (VALUE)&fiber) {
		each((VALUE)&class, data);
		each((VALUE)&proc, data);
	} else if (object == (VALUE)&proc || object == (VALUE)&other) {
		each((VALUE)&self, data);
		each((VALUE)&code, data);
		each((VALUE)&environment, data);
		each((VALUE)&other, data);
	}
}

static void report_no_variables(VALUE object, int (*each)(ID, VALUE, uintptr_t), uintptr_t data)
{
	(void)object, (void)each, (void)data;
}

static VALUE path_of_code(VALUE object)
{
	asked++;
	return object == (VALUE)&code ? (VALUE)path : 0;
}

static VALUE line_of_code(VALUE object)
{
	return object == (VALUE)&code ? 7 << 1 | 1 : 0;
}

static char *text_of(volatile VALUE *string)
{
	return (char *)*string;
}

static ID symbol_id(VALUE symbol)
{
	return symbol >> 8;
}

static const char *name_of(ID id)
{
	return id == 5 ? "to_s" : NULL;
}

static void unused(void)
{
}

void *scope_sibling(const void *function, const char *name)
{
	static const struct {
		const char *name;
		void *is;
	} all[] = {
		{ "ruby_api_version", version },
		{ "rb_objspace_reachable_objects_from", (void *)report_reachable },
		{ "rb_ivar_foreach", (void *)report_no_variables },
		{ "rb_profile_frame_path", (void *)path_of_code },
		{ "rb_profile_frame_first_lineno", (void *)line_of_code },
		{ "rb_string_value_ptr", (void *)text_of },
		{ "rb_sym2id", (void *)symbol_id },
		{ "rb_id2name", (void *)name_of },
	};

	(void)function;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, name))
			return all[i].is;
	return (void *)unused;
}

static void knows(int major, int minor, bool known)
{
	version[0] = major;
	version[1] = minor;
	ok(ruby_find(version) == known, "Ruby %d.%d is %sknown", major, minor, known ? "" : "not ");
}

/* The first words of a Proc's data. */
static void named(const char *how, const char *expected, VALUE first, VALUE second, VALUE third,
		  VALUE fourth)
{
	VALUE data[5] = { first, second, third, fourth };

	proc.data = data;
	label[0] = '\0';
	asked = 0;
	fiber_label((VALUE)&fiber);
	ok(!strcmp(label, expected), "%s: it is called %s", how, expected);
	if (strcmp(label, expected))
		printf("# it is called %s\n", label);
	ok(asked == (label[0] == 'f'), "%s: the place of nothing but code is asked for", how);
}

static void make_objects(void)
{
	static VALUE within[5] = { (VALUE)&self, 0x1000, (VALUE)&code, BLOCK_RUBY };

	fiber = (struct ruby_object){ .flags = RUBY_DATA, .class = (VALUE)&class,
				      .type = &fiber_type, .typed = 1 };
	proc = other = (struct ruby_object){ .flags = RUBY_DATA, .type = &proc_type, .typed = 1 };
	other.data = within;
	environment.flags = RUBY_OWN;
}

int main(void)
{
	const VALUE me = (VALUE)&self, it = (VALUE)&code, nowhere = 0x1000;

	knows(2, 7, false);
	knows(3, 0, false);
	knows(3, 4, false);
	knows(4, 1, false);
	knows(4, 2, false);
	for (int minor = 1; minor <= 3; minor++)
		knows(3, minor, true);
	make_objects();
	named("a block of Ruby's", "fibers.rb:7", me, nowhere, it, BLOCK_RUBY);
	named("a block of C's", "Fiber", me, nowhere, it, BLOCK_C);
	named("a symbol", "(&:to_s)", 5 << 8 | 0x0c, 0, 0, BLOCK_SYMBOL);
	named("the block of another Proc", "fibers.rb:7", (VALUE)&other, 0, 0, BLOCK_PROC);
	named("a word before all", "Fiber", 0, me, nowhere, it);
	named("no object where code should be", "Fiber", me, it, nowhere, BLOCK_RUBY);
	named("an object where code should be", "Fiber", nowhere, it, me, BLOCK_RUBY);
	named("the environment where code should be", "Fiber", me, it, (VALUE)&environment,
	      BLOCK_RUBY);
	named("no object where a Proc should be", "Fiber", nowhere, 0, 0, BLOCK_PROC);
	named("no Proc where one should be", "Fiber", me, 0, 0, BLOCK_PROC);
	named("a symbol that is none", "Fiber", nowhere, 0, 0, BLOCK_SYMBOL);
	return tap_done();
}
