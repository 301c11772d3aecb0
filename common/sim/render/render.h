/* render.h - what the robot's camera sees of a world: a colour picture and the depth aligned with it.
 *
 * Every face is drawn into a buffer of inverse depth and face numbers (inverse depth is an affine function of
 * the pixel, so a row is one multiply-add a pixel), then each pixel is coloured once. Depth is along the
 * optical axis, as stereo cameras give it, in whole millimetres, 0 = unknown. Pixel (u, v) looks along its
 * centre (u + 0.5, v + 0.5); the optical axis passes through the middle of the picture. */
#ifndef CAIRN_COMMON_SIM_RENDER_RENDER_H
#define CAIRN_COMMON_SIM_RENDER_RENDER_H

#include "common/config/config.h"
#include "common/sim/world/props.h"

struct cairn_camera {
	int32_t width_px, height_px;
	double hfov_rad;
	double x_m, y_m, z_m;                /* on the robot */
	double yaw_rad, pitch_rad, roll_rad; /* positive to the left, downward, with the right side down */
};

/* The simulated robot's, as it is truly mounted, for pictures of this size. */
struct cairn_camera cairn_camera_of(const struct cairn_config *cfg, int32_t width_px, int32_t height_px);

/* A person as drawn. */
struct cairn_figure {
	struct cairn_disc disc;
	struct cairn_paint paint;
};

struct cairn_renderer;

/* world is borrowed and must stay. NULL without memory. */
struct cairn_renderer *cairn_renderer_new(const struct cairn_world *world, const struct cairn_camera *camera);
void cairn_renderer_destroy(struct cairn_renderer **renderer_p);

/* What is open, moved, held and filled from now on: borrowed, read at each picture. NULL: as the world was built. */
void cairn_renderer_props(struct cairn_renderer *renderer, const struct cairn_props *props);

/* The word for what of a thing is open or on; "" where nothing of it can be. */
void cairn_renderer_state(const struct cairn_renderer *renderer, uint32_t thing, char *ret, size_t bytes);

/* rgb: width * height * 3 bytes; depth_mm: width * height values. pose: of the robot, world frame. */
void cairn_renderer_draw(struct cairn_renderer *renderer, struct cairn_pose2 pose,
    const struct cairn_figure *figures, size_t figure_count, uint8_t *rgb, uint16_t *depth_mm);

/* The same into the renderer's own buffers alone, for who asks which thing each pixel shows (sim/detector/detect.h): no colours, and
 * nothing that is farther than range_m from the camera on the floor plan: a fraction of the time. */
void cairn_renderer_look(struct cairn_renderer *renderer, struct cairn_pose2 pose,
    const struct cairn_figure *figures, size_t figure_count, double range_m);

#endif
