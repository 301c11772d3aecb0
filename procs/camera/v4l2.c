#include "procs/camera/v4l2.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static int open_device(void *ctx, const char *path)
{
	(void)ctx;
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

static void close_device(void *ctx, int fd)
{
	(void)ctx;
	close(fd);
}

static int control(void *ctx, int fd, unsigned long request, void *arg)
{
	(void)ctx;
	int r;
	do
		r = ioctl(fd, request, arg);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r;
}

static void *map(void *ctx, int fd, size_t bytes, int64_t offset)
{
	(void)ctx;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	return at != MAP_FAILED ? at : NULL;
}

static void unmap(void *ctx, void *at, size_t bytes)
{
	(void)ctx;
	munmap(at, bytes);
}

const struct cairn_v4l2_ops v4l2_kernel = {open_device, close_device, control, map, unmap};
