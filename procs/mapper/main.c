/* mapper - scan and odometry in; pose, frontiers, candidates and the occupancy grid out. What it knows is
 * saved while it changes, so that a mapper that is killed goes on where it was. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/base/geom.h"
#include "common/explore/explorer_ports.h"
#include "common/slam/map_import.h"
#include "common/slam/mapper_ports.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

#define REPORT_MS 500
#define FEATURES_MS 1000
#define CHECK_MS 100
#define GRID_REPEAT_NS CAIRN_NS_PER_S
#define SAVE_SHARE 50 /* saving takes at most this fraction of the time */

struct mapper_stage {
	struct cairn_stage *stage;
	struct cairn_mapper_ports ports;
	struct cairn_frame_pub *grid_pub;
	enum cairn_kept_map_state said_kept;
	enum cairn_tracking said_tracking;
	enum cairn_hint_state said_hint;
	uint64_t said_claims;
	bool said_stuck;
	uint32_t grid_revision; /* of the last frame */
	uint32_t map_epoch;     /* last seen */
	uint64_t grid_seq;
	int64_t t_grid_ns;
	uint64_t saved_changes;
	int64_t save_due_ns;
	char path[512];
};

/* ---- the grid ---- */

static void send_grid(struct mapper_stage *s, int64_t now_ns)
{
	const struct cairn_grid *grid = cairn_mapper_grid(s->ports.mapper);
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
	cairn_mapper_pose(s->ports.mapper, &pose);
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

/* ---- what is said of it ---- */

static void say_tracking(struct mapper_stage *s)
{
	const struct cairn_msg_pose *pose = &s->ports.pose;
	if (pose->tracking == s->said_tracking)
		return;
	s->said_tracking = pose->tracking;
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

static void say_claims(struct mapper_stage *s)
{
	const struct cairn_mapper_ports *m = &s->ports;
	if (m->claims_updates == s->said_claims)
		return;
	s->said_claims = m->claims_updates;
	char note[96];
	snprintf(
	    note, sizeof(note), "claims about the map: %d of %u taken", m->claims_taken, m->claims_offered);
	cairn_log_info("%s", note);
	cairn_stage_note(s->stage, note);
}

/* A map that was drawn anew goes out before the first pose in it. */
static void follow_epoch(struct mapper_stage *s)
{
	uint32_t epoch = cairn_mapper_epoch(s->ports.mapper);
	if (epoch == s->map_epoch)
		return;
	s->map_epoch = epoch;
	struct cairn_mapper_counts c = cairn_mapper_counts(s->ports.mapper);
	cairn_log_info("map drawn anew: epoch %u, %" PRIu64 " loops closed", epoch, c.loops);
	send_grid(s, cairn_now_ns());
}

/* What has become of the place that somebody named. */
static void say_hint(struct mapper_stage *s)
{
	double quality;
	char why[96];
	enum cairn_hint_state hint = cairn_mapper_hinted(s->ports.mapper, &quality);
	if (hint == s->said_hint)
		return;
	s->said_hint = hint;
	snprintf(why, sizeof(why),
	    "what the robot sees does not fit there (%.0f %%); it searches on by itself", 100.0 * quality);
	if (hint == CAIRN_HINT_MISFITS || hint == CAIRN_HINT_FITS)
		cairn_stage_tried(s->stage, "find the robot where it was said to be",
		    hint == CAIRN_HINT_MISFITS ? why : NULL);
}

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct mapper_stage *s = ctx;
	cairn_mapper_command(&s->ports, cmd, reply);
	say_hint(s); /* a second try of the same fate is told as well */
}

static int on_input(void *ctx)
{
	struct mapper_stage *s = ctx;
	follow_epoch(s);
	say_tracking(s);
	say_hint(s);
	say_claims(s);
	cairn_stage_core_rejects(s->stage, s->ports.rejects);
	return 0;
}

/* A home that has changed since the map was kept is said, and stays in the stage's trouble for as long. */
static void say_kept(struct mapper_stage *s)
{
	const struct cairn_msg_features *f = &s->ports.features;
	char why[96] = "";
	if (f->kept_map == CAIRN_KEPT_MAP_STATE_DIFFERS)
		snprintf(why, sizeof(why), "%.0f %% of it has changed; 'cairn up --fresh' begins anew",
		    100.0 * f->kept_map_changed);
	else if (f->kept_map == CAIRN_KEPT_MAP_STATE_LOST)
		snprintf(why, sizeof(why), "the robot is not found on it; 'cairn up --fresh' begins anew");
	cairn_stage_tried(s->stage, "trust the kept map", why[0] != '\0' ? why : NULL);
	if (f->kept_map == s->said_kept)
		return;
	s->said_kept = f->kept_map;
	if (s->said_kept == CAIRN_KEPT_MAP_STATE_FITS)
		cairn_log_info("the kept map fits: %.0f %% of it has changed", 100.0 * f->kept_map_changed);
}

/* ---- by the clock ---- */

static int report(void *ctx)
{
	struct mapper_stage *s = ctx;
	int64_t now_ns = cairn_now_ns();
	send_grid(s, now_ns);
	if (!cairn_mapper_report(&s->ports, (uint32_t)s->grid_seq, now_ns)) {
		cairn_log_error("no memory to look for frontiers");
		return -ENOMEM;
	}
	if (s->ports.unranked)
		cairn_log_warn("no memory to order the frontiers: the nearest comes first");
	if (s->ports.candidates.stuck != s->said_stuck)
		cairn_log_info(
		    s->said_stuck ? "not stuck any more, %u places" : "stuck: %u places are offered",
		    s->ports.candidates.items_count);
	s->said_stuck = s->ports.candidates.stuck;
	return 0;
}

static int report_features(void *ctx)
{
	struct mapper_stage *s = ctx;
	int64_t now_ns = cairn_now_ns();
	if (!cairn_mapper_report_features(&s->ports, (uint32_t)s->grid_seq, now_ns)) {
		cairn_log_error("no memory to look for doorways");
		return -ENOMEM;
	}
	say_kept(s);
	cairn_mapper_report_claims(&s->ports, now_ns);
	return 0;
}

static int checkpoint(void *ctx)
{
	struct mapper_stage *s = ctx;
	int64_t now_ns = cairn_now_ns();
	uint64_t changes = cairn_mapper_changes(s->ports.mapper);
	if (changes == s->saved_changes || (now_ns < s->save_due_ns && !cairn_stage_ending(s->stage)))
		return 0;
	struct cairn_error err = {""};
	bool ok = cairn_mapper_save(s->ports.mapper, s->path, &err);
	cairn_stage_tried(s->stage, "save the map", ok ? NULL : err.text);
	if (ok)
		s->saved_changes = changes; /* or it is tried again, though nothing changes any more */
	int64_t period_ns = (int64_t)(cairn_stage_config(s->stage)->map.checkpoint_s * 1e9);
	int64_t took_ns = cairn_now_ns() - now_ns;
	s->save_due_ns = now_ns + (took_ns * SAVE_SHARE > period_ns ? took_ns * SAVE_SHARE : period_ns);
	return 0;
}

/* ---- the map to begin with ---- */

/* map.start_file, as a state file in the place where there was none. An empty map instead would be driven on as if it was
 * the one that was asked for: where the file cannot be used there is no mapper. */
static bool seed(struct mapper_stage *s, const struct cairn_config *cfg, struct cairn_error *err)
{
	struct cairn_map_file map;
	struct cairn_error why = {""};
	struct cairn_pose2 start = {cfg->map.start_x_m, cfg->map.start_y_m, cfg->map.start_yaw_rad};
	bool ok = cairn_map_file_load(&map, cfg->map.start_file, &why);
	if (ok) {
		ok = cairn_mapper_import(cfg, &map, start, s->path, &why);
		free(map.cells);
	}
	if (!ok)
		cairn_error_set(err, "map.start_file: %s", why.text);
	return ok;
}

/* The map of the mapper that was here before, or a new one. A damaged file is put aside, not lost. NULL with the reason without
 * memory or without the map that was to be started from. */
static struct cairn_mapper *find_mapper(struct mapper_stage *s, struct cairn_error *err)
{
	const struct cairn_config *cfg = cairn_stage_config(s->stage);
	struct cairn_error why = {""};
	struct cairn_mapper *mapper = cairn_mapper_load(cfg, s->path, &why);
	if (mapper == NULL && errno == ENOENT && cfg->map.start_file[0] != '\0') {
		if (!seed(s, cfg, err))
			return NULL;
		mapper = cairn_mapper_load(cfg, s->path, &why);
	}
	if (mapper != NULL) {
		const struct cairn_grid *grid = cairn_mapper_grid(mapper);
		cairn_log_info("going on with %s: %.1f m2 free", s->path,
		    grid->free_cells * grid->cell_m * grid->cell_m);
		s->ports.kept = cairn_kept_map_new(mapper, cfg);
		return mapper;
	}
	if (errno != ENOENT)
		cairn_stage_put_aside(s->path, why.text, "an empty map");
	mapper = cairn_mapper_new(cfg);
	if (mapper == NULL)
		cairn_error_set(err, "no memory for a map");
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

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct mapper_stage *s = ctx;
	const struct cairn_config *cfg = cairn_stage_config(stage);
	struct cairn_mapper_ports *m = &s->ports;
	s->stage = stage;
	snprintf(s->path, sizeof(s->path), "%s/state/map.bin", cairn_stage_run_dir(stage));
	s->grid_pub = cairn_stage_frame_pub(stage, CAIRN_FRAME_MAP_GRID, err);
	/* Milliseconds since boot rise over restarts, as one set a report is far less than that. */
	if (s->grid_pub == NULL ||
	    !cairn_mapper_ports_open(m, cfg, (uint64_t)(cairn_now_ns() / CAIRN_NS_PER_MS), err))
		return false;
	m->mapper = find_mapper(s, err);
	if (m->mapper == NULL)
		return false;
	if (cairn_mapper_number(m->mapper, draw_number()))
		s->saved_changes =
		    UINT64_MAX; /* saved at once: a mapper that dies early comes back to the same map */
	m->box = cairn_stage_outputs(stage, cairn_mapper_out);
	cairn_stage_inputs(stage, cairn_explorer_in, m->explorer, NULL, NULL);
	cairn_stage_inputs(stage, cairn_mapper_in, m, on_input, s);
	cairn_stage_serve(stage, CAIRN_SERVICE_MAPPER_CTL, on_command, s);
	cairn_stage_every(stage, REPORT_MS, report, s);
	cairn_stage_every(stage, FEATURES_MS, report_features, s);
	cairn_stage_every(stage, CHECK_MS, checkpoint, s);
	return true;
}

static void sum_up(void *ctx)
{
	struct mapper_stage *s = ctx;
	(void)checkpoint(s);
	struct cairn_mapper_counts c = cairn_mapper_counts(s->ports.mapper);
	cairn_log_info("%" PRIu64 " scans, %" PRIu64 " matched, %" PRIu64 " entered, %" PRIu64
		       " refused, %" PRIu64 " wild odometry steps, %" PRIu64
		       " loops closed, found again %" PRIu64 " times",
	    c.scans, c.matched, c.inserted, c.refused, c.wild, c.loops, c.found);
}

static void close_all(void *ctx)
{
	struct mapper_stage *s = ctx;
	cairn_mapper_ports_close(&s->ports);
}

CAIRN_STAGE_MAIN("cairn-mapper", "matches scans, keeps the map, finds frontiers", struct mapper_stage,
    .open = open_all, .ended = sum_up, .close = close_all)
