// SPDX-License-Identifier: GPL-2.0
/* A function with a uprobe that perf_event_open() made and that counts hits. */
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>

#include "event.h"
#include "meter.h"
#include "symbols/gocheck.h"
#include "uprobe.h"

#define TYPE "/sys/bus/event_source/devices/uprobe/type"

static volatile uint32_t seen;

/* Begins with a push of its frame, as most functions do. */
static __attribute__((noinline)) void inner(uint32_t turn)
{
	seen = turn;
}

__attribute__((noinline)) void uprobe_target(uint32_t turn)
{
	inner(turn);
	__asm__ volatile("");
}

/* A goroutine, as far as its functions look at it: its stack has no limit. */
const uint64_t uprobe_goroutine[4];

/* It begins as Go's compiler has functions begin, and is called with a goroutine. */
extern const unsigned char uprobe_go_function[];

#if defined(__aarch64__)
__asm__(".text\n\t.globl uprobe_go_function\n\t.type uprobe_go_function, %function\n"
	"uprobe_go_function:\n\tldr x16, [x28, #16]\n\tcmp sp, x16\n"
	"\tb.ls uprobe_go_function\n\tret\n"
	"\t.globl uprobe_go_target\n\t.type uprobe_go_target, %function\n"
	"uprobe_go_target:\n\tstp x28, x30, [sp, #-16]!\n\tadrp x28, uprobe_goroutine\n"
	"\tadd x28, x28, :lo12:uprobe_goroutine\n\tbl uprobe_go_function\n"
	"\tldp x28, x30, [sp], #16\n\tret");
#else
__asm__(".text\n\t.globl uprobe_go_function\n\t.type uprobe_go_function, @function\n"
	"uprobe_go_function:\n\tcmp 16(%r14), %rsp\n\tjbe uprobe_go_function\n\tret\n"
	"\t.globl uprobe_go_target\n\t.type uprobe_go_target, @function\n"
	"uprobe_go_target:\n\tpush %r14\n\tlea uprobe_goroutine(%rip), %r14\n"
	"\tcall uprobe_go_function\n\tpop %r14\n\tret");
#endif

static int uprobe_type(void)
{
	FILE *file = fopen(TYPE, "re");
	int type = -1;

	if (!file)
		return -errno;
	if (fscanf(file, "%d", &type) != 1)
		type = -EINVAL;
	fclose(file);
	return type;
}

static int find_owner(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct uprobe_place *location = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD || location->address - begin >= header->p_filesz)
			continue;
		location->offset = location->address - begin + header->p_offset;
		return 1;
	}
	return 0;
}

bool uprobe_find_target(struct uprobe_place *location)
{
	location->address = (uintptr_t)uprobe_target;
	return dl_iterate_phdr(find_owner, location);
}

bool uprobe_find_go_target(struct uprobe_place *location)
{
	struct go_check check;

#if defined(__aarch64__)
	if (!go_check_find(&check, uprobe_go_function, true))
#else
	if (!go_check_find(&check, uprobe_go_function, false))
#endif
		return false;
	location->address = (uintptr_t)uprobe_go_function + check.branch;
	return dl_iterate_phdr(find_owner, location);
}

static int open_probe(void)
{
	static char path[4096];
	struct uprobe_place location;
	struct perf_event_attr attr = { .size = sizeof(attr) };
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	int type = uprobe_type();

	if (type < 0)
		return type;
	if (len < 0 || !uprobe_find_target(&location))
		return -ENOENT;
	attr.type = type;
	attr.config1 = (uintptr_t)path;
	attr.config2 = location.offset;
	return event_open(&attr, -1);
}

void measure_uprobe(int variant, struct result *result)
{
	double bare, with;
	uint64_t hits;
	int fd;

	(void)variant;
	if (result_failed(result, meter_least(uprobe_target, &bare), "read of the meter"))
		return;
	fd = open_probe();
	if (result_failed(result, fd, "perf_event_open of a uprobe") ||
	    result_failed(result, meter_least(uprobe_target, &with), "read of the meter"))
		return;
	if (read(fd, &hits, sizeof(hits)) != sizeof(hits) || hits < METER_TURNS)
		result_none(result, "the uprobe was not hit");
	else
		result_set(result, with - bare);
}
