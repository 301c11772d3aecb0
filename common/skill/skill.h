/* skill.h - the table of skills, and the gate that each request passes before an arm moves.
 *
 * The gate judges by what the robot's own sensors say now: the wheels, the pose, the detector's last pictures, what moves in the
 * scans; never by the scene graph or by what the asker believes. A target counts as seen when a picture not older than
 * skill.seen_max_s had something at its place, and is within reach when the near side of what that picture showed is. Pure. */
#ifndef CAIRN_COMMON_SKILL_SKILL_H
#define CAIRN_COMMON_SKILL_SKILL_H

#include "common/base/geom.h"
#include "common/config/config.h"
#include "common/scan/scan.h"
#include "ipc/messages.h"

enum cairn_skill_target {
	CAIRN_SKILL_TARGET_PLACE,
	CAIRN_SKILL_TARGET_CONTAINER,
	CAIRN_SKILL_TARGET_THING,
	CAIRN_SKILL_TARGET_SURFACE,
	CAIRN_SKILL_TARGET_VESSEL,
	CAIRN_SKILL_TARGET_PERSON
};

struct cairn_skill {
	enum cairn_skill_verb verb;
	bool arm;
	enum cairn_skill_target target;
	double reach_more_m, usual_s;
	const char *needs, *does;
};

/* NULL for CAIRN_SKILL_VERB_NONE and what is no verb. */
const struct cairn_skill *cairn_skill_of(enum cairn_skill_verb verb);

#define CAIRN_SKILL_SIGHTS 64

/* What the detector's last pictures showed, map frame. */
struct cairn_skill_sights {
	struct {
		char label[40];
		double min[3], max[3];
		int64_t t_ns; /* of the newest picture with it; 0 = a free slot */
		bool person;
	} items[CAIRN_SKILL_SIGHTS];
};

/* A picture's detections; t_ns is its stamp. */
void cairn_skill_saw(
    struct cairn_skill_sights *sights, const struct cairn_msg_detections *seen, int64_t t_ns);

/* What is known at the moment of asking. Borrowed; points of movers in the map frame. */
struct cairn_skill_now {
	const struct cairn_config *cfg;
	int64_t now_ns;
	const struct cairn_msg_skills *offered; /* NULL: no arm has said anything lately */
	const char *forbidden;                  /* why the mission allows none; NULL: it does */
	const char *hold;   /* why nothing may move: emergency stop, stale inputs; NULL: nothing */
	bool busy, driving; /* a skill is under way; a decision is driven */
	double stood_s;     /* since a wheel or a command was last seen to move */
	bool pose_ok;
	struct cairn_pose2 pose;
	const struct cairn_skill_sights *sights;
	const float *mover_x_m, *mover_y_m;
	uint32_t movers;
};

/* May the arm do this now? False with the reason, and what would help, in ret, whose ids and target are filled. */
bool cairn_skill_gate(const struct cairn_skill_now *now, const struct cairn_msg_skill_request *request,
    struct cairn_msg_skill_result *ret);

/* From the robot's body to a box of the map, on the floor plan; 0 where they overlap. */
double cairn_skill_distance_m(
    const struct cairn_footprint *body, struct cairn_pose2 pose, const double min[2], const double max[2]);

#endif
