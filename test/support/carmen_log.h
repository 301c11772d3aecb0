/* carmen_log.h - reads a LiDAR log and its trajectory file (see the data's README): scans and odometry to be
 * fed, and the reference poses to be compared with. */
#ifndef CAIRN_TEST_SUPPORT_CARMEN_LOG_H
#define CAIRN_TEST_SUPPORT_CARMEN_LOG_H

#include "common/base/geom.h"
#include "ipc/messages.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct carmen_log {
	gzFile log, trajectory;
	char line[65536];
	struct cairn_pose2 odom, reference; /* of the scan read last */
};

static inline bool carmen_open(struct carmen_log *c, const char *log_path, const char *trajectory_path)
{
	c->log = gzopen(log_path, "r");
	c->trajectory = gzopen(trajectory_path, "r");
	return c->log != NULL && c->trajectory != NULL &&
	       gzgets(c->trajectory, c->line, sizeof(c->line)) != NULL;
}

static inline void carmen_close(struct carmen_log *c)
{
	gzclose(c->log);
	gzclose(c->trajectory);
}

/* The next scan; all points at once (no motion during the turn is known). */
static inline bool carmen_next(struct carmen_log *c, struct cairn_msg_scan *scan)
{
	do {
		if (gzgets(c->log, c->line, sizeof(c->line)) == NULL)
			return false;
	} while (strncmp(c->line, "FLASER ", 7) != 0);
	char *at = c->line + 7;
	long n = strtol(at, &at, 10);
	if (n < 2 || n > 1000)
		return false;
	double step = n == 180 || n == 360 ? M_PI / (double)n : M_PI / (double)(n - 1);
	scan->range_min_m = 0.1F;
	scan->range_max_m = 49.0F;
	scan->angle_rad_count = scan->range_m_count = (uint32_t)n;
	for (long i = 0; i < n; i++) {
		scan->angle_rad[i] = (float)(-M_PI / 2 + step * (double)i);
		scan->range_m[i] = strtof(at, &at);
	}
	double v[7];
	if (gzgets(c->trajectory, c->line, sizeof(c->line)) == NULL)
		return false;
	at = c->line;
	for (int i = 0; i < 7; i++)
		v[i] = strtod(at, &at);
	c->odom = (struct cairn_pose2){v[1], v[2], v[3]};
	c->reference = (struct cairn_pose2){v[4], v[5], v[6]};
	return true;
}

#endif
