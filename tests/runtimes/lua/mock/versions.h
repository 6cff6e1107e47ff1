/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VERSIONS_H
#define VERSIONS_H

/* Runs a coroutine that yields two values. Returns how many came, with the version. */
int versions_plugin(int *version);

#endif /* VERSIONS_H */
