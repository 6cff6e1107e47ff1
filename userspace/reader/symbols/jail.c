// SPDX-License-Identifier: GPL-2.0
/*
 * Both sides of the process without rights: the child drops its rights and serves requests; the
 * parent passes it files, and bounds the time it waits.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libelf.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "symbols/jail.h"
#include "symbols/regular.h"

/* What Debian's nobody is: it has no file. */
#define NOBODY		65534

/* Between two looks at what an answer has taken so far. */
#define LOOK_EACH_MS	500

/* No request and no answer is larger. */
#define MESSAGE_MAX	(4u << 20)

enum {
	MESSAGE_REQUEST,	/* parent: bytes */
	MESSAGE_FILE,		/* parent: a descriptor, or why there is none */
	MESSAGE_OPEN,		/* child: a path */
	MESSAGE_ANSWER,		/* child: bytes */
};

/**
 * struct head - in front of each message
 * @type:  MESSAGE_*
 * @size:  bytes behind it
 * @error: of MESSAGE_FILE: an errno, or 0
 */
struct head {
	uint32_t type;
	uint32_t size;
	int32_t error;
};

/* ------------------------------------------------------------------------
 * messages: both sides
 */

static bool send_bytes(int to, const void *bytes, size_t size)
{
	const char *from = bytes;

	while (size) {
		ssize_t n = send(to, from, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		from += n;
		size -= (size_t)n;
	}
	return true;
}

static bool send_message(int to, uint32_t type, const void *bytes, size_t size)
{
	const struct head head = { .type = type, .size = (uint32_t)size };

	return size <= MESSAGE_MAX && send_bytes(to, &head, sizeof(head)) &&
	       send_bytes(to, bytes, size);
}

static bool receive_bytes(int from, void *bytes, size_t size)
{
	char *to = bytes;

	while (size) {
		ssize_t n = recv(from, to, size, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to += n;
		size -= (size_t)n;
	}
	return true;
}

/* Receives the bytes behind a head, and adds a 0 behind them. */
static bool receive_rest(int from, const struct head *head, struct buffer *to)
{
	struct error err;

	to->size = 0;
	if (head->size > MESSAGE_MAX || buffer_reserve(to, head->size + 1, &err) ||
	    !receive_bytes(from, to->data, head->size))
		return false;
	to->size = head->size;
	to->data[to->size] = '\0';
	return true;
}

/* ------------------------------------------------------------------------
 * the process without rights
 */

/* Of the process without rights: where it asks for files. */
static int asks;

/* In place of open(): the parent opens the file and passes its descriptor. */
static int open_by_parent(const char *path)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct head head;
	struct iovec part = { &head, sizeof(head) };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int fd;

	if (!send_message(asks, MESSAGE_OPEN, path, strlen(path)) ||
	    recvmsg(asks, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC) != sizeof(head) ||
	    head.type != MESSAGE_FILE)
		_exit(1);
	if (head.error || message.msg_controllen < CMSG_LEN(sizeof(fd))) {
		errno = head.error ? head.error : EIO;
		return -1;
	}
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	return fd;
}

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

/*
 * Allows calls for memory, for descriptors that are open, and for its own end. All others fail with
 * EPERM.
 */
static bool filter_system_calls(void)
{
#ifdef ARCH
	static const uint16_t allowed[] = {
		__NR_read, __NR_pread64, __NR_lseek, __NR_fstat, __NR_newfstatat, __NR_fcntl,
		__NR_close, __NR_sendto, __NR_recvfrom, __NR_recvmsg,
		__NR_mmap, __NR_munmap, __NR_mremap, __NR_mprotect, __NR_madvise, __NR_brk,
		__NR_futex, __NR_clock_gettime, __NR_gettimeofday, __NR_getrandom, __NR_rseq,
		__NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_sigaltstack,
		__NR_getpid, __NR_gettid, __NR_exit, __NR_exit_group, __NR_sched_yield,
	};
	struct sock_filter code[ARRAY_SIZE(allowed) + 6];
	struct sock_fprog program = { .filter = code };
	unsigned int n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, arch));
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (unsigned int i = 0; i < ARRAY_SIZE(allowed); i++)
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i],
							 ARRAY_SIZE(allowed) - i, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)n;
	return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
	return true;
#endif
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capset, &head, none);
}

/* Bytes of address space; memory that is shared with the parent counts, too. */
static uint64_t memory_now(void)
{
	unsigned long pages = 0;
	char text[64];

	if (read_text("/proc/self/statm", text, sizeof(text)))
		pages = strtoul(text, NULL, 10);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set_limit(int which, uint64_t to)
{
	setrlimit((__rlimit_resource_t)which, &(struct rlimit){ to, to });
}

static void set_limits(const struct jail_limits *limits)
{
	set_limit(RLIMIT_CPU, limits->seconds);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 0);
	set_limit(RLIMIT_AS, memory_now() + limits->bytes);
}

/*
 * In a user namespace there may be no such user: then capabilities and system calls are what it
 * loses.
 */
static bool drop_rights(const struct jail_limits *limits)
{
	set_limits(limits);
	if (!geteuid() && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY))
		return false;
	return drop_capabilities() && !prctl(PR_SET_DUMPABLE, 0) &&
	       !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && filter_system_calls();
}

static void serve_requests(int socket, jail_service service, void *context)
{
	struct buffer request = { 0 }, answer = { 0 };
	struct head head;

	while (receive_bytes(socket, &head, sizeof(head)) && head.type == MESSAGE_REQUEST &&
	       receive_rest(socket, &head, &request)) {
		answer.size = 0;
		if (!service(context, request.data, request.size, &answer) ||
		    !send_message(socket, MESSAGE_ANSWER, answer.data, answer.size))
			break;
	}
}

static void run_child(int socket, const struct jail_limits *limits, jail_service service,
		      void *context, pid_t parent)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXCPU, SIGTERM };

	/* A handler of the parent's would not do here. */
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		signal(fatal[i], SIG_DFL);
	/* It may have ended before its end was asked for. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return;
	asks = dup2(socket, 0);
	if (asks || close_range(1, ~0u, 0) || !drop_rights(limits))
		return;
	regular_open_by(open_by_parent);
	serve_requests(asks, service, context);
}

/* ------------------------------------------------------------------------
 * who asks
 */

bool jail_start(struct jail *jail, const struct jail_limits *limits, jail_service service,
		void *context)
{
	pid_t parent = getpid();
	int pair[2];

	*jail = (struct jail){ .limits = *limits };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return false;
	jail->pid = fork();
	if (!jail->pid) {
		run_child(pair[1], limits, service, context, parent);
		_exit(1);
	}
	close(pair[1]);
	if (jail->pid > 0) {
		jail->socket = pair[0];
		return true;
	}
	jail->pid = 0;
	close(pair[0]);
	return false;
}

/*
 * Opens ELF files alone: whatever else the child might ask for, such as a file of passwords, it
 * does not get.
 */
static int open_elf_only(const char *path)
{
	char magic[SELFMAG];
	int fd = regular_open(path);

	if (fd < 0 || (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		       !memcmp(magic, ELFMAG, sizeof(magic))))
		return fd;
	close(fd);
	errno = ENOEXEC;
	return -1;
}

static bool send_file(int to, const char *path)
{
	int fd = open_elf_only(path);
	struct head head = { .type = MESSAGE_FILE, .error = fd < 0 ? errno : 0 };
	struct iovec part = { &head, sizeof(head) };
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {
		.head = {
			.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN(sizeof(fd)),
		},
	};
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	bool sent;

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	sent = sendmsg(to, &message, MSG_NOSIGNAL) == sizeof(head);
	if (fd >= 0)
		close(fd);
	return sent;
}

/* CPU time that the child has used; 0 if it is not known: then only the child's own limit holds. */
static uint64_t child_cpu_ns(const struct jail *jail)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(jail->pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/*
 * False as well if there is no answer for too long: limits bound the child's CPU time, not its
 * sleep.
 */
static bool receive_answer(struct jail *jail, struct buffer *answer)
{
	const uint64_t end = monotonic_ns() + 2 * jail->limits.seconds * UINT64_C(1000000000);
	const uint64_t most = jail->limits.answer_seconds * UINT64_C(1000000000);
	const uint64_t before = jail->used_ns;
	struct head head;

	for (;;) {
		struct pollfd ready = { .fd = jail->socket, .events = POLLIN };
		uint64_t now = monotonic_ns();

		if (now >= end || (most && child_cpu_ns(jail) > before + most))
			return false;
		if (poll(&ready, 1, LOOK_EACH_MS) <= 0)
			continue;
		if (!receive_bytes(jail->socket, &head, sizeof(head)) ||
		    !receive_rest(jail->socket, &head, answer))
			return false;
		if (head.type == MESSAGE_ANSWER)
			return true;
		if (head.type != MESSAGE_OPEN || !send_file(jail->socket, answer->data))
			return false;
	}
}

/* Why the child has ended by itself; if it has not, it is killed. */
static const char *end_and_explain(struct jail *jail)
{
	struct pollfd gone = { .fd = jail->socket };
	int status = 0;

	poll(&gone, 1, 0);
	if (!(gone.revents & POLLHUP))
		kill(jail->pid, SIGKILL);
	if (waitpid(jail->pid, &status, 0) != jail->pid)
		status = 0;
	close(jail->socket);
	jail->pid = 0;
	if (!(gone.revents & POLLHUP) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) ||
	    (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		return "given up: to read the symbols of the object file took too long";
	return WIFSIGNALED(status) ?
	       "given up: what reads symbols crashed on the object file, or had too little memory for it" :
	       "given up: the process that reads symbols could not go on";
}

const char *jail_ask(struct jail *jail, const struct buffer *request, struct buffer *answer)
{
	uint64_t used;
	bool answered = send_message(jail->socket, MESSAGE_REQUEST, request->data, request->size) &&
			receive_answer(jail, answer);

	used = child_cpu_ns(jail);
	if (used > jail->used_ns)
		jail->used_ns = used;
	return answered ? NULL : end_and_explain(jail);
}

void jail_end(struct jail *jail)
{
	if (!jail->pid)
		return;
	close(jail->socket);
	kill(jail->pid, SIGKILL);
	waitpid(jail->pid, NULL, 0);
	jail->pid = 0;
}
