/* eval_detector.c - the network of detect.model on RGB-D frames with known poses: what it finds in each, which things the scene graph has of them,
 * and whether two halves of the frames put them in the same places. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/record/rgbd_frames.h"
#include "common/scene/scene.h"
#include "procs/cli/cli.h"
#include "procs/cli/rundir.h"
#include "procs/lab/bench.h"
#include "procs/lab/scene_picture.h"
#include "procs/network/searcher.h"

#define REPEAT_MAX_M 0.15
#define OTHER_M 0.5  /* so far apart they are two things */
#define PERIOD_S 0.5 /* between two pictures: time matters to the graph only in its order */
#define ALIKE 3      /* scenes: of all frames, of every other one, of the rest */

struct trial {
	struct cairn_config cfg;
	const char *folder, *keep;
	struct searcher *searcher;
	struct cairn_scene *scenes[ALIKE];
	struct cairn_rgbd_frame frame;
	double up[3]; /* of the world of the frames */
	struct cairn_detected_list list;
	struct cairn_msg_detections seen;
	json_t *pictures;
};

/* The mean of what is up for the cameras, which somebody has held about level. */
static bool find_up(struct trial *t, const unsigned *numbers, int count, struct cairn_error *err)
{
	for (int i = 0; i < count; i++) {
		if (!cairn_rgbd_read(t->folder, numbers[i], &t->frame, err))
			return false;
		for (int k = 0; k < 3; k++)
			t->up[k] -= t->frame.pose[k][1];
		cairn_rgbd_free(&t->frame);
	}
	double norm = sqrt(t->up[0] * t->up[0] + t->up[1] * t->up[1] + t->up[2] * t->up[2]);
	for (int k = 0; k < 3; k++)
		t->up[k] /= norm > 0.0 ? norm : 1.0;
	return true;
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The world turned so that z is up: x lies across up and the world's own z, the rest follows. */
static void level(const double up[3], const double v[3], double ret[3])
{
	const double other[3] = {fabs(up[2]) < 0.9 ? 0.0 : 1.0, 0.0, fabs(up[2]) < 0.9 ? 1.0 : 0.0};
	double x[3], y[3], norm = 0.0;
	for (int k = 0; k < 3; k++)
		x[k] = other[k] - dot(other, up) * up[k];
	norm = sqrt(dot(x, x));
	for (int k = 0; k < 3; k++)
		x[k] /= norm;
	for (int k = 0; k < 3; k++)
		y[k] = up[(k + 1) % 3] * x[(k + 2) % 3] - up[(k + 2) % 3] * x[(k + 1) % 3];
	ret[0] = dot(x, v);
	ret[1] = dot(y, v);
	ret[2] = dot(up, v);
}

static struct cairn_camera_pose camera_of(const struct trial *t)
{
	struct cairn_camera_pose e =
	    cairn_camera_pose_from(&t->cfg, (int)t->frame.width_px, (int)t->frame.height_px);
	double axis[4][3];
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < 3; i++)
			axis[k][i] = t->frame.pose[i][k];
	level(t->up, axis[0], e.right);
	level(t->up, axis[1], e.down);
	level(t->up, axis[2], e.ahead);
	level(t->up, axis[3], e.at);
	return e;
}

/* What the network was given, for others to judge it by. */
static bool keep_picture(const struct trial *t, unsigned number, struct cairn_error *err)
{
	char path[1024], head[64];
	const struct cairn_rgbd_frame *f = &t->frame;
	struct cairn_replace r;
	if (t->keep == NULL)
		return true;
	snprintf(path, sizeof(path), "%.900s/frame-%06u.ppm", t->keep, number);
	int n = snprintf(head, sizeof(head), "P6\n%u %u\n255\n", f->width_px, f->height_px);
	if (!cairn_replace_begin(&r, path, 0, 0644, err))
		return false;
	cairn_replace_add(&r, head, (size_t)n);
	cairn_replace_add(&r, f->rgb, 3 * (size_t)f->width_px * f->height_px);
	return cairn_replace_end(&r, err);
}

static void tell(struct trial *t, unsigned number)
{
	json_t *things = json_array();
	for (uint32_t i = 0; i < t->list.count; i++) {
		const struct cairn_detected *d = &t->list.items[i];
		json_array_append_new(things,
		    json_pack("{s:s,s:f,s:[f,f,f,f]}", "label", d->label, "score", (double)d->confidence,
			"box", (double)d->px[0], (double)d->px[1], (double)d->px[2], (double)d->px[3]));
	}
	json_array_append_new(t->pictures, json_pack("{s:i,s:o}", "frame", (int)number, "things", things));
}

static bool look(struct trial *t, unsigned number, int nth, struct cairn_error *err)
{
	if (!cairn_rgbd_read(t->folder, number, &t->frame, err))
		return false;
	const struct cairn_rgbd_frame *f = &t->frame;
	bool ok = keep_picture(t, number, err) &&
		  searcher_look(t->searcher, f->rgb, f->width_px, f->height_px, &t->list, err);
	if (ok) {
		struct cairn_camera_pose camera = camera_of(t);
		tell(t, number);
		if (f->depth_width_px == f->width_px && f->depth_height_px == f->height_px)
			cairn_detect_depth(&t->cfg, f->depth_mm, &t->list);
		/* The camera was held in a hand: what hides what is not known as for one that stands on the floor. */
		memset(t->list.nearest_m, 0, sizeof(t->list.nearest_m));
		(void)cairn_detect_place(&t->cfg, &t->list, &camera, &t->seen);
		t->seen.nearest_m_count = 0;
		cairn_scene_see(t->scenes[0], &t->seen, PERIOD_S * nth);
		cairn_scene_see(t->scenes[1 + nth % 2], &t->seen, PERIOD_S * nth);
	}
	cairn_rgbd_free(&t->frame);
	return ok;
}

/* ---- judging ---- */

static const struct cairn_scene_object *next_of(
    const struct cairn_scene *scene, const char *label, uint32_t *at)
{
	const struct cairn_scene_object *list;
	uint32_t n = cairn_scene_objects(scene, &list);
	while (*at < n) {
		const struct cairn_scene_object *o = &list[(*at)++];
		if (o->number != 0 && o->confirmed &&
		    (label == NULL || strcmp(o->votes[0].label, label) == 0))
			return o;
	}
	return NULL;
}

static double apart(const struct cairn_scene_object *a, const struct cairn_scene_object *b)
{
	double sum = 0.0;
	for (int k = 0; k < 3; k++) {
		double d = 0.5 * (a->box.min[k] + a->box.max[k] - b->box.min[k] - b->box.max[k]);
		sum += d * d;
	}
	return sqrt(sum);
}

/* How far the things of a label of one half are at most from those of the other; alone: those that only one half has. */
static double repeat_m(const struct trial *t, const char *label, unsigned *alone)
{
	double worst = 0.0;
	*alone = 0;
	for (int half = 1; half <= 2; half++)
		for (uint32_t at = 0;;) {
			const struct cairn_scene_object *a = next_of(t->scenes[half], label, &at), *b;
			double best = INFINITY;
			if (a == NULL)
				break;
			for (uint32_t k = 0; (b = next_of(t->scenes[3 - half], label, &k)) != NULL;)
				best = fmin(best, apart(a, b));
			if (best > OTHER_M)
				(*alone)++;
			else
				worst = fmax(worst, best);
		}
	return worst;
}

static json_t *nodes_of(const struct cairn_scene *scene, FILE *out, const char *title)
{
	json_t *list = json_array();
	const struct cairn_scene_object *o;
	fprintf(out, "%s\n", title);
	for (uint32_t at = 0; (o = next_of(scene, NULL, &at)) != NULL;) {
		double p[3];
		for (int k = 0; k < 3; k++)
			p[k] = 0.5 * (o->box.min[k] + o->box.max[k]);
		fprintf(out, "  %-24s %6.2f %6.2f %6.2f  seen %u times, %.2f\n", o->id, p[0], p[1], p[2],
		    o->seen, o->confidence);
		json_array_append_new(
		    list, json_pack("{s:s,s:s,s:[f,f,f],s:i,s:f}", "id", o->id, "label", o->votes[0].label,
			      "at_m", p[0], p[1], p[2], "seen", (int)o->seen, "confidence", o->confidence));
	}
	return list;
}

/* "cup=2": so many, and none twice; those that both halves have are in the same places. */
static bool judge(const struct trial *t, const char *expected, json_t *judged, FILE *out)
{
	char label[40] = "";
	unsigned wanted = 0, alone = 0, count[ALIKE] = {0};
	if (sscanf(expected, "%39[^=]=%u", label, &wanted) != 2) {
		fprintf(stderr, "cairn eval detector: --expect %.40s: LABEL=N is needed\n", expected);
		return false;
	}
	for (int s = 0; s < ALIKE; s++)
		for (uint32_t at = 0; next_of(t->scenes[s], label, &at) != NULL;)
			count[s]++;
	double m = repeat_m(t, label, &alone);
	bool ok = count[0] == wanted && count[1] <= wanted && count[2] <= wanted &&
		  alone < count[1] + count[2] && m <= REPEAT_MAX_M;
	fprintf(out,
	    "%-8s %u expected, %u found; %u and %u by halves, %u of these in one alone, the others %.3f m "
	    "apart: %s\n",
	    label, wanted, count[0], count[1], count[2], alone, m, ok ? "right" : "wrong");
	json_array_append_new(
	    judged, json_pack("{s:s,s:i,s:i,s:[i,i],s:i,s:f,s:b}", "label", label, "expected", (int)wanted,
			"found", (int)count[0], "in_halves", (int)count[1], (int)count[2], "in_one_half",
			(int)alone, "repeat_m", m, "right", ok));
	return ok;
}

static bool run(struct trial *t, struct cairn_error *err)
{
	unsigned *numbers = NULL;
	int count = cairn_rgbd_list(t->folder, &numbers, err);
	bool ok = count > 0 && find_up(t, numbers, count, err);
	for (int i = 0; ok && i < count; i++)
		ok = look(t, numbers[i], i, err);
	free(numbers);
	return ok;
}

static bool open_all(struct trial *t, const struct cli *cli, struct cairn_error *err)
{
	char share[PATH_MAX];
	struct cairn_config_layers layers = cli_layers(cli);
	layers.share_dir = share;
	if (!cairn_share_dir(share, sizeof(share), err) || !cairn_config_merge(&t->cfg, &layers, err))
		return false;
	t->searcher = searcher_new(&t->cfg, err);
	for (int i = 0; t->searcher != NULL && i < ALIKE; i++)
		if ((t->scenes[i] = cairn_scene_new(&t->cfg)) == NULL)
			return false;
	return t->searcher != NULL;
}

static bool report(struct trial *t, const struct cli *cli, json_t *figures)
{
	int count;
	const char *const *expected = cli_values(cli, "expect", &count);
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	bool good = out != NULL;
	if (!good)
		return false;
	json_t *judged = json_array();
	json_object_set_new(figures, "nodes", nodes_of(t->scenes[0], out, "all frames"));
	json_object_set_new(figures, "first_half", nodes_of(t->scenes[1], out, "every other frame"));
	json_object_set_new(figures, "second_half", nodes_of(t->scenes[2], out, "the rest"));
	for (int i = 0; i < count; i++)
		good = judge(t, expected[i], judged, out) && good;
	json_object_set_new(figures, "expected", judged);
	json_object_set_new(figures, "mark_repeat_m", json_real(REPEAT_MAX_M));
	json_object_set(figures, "pictures", t->pictures);
	if (fclose(out) == 0)
		json_object_set_new(figures, "text", json_string(text));
	free(text);
	return good;
}

enum cairn_eval_end cairn_eval_detector(const struct cli *cli, json_t *figures)
{
	struct trial *t = calloc(1, sizeof(*t));
	struct cairn_error err = {"out of memory"};
	bool ok = t != NULL, good = false;
	if (ok) {
		t->folder = cli_value(cli, "frames");
		t->keep = cli_value(cli, "keep");
		t->pictures = json_array();
		if (t->folder == NULL)
			cairn_error_set(&err, "--frames DIR is needed: a folder as of 7-Scenes");
		const char *picture = cli_value(cli, "picture");
		ok = t->folder != NULL && open_all(t, cli, &err) && run(t, &err) &&
		     (picture == NULL || scene_picture(t->scenes, ALIKE, picture, &err));
	}
	if (ok)
		good = report(t, cli, figures);
	else
		fprintf(stderr, "cairn eval detector: %s\n", err.text);
	if (t != NULL) {
		searcher_destroy(&t->searcher);
		for (int i = 0; i < ALIKE; i++)
			cairn_scene_destroy(&t->scenes[i]);
		json_decref(t->pictures);
		free(t);
	}
	return good ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
