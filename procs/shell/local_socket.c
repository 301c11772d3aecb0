#include "procs/shell/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "procs/shell/device_port.h"

static bool is_socket(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

static bool take_name(struct local_socket *s, const char *run_dir, const char *path, struct cairn_error *err)
{
	char name[PATH_MAX];
	if (!device_port_path(name, sizeof(name), run_dir, path, err))
		return false;
	size_t len = strlen(name);
	if (len >= sizeof(s->addr.sun_path)) {
		cairn_error_set(err, "%s: longer than the %zu bytes of a socket's name", name,
		    sizeof(s->addr.sun_path) - 1);
		return false;
	}
	memcpy(s->addr.sun_path, name, len + 1);
	if (is_socket(name))
		(void)unlink(name);
	else if (faccessat(AT_FDCWD, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		cairn_error_set(err, "%s: is there already and is no socket; it is left as it is", name);
		return false;
	}
	return true;
}

bool local_socket_open(
    struct local_socket *s, const char *run_dir, const char *path, int backlog, struct cairn_error *err)
{
	*s = (struct local_socket){.listener = -1, .addr = {.sun_family = AF_UNIX}};
	if (!take_name(s, run_dir, path, err))
		return false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && bind(fd, (const struct sockaddr *)&s->addr, sizeof(s->addr)) == 0 &&
	    listen(fd, backlog) == 0) {
		s->listener = fd;
		return true;
	}
	cairn_error_set(err, "%s: %s", s->addr.sun_path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	return false;
}

void local_socket_close(struct local_socket *s)
{
	if (s->listener < 0)
		return;
	(void)close(s->listener);
	s->listener = -1;
	if (is_socket(s->addr.sun_path))
		(void)unlink(s->addr.sun_path);
}
