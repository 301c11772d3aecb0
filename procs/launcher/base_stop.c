#include "procs/launcher/base_stop.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/device/base_link.h"

bool cairn_base_stop(const struct cairn_config_robot *robot, const char *run_dir)
{
	char path[600];
	(void)cairn_path_below(path, sizeof(path), run_dir, robot->base_device);
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return true;
	uint8_t frame[CAIRN_BASE_FRAME_MAX];
	size_t n = cairn_base_stop_frame(robot->base_model, frame);
	bool ok = write(fd, frame, n) == (ssize_t)n;
	int why = errno;
	close(fd);
	errno = why;
	return ok;
}
