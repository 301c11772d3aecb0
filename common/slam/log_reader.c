#include "common/slam/log_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/base/file.h"

#define LINE_BYTES 65536
#define BEAMS_MAX 8192
#define RANGE_MIN_M 0.10F
#define RANGE_MAX_M 49.0F /* CARMEN writes 50 m and more for no return */

/* The rover of the tick format. */
#define TICK_COLUMNS 707
#define TICK_BEAMS 682
#define TICK_FIRST_RANGE 24
#define TICK_UNUSABLE 70 /* beams at either end */
#define TICK_FIELD_DEG 240.0
#define TICK_LIDAR_X_M 0.145
#define TICK_WHEEL_RADIUS_M 0.077
#define TICK_HALF_AXLE_M 0.165
#define TICK_RAD (M_PI / 2000.0) /* of a wheel, by tick */
#define TICK_RANGE_MAX_M 5.6F

struct cairn_log_reader {
	gzFile log, trajectory;
	char line[LINE_BYTES];
	const char *path;
	uint64_t lines;
	bool ticks, again; /* again: the line read is to be read once more */
	uint32_t scans;
	struct cairn_pose2 odom;
	struct cairn_pose2 corrected, last_odom; /* of the FLASER before; of the ODOM line before */
	double wheel_rad[2];
};

static bool read_line(struct cairn_log_reader *r)
{
	if (r->again) {
		r->again = false;
		return true;
	}
	r->lines++;
	return gzgets(r->log, r->line, LINE_BYTES) != NULL;
}

/* The first line that is a record of either format tells which it is. */
static bool find_format(struct cairn_log_reader *r, struct cairn_error *err)
{
	while (read_line(r)) {
		if (strncmp(r->line, "ODOM ", 5) == 0 || strncmp(r->line, "FLASER ", 7) == 0) {
			r->again = true;
			return true;
		}
		int columns = 0;
		for (char *at = r->line, *end;; at = end, columns++) {
			(void)strtod(at, &end);
			if (end == at)
				break;
		}
		if (columns == TICK_COLUMNS) {
			r->ticks = r->again = true;
			return true;
		}
	}
	cairn_error_set(err, "%s: neither a CARMEN log nor one of wheel ticks", r->path);
	return false;
}

struct cairn_log_reader *cairn_log_open(
    const char *path, const char *trajectory_path, struct cairn_error *err)
{
	struct cairn_log_reader *r = calloc(1, sizeof(*r));
	if (r == NULL) {
		cairn_error_set(err, "%s: no memory", path);
		return NULL;
	}
	r->path = path;
	r->log = cairn_file_gzip(path, err);
	if (r->log != NULL && trajectory_path != NULL)
		r->trajectory = cairn_file_gzip(trajectory_path, err);
	if (r->log != NULL && (trajectory_path == NULL || r->trajectory != NULL) && find_format(r, err))
		return r;
	cairn_log_close(&r);
	return NULL;
}

void cairn_log_close(struct cairn_log_reader **reader_p)
{
	struct cairn_log_reader *r = *reader_p;
	if (r == NULL)
		return;
	if (r->log != NULL)
		gzclose(r->log);
	if (r->trajectory != NULL)
		gzclose(r->trajectory);
	free(r);
	*reader_p = NULL;
}

static bool numbers(char **at, double *out, int n)
{
	for (int i = 0; i < n; i++) {
		char *end;
		out[i] = strtod(*at, &end);
		if (end == *at || !isfinite(out[i]))
			return false;
		*at = end;
	}
	return true;
}

/* The last number of the line. */
static double last_number(const char *line)
{
	const char *end = line + strlen(line);
	while (end > line && strchr(" \r\n\t", end[-1]) != NULL)
		end--;
	while (end > line && end[-1] != ' ')
		end--;
	return strtod(end, NULL);
}

static bool odom_line(struct cairn_log_reader *r)
{
	double v[3];
	char *at = r->line + 5;
	if (!numbers(&at, v, 3))
		return false;
	r->last_odom = (struct cairn_pose2){v[0], v[1], v[2]};
	return true;
}

static bool laser_line(struct cairn_log_reader *r, struct cairn_log_turn *ret)
{
	char *at = r->line + 7;
	long n = strtol(at, &at, 10);
	double v[3];
	if (n < 2 || n > BEAMS_MAX)
		return false;
	double step = n == 180 || n == 360 ? M_PI / (double)n : M_PI / (double)(n - 1);
	for (long i = 0; i < n; i++) {
		double range;
		if (!numbers(&at, &range, 1))
			return false;
		ret->scan.angle_rad[i] = (float)(-M_PI / 2 + step * (double)i);
		ret->scan.range_m[i] = (float)range;
	}
	if (!numbers(&at, v, 3))
		return false;
	ret->scan.angle_rad_count = ret->scan.range_m_count = (uint32_t)n;
	ret->scan.range_min_m = RANGE_MIN_M;
	ret->scan.range_max_m = RANGE_MAX_M;
	ret->lidar_x_m = 0.0;
	ret->t_s = last_number(r->line);
	if (r->scans > 0)
		r->odom = cairn_pose_compose(r->odom, cairn_pose_between(r->corrected, r->last_odom));
	r->corrected = r->last_odom = (struct cairn_pose2){v[0], v[1], v[2]};
	r->scans++;
	return true;
}

/* Midpoint integration of the wheels; beam 0 is the rightmost. */
static bool rover_turn(struct cairn_log_reader *r, struct cairn_log_turn *ret)
{
	char *at = r->line;
	double head[TICK_FIRST_RANGE], range;
	if (!numbers(&at, head, TICK_FIRST_RANGE))
		return false;
	double left = head[2] * TICK_RAD, right = head[3] * TICK_RAD;
	if (r->scans > 0) {
		double dl = (left - r->wheel_rad[0]) * TICK_WHEEL_RADIUS_M;
		double dr = (right - r->wheel_rad[1]) * TICK_WHEEL_RADIUS_M;
		struct cairn_twist t = {0.5 * (dl + dr), (dr - dl) / (2.0 * TICK_HALF_AXLE_M)};
		r->odom = cairn_pose_advance(r->odom, t, 1.0);
	}
	r->wheel_rad[0] = left;
	r->wheel_rad[1] = right;
	uint32_t n = 0;
	for (int i = 0; i < TICK_BEAMS; i++) {
		if (!numbers(&at, &range, 1))
			return false;
		if (i < TICK_UNUSABLE || i >= TICK_BEAMS - TICK_UNUSABLE)
			continue;
		double deg = -0.5 * TICK_FIELD_DEG + TICK_FIELD_DEG * i / (TICK_BEAMS - 1);
		ret->scan.angle_rad[n] = (float)cairn_deg_to_rad(deg);
		ret->scan.range_m[n++] = (float)(range * 1e-3);
	}
	ret->scan.angle_rad_count = ret->scan.range_m_count = n;
	ret->scan.range_min_m = RANGE_MIN_M;
	ret->scan.range_max_m = TICK_RANGE_MAX_M;
	ret->lidar_x_m = TICK_LIDAR_X_M;
	ret->t_s = head[0] * 1e-6;
	r->scans++;
	return true;
}

/* The odometry of the next line of the trajectory file that is not a comment. */
static bool trajectory_odom(struct cairn_log_reader *r, struct cairn_pose2 *ret)
{
	char text[1024], *at = text;
	double v[4];
	do {
		if (gzgets(r->trajectory, text, sizeof(text)) == NULL)
			return false;
	} while (text[0] == '#');
	if (!numbers(&at, v, 4))
		return false;
	*ret = (struct cairn_pose2){v[1], v[2], v[3]};
	return true;
}

int cairn_log_next(struct cairn_log_reader *r, struct cairn_log_turn *ret, struct cairn_error *err)
{
	bool ok = true, turn = false;
	while (ok && !turn && read_line(r)) {
		if (r->ticks) {
			ok = turn = rover_turn(r, ret);
		} else if (strncmp(r->line, "FLASER ", 7) == 0) {
			ok = turn = laser_line(r, ret);
		} else if (strncmp(r->line, "ODOM ", 5) == 0) {
			ok = odom_line(r);
		}
	}
	if (!ok) {
		cairn_error_set(
		    err, "%s:%llu: not a line of such a log", r->path, (unsigned long long)r->lines);
		return -EBADMSG;
	}
	if (!turn)
		return 0;
	if (r->trajectory != NULL && !trajectory_odom(r, &r->odom)) {
		cairn_error_set(
		    err, "%s: the trajectory file has no line for scan %u", r->path, r->scans - 1);
		return -EBADMSG;
	}
	ret->odom = r->odom;
	ret->number = r->scans - 1;
	return 1;
}
