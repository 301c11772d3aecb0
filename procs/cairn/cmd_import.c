/* cmd_import.c - recordings of others as recordings of cairn. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/whole_io.h"
#include "common/record/import.h"
#include "procs/cairn/commands.h"

static bool to_file(void *ctx, const void *data, size_t bytes)
{
	return cairn_write_whole(*(const int *)ctx, data, bytes);
}

int cli_import(const struct cli *cli)
{
	const char *from = cli->args[0], *to = cli->args[1];
	struct cairn_imported sum;
	struct cairn_error err = {""};
	struct stat st;
	if (stat(from, &st) != 0)
		return cli_fail(cli, CLI_USAGE, "%s: %s", from, strerror(errno));
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return cli_fail(cli, CLI_USAGE, "%s: %s", to, strerror(errno));
	bool folder = S_ISDIR(st.st_mode);
	bool good = folder ? cairn_import_frames(from, to_file, &fd, &sum, &err)
			   : cairn_import_log(from, to_file, &fd, &sum, &err);
	if (close(fd) != 0 && good) {
		cairn_error_set(&err, "%s: %s", to, strerror(errno));
		good = false;
	}
	if (!good) {
		(void)unlink(to);
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	}
	printf("%s: %u %s, %llu messages, %.1f s, %.1f m\n", to, folder ? sum.frames : sum.scans,
	    folder ? "frames" : "scans", (unsigned long long)sum.messages, sum.duration_s, sum.path_m);
	if (!folder)
		printf("the LiDAR is %.3f m ahead of the middle: cairn replay %s --with mapper --set "
		       "robot.lidar_x_m=%.3f\n",
		    sum.lidar_x_m, to, sum.lidar_x_m);
	return CLI_OK;
}
