/* survey.h - looks at the floor that no picture has shown, view by view: an exploration by LiDAR maps a room from its door, and the
 * camera has not seen what stands there. Proposes where to drive and where to turn; asks no model.
 *
 * The view comes next that shows most floor for the way to it (coverage.h). The robot drives there, turns the camera to it, and waits
 * until two pictures were searched, as a thing is believed that two have shown. Map frame, metres. Time is passed in, monotonic. */
#ifndef CAIRN_COMMON_AGENT_SURVEY_H
#define CAIRN_COMMON_AGENT_SURVEY_H

#include "common/agent/coverage.h"

enum cairn_survey_act {
	CAIRN_SURVEY_WAIT, /* it drives, turns or looks */
	CAIRN_SURVEY_GO,
	CAIRN_SURVEY_TURN,
	CAIRN_SURVEY_OVER
};

/* What is to be done now. to: where, for GO; the robot's heading, for TURN. */
struct cairn_survey_step {
	enum cairn_survey_act act;
	struct cairn_pose2 to;
};

/* How a GO or a TURN has ended. */
enum cairn_survey_end {
	CAIRN_SURVEY_DROVE,
	CAIRN_SURVEY_FAILED,
	CAIRN_SURVEY_HELD /* somebody else has taken the robot meanwhile: that view is chosen again */
};

enum cairn_survey_state {
	CAIRN_SURVEY_CHOOSES,
	CAIRN_SURVEY_DRIVES,
	CAIRN_SURVEY_ARRIVED,
	CAIRN_SURVEY_TURNS,
	CAIRN_SURVEY_LOOKS,
	CAIRN_SURVEY_ENDED
};

struct cairn_survey {
	struct cairn_coverage *coverage; /* borrowed; its owner gives it map and pictures */
	double camera_yaw_rad;           /* of the camera on the robot */
	enum cairn_survey_state state;
	uint32_t looks, failed; /* views that were looked at, and that could not be */
	uint32_t failed_in_row; /* of these, the last ones */
	uint32_t closed;        /* pieces of floor left that no place to stand shows */
	bool gave_up;           /* ended because too many in a row failed */
	struct cairn_unseen to; /* what is looked at */
	uint32_t pictures;      /* searched since the camera faces it */
	int64_t t_stands_ns;    /* since then */
	int64_t t_again_ns;     /* not before then is another view tried */
};

/* What was tried before is tried again. */
void cairn_survey_begin(struct cairn_survey *survey, struct cairn_coverage *coverage, double camera_yaw_rad);
/* A picture of the robot's own camera was searched for things; t_ns: when it was taken. */
void cairn_survey_on_picture(struct cairn_survey *survey, int64_t t_ns);
/* The GO or TURN given last has ended. */
void cairn_survey_ended(struct cairn_survey *survey, enum cairn_survey_end end, int64_t now_ns);
/* GO and TURN are given once each, and followed by WAIT until their end is told. OVER stays. */
struct cairn_survey_step cairn_survey_next(
    struct cairn_survey *survey, struct cairn_pose2 robot, int64_t now_ns);

#endif
