#include "common/sim/render/render_private.h"

#include <stdlib.h>
#include <string.h>

#include "common/sim/robot/mounting.h"

#define NEAR_M 0.02
#define CLIP_MAX 40
#define LIGHTMAP_REACH_M 0.45f
#define FIGURE_SIDES 12
#define FACES_EXTRA 4096 /* lids and people, beside one face an edge */

static double dot(struct vec3 a, struct vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* ---- set-up ---- */

static bool make_light(struct cairn_renderer *r)
{
	const struct cairn_world *w = r->world;
	r->light_x_m = w->x_min_m - 0.5;
	r->light_y_m = w->y_min_m - 0.5;
	r->light_cols = (int32_t)((w->x_max_m - w->x_min_m + 1.0) / CAIRN_LIGHTMAP_CELL_M) + 2;
	r->light_rows = (int32_t)((w->y_max_m - w->y_min_m + 1.0) / CAIRN_LIGHTMAP_CELL_M) + 2;
	size_t n = (size_t)r->light_cols * (size_t)r->light_rows;
	float *dist = malloc(n * sizeof(*dist));
	r->light = malloc(n);
	if (dist != NULL && r->light != NULL) {
		cairn_world_distances(w, r->light_x_m, r->light_y_m, CAIRN_LIGHTMAP_CELL_M, r->light_cols,
		    r->light_rows, 0.5, LIGHTMAP_REACH_M, dist);
		for (size_t i = 0; i < n; i++) {
			float k = dist[i] / LIGHTMAP_REACH_M;
			r->light[i] = (uint8_t)(255.0f * (0.58f + 0.42f * k * (2.0f - k)));
		}
	}
	bool ok = dist != NULL && r->light != NULL;
	free(dist);
	return ok;
}

/* The state of a world that nobody has chosen places in. */
static void as_built(const struct cairn_world *w, struct cairn_props *ret)
{
	cairn_props_start(w, 0, ret);
	for (uint32_t i = 0; i < w->prop_count; i++) {
		ret->items[i].x_m = w->props[i].places[0].at.x_m;
		ret->items[i].y_m = w->props[i].places[0].at.y_m;
		ret->items[i].z_m = w->props[i].places[0].z_m;
		ret->items[i].container = w->props[i].places[0].container;
		ret->items[i].thing = w->props[i].places[0].thing;
	}
}

void cairn_renderer_props(struct cairn_renderer *r, const struct cairn_props *props)
{
	r->props = props != NULL ? props : &r->as_built;
}

void cairn_renderer_state(const struct cairn_renderer *r, uint32_t thing, char *ret, size_t bytes)
{
	int32_t prop = cairn_prop_of_thing(r->world, thing);
	snprintf(
	    ret, bytes, "%s", prop >= 0 ? cairn_prop_state_word(r->world, r->props, (uint32_t)prop) : "");
}

struct cairn_camera cairn_camera_of(const struct cairn_config *cfg, int32_t width_px, int32_t height_px)
{
	const struct cairn_camera_mount m = cairn_mounting_from(cfg).camera;
	return (struct cairn_camera){width_px, height_px, cfg->robot.camera_hfov_rad, m.x_m, m.y_m, m.z_m,
	    m.yaw_rad, m.pitch_rad, m.roll_rad};
}

struct cairn_renderer *cairn_renderer_new(const struct cairn_world *world, const struct cairn_camera *camera)
{
	struct cairn_renderer *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	size_t px = (size_t)camera->width_px * (size_t)camera->height_px;
	r->world = world;
	as_built(world, &r->as_built);
	r->props = &r->as_built;
	r->cam = *camera;
	r->focal_px = 0.5 * camera->width_px / tan(0.5 * camera->hfov_rad);
	r->face_cap = world->edge_count + 2 * world->solid_count + world->tri_count + FACES_EXTRA;
	r->faces = malloc(r->face_cap * sizeof(*r->faces));
	r->inv_depth = malloc(px * sizeof(*r->inv_depth));
	r->face_of = malloc(px * sizeof(*r->face_of));
	r->row_z = calloc((size_t)camera->width_px + CAIRN_CHUNK_PX, sizeof(*r->row_z));
	if (r->faces == NULL || r->inv_depth == NULL || r->face_of == NULL || r->row_z == NULL ||
	    !cairn_texture_make(r->textures) || !make_light(r)) {
		cairn_renderer_destroy(&r);
		return NULL;
	}
	for (int i = 0; i < CAIRN_SHADE_STEPS; i++) { /* corners at floor and ceiling get less light */
		double z = (i + 0.5) / CAIRN_SHADE_STEPS, low = 1.0 - 0.28 * exp(-z / 0.05),
		       high = 1.0 - 0.16 * exp((z - 1.0) / 0.08);
		r->shade[i] = (uint16_t)(256.0 * low * high);
	}
	return r;
}

void cairn_renderer_destroy(struct cairn_renderer **renderer_p)
{
	struct cairn_renderer *r = *renderer_p;
	*renderer_p = NULL;
	if (r == NULL)
		return;
	cairn_texture_free(r->textures);
	free(r->faces);
	free(r->inv_depth);
	free(r->face_of);
	free(r->row_z);
	free(r->light);
	free(r);
}

/* ---- faces into the buffers ---- */

struct corner {
	double x, y, z; /* camera frame: right, down, forward */
};

static struct corner to_camera(const struct cairn_renderer *r, double x_m, double y_m, double z_m)
{
	struct vec3 d = {x_m - r->eye.x, y_m - r->eye.y, z_m - r->eye.z};
	return (struct corner){dot(d, r->right), dot(d, r->down), dot(d, r->fwd)};
}

/* The part of a convex polygon in front of the camera (Sutherland and Hodgman 1974); corners left. */
static int clip_near(const struct corner *in, int n, struct corner *out)
{
	int made = 0;
	for (int i = 0; i < n; i++) {
		struct corner a = in[i], b = in[(i + 1) % n];
		if (a.z >= NEAR_M)
			out[made++] = a;
		if ((a.z >= NEAR_M) != (b.z >= NEAR_M)) {
			double t = (NEAR_M - a.z) / (b.z - a.z);
			out[made++] = (struct corner){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), NEAR_M};
		}
	}
	return made;
}

CAIRN_WIDE static void fill_span(
    float *restrict inv, uint32_t *restrict ids, int32_t n, float w0, float dw, uint32_t id)
{
	for (int32_t i = 0; i < n; i++) {
		float w = w0 + (float)i * dw;
		bool nearer = w > inv[i];
		inv[i] = nearer ? w : inv[i];
		ids[i] = nearer ? id : ids[i];
	}
}

/* Inverse depth as an affine function of the pixel. */
struct plane {
	double w0, wx, wy;
};

static void fill_polygon(
    struct cairn_renderer *r, const struct corner *c, int n, const struct plane *p, uint32_t id)
{
	double px[CLIP_MAX], py[CLIP_MAX], top = 1e30, low = -1e30, first = 1e30, last = -1e30;
	double cx = 0.5 * r->cam.width_px, cy = 0.5 * r->cam.height_px;
	for (int i = 0; i < n; i++) {
		px[i] = cx + r->focal_px * c[i].x / c[i].z;
		py[i] = cy + r->focal_px * c[i].y / c[i].z;
		top = least(top, py[i]);
		low = most(low, py[i]);
		first = least(first, px[i]);
		last = most(last, px[i]);
	}
	if (last <= 0.5 || first > r->cam.width_px - 0.5)
		return; /* beside the picture, as most of a house is */
	int32_t y0 = (int32_t)most(0.0, ceil(least(top, 1e6) - 0.5));
	int32_t y1 = (int32_t)least(r->cam.height_px, ceil(most(low, -1e6) - 0.5));
	for (int32_t y = y0; y < y1; y++) {
		double yc = y + 0.5, left = 1e30, right = -1e30;
		for (int i = 0, j = n - 1; i < n; j = i++) {
			if ((py[i] > yc) == (py[j] > yc))
				continue;
			double x = px[j] + (yc - py[j]) * (px[i] - px[j]) / (py[i] - py[j]);
			left = least(left, x);
			right = most(right, x);
		}
		if (left > right)
			continue;
		int32_t x0 = (int32_t)most(0.0, ceil(least(left, 1e6) - 0.5));
		int32_t x1 = (int32_t)least(r->cam.width_px, ceil(most(right, -1e6) - 0.5));
		if (x0 >= x1)
			continue;
		size_t at = (size_t)y * (size_t)r->cam.width_px + (size_t)x0;
		r->faces[id].drawn_px += (uint32_t)(x1 - x0);
		fill_span(&r->inv_depth[at], &r->face_of[at], x1 - x0,
		    (float)(p->w0 + p->wy * yc + p->wx * (x0 + 0.5)), (float)p->wx, id);
	}
}

/* The plane through point with unit normal n, seen from the eye; false edge on. */
static bool plane_of(const struct cairn_renderer *r, struct vec3 point, struct vec3 n, double bias,
    struct plane *ret, float *ret_distance)
{
	struct vec3 d = {point.x - r->eye.x, point.y - r->eye.y, point.z - r->eye.z};
	double h = dot(n, d);
	if (fabs(h) < 1e-6)
		return false;
	double k = (1.0 + bias) / h, f = 1.0 / r->focal_px;
	ret->wx = k * dot(n, r->right) * f;
	ret->wy = k * dot(n, r->down) * f;
	ret->w0 = k * dot(n, r->fwd) - 0.5 * r->cam.width_px * ret->wx - 0.5 * r->cam.height_px * ret->wy;
	*ret_distance = (float)fabs(h);
	return true;
}

static void set_paint(struct face *f, struct cairn_paint paint, double light)
{
	f->r = (uint16_t)(paint.r * light * 2.0);
	f->g = (uint16_t)(paint.g * light * 2.0);
	f->b = (uint16_t)(paint.b * light * 2.0);
	f->texture = paint.texture;
}

static void set_axis(
    const struct cairn_renderer *r, struct vec3 axis, double scale, double offset, float out[4])
{
	out[0] = (float)((dot(r->eye, axis) + offset) * scale + 65536.0);
	out[1] = (float)(dot(r->fwd, axis) * scale);
	out[2] = (float)(dot(r->right, axis) * scale / r->focal_px);
	out[3] = (float)(dot(r->down, axis) * scale / r->focal_px);
}

/* A face with texture coordinates along s and t, shifted by s0 and t0 metres before they are scaled. */
static struct face *new_face(struct cairn_renderer *r, struct vec3 s, double s_scale, double s0,
    struct vec3 t, double t_scale, double t0)
{
	if (r->face_count >= r->face_cap)
		return NULL;
	struct face *f = &r->faces[r->face_count];
	float axis[4];
	set_axis(r, s, s_scale, s0, axis);
	f->s_base = axis[0], f->s_f = axis[1], f->s_r = axis[2], f->s_d = axis[3];
	set_axis(r, t, t_scale, t0, axis);
	f->t_base = axis[0], f->t_f = axis[1], f->t_r = axis[2], f->t_d = axis[3];
	f->z_f = (float)r->fwd.z;
	f->z_r = (float)(r->right.z / r->focal_px);
	f->z_d = (float)(r->down.z / r->focal_px);
	f->texels_per_m = (float)most(fabs(s_scale), fabs(t_scale));
	f->texels_per_px = (float)(f->texels_per_m / r->focal_px);
	f->board = f->floor = false;
	f->thing = r->thing;
	f->drawn_px = 0;
	return f;
}

static void draw_side(struct cairn_renderer *r, const struct cairn_edge *e, bool wall)
{
	double dx = e->bx_m - e->ax_m, dy = e->by_m - e->ay_m;
	if (dx * (r->eye.y - e->ay_m) - dy * (r->eye.x - e->ax_m) >= 0.0)
		return; /* seen from behind */
	struct corner c[4] = {to_camera(r, e->ax_m, e->ay_m, e->z0_m),
	    to_camera(r, e->bx_m, e->by_m, e->z0_m), to_camera(r, e->bx_m, e->by_m, e->z1_m),
	    to_camera(r, e->ax_m, e->ay_m, e->z1_m)};
	struct corner in[CLIP_MAX];
	int n = clip_near(c, 4, in);
	double len = hypot(dx, dy);
	if (n < 3 || len < 1e-6)
		return;
	struct vec3 along = {dx / len, dy / len, 0.0}, up = {0.0, 0.0, 1.0},
		    normal = {dy / len, -dx / len, 0.0};
	double a_along = e->ax_m * along.x + e->ay_m * along.y,
	       scale = r->textures[e->paint.texture].texels_per_m;
	double s_scale = scale, t_scale = scale, s0 = e->along_m - a_along, t0 = 0.0;
	if (scale == 0.0) {
		s_scale = (CAIRN_TEXTURE_SIDE - 0.01) / len;
		t_scale = (CAIRN_TEXTURE_SIDE - 0.01) / (e->z1_m - e->z0_m);
		s0 = -a_along;
		t0 = -e->z0_m;
	}
	struct face *f = new_face(r, along, s_scale, s0, up, t_scale, t0);
	struct plane p;
	if (f == NULL || !plane_of(r, (struct vec3){e->ax_m, e->ay_m, 0.0}, normal, 0.0, &p, &f->distance))
		return;
	set_paint(f, e->paint, 0.86 + 0.13 * (0.5 * normal.x + 0.86 * normal.y));
	f->board = wall && e->z0_m < 0.01f;
	fill_polygon(r, in, n, &p, r->face_count++);
}

/* A level convex polygon at height z; bias lifts it over what lies in the same plane. */
static void draw_level(struct cairn_renderer *r, const float (*xy)[2], int n, double z_m, double bias,
    struct cairn_paint paint, double light, bool floor)
{
	struct corner c[CLIP_MAX], in[CLIP_MAX];
	if (n > CLIP_MAX - 2)
		return;
	for (int i = 0; i < n; i++)
		c[i] = to_camera(r, xy[i][0], xy[i][1], z_m);
	n = clip_near(c, n, in);
	if (n < 3)
		return;
	double scale = r->textures[paint.texture].texels_per_m;
	if (scale == 0.0) {
		scale = 256.0;
		paint.texture = CAIRN_TEXTURE_PLAIN;
	}
	struct face *f =
	    new_face(r, (struct vec3){1.0, 0.0, 0.0}, scale, 0.0, (struct vec3){0.0, 1.0, 0.0}, scale, 0.0);
	struct plane p;
	if (f == NULL ||
	    !plane_of(r, (struct vec3){0.0, 0.0, z_m}, (struct vec3){0.0, 0.0, 1.0}, bias, &p, &f->distance))
		return;
	set_paint(f, paint, light);
	f->floor = floor;
	fill_polygon(r, in, n, &p, r->face_count++);
}

static void draw_tris(struct cairn_renderer *r, uint32_t first, uint32_t count, double z_m, double bias,
    struct cairn_paint paint, double light, bool floor)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct cairn_tri *t = &r->world->tris[first + i];
		const float xy[3][2] = {
		    {t->x_m[0], t->y_m[0]}, {t->x_m[1], t->y_m[1]}, {t->x_m[2], t->y_m[2]}};
		draw_level(r, xy, 3, z_m, bias, paint, light, floor);
	}
}

/* A lid; what was moved is no polygon of triangles. */
static void draw_lid(
    struct cairn_renderer *r, const struct cairn_solid *s, double z_m, double light, const double moved_m[3])
{
	if (s->tri_count > 0) {
		draw_tris(r, s->tri_first, s->tri_count, z_m, 0.0, s->paint, light, false);
		return;
	}
	float xy[CLIP_MAX][2];
	int n = 0;
	for (uint32_t i = 0; i < s->edge_count && n < CLIP_MAX - 2; i++, n++) {
		xy[n][0] = r->world->edges[s->edge_first + i].ax_m + (float)moved_m[0];
		xy[n][1] = r->world->edges[s->edge_first + i].ay_m + (float)moved_m[1];
	}
	draw_level(r, (const float(*)[2])xy, n, z_m, 0.0, s->paint, light, false);
}

/* Floor and ceiling of the whole world lie behind everything: they start the buffers. */
static void draw_background(struct cairn_renderer *r)
{
	size_t px = (size_t)r->cam.width_px * (size_t)r->cam.height_px;
	double reach = 1000.0, z[2] = {0.0, r->world->ceiling_m};
	memset(r->inv_depth, 0, px * sizeof(*r->inv_depth));
	memset(r->face_of, 0, px * sizeof(*r->face_of));
	r->thing = CAIRN_DRAWN_NOTHING;
	r->face_count = 1; /* 0: nothing, at the horizon */
	r->faces[0] = (struct face){.r = 300, .g = 300, .b = 300, .distance = 1.0f};
	const float xy[4][2] = {{(float)(r->eye.x - reach), (float)(r->eye.y - reach)},
	    {(float)(r->eye.x + reach), (float)(r->eye.y - reach)},
	    {(float)(r->eye.x + reach), (float)(r->eye.y + reach)},
	    {(float)(r->eye.x - reach), (float)(r->eye.y + reach)}};
	draw_level(r, xy, 4, z[0], 0.0, r->world->floor, 1.0, true);
	draw_level(
	    r, xy, 4, z[1], 0.0, (struct cairn_paint){238, 238, 234, CAIRN_TEXTURE_PLASTER}, 0.94, false);
}

static bool out_of_range(const struct cairn_renderer *r, const struct cairn_solid *s)
{
	double dx = most(0.0, most(s->x_min_m - r->eye.x, r->eye.x - s->x_max_m)),
	       dy = most(0.0, most(s->y_min_m - r->eye.y, r->eye.y - s->y_max_m));
	return dx * dx + dy * dy > r->range_m * r->range_m;
}

static bool solid_hidden(const struct cairn_renderer *r, const struct cairn_solid *s)
{
	double best = -1e30; /* farthest forward corner of the bounding box */
	for (int i = 0; i < 8; i++) {
		struct corner c = to_camera(r, i & 1 ? s->x_max_m : s->x_min_m,
		    i & 2 ? s->y_max_m : s->y_min_m, i & 4 ? s->z1_m : s->z0_m);
		best = most(best, c.z);
	}
	return best < NEAR_M;
}

static void draw_solid(struct cairn_renderer *r, const struct cairn_solid *built)
{
	const struct cairn_world *w = r->world;
	struct cairn_solid s = *built;
	double by_m[3];
	if (!cairn_solid_drawn(w, r->props, built, by_m))
		return;
	s.x_min_m += (float)by_m[0], s.x_max_m += (float)by_m[0];
	s.y_min_m += (float)by_m[1], s.y_max_m += (float)by_m[1];
	s.z0_m += (float)by_m[2], s.z1_m += (float)by_m[2];
	if (out_of_range(r, &s) || solid_hidden(r, &s))
		return;
	bool wall = strcmp(w->things[s.thing].kind, "wall") == 0;
	r->thing = CAIRN_DRAWN_THINGS + s.thing;
	for (uint32_t k = 0; k < s.edge_count; k++) {
		struct cairn_edge e = w->edges[s.edge_first + k];
		e.ax_m += (float)by_m[0], e.bx_m += (float)by_m[0];
		e.ay_m += (float)by_m[1], e.by_m += (float)by_m[1];
		e.z0_m = s.z0_m, e.z1_m = s.z1_m;
		draw_side(r, &e, wall);
	}
	if (s.lid_top && r->eye.z > (double)s.z1_m)
		draw_lid(r, &s, (double)s.z1_m, 1.0, by_m);
	if (s.lid_bottom && r->eye.z < (double)s.z0_m)
		draw_lid(r, &s, (double)s.z0_m, 0.55, by_m);
}

static void draw_world(struct cairn_renderer *r)
{
	const struct cairn_world *w = r->world;
	for (uint32_t i = 0; i < w->room_count; i++)
		if (w->rooms[i].floor_painted)
			draw_tris(r, w->rooms[i].tri_first, w->rooms[i].tri_count, 0.0,
			    1e-4 * (1.0 + 0.01 * i), w->rooms[i].floor, 1.0, true);
	for (uint32_t i = 0; i < w->rug_count; i++)
		draw_tris(
		    r, w->rugs[i].tri_first, w->rugs[i].tri_count, 0.0, 1e-3, w->rugs[i].paint, 1.0, true);
	for (uint32_t i = 0; i < w->solid_count; i++)
		draw_solid(r, &w->solids[i]);
}

static void draw_ring(struct cairn_renderer *r, const struct cairn_disc *d, double radius_m, double z0_m,
    double z1_m, struct cairn_paint paint)
{
	for (int i = 0; i < FIGURE_SIDES; i++) {
		double a = 2.0 * M_PI * i / FIGURE_SIDES, b = 2.0 * M_PI * (i + 1) / FIGURE_SIDES;
		struct cairn_edge e = {(float)(d->x_m + radius_m * cos(a)),
		    (float)(d->y_m + radius_m * sin(a)), (float)(d->x_m + radius_m * cos(b)),
		    (float)(d->y_m + radius_m * sin(b)), (float)z0_m, (float)z1_m, 0.0f, 0, paint, 0};
		draw_side(r, &e, false);
	}
}

/* Legs, a body in the person's colour, a head. The whole is as wide as the disc, so depth and LiDAR agree. */
static void draw_figure(struct cairn_renderer *r, const struct cairn_figure *f)
{
	double h = f->disc.z1_m, radius = f->disc.radius_m;
	draw_ring(r, &f->disc, radius, 0.0, 0.48 * h, (struct cairn_paint){52, 58, 82, CAIRN_TEXTURE_FABRIC});
	draw_ring(r, &f->disc, radius, 0.48 * h, 0.83 * h, f->paint);
	draw_ring(r, &f->disc, 0.25 * radius, 0.83 * h, 0.87 * h,
	    (struct cairn_paint){208, 156, 124, CAIRN_TEXTURE_PLAIN});
	draw_ring(r, &f->disc, 0.48 * radius, 0.87 * h, 0.97 * h,
	    (struct cairn_paint){222, 172, 140, CAIRN_TEXTURE_PLAIN});
	draw_ring(
	    r, &f->disc, 0.50 * radius, 0.95 * h, h, (struct cairn_paint){72, 48, 32, CAIRN_TEXTURE_PLAIN});
}

/* Faces into the buffers, as seen by a robot at pose. */
static void draw_all(struct cairn_renderer *r, struct cairn_pose2 pose, const struct cairn_figure *figures,
    size_t figure_count)
{
	const struct cairn_camera *cam = &r->cam;
	double heading = pose.yaw_rad + cam->yaw_rad, cy = cos(heading), sy = sin(heading);
	double cp = cos(cam->pitch_rad), sp = sin(cam->pitch_rad), cr = cos(cam->roll_rad),
	       sr = sin(cam->roll_rad);
	double cb = cos(pose.yaw_rad), sb = sin(pose.yaw_rad);
	struct vec3 right = {sy, -cy, 0.0}, down = {-cy * sp, -sy * sp, -cp}; /* of a camera without roll */
	r->eye = (struct vec3){
	    pose.x_m + cam->x_m * cb - cam->y_m * sb, pose.y_m + cam->x_m * sb + cam->y_m * cb, cam->z_m};
	r->fwd = (struct vec3){cy * cp, sy * cp, -sp};
	r->right =
	    (struct vec3){cr * right.x + sr * down.x, cr * right.y + sr * down.y, cr * right.z + sr * down.z};
	r->down =
	    (struct vec3){cr * down.x - sr * right.x, cr * down.y - sr * right.y, cr * down.z - sr * right.z};
	draw_background(r);
	draw_world(r);
	for (size_t i = 0; i < figure_count; i++) {
		r->thing = CAIRN_DRAWN_PEOPLE + (uint32_t)i;
		draw_figure(r, &figures[i]);
	}
}

void cairn_renderer_draw(struct cairn_renderer *renderer, struct cairn_pose2 pose,
    const struct cairn_figure *figures, size_t figure_count, uint8_t *rgb, uint16_t *depth_mm)
{
	renderer->range_m = INFINITY;
	draw_all(renderer, pose, figures, figure_count);
	cairn_renderer_shade(renderer, rgb, depth_mm);
}

void cairn_renderer_look(struct cairn_renderer *renderer, struct cairn_pose2 pose,
    const struct cairn_figure *figures, size_t figure_count, double range_m)
{
	renderer->range_m = range_m;
	draw_all(renderer, pose, figures, figure_count);
}
