/* scene_trial.h - a house explored with the simulated detector and the scene graph beside it: what of the house is in the
 * graph at the end, and what is in the graph that is not in the house?
 *
 * In simulated time, with the cores of the stages detector and scene. A thing counts as found when a believed node of its name
 * has its middle within CAIRN_SCENE_TRIAL_NEAR_M of the thing's extent; each node and each thing counts once. Of the things
 * those are asked for that a picture has shown: detect.sim_pixels_min pixels and detect.sim_visible_min of it, cut off by the
 * picture's edge or not, missed by the detector or not. Rooms are compared over the floor that both the map and the house's plan know. */
#ifndef CAIRN_COMMON_EVAL_SCENE_TRIAL_H
#define CAIRN_COMMON_EVAL_SCENE_TRIAL_H

#include "common/eval/run.h"
#include "common/scene/scene.h"

#define CAIRN_SCENE_TRIAL_NEAR_M 0.40
#define CAIRN_SCENE_TRIAL_LISTED 24

struct cairn_scene_trial_result {
	uint32_t seed;
	double seconds, driven_m, wall_s; /* wall_s: processor time of the whole run */
	double detector_s, scene_s,
	    map_s; /* of it in the detector, in the graph's updates, in rooms and places */
	double update_worst_ms;
	bool finished;
	uint32_t things,
	    shown;         /* in the house; of these shown by a picture, as far as the detector asks for */
	uint32_t glimpsed; /* shown by a picture with enough pixels, however much of it was hidden */
	uint32_t found, nodes, right; /* of the shown ones found; nodes believed; of these that are things */
	uint32_t doubles, misnamed,
	    nowhere; /* the others: a second one of a thing, another name, nothing there */
	uint32_t pictures, rooms_true, rooms;
	double
	    room_iou; /* mean over the house's rooms that the map knows of the best overlap; negative: no rooms in the plan */
	double pose_error_m; /* worst */
	struct {
		char label[CAIRN_SCENE_LABEL_CAP];
		float x_m, y_m;
		uint32_t pictures; /* that showed it */
	} missing[CAIRN_SCENE_TRIAL_LISTED];
	uint32_t missing_count;
	struct {
		char label[CAIRN_SCENE_LABEL_CAP], why[24];
		float x_m, y_m;
		uint32_t seen;
	} wrong[CAIRN_SCENE_TRIAL_LISTED];
	uint32_t wrong_count;
};

struct cairn_scene_trial_options {
	const struct cairn_config *cfg; /* borrowed, as is the world */
	const struct cairn_world *world;
	enum cairn_run_map map;
	double limit_s;
	bool without_scene;    /* the exploration alone: what it costs without */
	double (*cpu_s)(void); /* processor time of this thread, so that the costs are known; may be NULL */
	const char *dump;      /* the map with its rooms goes there as a PPM; NULL: nowhere */
};

/* False with the reason. */
bool cairn_scene_trial_run(const struct cairn_scene_trial_options *options,
    struct cairn_scene_trial_result *ret, struct cairn_error *err);

/* Mean over the rooms of a world of the intersection over union with the room of the graph that has most of it; over cells that the
 * floor calls free and the plan puts into a room (single: into exactly one). world_from_map places the map's origin. *ret_rooms: rooms that count.
 * Negative: none. */
double cairn_scene_room_iou(const struct cairn_rooms *floor, const struct cairn_world *world,
    struct cairn_pose2 world_from_map, bool single, uint32_t *ret_rooms);

/* Index of the smallest room of a world that holds the point, -1: none. *ret_holds (may be NULL): how many do: labels of floor plans are
 * boxes that overlap. */
int32_t cairn_scene_true_room(const struct cairn_world *world, struct cairn_vec2 point, uint32_t *ret_holds);

#endif
