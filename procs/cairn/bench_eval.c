/* bench_eval.c - how much faster than real time a whole exploration runs, on one core: simulated time by
 * processor time, so that what else the machine does counts little.
 *
 * On the robot a snapshot is made when the model is asked: so is it here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/eval/run.h"
#include "common/percept/annotator.h"
#include "common/percept/font.h"
#include "common/sim/render.h"
#include "procs/cairn/bench.h"
#include "procs/cairn/cmd.h"

#define LIMIT_S 600.0
#define SNAPSHOT_BYTES (1u << 20)

/* Draws what the camera sees and makes the snapshot of each question. */
struct eye {
	struct cairn_renderer *renderer;
	struct cairn_annotator *annotator;
	uint8_t *rgb, *snapshot;
	uint16_t *depth_mm;
	int32_t width, height;
	uint64_t asked, pictures;
	int64_t t_scan_ns;
	bool ok;
};

static double cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct cairn_frame_header frame(const struct eye *e, enum cairn_frame_format format, int64_t t_ns)
{
	uint32_t stride = (uint32_t)e->width * (format == CAIRN_FORMAT_RGB8 ? 3u : 2u);
	return (struct cairn_frame_header){.format = (uint16_t)format,
	    .t_ns = t_ns,
	    .width = (uint32_t)e->width,
	    .height = (uint32_t)e->height,
	    .stride_bytes = stride,
	    .payload_bytes = stride * (uint32_t)e->height};
}

static bool look(struct eye *e, struct cairn_run *run)
{
	int64_t now_ns = cairn_run_now_ns(run);
	struct cairn_frame_header rgb = frame(e, CAIRN_FORMAT_RGB8, now_ns),
				  depth = frame(e, CAIRN_FORMAT_DEPTH16, now_ns);
	cairn_renderer_draw(e->renderer, cairn_run_truth(run)->body.pose, NULL, 0, e->rgb, e->depth_mm);
	cairn_annotator_on_pose(e->annotator, cairn_run_pose(run), now_ns);
	cairn_annotator_on_frontiers(e->annotator, cairn_run_frontiers(run), now_ns);
	cairn_annotator_on_candidates(e->annotator, cairn_run_candidates(run), now_ns);
	cairn_annotator_on_mission(e->annotator, &cairn_run_output(run)->mission, now_ns);
	e->pictures++;
	return cairn_annotator_on_depth(e->annotator, &depth, e->depth_mm, NULL) &&
	       cairn_annotator_on_rgb(e->annotator, &rgb, e->rgb, NULL) &&
	       cairn_annotator_snapshot(
		   e->annotator, CAIRN_TRIGGER_TIMER, now_ns, e->snapshot, SNAPSHOT_BYTES, NULL) > 0;
}

static bool watch(void *ctx, struct cairn_run *run)
{
	struct eye *e = ctx;
	int64_t t_ns = 0;
	const struct cairn_msg_scan *scan = cairn_run_scan(run, &t_ns);
	struct cairn_msg_percept percept;
	if (e->annotator != NULL && scan != NULL && t_ns != e->t_scan_ns) {
		(void)cairn_annotator_on_scan(e->annotator, scan, t_ns, cairn_run_now_ns(run), &percept);
		e->t_scan_ns = t_ns;
	}
	uint64_t asked = cairn_run_totals(run).calls;
	if (e->annotator != NULL && asked != e->asked)
		e->ok = look(e, run) && e->ok;
	e->asked = asked;
	return e->ok && cairn_run_output(run)->mission.state != CAIRN_MISSION_STATE_FINISHED;
}

static void close_eye(struct eye *e)
{
	cairn_renderer_destroy(&e->renderer);
	cairn_annotator_destroy(&e->annotator);
	free(e->rgb);
	free(e->depth_mm);
	free(e->snapshot);
}

static bool open_eye(struct eye *e, const struct cairn_config *cfg, const struct cairn_world *world)
{
	struct cairn_error err = {""};
	const struct cairn_config_robot *r = &cfg->robot;
	struct cairn_camera lens = {cfg->camera.width_px, cfg->camera.height_px, r->camera_hfov_rad,
	    r->camera_x_m, r->camera_z_m, r->camera_pitch_rad};
	size_t pixels = (size_t)lens.width_px * (size_t)lens.height_px;
	e->width = lens.width_px;
	e->height = lens.height_px;
	e->renderer = cairn_renderer_new(world, &lens);
	e->annotator = cairn_annotator_new(cfg, CAIRN_FONT_FILE, 1, 0, &err);
	e->rgb = malloc(pixels * 3);
	e->depth_mm = malloc(pixels * 2);
	e->snapshot = malloc(SNAPSHOT_BYTES);
	if (e->renderer != NULL && e->annotator != NULL && e->rgb != NULL && e->depth_mm != NULL &&
	    e->snapshot != NULL)
		return true;
	fprintf(stderr, "cairn bench eval: %s\n", err.text[0] != '\0' ? err.text : "out of memory");
	return false;
}

struct mode {
	const char *name;
	enum cairn_run_map map;
	bool pictures, without_depth;
};

static const struct mode modes[] = {
    {"everything", CAIRN_RUN_MAP_MAPPER, true, false},
    {"matching", CAIRN_RUN_MAP_MAPPER, false, false},
    {"true_poses", CAIRN_RUN_MAP_TRUE_POSES, false, false},
    {"true_poses_no_camera", CAIRN_RUN_MAP_TRUE_POSES, false, true},
};

static bool measure(
    struct cairn_bench_out *out, const char *home, const struct mode *m, const struct cairn_world *world)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct eye eye = {.ok = true};
	cairn_config_defaults(&cfg);
	cfg.mission.return_home = false;
	struct cairn_run_options options = {.cfg = &cfg,
	    .world = world,
	    .map = m->map,
	    .duration_s = LIMIT_S,
	    .without_depth = m->without_depth,
	    .observe = watch,
	    .observe_ctx = &eye};
	bool ok = !m->pictures || open_eye(&eye, &cfg, world);
	struct cairn_run *run = ok ? cairn_run_new(&options, &err) : NULL;
	if (ok && run == NULL)
		fprintf(stderr, "cairn bench eval: %s\n", err.text);
	if (run != NULL) {
		char name[64];
		double before_s = cpu_s();
		cairn_run_all(run);
		double took_s = cpu_s() - before_s, simulated_s = cairn_run_elapsed_s(run);
		snprintf(name, sizeof(name), "eval.%s.%s", home, m->name);
		cairn_bench_value(out, name, simulated_s / took_s, "x real time");
		snprintf(name, sizeof(name), "eval.%s.%s.length", home, m->name);
		cairn_bench_value(out, name, simulated_s, "s simulated");
		if (m->pictures) {
			snprintf(name, sizeof(name), "eval.%s.%s.pictures", home, m->name);
			cairn_bench_value(out, name, (double)eye.pictures, "snapshots");
		}
	}
	ok = run != NULL && eye.ok;
	cairn_run_destroy(&run);
	close_eye(&eye);
	return ok;
}

bool cairn_bench_eval(struct cairn_bench_out *out)
{
	static const char *const homes[] = {"studio", "home"};
	bool ok = true;
	for (size_t i = 0; ok && i < sizeof(homes) / sizeof(homes[0]); i++) {
		char path[512];
		struct cairn_error err = {""};
		snprintf(path, sizeof(path), "%s/config/worlds/%s.yaml", CAIRN_SOURCE_DIR, homes[i]);
		struct cairn_world *world = cairn_world_load(path, &err);
		ok = world != NULL;
		if (!ok)
			fprintf(stderr, "cairn bench eval: %s\n", err.text);
		for (size_t m = 0; ok && m < sizeof(modes) / sizeof(modes[0]); m++)
			ok = measure(out, homes[i], &modes[m], world);
		cairn_world_destroy(&world);
	}
	return ok;
}
