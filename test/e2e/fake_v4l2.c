/* Preloaded into a stack in place of the kernel's V4L2, as no kernel here has a camera of depth: two devices that stand nowhere,
 * /dev/cairn-fake-color (YUYV, 640 x 480, grey) and /dev/cairn-fake-depth (Z16, 160 x 120, a wall 1 m ahead, a box of
 * 30 x 30 pixels in its middle 0.5 m ahead), with some noise. Only what procs/camera/v4l2.c calls is here; a
 * timer stands for each, so that it can be waited for. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <linux/videodev2.h>

#define BUFFERS 4
#define PERIOD_NS 50000000

static struct device {
	const char *path;
	uint32_t fourcc, width, height;
	int fd; /* 0: closed */
	uint8_t *memory[BUFFERS];
	bool queued[BUFFERS];
	uint32_t seq;
} devices[] = {{"/dev/cairn-fake-color", V4L2_PIX_FMT_YUYV, 640, 480, 0, {0}, {0}, 0},
    {"/dev/cairn-fake-depth", V4L2_PIX_FMT_Z16, 160, 120, 0, {0}, {0}, 0}};

static struct device *device_of(int fd)
{
	for (int i = 0; i < 2; i++)
		if (devices[i].fd == fd && fd > 0)
			return &devices[i];
	return NULL;
}

static uint32_t bytes_of(const struct device *d)
{
	return 2 * d->width * d->height;
}

static int open_fake(const char *path)
{
	const struct itimerspec every = {{0, PERIOD_NS}, {0, PERIOD_NS}};
	for (int i = 0; i < 2; i++)
		if (strcmp(path, devices[i].path) == 0) {
			devices[i].fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
			timerfd_settime(devices[i].fd, 0, &every, NULL);
			return devices[i].fd;
		}
	return -1;
}

int open64(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
	va_list ap;
	va_start(ap, flags);
	mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	int fd = open_fake(path);
	return fd > 0 ? fd : real(path, flags, mode);
}

void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	void *(*real)(void *, size_t, int, int, int, off_t) =
	    (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap64");
	struct device *d = device_of(fd);
	void *got = d == NULL ? real(at, bytes, protection, flags, fd, offset)
			      : real(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (d != NULL)
		d->memory[offset / (off_t)bytes] = got;
	return got;
}

/* 0..7, of no two pictures the same. */
static uint32_t noise(uint32_t i, uint32_t seq)
{
	return (i + 7919 * seq) * UINT32_C(2654435761) >> 29;
}

static void draw(const struct device *d, uint8_t *to)
{
	uint16_t *mm = (uint16_t *)(void *)to;
	for (uint32_t i = 0; d->fourcc == V4L2_PIX_FMT_YUYV && i < bytes_of(d); i++)
		to[i] = (uint8_t)(120 + noise(i, d->seq));
	for (uint32_t i = 0; d->fourcc == V4L2_PIX_FMT_Z16 && i < d->width * d->height; i++) {
		uint32_t x = i % d->width, y = i / d->width;
		bool box = x >= 65 && x < 95 && y >= 45 && y < 75;
		mm[i] = (uint16_t)((box ? 500 : 1000) + noise(i, d->seq));
	}
}

static int dequeue(struct device *d, struct v4l2_buffer *b)
{
	uint64_t ticks;
	struct timespec now;
	uint32_t i = 0;
	if (read(d->fd, &ticks, sizeof(ticks)) != sizeof(ticks))
		return -1; /* EAGAIN */
	while (i < BUFFERS && !d->queued[i])
		i++;
	if (i == BUFFERS) {
		errno = EAGAIN;
		return -1;
	}
	d->queued[i] = false;
	d->seq++;
	draw(d, d->memory[i]);
	clock_gettime(CLOCK_MONOTONIC, &now);
	b->index = i;
	b->bytesused = bytes_of(d);
	b->sequence = d->seq;
	b->flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
	b->timestamp.tv_sec = now.tv_sec;
	b->timestamp.tv_usec = now.tv_nsec / 1000;
	return 0;
}

static int answer(struct device *d, unsigned long request, void *arg)
{
	switch (request) {
	case VIDIOC_QUERYCAP:
		((struct v4l2_capability *)arg)->capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
		return 0;
	case VIDIOC_ENUM_FMT:
		((struct v4l2_fmtdesc *)arg)->pixelformat = d->fourcc;
		return ((struct v4l2_fmtdesc *)arg)->index == 0 ? 0 : -1;
	case VIDIOC_S_FMT: {
		struct v4l2_pix_format *pix = &((struct v4l2_format *)arg)->fmt.pix;
		*pix = (struct v4l2_pix_format){.pixelformat = d->fourcc,
		    .width = d->width,
		    .height = d->height,
		    .bytesperline = 2 * d->width};
		return 0;
	}
	case VIDIOC_REQBUFS:
		memset(d->queued, 0, sizeof(d->queued));
		return 0;
	case VIDIOC_QUERYBUF:
		((struct v4l2_buffer *)arg)->length = bytes_of(d);
		((struct v4l2_buffer *)arg)->m.offset = ((struct v4l2_buffer *)arg)->index * bytes_of(d);
		return 0;
	case VIDIOC_QBUF:
		d->queued[((struct v4l2_buffer *)arg)->index] = true;
		return 0;
	case VIDIOC_DQBUF:
		return dequeue(d, arg);
	case VIDIOC_STREAMON:
	case VIDIOC_STREAMOFF:
		return 0;
	default:
		return -1;
	}
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	va_list ap;
	va_start(ap, request);
	void *arg = va_arg(ap, void *);
	va_end(ap);
	struct device *d = device_of(fd);
	if (d == NULL)
		return real(fd, request, arg);
	errno = EINVAL;
	return answer(d, request, arg);
}
