// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Making the process known to the kernel: once, and again in each forked child.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "internal.h"

/* So often a process whose descriptor was closed under it gets another. */
#define LOSSES_MAX 8

/**
 * struct process
 * @control:    /dev/coroprof, or -1. Kept open: a child that has given up its
 *              rights, or the root directory, can still make itself known
 * @descriptor: of the process, or -1
 * @pid:        whose that is
 * @error:      why it is not known, an errno
 * @losses:     how often the descriptor was found gone
 */
static struct process {
	int control;
	int descriptor;
	pid_t pid;
	int error;
	unsigned int losses;
} process = { .control = -1, .descriptor = -1, .error = ENODEV };

int coroprof_process_descriptor(void)
{
	return __atomic_load_n(&process.descriptor, __ATOMIC_ACQUIRE);
}

static int open_control(void)
{
	int fd = open(COROPROF_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
	process.control = coroprof_descriptor_raise(fd);
	return 0;
}

static int ask(struct coroprof_process_config *config)
{
	int fd;

	if (refused())
		return -EPERM;
	fd = ioctl(process.control, COROPROF_IOC_PROCESS, config);

	if (fd < 0 && (errno == ENOMEM || errno == EDQUOT)) {
		config->slots = 0;
		fd = ioctl(process.control, COROPROF_IOC_PROCESS, config);
	}
	return fd < 0 ? -errno : fd;
}

/* The control descriptor may have been closed, and its number taken. */
static int ask_anew(struct coroprof_process_config *config)
{
	int fd = -EBADF;

	if (process.control >= 0)
		fd = ask(config);
	if (fd == -EBADF || fd == -ENOTTY) {
		process.control = -1;
		fd = open_control();
		if (!fd)
			fd = ask(config);
	}
	return fd;
}

static int map(int fd, uint32_t slots)
{
	int err = coroprof_slots_map(fd, slots);

	if (err)
		return err;
	/* Before the page, which may say "active" at once. */
	coroprof_generation_raise();
	coroprof_labels_register(fd);
	__atomic_store_n(&process.descriptor, fd, __ATOMIC_RELEASE);
	err = coroprof_page_map(fd);
	if (err) {
		__atomic_store_n(&process.descriptor, -1, __ATOMIC_RELEASE);
		coroprof_page_hide();
		coroprof_slots_hide();
	}
	return err;
}

/* The lock is held. */
static int make_known(void)
{
	struct coroprof_process_config config = {
		.size = sizeof(config),
		.token = coroprof_settings()->token,
		.slots = coroprof_entries_limit(),
	};
	int fd = ask_anew(&config);
	int err = fd;

	process.pid = getpid();
	if (fd >= 0) {
		fd = coroprof_descriptor_raise(fd);
		err = map(fd, config.slots);
		if (err)
			close(fd);
	}
	process.error = err < 0 ? -err : 0;
	if (err < 0)
		coroprof_debug("off: %s", coroprof_strerror(err));
	else
		coroprof_debug("process %d is known, %u slots", (int)process.pid, config.slots);
	return process.error;
}

/* May be called at any time; the usual answer is quick. */
int coroprof_process_need(void)
{
	int saved = errno;

	if (coroprof_process_descriptor() >= 0)
		return 0;
	/* The module may be loaded later. Any other answer stays. */
	if (process.error == ENODEV) {
		coroprof_entries_limit();
		coroprof_lock();
		if (process.descriptor < 0)
			make_known();
		coroprof_unlock();
		errno = saved;
	}
	return -process.error;
}

/*
 * What a descriptor answers to a label of no size, an errno: EINVAL if it is of this process, EPERM
 * of another. There is a label to look at, as valgrind takes NULL for a fault of the program.
 */
static int ask_nothing(int fd)
{
	struct coroprof_label nothing = { 0 };

	errno = 0;
	ioctl(fd, COROPROF_IOC_LABEL, &nothing);
	return errno;
}

/* The number is none any more, or another file's. */
static bool is_gone(int fd)
{
	int answer = ask_nothing(fd);

	return answer == EBADF || answer == ENOTTY;
}

/*
 * Programs that turn into daemons close all descriptors. Our mappings go on
 * without theirs, but no thread could join; so find out early.
 */
void coroprof_process_check(void)
{
	int fd = coroprof_process_descriptor();
	int saved = errno;

	if (fd < 0 || refused())
		return;
	if (is_gone(fd))
		coroprof_process_lost();
	errno = saved;
}

/*
 * While the mappings last it is known: the kernel gives another descriptor. A module before level 4
 * does not.
 */
static bool open_again(void)
{
	struct coroprof_process_config config = {
		.size = sizeof(config),
		.flags = COROPROF_PROCESS_AGAIN,
	};
	int fd = process.losses < LOSSES_MAX ? ask_anew(&config) : -EBADF;

	if (fd < 0)
		return false;
	process.losses++;
	__atomic_store_n(&process.descriptor, coroprof_descriptor_raise(fd), __ATOMIC_RELEASE);
	return true;
}

/* The mappings go too: while they lasted the kernel would say that the process is known. */
static void make_known_anew(void)
{
	__atomic_store_n(&process.descriptor, -1, __ATOMIC_RELEASE);
	coroprof_page_hide();
	coroprof_slots_hide();
	coroprof_debug("the process descriptor was closed by the program");
	if (++process.losses <= LOSSES_MAX)
		make_known();
	else
		process.error = EBADF;
}

/*
 * The number is not ours any more, unless another thread has found that, too, and has seen to it:
 * forget it, and what it led to.
 */
void coroprof_process_lost(void)
{
	coroprof_lock();
	if (process.descriptor < 0 || (is_gone(process.descriptor) && !open_again()))
		make_known_anew();
	coroprof_unlock();
}

bool coroprof_process_foreign(void)
{
	return getpid() != process.pid;
}

/*
 * A forked child, with one thread. What it inherited is the parent's; EPERM
 * shows that the number still means that.
 */
static void child(void)
{
	int inherited = process.descriptor;

	if (inherited < 0)
		return;
	coroprof_page_hide();
	coroprof_slots_hide();
	coroprof_page_child();
	coroprof_thread_child();
	if (!refused() && ask_nothing(inherited) == EPERM)
		close(inherited);
	__atomic_store_n(&process.descriptor, -1, __ATOMIC_RELEASE);
	process.losses = 0;
	make_known();
}

/* A child that was made behind the library's back finds out when it switches. */
void coroprof_process_child(void)
{
	int saved = errno;

	coroprof_lock_renew();
	coroprof_lock();
	child();
	coroprof_unlock();
	errno = saved;
}

static void fork_child(void)
{
	int saved = errno;

	child();
	coroprof_unlock();
	errno = saved;
}

/**
 * coroprof_init_() - what a constructor does
 * @early: make the process known at once, not only at its first coroutine
 *
 * Exported so that, of several copies of the library, all set up the one whose
 * functions are the ones that get called.
 */
EXPORT void coroprof_init_(int early)
{
	static bool done;
	int saved = errno;

	if (!done) {
		done = true;
		coroprof_threads_init();
		pthread_atfork(coroprof_lock, coroprof_unlock, fork_child);
		if (coroprof_settings()->disabled)
			process.error = ECANCELED;
		else
			open_control();
	}
	/* By this the linker takes constructor.o out of the static library. */
	if (early || coroprof_early)
		coroprof_process_need();
	errno = saved;
}

EXPORT int coroprof_status(void)
{
	return coroprof_process_descriptor() >= 0 ? 0 : -process.error;
}
