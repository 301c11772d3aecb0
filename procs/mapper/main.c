/* mapper - scan and odometry in; pose, frontiers, candidates and the occupancy grid out. What it knows is
 * saved while it changes, so that a mapper that is killed goes on where it was. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/geom.h"
#include "common/slam/kept_map.h"
#include "common/slam/mapper.h"
#include "common/slam/map_import.h"
#include "ipc/frames.h"
#include "procs/mapper/candidate_publisher.h"
#include "procs/shell/stage.h"

#define FRAMES_DEADLINE_MS 3000
#define REPORT_MS 500
#define FEATURES_MS 1000
#define CHECK_MS 100
#define GRID_REPEAT_NS CAIRN_NS_PER_S
#define SAVE_SHARE 50 /* saving takes at most this fraction of the time */

struct mapper_stage {
	struct cairn_stage *stage;
	struct cairn_mapper *mapper;
	struct cairn_kept_map *kept; /* NULL: no map of an earlier run */
	enum cairn_kept_map_state said_kept;
	struct cairn_sub *scan_sub, *odom_sub;
	struct cairn_sub *claims_sub;
	struct cairn_pub *pose_pub, *frontiers_pub, *features_pub, *claims_pub;
	struct cairn_frame_pub *grid_pub;
	struct offer *offer;
	struct cairn_msg_scan scan;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_features features;
	struct cairn_msg_world_update claims;
	struct cairn_msg_claims held;
	enum cairn_tracking told; /* last said to the log */
	uint32_t grid_revision;   /* of the last frame */
	uint32_t map_epoch;       /* last seen */
	uint64_t grid_seq;
	int64_t t_grid_ns;
	uint64_t saved_changes;
	int64_t save_due_ns;
	char path[512];
};

static bool acceptable(struct mapper_stage *s, const struct cairn_header *hdr)
{
	bool ok = hdr->valid && cairn_stamp_plausible(hdr->t_ns, cairn_now_ns());
	if (!ok)
		cairn_stage_count_reject(s->stage);
	return ok;
}

/* A change of tracking is said once. */
static void tell_tracking(struct mapper_stage *s, const struct cairn_msg_pose *pose)
{
	if (pose->tracking == s->told)
		return;
	s->told = pose->tracking;
	const char *word = cairn_enum_text(&cairn_enum_tracking, (int)pose->tracking);
	if (pose->tracking == CAIRN_TRACKING_GOOD)
		cairn_log_info("tracking %s at %.2f %.2f %.1f deg", word, pose->x_m, pose->y_m,
		    cairn_rad_to_deg(pose->yaw_rad));
	else
		cairn_log_warn("tracking %s at %.2f %.2f %.1f deg: quality %.2f", word, pose->x_m, pose->y_m,
		    cairn_rad_to_deg(pose->yaw_rad), pose->quality);
	char note[64];
	snprintf(note, sizeof(note), "tracking %s", word);
	cairn_stage_note(s->stage, note);
}

static int on_odom(void *ctx)
{
	struct mapper_stage *s = ctx;
	struct cairn_msg_odom odom;
	struct cairn_header hdr;
	struct cairn_msg_pose pose;
	while (cairn_sub_recv(s->odom_sub, &odom, &hdr) > 0) {
		if (!acceptable(s, &hdr))
			continue;
		if (!cairn_mapper_odom(s->mapper, &odom, hdr.t_ns, hdr.epoch, &pose)) {
			cairn_stage_count_reject(s->stage);
			continue;
		}
		tell_tracking(s, &pose);
		if (pose.tracking != CAIRN_TRACKING_NONE)
			cairn_pub_send(s->pose_pub, &pose, hdr.t_ns, true);
	}
	return 0;
}

static void send_grid(struct mapper_stage *s, int64_t now_ns);

/* A map that was drawn anew goes out before the first pose in it. */
static void follow_epoch(struct mapper_stage *s)
{
	uint32_t epoch = cairn_mapper_epoch(s->mapper);
	if (epoch == s->map_epoch)
		return;
	s->map_epoch = epoch;
	struct cairn_mapper_counts c = cairn_mapper_counts(s->mapper);
	cairn_log_info("map drawn anew: epoch %u, %" PRIu64 " loops closed", epoch, c.loops);
	send_grid(s, cairn_now_ns());
}

static int on_scan(void *ctx)
{
	struct mapper_stage *s = ctx;
	struct cairn_header hdr;
	(void)on_odom(s); /* what the wheels said before this turn ended */
	while (cairn_sub_recv(s->scan_sub, &s->scan, &hdr) > 0) {
		if (!acceptable(s, &hdr))
			continue;
		if (cairn_mapper_scan(s->mapper, &s->scan, hdr.t_ns) == CAIRN_SCAN_REFUSED)
			cairn_stage_count_reject(s->stage);
		else if (s->kept != NULL)
			cairn_kept_map_scan(s->kept, s->mapper, &s->scan, hdr.t_ns);
	}
	follow_epoch(s);
	return 0;
}

static void send_grid(struct mapper_stage *s, int64_t now_ns)
{
	const struct cairn_grid *grid = cairn_mapper_grid(s->mapper);
	struct cairn_cell_box box = cairn_grid_published(grid);
	if (cairn_cell_box_empty(box) ||
	    (grid->revision == s->grid_revision && now_ns - s->t_grid_ns < GRID_REPEAT_NS))
		return;
	uint32_t width = (uint32_t)(box.max_cx - box.min_cx + 1),
		 height = (uint32_t)(box.max_cy - box.min_cy + 1);
	struct cairn_frame_header *hdr = NULL;
	uint8_t *cells = cairn_frame_loan(s->grid_pub, width * height, &hdr);
	if (cells == NULL) {
		char why[80];
		snprintf(why, sizeof(why), "no room for %u x %u cells", width, height);
		cairn_stage_count_reject(s->stage);
		cairn_stage_tried(s->stage, "publish the map", why);
		return;
	}
	cairn_stage_tried(s->stage, "publish the map", NULL);
	struct cairn_msg_pose pose;
	cairn_mapper_pose(s->mapper, &pose);
	cairn_grid_bytes(grid, box, cells);
	hdr->format = CAIRN_FORMAT_GRID8;
	hdr->t_ns = now_ns;
	hdr->width = width;
	hdr->height = height;
	hdr->stride_bytes = width;
	hdr->origin_x_m = box.min_cx * grid->cell_m;
	hdr->origin_y_m = box.min_cy * grid->cell_m;
	hdr->cell_m = grid->cell_m;
	hdr->pose_x_m = pose.x_m;
	hdr->pose_y_m = pose.y_m;
	hdr->pose_yaw_rad = pose.yaw_rad;
	s->grid_seq = hdr->seq;
	cairn_frame_publish(s->grid_pub);
	s->grid_revision = grid->revision;
	s->t_grid_ns = now_ns;
}

static int report(void *ctx)
{
	struct mapper_stage *s = ctx;
	int64_t now_ns = cairn_now_ns();
	send_grid(s, now_ns);
	offer_given_up(s->offer, s->mapper);
	if (!cairn_mapper_frontiers(s->mapper, now_ns, &s->frontiers)) {
		cairn_log_error("no memory to look for frontiers");
		return -ENOMEM;
	}
	if (s->frontiers.free_m2 <=
	    0.0) /* nothing mapped yet: an empty list would mean that all is explored */
		return 0;
	s->frontiers.map_seq = (uint32_t)s->grid_seq;
	offer_rank(s->offer, s->mapper, &s->frontiers);
	cairn_pub_send(s->frontiers_pub, &s->frontiers, now_ns, true);
	offer_publish(s->offer, s->mapper, &s->frontiers, now_ns);
	return 0;
}

/* A home that has changed since the map was kept is said, and stays in the stage's trouble for as long. */
static void tell_kept(struct mapper_stage *s)
{
	char why[96] = "";
	s->features.kept_map = cairn_kept_map_judge(s->kept, &s->features.kept_map_changed);
	if (s->features.kept_map == CAIRN_KEPT_MAP_STATE_DIFFERS)
		snprintf(why, sizeof(why), "%.0f %% of it has changed; 'cairn up --fresh' begins anew",
		    100.0 * s->features.kept_map_changed);
	else if (s->features.kept_map == CAIRN_KEPT_MAP_STATE_LOST)
		snprintf(why, sizeof(why), "the robot is not found on it; 'cairn up --fresh' begins anew");
	cairn_stage_tried(s->stage, "trust the kept map", why[0] != '\0' ? why : NULL);
	if (s->features.kept_map == s->said_kept)
		return;
	s->said_kept = s->features.kept_map;
	if (s->said_kept == CAIRN_KEPT_MAP_STATE_FITS)
		cairn_log_info(
		    "the kept map fits: %.0f %% of it has changed", 100.0 * s->features.kept_map_changed);
}

static int tell_features(void *ctx)
{
	struct mapper_stage *s = ctx;
	if (s->frontiers.free_m2 <= 0.0)
		return 0;
	if (!cairn_mapper_features(s->mapper, &s->frontiers, &s->features)) {
		cairn_log_error("no memory to look for doorways");
		return -ENOMEM;
	}
	s->features.map_seq = (uint32_t)s->grid_seq;
	tell_kept(s);
	cairn_pub_send(s->features_pub, &s->features, cairn_now_ns(), true);
	cairn_mapper_claims_held(s->mapper, &s->held);
	cairn_pub_send(s->claims_pub, &s->held, cairn_now_ns(), true);
	return 0;
}

/* What the model says of the map. Judged, never believed: see common/map/belief.h. */
static int on_claims(void *ctx)
{
	struct mapper_stage *s = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(s->claims_sub, &s->claims, &hdr) > 0) {
		if (!acceptable(s, &hdr))
			continue;
		int taken = cairn_mapper_claims(s->mapper, &s->claims, hdr.epoch);
		if (taken < 0)
			continue;
		char note[96];
		snprintf(
		    note, sizeof(note), "claims about the map: %d of %u taken", taken, s->claims.items_count);
		cairn_log_info("%s", note);
		cairn_stage_note(s->stage, note);
	}
	return 0;
}

static int checkpoint(void *ctx)
{
	struct mapper_stage *s = ctx;
	int64_t now_ns = cairn_now_ns();
	uint64_t changes = cairn_mapper_changes(s->mapper);
	if (changes == s->saved_changes || (now_ns < s->save_due_ns && !cairn_stage_ending(s->stage)))
		return 0;
	struct cairn_error err = {""};
	bool ok = cairn_mapper_save(s->mapper, s->path, &err);
	cairn_stage_tried(s->stage, "save the map", ok ? NULL : err.text);
	if (ok)
		s->saved_changes = changes; /* or it is tried again, though nothing changes any more */
	int64_t period_ns = (int64_t)(cairn_stage_config(s->stage)->map.checkpoint_s * 1e9);
	int64_t took_ns = cairn_now_ns() - now_ns;
	s->save_due_ns = now_ns + (took_ns * SAVE_SHARE > period_ns ? took_ns * SAVE_SHARE : period_ns);
	return 0;
}

/* map.start_file, as a state file in the place where there was none. An empty map instead would be driven on as if it was
 * the one that was asked for: where the file cannot be used there is no mapper. */
static bool seed(struct mapper_stage *s, const struct cairn_config *cfg)
{
	struct cairn_map_file map;
	struct cairn_error err = {""};
	struct cairn_pose2 start = {cfg->map.start_x_m, cfg->map.start_y_m, cfg->map.start_yaw_rad};
	bool ok = cairn_map_file_load(&map, cfg->map.start_file, &err);
	if (ok) {
		ok = cairn_mapper_import(cfg, &map, start, s->path, &err);
		free(map.cells);
	}
	if (!ok)
		cairn_log_error("map.start_file: %s", err.text);
	return ok;
}

/* The map of the mapper that was here before, or a new one. A damaged file is put aside, not lost. NULL, and logged, without
 * memory or without the map that was to be started from. */
static struct cairn_mapper *find_mapper(struct mapper_stage *s)
{
	const struct cairn_config *cfg = cairn_stage_config(s->stage);
	struct cairn_error err = {""};
	struct cairn_mapper *mapper = cairn_mapper_load(cfg, s->path, &err);
	if (mapper == NULL && errno == ENOENT && cfg->map.start_file[0] != '\0') {
		if (!seed(s, cfg))
			return NULL;
		mapper = cairn_mapper_load(cfg, s->path, &err);
	}
	if (mapper != NULL) {
		const struct cairn_grid *grid = cairn_mapper_grid(mapper);
		cairn_log_info("going on with %s: %.1f m2 free", s->path,
		    grid->free_cells * grid->cell_m * grid->cell_m);
		s->kept = cairn_kept_map_new(mapper, cfg);
		return mapper;
	}
	if (errno != ENOENT) {
		char aside[sizeof(s->path) + 16];
		snprintf(aside, sizeof(aside), "%s.damaged", s->path);
		cairn_log_warn("%s; starting with an empty map", err.text);
		if (rename(s->path, aside) != 0)
			cairn_log_warn("%s: %s", aside, strerror(errno));
	}
	mapper = cairn_mapper_new(cfg);
	if (mapper == NULL)
		cairn_log_error("no memory for a map");
	return mapper;
}

/* Differs from all others; never 0. */
static uint64_t draw_number(void)
{
	uint64_t number = 0;
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
		number = (uint64_t)cairn_now_ns();
	return number | 1;
}

static bool open_all(struct mapper_stage *s, struct cairn_frames **ret_frames)
{
	struct cairn_error err = {""};
	snprintf(s->path, sizeof(s->path), "%s/state/map.bin", cairn_stage_run_dir(s->stage));
	*ret_frames = cairn_frames_open(
	    cairn_stage_name(s->stage), cairn_stage_config(s->stage), FRAMES_DEADLINE_MS, &err);
	if (*ret_frames != NULL)
		s->grid_pub = cairn_frame_pub_new(*ret_frames, CAIRN_FRAME_MAP_GRID, &err);
	if (s->grid_pub == NULL) {
		cairn_log_error("%s", err.text);
		return false;
	}
	s->mapper = find_mapper(s);
	if (s->mapper == NULL)
		return false;
	if (cairn_mapper_number(s->mapper, draw_number()))
		s->saved_changes =
		    UINT64_MAX; /* saved at once: a mapper that dies early comes back to the same map */
	s->offer = offer_new(s->stage, &err);
	if (s->offer == NULL) {
		cairn_log_error("%s", err.text);
		return false;
	}
	s->pose_pub = cairn_stage_publish(s->stage, CAIRN_TOPIC_POSE);
	s->frontiers_pub = cairn_stage_publish(s->stage, CAIRN_TOPIC_FRONTIERS);
	s->features_pub = cairn_stage_publish(s->stage, CAIRN_TOPIC_FEATURES);
	s->claims_pub = cairn_stage_publish(s->stage, CAIRN_TOPIC_CLAIMS);
	s->claims_sub = cairn_stage_subscribe(s->stage, CAIRN_TOPIC_WORLD_UPDATE, on_claims, s);
	s->odom_sub = cairn_stage_subscribe(s->stage, CAIRN_TOPIC_ODOM, on_odom, s);
	s->scan_sub = cairn_stage_subscribe(s->stage, CAIRN_TOPIC_SCAN, on_scan, s);
	cairn_stage_every(s->stage, REPORT_MS, report, s);
	cairn_stage_every(s->stage, FEATURES_MS, tell_features, s);
	cairn_stage_every(s->stage, CHECK_MS, checkpoint, s);
	return true;
}

int main(int argc, char **argv)
{
	int status = 1;
	struct cairn_stage *stage = cairn_stage_start(
	    "cairn-mapper", "matches scans, keeps the map, finds frontiers", argc, argv, &status);
	if (stage == NULL)
		return status;
	struct mapper_stage *s = calloc(1, sizeof(*s));
	struct cairn_frames *frames = NULL;
	if (s == NULL)
		return cairn_stage_finish(&stage, 1);
	s->stage = stage;
	if (open_all(s, &frames)) {
		cairn_stage_ready(stage);
		status = cairn_stage_run(stage) < 0 ? 1 : 0;
		(void)checkpoint(s);
		struct cairn_mapper_counts c = cairn_mapper_counts(s->mapper);
		cairn_log_info("%" PRIu64 " scans, %" PRIu64 " matched, %" PRIu64 " entered, %" PRIu64
			       " refused, %" PRIu64 " wild odometry steps, %" PRIu64
			       " loops closed, found again %" PRIu64 " times",
		    c.scans, c.matched, c.inserted, c.refused, c.wild, c.loops, c.found);
	}
	if (frames != NULL)
		cairn_frames_close(&frames);
	offer_destroy(&s->offer);
	cairn_kept_map_destroy(&s->kept);
	cairn_mapper_destroy(&s->mapper);
	free(s);
	return cairn_stage_finish(&stage, status);
}
