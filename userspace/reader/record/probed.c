// SPDX-License-Identifier: GPL-2.0
#include <asm/perf_regs.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"
#include "coroprof.h"
#include "record/probed.h"

void probed_goes_on(uintptr_t key);
void probed_leaves(void);

/* Each begins with a branch: like most that are probed the kernel carries it out itself. */
#if defined(__x86_64__)
#define BRANCH	"jmp 1f\n1: ret\n"
#define KEY	PERF_REG_X86_DI
#else
#define BRANCH	"b 1f\n1: ret\n"
#define KEY	PERF_REG_ARM64_X0
#endif

asm(".pushsection .text, \"ax\"\n"
    ".balign 16\n"
    ".type probed_goes_on, %function\n"
    "probed_goes_on: " BRANCH
    ".size probed_goes_on, . - probed_goes_on\n"
    ".balign 16\n"
    ".type probed_leaves, %function\n"
    "probed_leaves: " BRANCH
    ".size probed_leaves, . - probed_leaves\n"
    ".popsection\n");

/**
 * struct code - an instruction of this program
 * @address: in memory; in: out: in the file's symbol table
 * @offset:  in the file
 */
struct code {
	uint64_t address;
	uint64_t offset;
};

/* The program itself is the first object. */
static int find_code(struct dl_phdr_info *object, size_t size, void *data)
{
	struct code *code = data;

	(void)size;
	code->address -= object->dlpi_addr;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && code->address - part->p_vaddr < part->p_filesz)
			code->offset = code->address - part->p_vaddr + part->p_offset;
	}
	return 1;
}

static int add_probe(int session, int file, __u32 role, uintptr_t at)
{
	struct code code = { .address = at };
	struct coroprof_probe probe = { .size = sizeof(probe), .fd = file, .role = role };

	dl_iterate_phdr(find_code, &code);
	probe.address = code.address;
	probe.offset = code.offset;
	if (role == COROPROF_PROBE_SWITCH)
		probe.key = (struct coroprof_where){ .kind = COROPROF_WHERE_REGISTER, .reg = KEY };
	return ioctl(session, COROPROF_IOC_PROBE, &probe);
}

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
	ret = add_probe(session, file, COROPROF_PROBE_SWITCH, (uintptr_t)probed_goes_on);
	if (!ret)
		ret = add_probe(session, file, COROPROF_PROBE_OUT, (uintptr_t)probed_leaves);
	if (!ret)
		ret = ioctl(session, COROPROF_IOC_ATTACH, &attach);
	if (ret)
		ret = error_errno(err, "can't probe a program that is to be measured");
	close(file);
	return ret;
}

void probed_often(unsigned int times)
{
	while (times--) {
		probed_goes_on(1);
		probed_leaves();
	}
}
