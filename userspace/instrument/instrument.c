// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What code compiled with -finstrument-functions calls. libcoroprof does the
 * work: this only gives it the names that compilers know.
 */
#define HOOK __attribute__((visibility("default"), no_instrument_function))

void coroprof_call_enter_(const void *code);
void coroprof_call_exit_(const void *code);

HOOK void __cyg_profile_func_enter(void *code, void *caller);
HOOK void __cyg_profile_func_exit(void *code, void *caller);

void __cyg_profile_func_enter(void *code, void *caller)
{
	(void)caller;
	coroprof_call_enter_(code);
}

void __cyg_profile_func_exit(void *code, void *caller)
{
	(void)caller;
	coroprof_call_exit_(code);
}
