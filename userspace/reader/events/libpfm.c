// SPDX-License-Identifier: GPL-2.0
/* Events by the names that libpfm4 has for this CPU model. */
#include <errno.h>

#include "events/events.h"

#if HAVE_LIBPFM

#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>

int events_libpfm(struct coroprof_counter *counter, const char *name,
		  struct error *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int ret = pfm_initialize();

	if (ret == PFM_SUCCESS)
		ret = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT,
						&arg);
	if (ret == PFM_ERR_NOTFOUND || ret == PFM_ERR_NOTSUPP)
		return error_set(err, ENOENT, "libpfm4 knows no '%s'", name);
	if (ret != PFM_SUCCESS)
		return error_set(err, EINVAL, "event %s: libpfm4 says: %s", name,
				 pfm_strerror(ret));
	counter->type = attr.type;
	counter->config = attr.config;
	counter->config1 = attr.config1;
	counter->config2 = attr.config2;
	return 0;
}

#else

int events_libpfm(struct coroprof_counter *counter, const char *name,
		  struct error *err)
{
	(void)counter;
	return error_set(err, ENOENT, "built without libpfm4, which might know '%s'",
			 name);
}

#endif
