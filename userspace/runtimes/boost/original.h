/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boost's own functions, behind the hooks. */
#ifndef BOOST_ORIGINAL_H
#define BOOST_ORIGINAL_H

/* As scope_original(). What that takes is charged to the adapter. */
void *boost_original(const char *name, const void *caller);

#endif /* BOOST_ORIGINAL_H */
