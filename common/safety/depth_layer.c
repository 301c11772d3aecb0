#include "common/safety/depth_layer_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRIVEN_M 0.02 /* the footprint is marked after this much */

struct cairn_depth_layer_params cairn_depth_layer_params_from(const struct cairn_config *cfg)
{
	return (struct cairn_depth_layer_params){
	    .body = {cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m,
		cfg->robot.footprint_half_width_m},
	    .start_m = cfg->safety.floor_start_m};
}

void cairn_depth_layer_init(struct cairn_depth_layer *f, const struct cairn_depth_layer_params *params)
{
	memset(f, 0, sizeof(*f));
	f->params = *params;
}

void cairn_depth_layer_mark_strip(
    struct cairn_depth_layer *f, struct cairn_pose2 pose, struct cairn_depth_layer_strip strip)
{
	const struct cairn_footprint *body = &f->params.body;
	double beside_m = fmax(fmax(strip.left_m, strip.right_m), strip.along_m), disc_m = strip.disc_m;
	double reach =
	    fmax(disc_m, hypot(fmax(body->front_m, body->rear_m), body->half_width_m)) + beside_m + 0.05;
	double c = cos(pose.yaw_rad), s = sin(pose.yaw_rad), middle = 0.5 * (body->front_m - body->rear_m);
	int32_t end_cx = cairn_depth_layer_cell_of(pose.x_m + reach),
		end_cy = cairn_depth_layer_cell_of(pose.y_m + reach);
	for (int32_t cy = cairn_depth_layer_cell_of(pose.y_m - reach); cy <= end_cy; cy++)
		for (int32_t cx = cairn_depth_layer_cell_of(pose.x_m - reach); cx <= end_cx; cx++) {
			uint8_t is = *cairn_depth_layer_at(f, cx, cy);
			if (is == CAIRN_DEPTH_LAYER_FREE ||
			    (strip.unseen_only && is != CAIRN_DEPTH_LAYER_UNSEEN))
				continue;
			double dx = (cx + 0.5) * CAIRN_DEPTH_LAYER_CELL_M - pose.x_m,
			       dy = (cy + 0.5) * CAIRN_DEPTH_LAYER_CELL_M - pose.y_m;
			double x = c * dx + s * dy, y = -s * dx + c * dy;
			bool under =
			    x <= body->front_m && x >= -body->rear_m && fabs(y) <= body->half_width_m;
			bool beside = x <= body->front_m + strip.along_m &&
				      x >= -body->rear_m - strip.along_m &&
				      y <= body->half_width_m + strip.left_m &&
				      y >= -body->half_width_m - strip.right_m;
			bool near = is == CAIRN_DEPTH_LAYER_UNSEEN &&
				    (beside || (disc_m > 0.0 && hypot(x - middle, y) <= disc_m));
			if ((under || near) && cairn_depth_layer_held(f, cx, cy))
				*cairn_depth_layer_at(f, cx, cy) = CAIRN_DEPTH_LAYER_FREE;
		}
}

void cairn_depth_layer_mark(
    struct cairn_depth_layer *f, struct cairn_pose2 pose, double beside_m, double disc_m)
{
	cairn_depth_layer_mark_strip(
	    f, pose, (struct cairn_depth_layer_strip){beside_m, beside_m, beside_m, disc_m, false});
}

/* The robot has moved on: what the grid gains on one side was another place's cell before. */
static void follow(struct cairn_depth_layer *f, int32_t cx, int32_t cy)
{
	int32_t dx = cx - f->cx, dy = cy - f->cy;
	if (abs(dx) >= CAIRN_DEPTH_LAYER_CELLS || abs(dy) >= CAIRN_DEPTH_LAYER_CELLS) {
		memset(f->cells, CAIRN_DEPTH_LAYER_UNSEEN, sizeof(f->cells));
		f->cx = cx, f->cy = cy;
		f->track_count = 0; /* another place, or another frame */
		return;
	}
	f->track_shifted = f->track_shifted || dx != 0 || dy != 0;
	for (; f->cx != cx; f->cx += dx > 0 ? 1 : -1) {
		int32_t column = f->cx + CAIRN_DEPTH_LAYER_CELLS / 2 - (dx > 0 ? 0 : 1);
		for (int32_t i = 0; i < CAIRN_DEPTH_LAYER_CELLS; i++)
			*cairn_depth_layer_at(f, column, i) = CAIRN_DEPTH_LAYER_UNSEEN;
	}
	for (; f->cy != cy; f->cy += dy > 0 ? 1 : -1) {
		int32_t row = f->cy + CAIRN_DEPTH_LAYER_CELLS / 2 - (dy > 0 ? 0 : 1);
		memset(cairn_depth_layer_at(f, 0, row), CAIRN_DEPTH_LAYER_UNSEEN, CAIRN_DEPTH_LAYER_CELLS);
	}
}

/* Backward the robot comes near to what it does not see: were that freed when it is near, nothing unseen
 * beside the arc would ever stop it. */
void cairn_depth_layer_drive(struct cairn_depth_layer *f, struct cairn_pose2 pose)
{
	if (!isfinite(pose.x_m) || !isfinite(pose.y_m) || !isfinite(pose.yaw_rad))
		return;
	pose = cairn_depth_layer_fixed(f, pose);
	bool moved = hypot(pose.x_m - f->last.x_m, pose.y_m - f->last.y_m) >= DRIVEN_M ||
		     fabs(cairn_wrap_rad(pose.yaw_rad - f->last.yaw_rad)) >= 0.05;
	if (f->begun && !moved)
		return;
	bool back = f->begun && cairn_pose_between(f->last, pose).x_m < 0.0;
	pose = f->begun ? cairn_depth_layer_track_fix(f, pose, back) : pose;
	follow(f, cairn_depth_layer_cell_of(pose.x_m), cairn_depth_layer_cell_of(pose.y_m));
	cairn_depth_layer_track_drive(f, pose);
	cairn_depth_layer_mark(
	    f, pose, back ? 0.0 : CAIRN_DEPTH_LAYER_BESIDE_M, f->begun ? 0.0 : f->params.start_m);
	if (f->begun)
		f->driven_m += hypot(pose.x_m - f->last.x_m, pose.y_m - f->last.y_m);
	f->begun = true;
	f->last = pose;
}
