// SPDX-License-Identifier: LGPL-2.1-or-later
/* The one file that knows both the adapters' header and the library's own. */
#include <stddef.h>

#include "../../lib/internal.h"
#undef EXPORT
#undef likely
#undef unlikely
#include "../runtime.h"

_Static_assert(offsetof(struct thread, current) == 0, "runtime_current is what begins a thread");
_Static_assert(offsetof(union page_area, page.active) == 0, "runtime_active begins the page");
_Static_assert(sizeof(coroprof_page_area.page.active) == sizeof(runtime_active),
	       "it is read whole");

uint64_t runtime_current_id(void)
{
	return this_thread.current == COROPROF_THREAD ? 0 :
							coroprof_entries[this_thread.current].id;
}

void runtime_set_parent(coroprof_co co, uint64_t parent)
{
	if (co > ENTRY_SLOTLESS)
		coroprof_entries[co].parent = parent;
}

void runtime_name_thread(void)
{
	if (this_thread.slot)
		coroprof_set_label(COROPROF_THREAD, coroprof_thread_label());
}

void runtime_report(struct adapter *adapter)
{
	__atomic_store_n(&adapter->reported, true, __ATOMIC_RELAXED);
	coroprof_adapter(adapter->name, adapter->sees);
}
