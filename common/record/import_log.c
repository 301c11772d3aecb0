#include "common/record/import.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/geom.h"
#include "common/record/message_recorder.h"
#include "common/slam/log_reader.h"

#define ODOM_PERIOD_S 0.05
#define FIRST_S 1.0
#define STEP_MIN_S 0.02 /* a LiDAR is no faster */
#define STEP_MAX_S 5.0
#define STEP_USUAL_S 0.1
#define SPEED_MPS 0.5
#define TURN_RADPS 1.0

struct importer {
	struct cairn_message_recorder *recorder;
	struct cairn_imported *sum;
	struct cairn_pose2 odom; /* of the turn before */
	double t_s, log_s;       /* of the turn before: in the recording, in the log */
	uint64_t odoms;
};

static bool add(struct importer *im, enum cairn_topic topic, uint64_t seq, double t_s, const void *msg)
{
	int64_t t_ns = (int64_t)(t_s * 1e9);
	const struct cairn_header hdr = {
	    .version = CAIRN_SCHEMA_VERSION, .seq = seq, .epoch = 1, .t_ns = t_ns, .valid = true};
	return cairn_message_recorder_add(im->recorder, topic, NULL, &hdr, msg, t_ns);
}

/* The way from the turn before to this one, in even steps. */
static bool add_odometry(struct importer *im, const struct cairn_pose2 *to, double step_s, double distance_m)
{
	struct cairn_pose2 rel = cairn_pose_between(im->odom, *to);
	double turn_rad = cairn_wrap_rad(to->yaw_rad - im->odom.yaw_rad);
	int n = (int)ceil(step_s / ODOM_PERIOD_S);
	bool good = true;
	for (int i = 1; good && i <= n; i++) {
		double share = (double)i / n;
		const struct cairn_msg_odom odom = {.x_m = im->odom.x_m + share * (to->x_m - im->odom.x_m),
		    .y_m = im->odom.y_m + share * (to->y_m - im->odom.y_m),
		    .yaw_rad = cairn_wrap_rad(im->odom.yaw_rad + share * turn_rad),
		    .v_mps = (rel.x_m < 0.0 ? -distance_m : distance_m) / step_s,
		    .w_radps = turn_rad / step_s};
		good = add(im, CAIRN_TOPIC_ODOM, ++im->odoms, im->t_s + share * step_s, &odom);
	}
	return good;
}

static bool add_turn(struct importer *im, struct cairn_log_turn *turn)
{
	double distance_m = hypot(turn->odom.x_m - im->odom.x_m, turn->odom.y_m - im->odom.y_m),
	       turn_rad = fabs(cairn_wrap_rad(turn->odom.yaw_rad - im->odom.yaw_rad)),
	       step_s = turn->t_s - im->log_s;
	if (!(step_s >= STEP_MIN_S && step_s <= STEP_MAX_S))
		step_s = fmax(STEP_USUAL_S, fmax(distance_m / SPEED_MPS, turn_rad / TURN_RADPS));
	if (im->sum->scans == 0) {
		im->odom = turn->odom;
		distance_m = 0.0;
		step_s = STEP_USUAL_S;
	}
	if (!add_odometry(im, &turn->odom, step_s, distance_m))
		return false;
	im->t_s += step_s;
	im->log_s = turn->t_s;
	im->odom = turn->odom;
	im->sum->path_m += distance_m;
	im->sum->duration_s = im->t_s - FIRST_S;
	turn->scan.t_start_ns = (int64_t)(im->t_s * 1e9); /* all points are of one moment */
	return add(im, CAIRN_TOPIC_SCAN, ++im->sum->scans, im->t_s, &turn->scan);
}

static bool import_turns(struct importer *im, struct cairn_log_reader *log, struct cairn_log_turn *turn,
    cairn_mcap_write_fn *write, void *ctx, struct cairn_error *err)
{
	int r = cairn_log_next(log, turn, err);
	if (r == 0)
		cairn_error_set(err, "the log has no scan");
	if (r <= 0)
		return false;
	const struct cairn_record_options options = {
	    .clock_offset_ns = (int64_t)(fmax(turn->t_s, 1.0) * 1e9), .laser_x_m = turn->lidar_x_m};
	im->recorder = cairn_message_recorder_new(&options, write, ctx);
	im->sum->lidar_x_m = turn->lidar_x_m;
	im->log_s = turn->t_s;
	bool good = im->recorder != NULL;
	for (; good && r > 0; r = good ? cairn_log_next(log, turn, err) : 0)
		good = add_turn(im, turn);
	if (r < 0)
		return false;
	good = good && cairn_message_recorder_finish(im->recorder);
	if (!good)
		cairn_error_set(err, "the recording cannot be written");
	return good;
}

bool cairn_import_log(const char *path, cairn_mcap_write_fn *write, void *ctx, struct cairn_imported *ret,
    struct cairn_error *err)
{
	*ret = (struct cairn_imported){.scans = 0};
	struct importer im = {.sum = ret, .t_s = FIRST_S};
	struct cairn_log_turn *turn = calloc(1, sizeof(*turn));
	struct cairn_log_reader *log = turn != NULL ? cairn_log_open(path, NULL, err) : NULL;
	bool good = log != NULL && import_turns(&im, log, turn, write, ctx, err);
	if (turn == NULL)
		cairn_error_set(err, "out of memory");
	if (im.recorder != NULL)
		ret->messages = cairn_message_recorder_messages(im.recorder);
	cairn_message_recorder_destroy(&im.recorder);
	cairn_log_close(&log);
	free(turn);
	return good;
}
