#include "common/percept/project.h"

struct cairn_lens cairn_lens_make(
    int width_px, int height_px, double hfov_rad, double x_m, double z_m, double pitch_rad)
{
	return (struct cairn_lens){
	    .width_px = width_px,
	    .height_px = height_px,
	    .focal_px = 0.5 * width_px / tan(0.5 * hfov_rad),
	    .x_m = x_m,
	    .z_m = z_m,
	    .pitch_cos = cos(pitch_rad),
	    .pitch_sin = sin(pitch_rad),
	};
}

struct cairn_lens cairn_lens_from_config(const struct cairn_config *cfg)
{
	return cairn_lens_make(cfg->camera.width_px, cfg->camera.height_px, cfg->robot.camera_hfov_rad,
	    cfg->robot.camera_x_m, cfg->robot.camera_z_m, cfg->robot.camera_pitch_rad);
}

static double depth_of(const struct cairn_lens *lens, struct cairn_vec2 point, double z_m)
{
	return lens->pitch_cos * (point.x_m - lens->x_m) - lens->pitch_sin * (z_m - lens->z_m);
}

static struct cairn_pixel pixel_of(
    const struct cairn_lens *lens, struct cairn_vec2 point, double z_m, double depth_m)
{
	double down = -lens->pitch_sin * (point.x_m - lens->x_m) - lens->pitch_cos * (z_m - lens->z_m);
	return (struct cairn_pixel){0.5 * lens->width_px - lens->focal_px * point.y_m / depth_m,
	    0.5 * lens->height_px + lens->focal_px * down / depth_m};
}

bool cairn_lens_project(
    const struct cairn_lens *lens, struct cairn_vec2 point, double z_m, struct cairn_pixel *ret)
{
	double depth_m = depth_of(lens, point, z_m);
	if (!(depth_m >= CAIRN_LENS_NEAR_M) || !isfinite(depth_m) || !isfinite(point.y_m))
		return false;
	*ret = pixel_of(lens, point, z_m, depth_m);
	return true;
}

bool cairn_lens_floor_line(const struct cairn_lens *lens, struct cairn_vec2 a, struct cairn_vec2 b,
    struct cairn_pixel *ret_a, struct cairn_pixel *ret_b)
{
	double da = depth_of(lens, a, 0.0), db = depth_of(lens, b, 0.0);
	if (!isfinite(da) || !isfinite(db) || !isfinite(a.y_m) || !isfinite(b.y_m) ||
	    (da < CAIRN_LENS_NEAR_M && db < CAIRN_LENS_NEAR_M))
		return false;
	if (da < CAIRN_LENS_NEAR_M || db < CAIRN_LENS_NEAR_M) {
		double t = (CAIRN_LENS_NEAR_M - da) / (db - da);
		struct cairn_vec2 cut = {a.x_m + t * (b.x_m - a.x_m), a.y_m + t * (b.y_m - a.y_m)};
		*(da < db ? &a : &b) = cut;
		*(da < db ? &da : &db) = CAIRN_LENS_NEAR_M;
	}
	*ret_a = pixel_of(lens, a, 0.0, da);
	*ret_b = pixel_of(lens, b, 0.0, db);
	return true;
}

bool cairn_lens_floor_at(const struct cairn_lens *lens, struct cairn_pixel pixel, struct cairn_vec2 *ret)
{
	/* The ray per unit of depth, and how much of it leads down to the floor. */
	double right = (pixel.u - 0.5 * lens->width_px) / lens->focal_px,
	       down = (pixel.v - 0.5 * lens->height_px) / lens->focal_px;
	double forward = lens->pitch_cos - lens->pitch_sin * down,
	       fall = lens->pitch_sin + lens->pitch_cos * down;
	if (!(fall > 1e-9) || !isfinite(forward) || !isfinite(right))
		return false;
	double depth_m = lens->z_m / fall;
	*ret = (struct cairn_vec2){lens->x_m + depth_m * forward, -depth_m * right};
	return true;
}
