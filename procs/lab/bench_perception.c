/* bench_perception.c - what the model's view of the world costs: scan to text, and the whole snapshot against
 * the bare JPEG compression of the same picture at the same settings, and against the same work in Python. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/percept/annotate.h"
#include "common/percept/annotator.h"
#include "common/percept/depth_align.h"
#include "common/percept/sectors.h"
#include "common/percept/snapshot.h"
#include "common/percept/text.h"
#include "common/base/text.h"
#include "procs/lab/bench.h"
#include "procs/lab/bench_script.h"
#include "procs/cli/cli.h"

#define W 640
#define H 480
#define POINTS 720
#define ROUNDS 300
#define PYTHON_ROUNDS 60
#define OPTION_ROUNDS 100
#define MAP_W 180
#define MAP_H 200
#define PYTHON_PARAMS_MAX 1024
#define T_NS (1000 * CAIRN_NS_PER_S)
#define SNAPSHOT_BYTES (1u << 20)

struct perception_work {
	struct cairn_config cfg;
	struct cairn_percept_params params;
	struct cairn_annotate *bare;
	struct cairn_annotator *annotator;
	struct cairn_msg_scan scan;
	struct cairn_msg_percept percept;
	struct cairn_msg_pose pose;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_nav_path path;
	struct cairn_frame_header rgb_hdr, depth_hdr, map_hdr;
	uint8_t rgb[H][W][3];
	uint16_t depth[H][W], aligned[H][W];
	uint8_t map[MAP_H][MAP_W];
	uint8_t snapshot[SNAPSHOT_BYTES];
	struct cairn_text base64;
	size_t jpeg_bytes;
	bool ok;
};

static void scan_to_text(struct perception_work *w)
{
	char text[CAIRN_TEXT_CAP];
	struct cairn_text_inputs in = {.percept = &w->percept, .pose = &w->pose, .frontiers = &w->frontiers};
	w->ok = w->ok && cairn_percept_from_scan(&w->percept, &w->scan, &w->params) &&
		cairn_text_write(text, sizeof(text), &in) > 0;
}

static void bare_jpeg(struct perception_work *w)
{
	struct cairn_canvas canvas = {&w->rgb[0][0][0], W, H, W * 3};
	w->ok = w->ok && cairn_annotate_jpeg(
			     w->bare, &canvas, w->cfg.percept.jpeg_quality, &w->jpeg_bytes, NULL) != NULL;
}

/* Frames in, scan in, pairing, depths, drawing, JPEG, sectors, gaps, feasibility, similarity, text, base64;
 * with options what they take as well. */
static void whole_snapshot(struct perception_work *w)
{
	struct cairn_snapshot parts;
	w->ok = w->ok && cairn_annotator_on_map(w->annotator, &w->map_hdr, w->map, NULL) &&
		cairn_annotator_on_depth(w->annotator, &w->depth_hdr, w->depth, NULL) &&
		cairn_annotator_on_rgb(w->annotator, &w->rgb_hdr, w->rgb, NULL) &&
		cairn_annotator_on_scan(w->annotator, &w->scan, T_NS, T_NS, &w->percept);
	size_t bytes = !w->ok ? 0
			      : cairn_annotator_snapshot(w->annotator, CAIRN_TRIGGER_TIMER, T_NS, w->snapshot,
				    sizeof(w->snapshot), NULL);
	w->ok = w->ok && cairn_snapshot_read(w->snapshot, bytes, &parts, NULL);
	if (!w->ok)
		return;
	struct cairn_msg_decision decision = {.snapshot_id = parts.head.snapshot_id};
	cairn_annotator_on_decision(
	    w->annotator, &decision); /* so that the next one has something to compare with */
	cairn_text_clear(&w->base64);
	cairn_text_base64(&w->base64, parts.jpeg, parts.head.jpeg_bytes);
	cairn_text_base64(&w->base64, parts.view, parts.head.view_bytes);
	w->ok = parts.jpeg != NULL && parts.head.t_depth_ns != 0 && !w->base64.failed;
}

/* The depth of the scene onto a colour camera 15 mm beside that sees less, as of a RealSense D435. */
static void align_depth(void *ctx)
{
	static const struct cairn_depth_alignment a = {.depth = {W, H, 383.0, 383.0, 320.0, 238.0},
	    .color = {W, H, 606.0, 606.0, 318.0, 245.0},
	    .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
	    .translation_m = {0.0148, 0.0002, 0.0003},
	    .depth_unit_m = 0.001};
	struct perception_work *w = ctx;
	cairn_depth_align(&a, (const uint8_t *)w->depth, sizeof(w->depth[0]), &w->aligned[0][0]);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* How often the processor was taken away from this thread. */
static long taken_away(void)
{
	struct rusage usage;
	return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(values[0]), by_value);
	return values[count / 2];
}

struct medians {
	double text_ns, bare_ns, whole_ns;
};

/* Measured in turns, so that what slows the machine slows all alike. A round in which another program got the
 * processor tells about that one: it is measured again, as often as that is bearable. rounds: up to ROUNDS.
 */
static struct medians measure_in_turns(struct perception_work *w, int rounds)
{
	double text_ns[ROUNDS], bare_ns[ROUNDS], whole_ns[ROUNDS];
	int spare = 3 * rounds;
	for (int i = -rounds / 10; i < rounds;) { /* the first tenth warms up */
		long before = taken_away();
		int64_t t0 = cli_now_ns();
		scan_to_text(w);
		int64_t t1 = cli_now_ns();
		bare_jpeg(w);
		int64_t t2 = cli_now_ns();
		whole_snapshot(w);
		int64_t t3 = cli_now_ns();
		if (taken_away() != before && spare-- > 0)
			continue;
		if (i >= 0) {
			text_ns[i] = (double)(t1 - t0);
			bare_ns[i] = (double)(t2 - t1);
			whole_ns[i] = (double)(t3 - t2);
		}
		i++;
	}
	return (struct medians){median(text_ns, rounds), median(bare_ns, rounds), median(whole_ns, rounds)};
}

/* An annotator for w->cfg that knows what it needs beside frames and scans. */
static bool annotator_begin(struct perception_work *w, struct cairn_error *err)
{
	cairn_annotator_destroy(&w->annotator);
	w->annotator = cairn_annotator_new(&w->cfg, CAIRN_FONT_FILE, 1, T_NS, err);
	if (w->annotator == NULL)
		return false;
	cairn_annotator_on_pose(w->annotator, &w->pose, T_NS);
	cairn_annotator_on_frontiers(w->annotator, &w->frontiers, T_NS);
	cairn_annotator_on_path(w->annotator, &w->path, T_NS);
	return true;
}

/* The options of the pictures one by one, then all together, each against the bare JPEG. */
static bool with_options(struct perception_work *w, struct cairn_bench_out *out, struct cairn_error *err)
{
	struct cairn_config_percept *p = &w->cfg.percept;
	const struct {
		const char *name;
		bool *flag;
	} options[] = {{"candidates", &p->show_candidates}, {"arcs", &p->show_arcs},
	    {"sectors", &p->show_sectors}, {"heat", &p->show_heat}, {"map", &p->show_map},
	    {"polar", &p->show_polar}};
	const size_t count = sizeof(options) / sizeof(options[0]);
	for (size_t i = 0; i <= count; i++) { /* the last round has all of them */
		char name[64];
		for (size_t k = 0; k < count; k++)
			*options[k].flag = i == k || i == count;
		snprintf(
		    name, sizeof(name), "perception.snapshot.show_%s", i < count ? options[i].name : "all");
		if (!annotator_begin(w, err))
			return false;
		struct medians m = measure_in_turns(w, OPTION_ROUNDS);
		cairn_bench_ratio(out, name, m.whole_ns * 1e-3, "us/op", m.bare_ns * 1e-3);
	}
	for (size_t k = 0; k < count; k++)
		*options[k].flag = false;
	return w->ok && annotator_begin(w, err);
}

/* A flat of 9 x 10 m, half of it known, with a path and six frontiers, three of them in view. */
static void make_map(struct perception_work *w)
{
	for (int y = 0; y < MAP_H; y++)
		for (int x = 0; x < MAP_W; x++)
			w->map[y][x] = (x + 2 * y) % 400 > 220 ? 255 : x % 60 == 0 || y % 50 == 0 ? 100 : 0;
	w->map_hdr = (struct cairn_frame_header){.format = CAIRN_FORMAT_GRID8,
	    .t_ns = T_NS,
	    .width = MAP_W,
	    .height = MAP_H,
	    .stride_bytes = MAP_W,
	    .payload_bytes = sizeof(w->map),
	    .origin_x_m = -3.0,
	    .origin_y_m = -5.0,
	    .cell_m = 0.05};
	w->frontiers = (struct cairn_msg_frontiers){
	    .map_width_m = 6.2, .map_height_m = 4.1, .coverage = 0.6, .items_count = 6};
	for (int i = 0; i < 6; i++) {
		double yaw = -0.8 + (i < 3 ? 0.25 * (i - 1) : 1.5 + 0.5 * i);
		w->frontiers.items[i] = (struct cairn_msg_frontier){.id = (uint32_t)(5 + 4 * i),
		    .x_m = 1.2 + (1.2 + 0.3 * i) * cos(yaw),
		    .y_m = -0.4 + (1.2 + 0.3 * i) * sin(yaw),
		    .distance_m = 1.2 + 0.3 * i};
	}
	w->path.points_count = 60;
	for (int i = 0; i < 60; i++)
		w->path.points[i] = (struct cairn_msg_path_point){
		    .x_m = 1.2f + 0.05f * (float)i, .y_m = -0.4f - 0.001f * (float)(i * i)};
}

/* A room as a camera sees it, roughly: shaded walls, a tiled floor, sensor noise; and a scan of the same. */
static void make_scene(struct perception_work *w)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 1, 1);
	for (int y = 0; y < H; y++) {
		for (int x = 0; x < W; x++) {
			double z = y > H / 2 ? 80.0 / (y - H / 2) : 4.5, side = (x - W / 2) * z / 460.0;
			int tile =
			    y > H / 2 && (((int)floor(side * 4.0) + (int)floor(z * 4.0)) & 1) != 0 ? 24 : 0;
			for (int c = 0; c < 3; c++)
				w->rgb[y][x][c] =
				    (uint8_t)(150 - 25 * c + tile + x / 16 + (int)(cairn_rng_u32(&rng) % 9));
			w->depth[y][x] = (uint16_t)(fmin(z, 4.5) * 1000.0);
		}
	}
	w->rgb_hdr = (struct cairn_frame_header){.format = CAIRN_FORMAT_RGB8,
	    .t_ns = T_NS,
	    .width = W,
	    .height = H,
	    .stride_bytes = W * 3,
	    .payload_bytes = sizeof(w->rgb)};
	w->depth_hdr = (struct cairn_frame_header){.format = CAIRN_FORMAT_DEPTH16,
	    .t_ns = T_NS,
	    .width = W,
	    .height = H,
	    .stride_bytes = W * 2,
	    .payload_bytes = sizeof(w->depth)};
	w->scan.range_min_m = 0.05f;
	w->scan.range_max_m = 12.0f;
	w->scan.angle_rad_count = w->scan.range_m_count = POINTS;
	for (int i = 0; i < POINTS; i++) { /* a room of 5 x 4 m with two doors */
		double angle = -i * 2.0 * M_PI / POINTS;
		double wall = fmin(2.5 / fabs(cos(angle)), 2.0 / fabs(sin(angle)));
		bool door = (i > 20 && i < 50) || (i > 640 && i < 670);
		w->scan.angle_rad[i] = (float)angle;
		w->scan.range_m[i] = (float)(wall + (door ? 2.5 : 0.0) + 0.01 * cairn_rng_normal(&rng));
	}
	make_map(w);
	w->pose = (struct cairn_msg_pose){.x_m = 1.2, .y_m = -0.4, .yaw_rad = -0.8, .distance_m = 12.3};
}

/* What the script needs to do the same: a line of JSON, then the frames and the scan. The bytes; caller
 * frees. */
static char *python_input(const struct perception_work *w, size_t *ret_bytes)
{
	const size_t points = POINTS * sizeof(float);
	char *input = malloc(PYTHON_PARAMS_MAX + sizeof(w->rgb) + sizeof(w->depth) + 2 * points);
	if (input == NULL)
		return NULL;
	const struct cairn_percept_params *p = &w->params;
	int n = snprintf(input, PYTHON_PARAMS_MAX,
	    "{\"width\":%d,\"height\":%d,\"points\":%d,\"quality\":%d,\"range_min_m\":%g,\"range_max_m\":%g,"
	    "\"lidar_x_m\":%g,\"lidar_y_m\":%g,\"front_m\":%g,\"rear_m\":%g,\"half_width_m\":%g,"
	    "\"gap_jump_m\":%g,\"gap_width_min_m\":%g,\"gap_width_max_m\":%g,\"x_m\":%g,\"y_m\":%g,"
	    "\"yaw_rad\":%g,\"distance_m\":%g,\"map_width_m\":%g,\"map_height_m\":%g,\"coverage\":%g}\n",
	    W, H, POINTS, (int)w->cfg.percept.jpeg_quality, (double)w->scan.range_min_m,
	    (double)w->scan.range_max_m, p->lidar.x_m, p->lidar.y_m, p->body.front_m, p->body.rear_m,
	    p->body.half_width_m, p->gap_jump_m, p->gap_width_min_m, p->gap_width_max_m, w->pose.x_m,
	    w->pose.y_m, w->pose.yaw_rad, w->pose.distance_m, w->frontiers.map_width_m,
	    w->frontiers.map_height_m, w->frontiers.coverage);
	char *at = input + n;
	at = mempcpy(at, w->rgb, sizeof(w->rgb));
	at = mempcpy(at, w->depth, sizeof(w->depth));
	at = mempcpy(at, w->scan.angle_rad, points);
	at = mempcpy(at, w->scan.range_m, points);
	*ret_bytes = (size_t)(at - input);
	return input;
}

/* The same work in Python, in turns with ours; left out (with a line that says why) where that cannot run. */
static void against_python(struct perception_work *w, struct cairn_bench_out *out)
{
	double ours_ns[PYTHON_ROUNDS], python_ns[PYTHON_ROUNDS];
	struct cairn_script script;
	size_t bytes = 0;
	char *input = python_input(w, &bytes);
	bool ok = input != NULL && cairn_script_start(&script, "bench_perception.py", input, bytes);
	free(input);
	if (!ok)
		return;
	for (int i = -PYTHON_ROUNDS / 10; i < PYTHON_ROUNDS && ok; i++) {
		int k = i < 0 ? 0 : i;
		ok = cairn_script_round(&script, &python_ns[k]);
		int64_t t0 = cli_now_ns();
		whole_snapshot(w);
		ours_ns[k] = (double)(cli_now_ns() - t0);
	}
	cairn_script_stop(&script);
	if (!ok) {
		fprintf(stderr, "cairn bench: comparison with Python is left out: the script ended early\n");
		return;
	}
	cairn_bench_ratio(out, "perception.snapshot.python", median(ours_ns, PYTHON_ROUNDS) * 1e-3, "us/op",
	    median(python_ns, PYTHON_ROUNDS) * 1e-3);
}

bool cairn_bench_perception(struct cairn_bench_out *out)
{
	struct cairn_error err = {"out of memory"};
	struct perception_work *w = calloc(1, sizeof(*w));
	if (w == NULL)
		return false;
	w->ok = true;
	cairn_config_defaults(&w->cfg);
	w->params = cairn_percept_params_from_config(&w->cfg);
	make_scene(w);
	w->bare = cairn_annotate_new(CAIRN_FONT_FILE, W, H, &err);
	bool ok = w->bare != NULL && annotator_begin(w, &err);
	if (ok) {
		struct medians m = measure_in_turns(w, ROUNDS);
		ok = w->ok;
		cairn_bench_value(out, "perception.scan_720.text", m.text_ns * 1e-3, "us/op");
		cairn_bench_ratio(out, "perception.snapshot", m.whole_ns * 1e-3, "us/op", m.bare_ns * 1e-3);
		cairn_bench_value(out, "perception.snapshot.jpeg", (double)w->jpeg_bytes, "bytes");
		cairn_bench_value(
		    out, "perception.depth_align", cairn_bench_time_ns(align_depth, w) * 1e-3, "us/op");
		against_python(w, out);
		ok = with_options(w, out, &err) && w->ok && cairn_bench_transport(out);
	}
	if (!w->ok || w->annotator == NULL)
		fprintf(stderr, "cairn bench: perception: %s\n",
		    w->annotator == NULL ? err.text : "no snapshot came out");
	cairn_text_free(&w->base64);
	cairn_annotator_destroy(&w->annotator);
	cairn_annotate_destroy(&w->bare);
	free(w);
	return ok;
}
