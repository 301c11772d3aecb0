/* detect.h - the simulated detector: which things the robot's camera shows, by the pixels that the renderer has drawn.
 *
 * A thing is seen when enough pixels of it are left in front of the others. Where it is comes from the depth of these
 * pixels, its colour from their paint, its name from what people call it without the colour word; never from where the
 * world's file says it stands. Misses, wrong names and noise of the position are drawn by seed, at the rates of the
 * section "detect". Walls, floor and rugs are no things. What the edge of the picture cuts off is seen as far as it shows. */
#ifndef CAIRN_COMMON_SIM_DETECT_H
#define CAIRN_COMMON_SIM_DETECT_H

#include "common/base/rng.h"
#include "common/percept/detect.h"
#include "common/sim/render/render.h"

struct cairn_sim_detector;

/* cfg and world are borrowed. NULL without memory. */
struct cairn_sim_detector *cairn_sim_detector_new(
    const struct cairn_config *cfg, const struct cairn_world *world, uint64_t seed);
void cairn_sim_detector_destroy(struct cairn_sim_detector **detector_p);

/* What is open, moved, held and filled: borrowed, read at each look. NULL: as the world was built. */
void cairn_sim_detector_props(struct cairn_sim_detector *detector, const struct cairn_props *props);

/* Looks from a pose of the robot, world frame. Figures are called "person". look and t_ns are the
 * caller's to fill in. */
void cairn_sim_detector_look(struct cairn_sim_detector *detector, struct cairn_pose2 pose,
    const struct cairn_figure *figures, size_t figure_count, struct cairn_detected_list *ret);

/* Things (indices of the world's) of which so large a share or more showed in the last look, with detect.sim_pixels_min pixels at
 * least, whether the detector missed them or not: for those who judge it. */
uint32_t cairn_sim_detector_shown(
    const struct cairn_sim_detector *detector, double visible_min, uint32_t *ret_things, uint32_t max);

/* What a detector would call a thing: its name in lower case, without a colour word in front; ret holds 40 bytes. False for
 * walls and what else is no thing. */
bool cairn_sim_thing_label(const struct cairn_thing *thing, char ret[40]);

#endif
