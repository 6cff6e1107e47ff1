// SPDX-License-Identifier: GPL-2.0
/* Slots of objects are stored to, and each page may be used afterwards as before. */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"
#include "preload/store.h"

/* The object: what the dynamic linker closes (PT_GNU_RELRO) ends amid its second page. */
static ElfW(Phdr) parts[2];
static struct dl_phdr_info object = { .dlpi_phdr = parts, .dlpi_phnum = 2 };
static char *begin;
static size_t page;

int report_objects(int (*report)(struct dl_phdr_info *object, size_t size, void *data), void *data)
{
	return report(&object, sizeof(object), data);
}

static void load(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	begin = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (begin == MAP_FAILED) {
		printf("Bail out! no memory\n");
		_exit(1);
	}
	object.dlpi_addr = (uintptr_t)begin;
	parts[0] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_memsz = 3 * page };
	parts[1] = (ElfW(Phdr)){ .p_type = PT_GNU_RELRO, .p_flags = PF_R, .p_memsz = page + 64 };
	/* As the dynamic linker does it. */
	mprotect(begin, page, PROT_READ);
}

/* Whether the page of that address may be written. */
static bool is_writable(const char *address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	char writable = '?';

	while (maps && fscanf(maps, "%lx-%lx %*c%c%*[^\n]", &from, &to, &writable) == 3) {
		if ((uintptr_t)address >= from && (uintptr_t)address < to)
			break;
	}
	if (maps)
		fclose(maps);
	return writable == 'w';
}

static void stores(size_t offset, bool writable, const char *where)
{
	void **slot = (void **)(begin + offset);

	ok(store(slot, slot) && *slot == (void *)slot, "a slot %s is stored to", where);
	ok(is_writable(begin + offset) == writable, "the page of a slot %s may %s afterwards", where,
	   writable ? "be written" : "only be read");
}

int main(void)
{
	void *elsewhere = NULL;

	load();
	stores(0, false, "that the dynamic linker closed");
	stores(page, true, "in the page that is closed by its beginning alone");
	stores(2 * page, true, "behind what is closed");
	ok(!store(&elsewhere, begin) && !elsewhere, "one that is in no object is left alone");
	return tap_done();
}
