/* scene_trial.h - a house explored with the simulated detector and the scene graph beside it: what of the house is in the
 * graph at the end, and what is in the graph that is not in the house?
 *
 * In simulated time, with the cores of the stages detector and scene. The house is explored to the end as a stack does it, by the
 * openings that the LiDAR sees; then the floor that no picture has shown is looked at (survey_run.h). Asked for are the things
 * that the camera shows from anywhere that the robot gets to (visible_things.h), wherever it has been. A thing counts as found
 * when a believed node of its name has its middle within CAIRN_SCENE_TRIAL_NEAR_M of the thing's extent; each node and each thing
 * counts once. Rooms are compared over the floor that both the map and the house's plan know. */
#ifndef CAIRN_COMMON_EVAL_SCENE_TRIAL_H
#define CAIRN_COMMON_EVAL_SCENE_TRIAL_H

#include "common/eval/run.h"
#include "common/scene/scene.h"

#define CAIRN_SCENE_TRIAL_NEAR_M 0.40
#define CAIRN_SCENE_TRIAL_LISTED 24

/* Graph against house. */
struct cairn_scene_score {
	uint32_t visible, found; /* things that the robot could see; of these in the graph */
	uint32_t nodes, right;   /* believed; of these that are things, each once */
	uint32_t doubles, misnamed,
	    nowhere; /* the others: a second one of a thing, another name, nothing there */
};

struct cairn_scene_trial_result {
	uint32_t seed;
	double seconds, driven_m, wall_s; /* of the exploration; wall_s: processor time of it */
	double detector_s, scene_s,
	    map_s; /* of it in the detector, in the graph's updates, in rooms and places */
	double update_worst_ms;
	bool finished;
	uint32_t things,
	    shown; /* in the house; of these shown by a picture, as far as the detector asks for */
	struct cairn_scene_score explored, end; /* after the exploration, and when all was looked at */
	uint32_t looks, looks_failed;           /* places looked from after the exploration */
	double end_s, end_m;                    /* time and way of all */
	uint32_t pictures, rooms_true, rooms;
	double
	    room_iou; /* mean over the house's rooms that the map knows of the best overlap; negative: no rooms in the plan */
	double pose_error_m; /* worst */
	struct {
		char label[CAIRN_SCENE_LABEL_CAP];
		float x_m, y_m;
		uint32_t pictures; /* that showed it, 0: none did */
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
	bool without_scene;    /* the exploration alone, as without detector and scene: what it costs */
	double (*cpu_s)(void); /* processor time of this thread, so that the costs are known; may be NULL */
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
