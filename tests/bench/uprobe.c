// SPDX-License-Identifier: GPL-2.0
/* A function with a uprobe that perf_event_open() made and that counts hits. */
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>

#include "event.h"
#include "meter.h"
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

static int find_place(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct uprobe_place *place = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + header->p_vaddr;

		if (header->p_type != PT_LOAD || place->address - begin >= header->p_filesz)
			continue;
		place->offset = place->address - begin + header->p_offset;
		return 1;
	}
	return 0;
}

bool uprobe_find_target(struct uprobe_place *place)
{
	place->address = (uintptr_t)uprobe_target;
	return dl_iterate_phdr(find_place, place);
}

static int open_probe(void)
{
	static char path[4096];
	struct uprobe_place place;
	struct perf_event_attr attr = { .size = sizeof(attr) };
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	int type = uprobe_type();

	if (type < 0)
		return type;
	if (len < 0 || !uprobe_find_target(&place))
		return -ENOENT;
	attr.type = type;
	attr.config1 = (uintptr_t)path;
	attr.config2 = place.offset;
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
