// SPDX-License-Identifier: GPL-2.0
/*
 * Proves that a probe at a page that a file server withholds holds up nobody but who asked for it,
 * and that this one can be killed. The server is a process of the test: the file system
 * (FUSE) has one file, which is its root.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"

#include <linux/fuse.h>
#include <poll.h>
#include <sys/mount.h>

#include "child.h"
#include "parameter.h"
#include "probed.h"
#include "require.h"

#define WITHHELD	"/coroprof-test-withheld"
#define FILE_SIZE	(2 * page_size())
/* The largest that the kernel may read to get a request; what comes is shorter. */
#define REQUEST_MAX	(FUSE_MIN_READ_BUFFER + 65536)

/* What the processes of the test share. */
struct stage {
	unsigned int withholds;
	unsigned int asked;	/* reads that came while it did */
	unsigned int ready;
	unsigned int probe;
	unsigned int fork;
	unsigned int forked;
};

/* ------------------------------------------------------------- the server */

struct server {
	int fd;
	struct stage *stage;
	__u64 kept[16];		/* reads that were not answered */
	unsigned int nr_kept;
};

static void answer(const struct server *server, __u64 unique, int error, const void *data,
		   size_t size)
{
	char bytes[sizeof(struct fuse_out_header) + 65536];
	struct fuse_out_header header = {
		.len = sizeof(header) + size, .error = error, .unique = unique,
	};

	memcpy(bytes, &header, sizeof(header));
	if (size)
		memcpy(bytes + sizeof(header), data, size);
	/* It fails where nobody waits any more. */
	if (write(server->fd, bytes, header.len) < 0 && errno != ENOENT)
		perror("# FUSE answer");
}

/* Whole pages of an instruction that does nothing. */
static void answer_read(const struct server *server, __u64 unique)
{
	static __u32 nothing[16384];
	unsigned int i;

	for (i = 0; i < page_size() / sizeof(nothing[0]); i++)
#if defined(__x86_64__)
		nothing[i] = 0x90909090;
#else
		nothing[i] = 0xd503201f;
#endif
	answer(server, unique, 0, nothing, page_size());
}

static void answer_attributes(const struct server *server, __u64 unique)
{
	struct fuse_attr_out out = {
		.attr_valid = 1000,
		.attr = { .ino = FUSE_ROOT_ID, .size = FILE_SIZE, .mode = S_IFREG | 0755, .nlink = 1 },
	};

	answer(server, unique, 0, &out, sizeof(out));
}

/* Reads are for one page at a time, and the task that reads waits for each. */
static void answer_init(const struct server *server, __u64 unique, const struct fuse_init_in *in)
{
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = in->minor < FUSE_KERNEL_MINOR_VERSION ? in->minor : FUSE_KERNEL_MINOR_VERSION,
		.max_write = 4096,
	};

	answer(server, unique, 0, &out, sizeof(out));
}

static void serve(struct server *server, const struct fuse_in_header *request)
{
	struct fuse_open_out opened = { .fh = 1 };

	switch (request->opcode) {
	case FUSE_INIT:
		answer_init(server, request->unique, (const void *)(request + 1));
		break;
	case FUSE_GETATTR:
		answer_attributes(server, request->unique);
		break;
	case FUSE_OPEN:
		answer(server, request->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		if (!server->stage->withholds) {
			answer_read(server, request->unique);
			break;
		}
		if (server->nr_kept < 16)
			server->kept[server->nr_kept++] = request->unique;
		__atomic_fetch_add(&server->stage->asked, 1, __ATOMIC_RELEASE);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_DESTROY:
		answer(server, request->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(server, request->unique, -ENOSYS, NULL, 0);
	}
}

static void run_server(int fd, struct stage *stage)
{
	static char bytes[REQUEST_MAX] __attribute__((aligned(8)));
	struct server server = { .fd = fd, .stage = stage };
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		if (poll(&ready, 1, 10) > 0) {
			if (read(fd, bytes, sizeof(bytes)) >= (ssize_t)sizeof(struct fuse_in_header))
				serve(&server, (const void *)bytes);
			else if (errno == ENODEV)
				_exit(0);
		}
		while (!stage->withholds && server.nr_kept)
			answer_read(&server, server.kept[--server.nr_kept]);
	}
}

/* --------------------------------------------------------------- the test */

FIXTURE(withheld)
{
	struct stage *stage;
	pid_t server;
	pid_t prober;
	pid_t forker;
	int file;
};

static int probe_there(int file)
{
	struct coroprof_session_config config = { .ring_size = 0 };
	struct coroprof_probe probe = {
		.fd = file,
		.role = COROPROF_PROBE_OUT,
		.offset = page_size(),
	};
	int control = open_control(), session = make_session(control, &config), ret;

	ret = session < 0 ? session : add_probe(session, &probe);
	close(session);
	close(control);
	return ret;
}

/* As code: what is not mapped so, uprobes do not read before it is. */
static bool map_code(int file)
{
	return mmap(NULL, FILE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) != MAP_FAILED;
}

static void run_prober(int file, struct stage *stage)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!map_code(file))
		_exit(1);
	__atomic_fetch_add(&stage->ready, 1, __ATOMIC_RELEASE);
	wait_until(&stage->probe, 1);
	_exit(probe_there(file) ? 2 : 0);
}

static void run_forker(struct stage *stage)
{
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	__atomic_fetch_add(&stage->ready, 1, __ATOMIC_RELEASE);
	wait_until(&stage->fork, 1);
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	__atomic_store_n(&stage->forked, 1, __ATOMIC_RELEASE);
	_exit(0);
}

/* Whether the process ended before patience did. */
static bool has_ended(pid_t *pid)
{
	__u64 until = wall_ns() + PATIENCE_MS * 1000000ULL;

	while (wall_ns() < until) {
		if (waitpid(*pid, NULL, WNOHANG) == *pid) {
			*pid = 0;
			return true;
		}
		sleep_ms(1);
	}
	return false;
}

static int mount_file(int fuse)
{
	char options[128];
	int file = open(WITHHELD, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	if (file < 0)
		return -errno;
	close(file);
	snprintf(options, sizeof(options), "fd=%d,rootmode=%o,user_id=0,group_id=0", fuse,
		 S_IFREG | 0755);
	return mount("coroprof-test", WITHHELD, "fuse", MS_NOSUID | MS_NODEV, options) ? -errno : 0;
}

FIXTURE_SETUP(withheld)
{
	struct stat status;
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fuse < 0 && (errno == ENOENT || errno == ENODEV))
		SKIP(return, "there is no /dev/fuse: run 'modprobe fuse', as root");
	ASSERT_LE(0, fuse);
	self->stage = mmap(NULL, sizeof(*self->stage), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->stage);
	ASSERT_EQ(0, mount_file(fuse));
	self->server = fork();
	if (!self->server)
		run_server(fuse, self->stage);
	/* If the server ends, so does the file system, and whoever waits for it goes on. */
	close(fuse);
	self->file = open(WITHHELD, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->file);
	/* The kernel asks how large it is. */
	ASSERT_EQ(0, fstat(self->file, &status));
	ASSERT_EQ(FILE_SIZE, status.st_size);
	self->prober = fork();
	if (!self->prober)
		run_prober(self->file, self->stage);
	self->forker = fork();
	if (!self->forker)
		run_forker(self->stage);
	ASSERT_TRUE(wait_until(&self->stage->ready, 2));
}

static void end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

FIXTURE_TEARDOWN(withheld)
{
	end(self->server);
	end(self->prober);
	end(self->forker);
	close(self->file);
	umount2(WITHHELD, MNT_DETACH);
	unlink(WITHHELD);
}

TEST_F(withheld, page_holds_nobody_up)
{
	struct stage *stage = self->stage;

	if (!stage)
		return;
	__atomic_store_n(&stage->withholds, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&stage->probe, 1, __ATOMIC_RELEASE);
	ASSERT_TRUE(wait_until(&stage->asked, 1));
	__atomic_store_n(&stage->fork, 1, __ATOMIC_RELEASE);
	EXPECT_TRUE(wait_until(&stage->forked, 1)) TH_LOG("no process can fork");
	EXPECT_FALSE(waitpid(self->prober, NULL, WNOHANG)) TH_LOG("the probe did not wait");
	kill(self->prober, SIGKILL);
	EXPECT_TRUE(has_ended(&self->prober)) TH_LOG("who asked for the probe can't be killed");

	/* The server relents. Whatever still waited for it lets go of the module. */
	__atomic_store_n(&stage->withholds, 0, __ATOMIC_RELEASE);
	EXPECT_EQ(0, references_after_all(0, PATIENCE_MS));
}

TEST_F(withheld, page_that_comes_late_gets_its_probe)
{
	struct stage *stage = self->stage;
	int status;

	if (!stage)
		return;
	__atomic_store_n(&stage->withholds, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&stage->probe, 1, __ATOMIC_RELEASE);
	ASSERT_TRUE(wait_until(&stage->asked, 1));
	__atomic_store_n(&stage->withholds, 0, __ATOMIC_RELEASE);
	ASSERT_EQ(self->prober, waitpid(self->prober, &status, 0));
	self->prober = 0;
	EXPECT_EQ(0, status);
}

TEST_F(withheld, server_that_dies_ends_the_wait)
{
	struct stage *stage = self->stage;
	int status;

	if (!stage)
		return;
	__atomic_store_n(&stage->withholds, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&stage->probe, 1, __ATOMIC_RELEASE);
	ASSERT_TRUE(wait_until(&stage->asked, 1));
	end(self->server);
	self->server = 0;
	ASSERT_EQ(self->prober, waitpid(self->prober, &status, 0));
	self->prober = 0;
	EXPECT_EQ(2, WEXITSTATUS(status));
}

TEST_HARNESS_MAIN
