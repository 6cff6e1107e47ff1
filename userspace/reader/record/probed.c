// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of this program in which probes are placed, and the probes for them, to measure the
 * cost of a probe.
 */
#include <asm/perf_regs.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"
#include "coroprof.h"
#include "record/probed.h"

/**
 * struct coroutine - what is switched to, as one of Go is
 * @label: read for its name, and to see that it has one
 */
struct coroutine {
	uint64_t label;
};

#define HIDDEN __attribute__((visibility("hidden")))

/* Each has a symbol of its own for the linker: on arm64 it takes local ones for one another. */
HIDDEN void probed_goes_on(const struct coroutine *key);
HIDDEN void probed_leaves(void);
HIDDEN void probed_ends(const struct coroutine *key);

/* Each begins with a branch: like most that are probed the kernel carries it out itself. */
#if defined(__x86_64__)
#define BRANCH	"jmp 1f\n1: ret\n"
#define KEY	PERF_REG_X86_DI
#else
#define BRANCH	"b 1f\n1: ret\n"
#define KEY	PERF_REG_ARM64_X0
#endif

asm(".pushsection .text, \"ax\"\n"
    ".global probed_goes_on, probed_leaves, probed_ends\n"
    ".hidden probed_goes_on, probed_leaves, probed_ends\n"
    ".balign 16\n"
    ".type probed_goes_on, %function\n"
    "probed_goes_on: " BRANCH
    ".size probed_goes_on, . - probed_goes_on\n"
    ".balign 16\n"
    ".type probed_leaves, %function\n"
    "probed_leaves: " BRANCH
    ".size probed_leaves, . - probed_leaves\n"
    ".balign 16\n"
    ".type probed_ends, %function\n"
    "probed_ends: " BRANCH
    ".size probed_ends, . - probed_ends\n"
    ".popsection\n");

/**
 * struct probed_code - an instruction of this program
 * @address: in memory; in: out: in the file's symbol table
 * @offset:  in the file
 */
struct probed_code {
	uint64_t address;
	uint64_t offset;
};

/*
 * Converts the address to offset and address in the file. The program itself is the first object
 * that dl_iterate_phdr() has.
 */
static int find_code(struct dl_phdr_info *object, size_t size, void *data)
{
	struct probed_code *code = data;

	(void)size;
	code->address -= object->dlpi_addr;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && code->address - part->p_vaddr < part->p_filesz)
			code->offset = code->address - part->p_vaddr + part->p_offset;
	}
	return 1;
}

static int add_probe(int session, struct coroprof_probe *probe, uintptr_t at)
{
	struct probed_code code = { .address = at };

	dl_iterate_phdr(find_code, &code);
	probe->size = sizeof(*probe);
	probe->address = code.address;
	probe->offset = code.offset;
	return ioctl(session, COROPROF_IOC_PROBE, probe);
}

#define FIRST { .kind = COROPROF_WHERE_REGISTER, .reg = KEY }

/* As the probe for Go: a coroutine without a label is not switched to. */
static int add_switch_probe(int session, int file)
{
	const struct coroprof_where label = { .kind = COROPROF_WHERE_MEMORY, .reg = KEY };
	struct coroprof_probe probe = {
		.fd = file,
		.role = COROPROF_PROBE_SWITCH,
		.key = FIRST,
		.label = label,
		.when = label,
		.mask = ~0ULL,
		.flags = COROPROF_WHEN_UNLESS,
	};

	return add_probe(session, &probe, (uintptr_t)probed_goes_on);
}

static int add_out_probe(int session, int file)
{
	struct coroprof_probe probe = { .fd = file, .role = COROPROF_PROBE_OUT };

	return add_probe(session, &probe, (uintptr_t)probed_leaves);
}

static int add_end_probe(int session, int file)
{
	struct coroprof_probe probe = { .fd = file, .role = COROPROF_PROBE_END, .key = FIRST };

	return add_probe(session, &probe, (uintptr_t)probed_ends);
}

/* By turns, so that it is never the one that was left. */
static struct coroutine coroutines[2];

int probed_add(int session, struct error *err)
{
	struct coroprof_attach attach = {
		.size = sizeof(attach),
		.flags = COROPROF_ATTACH_LATER | COROPROF_ATTACH_CHILDREN,
		.pid = getpid(),
	};
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), ret;

	if (file < 0)
		return error_errno(err, "can't open /proc/self/exe");
	/*
	 * Whoever is forked has this page: where it is not, a probe reads nothing, and costs
	 * something else.
	 */
	for (unsigned int i = 0; i < ARRAY_SIZE(coroutines); i++)
		coroutines[i].label = i + 1;
	ret = add_switch_probe(session, file);
	if (!ret)
		ret = add_out_probe(session, file);
	if (!ret)
		ret = add_end_probe(session, file);
	if (!ret)
		ret = ioctl(session, COROPROF_IOC_ATTACH, &attach);
	if (ret)
		ret = error_errno(err, "can't probe a program that is to be measured");
	close(file);
	return ret;
}

void probed_often(unsigned int times)
{
	for (unsigned int i = 0; i < times; i += 2) {
		probed_goes_on(&coroutines[i / 2 % 2]);
		probed_leaves();
	}
}

void probed_born_often(unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		probed_goes_on(&coroutines[i % 2]);
		probed_ends(&coroutines[i % 2]);
	}
}
