#include "procs/shell/device_port.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/file.h"

bool device_port_path(char *out, size_t cap, const char *run_dir, const char *path, struct cairn_error *err)
{
	if (!cairn_path_below(out, cap - 8, run_dir, path)) { /* with room for ".new" */
		cairn_error_set(err, "%s: path too long", path);
		return false;
	}
	char *slash = strrchr(out, '/');
	if (slash != NULL && slash != out) {
		*slash = '\0';
		int r = mkdir(out, 0700);
		if (r != 0 && errno != EEXIST) {
			cairn_error_set(err, "%s: %s", out, strerror(errno));
			return false;
		}
		*slash = '/';
	}
	return true;
}

/* The device end, as a serial line looks before a client sets it up: raw. */
static int open_slave(int master)
{
	char name[128];
	if (grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, name, sizeof(name)) != 0)
		return -1;
	int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios t;
	if (slave < 0 || tcgetattr(slave, &t) != 0)
		return slave;
	cfmakeraw(&t);
	(void)tcsetattr(slave, TCSANOW, &t);
	return slave;
}

/* What the link at path leads to; empty where there is no link. */
static void read_link(const char *path, char *out, size_t cap)
{
	ssize_t n = readlink(path, out, cap - 1);
	out[n > 0 ? n : 0] = '\0';
}

/* Nothing is there, or the link of a stage that was killed. */
static bool may_replace(const char *path, struct cairn_error *err)
{
	char to[PATH_MAX];
	struct stat st;
	read_link(path, to, sizeof(to));
	if (strncmp(to, "/dev/pts/", 9) == 0 || lstat(path, &st) != 0)
		return true;
	cairn_error_set(
	    err, "%s: is there already and is no device that a stage made; it is left as it is", path);
	return false;
}

bool device_port_open(
    struct device_port *port, const char *run_dir, const char *path, struct cairn_error *err)
{
	char name[128], fresh[PATH_MAX + 8];
	*port = (struct device_port){.master = -1, .slave = -1};
	if (!device_port_path(port->link, sizeof(port->link), run_dir, path, err))
		return false;
	snprintf(fresh, sizeof(fresh), "%s.new", port->link);
	if (!may_replace(port->link, err) || !may_replace(fresh, err))
		return false;
	port->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (port->master >= 0)
		port->slave = open_slave(port->master);
	(void)unlink(fresh);
	/* Renamed into place: a client finds the old device or the new one, never none. */
	if (port->slave < 0 || ptsname_r(port->master, name, sizeof(name)) != 0 ||
	    symlink(name, fresh) != 0 || rename(fresh, port->link) != 0) {
		cairn_error_set(err, "%s: cannot make the device: %s", port->link, strerror(errno));
		device_port_close(port);
		return false;
	}
	return true;
}

void device_port_write(struct device_port *port, const uint8_t *bytes, size_t count)
{
	ssize_t n = write(port->master, bytes, count);
	if (n == (ssize_t)count)
		return;
	port->dropped += count - (n > 0 ? (size_t)n : 0);
	(void)tcflush(port->slave, TCIFLUSH);
}

size_t device_port_read(struct device_port *port, uint8_t *buf, size_t cap)
{
	ssize_t n = read(port->master, buf, cap);
	return n > 0 ? (size_t)n : 0;
}

void device_port_close(struct device_port *port)
{
	char name[128], to[PATH_MAX];
	read_link(port->link, to, sizeof(to));
	if (port->master >= 0 && ptsname_r(port->master, name, sizeof(name)) == 0 && strcmp(name, to) == 0)
		(void)unlink(port->link);
	if (port->slave >= 0)
		(void)close(port->slave);
	if (port->master >= 0)
		(void)close(port->master);
	port->master = port->slave = -1;
}
