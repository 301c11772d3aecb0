#include "procs/watchdog/base_stopper.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/device/base_link.h"

void base_stopper_init(struct base_stopper *b, const struct cairn_config_robot *robot, const char *run_dir)
{
	*b = (struct base_stopper){.model = robot->base_model, .fd = -1};
	(void)cairn_path_below(b->device, sizeof(b->device), run_dir, robot->base_device);
}

void base_stopper_close(struct base_stopper *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
	b->failed = false;
}

void base_stopper_stop(struct base_stopper *b)
{
	uint8_t frame[CAIRN_BASE_FRAME_MAX];
	size_t n = cairn_base_stop_frame(b->model, frame);
	if (b->fd < 0)
		b->fd = open(b->device, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool ok = b->fd >= 0 && write(b->fd, frame, n) == (ssize_t)n;
	if (!ok && !b->failed)
		cairn_log_error("cannot stop the base through %s: %s", b->device, strerror(errno));
	if (!ok) {
		base_stopper_close(b);
		b->failed = true;
	}
}
