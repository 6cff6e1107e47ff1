// SPDX-License-Identifier: LGPL-2.1-or-later
/* A thread's own totals, read by the program: coroprof_read_self(), coroprof_estimate(). */
#include <errno.h>
#include <sys/ioctl.h>

#include "internal.h"

static int read_channel(struct coroprof_totals *totals)
{
	if (!recorded() && (!this_thread.counting || refused()))
		return -ENODATA;
	if (this_thread.synced != stamp())
		coroprof_thread_sync();
	if (this_thread.channel < 0)
		return -ENODATA;

	totals->flags = 0;
	totals->reserved = 0;
	if (ioctl(this_thread.channel, COROPROF_IOC_READ, totals))
		return -errno;
	return totals->nr_counters ? 0 : -ENODATA;
}

EXPORT int coroprof_read_self(struct coroprof_totals *totals)
{
	int saved = errno, err;

	if (totals->size < COROPROF_TOTALS_SIZE_LEVEL1)
		return -EINVAL;
	err = coroprof_status();
	if (!err)
		err = read_channel(totals);
	errno = saved;
	return err;
}

static uint64_t scale(uint64_t count, uint64_t running, uint64_t missing)
{
	return (uint64_t)((unsigned __int128)count * running / (running - missing));
}

EXPORT int coroprof_estimate(const struct coroprof_totals *totals, uint32_t n, uint64_t *value)
{
	if (n >= totals->nr_counters || n >= COROPROF_COUNTERS_MAX)
		return -EINVAL;

	switch (COROPROF_STANDING(totals->standing, n)) {
	case COROPROF_STANDING_COUNTED:
		*value = totals->count[n];
		return COROPROF_STANDING_COUNTED;
	case COROPROF_STANDING_SCALED:
		if (totals->missing_ns[n] >= totals->running_ns)
			return -ENODATA;
		*value = scale(totals->count[n], totals->running_ns, totals->missing_ns[n]);
		return COROPROF_STANDING_SCALED;
	case COROPROF_STANDING_NOT_SCHEDULED:
		return -ENODATA;
	default:
		return -EOPNOTSUPP;
	}
}
