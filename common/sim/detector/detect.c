#include "common/sim/detector/detect.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/percept/colour_word.h"
#include "common/sim/render/render_private.h"

#define DIRECTIONS 8     /* ways in which the farthest point of a thing is looked for, beside up and down */
#define FLOOR_M 0.03     /* what is lower is floor */
#define FINER 2          /* pixels of the camera along the side of one that is drawn: a quarter of the time */
#define SPARE_PX 2.0     /* deviation of a box's edge */
#define NOISE_AT_M 2.0   /* the distance that detect.sim_position_m is for */
#define STREAM 77        /* of chance: apart from the sensors' */
#define PAINT_ONE 512.0f /* face paint: this is 255 */

/* What the pixels of one thing come to. */
struct seen {
	uint32_t pixels, drawn;
	float left, top, right, bottom;
	float r, g, b;
	float far_by[DIRECTIONS + 2]; /* how far it reaches in each direction */
	struct cairn_detect_point at[DIRECTIONS + 2];
	float nearest_m;
};

struct cairn_sim_detector {
	const struct cairn_config *cfg;
	const struct cairn_world *world;
	struct cairn_renderer *renderer;
	struct cairn_rng rng;
	struct seen *seen; /* by what faces belong to */
	bool *labelled;    /* the same: walls are not */
	uint32_t seen_count;
	uint32_t *label_of; /* things that have a label: what a confusion may take */
	uint32_t label_count;
	float direction[DIRECTIONS][2];
};

/* ---- names ---- */

static const char *const colour_words[] = {"red", "green", "blue", "yellow", "orange", "brown", "turquoise",
    "purple", "pink", "white", "grey", "black"};

bool cairn_sim_thing_label(const struct cairn_thing *thing, char ret[40])
{
	if (strcmp(thing->kind, "wall") == 0 || strcmp(thing->kind, "leaf") == 0 ||
	    strcmp(thing->kind, "rug") == 0 || strcmp(thing->kind, "drop") == 0 || thing->name[0] == '\0')
		return false;
	const char *name = thing->name;
	for (size_t i = 0; i < sizeof(colour_words) / sizeof(colour_words[0]); i++) {
		size_t n = strlen(colour_words[i]);
		if (strncmp(name, colour_words[i], n) == 0 && name[n] == ' ' && name[n + 1] != '\0') {
			name += n + 1;
			break;
		}
	}
	size_t n = strnlen(name, 39);
	for (size_t i = 0; i < n; i++)
		ret[i] = (char)tolower((unsigned char)name[i]);
	ret[n] = '\0';
	return true;
}

/* ---- set-up ---- */

struct cairn_sim_detector *cairn_sim_detector_new(
    const struct cairn_config *cfg, const struct cairn_world *world, uint64_t seed)
{
	struct cairn_camera lens =
	    cairn_camera_of(cfg, cfg->camera.width_px / FINER, cfg->camera.height_px / FINER);
	struct cairn_sim_detector *d = calloc(1, sizeof(*d));
	char label[40];
	if (d == NULL)
		return NULL;
	d->cfg = cfg;
	d->world = world;
	cairn_rng_seed(&d->rng, seed, STREAM);
	d->seen_count = CAIRN_DRAWN_THINGS + world->thing_count;
	d->seen = calloc(d->seen_count, sizeof(*d->seen));
	d->label_of = calloc((size_t)world->thing_count + 1, sizeof(*d->label_of));
	d->renderer = cairn_renderer_new(world, &lens);
	d->labelled = calloc(d->seen_count, sizeof(*d->labelled));
	if (d->labelled == NULL || d->seen == NULL || d->label_of == NULL || d->renderer == NULL) {
		cairn_sim_detector_destroy(&d);
		return NULL;
	}
	for (uint32_t i = 0; i < world->thing_count; i++)
		if (cairn_sim_thing_label(&world->things[i], label))
			d->label_of[d->label_count++] = i;
	for (uint32_t i = CAIRN_DRAWN_PEOPLE; i < d->seen_count; i++)
		d->labelled[i] = i < CAIRN_DRAWN_THINGS ||
				 cairn_sim_thing_label(&world->things[i - CAIRN_DRAWN_THINGS], label);
	for (int i = 0; i < DIRECTIONS; i++) {
		d->direction[i][0] = (float)cos(2.0 * M_PI * i / DIRECTIONS);
		d->direction[i][1] = (float)sin(2.0 * M_PI * i / DIRECTIONS);
	}
	return d;
}

void cairn_sim_detector_props(struct cairn_sim_detector *d, const struct cairn_props *props)
{
	cairn_renderer_props(d->renderer, props);
}

void cairn_sim_detector_destroy(struct cairn_sim_detector **detector_p)
{
	struct cairn_sim_detector *d = *detector_p;
	*detector_p = NULL;
	if (d == NULL)
		return;
	cairn_renderer_destroy(&d->renderer);
	free(d->seen);
	free(d->label_of);
	free(d->labelled);
	free(d);
}

/* ---- pixels into things ---- */

static void take_point(
    const struct cairn_sim_detector *d, struct seen *s, struct cairn_detect_point p, bool first)
{
	for (int i = 0; i < DIRECTIONS; i++) {
		float far = d->direction[i][0] * p.right_m + d->direction[i][1] * p.ahead_m;
		if (first || far > s->far_by[i]) {
			s->far_by[i] = far;
			s->at[i] = p;
		}
	}
	for (int i = 0; i < 2; i++) {
		float far = i == 0 ? p.down_m : -p.down_m;
		if (first || far > s->far_by[DIRECTIONS + i]) {
			s->far_by[DIRECTIONS + i] = far;
			s->at[DIRECTIONS + i] = p;
		}
	}
	s->nearest_m = first ? p.ahead_m : low_of(s->nearest_m, p.ahead_m);
}

static struct cairn_detect_point point_at(const struct cairn_renderer *r, size_t row, int32_t x, int32_t y)
{
	float z = 1.0f / high_of(r->inv_depth[row + (size_t)x], 0.01f), f = (float)r->focal_px;
	return (struct cairn_detect_point){z * ((float)x + 0.5f - 0.5f * (float)r->cam.width_px) / f,
	    z * ((float)y + 0.5f - 0.5f * (float)r->cam.height_px) / f, z};
}

/* A stretch of a row that shows one face: a plane, so its ends are its extremes. */
static void take_run(struct seen *s, const struct face *f, int32_t y, int32_t x0, int32_t x1, bool first)
{
	if (first) {
		s->left = (float)x0;
		s->top = (float)y;
		s->right = (float)x1;
	}
	s->pixels += (uint32_t)(x1 - x0);
	s->left = low_of(s->left, (float)x0);
	s->right = high_of(s->right, (float)x1);
	s->bottom = (float)y + 1.0f;
	float n = (float)(x1 - x0);
	s->r += n * f->r;
	s->g += n * f->g;
	s->b += n * f->b;
}

static double height_of(const struct cairn_renderer *r, struct cairn_detect_point p)
{
	return r->eye.z + (double)p.ahead_m * r->fwd.z + (double)p.down_m * r->down.z +
	       (double)p.right_m * r->right.z;
}

/* The nearest thing above the floor in each tile. a, b: the ends of the stretch; between them the depth is between theirs. */
static void take_tiles(const struct cairn_renderer *r, int32_t y, int32_t x0, int32_t x1,
    struct cairn_detect_point a, struct cairn_detect_point b, float nearest_m[CAIRN_DETECT_TILES])
{
	size_t row = (size_t)y * (size_t)r->cam.width_px;
	if (height_of(r, a) < FLOOR_M && height_of(r, b) < FLOOR_M)
		return;
	int32_t ty = y * CAIRN_DETECT_TILE_ROWS / r->cam.height_px;
	for (int32_t tx = x0 * CAIRN_DETECT_TILE_COLS / r->cam.width_px;
	     tx <= (x1 - 1) * CAIRN_DETECT_TILE_COLS / r->cam.width_px; tx++) {
		float *t = &nearest_m[ty * CAIRN_DETECT_TILE_COLS + tx];
		int32_t from = tx * r->cam.width_px / CAIRN_DETECT_TILE_COLS,
			to = (tx + 1) * r->cam.width_px / CAIRN_DETECT_TILE_COLS - 1;
		float z = low_of(from > x0 ? point_at(r, row, from, y).ahead_m : a.ahead_m,
		    to < x1 - 1 ? point_at(r, row, to, y).ahead_m : b.ahead_m);
		*t = *t > 0.0f ? low_of(*t, z) : z;
	}
}

/* Pixels are counted in all rows; where things reach to is looked at in every second one, which is as fine as the picture that is
 * drawn for people. */
static void take_row(struct cairn_sim_detector *d, int32_t y, struct cairn_detected_list *ret)
{
	const struct cairn_renderer *r = d->renderer;
	size_t row = (size_t)y * (size_t)r->cam.width_px;
	const uint32_t *ids = &r->face_of[row];
	for (int32_t x = 0; x < r->cam.width_px;) {
		int32_t end = x + 1;
		while (end < r->cam.width_px && ids[end] == ids[x])
			end++;
		const struct face *f = &r->faces[ids[x]];
		if (f->thing != CAIRN_DRAWN_NOTHING) {
			struct seen *s = &d->seen[f->thing];
			bool first = s->pixels == 0;
			if (first || (y & 1) == 0) {
				struct cairn_detect_point a = point_at(r, row, x, y),
							  b = point_at(r, row, end - 1, y);
				take_tiles(r, y, x, end, a, b, ret->nearest_m);
				if (d->labelled[f->thing]) {
					take_point(d, s, a, first);
					take_point(d, s, b, false);
				}
			}
			take_run(s, f, y, x, end, first);
		}
		x = end;
	}
}

static void take_picture(struct cairn_sim_detector *d, struct cairn_detected_list *ret)
{
	const struct cairn_renderer *r = d->renderer;
	memset(d->seen, 0, d->seen_count * sizeof(*d->seen));
	for (int32_t y = 0; y < r->cam.height_px; y++)
		take_row(d, y, ret);
	for (uint32_t i = 1; i < r->face_count; i++)
		d->seen[r->faces[i].thing].drawn += r->faces[i].drawn_px;
}

/* ---- things into sights ---- */

static float noise(struct cairn_sim_detector *d, double deviation)
{
	return (float)(deviation * cairn_rng_normal(&d->rng));
}

static void describe(struct cairn_sim_detector *d, const struct seen *s, struct cairn_detected *ret)
{
	const struct cairn_renderer *r = d->renderer;
	float n = (float)s->pixels, width = (float)r->cam.width_px, height = (float)r->cam.height_px;
	uint8_t rgb[3];
	const float sum[3] = {s->r, s->g, s->b};
	for (int i = 0; i < 3; i++)
		rgb[i] = (uint8_t)low_of(255.0f * sum[i] / (n * PAINT_ONE), 255.0f);
	snprintf(ret->colour, sizeof(ret->colour), "%s", cairn_colour_word(rgb[0], rgb[1], rgb[2]));
	const float px[4] = {s->left, s->top, s->right, s->bottom}, most[4] = {width, height, width, height};
	for (int i = 0; i < 4; i++) { /* an edge at the picture's stays there: nobody sees beyond it */
		bool edge = px[i] <= 0.0f || px[i] >= most[i];
		float at = FINER * px[i], end = FINER * most[i];
		ret->px[i] = edge ? at : high_of(0.0f, low_of(end, at + noise(d, SPARE_PX)));
	}
	double far = (double)s->nearest_m / NOISE_AT_M,
	       deviation = d->cfg->detect.sim_position_m * (far > 0.5 ? far : 0.5);
	struct cairn_detect_point off = {noise(d, deviation), noise(d, deviation), noise(d, deviation)};
	ret->point_count = DIRECTIONS + 2;
	for (int i = 0; i < DIRECTIONS + 2; i++)
		ret->points[i] = (struct cairn_detect_point){s->at[i].right_m + off.right_m,
		    s->at[i].down_m + off.down_m, high_of(0.05f, s->at[i].ahead_m + off.ahead_m)};
	float share = s->drawn > 0 ? n / (float)s->drawn : 1.0f;
	ret->confidence = low_of(0.99f, high_of(0.35f, 0.55f + 0.4f * share + noise(d, 0.06)));
}

static bool shows(const struct cairn_sim_detector *d, const struct seen *s, double visible_min)
{
	const struct cairn_config_detect *c = &d->cfg->detect;
	return s->pixels * FINER * FINER >= (uint32_t)c->sim_pixels_min &&
	       (double)s->pixels >= visible_min * (double)s->drawn && (double)s->nearest_m <= c->range_max_m;
}

void cairn_sim_detector_look(struct cairn_sim_detector *d, struct cairn_pose2 pose,
    const struct cairn_figure *figures, size_t figure_count, struct cairn_detected_list *ret)
{
	const struct cairn_config_detect *c = &d->cfg->detect;
	*ret = (struct cairn_detected_list){.width_px = FINER * (uint32_t)d->renderer->cam.width_px,
	    .height_px = FINER * (uint32_t)d->renderer->cam.height_px};
	cairn_renderer_look(d->renderer, pose, figures, figure_count, c->range_max_m);
	take_picture(d, ret);
	for (uint32_t i = CAIRN_DRAWN_PEOPLE; i < d->seen_count; i++) {
		struct cairn_detected sight = {.label = "person"};
		bool thing = i >= CAIRN_DRAWN_THINGS;
		if (!shows(d, &d->seen[i], c->sim_visible_min) ||
		    (thing && !cairn_sim_thing_label(&d->world->things[i - CAIRN_DRAWN_THINGS], sight.label)))
			continue;
		bool missed = cairn_rng_uniform(&d->rng) < c->sim_miss,
		     confused = cairn_rng_uniform(&d->rng) < c->sim_confuse;
		if (missed)
			continue;
		if (confused &&
		    d->label_count > 0) /* the name of another thing of this world: the worst kind */
			(void)cairn_sim_thing_label(
			    &d->world->things[d->label_of[cairn_rng_u32(&d->rng) % d->label_count]],
			    sight.label);
		describe(d, &d->seen[i], &sight);
		if (c->sim_tracks)
			sight.track = i;
		if (thing && c->sim_states)
			cairn_renderer_state(
			    d->renderer, i - CAIRN_DRAWN_THINGS, sight.state, sizeof(sight.state));
		if (ret->count < CAIRN_DETECT_ITEMS)
			ret->items[ret->count++] = sight;
		else
			ret->left_out++;
	}
}

uint32_t cairn_sim_detector_shown(
    const struct cairn_sim_detector *d, double visible_min, uint32_t *ret_things, uint32_t max)
{
	uint32_t n = 0;
	char label[40];
	for (uint32_t i = 0; i < d->world->thing_count && n < max; i++) {
		const struct seen *s = &d->seen[CAIRN_DRAWN_THINGS + i];
		if (shows(d, s, visible_min) && cairn_sim_thing_label(&d->world->things[i], label))
			ret_things[n++] = i;
	}
	return n;
}
