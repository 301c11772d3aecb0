#include "procs/cairn/calibrate_camera.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/calibration/camera_floor.h"
#include "procs/cairn/frame_reader.h"

#define PICTURES 8
#define LOOKED_MAX 40 /* that many without a floor, or with another one, and it is given up */
#define WAIT_S 5.0

/* The pictures are looked at by a child inside the stack's namespace; what it finds comes through a pipe. */
struct look {
	double hfov_rad, roll_rad;
	int to_fd, found, looked;
};

struct answer {
	struct cairn_camera_floor floor;
	struct cairn_error err; /* empty: the floor counts */
};

static bool on_depth(void *ctx, const struct cairn_frame_header *hdr, const void *payload)
{
	struct look *l = ctx;
	struct answer a = {.err = {""}};
	l->looked++;
	if (hdr->format != CAIRN_FORMAT_DEPTH16 || hdr->stride_bytes != 2 * hdr->width)
		cairn_error_set(&a.err, "the depth picture has another format");
	else if (cairn_camera_floor_found(payload, hdr->width, hdr->height, l->hfov_rad, l->roll_rad,
		     (uint64_t)l->looked, &a.floor, &a.err))
		l->found++;
	bool last = l->found >= PICTURES || l->looked >= LOOKED_MAX;
	if ((a.err.text[0] == '\0' || last) && write(l->to_fd, &a, sizeof(a)) != (ssize_t)sizeof(a))
		return false;
	return !last;
}

static double apart(double sum, double squares, int n)
{
	return sqrt(fmax(0.0, squares / n - (sum / n) * (sum / n)));
}

/* Mean of what came, with the larger of what each says of itself and how they differ. */
static int gather(int fd, double near_roll_rad, struct cairn_camera_floor *mean, struct cairn_error *err)
{
	struct answer a;
	double pitch = 0.0, roll = 0.0, height = 0.0, pitch2 = 0.0, roll2 = 0.0, height2 = 0.0;
	int n = 0;
	*mean = (struct cairn_camera_floor){0};
	while (read(fd, &a, sizeof(a)) == (ssize_t)sizeof(a)) {
		*err = a.err;
		if (a.err.text[0] != '\0')
			continue;
		double off_rad = cairn_wrap_rad(a.floor.roll_rad - near_roll_rad);
		n++;
		pitch += a.floor.pitch_rad;
		roll += off_rad;
		height += a.floor.height_m;
		pitch2 += a.floor.pitch_rad * a.floor.pitch_rad;
		roll2 += off_rad * off_rad;
		height2 += a.floor.height_m * a.floor.height_m;
		mean->share += a.floor.share;
		mean->sd_pitch_rad = fmax(mean->sd_pitch_rad, a.floor.sd_pitch_rad);
		mean->sd_roll_rad = fmax(mean->sd_roll_rad, a.floor.sd_roll_rad);
		mean->sd_height_m = fmax(mean->sd_height_m, a.floor.sd_height_m);
	}
	if (n == 0)
		return 0;
	mean->pitch_rad = pitch / n;
	mean->roll_rad = cairn_wrap_rad(near_roll_rad + roll / n);
	mean->height_m = height / n;
	mean->share /= n;
	mean->sd_pitch_rad = fmax(mean->sd_pitch_rad, apart(pitch, pitch2, n));
	mean->sd_roll_rad = fmax(mean->sd_roll_rad, apart(roll, roll2, n));
	mean->sd_height_m = fmax(mean->sd_height_m, apart(height, height2, n));
	return n;
}

static int save(const struct cli *cli, const struct cairn_camera_floor *f)
{
	struct cairn_error err = {""};
	char text[400];
	const char *path = cli_value(cli, "write") != NULL ? cli_value(cli, "write") : "camera.yaml";
	int n = snprintf(text, sizeof(text),
	    "# Found by cairn calibrate camera. Lay it over the rest with --config, or copy it into the "
	    "robot's file.\n"
	    "robot:\n  camera_z_m: %.4f            # +- %.4f\n  camera_pitch_rad: %.4f      # +- %.4f\n"
	    "  camera_roll_rad: %.4f       # +- %.4f\n",
	    f->height_m, f->sd_height_m, f->pitch_rad, f->sd_pitch_rad, f->roll_rad, f->sd_roll_rad);
	if (!cairn_file_replace(path, 0, 0644, text, (size_t)n, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	printf(
	    "Pitch %.3f +- %.3f rad, roll %.3f +- %.3f rad, height %.3f +- %.3f m; floor in %.0f %% of the "
	    "picture.\nThe floor does not show yaw and place: measure robot.camera_yaw_rad, camera_x_m and "
	    "camera_y_m.\n",
	    f->pitch_rad, f->sd_pitch_rad, f->roll_rad, f->sd_roll_rad, f->height_m, f->sd_height_m,
	    100.0 * f->share);
	printf("Written: %s.\n", path);
	return CLI_OK;
}

int calibrate_camera(const struct cli *cli)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct cairn_camera_floor floor;
	char path[CLI_RUN_DIR_MAX + 32];
	int ends[2], status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	snprintf(path, sizeof(path), "%s/config.yaml", cli->run_dir);
	cairn_config_defaults(&cfg);
	if (!cairn_config_load(&cfg, path, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return cli_fail(cli, CLI_FAILED, "%s", strerror(errno));
	struct look look = {
	    .hfov_rad = cfg.robot.camera_hfov_rad, .roll_rad = cfg.robot.camera_roll_rad, .to_fd = ends[1]};
	status = cli_read_frames(cli, CAIRN_FRAME_CAMERA_DEPTH, WAIT_S, on_depth, &look);
	close(ends[1]);
	int n = status == CLI_OK ? gather(ends[0], look.roll_rad, &floor, &err) : 0;
	close(ends[0]);
	if (status != CLI_OK)
		return status;
	return n > 0 ? save(cli, &floor) : cli_fail(cli, CLI_FAILED, "%s", err.text);
}
