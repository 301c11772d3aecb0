/* stand_in.h - the question to a small model on the robot that stands in while the network is away, and what is made of its answer.
 *
 * A model of one or two billion weights neither calls tools nor fills in schemas. It is shown the picture and a list of places, and
 * says one of their ids. Anything else is no answer. Pure. */
#ifndef CAIRN_COMMON_VLM_STAND_IN_H
#define CAIRN_COMMON_VLM_STAND_IN_H

#include "common/base/geom.h"
#include "common/vlm/tools.h"

extern const char cairn_stand_in_system[];

/* The list and the question; x_m, y_m, yaw_rad: the robot, by which places are told as left and right. */
void cairn_stand_in_question(struct cairn_text *out, const struct cairn_msg_candidates *candidates,
    const struct cairn_msg_mission *mission, struct cairn_pose2 robot);

/* The first id that the text names ("C12", or a bare number that is the whole answer) must be one of the candidates. False with the
 * reason. Its words become the call's reasoning, cleaned. */
bool cairn_stand_in_read(const char *text, const struct cairn_msg_candidates *candidates,
    struct cairn_tool_call *ret, struct cairn_error *err);

#endif
