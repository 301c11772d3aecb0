#include "procs/shell/serial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/file.h"

static int set_line(int fd, int baud, int wake_bytes)
{
	struct termios line;
	if (tcgetattr(fd, &line) != 0)
		return -errno;
	cfmakeraw(&line);
	speed_t speed = baud == 460800 ? B460800 : baud == 230400 ? B230400 : B115200;
	if (cfsetispeed(&line, speed) != 0 || cfsetospeed(&line, speed) != 0)
		return -errno;
	line.c_cflag &= ~(tcflag_t)(CSTOPB | PARENB | CRTSCTS | HUPCL);
	line.c_cflag |= CLOCAL | CREAD | CS8;
	line.c_cc[VMIN] = (cc_t)wake_bytes;
	line.c_cc[VTIME] = 0;
	if (tcsetattr(fd, TCSANOW, &line) != 0)
		return -errno;
	int dtr = TIOCM_DTR;
	(void)ioctl(fd, TIOCMBIC, &dtr); /* pseudo terminals have none */
	return 0;
}

int cairn_serial_open(
    const char *run_dir, const char *device, int baud, int wake_bytes, struct cairn_error *err)
{
	char path[600];
	(void)cairn_path_below(path, sizeof(path), run_dir, device);
	int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	int r = fd < 0 ? -errno : set_line(fd, baud, wake_bytes);
	if (r == 0)
		return fd;
	cairn_error_set(err, "%s: %s", path, strerror(-r));
	if (fd >= 0)
		close(fd);
	return r;
}

ssize_t cairn_serial_read(int fd, uint8_t *buf, size_t bytes)
{
	ssize_t n = read(fd, buf, bytes);
	if (n > 0)
		return n;
	if (n == 0)
		return -EPIPE; /* the other end hung up */
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

bool cairn_serial_write(int fd, const uint8_t *buf, size_t bytes, bool *ret_gone)
{
	ssize_t n = write(fd, buf, bytes);
	*ret_gone = n < 0 && errno != EAGAIN && errno != EINTR;
	return n == (ssize_t)bytes;
}

int cairn_serial_pending(int fd)
{
	int bytes = 0;
	return ioctl(fd, TIOCOUTQ, &bytes) == 0 ? bytes : 0;
}
