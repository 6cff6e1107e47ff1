// SPDX-License-Identifier: GPL-2.0
/*
 * Parses the text of --probe into the probes of coroprof.h, one at a time, and has the presets.
 * Errors point to the part that is wrong.
 */
#include <asm/perf_regs.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invoked.h"
#include "base/util.h"
#include "record/probe-text.h"

#define PRESETS PROBES_GO ", " PROBES_TOKIO ", " PROBES_QEMU

static const struct {
	const char *name;
	__u32 role;
	bool keyless;
} roles[] = {
	{ "switch", COROPROF_PROBE_SWITCH, false },
	{ "out", COROPROF_PROBE_OUT, true },
	{ "yield", COROPROF_PROBE_YIELD, false },
	{ "end", COROPROF_PROBE_END, false },
	{ "wake", COROPROF_PROBE_WAKE, false },
	{ "unreported", COROPROF_PROBE_UNREPORTED, true },
	{ "label", COROPROF_PROBE_SWITCH, false },
};

#if defined(__x86_64__)
static const struct {
	const char *name;
	__u32 reg;
} registers[] = {
	{ "rax", PERF_REG_X86_AX }, { "rbx", PERF_REG_X86_BX }, { "rcx", PERF_REG_X86_CX },
	{ "rdx", PERF_REG_X86_DX }, { "rsi", PERF_REG_X86_SI }, { "rdi", PERF_REG_X86_DI },
	{ "rbp", PERF_REG_X86_BP }, { "rsp", PERF_REG_X86_SP }, { "r8", PERF_REG_X86_R8 },
	{ "r9", PERF_REG_X86_R9 }, { "r10", PERF_REG_X86_R10 }, { "r11", PERF_REG_X86_R11 },
	{ "r12", PERF_REG_X86_R12 }, { "r13", PERF_REG_X86_R13 },
	{ "r14", PERF_REG_X86_R14 }, { "r15", PERF_REG_X86_R15 },
};

#define REGISTERS "rax, rbx ... r15"

static bool find_register(const char *name, __u32 *reg)
{
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		if (strcmp(registers[i].name, name))
			continue;
		*reg = registers[i].reg;
		return true;
	}
	return false;
}
#else
#define REGISTERS "x0 to x30, sp"

static bool find_register(const char *name, __u32 *reg)
{
	char *end;

	if (!strcmp(name, "sp")) {
		*reg = PERF_REG_ARM64_SP;
		return true;
	}
	*reg = (__u32)strtoul(name + 1, &end, 10);
	return *name == 'x' && name[1] >= '0' && name[1] <= '9' && !*end && *reg <= 30;
}
#endif

/* Parses where a value is: "rax", or "+312(rax)". */
static bool parse_where(char *text, struct coroprof_where *where)
{
	char *end;

	where->kind = COROPROF_WHERE_REGISTER;
	if (*text != '+' && *text != '-')
		return find_register(text, &where->reg);
	where->kind = COROPROF_WHERE_MEMORY;
	errno = 0;
	where->offset = strtoll(text, &end, 0);
	if (errno || *end != '(' || end[strlen(end) - 1] != ')')
		return false;
	end[strlen(end) - 1] = '\0';
	return find_register(end + 1, &where->reg);
}

static bool parse_role(const char *name, struct probe_text *probe, bool *keyless)
{
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		if (strcmp(roles[i].name, name))
			continue;
		probe->role = roles[i].role;
		probe->is_label = !strcmp(name, "label");
		*keyless = roles[i].keyless;
		return true;
	}
	return false;
}

static bool parse_number(const char *text, __u64 *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !errno && !*end;
}

/* Parses "rdx&0xffffffff==2", or "+0(rsi)!=0". */
static bool parse_comparison(char *text, struct probe_text *probe)
{
	char *value = strstr(text, "=="), *mask;

	probe->unless = !value;
	if (!value)
		value = strstr(text, "!=");
	if (!value)
		return false;
	*value = '\0';
	probe->mask = ~0ULL;
	mask = strchr(text, '&');
	if (mask)
		*mask++ = '\0';
	return (!mask || parse_number(mask, &probe->mask)) &&
	       parse_number(value + 2, &probe->value) && probe->mask &&
	       !(probe->value & ~probe->mask) && parse_where(text, &probe->when);
}

/* Parses the text behind "?". */
static int parse_condition(char *text, struct probe_text *probe, struct error *err)
{
	char condition[256];

	if (probe->is_label)
		return error_set(err, EINVAL, "--probe label=%s?...: a label has no condition: that of the switch is enough",
				 probe->symbol);
	snprintf(condition, sizeof(condition), "%s", text);
	if (!parse_comparison(text, probe))
		return error_set(err, EINVAL, "--probe ...?%s: a condition is WHERE==NUMBER, WHERE!=NUMBER or WHERE&MASK==NUMBER, the number within the mask; and as WHERE a REGISTER or +OFFSET(REGISTER), with a register of " REGISTERS,
				 condition);
	return 0;
}

/* Runtimes for which there is no preset, as what it would say were not true. */
static const struct {
	const char *name, *why;
} untold[] = {
	{ "lua", "nothing is called when lua_resume() returns, so no probe sees which coroutine runs from there on. The preload library sees coroutines of an interpreter, and of a program linked with Lua's shared library:\n  coroprof record -- PROGRAM" },
	{ "boost", "jump_fcontext() is given a stack pointer, another at each switch, so no probe sees which coroutine runs. The preload library sees coroutines of a program linked with Boost's shared library (cc ... -lboost_context):\n  coroprof record -- PROGRAM" },
};

static int explain_unknown_role(const char *text, struct error *err)
{
	char why[1024];

	for (size_t i = 0; i < ARRAY_SIZE(untold); i++)
		if (!strcmp(text, untold[i].name))
			return error_set(err, EINVAL,
					 "--probe %s: the presets are " PRESETS
					 ". There is none of this, because %s",
					 text, invoked_text(why, sizeof(why), untold[i].why));
	return error_set(err, EINVAL, "--probe %s: what is needed is a preset, one of " PRESETS ", or ROLE=FUNCTION:REGISTER, and as ROLE one of switch, out, yield, end, wake, unreported, label",
			 text);
}

static int parse_probe(char *text, struct probe_text *probe, struct error *err)
{
	char *condition = strchr(text, '?');
	char *symbol = strchr(text, '='), *where;
	bool keyless;

	if (condition)
		*condition++ = '\0';

	if (symbol)
		*symbol++ = '\0';
	if (!symbol || !parse_role(text, probe, &keyless))
		return explain_unknown_role(text, err);
	where = strrchr(symbol, ':');
	if (where)
		*where++ = '\0';
	if (!*symbol || strlen(symbol) >= sizeof(probe->symbol))
		return error_set(err, EINVAL, "--probe %s=: no function", text);
	if (keyless && where)
		return error_set(err, EINVAL, "--probe %s=%s: this report is of no coroutine: leave :%s away",
				 text, symbol, where);
	if (!keyless && (!where || !parse_where(where, &probe->where)))
		return error_set(err, EINVAL, "--probe %s=%s: where the coroutine is, must be :REGISTER or :+OFFSET(REGISTER), with a register of " REGISTERS,
				 text, symbol);
	strcpy(probe->symbol, symbol);
	return condition ? parse_condition(condition, probe, err) : 0;
}

int probe_text_next(const char **text, struct probe_text *probe, struct error *err)
{
	size_t len = strcspn(*text, ",");
	char one[512];

	*probe = (struct probe_text){ 0 };
	if (len >= sizeof(one))
		return error_set(err, EINVAL, "--probe %.32s...: too long", *text);
	memcpy(one, *text, len);
	one[len] = '\0';
	*text = (*text)[len] ? *text + len + 1 : NULL;
	return parse_probe(one, probe, err);
}
