/* SPDX-License-Identifier: GPL-2.0 */
/* How a program ended, as Linux says it in a recording. */
#ifndef ENGINE_SYS_WAIT_H
#define ENGINE_SYS_WAIT_H

#define WTERMSIG(status)	((status) & 0x7f)
#define WEXITSTATUS(status)	((status) >> 8 & 0xff)
#define WIFEXITED(status)	(!WTERMSIG(status))
#define WIFSIGNALED(status)	((signed char)(WTERMSIG(status) + 1) >> 1 > 0)

#endif /* ENGINE_SYS_WAIT_H */
