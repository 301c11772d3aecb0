#include "common/slam/map_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/base/file.h"

#define EXTENT_M 600.0
#define SPEED_MPS 4.0
#define SCAN_MIN_S 0.1
#define SCAN_MAX_S 0.9 /* later, scans would count as missing */
#define DRIVE_MPS 2.0  /* logs without usable times are driven at this, so that no step is taken for wild */
#define TURN_RADPS 3.5
#define MATCH_S 0.5

struct anchor {
	uint32_t key;
	struct cairn_pose2 from_key;
};

void cairn_map_log_config(struct cairn_config *cfg, double range_use_m)
{
	cfg->map.range_use_m = range_use_m;
	cfg->map.extent_max_m = EXTENT_M;
	cfg->robot.speed_max_mps = SPEED_MPS;
}

static bool room(struct cairn_map_log *log, struct anchor **anchors)
{
	if (log->scans < log->capacity)
		return true;
	uint32_t capacity = log->capacity * 2 + 1024;
	struct cairn_pose2 *odom = realloc(log->odom, capacity * sizeof(*odom));
	log->odom = odom != NULL ? odom : log->odom;
	double *times_s = realloc(log->times_s, capacity * sizeof(*times_s));
	log->times_s = times_s != NULL ? times_s : log->times_s;
	struct anchor *more = realloc(*anchors, capacity * sizeof(*more));
	*anchors = more != NULL ? more : *anchors;
	if (odom == NULL || times_s == NULL || more == NULL)
		return false;
	log->capacity = capacity;
	return true;
}

/* Feeds one turn; the time between turns is made up. */
static void feed(
    struct cairn_map_log *log, const struct cairn_log_turn *turn, int64_t *t_ns, struct anchor *ret)
{
	struct cairn_pose2 before = log->scans > 0 ? log->odom[log->scans - 1] : turn->odom;
	struct cairn_pose2 step = cairn_pose_between(before, turn->odom);
	double s = cairn_clamp(fmax(hypot(step.x_m, step.y_m) / DRIVE_MPS, fabs(step.yaw_rad) / TURN_RADPS),
	    SCAN_MIN_S, SCAN_MAX_S);
	*t_ns += (int64_t)(s * 1e9);
	struct cairn_msg_odom odom = {
	    .x_m = turn->odom.x_m, .y_m = turn->odom.y_m, .yaw_rad = turn->odom.yaw_rad};
	(void)cairn_mapper_odom(log->mapper, &odom, *t_ns, 1, NULL);
	(void)cairn_mapper_scan(log->mapper, &turn->scan, *t_ns);
	struct cairn_msg_pose pose;
	cairn_mapper_pose(log->mapper, &pose);
	log->weak += pose.tracking == CAIRN_TRACKING_WEAK;
	log->lost += pose.tracking == CAIRN_TRACKING_LOST;
	*ret = (struct anchor){.key = UINT32_MAX, .from_key = turn->odom};
	(void)cairn_mapper_anchor(log->mapper, &ret->key, &ret->from_key);
}

static bool keep_poses(struct cairn_map_log *log, const struct anchor *anchors)
{
	const struct cairn_pose_graph *g = cairn_mapper_graph(log->mapper);
	log->poses = malloc(sizeof(*log->poses) * (log->scans + 1));
	for (uint32_t i = 0; log->poses != NULL && i < log->scans; i++)
		log->poses[i] = anchors[i].key < g->node_count
				    ? cairn_pose_compose(g->nodes[anchors[i].key], anchors[i].from_key)
				    : anchors[i].from_key;
	return log->poses != NULL;
}

bool cairn_map_log_run(struct cairn_map_log *log, const char *path, const char *trajectory_path,
    const struct cairn_config *cfg, struct cairn_error *err)
{
	*log = (struct cairn_map_log){0};
	struct cairn_log_turn *turn = calloc(1, sizeof(*turn));
	struct cairn_log_reader *reader = turn != NULL ? cairn_log_open(path, trajectory_path, err) : NULL;
	struct anchor *anchors = NULL;
	int64_t t_ns = CAIRN_NS_PER_S;
	int r = reader != NULL ? 1 : -1;
	bool memory = turn != NULL;
	while (memory && r > 0 && (r = cairn_log_next(reader, turn, err)) > 0) {
		if (log->mapper == NULL) {
			struct cairn_config here = *cfg;
			here.robot.lidar_x_m = turn->lidar_x_m;
			log->mapper = cairn_mapper_new(&here);
		}
		memory = log->mapper != NULL && room(log, &anchors);
		if (!memory)
			break;
		turn->scan.t_start_ns =
		    INT64_MAX; /* all points at once: no motion during the turn is known */
		feed(log, turn, &t_ns, &anchors[log->scans]);
		log->times_s[log->scans] = turn->t_s;
		log->odom[log->scans++] = turn->odom;
	}
	if (memory && r == 0 && log->scans == 0) {
		cairn_error_set(err, "%s: no scan in it", path);
		r = -1;
	}
	if (memory && r == 0) {
		cairn_mapper_settle(log->mapper);
		memory = keep_poses(log, anchors);
	}
	if (!memory)
		cairn_error_set(err, "%s: no memory", path);
	free(anchors);
	free(turn);
	cairn_log_close(&reader);
	return memory && r == 0;
}

void cairn_map_log_free(struct cairn_map_log *log)
{
	cairn_mapper_destroy(&log->mapper);
	free(log->poses);
	free(log->odom);
	free(log->times_s);
	*log = (struct cairn_map_log){0};
}

/* The scan nearest in time. */
static bool pose_at(
    const struct cairn_map_log *log, const struct cairn_pose2 *poses, double t_s, struct cairn_pose2 *ret)
{
	double best_s = MATCH_S;
	bool any = false;
	for (uint32_t i = 0; i < log->scans; i++) {
		double d = fabs(log->times_s[i] - t_s);
		if (d < best_s) {
			best_s = d;
			*ret = poses[i];
			any = true;
		}
	}
	return any;
}

bool cairn_map_log_score(const struct cairn_map_log *log, const struct cairn_pose2 *poses,
    const char *relations_path, double offset_s, struct cairn_relation_score *ret, struct cairn_error *err)
{
	gzFile file = cairn_file_gzip(relations_path, err);
	if (file == NULL)
		return false;
	char line[1024];
	double sum[2] = {0}, sum2[2] = {0};
	uint32_t n = 0, lines = 0;
	*ret = (struct cairn_relation_score){0};
	while (gzgets(file, line, sizeof(line)) != NULL) {
		double v[8];
		if (sscanf(line, "%lf %lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
			&v[6], &v[7]) != 8)
			continue;
		lines++;
		struct cairn_pose2 a, b, z = {v[2], v[3], v[7]};
		if (!pose_at(log, poses, v[0] - offset_s, &a) || !pose_at(log, poses, v[1] - offset_s, &b))
			continue;
		struct cairn_pose2 e = cairn_pose_between(z, cairn_pose_between(a, b));
		const double off[2] = {hypot(e.x_m, e.y_m), fabs(e.yaw_rad)};
		for (int k = 0; k < 2; k++) {
			sum[k] += off[k];
			sum2[k] += off[k] * off[k];
		}
		n++;
	}
	gzclose(file);
	if (n == 0) {
		cairn_error_set(err, "%s: no relation of it lies in the log's time", relations_path);
		return false;
	}
	*ret = (struct cairn_relation_score){.relations = n,
	    .unmatched = lines - n,
	    .mean_m = sum[0] / n,
	    .sd_m = sqrt(fmax(0.0, sum2[0] / n - sum[0] / n * (sum[0] / n))),
	    .mean_rad = sum[1] / n,
	    .sd_rad = sqrt(fmax(0.0, sum2[1] / n - sum[1] / n * (sum[1] / n)))};
	return true;
}

struct cairn_loop_fit cairn_map_log_loop_fit(const struct cairn_mapper *mapper)
{
	const struct cairn_pose_graph *g = cairn_mapper_graph(mapper);
	struct cairn_loop_fit fit = {0};
	double m2 = 0.0, rad2 = 0.0;
	for (uint32_t i = 0; i < g->edge_count; i++) {
		const struct cairn_pose_graph_edge *edge = &g->edges[i];
		double e[3];
		if (edge->kind != CAIRN_EDGE_LOOP && edge->kind != CAIRN_EDGE_NEAR)
			continue;
		cairn_pose_graph_error(g->nodes[edge->a], g->nodes[edge->b], edge->z, e, NULL, NULL);
		double d = hypot(e[0], e[1]);
		fit.ties++;
		m2 += d * d;
		rad2 += e[2] * e[2];
		fit.worst_m = fmax(fit.worst_m, d);
	}
	if (fit.ties > 0) {
		fit.rms_m = sqrt(m2 / fit.ties);
		fit.rms_rad = sqrt(rad2 / fit.ties);
	}
	return fit;
}
